// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/block_rows.hpp"

#include <cassert>

namespace delassus {

void BlockRows::clear(int num_columns) {
  num_columns_ = num_columns;
  first_row_.assign(1, 0);
  first_block_.assign(1, 0);
  blocks_.clear();
  values_.clear();
}

int BlockRows::add_group(int num_rows) {
  first_row_.push_back(first_row_.back() + num_rows);
  first_block_.push_back(first_block_.back());
  return num_groups() - 1;
}

BlockRows::Block BlockRows::add_block(int column, int width) {
  assert(num_groups() > 0 && column >= 0 && column + width <= num_columns_);
  const int k = group_rows(num_groups() - 1);
  const int offset = static_cast<int>(values_.size());
  blocks_.push_back({column, width, offset});
  values_.resize(values_.size() + static_cast<std::size_t>(k) * width);
  ++first_block_.back();
  return {values_.data() + offset, k, width};
}

int BlockRows::add_group(const BlockRows& other, int g, int num_rows) {
  const int index = add_group(num_rows);
  for (int b = 0; b < other.num_blocks(g); ++b) {
    const ConstBlock source = other.block(g, b);
    add_block(other.block_column(g, b), static_cast<int>(source.cols())) = source.topRows(num_rows);
  }
  return index;
}

BlockRows::ConstBlock BlockRows::block(int g, int b) const {
  const BlockRecord& record = blocks_[first_block_[g] + b];
  return {values_.data() + record.offset, group_rows(g), record.width};
}

BlockRows::Block BlockRows::block(int g, int b) {
  const BlockRecord& record = blocks_[first_block_[g] + b];
  return {values_.data() + record.offset, group_rows(g), record.width};
}

void BlockRows::multiply(const VectorRef& v, Vector& out) const {
  out.setZero(rows());
  for (int g = 0; g < num_groups(); ++g)
    for (int b = 0; b < num_blocks(g); ++b) {
      const ConstBlock values = block(g, b);
      const double* x = v.data() + block_column(g, b);
      // A contact of a rigid body: most blocks of most problems.
      if (values.rows() == 3 && values.cols() == 6)
        out.segment<3>(first_row(g)) +=
            Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>>(values.data()) *
            Eigen::Map<const Eigen::Matrix<double, 6, 1>>(x);
      else if (values.cols() == 6)
        for (Eigen::Index i = 0; i < values.rows(); ++i)
          out[first_row(g) + i] += Eigen::Map<const Eigen::Matrix<double, 6, 1>>(values.data() + 6 * i)
                                       .dot(Eigen::Map<const Eigen::Matrix<double, 6, 1>>(x));
      else
        out.segment(first_row(g), group_rows(g)).noalias() +=
            values.lazyProduct(Eigen::Map<const Vector>(x, values.cols()));
    }
}

void BlockRows::add_transposed_product(const VectorRef& r, Vector& out, double scale) const {
  for (int g = 0; g < num_groups(); ++g)
    for (int b = 0; b < num_blocks(g); ++b) {
      const ConstBlock values = block(g, b);
      const double* factors = r.data() + first_row(g);
      if (values.cols() == 6) {
        // A rigid body: in registers, in the same order.
        Eigen::Map<Eigen::Matrix<double, 6, 1>> target(out.data() + block_column(g, b));
        Eigen::Matrix<double, 6, 1> sum = target;
        for (int i = 0; i < group_rows(g); ++i)
          sum += (scale * factors[i]) * Eigen::Map<const Eigen::Matrix<double, 6, 1>>(values.data() + 6 * i);
        target = sum;
        continue;
      }
      for (int i = 0; i < group_rows(g); ++i)
        out.segment(block_column(g, b), values.cols()) += (scale * factors[i]) * values.row(i).transpose();
    }
}

void BlockRows::multiply(const MatrixRef& X, Matrix& out) const {
  out.setZero(rows(), X.cols());
  for (int g = 0; g < num_groups(); ++g)
    for (int b = 0; b < num_blocks(g); ++b) {
      const ConstBlock values = block(g, b);
      out.middleRows(first_row(g), group_rows(g)).noalias() +=
          values.lazyProduct(X.middleRows(block_column(g, b), values.cols()));
    }
}

void BlockRows::to_dense_transposed(Matrix& out) const {
  out.setZero(num_columns_, rows());
  for (int g = 0; g < num_groups(); ++g)
    for (int b = 0; b < num_blocks(g); ++b) {
      const ConstBlock values = block(g, b);
      out.block(block_column(g, b), first_row(g), values.cols(), values.rows()) += values.transpose();
    }
}

SparseMatrix BlockRows::to_sparse_transposed() const {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(values_.size());
  for (int g = 0; g < num_groups(); ++g)
    for (int b = 0; b < num_blocks(g); ++b) {
      const ConstBlock values = block(g, b);
      for (int i = 0; i < values.rows(); ++i)
        for (int j = 0; j < values.cols(); ++j)
          triplets.emplace_back(block_column(g, b) + j, first_row(g) + i, values(i, j));
    }
  SparseMatrix out(num_columns_, rows());
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

bool BlockRows::operator==(const BlockRows& other) const {
  return num_columns_ == other.num_columns_ && first_row_ == other.first_row_ &&
         first_block_ == other.first_block_ && blocks_ == other.blocks_ && values_ == other.values_;
}

}  // namespace delassus
