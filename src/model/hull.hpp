// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls by Qhull [Barber96], their largest inner balls and their cores.
//
// Faces are polygons: neighbours whose corners lie within 1e-12 of the size of one plane are joined, what is only nearly
// flat stays apart. Planes are computed anew from the corners. The same points give the same bits.
//
// The core of a hull {x : n_iᵀ x ≤ c_i} for a margin m is {x : n_iᵀ x ≤ c_i − m}. With an interior point o its corners
// are the faces of the hull of the dual points n_i / (c_i − m − n_iᵀ o). The core with a ball of radius m around each of
// its points is the hull with rounded edges and corners; of its faces only those vanish that are too small for the ball.
#pragma once
#include <span>
#include <string>

#include "delassus/model/surface.hpp"

namespace delassus {

// Why points have no hull: fewer than 4, not finite, in a line or a plane (thinner than 1e-10 of their size); empty when
// they have one.
std::string check_hull_points(std::span<const Vector3> points);

// Vertices in the order of the points, faces in ascending order of their corners. Throws InputError with the reason
// above. O(n log n).
Polyhedron convex_hull(std::span<const Vector3> points);

// Of the shape's points; messages name the shape.
Polyhedron hull_of(const Shape& shape);

struct InnerBall {
  Vector3 center = Vector3::Zero();
  double radius = 0;  // [m]
};
// The largest ball inside of a convex polyhedron: max t with n_iᵀ x + t ≤ c_i, by pivots.
InnerBall inner_ball(const Polyhedron& hull);

// Throws InputError when the margin is not smaller than the inner ball; the second names the shape.
Polyhedron make_core(const Polyhedron& hull, double margin);
Polyhedron make_core(const Shape& shape, const Polyhedron& hull);

}  // namespace delassus
