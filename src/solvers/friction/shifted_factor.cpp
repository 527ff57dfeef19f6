// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/shifted_factor.hpp"

#include "delassus/linalg/sparse_lu.hpp"

namespace delassus {

void ShiftedFactor::prepare(const LocalProblem& problem, const PreparedContacts& contacts) {
  problem_ = &problem;
  contacts_ = &contacts;
  const ContactMatrix& W = problem.W;
  double entries = 0;
  for (int c = 0; c < W.num_contacts(); ++c)
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) entries += W.dim(c) * W.dim(W.column(e));
  dense_ = dense_factors_win(W.rows(), entries);
  if (dense_) W.to_dense(W_);
}

bool ShiftedFactor::factorize(double sigma) {
  const auto weight = [&](const PreparedContact& contact) {
    return contact.rho > 0 ? sigma / contact.rho : 1.0;
  };
  if (!dense_) {
    blocks_ = problem_->W;
    for (int c = 0; c < blocks_.num_contacts(); ++c)
      blocks_.block(c, blocks_.diagonal_entry(c)).diagonal().array() += weight((*contacts_)[c]);
    return block_lu_.factorize(blocks_, problem_->symmetric);
  }
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
  if (!dense_)
    block_lu_.solve_in_place(x);
  else if (problem_->symmetric)
    llt_.solveInPlace(x);
  else
    x = lu_.solve(x);
}

}  // namespace delassus
