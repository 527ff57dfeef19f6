// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/block_matrix.hpp"

#include <cassert>

#include "delassus/linalg/block_rows.hpp"

namespace delassus {
namespace {

// y += scale B x for a block of N × N, in registers.
template <int N>
void add_image(const double* block, const double* x, double scale, double* y) {
  Eigen::Map<Eigen::Matrix<double, N, 1>> target(y);
  Eigen::Matrix<double, N, 1> sum = target;
  for (int j = 0; j < N; ++j)
    sum += (scale * x[j]) * Eigen::Map<const Eigen::Matrix<double, N, 1>>(block + N * j);
  target = sum;
}

}  // namespace

void BlockMatrix::clear(int size) {
  size_ = size;
  blocks_.clear();
  values_.clear();
}

BlockMatrix::Block BlockMatrix::add_block(int row, int column, int rows, int columns) {
  assert(row >= 0 && column >= 0 && row + rows <= size_ && column + columns <= size_);
  const int offset = static_cast<int>(values_.size());
  blocks_.push_back({row, column, rows, columns, offset});
  values_.resize(values_.size() + static_cast<std::size_t>(rows) * columns);
  return {values_.data() + offset, rows, columns};
}

void BlockMatrix::add(const BlockMatrix& other, double scale) {
  // The values of all blocks lie one behind the other.
  const int offset = static_cast<int>(values_.size());
  for (BlockRecord record : other.blocks_) {
    record.offset += offset;
    blocks_.push_back(record);
  }
  values_.resize(values_.size() + other.values_.size());
  const auto n = static_cast<Eigen::Index>(other.values_.size());
  Eigen::Map<Vector>(values_.data() + offset, n) = scale * Eigen::Map<const Vector>(other.values_.data(), n);
}

BlockMatrix::ConstBlock BlockMatrix::block(int b) const {
  const BlockRecord& record = blocks_[b];
  return {values_.data() + record.offset, record.rows, record.columns};
}

void BlockMatrix::add_product(const VectorRef& v, Vector& out, double scale) const {
  for (int b = 0; b < num_blocks(); ++b) {
    const ConstBlock values = block(b);
    const double* x = v.data() + block_column(b);
    double* y = out.data() + block_row(b);
    if (values.rows() == 3 && values.cols() == 3)
      add_image<3>(values.data(), x, scale, y);
    else if (values.rows() == 6 && values.cols() == 6)
      add_image<6>(values.data(), x, scale, y);
    else
      for (Eigen::Index j = 0; j < values.cols(); ++j)
        out.segment(block_row(b), values.rows()) += (scale * x[j]) * values.col(j);
  }
}

void BlockMatrix::to_dense(Matrix& out) const {
  out.setZero(size_, size_);
  for (int b = 0; b < num_blocks(); ++b) {
    const ConstBlock values = block(b);
    out.block(block_row(b), block_column(b), values.rows(), values.cols()) += values;
  }
}

SparseMatrix BlockMatrix::to_sparse() const {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(values_.size());
  for (int b = 0; b < num_blocks(); ++b) {
    const ConstBlock values = block(b);
    for (int j = 0; j < values.cols(); ++j)
      for (int i = 0; i < values.rows(); ++i)
        triplets.emplace_back(block_row(b) + i, block_column(b) + j, values(i, j));
  }
  SparseMatrix out(size_, size_);
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

bool BlockMatrix::is_symmetric() const {
  const auto agree = [](const ConstBlock& a, const ConstBlock& b) {
    if (a.rows() != b.cols() || a.cols() != b.rows()) return false;
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      for (Eigen::Index i = 0; i < a.rows(); ++i)
        if (a(i, j) != b(j, i)) return false;
    return true;
  };
  for (int b = 0; b < num_blocks(); ++b) {
    const int first = b;
    if (block_row(b) != block_column(b) && ++b == num_blocks()) return false;
    if (block_row(first) != block_column(b) || block_column(first) != block_row(b)) return false;
    if (!agree(block(first), block(b))) return false;
  }
  return true;
}

void BlockMatrix::symmetric_part(BlockMatrix& out) const {
  out.clear(size_);
  for (int b = 0; b < num_blocks(); ++b) {
    const ConstBlock values = block(b);
    const int row = block_row(b), column = block_column(b), rows = static_cast<int>(values.rows()),
              columns = static_cast<int>(values.cols());
    if (row == column && rows == columns) {
      out.add_block(row, column, rows, columns) = 0.5 * (values + values.transpose());
      continue;
    }
    out.add_block(row, column, rows, columns) = 0.5 * values;
    out.add_block(column, row, columns, rows) = 0.5 * values.transpose();
  }
}

bool BlockMatrix::operator==(const BlockMatrix& other) const {
  return size_ == other.size_ && blocks_ == other.blocks_ && values_ == other.values_;
}

void add_rank_one(const BlockRows& rows, int group, double scale, BlockMatrix& matrix) {
  assert(rows.group_rows(group) == 1);
  for (int i = 0; i < rows.num_blocks(group); ++i)
    for (int j = 0; j < rows.num_blocks(group); ++j) {
      const BlockRows::ConstBlock gi = rows.block(group, i), gj = rows.block(group, j);
      const auto m = static_cast<int>(gi.cols()), n = static_cast<int>(gj.cols());
      double* out = matrix.add_block(rows.block_column(group, i), rows.block_column(group, j), m, n).data();
      const double *x = gi.data(), *y = gj.data();
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < m; ++r) *out++ = scale * (x[r] * y[c]);
    }
}

}  // namespace delassus
