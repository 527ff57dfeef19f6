// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/admm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <cstdlib>
#include <cstdio>

namespace delassus {
namespace {
double env(const char* n, double d) { const char* s = getenv(n); return s ? atof(s) : d; }

// The scaled W has a diagonal of about one: between its eigenvalues that count.
const double k_first_sigma = env("SIG", 0.1);
constexpr double k_min_sigma = 1e-8, k_max_sigma = 1e4;
// α of (3).
const double k_relaxation = env("ALPHA", 1.6);
// Iterations between judgements.
constexpr int k_judge_interval = 5;
// σ is looked at after so many iterations, and each time after this factor more; moved when it is off by more than this.
const int k_first_balance = env("FB", 10);
const double k_balance_growth = env("BG", 1.5);
constexpr double k_unbalanced = 3;
const double k_stalled = env("STALL", 0.5);
const double k_stall_factor = env("SF", 0.1);
// An accelerated step that has the residual grow by more than this is taken back.
const double k_growth = env("GROW", 2.0);
// Newton steps are tried when the error has fallen by this since the last time.
const double k_polish_progress = env("POL", 0.1);
constexpr int k_polish_steps = 20;
constexpr int k_polish_patience = 3;
constexpr double k_epsilon = 1e-11;

}  // namespace

double AdmmSolver::impulse_norm(const Vector& a) const { return a.cwiseProduct(weights_).norm(); }

void AdmmSolver::project_all(const Vector& v, Vector& z) const {
  z = v;
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho > 0)
      project(contact, z.data() + contact.row);
    else
      z.segment(contact.row, contact.dim).setZero();
  }
}

void AdmmSolver::apply(const LocalProblem& problem) {
  project_all(v_, z_);
  x_.resize(v_.size());
  double u[k_max_cone_dim];
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) {
      x_.segment(contact.row, contact.dim).setZero();
      continue;
    }
    const double weight = sigma_ / contact.rho;
    for (int k = 0; k < contact.dim; ++k) {
      const int i = contact.row + k;
      u[k] = -weight * (v_[i] - z_[i]);
      x_[i] = weight * z_[i] + u[k] - problem.u_free[i];
    }
    x_[contact.row] -= shift_of(contact, u);
  }
  factor_.solve_in_place(x_);
}

double AdmmSolver::balanced_sigma(const LocalProblem& problem) {
  next_z_.swap(difference_);
  project_all(next_, next_z_);
  difference_ = x_ - next_z_;
  const double impulse_error = impulse_norm(difference_);
  difference_ = next_z_ - z_;
  const double velocity_error = sigma_ * impulse_norm(difference_);
  const double impulses = std::max(impulse_norm(x_), impulse_norm(z_));
  difference_ = v_ - z_;
  const double velocities = std::max(sigma_ * impulse_norm(difference_),
                                     problem.u_free.cwiseQuotient(weights_).norm());
  const double ratio = (impulse_error * velocities) / (velocity_error * impulses);
  if (!std::isfinite(ratio) || !(ratio > 0)) return sigma_;
  return std::clamp(sigma_ * std::sqrt(ratio), k_min_sigma, k_max_sigma);
}

bool AdmmSolver::change_sigma(double sigma, SolveStats& stats) {
  // û stays.
  if (sigma_ > 0) {
    project_all(v_, z_);
    v_ = z_ + (sigma_ / sigma) * (v_ - z_);
  }
  sigma_ = sigma;
  anderson_.forget();
  ++stats.factorizations;
  return factor_.factorize(sigma);
}

void AdmmSolver::polish(const LocalProblem& problem, SolveStats& stats) {
  int in_vain = 0;
  for (int i = 0; i < k_polish_steps && best_error() > 0; ++i) {
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
    if (in_vain > k_polish_patience) return;
  }
}

void AdmmSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  const bool verbose = getenv("VERB");
  weights_.setZero(problem.u_free.size());
  for (const PreparedContact& contact : contacts_)
    weights_.segment(contact.row, contact.dim).setConstant(contact.rho > 0 ? 1 / std::sqrt(contact.rho) : 1.0);
  factor_.prepare(problem, contacts_);
  system_.prepare(problem, contacts_);
  anderson_.begin(weights_);
  sigma_ = 0;
  v_ = r_;
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) continue;
    const double weight = contact.rho / k_first_sigma;
    v_.segment(contact.row, contact.dim) -= weight * u_.segment(contact.row, contact.dim);
    v_[contact.row] -= weight * shift_of(contact, u_.data() + contact.row);
  }
  if (!change_sigma(k_first_sigma, stats)) return;
  double last_residual = std::numeric_limits<double>::infinity(), polished = std::numeric_limits<double>::infinity();
  double balance_interval = k_first_balance, checked = std::numeric_limits<double>::infinity();
  int balance_at = k_first_balance;
  bool accelerated = false;
  const int limit = iteration_limit();
  const bool aa = !getenv("NOAA");
  while (stats.iterations < limit) {
    apply(problem);
    ++stats.iterations;
    difference_ = x_ - z_;
    const double residual = impulse_norm(difference_);
    if (accelerated && !(residual <= k_growth * last_residual)) {
      v_ = next_;
      anderson_.forget();
      accelerated = false;
      last_residual = std::numeric_limits<double>::infinity();
      continue;
    }
    last_residual = residual;
    next_ = v_ + k_relaxation * difference_;
    if (stats.iterations % k_judge_interval == 0) {
      r_ = z_;
      update_velocities(problem);
      const double error = judge();
      if (accepted()) polished = std::numeric_limits<double>::infinity();
      if (verbose) fprintf(stderr, "%d sigma %g res %g err %g\n", stats.iterations, sigma_, residual, error / accepted_error() * options_.tolerance);
      if (accepted() || error < k_polish_progress * polished) {
        polished = error;
        polish(problem, stats);
        if (verbose) fprintf(stderr, "  polish -> %g\n", best_error() / accepted_error() * options_.tolerance);
        if (accepted()) return;
      }
    }
    if (stats.iterations >= balance_at) {
      double sigma = balanced_sigma(problem);
      if (best_error() > k_stalled * checked) sigma = std::max(k_stall_factor * sigma_, k_min_sigma);
      checked = best_error();
      balance_interval *= k_balance_growth;
      balance_at = stats.iterations + static_cast<int>(balance_interval);
      if (sigma > k_unbalanced * sigma_ || k_unbalanced * sigma < sigma_) {
        v_ = next_;
        if (!change_sigma(sigma, stats)) return;
        accelerated = false;
        last_residual = std::numeric_limits<double>::infinity();
        continue;
      }
    }
    if (aa) {
      anderson_.step(v_, next_, difference_);
      v_.swap(difference_);
      accelerated = true;
    } else v_ = next_;
  }
}

}  // namespace delassus
