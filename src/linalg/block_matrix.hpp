// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A square matrix as a sum of dense blocks: mass matrices, force Jacobians and the step matrix A. Blocks may
// overlap (their values add), so a spring adds its four blocks without looking anything up.
#pragma once
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

class BlockMatrix {
 public:
  using Block = Eigen::Map<Matrix>;
  using ConstBlock = Eigen::Map<const Matrix>;

  // Forgets all blocks, keeps the memory.
  void clear(int size);
  // Appends a zeroed block at (row, column); the view is valid until the next call.
  Block add_block(int row, int column, int rows, int columns);
  // Appends scale · other.
  void add(const BlockMatrix& other, double scale);
  int size() const { return size_; }
  int num_blocks() const { return static_cast<int>(blocks_.size()); }
  int block_row(int b) const { return blocks_[b].row; }
  int block_column(int b) const { return blocks_[b].column; }
  ConstBlock block(int b) const;

  // out += scale · (this) v
  void add_product(const VectorRef& v, Vector& out, double scale = 1.0) const;
  void to_dense(Matrix& out) const;
  SparseMatrix to_sparse() const;
  // Whether the blocks show it, bit for bit: each block on the diagonal is symmetric, and after each other one comes its
  // transpose. False does not mean that the sum is not.
  bool is_symmetric() const;
  // out = ½ (this + thisᵀ)
  void symmetric_part(BlockMatrix& out) const;
  bool operator==(const BlockMatrix& other) const;

 private:
  struct BlockRecord {
    int row, column, rows, columns, offset;
    bool operator==(const BlockRecord&) const = default;
  };
  int size_ = 0;
  std::vector<BlockRecord> blocks_;
  std::vector<double> values_;
};

class BlockRows;
// matrix += scale · g gᵀ where g is row group `group` (one row) of `rows`.
void add_rank_one(const BlockRows& rows, int group, double scale, BlockMatrix& matrix);

}  // namespace delassus
