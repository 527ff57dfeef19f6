// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/sor.hpp"

#include "delassus/solvers/cone/spectrum.hpp"
#include "delassus/solvers/cone/sweep_velocities.hpp"

namespace delassus {
namespace {

// Power iteration ends below the eigenvalue; with this share of the step the estimate may be wrong by a fifth.
constexpr double k_jacobi_share = 1.6;

}  // namespace

double SorSolver::sweep(const LocalProblem& problem, bool backward, double omega) {
  double sum = 0, u[k_max_cone_dim], x[k_max_cone_dim];
  SweepVelocities velocities(problem, r_, &u_);
  const int n = contacts_.size();
  for (int i = 0; i < n; ++i) {
    const int c = backward ? n - 1 - i : i;
    const PreparedContact& contact = contacts_[c];
    if (contact.rho == 0) continue;
    velocities.get(contact, c, u);
    project_step(contact, omega * contact.tau, r_.data() + contact.row, u, shift_of(contact, u), x);
    sum += velocities.set(contact, c, x);
  }
  return sum;
}

void JacobiSolver::begin(const LocalProblem& problem) {
  const double estimate = estimate_eigenvalue(problem, contacts_, ContactScale::tau, direction_, image_);
  safe_step_ = k_jacobi_share / std::max(estimate, 1.0);
}

double JacobiSolver::sweep(const LocalProblem& problem, bool, double omega) {
  update_velocities(problem);
  double sum = 0, x[k_max_cone_dim];
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) continue;
    const double* u = u_.data() + contact.row;
    double* r = r_.data() + contact.row;
    project_step(contact, omega * safe_step_ * contact.tau, r, u, shift_of(contact, u), x);
    for (int k = 0; k < contact.dim; ++k) {
      const double change = (x[k] - r[k]) / contact.rho;
      sum += change * change;
      r[k] = x[k];
    }
  }
  return sum;
}

}  // namespace delassus
