// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/shifted_factor.hpp"

#include "delassus/linalg/sparse_lu.hpp"

namespace delassus {
namespace {

// A smaller σ leaves too few digits to factors by velocities.
constexpr double k_least_velocity_sigma = 1e-6;

}  // namespace

void ShiftedFactor::prepare(const LocalProblem& problem, const PreparedContacts& contacts) {
  problem_ = &problem;
  contacts_ = &contacts;
  by_velocities_ = problem.mobility.serves(problem.W.rows());
  const ContactMatrix& W = problem.W;
  double entries = 0;
  for (int c = 0; c < W.num_contacts(); ++c)
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) entries += W.dim(c) * W.dim(W.column(e));
  dense_ = dense_factors_win(W.rows(), entries);
  if (dense_ && !by_velocities_) W.to_dense(W_);
}

bool ShiftedFactor::factorize_by_velocities(double sigma) {
  members_.clear();
  D_.clear();
  Y_.clear();
  for (int c = 0; c < contacts_->size(); ++c) {
    const PreparedContact& contact = (*contacts_)[c];
    if (contact.rho == 0) continue;
    members_.push_back({c, contact.row, contact.dim, 1.0});
    D_.push_back((sigma / contact.rho) * ContactBlock::Identity(contact.dim, contact.dim));
    Y_.push_back(ContactBlock::Identity(contact.dim, contact.dim));
  }
  return velocity_factor_.compute(problem_->mobility, members_, D_, Y_);
}

bool ShiftedFactor::factorize(double sigma) {
  if (by_velocities_ && sigma >= k_least_velocity_sigma) {
    factors_ = Factors::velocities;
    if (factorize_by_velocities(sigma)) return true;
  }
  const auto weight = [&](const PreparedContact& contact) {
    return contact.rho > 0 ? sigma / contact.rho : 1.0;
  };
  if (!dense_) {
    factors_ = Factors::blocks;
    blocks_ = problem_->W;
    for (int c = 0; c < blocks_.num_contacts(); ++c)
      blocks_.block(c, blocks_.diagonal_entry(c)).diagonal().array() += weight((*contacts_)[c]);
    return block_lu_.factorize(blocks_, problem_->symmetric);
  }
  factors_ = Factors::dense;
  if (by_velocities_)
    problem_->W.to_dense(S_);
  else
    S_ = W_;
  for (const PreparedContact& contact : *contacts_)
    S_.diagonal().segment(contact.row, contact.dim).array() += weight(contact);
  if (problem_->symmetric) {
    llt_.compute(S_);
    return llt_.info() == Eigen::Success;
  }
  lu_.compute(S_);
  return true;
}

void ShiftedFactor::solve_in_place(Vector& x) const {
  if (factors_ == Factors::velocities)
    velocity_factor_.solve_in_place(x);
  else if (factors_ == Factors::blocks)
    block_lu_.solve_in_place(x);
  else if (problem_->symmetric)
    llt_.solveInPlace(x);
  else
    x = lu_.solve(x);
}

}  // namespace delassus
