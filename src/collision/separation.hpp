// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The signed distance of two convex geometries, by duality:
//
//   d = max over unit n of  s(n),   s(n) = min_{y∈B} nᵀy − max_{x∈A} nᵀx                                       (1)
//
// positive: the distance; negative: the depth, the shortest translation that separates them. Any n proves
// d ≥ s(n); nearest points prove |x − y| ≥ d: where both agree the distance is certain.
//
//   cores       what remains without rounding: s of the cores, less the roundings (convex_pair)
//   polytopes   distance by GJK (gjk), depth by a growing polytope (epa), enumeration (sat) where these are not sure
//   others      GJK or the growing polytope for a start, then Newton's method on the pieces of the supports (ascent)
//
// Distances are found to about 1e-13 of the coordinates, whatever the gap and however parallel faces and edges are; so
// are depths of polytopes. Depths of others are exact maxima of s, and the greatest up to 1e-5 of the depth: of two ways out
// that are so nearly equal either may be returned.
// Cost: boxes 1 µs, other polytopes 1 … 2 µs, curved ones 2 … 7 µs; depths that are hard to tell up to 0.1 ms. Does not allocate.
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
