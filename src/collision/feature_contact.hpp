// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Two features near each other: their distance, normal and nearest points, and how these move.
//
// Beyond its borders a feature has handed over to a neighbour; `inside` tells that, `margin` how far away it is. What is
// returned there is either
//
//   closed      the distance of the closed sets: of a point beside a polygon that from the border of the polygon
//   continued   the smooth continuation of the gap: the height over the plane of the polygon. For motions: a gap that
//               bends only where the caller knows of it, and its normal with it
//
// The gap is signed. Of two sharp curves (edges, rims) it is  nᵀ (x_b − x_a)  with n the common perpendicular on the
// outer side of a; of a rounded feature the distance from its core minus the radius; of a point and a face the height
// over the face.
//
// Circles against edges (and against circles, by the branch of a): of two nearest points branch 0 is where the edge, from
// its first end to its second, enters the disk, 1 where it leaves; a single one is branch 0 unless the edge leaves there
// clearly. Otherwise branch 1 is not used. What is not used is handed over: the distance of the closed sets, or infinite.
//
// Pairs that have a nearest point of their own: all except edge-face and face-face, whose nearest points belong to
// their borders (point-face, edge-edge, circle-…).
#pragma once
#include "delassus/base/surface_patch.hpp"
#include "delassus/collision/geometry.hpp"

namespace delassus {

struct FeatureContact {
  double gap = 0;                     // Φ [m]
  Vector3 normal = Vector3::UnitZ();  // unit, from a to b
  Vector3 point_a = Vector3::Zero(),
          point_b = Vector3::Zero();  // on the surfaces: point_b − point_a = gap · normal
  bool inside = true;                 // both points lie inside of their features
  double margin =
      0;  // distance to the nearest border of a feature, infinite without, ≤ 0 when not inside [m]
  SurfacePatch patch_a, patch_b;
};

// True when the pair has a nearest point of its own.
inline bool can_touch(FeatureKind a, FeatureKind b) {
  return (a != FeatureKind::face || b == FeatureKind::point || b > FeatureKind::face) &&
         (b != FeatureKind::face || a == FeatureKind::point || a > FeatureKind::face);
}

enum class Extent : std::uint8_t { closed, continued };

// `fa`, `fb`: features of geometries a and b in their poses.
FeatureContact feature_contact(const Geometry& a, const Pose& pose_a, const Feature& fa, const Geometry& b,
                               const Pose& pose_b, const Feature& fb, Extent extent = Extent::closed);

// How far inside of the normal cone of the feature at the point x (world) the direction d (unit, world axes, away from
// the geometry) lies: the sine of the smallest angle to its borders, negative outside, infinite where every direction is
// normal somewhere (balls, sides, ellipsoids).
double normal_cone_margin(const Geometry& geometry, const Pose& pose, const Feature& feature,
                          const Vector3& x, const Vector3& d);
// Up to an angle of about `tolerance`.
inline bool in_normal_cone(const Geometry& geometry, const Pose& pose, const Feature& feature,
                           const Vector3& x, const Vector3& d, double tolerance) {
  return normal_cone_margin(geometry, pose, feature, x, d) >= -tolerance;
}

// False for sharp features that meet in a point only: corners against corners, edges and rims. Their distance has no
// normal when they touch, and there is always a neighbour that has one (a face under the corner, a crossing of edges).
enum class Sharpness : std::uint8_t { none, curve, corner };
Sharpness sharpness_of(const Geometry& geometry, const Feature& feature);
inline bool can_carry(Sharpness a, Sharpness b) {
  return !(a == Sharpness::corner && b != Sharpness::none) &&
         !(b == Sharpness::corner && a != Sharpness::none);
}
bool can_carry(const Geometry& a, const Feature& fa, const Geometry& b, const Feature& fb);

// How far two sharp curves (edges, rims) that touch are from running side by side, where their normal is lost; negative:
// too near. Infinite for all other contacts [-].
double crossing_margin(const FeatureContact& contact, const Feature& fa, const Feature& fb);

// Balls and ellipsoids touch another convex shape at one point however they lie.
bool has_one_contact(const Geometry& geometry, const Feature& feature);

// Rates of normal and of the two points, as they wander over the surfaces, when the material of a at point_a moves with
// velocity v_a and angular velocity w_a (world axes), likewise b:
//
//   ẋ_i = v_i + T_i u̇_i,   ẋ_b − ẋ_a = ġ n + g ṅ,   (w_i × T_i + n second_i u̇_i)ᵀ n + T_iᵀ ṅ = 0             (1)
struct ContactRates {
  Vector3 normal = Vector3::Zero();                              // ṅ [1/s]
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();  // [m/s]
};
ContactRates contact_rates(const FeatureContact& contact, const Vector3& v_a, const Vector3& w_a,
                           const Vector3& v_b, const Vector3& w_b);

}  // namespace delassus
