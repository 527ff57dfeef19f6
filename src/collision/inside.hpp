// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a point lies in a convex geometry: below all of its faces, and within the balls of (1) of feature_pairs along
// a rounded edge:
//
//   nᵀ(x − x_f) ≤ rounding,   h/√(1−k²) − ρ(s) ≤ 0,   s = z + h k/√(1−k²) within the edge where it ends in balls    (1)
//
// z, h: distances along and from the axis. Rounded boxes and hulls are taken with their corners.
#pragma once
#include "delassus/collision/geometry.hpp"

namespace delassus {

// `x` in the frame of the geometry; the geometry is larger by `tolerance` [m].
bool is_inside(const Geometry& geometry, const Vector3& x, double tolerance);

}  // namespace delassus
