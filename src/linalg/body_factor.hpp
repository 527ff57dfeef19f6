// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What rows with weights make of a mass matrix, factorised body by body:
//
//   S = M + Dᵀ Σ R   with M in blocks on the diagonal and Σ diagonal                                     (1)
//
// R, D (n×nv): groups of rows over the same velocities, D = R where S is symmetric. However many rows there are, (1) has as many
// unknowns as the bodies have velocities, and the pattern of the bodies that touch.
//
// Velocities that blocks of M or of R take together are one cell, and cells are the blocks of a sparse factorisation
// (linalg/block_lu.hpp). Velocities without rows have no part in it. Unknowns are scaled to 1/√M_jj.
//   Cost: that of BlockLu; order and pattern are made anew when other bodies touch, and nothing is allocated else.
#pragma once
#include <utility>
#include <vector>

#include "delassus/linalg/block_lu.hpp"
#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"

namespace delassus {

class BodyFactor {
 public:
  // False: a cell would be larger than a rigid body, or M has no masses on its diagonal.
  bool analyze(const BlockMatrix& M, const BlockRows& R);
  // Of each row, 1 / Σ_j R_ij²/M_jj; nothing for a row that is zero.
  const Vector& row_masses() const { return row_masses_; }
  // M, R and D as analysed. False: singular.
  bool factorize(const BlockMatrix& M, const BlockRows& R, const BlockRows& D, const Vector& weights,
                 bool symmetric);
  // x = S⁻¹ p where there are rows, nothing elsewhere.
  void solve(const Vector& p, Vector& x);

 private:
  bool find_cells(const BlockMatrix& M, const BlockRows& R);
  void find_pattern(const BlockRows& R);
  void weigh_rows(const BlockRows& R);
  void scale_rows(const BlockRows& R, int g, const double* weights, std::vector<double>& rows) const;
  void add_group(const BlockRows& R, const BlockRows& D, const Vector& weights, int g, bool symmetric);

  std::vector<int> cell_of_, cell_starts_, cell_sizes_;
  std::vector<char> joined_;
  std::vector<std::pair<int, int>> couplings_;
  std::vector<int> group_cells_, last_group_cells_, last_sizes_, starts_, columns_;
  std::vector<int> entries_,
      group_entries_;  // of S_, for each pair of blocks of a group; the first of each group
  std::vector<double> weighted_, scaled_;  // the rows of a group, block by block
  Vector unit_;                            // of a velocity: 1/√M_jj
  Vector row_masses_;
  ContactMatrix S_;
  BlockLu factor_;
  Vector packed_;
};

}  // namespace delassus
