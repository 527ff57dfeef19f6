// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse LU of a square matrix K, not symmetric, by KLU [Davis & Palamadai Natarajan 2010]:
//
//   P K Q = L U                                                                       (1)
//
//   Q: columns in a given order of little fill, from the pattern alone
//   P: the same order (pivots on the diagonal) when this gives no small pivot, else rows by threshold
//      pivoting, from the values, by a threshold as large as a bound of the growth asks for
//
// With pivots on the diagonal the structure of the factors follows from the pattern: it is kept while the
// pattern stays, and a new factorisation costs a fourth. Either way a factorisation does not depend on
// earlier ones, to the last bit: pivots of an earlier matrix are never taken over.
// Cost: linear in the fill for chains, trees and stars. Allocates the factors.
#pragma once
#include <limits>
#include <memory>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  // The pattern of K by compressed columns: rows of column j ascend in row_of[starts[j] … starts[j+1]).
  // `order` is the k-th unknown to eliminate.
  bool analyze(std::vector<int> starts, std::vector<int> row_of, std::vector<int> order);
  // sought: those on the diagonal are known to be bad, and are not tried first.
  enum class Pivots { diagonal, any, sought };
  // Values in the order of the pattern. False when K is singular to the last bit, or when a pivot on the diagonal is
  // small and no others are allowed. Entries of U larger than those of their columns of K cost digits that no refinement brings
  // back where K is nearly singular: up to `largest_growth` times, if pivots can be had for it.
  bool factorize(std::vector<double>& values, Pivots allowed = Pivots::any,
                 double largest_growth = std::numeric_limits<double>::infinity());
  int size() const;
  // U_kk of the column of K that is eliminated k-th, and which one that is.
  double pivot(int k) const;
  int pivot_column(int k) const;
  // x ← K⁻¹ x  and  x ← K⁻ᵀ x
  void solve_in_place(Vector& x) const;
  void solve_in_place(Matrix& X) const;  // every column as if alone, to the last bit
  void solve_transposed_in_place(Vector& x) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// An order of elimination with little fill (AMD) for a symmetric pattern by compressed columns.
std::vector<int> order_with_little_fill(const std::vector<int>& starts, const std::vector<int>& row_of);
// Whether dense factors of an n × n matrix with so many entries are faster than sparse ones.
bool dense_factors_win(int n, double entries);

}  // namespace delassus
