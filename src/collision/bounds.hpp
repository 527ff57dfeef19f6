// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Axis-aligned boxes around geometries, at rest and over a step.
//
// Of a geometry the box is the smallest one, up to round-off: for each axis e the support values ±σ(±e), which are
//
//   ball       eᵀc ± r                      disk        eᵀc ± r √(1 − (eᵀa)²),  a: its axis
//   polytope   extremes of its vertices     ellipsoid   eᵀc ± |diag(s) Rᵀ e|,   s: its semi-axes
//
// A half space is bounded only along its normal, where that is an axis of the world.
//
// Over a step the pivot c (centre of mass) moves straight and the body turns by the angle φ at a constant rate. With
// u ∈ [−1, 1] the time and ρ the distance from the axis of rotation, the distance of a point to the place where it
// would be on its chord, f, is largest in the middle of the step:
//
//   f(u)² = ρ² [(cos αu − cos α)² + (sin αu − u sin α)²],  α = φ/2 ≤ π/2,   f ≤ f(0) = ρ (1 − cos α)            (1)
//
// since  (f²)' ≤ 2ρ² αu sin α (cos α − cos αu) ≤ 0  for u ≥ 0, by sin αu ≥ u sin α. The chord lies in the box that
// holds both ends, so this box, inflated by (1) with the largest ρ, holds the whole motion. Beyond φ = π: the balls of
// that radius about both ends of the path of the pivot.
#pragma once
#include <limits>

#include "delassus/collision/geometry.hpp"

namespace delassus {

// Closed; empty as it is made.
struct Bounds {
  Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 upper = Vector3::Constant(-std::numeric_limits<double>::infinity());

  // Also true where a coordinate is not a number.
  friend bool is_empty(const Bounds& box) {
    return !(box.lower[0] <= box.upper[0] && box.lower[1] <= box.upper[1] && box.lower[2] <= box.upper[2]);
  }

  friend bool is_finite(const Bounds& box) { return box.lower.allFinite() && box.upper.allFinite(); }

  // Of boxes that are not empty. Without branches between the axes: what they give cannot be foreseen.
  friend bool overlap(const Bounds& a, const Bounds& b) {
    return static_cast<int>(a.lower[0] <= b.upper[0]) & static_cast<int>(b.lower[0] <= a.upper[0]) &
           static_cast<int>(a.lower[1] <= b.upper[1]) & static_cast<int>(b.lower[1] <= a.upper[1]) &
           static_cast<int>(a.lower[2] <= b.upper[2]) & static_cast<int>(b.lower[2] <= a.upper[2]);
  }

  friend bool contains(const Bounds& outer, const Bounds& inner) {
    return (outer.lower.array() <= inner.lower.array()).all() &&
           (inner.upper.array() <= outer.upper.array()).all();
  }

  friend Bounds merge(const Bounds& a, const Bounds& b) {
    return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper)};
  }

  // By `distance` on all sides.
  friend Bounds inflate(const Bounds& box, double distance) {
    return {box.lower.array() - distance, box.upper.array() + distance};
  }
};

// The smallest box; of a geometry without features empty.
Bounds bounds_of(const Geometry& geometry, const Pose& pose);

// Of the motion of (1) from `begin` to `end`, poses of the geometry's frame. `angle`: how far it turns, the angular
// speed times the step, ≥ 0 [rad]; `pivot`: the point that moves straight, in the geometry's frame.
Bounds swept_bounds(const Geometry& geometry, const Pose& begin, const Pose& end, double angle,
                    const Vector3& pivot = Vector3::Zero());

}  // namespace delassus
