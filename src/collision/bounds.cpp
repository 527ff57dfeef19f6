// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/bounds.hpp"

#include <cmath>
#include <numbers>

namespace delassus {
namespace {

// A normal this near to an axis is that axis: rotations by right angles are that exact, and the tilt shifts a plane by
// no more than the round-off of the coordinates at which it is asked for.
constexpr double k_axis_tolerance = 4 * std::numeric_limits<double>::epsilon();

void include(Bounds& box, const Vector3& center, const Vector3& half) {
  box.lower = box.lower.cwiseMin(center - half);
  box.upper = box.upper.cwiseMax(center + half);
}

Bounds half_space_bounds(const Vector3& normal, const Vector3& x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Bounds box{Vector3::Constant(-infinity), Vector3::Constant(infinity)};
  Eigen::Index axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  if (std::hypot(normal[(axis + 1) % 3], normal[(axis + 2) % 3]) <= k_axis_tolerance)
    (normal[axis] > 0 ? box.upper : box.lower)[axis] = x[axis];
  return box;
}

}  // namespace

Bounds bounds_of(const Geometry& geometry, const Pose& pose) {
  if (geometry.kind == ShapeKind::plane) {
    const GeometryFace& face = geometry.faces.front();
    return half_space_bounds(pose.vector(face.normal), pose.point(face.x));
  }
  Bounds box;
  // Edges and faces lie between their ends, and rounded ones between the balls there.
  for (const GeometryPoint& point : geometry.points)
    include(box, pose.point(point.x), Vector3::Constant(point.radius));
  for (const GeometryCircle& circle : geometry.circles) {
    const Vector3 axis = pose.vector(circle.axis);
    const Vector3 across(std::sqrt(axis[1] * axis[1] + axis[2] * axis[2]),
                         std::sqrt(axis[2] * axis[2] + axis[0] * axis[0]),
                         std::sqrt(axis[0] * axis[0] + axis[1] * axis[1]));
    include(box, pose.point(circle.center), circle.radius * across);
  }
  if (geometry.kind == ShapeKind::ellipsoid)
    include(box, pose.p, (pose.R * geometry.semi_axes.asDiagonal()).rowwise().norm());
  return box;
}

Bounds swept_bounds(const Geometry& geometry, const Pose& begin, const Pose& end, double angle,
                    const Vector3& pivot) {
  Bounds box = merge(bounds_of(geometry, begin), bounds_of(geometry, end));
  if (angle == 0) return box;
  const double radius = (geometry.center - pivot).norm() + geometry.bound;
  if (angle <= std::numbers::pi) {
    const double s = std::sin(angle / 4);
    return inflate(box, radius * 2 * s * s);  // (1): 1 − cos α = 2 sin²(α/2)
  }
  include(box, begin.point(pivot), Vector3::Constant(radius));
  include(box, end.point(pivot), Vector3::Constant(radius));
  return box;
}

}  // namespace delassus
