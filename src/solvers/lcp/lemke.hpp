// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lemke's method for the linear complementarity problem, with lexicographic pivoting.
//
//   w = M z + q + d z0,   w, z, z0 ≥ 0,   wᵀ z = 0,   d > 0                                               (1)
//
//   z0 enters first and makes w ≥ 0; then the complement of the variable that left enters, until z0 leaves (a
//   solution) or nothing blocks the entering variable (a secondary ray):
//   dw = M dz + d dz0,   dw, dz, dz0 ≥ 0,   dwᵀ dz = 0,   dz ≠ 0                                          (2)
//
//   M (n×n) · q (n) · d covering vector (n) · z, w (n) · z0 artificial variable;
//   row i carries the unit of w_i
//
//   Source: [CPS92, ch. 4]; contact problems of [AP97] (positive definite A, any μ, homogeneous rows) always
//   end with a solution, whatever d > 0 is.
//
//   Differs: revised form instead of a tableau (lemke_basis.hpp); rows and columns scaled by powers of two
//   first, which changes no digit and is the same as another choice of d; ratio test in two passes, so that
//   rows which round-off alone separates count as tied; d is not (1, …, 1) but generic, so that ties come
//   only from the data; solution recomputed from the final basis by LU with refinement and judged by
//   compute_residual; on a ray, on loss of accuracy or on a bad residual the run is repeated with another d.
//
//   A ray proves that no solution exists only for some classes of M (copositive-plus among them). A solution
//   may have a singular M_αα (redundant contacts); a warm start from such a basis begins anew.
//
//   Cost: about n k per pivot, k = number of basic z, and k³ for each refresh; pivots: 0.5 n in heaps of
//   bodies, up to 8 n seen with opposed contacts and μ > 1. Memory: 2 n² + 2 k² doubles. No allocation in a
//   later solve of the same or a smaller size; deterministic.
#pragma once
#include <cstdint>
#include <vector>

#include "delassus/linalg/types.hpp"
#include "delassus/problems/lcp.hpp"
#include "delassus/problems/status.hpp"
#include "delassus/solvers/lcp/lemke_basis.hpp"

namespace delassus {

struct LemkeOptions {
  // Limit of all attempts together; each but the last may use half of what is left. 0 = automatic, 50 n +
  // 500.
  int max_pivots = 0;
  double tolerance = 1e-10;  // accepted relative residual, see compute_residual [-]
  int refactor_every = 64;   // pivots between two factorisations, not less than the kernel size [-]
  int max_retries = 3;       // further attempts, each with another covering vector [-]
  // d = (1, …, 1) in the first attempt, as in the literature: leaves many ties to the lexicographic rule.
  bool uniform_cover = false;
};

// Which variable of each complementary pair is basic: what a warm start needs.
struct LcpBasis {
  std::vector<std::uint8_t> z_basic;  // 1 where z_i is basic, 0 where w_i is
};

// The secondary ray (2), in the units of the problem.
struct RayCertificate {
  Vector dz, dw;
  double dz0 = 0;
  Vector d;             // covering vector it belongs to
  double residual = 0;  // largest violation of (2), relative to the terms summed [-]
};

class Lemke {
 public:
  explicit Lemke(LemkeOptions options = {});

  // warm: the basis of a similar problem; null or of another size is ignored. If its solution is accepted as
  // it stands no pivot is made (stats.warm_started), otherwise the method starts anew. Writes z, w = M z + q
  // with exact zeros on the nonbasic variables, the complementary basis and the outcome; where the status is
  // not converged the numbers are the last iterate.
  void solve(const Lcp& lcp, const LcpBasis* warm, Vector& z, Vector& w, LcpBasis& basis, SolveStats& stats);

  // Valid after a solve that ended with SolveStatus::ray.
  const RayCertificate& ray() const { return ray_; }
  const LemkeOptions& options() const { return options_; }

 private:
  enum class PathEnd { solution, ray, limit, lost };

  void reserve(int n);
  bool scale_problem(const Lcp& lcp);  // false where an input is not finite
  void update_cover(int attempt);
  PathEnd follow_path(int attempt, int limit, SolveStats& stats);
  int find_first_leaving() const;
  double feasibility() const;  // how negative a basic variable of the scaled problem may be
  // Slot of the leaving variable and its step; −1 on a ray.
  LemkeBasis::Slot find_leaving(double& step);
  LemkeBasis::Slot break_tie();
  // Ends the path: stores which z are basic and their values.
  void store_iterate(LemkeBasis::Variable entering, double step, bool z0_left);
  bool update_ray(LemkeBasis::Variable entering);  // false where (2) does not hold to the tolerance
  bool solve_basis(SolveStats& stats);             // z_scaled_ from z_basic_, false when M_αα is singular
  // Clamps z_scaled_, writes z and w in the units of the problem; returns the larger of the two residuals.
  double finish(const Lcp& lcp, Vector& z, Vector& w, double& residual);

  LemkeOptions options_;
  RayCertificate ray_;
  LemkeBasis basis_;
  DenseLu lu_;
  int n_ = 0;
  double q_factor_ = 1;        // q_scaled = row_factor ∘ q / q_factor
  std::vector<double> M_;      // scaled
  std::vector<double> q_, d_;  // scaled, covering vector of the scaled problem
  std::vector<double> row_factor_, column_factor_, row_work_, column_work_;
  std::vector<double> z_scaled_, z_path_, w_scaled_;
  std::vector<double> rhs_, solution_;
  std::vector<int> alpha_;
  std::vector<LemkeBasis::Slot> tied_;
  std::vector<double> tied_value_;
  std::vector<std::uint8_t> z_basic_;
};

}  // namespace delassus
