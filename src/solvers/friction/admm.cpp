// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/admm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"

namespace delassus {
namespace {

// The scaled W has a diagonal of about one; its eigenvalues that count are on both sides of this.
constexpr double k_first_sigma = 0.1;
constexpr double k_min_sigma = 1e-8, k_max_sigma = 1e4;
constexpr double k_relaxation = 1.6;  // α
// Iterations between judgements: each costs a product with W.
constexpr int k_judge_interval = 5;
// σ is looked at after so many iterations, then after this factor more from time to time; moved when off by more than
// the last number.
constexpr int k_first_look = 10;
constexpr double k_look_growth = 1.2;
constexpr double k_unbalanced = 3;
// An excursion begins when more of the error than this is left since the last look.
constexpr double k_stalled = 0.5;
constexpr double k_depths[] = {0.1, 0.01, 0.001};
// Looks without half of the error gone after which what is good enough for every use is not improved further.
constexpr int k_look_patience = 8;
// Newton steps are tried below this error, relative to u_free, and again when it has fallen by the factor.
constexpr double k_first_polish = 0.3;
// Or by less after as many iterations as take longer than the steps.
constexpr double k_polish_progress = 0.1, k_slow_progress = 0.5;
constexpr int k_slow_iterations = 200;
constexpr int k_polish_steps = 20;
constexpr int k_polish_patience = 3;
// Regularisation of the Newton steps, as in newton.cpp.
constexpr double k_epsilon = 1e-11;

}  // namespace

double AdmmSolver::impulse_norm(const Vector& a) const {
  return a.cwiseProduct(weights_).norm();
}

void AdmmSolver::project_all(const Vector& v, Vector& z) const {
  z = v;
  for (const PreparedContact& contact : contacts_)
    if (contact.rho > 0) project(contact, z.data() + contact.row);
}

void AdmmSolver::begin(double sigma) {
  weights_.resize(r_.size());
  v_ = r_;
  for (const PreparedContact& contact : contacts_) {
    weights_.segment(contact.row, contact.dim)
        .setConstant(contact.rho > 0 ? 1.0 / std::sqrt(contact.rho) : 0.0);
    const double mass = contact.rho / sigma;
    v_.segment(contact.row, contact.dim) -= mass * u_.segment(contact.row, contact.dim);
    v_[contact.row] -= mass * shift_of(contact, u_.data() + contact.row);
  }
}

void AdmmSolver::advance(const LocalProblem& problem) {
  project_all(v_, z_);
  x_.setZero(v_.size());
  double u[k_max_cone_dim];
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) continue;  // its v stays zero
    const double weight = sigma_ / contact.rho;
    for (int k = 0; k < contact.dim; ++k) {
      const int i = contact.row + k;
      u[k] = -weight * (v_[i] - z_[i]);
      x_[i] = weight * z_[i] + u[k] - problem.u_free[i];
    }
    x_[contact.row] -= shift_of(contact, u);
  }
  factor_.solve_in_place(x_);
  v_ += k_relaxation * (x_ - z_);
}

double AdmmSolver::balanced_sigma(const LocalProblem& problem) {
  project_all(v_, next_z_);
  difference_ = x_ - next_z_;
  const double impulse_error = impulse_norm(difference_);
  difference_ = next_z_ - z_;
  const double velocity_error = sigma_ * impulse_norm(difference_);
  const double impulses = std::max(impulse_norm(x_), impulse_norm(next_z_));
  difference_ = v_ - next_z_;
  double free = 0;
  for (const PreparedContact& contact : contacts_)
    free += contact.rho * problem.u_free.segment(contact.row, contact.dim).squaredNorm();
  const double velocities = std::max(sigma_ * impulse_norm(difference_), std::sqrt(free));
  const double ratio = (impulse_error * velocities) / (velocity_error * impulses);
  if (!std::isfinite(ratio) || !(ratio > 0)) return sigma_;
  return sigma_ * std::sqrt(ratio);
}

bool AdmmSolver::change_sigma(double sigma, SolveStats& stats) {
  sigma = std::clamp(sigma, k_min_sigma, k_max_sigma);
  project_all(v_, z_);
  v_ = z_ + (sigma_ / sigma) * (v_ - z_);
  sigma_ = sigma;
  ++stats.factorizations;
  return factor_.factorize(sigma);
}

void AdmmSolver::polish(const LocalProblem& problem, SolveStats& stats) {
  int in_vain = 0;
  const int last = std::min(iteration_limit(), stats.iterations + k_polish_steps);
  while (stats.iterations < last && in_vain <= k_polish_patience && best_error() > 0) {
    throw_if_stop_requested();
    const double best = best_error();
    const bool was_accepted = accepted();
    system_.evaluate(r_, u_);
    if (!system_.step(r_, u_, k_epsilon, delta_)) return;
    ++stats.iterations;
    ++stats.factorizations;
    r_ += delta_;
    update_velocities(problem);
    judge();
    const bool improved = best_error() < 0.5 * best;
    if (was_accepted && !improved) return;
    in_vain = improved ? 0 : in_vain + 1;
  }
}

void AdmmSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  system_.prepare(problem, contacts_);
  // Contacts that go on as before: nothing but the last digits is missing.
  if (accepted() || (r_.size() > 0 && r_.cwiseAbs().maxCoeff() > 0)) {
    polish(problem, stats);
    if (accepted()) return;
    return_to_best();
    update_velocities(problem);
  }
  factor_.prepare(problem, contacts_);
  sigma_ = k_first_sigma;
  begin(sigma_);
  ++stats.factorizations;
  if (!factor_.factorize(sigma_)) return;
  double polish_below = k_first_polish * accepted_error() / options_.tolerance;
  double last_best = std::numeric_limits<double>::infinity();
  double interval = k_first_look, settled = 0;
  int look_at = stats.iterations + k_first_look, looks_in_vain = 0;
  int polish_after = std::numeric_limits<int>::max();  // the first time only by the error
  std::size_t depth = 0;
  bool excursion = false;
  const int limit = iteration_limit();
  while (stats.iterations < limit) {
    throw_if_stop_requested();
    advance(problem);
    ++stats.iterations;
    if (stats.iterations % k_judge_interval == 0 || stats.iterations == limit) {
      r_ = z_;
      update_velocities(problem);
      const double error = judge();
      const bool slow =
          stats.iterations >= polish_after && error < k_slow_progress / k_polish_progress * polish_below;
      if (accepted() || error < polish_below || slow) {
        polish_below = k_polish_progress * error;
        polish(problem, stats);
        polish_after = stats.iterations + k_slow_iterations;
        if (accepted()) return;
      }
    }
    if (stats.iterations < look_at) continue;
    interval *= k_look_growth;
    look_at = stats.iterations + static_cast<int>(interval);
    double sigma = balanced_sigma(problem);
    if (excursion) {
      sigma = settled;
      excursion = false;
    } else if (best_error() > k_stalled * last_best) {
      settled = sigma_;
      sigma = k_depths[depth] * sigma_;
      depth = (depth + 1) % std::size(k_depths);
      excursion = true;
    }
    looks_in_vain = best_error() > k_stalled * last_best ? looks_in_vain + 1 : 0;
    if (certified() && looks_in_vain > k_look_patience) return;
    last_best = best_error();
    if ((sigma > k_unbalanced * sigma_ || k_unbalanced * sigma < sigma_) && !change_sigma(sigma, stats))
      return;
  }
}

}  // namespace delassus
