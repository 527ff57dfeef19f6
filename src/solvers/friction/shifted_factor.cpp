// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/shifted_factor.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>

namespace delassus {
namespace {

// Up to this many unknowns dense factors win; above, while so much of the matrix is not empty.
constexpr int k_dense_unknowns = 240;
constexpr double k_dense_share = 0.2;

}  // namespace

void ShiftedFactor::prepare(const LocalProblem& problem, const PreparedContacts& contacts) {
  problem_ = &problem;
  contacts_ = &contacts;
  const ContactMatrix& W = problem.W;
  double entries = 0;
  for (int c = 0; c < W.num_contacts(); ++c)
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) entries += W.dim(c) * W.dim(W.column(e));
  const auto n = static_cast<double>(W.rows());
  dense_ = W.rows() <= k_dense_unknowns || entries > k_dense_share * n * n;
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
  Eigen::SparseMatrix<double> pattern(W.rows(), W.rows());
  pattern.resizeNonZeros(static_cast<Eigen::Index>(row_of_.size()));
  std::copy(starts_.begin(), starts_.end(), pattern.outerIndexPtr());
  std::copy(row_of_.begin(), row_of_.end(), pattern.innerIndexPtr());
  std::fill_n(pattern.valuePtr(), row_of_.size(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Lower>(), permutation);
  sparse_lu_.analyze(starts_, row_of_,
                     std::vector<int>(permutation.indices().data(), permutation.indices().data() + W.rows()));
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
