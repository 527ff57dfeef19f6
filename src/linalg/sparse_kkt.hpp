// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The saddle-point system of a large mechanism, factorised as a whole:
//
//   A v − D λ = p                                                                     (1)
//   R v + C λ = g                                                                     (2)
//
// Symbols as in linalg/kkt.hpp. The Schur complement R A⁻¹ D of a hub with N joints is full; the matrix K of
// (1)-(2) is not, and an elimination that leaves the hub to the end is linear in N for chains, trees and
// stars alike (linalg/sparse_lu.hpp).
//
// Scaled unknowns v̂ = v / d and λ̂ = λ / s with d_i ≈ 1/√A_ii and s_i ≈ 1/√w_i, w_i = R_i diag(A)⁻¹ R_iᵀ +
// C_i, rounded to powers of two: K̂ has entries of order one whatever the masses and units, and differs from K
// by no rounding. Where K̂ has large pivots throughout it is factorised as it is. Otherwise
//
//   K_ε = K̂ + ε E,   E = diag(0, ŵ),   ŵ_i = s_i² w_i = O(1)                          (3)
//
// which is regular also with dependent rows. Round-off, and ε, are taken out by iterative refinement against K̂,
//
//   x ← x + K_ε⁻¹ (b − K̂ x),   error × ε / (ε + σ) a sweep                            (4)
//
// where σ is an eigenvalue of the scaled Schur complement.
//
// Dependent rows. For null vectors X, Y (K̂ X = 0, Yᵀ K̂ = 0) one has ε K_ε⁻¹ ≈ X (Yᵀ E X)⁻¹ Yᵀ, so that
//
//   Π = ε K_ε⁻¹ E,   Π* = ε E K_ε⁻¹                                                   (5)
//
// are projectors up to ε/σ: Π onto the null vectors, Π* onto what of a right side contradicts. b − Π* b can
// be solved, and x − Π x is the solution of it with least Σ w_i λ_i² (D = Rᵀ; otherwise λ ⟂_w the left null
// vectors). A contradictory g is thus met in the least-squares sense and λ stays bounded. Every dependent set
// leaves one pivot of the size of ε, which is how they are counted.
//
// Cost: one sparse LU, 2-3 solves a right side (corrections: one); with dependent rows a second LU, and about 12 solves. The pattern is analysed when
// the blocks have changed; results do not depend on earlier systems. Allocates the factors.
#pragma once
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/sparse_lu.hpp"

namespace delassus {

// How far a solution is refined: until its residual is round-off, or only as far as a correction of an iteration needs
// that finds its own residual anew.
enum class KktAccuracy { round_off, correction };

class SparseKkt {
 public:
  // `directions` is Dᵀ in the layout of the rows, the rows themselves when D = Rᵀ. False when K is not finite,
  // a diagonal entry of A is not positive, or K_ε is singular.
  bool compute(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions, const VectorRef& C);
  // Where rows depend on each other always to round-off.
  void solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda,
             KktAccuracy accuracy = KktAccuracy::round_off) const;
  // The velocities of solve() with p = the columns of P and g = 0, the same bits, several columns at a time.
  void solve_homogeneous(const MatrixRef& P, Matrix& V) const;
  // Rows that depend on others, and which ones (the last of each dependent set), found at the first call.
  int num_redundant() const { return static_cast<int>(null_columns_.size()); }
  const std::vector<int>& redundant_rows() const;

 private:
  struct Refinement {
    int sweeps;
    double error;  // residual relative to Σ |terms| of its row, the largest
  };

  void analyze(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions);
  void fill(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions, const VectorRef& C);
  bool scale();
  bool factorize(double epsilon, SparseLu::Pivots allowed = SparseLu::Pivots::any) const;
  bool find_null_columns();
  bool is_null_combination(int column);
  double update_residual() const;
  bool is_good_correction() const;
  Refinement refine() const;
  // Columns that solve_homogeneous() takes at once: as many as KLU does.
  static constexpr int k_columns = 4;
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, k_columns, Eigen::RowMajor>;
  using ColumnErrors = Eigen::Array<double, 1, k_columns>;
  ColumnErrors update_residuals() const;
  ColumnErrors refine_columns() const;
  void project_right_side() const;
  void take_least_norm() const;
  void solve_deficient() const;

  int nv_ = 0, nj_ = 0;
  // The blocks that the pattern was made of: sizes and positions.
  std::vector<int> layout_, last_layout_;
  // K̂ by compressed columns. A column of a block lies in consecutive places: only the first is kept, in the
  // order of the blocks of A, of R by columns, of D by rows.
  std::vector<int> starts_, row_of_, places_, diagonal_;
  mutable std::vector<double> values_;  // but for the moment in which K_ε is factorised
  Vector d_, s_;                        // scales, powers of two
  Vector scales_;                       // both
  Vector w_;                            // ŵ
  bool separate_ = false;               // D is not Rᵀ
  bool regularized_ = false;            // the factors are those of K_ε, not of K̂
  mutable SparseLu lu_;
  std::vector<int> null_columns_;  // columns of K with a pivot of the size of ε
  mutable bool listed_ = false;
  mutable std::vector<int> redundant_rows_;
  mutable Vector b_, x_, residual_, magnitude_, correction_, candidate_, joint_diagonal_;
  mutable Columns columns_b_, columns_x_, columns_residual_, columns_magnitude_, columns_candidate_;
  mutable Matrix columns_;  // in the order that KLU wants
  mutable Vector zero_, v_, lambda_;
};

}  // namespace delassus
