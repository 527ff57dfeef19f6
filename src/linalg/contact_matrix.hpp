// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A square matrix of small blocks, one block row and block column a contact: the Delassus operator W = Hᵀ K⁻¹ H. Block
// (a, b) is there when contacts a and b act on a common body (or on bodies of one mechanism), so that its storage grows
// with the number of contacts and not with its square. Block rows are stored one after the other, columns ascending;
// the diagonal block is always there. Blocks are stored by rows.
//
// Building it: set the sizes, say the pattern (set_pattern), then write the blocks.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

class ContactMatrix {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Block = Eigen::Map<RowMajor>;
  using ConstBlock = Eigen::Map<const RowMajor>;

  ContactMatrix() = default;
  // All blocks of a dense matrix, zero ones too; `dims` are the sizes of the contacts.
  ContactMatrix(const Matrix& dense, std::span<const int> dims);

  // Zero blocks at the places (a, columns of a); columns ascending and with a among them.
  void set_pattern(std::span<const int> dims, std::span<const int> row_starts, std::span<const int> columns);

  void set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }
  int num_contacts() const { return static_cast<int>(first_row_.size()) - 1; }
  int rows() const { return first_row_.back(); }
  int first_row(int contact) const { return first_row_[contact]; }
  int dim(int contact) const { return first_row_[contact + 1] - first_row_[contact]; }
  // Entries row_begin(a) … row_end(a) − 1 are the blocks of contact a.
  int row_begin(int contact) const { return starts_[contact]; }
  int row_end(int contact) const { return starts_[contact + 1]; }
  int num_entries() const { return static_cast<int>(columns_.size()); }
  int column(int entry) const { return columns_[entry]; }
  // The entry of block (a, b); −1 when it is not stored.
  int find(int a, int b) const;
  int diagonal_entry(int contact) const { return diagonal_[contact]; }
  const double* values(int entry) const { return values_.data() + offsets_[entry]; }
  double* values(int entry) { return values_.data() + offsets_[entry]; }
  Block block(int contact, int entry) { return {values(entry), dim(contact), dim(columns_[entry])}; }
  ConstBlock block(int contact, int entry) const {
    return {values(entry), dim(contact), dim(columns_[entry])};
  }
  ConstBlock diagonal(int contact) const { return block(contact, diagonal_[contact]); }

  // out (dim entries) = rows of the contact times r; the inner loop of sweeps.
  void multiply_row(int contact, const double* r, double* out) const;
  void multiply(const VectorRef& r, Vector& out) const;  // out = W r
  Vector operator*(const Vector& r) const;
  void to_dense(Matrix& out) const;
  void write_dense(Eigen::Ref<Matrix> out) const;  // of the size already
  Matrix dense() const;
  SparseMatrix to_sparse() const;
  // ½ (W + Wᵀ); the pattern must be symmetric.
  void symmetrize();
  // Block (b, a) = block (a, b)ᵀ for a < b, and blocks on the diagonal ½ (W_aa + W_aaᵀ); the pattern must be symmetric.
  void copy_upper_to_lower();
  bool all_finite() const;
  // The blocks between the contacts listed (ascending).
  void extract(std::span<const int> contacts, ContactMatrix& out) const;
  bool operator==(const ContactMatrix&) const = default;

 private:
  std::vector<int> first_row_{0};
  std::vector<int> starts_{0}, columns_, diagonal_;
  std::vector<std::size_t> offsets_;
  std::vector<double> values_;
};

}  // namespace delassus
