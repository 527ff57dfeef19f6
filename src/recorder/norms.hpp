// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// How far two motions are from each other, where velocities jump.
//
//   gr*(f) = {(t, x): x ∈ [f(t⁻), f(t⁺)]}                  the filled-in graph of f: jumps are vertical lines       (1)
//   d((t, x), (s, y)) = max(|t − s|, ‖x − y‖)                                                                    (2)
//   h*(f, g) = max of  max_{a ∈ gr*(f)} min_{b ∈ gr*(g)} d(a, b)  and the same with f and g exchanged             (3)
//   ‖e‖_p = (Σ_i (t_i − t_{i−1}) |e_i|^p)^(1/p),   ‖e‖_∞ = max_i |e_i|            on the grid of a run             (4)
//   var(f) = Σ_i ‖f_{i+1} − f_i‖                            of what is known of f: at most its total variation     (5)
//
// In (3) an impact that comes late by δ counts as δ, in the uniform norm by all of its jump. A graph is given by the corners of a
// polygon in (t, x); two corners at the same time are a jump.
//
//   Source: [Acary 2009, 20, 21], after Moreau. Differs: the steps of (4) need not be equal.
//   Cost: (3) about the number of corners times those within h* of one in time; the result is exact to k_hausdorff_accuracy.
#pragma once
#include <span>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

struct GraphPoint {
  double t = 0;  // [s]
  Vector x;
};
using Graph = std::vector<GraphPoint>;  // t does not descend

// Relative.
inline constexpr double k_hausdorff_accuracy = 1e-6;

// (3); both have points of the same size, at least one.
double hausdorff_distance(const Graph& f, const Graph& g);
// (4), p ≥ 1 or infinity; the first error has the weight of the second. Times ascend.
double grid_norm(std::span<const double> times, std::span<const double> errors, double p);
// (5)
double total_variation(const Graph& f);

}  // namespace delassus
