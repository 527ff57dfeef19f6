// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/kkt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// Up to these sizes dense factorisations win and allocate nothing after the first call.
constexpr int k_dense_velocities = 96;
constexpr int k_dense_joints = 96;
// So many velocities and joints together when few right sides follow, for which the matrices of the dense way do not
// pay: about four bodies with revolute joints. It takes blocks that leave half of the matrix empty.
constexpr int k_dense_unknowns = 44;
constexpr int k_few_right_sides = 3;
constexpr double k_sparse_share = 0.5;
// Unknowns from which on a factorisation by blocks wins: two bodies and a joint.
constexpr int k_block_unknowns = 13;
// A joint row counts as dependent when its pivot in the unit-diagonal Schur complement falls below this: far
// above round-off (1e-16 times a condition that well-posed joints keep below 1e4), far below any independent
// row.
constexpr double k_rank_tolerance = 1e-11;
// A pivot of A below this times the size, relative to the diagonal entries of its row and column, is the
// round-off of a zero.
constexpr double k_pivot_tolerance = std::numeric_limits<double>::epsilon();

// Whether the saddle point is worth a sparse factorisation although it is small. Blocks of A overlap, and entries that
// several of them share count once.
bool mostly_empty(const BlockMatrix& A, const BlockRows& rows) {
  double joint_entries = 0, block_entries = 0;
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b)
      joint_entries += 2.0 * static_cast<double>(rows.block(g, b).size());
  for (int b = 0; b < A.num_blocks(); ++b) block_entries += static_cast<double>(A.block(b).size());
  const double n = A.size() + rows.rows(), allowed = k_sparse_share * n * n - joint_entries;
  // Then no overlap changes the answer.
  if (block_entries < allowed) return true;
  const auto nv = static_cast<std::size_t>(A.size());
  thread_local std::vector<char> taken;
  taken.assign(nv * nv, 0);
  for (int b = 0; b < A.num_blocks(); ++b) {
    const auto block = A.block(b);
    for (int j = 0; j < static_cast<int>(block.cols()); ++j)
      std::fill_n(
          taken.begin() + static_cast<std::ptrdiff_t>(A.block_column(b) + j) * A.size() + A.block_row(b),
          block.rows(), char{1});
  }
  return static_cast<double>(std::count(taken.begin(), taken.end(), char{1})) < allowed;
}

bool same_pattern(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

// Rows of S that depend on earlier ones: elimination in the order of the rows, those without a pivot are left
// out.
void find_dependent_rows(Matrix S, std::vector<int>& rows) {
  rows.clear();
  for (Eigen::Index k = 0; k < S.rows(); ++k) {
    const Eigen::Index rest = S.rows() - k - 1;
    if (std::abs(S(k, k)) > k_rank_tolerance)
      S.bottomRightCorner(rest, rest) -= S.col(k).tail(rest) * (S.row(k).tail(rest) / S(k, k));
    else
      rows.push_back(static_cast<int>(k));
  }
}

}  // namespace

bool StepMatrixFactor::compute(const BlockMatrix& A, bool symmetric) {
  const double smallest = k_pivot_tolerance * A.size();
  if (A.size() <= k_dense_velocities) {
    A.to_dense(dense_);
    if (!dense_.allFinite() || !(dense_.diagonal().array() > 0).all()) return false;
    if (symmetric) {
      kind_ = Kind::dense_symmetric;
      llt_.compute(dense_);
      return llt_.info() == Eigen::Success &&
             (llt_.matrixLLT().diagonal().array().square() > smallest * dense_.diagonal().array()).all();
    }
    kind_ = Kind::dense_general;
    lu_.compute(dense_);
    // Row i of A has become row order[i] of the factors.
    const auto& order = lu_.permutationP().indices();
    for (Eigen::Index i = 0; i < dense_.rows(); ++i) {
      const Eigen::Index k = order[i];
      const double scale = std::sqrt(dense_(i, i)) * std::sqrt(dense_(k, k));
      if (!(std::abs(lu_.matrixLU()(k, k)) > smallest * scale)) return false;
    }
    return true;
  }
  sparse_ = A.to_sparse();
  const Vector diagonal = sparse_.diagonal();
  if (!sparse_.coeffs().allFinite() || !(diagonal.array() > 0).all()) return false;
  const bool analyzed = analyzed_symmetric_ == symmetric && same_pattern(sparse_, analyzed_pattern_);
  if (!analyzed) {
    analyzed_pattern_ = sparse_;
    analyzed_symmetric_ = symmetric;
  }
  if (symmetric) {
    kind_ = Kind::sparse_symmetric;
    if (!analyzed) sparse_ldlt_.analyzePattern(sparse_);
    sparse_ldlt_.factorize(sparse_);
    if (sparse_ldlt_.info() != Eigen::Success) return false;
    const Vector permuted = sparse_ldlt_.permutationP() * diagonal;
    return (sparse_ldlt_.vectorD().array() > smallest * permuted.array()).all();
  }
  kind_ = Kind::sparse_general;
  if (!analyzed) sparse_lu_.analyzePattern(sparse_);
  sparse_lu_.factorize(sparse_);
  return sparse_lu_.info() == Eigen::Success;
}

bool StepMatrixFactor::check_positive_definite(const BlockMatrix& A) {
  const double smallest = k_pivot_tolerance * A.size();
  int end = 0;
  for (int b = 0; b < A.num_blocks(); ++b) {
    const BlockMatrix::ConstBlock block = A.block(b);
    if (A.block_row(b) != A.block_column(b) || A.block_row(b) < end || block.rows() != block.cols()) {
      bool usable = false;
      const bool definite = blocks_.find_definite(A, smallest, usable);
      return usable ? definite : compute(A, true);
    }
    end = A.block_row(b) + static_cast<int>(block.rows());
  }
  // Blocks on the diagonal, each for itself: a mass matrix.
  int covered = 0;
  for (int b = 0; b < A.num_blocks(); ++b) {
    const BlockMatrix::ConstBlock block = A.block(b);
    covered += static_cast<int>(block.rows());
    if (!check_block(block, smallest)) return false;
  }
  return covered == A.size();
}

bool StepMatrixFactor::check_symmetric_part(const BlockMatrix& A, BlockMatrix& scratch) {
  bool usable = false;
  const bool definite = blocks_.find_definite(A, k_pivot_tolerance * A.size(), usable);
  if (usable) return definite;
  A.symmetric_part(scratch);
  return check_positive_definite(scratch);
}

bool StepMatrixFactor::check_block(const BlockMatrix::ConstBlock& block, double smallest) {
  if (!block.allFinite() || !(block.diagonal().array() > 0).all()) return false;
  if (block.rows() == 3) {
    // L Lᵀ with L_jj² in its place: nothing but the pivots is asked for.
    const double a = block(0, 0), l1 = block(1, 0) / a, l2 = block(2, 0) / a;
    const double b = block(1, 1) - l1 * block(1, 0), c = block(2, 1) - l1 * block(2, 0);
    if (!(b > smallest * block(1, 1))) return false;
    return block(2, 2) - l2 * block(2, 0) - c * c / b > smallest * block(2, 2);
  }
  llt_.compute(block);
  return llt_.info() == Eigen::Success &&
         (llt_.matrixLLT().diagonal().array().square() > smallest * block.diagonal().array()).all();
}

void StepMatrixFactor::solve(const VectorRef& p, Vector& x) const {
  switch (kind_) {
    case Kind::dense_symmetric:
      x = p;
      llt_.solveInPlace(x);
      break;
    case Kind::dense_general:
      x.noalias() = lu_.solve(p);
      break;
    case Kind::sparse_symmetric:
      x = sparse_ldlt_.solve(p);
      break;
    case Kind::sparse_general:
      x = sparse_lu_.solve(p);
      break;
  }
}

void StepMatrixFactor::solve(const MatrixRef& P, Matrix& X) const {
  switch (kind_) {
    case Kind::dense_symmetric:
      X = P;
      llt_.solveInPlace(X);
      break;
    case Kind::dense_general:
      X.noalias() = lu_.solve(P);
      break;
    case Kind::sparse_symmetric:
      X = sparse_ldlt_.solve(P);
      break;
    case Kind::sparse_general:
      X = sparse_lu_.solve(P);
      break;
  }
}

bool KktFactor::compute(const BlockMatrix& A, bool symmetric, const BlockRows& rows,
                        const BlockRows* directions, const VectorRef& C, int right_sides) {
  A_ = &A;
  rows_ = &rows;
  directions_ = directions != nullptr ? directions : &rows;
  C_ = C;
  assert(C_.size() == rows.rows() && directions_->rows() == rows.rows());
  redundant_rows_.clear();
  schur_kind_ = SchurKind::none;
  trouble_ = "";
  if (solver_ == LinearSolver::minres) {
    schur_kind_ = SchurKind::iterated;
    if (!symmetric || directions_ != rows_) {
      trouble_ =
          "the linear system of the step is not symmetric, and MINRES takes symmetric ones only "
          "(linear_solver: direct)";
      return false;
    }
    return minres_.compute(A, rows, C_);
  }
  if (A.size() + rows.rows() >= k_block_unknowns && blocks_.compute(A, rows, *directions_, C_)) {
    schur_kind_ = SchurKind::blocks;
    if (!symmetric) return true;
    return rows.rows() > 0 ? A_factor_.check_positive_definite(A) : blocks_.has_positive_pivots();
  }
  const bool sparse = A.size() > k_dense_velocities || rows.rows() > k_dense_joints ||
                      (right_sides <= k_few_right_sides && A.size() + rows.rows() > k_dense_unknowns &&
                       mostly_empty(A, rows));
  if (sparse && rows.rows() > 0) {
    schur_kind_ = SchurKind::saddle_point;
    // (1)-(2) as a whole do not show whether A is positive definite.
    return (!symmetric || A_factor_.check_positive_definite(A)) &&
           saddle_point_.compute(A, rows, *directions_, C);
  }
  if (!A_factor_.compute(A, symmetric)) return false;
  if (rows.rows() == 0) return true;
  return factorize_schur(symmetric && directions_ == rows_);
}

// Unit diagonal. What has none, as rows with directions of their own may, is scaled by what couples it to the others, so that
// units do not matter.
void KktFactor::find_row_scales() {
  const Eigen::Index nj = S_.rows();
  row_scale_.setZero(nj);
  for (Eigen::Index i = 0; i < nj; ++i)
    if (S_(i, i) > 0) row_scale_[i] = 1.0 / std::sqrt(S_(i, i));
  for (Eigen::Index i = 0; i < nj; ++i) {
    if (S_(i, i) > 0) continue;
    double size = std::sqrt(std::abs(S_(i, i)));
    for (Eigen::Index j = 0; j < nj; ++j)
      if (S_(j, j) > 0)
        size = std::max(size, std::max(std::abs(S_(i, j)), std::abs(S_(j, i))) * row_scale_[j]);
    row_scale_[i] = size > 0 ? 1.0 / size : 1.0;
  }
}

bool KktFactor::factorize_schur(bool symmetric) {
  const int nj = rows_->rows();
  directions_->to_dense_transposed(D_dense_);
  A_factor_.solve(D_dense_, AinvD_);
  rows_->multiply(MatrixRef(AinvD_), S_);
  S_.diagonal() += C_;
  find_row_scales();
  S_.array().colwise() *= row_scale_.array();
  S_.array().rowwise() *= row_scale_.array().transpose();
  if (!S_.allFinite()) return false;
  if (symmetric) {
    ldlt_.compute(S_);
    if (ldlt_.info() == Eigen::Success && ldlt_.vectorD().minCoeff() > k_rank_tolerance) {
      schur_kind_ = SchurKind::symmetric;
      return true;
    }
  } else {
    lu_.compute(S_);
    if (lu_.matrixLU().diagonal().array().abs().minCoeff() > k_rank_tolerance) {
      schur_kind_ = SchurKind::general;
      return true;
    }
  }
  schur_kind_ = SchurKind::deficient;
  cod_.setThreshold(k_rank_tolerance);
  cod_.compute(S_);
  find_dependent_rows(S_, redundant_rows_);
  if (static_cast<Eigen::Index>(redundant_rows_.size()) != nj - cod_.rank()) {
    // Only with separate directions: no pivot on the diagonal. The pivoting order of the decomposition puts
    // independent columns first.
    const auto& order = cod_.colsPermutation().indices();
    redundant_rows_.assign(order.data() + cod_.rank(), order.data() + nj);
    std::sort(redundant_rows_.begin(), redundant_rows_.end());
  }
  return true;
}

int KktFactor::num_redundant() const {
  return schur_kind_ == SchurKind::saddle_point ? saddle_point_.num_redundant()
                                                : static_cast<int>(redundant_rows_.size());
}

const std::vector<int>& KktFactor::redundant_rows() const {
  return schur_kind_ == SchurKind::saddle_point ? saddle_point_.redundant_rows() : redundant_rows_;
}

void KktFactor::solve_schur(const VectorRef& rhs, Vector& x) const {
  scaled_ = rhs.cwiseProduct(row_scale_);
  switch (schur_kind_) {
    case SchurKind::none:
    case SchurKind::iterated:
    case SchurKind::blocks:
    case SchurKind::saddle_point:
      assert(false);
      break;
    case SchurKind::symmetric:
      x = scaled_;
      ldlt_.solveInPlace(x);
      break;
    case SchurKind::general:
      x.noalias() = lu_.solve(scaled_);
      break;
    case SchurKind::deficient:
      x = cod_.solve(scaled_);
      break;
  }
  x.array() *= row_scale_.array();
}

void KktFactor::solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const {
  solve(p, g, v, lambda, KktAccuracy::round_off);
}

void KktFactor::solve_blocks(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda,
                             KktAccuracy accuracy) const {
  if (blocks_.solve(p, g, v, lambda, accuracy)) return;
  // Dependent rows, although every pivot was large.
  if (saddle_point_.compute(*A_, *rows_, *directions_, C_))
    saddle_point_.solve(p, g, v, lambda, accuracy);
  else
    v.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void KktFactor::solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda,
                      KktAccuracy accuracy) const {
  if (schur_kind_ == SchurKind::blocks) return solve_blocks(p, g, v, lambda, accuracy);
  if (schur_kind_ == SchurKind::saddle_point) {
    saddle_point_.solve(p, g, v, lambda, accuracy);
    return;
  }
  if (schur_kind_ == SchurKind::iterated) {
    if (minres_.solve(p, g, v, lambda)) return;
    trouble_ =
        "MINRES does not converge, as with masses that differ much along joints (linear_solver: direct)";
    v.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  A_factor_.solve(p, v);
  lambda.setZero(rows_->rows());
  if (rows_->rows() > 0) {
    rows_->multiply(v, residual_g_);
    residual_g_ = g - residual_g_;
    solve_schur(residual_g_, lambda);
    v.noalias() += AinvD_ * lambda;
  }
  // One step of refinement: residuals of (1) and (2), then the same elimination.
  residual_p_ = p;
  A_->add_product(v, residual_p_, -1.0);
  directions_->add_transposed_product(lambda, residual_p_);
  A_factor_.solve(residual_p_, dv_);
  v += dv_;
  if (rows_->rows() > 0) {
    rows_->multiply(v, residual_g_);
    residual_g_ = g - residual_g_ - C_.cwiseProduct(lambda);
    solve_schur(residual_g_, dlambda_);
    lambda += dlambda_;
    v.noalias() += AinvD_ * dlambda_;
  }
}

void KktFactor::solve_homogeneous(const MatrixRef& P, Matrix& X) const {
  if (schur_kind_ == SchurKind::saddle_point) {
    saddle_point_.solve_homogeneous(P, X);
    return;
  }
  if (schur_kind_ == SchurKind::iterated || schur_kind_ == SchurKind::blocks) {
    X.resize(P.rows(), P.cols());
    residual_g_.setZero(rows_->rows());
    for (Eigen::Index j = 0; j < P.cols(); ++j) {
      residual_p_ = P.col(j);
      solve(residual_p_, residual_g_, dv_, dlambda_);
      X.col(j) = dv_;
    }
    return;
  }
  A_factor_.solve(P, X);
  if (rows_->rows() == 0) return;
  Lambda_.setZero(rows_->rows(), X.cols());
  // The second pass takes away what the round-off of S⁻¹ leaves of the joint rows, as the refinement of
  // solve().
  for (int pass = 0; pass < 2; ++pass) {
    rows_->multiply(MatrixRef(X), RX_);
    for (Eigen::Index j = 0; j < RX_.cols(); ++j) {
      residual_g_ = -RX_.col(j) - C_.cwiseProduct(Lambda_.col(j));
      solve_schur(residual_g_, dlambda_);
      RX_.col(j) = dlambda_;
    }
    Lambda_ += RX_;
    X.noalias() += AinvD_ * RX_;
  }
}

}  // namespace delassus
