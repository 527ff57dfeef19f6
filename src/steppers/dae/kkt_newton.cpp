// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/kkt_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"
#include "delassus/base/work_counts.hpp"
#include "delassus/system/system.hpp"

namespace delassus {
namespace {

// The matrix is kept while corrections shrink at least by this factor.
constexpr double k_keep = 0.1;
// Corrections that no longer shrink are round-off as long as they are below this multiple of the negligible.
constexpr double k_stalled = 1e3;
// Rows that hold to less than this times the size of the coordinates do not hold: round-off is far below.
constexpr double k_row_tolerance = 1e-12;
// Damping ends here: Newton's direction leads nowhere.
constexpr double k_smallest_step = 1.0 / 1024;

}  // namespace

int KktEquations::worst_row(double& violation) const {
  int worst = -1;
  violation = 0;
  const BlockRows& G = rows();
  for (int g = 0; g < G.num_groups(); ++g)
    for (int i = 0; i < G.group_rows(g); ++i) {
      double gradient = 1;
      for (int b = 0; b < G.num_blocks(g); ++b)
        gradient = std::max(gradient, G.block(g, b).row(i).cwiseAbs().maxCoeff());
      const int row = G.first_row(g) + i;
      if (worst < 0 || std::abs(R[row]) > violation * gradient) {
        worst = row;
        violation = std::abs(R[row]) / gradient;
      }
    }
  return worst;
}

bool KktNewton::factorize(KktEquations& equations, DerivativeLevel level) {
  for (int l = static_cast<int>(level); l <= static_cast<int>(DerivativeLevel::none); ++l) {
    ++work_counts().factorisations;
    equations.assemble(static_cast<DerivativeLevel>(l));
    A_ = equations.A;
    rows_ = equations.rows();
    C_.setZero(rows_.rows());
    const BlockRows* directions = equations.directions();
    if (directions != nullptr) directions_ = *directions;
    if (kkt_.compute(A_, equations.symmetric, rows_, directions != nullptr ? &directions_ : nullptr, C_))
      return true;
  }
  return false;
}

// (z, μ) of (2) at the last evaluation; its norm, not finite when there is none.
double KktNewton::correction(const KktEquations& equations, Vector& z, Vector& mu) {
  minus_F_ = -equations.F;
  minus_R_ = -equations.R;
  const int before = kkt_.iterations();
  kkt_.solve(minus_F_, minus_R_, z, mu, KktAccuracy::correction);
  linear_iterations_ += kkt_.iterations() - before;
  if (!z.allFinite() || !mu.allFinite()) return std::numeric_limits<double>::infinity();
  return std::sqrt(2.0 * kinetic_energy(equations.M, z));
}

void KktNewton::apply(KktEquations& equations, double s, Vector& x, Vector& lambda) {
  equations.correct(z_, s, x);
  lambda += s * mu_;
}

NewtonResult KktNewton::solve(KktEquations& equations, DerivativeLevel level, int max_iterations, Vector& x,
                              Vector& lambda) {
  linear_iterations_ = 0;
  NewtonResult result = iterate(equations, level, max_iterations, x, lambda);
  result.linear_iterations = linear_iterations_;
  return result;
}

NewtonResult KktNewton::iterate(KktEquations& equations, DerivativeLevel level, int max_iterations, Vector& x,
                                Vector& lambda) {
  NewtonResult result;
  const auto fail = [&](const char* why) {
    result.failure = why;
    return result;
  };
  const auto fail_to_solve = [&] {
    return fail(*kkt_.trouble() != '\0' ? kkt_.trouble() : "the step matrix is singular or not finite");
  };
  if (!equations.evaluate(x, lambda)) return fail("the equations of the step are not finite");
  bool fresh = false;
  double norm = 0, last_violation = std::numeric_limits<double>::infinity();
  const auto renew = [&] {
    if (!factorize(equations, level)) return false;
    ++result.factorizations;
    result.redundant_rows = kkt_.num_redundant();
    norm = correction(equations, z_, mu_);
    fresh = true;
    return std::isfinite(norm);
  };
  if (!renew()) return fail_to_solve();
  while (result.iterations < max_iterations) {
    throw_if_stop_requested();
    if (norm <= equations.negligible()) {
      apply(equations, 1.0, x, lambda);
      ++result.iterations;
      if (!equations.evaluate(x, lambda)) return fail("the equations of the step are not finite");
      double violation = 0;
      equations.worst_row(violation);
      result.ok = violation <= k_row_tolerance * equations.extent();
      if (result.ok) return result;
      // Where rows depend on each other the correction of least norm leaves what contradicts.
      if (violation > 0.5 * last_violation || !renew()) return fail("the joints cannot all be met");
      last_violation = violation;
      continue;
    }
    double s = 1, next = std::numeric_limits<double>::infinity();
    while (s >= k_smallest_step) {
      x_next_ = x;
      lambda_next_ = lambda;
      apply(equations, s, x_next_, lambda_next_);
      if (equations.evaluate(x_next_, lambda_next_)) next = correction(equations, z_next_, mu_next_);
      if (next <= (1.0 - 0.25 * s) * norm || next <= equations.negligible()) break;
      s *= 0.5;
    }
    if (s < k_smallest_step) {
      if (!equations.evaluate(x, lambda)) return fail("the equations of the step are not finite");
      double violation = 0;
      equations.worst_row(violation);
      result.ok =
          norm <= k_stalled * equations.negligible() && violation <= k_row_tolerance * equations.extent();
      if (result.ok) return result;
      // An old matrix may be the reason.
      if (fresh || !renew()) return fail("Newton's method does not converge");
      continue;
    }
    ++result.iterations;
    x.swap(x_next_);
    lambda.swap(lambda_next_);
    if (s == 1 && (next <= k_keep * norm || next <= equations.negligible())) {
      norm = next;
      z_.swap(z_next_);
      mu_.swap(mu_next_);
      fresh = false;
    } else if (!renew()) {
      return fail_to_solve();
    }
  }
  return fail("Newton's method does not converge within its iterations");
}

}  // namespace delassus
