// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The signed distance of two convex geometries, by duality:
//
//   d = max over unit n of  s(n),   s(n) = min_{y∈B} nᵀy − max_{x∈A} nᵀx                                       (1)
//
// positive: the distance; negative: the depth, the shortest translation that separates them. Any n proves
// d ≥ s(n); nearest points prove |x − y| ≥ d: where both agree the distance is certain.
#pragma once
#include "delassus/collision/geometry.hpp"

namespace delassus {

struct Separation {
  double gap = 0;                     // s(normal) [m]
  Vector3 normal = Vector3::UnitZ();  // unit, from a to b
  double error = 0;  // bound of d − gap where it is known (gap > 0), an estimate elsewhere [m]
};

// s(n) of (1).
double separation_along(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                        const Vector3& n);

// Both convex. `far`: a distance beyond which only a lower bound of the gap matters: the search stops there.
Separation separation(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                      double far);

}  // namespace delassus
