// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse rows in groups: the transposed constraint maps Gᵀ and Hᵀ.
//
// A group is one joint or one contact: k rows (1 … 6) that touch a few ranges of velocity components,
// typically those of its two bodies. A Lagrangian system in user coordinates is one wide block a group.
// Values lie in one contiguous array, so that a pass over all rows walks memory in order. Refilling after
// clear() allocates nothing once the high-water mark is reached.
#pragma once
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

class BlockRows {
 public:
  using Block = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using ConstBlock = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  // Forgets all rows, keeps the memory. `num_columns` is nv.
  void clear(int num_columns);
  // Appends a group of `num_rows` rows without blocks; returns its index.
  int add_group(int num_rows);
  // Appends a zeroed block over columns [column, column + width) to the last group. The view is valid until
  // the next call of add_block.
  Block add_block(int column, int width);
  // Appends a copy of the first `num_rows` rows of group g of `other`.
  int add_group(const BlockRows& other, int g, int num_rows);

  int columns() const { return num_columns_; }
  int rows() const { return first_row_.back(); }
  int num_groups() const { return static_cast<int>(first_row_.size()) - 1; }
  int first_row(int g) const { return first_row_[g]; }
  int group_rows(int g) const { return first_row_[g + 1] - first_row_[g]; }
  int num_blocks(int g) const { return first_block_[g + 1] - first_block_[g]; }
  int block_column(int g, int b) const { return blocks_[first_block_[g] + b].column; }
  ConstBlock block(int g, int b) const;
  // Of groups and blocks that are all there; different ones may be filled by different threads.
  Block block(int g, int b);

  // out = R v  (for R = Hᵀ: the relative velocity u)
  void multiply(const VectorRef& v, Vector& out) const;
  // out += scale Rᵀ r  (for R = Hᵀ: the generalised impulse H r)
  void add_transposed_product(const VectorRef& r, Vector& out, double scale = 1.0) const;
  // out = R X for a dense X with nv rows.
  void multiply(const MatrixRef& X, Matrix& out) const;
  // Column i of out (nv × rows) is row i of R.
  void to_dense_transposed(Matrix& out) const;
  SparseMatrix to_sparse_transposed() const;

  bool operator==(const BlockRows& other) const;

 private:
  struct BlockRecord {
    int column;
    int width;
    int offset;
    bool operator==(const BlockRecord&) const = default;
  };
  int num_columns_ = 0;
  std::vector<int> first_row_{0};
  std::vector<int> first_block_{0};
  std::vector<BlockRecord> blocks_;
  std::vector<double> values_;
};

}  // namespace delassus
