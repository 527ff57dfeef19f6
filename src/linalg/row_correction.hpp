// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest correction that changes rows by a little:
//
//   min ½ δᵀ M δ   with   R δ = b                                                                      (1)
//
// by conjugate gradients on (R M⁻¹ Rᵀ) λ = b, δ = M⁻¹ Rᵀ λ, with the diagonal as preconditioner. For M that falls into small
// blocks on its diagonal, and for corrections of the size of round-off, of which a few digits are enough: no factorisation of
// the rows, and rows that depend on each other do no harm as long as b does not contradict them.
//
//   R (n×nv) rows · b (n) · M (nv×nv) [kg]
//   Cost: two passes over R an iteration; allocates nothing once its vectors have their sizes.
#pragma once
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"

namespace delassus {

class RowCorrection {
 public:
  // False: M does not fall into blocks on its diagonal, or |b − R δ| does not come below `tolerance`.
  bool solve(const BlockMatrix& M, const BlockRows& R, const VectorRef& b, double tolerance, Vector& delta,
             Vector& lambda);

 private:
  bool invert(const BlockMatrix& M);
  void apply_inverse(Vector& x) const;  // x ← M⁻¹ x
  void update_diagonal(const BlockRows& R);

  struct Block {
    int first = 0, size = 0;
    std::size_t values = 0;  // where its inverse begins, by columns
  };
  std::vector<Block> blocks_;
  std::vector<int> block_of_;  // of a velocity
  std::vector<double> inverse_;
  Vector diagonal_, residual_, preconditioned_, direction_, image_, w_;
};

}  // namespace delassus
