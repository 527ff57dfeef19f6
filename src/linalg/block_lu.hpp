// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse factors of a matrix of contact blocks whose pattern is symmetric (linalg/contact_matrix.hpp), symmetric or not:
//
//   P A Pᵀ = (I + L) (D + U)                                                                         (1)
//
//   L, U strictly lower and upper by blocks, D the diagonal blocks, each with its own inverse; P an order of the contacts
//   with little fill (approximate minimum degree)
//
// row by row: row j of A, minus L_jk times row k of U for all k on the left, L_jk = x_k D_k⁻¹. Contacts are eliminated as a
// whole: there are no pivots between them, and within D_k they are sought. What that costs in digits is left to the
// refinement of the caller; a D_k that is singular to working precision is refused.
// Blocks of 6 × 6 (bodies), 3 × 3 (contacts) and of one entry have loops of fixed length. Beside scalar factors with the same order this needs a ninth of the indices,
// and a fraction of the time (docs/solvers.md).
//
// Cost: as sparse LU; order and structure are made when the pattern changes, and nothing is allocated after warm-up but
// by the order.
#pragma once
#include <cstddef>
#include <vector>

#include "delassus/linalg/contact_matrix.hpp"

namespace delassus {

class BlockLu {
 public:
  // False: a diagonal block is singular or not finite. `symmetric`: A is, so that U = D Lᵀ is half of the work.
  bool factorize(const ContactMatrix& A, bool symmetric);
  // x ← A⁻¹ x
  void solve_in_place(Vector& x) const;

 private:
  bool has_pattern_of(const ContactMatrix& A) const;
  void analyze(const ContactMatrix& A);
  void find_order(const ContactMatrix& A);
  void find_structure(const ContactMatrix& A);
  // N: the size of all blocks where it is 1, 3 or 6, otherwise 0.
  template <int N>
  bool factorize_rows(const ContactMatrix& A, bool symmetric);
  void scatter_row(int j, const ContactMatrix& A, bool symmetric);
  template <int N>
  void eliminate(int j);
  template <int N>
  void eliminate_symmetric(int j);
  template <int N>
  void substitute(Vector& x) const;
  int size() const { return static_cast<int>(order_.size()); }
  double* inverse(int place) { return inverse_.data() + static_cast<std::size_t>(place) * stride_; }
  double* scratch(int place) { return scratch_.data() + static_cast<std::size_t>(place) * stride_; }

  // The pattern that order and structure are made for.
  std::vector<int> pattern_dims_, pattern_starts_, pattern_columns_;
  std::vector<int> order_, place_;      // contact eliminated at a place, and back
  std::vector<int> dims_, first_rows_;  // of a place: dim, and first row of its contact in x
  // Rows of L and of U by places, ascending; values of their blocks by rows, one after the other.
  std::vector<int> lower_starts_, lower_columns_, upper_starts_, upper_columns_;
  std::vector<std::size_t> lower_values_at_, upper_values_at_;
  std::vector<double> lower_, upper_, inverse_;
  int uniform_dim_ = 0;     // of all places; 0: they differ
  std::size_t stride_ = 0;  // entries of the largest block
  std::vector<double> scratch_;
  std::vector<int> parent_, marks_, next_;
};

}  // namespace delassus
