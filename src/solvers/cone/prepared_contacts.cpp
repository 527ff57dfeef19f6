// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/prepared_contacts.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace delassus {
namespace {

double largest_eigenvalue(const ContactMatrix::ConstBlock& block) {
  if (block.rows() == 1) return block(0, 0);
  if (block.rows() == 3) {
    const Eigen::Matrix3d symmetric = 0.5 * (block + block.transpose());
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen;
    eigen.computeDirect(symmetric, Eigen::EigenvaluesOnly);
    return eigen.eigenvalues()[2];
  }
  const ContactBlock symmetric = 0.5 * (block + block.transpose());
  return Eigen::SelfAdjointEigenSolver<ContactBlock>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues()[block.rows() - 1];
}

}  // namespace

void PreparedContacts::prepare(const LocalProblem& problem) {
  contacts_.resize(problem.cones.size());
  has_coulomb_ = false;
  pushes_away_ = true;
  for (int c = 0; c < size(); ++c) {
    PreparedContact& contact = contacts_[c];
    const Cone& cone = problem.cones[c];
    contact = {.cone = &cone, .row = problem.first_row(c), .dim = cone.dim, .mu = cone.mu};
    const bool friction = cone.kind == ConeKind::coulomb || cone.kind == ConeKind::convex;
    contact.round = friction && cone.dim == 3 && cone.extra_normal == 0;
    contact.coulomb = cone.kind == ConeKind::coulomb && cone.dim > 1;
    has_coulomb_ = has_coulomb_ || contact.coulomb;
    const ContactMatrix::ConstBlock block = problem.W.diagonal(c);
    if (!(block.trace() > 0)) {
      pushes_away_ = pushes_away_ && block.isZero(0.0);
      continue;
    }
    contact.rho = problem.contact_mass(c);
  }
}

void PreparedContacts::prepare_steps(const LocalProblem& problem) {
  for (int c = 0; c < size(); ++c) {
    PreparedContact& contact = contacts_[c];
    if (contact.rho == 0) continue;
    // Of a matrix that is not positive definite the mean of the eigenvalues still bounds the largest from below.
    contact.tau = 1.0 / std::max(largest_eigenvalue(problem.W.diagonal(c)), 1.0 / contact.rho);
  }
}

double PreparedContacts::error(const double* r, const double* u) const {
  double sum = 0;
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0) continue;
    const double* u_c = u + contact.row;
    sum += squared_error(contact, r + contact.row, u_c, shift_of(contact, u_c));
  }
  return std::sqrt(sum);
}

}  // namespace delassus
