// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/gradient_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// The shifts move when the error with fixed shifts is below this share of the error of the law.
constexpr double k_inner_share = 0.7;
// Moves without a smaller error until (2) is damped, and the smallest θ.
constexpr int k_moves_in_vain = 5;
constexpr double k_min_damping = 1.0 / 64;

}  // namespace

SolverCapabilities GradientSolver::capabilities() const {
  SolverCapabilities capabilities = ConeSolver::capabilities();
  capabilities.nonsymmetric = false;
  return capabilities;
}

void GradientSolver::begin_shifts() {
  shifts_.setZero(contacts_.size());
  for (int c = 0; c < contacts_.size(); ++c)
    shifts_[c] = shift_of(contacts_[c], u_.data() + contacts_[c].row);
  damping_ = 1;
  last_error_ = std::numeric_limits<double>::infinity();
  moves_in_vain_ = 0;
}

double GradientSolver::fixed_shift_error() const {
  double sum = 0;
  for (int c = 0; c < contacts_.size(); ++c) {
    const PreparedContact& contact = contacts_[c];
    if (contact.rho > 0)
      sum += squared_error(contact, r_.data() + contact.row, u_.data() + contact.row, shifts_[c]);
  }
  return std::sqrt(sum);
}

bool GradientSolver::judge_and_move_shifts() {
  const double error = judge();
  if (!contacts_.has_coulomb() || accepted()) return false;
  if (fixed_shift_error() > k_inner_share * error) return false;
  if (error < last_error_) {
    last_error_ = error;
    moves_in_vain_ = 0;
  } else if (++moves_in_vain_ >= k_moves_in_vain) {
    damping_ = std::max(0.5 * damping_, k_min_damping);
    last_error_ = error;
    moves_in_vain_ = 0;
  }
  for (int c = 0; c < contacts_.size(); ++c)
    shifts_[c] += damping_ * (shift_of(contacts_[c], u_.data() + contacts_[c].row) - shifts_[c]);
  return true;
}

double GradientSolver::dot(const Vector& a, const Vector& b) const {
  double sum = 0;
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) continue;
    double part = 0;
    for (int k = 0; k < contact.dim; ++k) part += a[contact.row + k] * b[contact.row + k];
    sum += part / contact.rho;
  }
  return sum;
}

double GradientSolver::slope(const Vector& u, const Vector& d) const {
  double sum = u.dot(d);
  for (int c = 0; c < contacts_.size(); ++c) sum += shifts_[c] * d[contacts_[c].row];
  return sum;
}

void GradientSolver::step(const Vector& r, const Vector& u, double length, Vector& x) const {
  for (int c = 0; c < contacts_.size(); ++c) {
    const PreparedContact& contact = contacts_[c];
    if (contact.rho > 0)
      project_step(contact, length * contact.rho, r.data() + contact.row, u.data() + contact.row, shifts_[c],
                   x.data() + contact.row);
  }
}

}  // namespace delassus
