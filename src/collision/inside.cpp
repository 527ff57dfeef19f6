// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/inside.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// (1) for the side of a cylinder, capsule or cone.
bool is_within_rod(const GeometryEdge& rod, bool ends_in_balls, const Vector3& x, double tolerance) {
  const double length = (rod.x[1] - rod.x[0]).norm();
  const Vector3 e = (rod.x[1] - rod.x[0]) / length, from_end = x - rod.x[0];
  const double slope = (rod.radius[1] - rod.radius[0]) / length, cosine = std::sqrt(1 - slope * slope);
  const double z = e.dot(from_end), h = (from_end - z * e).norm();
  const double s = z + h * slope / cosine;
  if (!ends_in_balls) return h / cosine - (rod.radius[0] + slope * s) <= tolerance;
  const double along = std::clamp(s, 0.0, length);
  return std::hypot(h, z - along) <= rod.radius[0] + slope * along + tolerance;
}

}  // namespace

bool is_inside(const Geometry& geometry, const Vector3& x, double tolerance) {
  if (geometry.kind == ShapeKind::ellipsoid) {
    const Vector3 unit = (x - geometry.center).cwiseQuotient(geometry.semi_axes);
    return (unit.norm() - 1) * geometry.semi_axes.minCoeff() <= tolerance;
  }
  if (geometry.kind == ShapeKind::sphere)
    return (x - geometry.points[0].x).norm() <= geometry.points[0].radius + tolerance;
  for (const GeometryFace& face : geometry.faces)
    if (face.normal.dot(x - face.x) > face.rounding + tolerance) return false;
  const bool capsule = geometry.kind == ShapeKind::capsule;
  if (capsule || geometry.kind == ShapeKind::cylinder || geometry.kind == ShapeKind::cone)
    return is_within_rod(geometry.edges[0], capsule, x, tolerance);
  return true;
}

}  // namespace delassus
