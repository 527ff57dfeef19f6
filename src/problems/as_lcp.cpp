// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/as_lcp.hpp"

#include <stdexcept>
#include <vector>

namespace delassus {
namespace {

// Column b of the map from (c_n, β) to the contact triple: the unit normal for b = 0, generator b − 1
// otherwise.
Eigen::Vector3d basis_column(const Cone& cone, int b) {
  if (b == 0) return {1, 0, 0};
  const Eigen::Vector2d d = cone_direction(cone, b - 1);
  return {0, d.x(), d.y()};
}

int num_impulses(const Cone& cone) {
  return cone.kind == ConeKind::polyhedral ? 1 + cone.num_directions : 1;
}

}  // namespace

void local_as_lcp(const LocalProblem& problem, Lcp& lcp) {
  int n = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::nonnegative && cone.kind != ConeKind::polyhedral && cone.kind != ConeKind::box)
      throw std::invalid_argument(
          "an LCP takes nonnegative and polyhedral cones and boxes; this problem has another one");
    n += lcp_size(cone);
  }
  lcp.M.setZero(n, n);
  lcp.q.setZero(n);
  // Islands of other sizes come in between, and Eigen gives memory back when a size changes.
  thread_local std::vector<double> W_values;
  const Eigen::Index rows = problem.W.rows();
  W_values.resize(static_cast<std::size_t>(rows * rows));
  Eigen::Map<Matrix> W(W_values.data(), rows, rows);
  problem.W.write_dense(W);
  // Each column is used once for every row; its sine and cosine are not computed again.
  thread_local std::vector<Eigen::Vector3d> basis;
  basis.clear();
  for (const Cone& cone : problem.cones)
    for (int b = 0; b < num_impulses(cone); ++b) basis.push_back(basis_column(cone, b));
  std::size_t first_left = 0;
  int row = 0;
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const int first = problem.first_row(static_cast<int>(c));
    for (int a = 0; a < num_impulses(cone); ++a) {
      const Eigen::Vector3d left = basis[first_left + static_cast<std::size_t>(a)];
      lcp.q[row + a] = left.head(cone.dim).dot(problem.u_free.segment(first, cone.dim));
      for (std::size_t d = 0; d < problem.cones.size(); ++d)
        if (problem.cones[d].kind == ConeKind::box)
          lcp.q[row + a] -=
              problem.cones[d].bound *
              left.head(cone.dim).dot(W.col(problem.first_row(static_cast<int>(d))).segment(first, cone.dim));
      int column = 0;
      std::size_t right = 0;
      for (std::size_t d = 0; d < problem.cones.size(); ++d) {
        const Cone& other = problem.cones[d];
        const Eigen::Vector3d reach = [&] {
          Eigen::Vector3d x = Eigen::Vector3d::Zero();
          for (int k = 0; k < other.dim; ++k)
            x[k] = left.head(cone.dim).dot(
                W.col(problem.first_row(static_cast<int>(d)) + k).segment(first, cone.dim));
          return x;
        }();
        for (int b = 0; b < num_impulses(other); ++b) lcp.M(row + a, column + b) = reach.dot(basis[right++]);
        column += lcp_size(other);
      }
    }
    if (cone.kind == ConeKind::box) {
      lcp.M(row, row + 1) = 1.0;
      lcp.M(row + 1, row) = -1.0;
      lcp.q[row + 1] = 2.0 * cone.bound;
    }
    if (cone.kind == ConeKind::polyhedral) {
      const int slip = row + cone.num_directions + 1;
      for (int i = 0; i < cone.num_directions; ++i) {
        lcp.M(row + 1 + i, slip) = 1.0;
        lcp.M(slip, row + 1 + i) = -1.0;
      }
      lcp.M(slip, row) = cone.mu;
      lcp.q[slip] = cone.mu * cone.extra_normal;
    }
    row += lcp_size(cone);
    first_left += static_cast<std::size_t>(num_impulses(cone));
  }
}

void impulses_from_lcp(const LocalProblem& problem, const VectorRef& z, Vector& r) {
  r.setZero(problem.u_free.size());
  int offset = 0;
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const int first = problem.first_row(static_cast<int>(c));
    for (int b = 0; b < num_impulses(cone); ++b)
      r.segment(first, cone.dim) += z[offset + b] * basis_column(cone, b).head(cone.dim);
    if (cone.kind == ConeKind::box) r[first] -= cone.bound;
    offset += lcp_size(cone);
  }
}

}  // namespace delassus
