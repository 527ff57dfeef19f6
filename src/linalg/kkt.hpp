// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The saddle-point system of velocities and joints, factorised once and solved for many right sides:
//
//   A v − D λ = p                                                                     (1)
//   R v + C λ = g                                                                     (2)
//
//   A (nv×nv) positive definite, not necessarily symmetric [kg] · R (nj×nv) joint rows Gᵀ
//   · D (nv×nj) impulse directions, usually D = Rᵀ = G · C (nj) diagonal compliance ≥ 0
//   · λ (nj) joint impulses [N·s]
//
// Small systems by the Schur complement  S = R A⁻¹ D + C:  S λ = g − R A⁻¹ p,  v = A⁻¹ (p + D λ), then one
// step of iterative refinement, so that the joint rows hold to round-off. S is scaled to unit diagonal; when
// it is rank deficient (redundant joints) the minimum-norm λ of the scaled system is taken and the dependent
// rows are listed. Large ones as a whole, with the same outcome (linalg/sparse_kkt.hpp). Mechanisms of rigid bodies that are no
// smaller than two of them, whose rows are independent, body by body (linalg/block_kkt.hpp). Symmetric ones by iteration where that is asked
// for (linalg/minres.hpp).
//
// Cost: dense for a few bodies, or up to k_dense_velocities and k_dense_joints unknowns where many right sides (those of
// contacts) follow; otherwise sparse, linear in the number of bodies for chains, trees and stars, with the pattern
// analysed once and reused while it stays the same. Exception to the no-allocation rule: the first factorisation of a
// pattern, sparse ones with small pivots, and the rank-revealing fallback allocate.
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <vector>

#include "delassus/linalg/block_kkt.hpp"
#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/kkt_method.hpp"
#include "delassus/linalg/minres.hpp"
#include "delassus/linalg/sparse_kkt.hpp"

namespace delassus {

// A⁻¹ for a positive definite A that may be non-symmetric.
class StepMatrixFactor {
 public:
  // False when A is singular or not finite, or symmetric but not positive definite.
  bool compute(const BlockMatrix& A, bool symmetric);
  // Of a symmetric A. Nothing can be solved after it.
  bool check_positive_definite(const BlockMatrix& A);
  // The same for ½ (A + Aᵀ), which is formed in `scratch` where that is needed.
  bool check_symmetric_part(const BlockMatrix& A, BlockMatrix& scratch);
  void solve(const VectorRef& p, Vector& x) const;
  void solve(const MatrixRef& P, Matrix& X) const;

 private:
  bool check_block(const BlockMatrix::ConstBlock& block, double smallest);
  enum class Kind { dense_symmetric, dense_general, sparse_symmetric, sparse_general };
  Kind kind_ = Kind::dense_symmetric;
  Matrix dense_;
  Eigen::LLT<Matrix> llt_;
  Eigen::PartialPivLU<Matrix> lu_;
  BlockKkt blocks_;
  SparseMatrix sparse_, analyzed_pattern_;
  bool analyzed_symmetric_ = false;
  Eigen::SimplicialLDLT<SparseMatrix> sparse_ldlt_;
  Eigen::SparseLU<SparseMatrix> sparse_lu_;
};

class KktFactor {
 public:
  // How systems are solved from now on. `minres` factorises nothing: it takes symmetric systems with D = Rᵀ only, does not look whether
  // A is positive definite beyond its blocks, and knows no redundant rows.
  void use(LinearSolver solver) { solver_ = solver; }
  // Of minres, since the last compute().
  int iterations() const { return solver_ == LinearSolver::minres ? minres_.iterations() : 0; }
  // Why compute() or the last solve() of minres could not, in words; empty: they could.
  const char* trouble() const { return trouble_; }
  // `directions` is Dᵀ in the layout of the rows; null when D = Rᵀ. `right_sides`: how many will be solved for, about.
  // False when A is not positive definite.
  bool compute(const BlockMatrix& A, bool symmetric, const BlockRows& rows, const BlockRows* directions,
               const VectorRef& C, int right_sides = 1);
  // Solves (1)-(2). The referenced problem data must still be alive.
  void solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const;
  // The accuracy is that of large systems; small ones take their one step of refinement in any case.
  void solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda, KktAccuracy accuracy) const;
  // X = the velocities that unit impulses along the columns of P cause, joints held: (1)-(2) with p = P(:,j),
  // g = 0; two passes over the joint rows, so that they hold at large mass ratios too.
  void solve_homogeneous(const MatrixRef& P, Matrix& X) const;
  // Number of joint rows that depend on others, and which ones (the last of each dependent set).
  int num_redundant() const;
  const std::vector<int>& redundant_rows() const;

 private:
  void solve_schur(const VectorRef& rhs, Vector& x) const;
  void solve_blocks(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda,
                    KktAccuracy accuracy) const;
  bool factorize_schur(bool symmetric);
  void find_row_scales();

  LinearSolver solver_ = LinearSolver::direct;
  Minres minres_;
  mutable const char* trouble_ = "";
  const BlockMatrix* A_ = nullptr;
  const BlockRows* rows_ = nullptr;
  const BlockRows* directions_ = nullptr;
  Vector C_;
  StepMatrixFactor A_factor_;
  Matrix D_dense_, AinvD_;  // nv × nj
  Matrix S_;                // scaled Schur complement, nj × nj
  Vector row_scale_;
  enum class SchurKind { none, symmetric, general, deficient, saddle_point, iterated, blocks };
  SchurKind schur_kind_ = SchurKind::none;
  Eigen::LDLT<Matrix> ldlt_;
  Eigen::PartialPivLU<Matrix> lu_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod_;
  BlockKkt blocks_;
  mutable SparseKkt saddle_point_;
  std::vector<int> redundant_rows_;
  mutable Vector residual_p_, residual_g_, scaled_, dv_, dlambda_;
  mutable Matrix RX_, Lambda_;
};

}  // namespace delassus
