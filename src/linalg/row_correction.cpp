// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/row_correction.hpp"

#include <Eigen/LU>
#include <cmath>

namespace delassus {
namespace {

// A factorisation costs as much as this many iterations.
constexpr int k_max_iterations = 200;
// What the true residual may have drifted from the tolerance.
constexpr double k_drift = 8;
// A correction that is larger than what it corrects by more belongs to rows that nearly depend on each other.
constexpr double k_largest_gain = 1e3;
// Inertia blocks of bodies; larger ones are not inverted one by one.
constexpr int k_largest_block = 3;

}  // namespace

bool RowCorrection::invert(const BlockMatrix& M) {
  blocks_.clear();
  inverse_.clear();
  block_of_.assign(static_cast<std::size_t>(M.size()), -1);
  for (int b = 0; b < M.num_blocks(); ++b) {
    const auto block = M.block(b);
    const int first = M.block_row(b), size = static_cast<int>(block.rows());
    if (M.block_column(b) != first || block.cols() != size || size > k_largest_block) return false;
    for (int i = first; i < first + size; ++i) {
      if (block_of_[static_cast<std::size_t>(i)] >= 0) return false;
      block_of_[static_cast<std::size_t>(i)] = static_cast<int>(blocks_.size());
    }
    blocks_.push_back({first, size, inverse_.size()});
    inverse_.resize(inverse_.size() + static_cast<std::size_t>(size * size));
    Eigen::Map<Matrix> inverse(inverse_.data() + blocks_.back().values, size, size);
    if (size == 3)
      inverse = Matrix3(block).inverse();
    else
      inverse = Matrix(block).inverse();
    if (!inverse.allFinite()) return false;
  }
  for (int of : block_of_)
    if (of < 0) return false;
  return true;
}

void RowCorrection::apply_inverse(Vector& x) const {
  for (const Block& block : blocks_) {
    const double* inverse = inverse_.data() + block.values;
    if (block.size == 3) {
      x.segment<3>(block.first) =
          (Eigen::Map<const Matrix3>(inverse) * Vector3(x.segment<3>(block.first))).eval();
      continue;
    }
    x.segment(block.first, block.size) =
        (Eigen::Map<const Matrix>(inverse, block.size, block.size) * x.segment(block.first, block.size))
            .eval();
  }
}

// Diagonal of R M⁻¹ Rᵀ but for the coupling of velocities within a block of M, which a preconditioner may leave out.
void RowCorrection::update_diagonal(const BlockRows& R) {
  diagonal_.setZero(R.rows());
  for (int g = 0; g < R.num_groups(); ++g)
    for (int b = 0; b < R.num_blocks(g); ++b) {
      const auto rows = R.block(g, b);
      for (Eigen::Index j = 0; j < rows.cols(); ++j) {
        const int velocity = R.block_column(g, b) + static_cast<int>(j);
        const Block& block = blocks_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(velocity)])];
        const int k = velocity - block.first;
        const double mobility = inverse_[block.values + static_cast<std::size_t>(k * block.size + k)];
        for (Eigen::Index i = 0; i < rows.rows(); ++i)
          diagonal_[R.first_row(g) + i] += rows(i, j) * rows(i, j) * mobility;
      }
    }
}

bool RowCorrection::solve(const BlockMatrix& M, const BlockRows& R, const VectorRef& b, double tolerance,
                          Vector& delta, Vector& lambda) {
  if (!invert(M)) return false;
  update_diagonal(R);
  if (!(diagonal_.minCoeff() > 0)) return false;
  const auto precondition = [&] { preconditioned_ = residual_.cwiseQuotient(diagonal_); };
  lambda.setZero(b.size());
  residual_ = b;
  precondition();
  direction_ = preconditioned_;
  double product = residual_.dot(preconditioned_);
  for (int i = 0; i < k_max_iterations; ++i) {
    if (residual_.cwiseAbs().maxCoeff() <= tolerance) {
      delta.setZero(M.size());
      R.add_transposed_product(lambda, delta);
      apply_inverse(delta);
      // The recursion of the residual drifts where b contradicts rows that depend on each other.
      R.multiply(VectorRef(delta), image_);
      return delta.allFinite() && (b - image_).cwiseAbs().maxCoeff() <= k_drift * tolerance &&
             delta.cwiseAbs().maxCoeff() <= k_largest_gain * b.cwiseAbs().maxCoeff();
    }
    w_.setZero(M.size());
    R.add_transposed_product(direction_, w_);
    apply_inverse(w_);
    R.multiply(VectorRef(w_), image_);
    const double curvature = direction_.dot(image_);
    if (!(curvature > 0)) return false;
    const double step = product / curvature;
    lambda += step * direction_;
    residual_ -= step * image_;
    precondition();
    const double next = residual_.dot(preconditioned_);
    direction_ = preconditioned_ + (next / product) * direction_;
    product = next;
  }
  return false;
}

}  // namespace delassus
