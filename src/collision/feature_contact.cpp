// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/feature_contact.hpp"

#include <Eigen/QR>
#include <limits>
#include <numbers>

#include "delassus/collision/contact_geometry.hpp"
#include "delassus/collision/feature_pairs.hpp"

namespace delassus {

using namespace feature_pairs;

namespace {

// A feature where it stands.
struct Placed {
  const Geometry& geometry;
  const Pose& pose;
  const Feature& feature;
  bool continued = false;
};

std::span<const Vector3> arms_of(const Geometry& geometry, const GeometryPoint& point) {
  return {geometry.arms.data() + point.first_arm, static_cast<std::size_t>(point.num_arms)};
}

Ball ball_of(const Placed& at) {
  const GeometryPoint& point = at.geometry.points[static_cast<std::size_t>(at.feature.index)];
  Vector3 outward = Vector3::Zero();
  for (const Vector3& arm : arms_of(at.geometry, point)) outward -= arm;
  return {at.pose.point(point.x), point.radius, at.pose.vector(outward)};
}

Rod rod_of(const Placed& at) {
  constexpr double steepest = 1 - 1e-12;  // one end's ball would contain the other: no side is left
  const GeometryEdge& edge = at.geometry.edges[static_cast<std::size_t>(at.feature.index)];
  Rod rod;
  rod.x = at.pose.point(edge.x[0]);
  const Vector3 along = at.pose.vector(edge.x[1] - edge.x[0]);
  rod.length = along.norm();
  if (rod.length > 0) {
    rod.e = along / rod.length;
    rod.slope = std::clamp((edge.radius[1] - edge.radius[0]) / rod.length, -steepest, steepest);
  }
  rod.radius = edge.radius[0];
  rod.cosine = std::sqrt((1 - rod.slope) * (1 + rod.slope));
  for (int i = 0; i < 2; ++i) rod.open[i] = edge.point[i] < 0 && edge.radius[i] > 0;
  rod.has_arms = !edge.arm[0].isZero() || !edge.arm[1].isZero();
  rod.outward = -at.pose.vector(edge.arm[0] + edge.arm[1]);
  rod.continued = at.continued;
  return rod;
}

Face face_of(const Placed& at) {
  Face out;
  out.geometry = &at.geometry;
  out.face = &at.geometry.faces[static_cast<std::size_t>(at.feature.index)];
  out.pose = &at.pose;
  out.normal = at.pose.vector(out.face->normal);
  out.x = at.pose.point(out.face->x);
  out.continued = at.continued;
  out.offset =
      out.normal.dot(out.is_polygon() ? Vector3(out.corner(0) + out.face->rounding * out.normal) : out.x);
  return out;
}

Rim rim_of(const Placed& at) {
  const GeometryCircle& circle = at.geometry.circles[static_cast<std::size_t>(at.feature.index)];
  Rim rim;
  rim.center = at.pose.point(circle.center);
  rim.axis = at.pose.vector(circle.axis);
  Vector3 u, v;
  make_tangents(circle.axis, u, v);
  rim.u = at.pose.vector(u);
  rim.v = at.pose.vector(v);
  rim.radius = circle.radius;
  rim.side_axial = circle.side_axial;
  rim.side_radial = circle.side_radial;
  return rim;
}

Ellipsoid ellipsoid_of(const Placed& at) {
  return {at.pose.p, at.pose.R, at.geometry.semi_axes};
}

// Circles have one contact with what does not cross their disk: branch 1 is never used.
bool is_unused_branch(const Feature& circle, const Feature& other) {
  return circle.kind == FeatureKind::circle && circle.branch != 0 && other.kind != FeatureKind::edge &&
         other.kind != FeatureKind::circle;
}

// Of a point.
FeatureContact point_contact(const Placed& a, const Placed& b, const Vector3& hint) {
  const Ball ball = ball_of(a);
  switch (b.feature.kind) {
    case FeatureKind::point:
      return ball_ball(ball, ball_of(b), hint);
    case FeatureKind::edge:
      return ball_rod(ball, rod_of(b), hint);
    case FeatureKind::face:
      return ball_face(ball, face_of(b), hint);
    case FeatureKind::circle:
      return ball_rim(ball, rim_of(b), hint);
    case FeatureKind::ellipsoid:
      return ball_ellipsoid(ball, ellipsoid_of(b));
  }
  return no_contact();
}

FeatureContact edge_contact(const Placed& a, const Placed& b, const Vector3& hint) {
  const Rod rod = rod_of(a);
  switch (b.feature.kind) {
    case FeatureKind::edge:
      return rod_rod(rod, rod_of(b), hint);
    case FeatureKind::circle:
      return rod_rim(rod, rim_of(b), b.feature.branch, hint);
    case FeatureKind::ellipsoid:
      return rod_ellipsoid(rod, ellipsoid_of(b));
    default:
      return no_contact();
  }
}

// Kinds in the order of their enumeration.
FeatureContact ordered_contact(const Placed& a, const Placed& b, const Vector3& hint) {
  const FeatureKind other = b.feature.kind;
  switch (a.feature.kind) {
    case FeatureKind::point:
      return point_contact(a, b, hint);
    case FeatureKind::edge:
      return edge_contact(a, b, hint);
    case FeatureKind::face:
      return other == FeatureKind::circle ? face_rim(face_of(a), rim_of(b), hint)
                                          : face_ellipsoid(face_of(a), ellipsoid_of(b));
    case FeatureKind::circle:
      if (other == FeatureKind::ellipsoid) return rim_ellipsoid(rim_of(a), ellipsoid_of(b));
      return b.feature.branch == 0 ? rim_rim(rim_of(a), rim_of(b), a.feature.branch, hint) : no_contact();
    case FeatureKind::ellipsoid:
      return ellipsoid_ellipsoid(ellipsoid_of(a), ellipsoid_of(b));
  }
  return no_contact();
}

}  // namespace

bool can_touch(FeatureKind a, FeatureKind b) {
  const FeatureKind first = std::min(a, b), second = std::max(a, b);
  return !(second == FeatureKind::face && first != FeatureKind::point);
}

FeatureContact feature_contact(const Geometry& a, const Pose& pose_a, const Feature& fa, const Geometry& b,
                               const Pose& pose_b, const Feature& fb, Extent extent) {
  if (!can_touch(fa.kind, fb.kind) || is_unused_branch(fa, fb) || is_unused_branch(fb, fa))
    return no_contact();
  const bool continued = extent == Extent::continued;
  const Placed at_a{a, pose_a, fa, continued}, at_b{b, pose_b, fb, continued};
  const Vector3 hint = pose_b.point(b.center) - pose_a.point(a.center);
  return fa.kind <= fb.kind ? ordered_contact(at_a, at_b, hint) : swapped(ordered_contact(at_b, at_a, -hint));
}

bool can_carry(const Geometry& a, const Feature& fa, const Geometry& b, const Feature& fb) {
  const auto is_sharp_point = [](const Geometry& geometry, const Feature& f) {
    return f.kind == FeatureKind::point && geometry.points[f.index].radius == 0;
  };
  const auto is_sharp_curve = [](const Geometry& geometry, const Feature& f) {
    return f.kind == FeatureKind::circle ||
           (f.kind == FeatureKind::edge && geometry.edges[f.index].radius[0] == 0 &&
            geometry.edges[f.index].radius[1] == 0);
  };
  const bool point_a = is_sharp_point(a, fa), point_b = is_sharp_point(b, fb);
  return !(point_a && (point_b || is_sharp_curve(b, fb))) && !(point_b && is_sharp_curve(a, fa));
}

double crossing_margin(const FeatureContact& contact, const Feature& fa, const Feature& fb) {
  if (contact.patch_a.dim != 1 || contact.patch_b.dim != 1) return std::numeric_limits<double>::infinity();
  // A rim and an edge merge their two crossings when they part: long before, others hold the disk. Edges cross at any
  // angle; the polygon of contacts loses less than this part of their length.
  const bool rim = fa.kind == FeatureKind::circle || fb.kind == FeatureKind::circle;
  const double least = rim ? 0.05 : 1e-3;
  return contact.patch_a.tangents[0].cross(contact.patch_b.tangents[0]).norm() - least;
}

bool has_one_contact(const Geometry& geometry, const Feature& feature) {
  return feature.kind == FeatureKind::ellipsoid ||
         (feature.kind == FeatureKind::point && geometry.points[feature.index].num_arms == 0);
}

double normal_cone_margin(const Geometry& geometry, const Pose& pose, const Feature& feature,
                          const Vector3& x, const Vector3& d) {
  const auto index = static_cast<std::size_t>(feature.index);
  const Vector3 local = pose.local_vector(d);
  double out = std::numeric_limits<double>::infinity();
  // Of a nearly flat ridge or corner the direction into the solid is as near to the border of the cone as the one away
  // from it: −Σ arms tells them apart.
  Vector3 sum = Vector3::Zero();
  switch (feature.kind) {
    case FeatureKind::point:
      for (const Vector3& arm : arms_of(geometry, geometry.points[index])) {
        out = std::min(out, -local.dot(arm));
        sum += arm;
      }
      return local.dot(sum) > 0 ? -1 : out;
    case FeatureKind::edge: {
      const GeometryEdge& edge = geometry.edges[index];
      if (!edge.ridge) return -out;
      for (const Vector3& arm : edge.arm)
        if (!arm.isZero()) out = std::min(out, -local.dot(arm));
      return local.dot(edge.arm[0] + edge.arm[1]) > 0 && !edge.arm[1].isZero() ? -1 : out;
    }
    case FeatureKind::face:  // its cone has no inside
      return -(local - geometry.faces[index].normal).norm() / std::numbers::sqrt2;
    case FeatureKind::circle: {
      const GeometryCircle& circle = geometry.circles[index];
      const Vector3 e = usable_direction(circle.axis, {pose.local_point(x) - circle.center});
      const Vector3 side = circle.side_axial * circle.axis + circle.side_radial * e;
      return std::min(local.dot(e), -local.dot(side));
    }
    case FeatureKind::ellipsoid:
      return out;
  }
  return out;
}

// (1) of the header in the tangent plane: ṅ = τ₀ ν₀ + τ₁ ν₁, unknowns (u̇_a, u̇_b, ν). Unknowns that a patch does not have
// keep a row of their own that says 0. Least squares with the smallest norm where flat directions leave a choice.
ContactRates contact_rates(const FeatureContact& contact, const Vector3& v_a, const Vector3& w_a,
                           const Vector3& v_b, const Vector3& w_b) {
  const Vector3& n = contact.normal;
  Vector3 tau[2];
  make_tangents(n, tau[0], tau[1]);
  Matrix6 A = Matrix6::Identity();
  Vector6 rhs = Vector6::Zero();
  const SurfacePatch* patches[2] = {&contact.patch_a, &contact.patch_b};
  const Vector3* spins[2] = {&w_a, &w_b};
  for (int j = 0; j < 2; ++j) {
    A.row(4 + j).setZero();
    A(4 + j, 4 + j) = -contact.gap;
    rhs(4 + j) = tau[j].dot(v_a - v_b);
  }
  for (int side = 0; side < 2; ++side) {
    const SurfacePatch& patch = *patches[side];
    for (int i = 0; i < patch.dim; ++i) {
      const int row = 2 * side + i;
      A(row, row) = patch.second[2 * i];
      if (patch.dim == 2) A(row, 2 * side + 1 - i) = patch.second[1];
      for (int j = 0; j < 2; ++j) {
        A(row, 4 + j) = patch.tangents[i].dot(tau[j]);
        A(4 + j, row) = (side == 0 ? -1 : 1) * patch.tangents[i].dot(tau[j]);
      }
      rhs(row) = -spins[side]->cross(patch.tangents[i]).dot(n);
    }
  }
  const Vector6 z = Eigen::CompleteOrthogonalDecomposition<Matrix6>(A).solve(rhs);
  ContactRates out;
  out.normal = z(4) * tau[0] + z(5) * tau[1];
  out.point_a = v_a + z(0) * contact.patch_a.tangents[0] + z(1) * contact.patch_a.tangents[1];
  out.point_b = v_b + z(2) * contact.patch_b.tangents[0] + z(3) * contact.patch_b.tangents[1];
  return out;
}

}  // namespace delassus
