// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

namespace delassus {
namespace {

// Of the trace: directions that are combinations of others to this do not count.
constexpr double k_regularization = 1e-13;

}  // namespace

void Anderson::begin(const Vector& weights) {
  weights_ = weights;
  dF_.resize(weights.size(), k_memory);
  dG_.resize(weights.size(), k_memory);
  gram_.setZero(k_memory, k_memory);
  forget();
}

void Anderson::step(const Vector& v, const Vector& g, Vector& next) {
  f_ = weights_.cwiseProduct(g - v);
  next = g;
  if (has_last_) {
    column_ = count_ == 0 ? 0 : (column_ + 1) % k_memory;
    count_ = std::min(count_ + 1, k_memory);
    dF_.col(column_) = f_ - last_f_;
    dG_.col(column_) = g - last_g_;
    for (int j = 0; j < count_; ++j)
      gram_(column_, j) = gram_(j, column_) = dF_.col(j).dot(dF_.col(column_));
    system_ = gram_.topLeftCorner(count_, count_);
    system_.diagonal().array() += k_regularization * system_.trace();
    gamma_.noalias() = dF_.leftCols(count_).transpose() * f_;
    gamma_ = system_.ldlt().solve(gamma_);
    if (gamma_.allFinite()) next.noalias() -= dG_.leftCols(count_) * gamma_;
  }
  last_f_ = f_;
  last_g_ = g;
  has_last_ = true;
}

}  // namespace delassus
