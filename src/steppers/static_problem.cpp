// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/static_problem.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace delassus {
namespace {

// Joint rows whose pivot falls below this share of the largest one depend on the others.
constexpr double k_static_rank_tolerance = 1e-10;

}  // namespace

bool update_static_problem(const System& system, double t, const VectorRef& q, StaticProblem& out) {
  const int nv = system.nv();
  const Vector v = Vector::Zero(nv);
  BlockMatrix blocks;
  Matrix M;
  system.mass(t, q, blocks);
  blocks.to_dense(M);
  system.forces(t, q, v, out.k);
  system.bilateral(t, q, out.bilateral);
  if (!M.allFinite() || !out.k.allFinite() || !out.bilateral.violation.allFinite()) return false;
  const Eigen::LLT<Matrix> cholesky(M);
  if (cholesky.info() != Eigen::Success) return false;

  // With M = L Lᵀ the motions are orthogonal where they are in kinetic energy: Z = L⁻ᵀ Z̄, Z̄ ⟂ L⁻¹ G.
  Matrix G;
  out.bilateral.rows.to_dense_transposed(G);
  const Vector scaled_k = cholesky.matrixL().solve(out.k);
  int rank = 0;
  Matrix Q = Matrix::Identity(nv, nv);
  out.lambda.setZero(G.cols());
  if (G.cols() > 0) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
    decomposition.setThreshold(k_static_rank_tolerance);
    decomposition.compute(cholesky.matrixL().solve(G));
    rank = static_cast<int>(decomposition.rank());
    Q = decomposition.householderQ();
    out.lambda = -decomposition.solve(scaled_k);
  }
  // Eigen solves for no columns through a null pointer.
  out.Z.resize(nv, nv - rank);
  if (rank < nv) out.Z = cholesky.matrixU().solve(Q.rightCols(nv - rank));
  out.f.noalias() = out.Z.transpose() * out.k;
  out.force = scaled_k.norm();
  out.residual = nv > 0 ? (out.k + G * out.lambda).cwiseAbs().maxCoeff() : 0.0;

  ForceJacobians J;
  system.force_jacobians(t, q, v, J);
  BlockMatrix K, C;
  K.clear(nv);
  C.clear(nv);
  K.add(J.k_q, -1.0);
  K.add(J.k_q_remainder, -1.0);
  system.add_bilateral_stiffness(t, q, out.lambda, -1.0, K);
  for (int i = 0; i < J.spring_rows.num_groups(); ++i)
    add_rank_one(J.spring_rows, i, J.spring_stiffness[i], K);
  C.add(J.gyroscopic, -1.0);
  C.add(J.k_v, -1.0);
  for (int i = 0; i < J.damper_rows.num_groups(); ++i) add_rank_one(J.damper_rows, i, J.damper_damping[i], C);
  Matrix dense;
  K.to_dense(dense);
  out.K.noalias() = out.Z.transpose() * dense * out.Z;
  C.to_dense(dense);
  out.C.noalias() = out.Z.transpose() * dense * out.Z;
  return out.K.allFinite() && out.C.allFinite() && out.lambda.allFinite();
}

}  // namespace delassus
