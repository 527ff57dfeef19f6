// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The saddle-point system of mechanisms of rigid bodies, factorised by blocks:
//
//   A v − D λ = p                                                                     (1)
//   R v + C λ = g                                                                     (2)
//
// Symbols as in linalg/kkt.hpp; A need not be symmetric. Cells are the velocities of a body and the rows of a joint, six unknowns
// at most. They are eliminated in an order that takes every joint right after its outer body (linalg/saddle_order.hpp):
// with  S = C + R_o A_o⁻¹ D_o  over the outer body, the inner one gets  A_i + D_i S⁻¹ R_i,  which is the elimination of
// articulated bodies [Featherstone 2008, 7] in our coordinates. Trees fill nothing. Rows that close loops, and those of contacts, come
// last: a border.
//
//   K = L U by blocks, cells inverted without pivoting                                                (3)
//
// The pivots are those on the diagonal that linalg/sparse_lu.hpp would find. Where one of them is small, beside the
// diagonal entry of A, or Σ_j R_ij²/A_jj + C_i of a row, the factorisation is refused: rows depend on each other,
// perhaps (linalg/sparse_kkt.hpp knows what to do).
// What the pivots cost in digits comes back by iterative refinement.
//
// Cost: in fixed sizes, a few thousand instructions for a body and its hinge; the structure is made when the layout changes, and
// nothing is allocated else.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/sparse_kkt.hpp"

namespace delassus {

struct CellGraph;

class BlockKkt {
 public:
  // `directions` is Dᵀ in the layout of the rows, the rows themselves when D = Rᵀ. False: bodies or joints are larger than a
  // cell, many rows close loops, a number is not finite or a pivot small.
  bool compute(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions, const VectorRef& C);
  // Whether all pivots of the last compute() are: of a symmetric A without rows, that it is positive definite.
  bool has_positive_pivots() const;
  // False: (2) contradicts itself, as far as its residual shows.
  bool solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda, KktAccuracy accuracy) const;
  // Whether ½ (A + Aᵀ) is positive definite: all of its pivots are larger than `smallest` times their diagonal entry. False also
  // where `usable` is: then it is not known. Nothing can be solved after it.
  bool find_definite(const BlockMatrix& A, double smallest, bool& usable);

 private:
  // Entries of a cell in the packed vectors, and of a row or column of a block.
  static constexpr int k_cell = 6;
  static constexpr std::size_t k_block = 36;
  struct Residual {
    double error;    // relative to Σ |terms| of its row, the largest
    double largest;  // scaled
  };

  bool has_layout(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions);
  bool analyze(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions);
  bool prepare(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions, const VectorRef& C);
  bool find_cells(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions);
  void join(int first, int count);
  CellGraph make_graph(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions) const;
  bool find_structure(const CellGraph& graph, const std::vector<int>& order);
  int block_at(int row, int column) const;       // of two places
  std::size_t entry(int row, int column) const;  // where the value of two unknowns stands
  void find_places(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions);
  void fill(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions, const VectorRef& C);
  bool find_scales(const BlockRows& rows, const VectorRef& C);
  void take_symmetric_part();
  void eliminate();
  void substitute(Vector& x) const;
  Residual find_residual(const Vector& b, const Vector& x) const;
  void pack(const VectorRef& p, const VectorRef& g, Vector& out) const;
  double* block(std::size_t k) { return values_.data() + k_block * k; }
  const double* block(std::size_t k) const { return values_.data() + k_block * k; }
  int size() const { return static_cast<int>(dims_.size()); }

  std::vector<int> layout_, last_layout_;
  bool usable_ = false;  // the layout falls into cells
  int nv_ = 0, nj_ = 0;
  std::vector<int> cell_of_, cell_starts_;  // cells in the order of the unknowns: velocities, then rows
  std::vector<char> joined_;                // unknown i is of one cell with the next one
  std::vector<int> packed_;                 // place of an unknown in the packed vectors
  // By places, in the order of elimination: rows of L and of U, ascending, and for each entry of L the blocks that lose a product.
  std::vector<int> dims_, lower_starts_, lower_columns_, upper_starts_, upper_columns_, targets_;
  std::vector<double> values_;  // blocks by columns: the inverses of the diagonal, L, U
  std::vector<double> inverse_pivots_;
  std::vector<double> entries_;  // the same of K
  std::vector<char> filled_;     // blocks of `entries_` that are not zero by structure
  // Where blocks of A, rows and directions begin in them, in their order, and the diagonal entries of the unknowns.
  std::vector<std::size_t> places_, diagonal_;
  Vector scales_;  // of the unknowns, powers of two, packed
  BlockRows no_rows_;
  mutable Vector b_, x_, residual_, magnitude_, correction_, last_x_;
};

}  // namespace delassus
