// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/shifted_factor.hpp"

#include <algorithm>

namespace delassus {

void ShiftedFactor::prepare(const LocalProblem& problem, const PreparedContacts& contacts) {
  problem_ = &problem;
  contacts_ = &contacts;
  const ContactMatrix& W = problem.W;
  double entries = 0;
  for (int c = 0; c < W.num_contacts(); ++c)
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) entries += W.dim(c) * W.dim(W.column(e));
  dense_ = dense_factors_win(W.rows(), entries);
  if (dense_)
    W.to_dense(W_);
  else
    prepare_sparse();
}

void ShiftedFactor::prepare_sparse() {
  const ContactMatrix& W = problem_->W;
  starts_.assign(1, 0);
  row_of_.clear();
  W_values_.clear();
  diagonal_.clear();
  // The pattern of W is symmetric: its rows are those of the columns.
  for (int b = 0; b < W.num_contacts(); ++b)
    for (int k = 0; k < W.dim(b); ++k) {
      for (int e = W.row_begin(b); e < W.row_end(b); ++e) {
        const int c = W.column(e);
        const auto block = W.block(c, W.find(c, b));
        for (int row = 0; row < W.dim(c); ++row) {
          if (c == b && row == k) diagonal_.push_back(static_cast<int>(row_of_.size()));
          row_of_.push_back(W.first_row(c) + row);
          W_values_.push_back(block(row, k));
        }
      }
      starts_.push_back(static_cast<int>(row_of_.size()));
    }
  sparse_lu_.analyze(starts_, row_of_, order_with_little_fill(starts_, row_of_));
}

bool ShiftedFactor::factorize(double sigma) {
  const auto weight = [&](const PreparedContact& contact) {
    return contact.rho > 0 ? sigma / contact.rho : 1.0;
  };
  if (!dense_) {
    values_ = W_values_;
    for (const PreparedContact& contact : *contacts_)
      for (int k = 0; k < contact.dim; ++k) values_[diagonal_[contact.row + k]] += weight(contact);
    return sparse_lu_.factorize(values_);
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
    sparse_lu_.solve_in_place(x);
  else if (problem_->symmetric)
    llt_.solveInPlace(x);
  else
    x = lu_.solve(x);
}

}  // namespace delassus
