// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A small convex program over contact impulses, for questions about contacts rather than for their solution:
//
//   min ½ xᵀ Q x + cᵀ x   with   x ∈ K,   Σ_c x_N,c = 1                                             (1)
//
// K is the product of the cones; its friction parts are bounded by μ x_N (circles, also for polyhedral cones, whose
// polygons lie in them). The set is bounded and has inner points, so that a minimiser always exists, also where Q is
// singular.
//
// Method: primal-dual interior point with Nesterov-Todd scaling and Mehrotra's corrector, from a feasible start. Where
// many x are optimal it ends inside of their set: a contact whose x_N must be zero has one of round-off, all others
// have not. Boxes (friction with a given bound) cannot grow and are left out, x = 0; equalities are free.
//   Cost: one dense factorisation of the size of x an iteration, some 10 to 40 of them; allocates.
#pragma once
#include <vector>

#include "delassus/problems/cone.hpp"

namespace delassus {

struct ConeProgramResult {
  Vector x;            // in K with Σ x_N = 1; empty: there is no contact with a normal
  double gap = 0;      // of the objective to that of the dual
  int iterations = 0;  // factorisations
};

// `first_rows`: where the components of each contact begin in Q, c and x; Q symmetric and positive semidefinite.
// `friction` false: the normal parts alone, x_T = 0.
ConeProgramResult solve_cone_program(const Matrix& Q, const Vector& c, const std::vector<Cone>& cones,
                                     const std::vector<int>& first_rows, bool friction);

}  // namespace delassus
