// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The linear complementarity problem: find z with
//
//   w = M z + q,   w ≥ 0,   z ≥ 0,   wᵀ z = 0                                          (1)
//
//   M (n×n) any real matrix · q (n) · z, w (n)
#pragma once
#include "delassus/linalg/types.hpp"

namespace delassus {

struct Lcp {
  Matrix M;
  Vector q;
  Eigen::Index size() const { return q.size(); }
};

// Relative natural-map residual of (1) at z: max_i |min(z_i s_i, w_i)| / max(‖q‖_∞, max_ij |M_ij z_j|), where
// s_i is the largest entry of |M(:,i)|, so that both arguments have the unit of w and a change of units
// changes nothing [-]. Terms beyond 1e9 ‖q‖_∞ count as 1e9 ‖q‖_∞, and their round-off as an error: a huge z
// does not excuse a w that is wrong by as much as q. 0 for the empty problem; NaN stays NaN.
double compute_residual(const Lcp& lcp, const VectorRef& z);

}  // namespace delassus
