// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/support_features.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/collision/contact_geometry.hpp"

namespace delassus {
namespace {

// The normal of a feature next to d, and the height dᵀx of the highest point of the feature that has it.
struct Reach {
  double height = 0;
  double cosine = 0;  // of the angle between d and that normal
};

Vector3 perpendicular_part(const Vector3& d, const Vector3& axis) {
  return d - d.dot(axis) * axis;
}

// The unit vector e ⊥ axis next to d; any where d ∥ axis.
Vector3 radial_direction(const Vector3& d, const Vector3& axis) {
  const Vector3 r = perpendicular_part(d, axis);
  const double length = r.norm();
  if (length > 0) return r / length;
  Vector3 t1, t2;
  make_tangents(axis, t1, t2);
  return t1;
}

// Normals of an edge: perpendicular to it, or tilted by its taper, nᵀ(x₁ − x₀) = ρ₀ − ρ₁; between its two faces.
Reach reach_of_edge(const Geometry& geometry, const GeometryEdge& edge, const Vector3& d) {
  const Vector3 axis = edge.x[1] - edge.x[0];
  const double length = axis.norm();
  const Vector3 u = axis / length;
  const Vector3 e = radial_direction(d, u);
  const double tilt = std::clamp((edge.radius[0] - edge.radius[1]) / length, -1.0, 1.0);
  const Vector3 n = std::sqrt(1 - tilt * tilt) * e + tilt * u;
  Reach reach;
  reach.cosine = n.dot(d);
  const bool between = edge.arm[0].dot(e) <= 0 && edge.arm[1].dot(e) <= 0;
  if (!between) {
    reach.cosine = -1;
    for (const int f : edge.face)
      if (f >= 0) reach.cosine = std::max(reach.cosine, geometry.faces[f].normal.dot(d));
  }
  reach.height = std::max(edge.x[0].dot(d) + edge.radius[0] * reach.cosine,
                          edge.x[1].dot(d) + edge.radius[1] * reach.cosine);
  return reach;
}

Reach reach_of_face(const Geometry& geometry, const GeometryFace& face, const Vector3& d) {
  Reach reach;
  reach.cosine = face.normal.dot(d);
  if (face.radius > 0) {
    reach.height = face.x.dot(d) + face.radius * perpendicular_part(d, face.normal).norm();
    return reach;
  }
  reach.height = -INFINITY;
  for (const int i : geometry.loop(face)) reach.height = std::max(reach.height, geometry.points[i].x.dot(d));
  reach.height += face.rounding * reach.cosine;
  return reach;
}

// Normals of a rim at its point in direction e: between the axis of the disk and the normal of the side.
Reach reach_of_circle(const GeometryCircle& circle, const Vector3& d) {
  const Vector3 e = radial_direction(d, circle.axis);
  const double axial = d.dot(circle.axis), radial = d.dot(e);
  Reach reach;
  reach.height = circle.center.dot(d) + circle.radius * radial;
  const bool above_side = circle.side_axial * axial + circle.side_radial * radial <= 0;
  // e ⊥ axis is the nearest of its turns to d, so dᵀe ≥ 0: the disk's side of the cone is never left.
  const double side_cosine = -circle.side_axial * radial + circle.side_radial * axial;
  reach.cosine = above_side ? 1 : std::max(axial, side_cosine);
  return reach;
}

}  // namespace

void collect_features(const Geometry& geometry, const Pose& pose, const Vector3& direction, double slab,
                      FeatureList& out) {
  out.clear();
  switch (geometry.kind) {  // that are one feature
    case ShapeKind::plane:
      return out.push_back({FeatureKind::face, 0, 0});
    case ShapeKind::sphere:
      return out.push_back({FeatureKind::point, 0, 0});
    case ShapeKind::ellipsoid:
      return out.push_back({FeatureKind::ellipsoid, 0, 0});
    default:
      break;
  }
  const Vector3 d = pose.local_vector(direction);
  const double lowest = support_point(geometry, Pose{}, d).dot(d) - slab;
  const auto add = [&](const Reach& reach, const Feature& feature) {
    if (reach.height >= lowest && reach.cosine > k_feature_turn) out.push_back(feature);
  };
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  for (int i = 0; i < count(geometry.points); ++i)
    add({geometry.points[i].x.dot(d) + geometry.points[i].radius, 1}, {FeatureKind::point, i, 0});
  for (int i = 0; i < count(geometry.edges); ++i) {
    const GeometryEdge& edge = geometry.edges[i];
    // Most edges end below the slab, most faces look away.
    const double highest = std::max(edge.x[0].dot(d) + edge.radius[0], edge.x[1].dot(d) + edge.radius[1]);
    if (edge.ridge && highest >= lowest) add(reach_of_edge(geometry, edge, d), {FeatureKind::edge, i, 0});
  }
  for (int i = 0; i < count(geometry.faces); ++i)
    if (geometry.faces[i].normal.dot(d) > k_feature_turn)
      add(reach_of_face(geometry, geometry.faces[i], d), {FeatureKind::face, i, 0});
  for (int i = 0; i < count(geometry.circles); ++i) {
    const Reach reach = reach_of_circle(geometry.circles[i], d);
    add(reach, {FeatureKind::circle, i, 0});
    add(reach, {FeatureKind::circle, i, 1});
  }
}

}  // namespace delassus
