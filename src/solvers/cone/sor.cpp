// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/sor.hpp"

#include "delassus/solvers/cone/spectrum.hpp"

namespace delassus {
namespace {

// Power iteration ends below the eigenvalue; with this share of the step the estimate may be wrong by a fifth.
constexpr double k_jacobi_share = 1.6;

// (1) for one contact with velocity u; returns ‖Δr/ρ‖².
double relax(const PreparedContact& contact, double step, const double* u, double* r) {
  double x[k_max_cone_dim];
  project_step(contact, step, r, u, shift_of(contact, u), x);
  double sum = 0;
  for (int k = 0; k < contact.dim; ++k) {
    const double change = (x[k] - r[k]) / contact.rho;
    sum += change * change;
    r[k] = x[k];
  }
  return sum;
}

}  // namespace

double SorSolver::sweep(const LocalProblem& problem, bool backward, double omega) {
  double sum = 0, u[k_max_cone_dim];
  const int n = contacts_.size();
  for (int i = 0; i < n; ++i) {
    const int c = backward ? n - 1 - i : i;
    const PreparedContact& contact = contacts_[c];
    if (contact.rho == 0) continue;
    problem.W.multiply_row(c, r_.data(), u);
    for (int k = 0; k < contact.dim; ++k) u[k] += problem.u_free[contact.row + k];
    sum += relax(contact, omega * contact.tau, u, r_.data() + contact.row);
  }
  return sum;
}

void JacobiSolver::begin(const LocalProblem& problem) {
  const double estimate = estimate_eigenvalue(problem, contacts_, ContactScale::tau, direction_, image_);
  safe_step_ = k_jacobi_share / std::max(estimate, 1.0);
}

double JacobiSolver::sweep(const LocalProblem& problem, bool, double omega) {
  update_velocities(problem);
  double sum = 0;
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) continue;
    sum += relax(contact, omega * safe_step_ * contact.tau, u_.data() + contact.row, r_.data() + contact.row);
  }
  return sum;
}

}  // namespace delassus
