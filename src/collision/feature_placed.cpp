// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/feature_placed.hpp"

#include "delassus/collision/contact_geometry.hpp"

namespace delassus::feature_pairs {
namespace {

void place(const Geometry& geometry, const Pose& pose, const GeometryPoint& point, Ball& ball) {
  Vector3 outward = Vector3::Zero();
  for (int i = 0; i < point.num_arms; ++i) outward -= geometry.arms[point.first_arm + i];
  ball.x = pose.point(point.x);
  ball.radius = point.radius;
  ball.outward = pose.vector(outward);
}

void place(const Pose& pose, const GeometryEdge& edge, bool continued, Rod& rod) {
  constexpr double steepest = 1 - 1e-12;  // one end's ball would contain the other: no side is left
  rod.x = pose.point(edge.x[0]);
  const Vector3 along = pose.vector(edge.x[1] - edge.x[0]);
  rod.length = along.norm();
  if (rod.length > 0) {
    rod.e = along / rod.length;
    rod.slope = std::clamp((edge.radius[1] - edge.radius[0]) / rod.length, -steepest, steepest);
  }
  rod.radius = edge.radius[0];
  rod.cosine = std::sqrt((1 - rod.slope) * (1 + rod.slope));
  for (int i = 0; i < 2; ++i) rod.open[i] = edge.point[i] < 0 && edge.radius[i] > 0;
  rod.has_arms = !edge.arm[0].isZero() || !edge.arm[1].isZero();
  rod.outward = -pose.vector(edge.arm[0] + edge.arm[1]);
  rod.continued = continued;
}

void place(const Geometry& geometry, const Pose& pose, const GeometryFace& face, bool continued, Face& out) {
  out.geometry = &geometry;
  out.face = &face;
  out.pose = &pose;
  out.normal = pose.vector(face.normal);
  out.x = pose.point(face.x);
  out.continued = continued;
  out.place_sides();
  out.offset = out.normal.dot(out.is_polygon() ? Vector3(out.corner(0) + face.rounding * out.normal) : out.x);
}

void place(const Pose& pose, const GeometryCircle& circle, Rim& rim) {
  rim.center = pose.point(circle.center);
  rim.axis = pose.vector(circle.axis);
  Vector3 u, v;
  make_tangents(circle.axis, u, v);
  rim.u = pose.vector(u);
  rim.v = pose.vector(v);
  rim.radius = circle.radius;
  rim.side_axial = circle.side_axial;
  rim.side_radial = circle.side_radial;
}

FeatureContact point_contact(const Ball& ball, const PlacedFeature& b, const Vector3& hint,
                             const Limits& limits) {
  switch (b.feature.kind) {
    case FeatureKind::point:
      return ball_ball(ball, std::get<Ball>(b.form), hint, limits);
    case FeatureKind::edge:
      return ball_rod(ball, std::get<Rod>(b.form), hint, limits);
    case FeatureKind::face:
      return ball_face(ball, std::get<Face>(b.form), hint, limits);
    case FeatureKind::circle:
      return ball_rim(ball, std::get<Rim>(b.form), hint, limits);
    case FeatureKind::ellipsoid:
      return ball_ellipsoid(ball, std::get<Ellipsoid>(b.form), limits);
  }
  return no_contact();
}

FeatureContact edge_contact(const Rod& rod, const PlacedFeature& b, const Vector3& hint,
                            const Limits& limits) {
  switch (b.feature.kind) {
    case FeatureKind::edge:
      return rod_rod(rod, std::get<Rod>(b.form), hint, limits);
    case FeatureKind::circle:
      return rod_rim(rod, std::get<Rim>(b.form), b.feature.branch, hint, limits);
    case FeatureKind::ellipsoid:
      return rod_ellipsoid(rod, std::get<Ellipsoid>(b.form), limits);
    default:
      return no_contact();
  }
}

FeatureContact circle_contact(const Rim& rim, const Feature& feature, const PlacedFeature& b,
                              const Vector3& hint, const Limits& limits) {
  if (b.feature.kind == FeatureKind::ellipsoid)
    return rim_ellipsoid(rim, std::get<Ellipsoid>(b.form), limits);
  return b.feature.branch == 0 ? rim_rim(rim, std::get<Rim>(b.form), feature.branch, hint, limits)
                               : no_contact();
}

// Kinds in the order of their enumeration.
FeatureContact ordered_contact(const PlacedFeature& a, const PlacedFeature& b, const Vector3& hint,
                               const Limits& limits) {
  switch (a.feature.kind) {
    case FeatureKind::point:
      return point_contact(std::get<Ball>(a.form), b, hint, limits);
    case FeatureKind::edge:
      return edge_contact(std::get<Rod>(a.form), b, hint, limits);
    case FeatureKind::face:
      return b.feature.kind == FeatureKind::circle
                 ? face_rim(std::get<Face>(a.form), std::get<Rim>(b.form), hint, limits)
                 : face_ellipsoid(std::get<Face>(a.form), std::get<Ellipsoid>(b.form), limits);
    case FeatureKind::circle:
      return circle_contact(std::get<Rim>(a.form), a.feature, b, hint, limits);
    case FeatureKind::ellipsoid:
      return ellipsoid_ellipsoid(std::get<Ellipsoid>(a.form), std::get<Ellipsoid>(b.form), limits);
  }
  return no_contact();
}

}  // namespace

PlacedFeature::PlacedFeature(const Geometry& geometry, const Pose& pose, const Feature& which, Extent extent)
    : feature(which) {
  const bool continued = extent == Extent::continued;
  const auto index = static_cast<std::size_t>(which.index);
  switch (which.kind) {
    case FeatureKind::point:
      place(geometry, pose, geometry.points[index], form.emplace<Ball>());
      break;
    case FeatureKind::edge:
      place(pose, geometry.edges[index], continued, form.emplace<Rod>());
      break;
    case FeatureKind::face:
      place(geometry, pose, geometry.faces[index], continued, form.emplace<Face>());
      break;
    case FeatureKind::circle:
      place(pose, geometry.circles[index], form.emplace<Rim>());
      break;
    case FeatureKind::ellipsoid:
      form.emplace<Ellipsoid>(Ellipsoid{pose.p, pose.R, geometry.semi_axes});
      break;
  }
}

Vector3 hint_of(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b) {
  return pose_b.point(b.center) - pose_a.point(a.center);
}

FeatureContact contact_of(const PlacedFeature& a, const PlacedFeature& b, const Vector3& hint,
                          const Limits& limits) {
  if (a.feature.kind <= b.feature.kind) return ordered_contact(a, b, hint, limits);
  FeatureContact out = ordered_contact(b, a, -hint, limits);
  swap_sides(out);
  return out;
}

}  // namespace delassus::feature_pairs
