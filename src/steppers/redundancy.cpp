// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/redundancy.hpp"

#include <Eigen/QR>
#include <cmath>
#include <map>

#include "delassus/linalg/kkt.hpp"

namespace delassus {
namespace {

// Above this many rows only the rows that could be left out are told, not whom they share their load with.
constexpr int k_dense_rows = 800;
// Relative to the largest pivot, as KktFactor's on the Schur complement (its square).
constexpr double k_joint_rank_tolerance = 3e-6;
// Entries of null vectors below this are round-off.
constexpr double k_entry_tolerance = 1e-8;

// Rows with an entry in a null vector of G: from G P = Q [R₁₁ R₁₂; 0 0] they are the columns of P [−R₁₁⁻¹R₁₂; I].
void mark_ambiguous(const BlockRows& rows, std::vector<char>& ambiguous) {
  Matrix G;
  rows.to_dense_transposed(G);
  for (Eigen::Index j = 0; j < G.cols(); ++j)
    if (const double size = G.col(j).norm(); size > 0) G.col(j) /= size;
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(k_joint_rank_tolerance);
  qr.compute(G);
  const Eigen::Index rank = qr.rank(), rest = G.cols() - rank;
  if (rest == 0) return;
  const Matrix R = qr.matrixR().topRows(rank);
  const Matrix X = R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(rest));
  const auto& order = qr.colsPermutation().indices();
  for (Eigen::Index i = 0; i < rank; ++i)
    if (X.row(i).cwiseAbs().maxCoeff() > k_entry_tolerance) ambiguous[order[i]] = 1;
  for (Eigen::Index i = rank; i < G.cols(); ++i) ambiguous[order[i]] = 1;
}

}  // namespace

std::vector<std::string> Redundancy::not_unique() const {
  std::vector<std::string> out;
  for (const Joint& joint : joints)
    if (!joint.unique) out.push_back(joint.name);
  return out;
}

Redundancy find_redundancy(const System& system, const State& state) {
  BlockMatrix M;
  BilateralRows bilateral;
  system.mass(state.t, state.q, M);
  system.bilateral(state.t, state.q, bilateral);
  Redundancy out;
  out.num_rows = bilateral.rows.rows();
  KktFactor kkt;
  const Vector C = Vector::Zero(out.num_rows);
  std::vector<char> redundant(static_cast<std::size_t>(out.num_rows), 0), ambiguous = redundant;
  if (kkt.compute(M, true, bilateral.rows, nullptr, C)) {
    out.num_redundant = kkt.num_redundant();
    if (out.num_redundant > 0)
      for (int row : kkt.redundant_rows()) redundant[row] = ambiguous[row] = 1;
  }
  if (out.num_redundant > 0 && out.num_rows <= k_dense_rows) mark_ambiguous(bilateral.rows, ambiguous);
  std::map<std::string, std::size_t> index;
  for (int row = 0; row < out.num_rows; ++row) {
    const std::string name = system.joint_name(row);
    // A joint with rows on positions and on velocities (a rolling disk) has them apart.
    const auto [at, fresh] = index.emplace(name, out.joints.size());
    if (fresh) out.joints.push_back({.name = name});
    Redundancy::Joint& joint = out.joints[at->second];
    joint.rows += 1;
    joint.redundant += redundant[row];
    if (ambiguous[row] != 0) joint.unique = false;
  }
  return out;
}

}  // namespace delassus
