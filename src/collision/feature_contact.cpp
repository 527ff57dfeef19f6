// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/feature_contact.hpp"

#include <Eigen/QR>
#include <limits>
#include <numbers>

#include "delassus/collision/contact_geometry.hpp"
#include "delassus/collision/feature_placed.hpp"

namespace delassus {

using namespace feature_pairs;

namespace {

std::span<const Vector3> arms_of(const Geometry& geometry, const GeometryPoint& point) {
  return {geometry.arms.data() + point.first_arm, static_cast<std::size_t>(point.num_arms)};
}

}  // namespace

FeatureContact feature_contact(const Geometry& a, const Pose& pose_a, const Feature& fa, const Geometry& b,
                               const Pose& pose_b, const Feature& fb, Extent extent) {
  if (!has_nearest_point(fa, fb)) return no_contact();
  return contact_of(PlacedFeature(a, pose_a, fa, extent), PlacedFeature(b, pose_b, fb, extent),
                    hint_of(a, pose_a, b, pose_b));
}

Sharpness sharpness_of(const Geometry& geometry, const Feature& feature) {
  const auto index = static_cast<std::size_t>(feature.index);
  if (feature.kind == FeatureKind::circle) return Sharpness::curve;
  if (feature.kind == FeatureKind::point)
    return geometry.points[index].radius == 0 ? Sharpness::corner : Sharpness::none;
  if (feature.kind != FeatureKind::edge) return Sharpness::none;
  const double(&radius)[2] = geometry.edges[index].radius;
  return radius[0] == 0 && radius[1] == 0 ? Sharpness::curve : Sharpness::none;
}

bool can_carry(const Geometry& a, const Feature& fa, const Geometry& b, const Feature& fb) {
  return can_carry(sharpness_of(a, fa), sharpness_of(b, fb));
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
