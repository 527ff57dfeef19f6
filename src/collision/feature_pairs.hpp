// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The features of feature_contact in world axes, and one function a pair of kinds. Internal to feature_contact.
//
//   Ball       |y − x| ≤ r                                           point
//   Rod        the balls at  c(s) = x + s e,  0 ≤ s ≤ L,  with  ρ(s) = ρ₀ + k s,  |k| < 1                     edge
//   Rim        x(θ) = c + R (u cos θ + v sin θ)                      circle
//   Face       nᵀ y = offset within a polygon, a disk, everywhere    face
//   Ellipsoid  Σ (yᵢ/aᵢ)² ≤ 1                                        ellipsoid
//
// The side of a rod at the point with outward unit normal d:  c(s) + ρ(s) d  with  dᵀe = −k                  (1)
//
// (the envelope of the balls). A rod ends in a ball, or in the rim of (1) at its last ball, where a cylinder or a cone
// goes on with its disk. Distances beyond the end are those from that border.
//
// Where two cores touch, their distance has no direction. Then the normal comes from `outward`, minus the sum of a
// feature's arms: the mean direction away from the solid, zero where it is unknown; and last from `hint`, the
// direction from the centre of a to that of b.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "delassus/collision/feature_contact.hpp"

namespace delassus::feature_pairs {

// Sines below which sharp curves are parallel (their normal is lost to round-off), and rounded ones (any pair of nearest
// points is as good as another: gaps differ by less than this times the length).
inline constexpr double k_parallel_sharp = 1e-9, k_parallel_rounded = 1e-11;

// Signs of the curvatures of a convex surface along the normal from a to b.
inline constexpr double k_side_a = -1, k_side_b = 1;

struct Ball {
  Vector3 x = Vector3::Zero();
  double radius = 0;
  Vector3 outward = Vector3::Zero();
};

struct Rim {
  Vector3 center = Vector3::Zero();
  Vector3 axis = Vector3::UnitZ(), u = Vector3::UnitX(), v = Vector3::UnitY();
  double radius = 0;
  double side_axial = 0, side_radial = 0;  // as GeometryCircle
  Vector3 radial(double angle) const { return std::cos(angle) * u + std::sin(angle) * v; }
  Vector3 outward(const Vector3& e) const { return (1 - side_radial) * e - side_axial * axis; }
};

struct Rod {
  Vector3 x = Vector3::Zero(), e = Vector3::UnitX();
  double length = 0;
  double radius = 0, slope = 0;   // ρ₀, k
  double cosine = 1;              // √(1 − k²)
  bool open[2] = {false, false};  // that end is a rim
  bool has_arms = false;
  bool continued = false;  // beyond its ends, Extent::continued
  Vector3 outward = Vector3::Zero();
  bool sharp() const { return radius == 0 && slope == 0; }
  Vector3 at(double s) const { return x + s * e; }
  double radius_at(double s) const { return radius + slope * s; }
  double margin(double s) const { return std::min(s, length - s); }
  Ball end_ball(int i) const;
  Rim end_rim(int i) const;
};

struct Face {
  const Geometry* geometry = nullptr;
  const GeometryFace* face = nullptr;
  const Pose* pose = nullptr;
  Vector3 normal = Vector3::UnitZ(), x = Vector3::Zero();
  double offset = 0;
  bool continued = false;  // beyond its border
  // The sides of a polygon with few of them, where they stand: a corner and the direction inward. Others are made anew.
  static constexpr int k_few_sides = 6;
  int num_sides = 0;
  Vector3 corners[k_few_sides], inward[k_few_sides];
  bool is_polygon() const { return face->radius == 0; }
  void place_sides();
  Vector3 corner(int i) const;
  Rod border(int i) const;  // of a polygon, from corner i to the next
  Rim rim() const;          // of a disk
  // Of the projection of y from the border, negative outside.
  double inner_distance(const Vector3& y) const;
};

struct Ellipsoid {
  Vector3 center = Vector3::Zero();
  Matrix3 R = Matrix3::Identity();
  Vector3 a = Vector3::Ones();
};

// The nearest point of an ellipsoid's surface: φ, its gradient (the outward normal) and foot.
struct EllipsoidFoot {
  double distance = 0;  // φ: negative inside
  Vector3 normal = Vector3::UnitZ(), x = Vector3::Zero();
};
EllipsoidFoot nearest_foot(const Ellipsoid& ellipsoid, const Vector3& y);

// Which contacts matter. Of the others it is enough to know that they are out: they may come back without patches, or
// as no_contact(). What is in is the same whatever the limits.
struct Limits {
  double gap = std::numeric_limits<double>::infinity();      // largest
  double margin = -std::numeric_limits<double>::infinity();  // smallest
  double slack = 0;                                          // beyond the round-off of positions
  bool exclude(const FeatureContact& contact) const { return contact.gap > gap || contact.margin < margin; }
  // Two cores with the sum of their radii whose distance has at least this square.
  bool exclude_distance(double square, double radii) const {
    const double reach = gap + radii + slack;
    return reach >= 0 && square > reach * reach;
  }
};

// n from a to b in all of them. `branch`: that of the circle (of a, for two).
FeatureContact ball_ball(const Ball& a, const Ball& b, const Vector3& hint, const Limits& limits = {});
FeatureContact ball_rod(const Ball& a, const Rod& b, const Vector3& hint, const Limits& limits = {});
FeatureContact ball_face(const Ball& a, const Face& b, const Vector3& hint, const Limits& limits = {});
FeatureContact ball_rim(const Ball& a, const Rim& b, const Vector3& hint, const Limits& limits = {});
FeatureContact ball_ellipsoid(const Ball& a, const Ellipsoid& b, const Limits& limits = {});
FeatureContact rod_rod(const Rod& a, const Rod& b, const Vector3& hint, const Limits& limits = {});
FeatureContact rod_rim(const Rod& a, const Rim& b, int branch, const Vector3& hint,
                       const Limits& limits = {});
FeatureContact rod_ellipsoid(const Rod& a, const Ellipsoid& b, const Limits& limits = {});
FeatureContact face_rim(const Face& a, const Rim& b, const Vector3& hint, const Limits& limits = {});
FeatureContact face_ellipsoid(const Face& a, const Ellipsoid& b, const Limits& limits = {});
FeatureContact rim_rim(const Rim& a, const Rim& b, int branch, const Vector3& hint,
                       const Limits& limits = {});
FeatureContact rim_ellipsoid(const Rim& a, const Ellipsoid& b, const Limits& limits = {});
FeatureContact ellipsoid_ellipsoid(const Ellipsoid& a, const Ellipsoid& b, const Limits& limits = {});
// Nearest points of the closed sets, without sign; never `inside`.
FeatureContact closed_rod_rim(const Rod& a, const Rim& b, const Vector3& hint);
FeatureContact closed_rim_rim(const Rim& a, const Rim& b, const Vector3& hint);

// The same pair the other way round.
void swap_sides(FeatureContact& contact);
inline FeatureContact swapped(FeatureContact contact) {
  swap_sides(contact);
  return contact;
}
// A pair that never touches: infinitely far.
FeatureContact no_contact();
// Points from the cores x_a, x_b with their radii; inside, without border or patches.
FeatureContact make_contact(const Vector3& x_a, double radius_a, const Vector3& x_b, double radius_b,
                            const Vector3& n);
// The margin of what has no nearest point of its own.
inline constexpr double k_never = -std::numeric_limits<double>::infinity();
// Marks it as handed over; `margin` ≤ 0 where it is known.
void hand_over(FeatureContact& contact, double margin = 0);
// Inside where its margin says so.
void settle(FeatureContact& contact);
// Keeps the nearer one.
void keep_nearer(FeatureContact& best, const FeatureContact& other);

// The first of the candidates whose part perpendicular to e (zero: any direction) is more than round-off, as a unit
// vector; an arbitrary one when none is.
Vector3 usable_direction(const Vector3& e, std::initializer_list<Vector3> candidates);
// Equal up to round-off.
bool coincide(const Vector3& x, const Vector3& y);
// Unit vector from x to y; from the candidates when they coincide up to round-off.
Vector3 direction_between(const Vector3& x, const Vector3& y, std::initializer_list<Vector3> candidates);
// n or −n: the one along `outward` (of a minus that of b); along `hint` where that is ambiguous.
Vector3 oriented(const Vector3& n, const Vector3& outward, const Vector3& hint);

SurfacePatch ball_patch(double radius, const Vector3& n, double side);
SurfacePatch rod_patch(const Rod& rod, double s, const Vector3& n, double side);
SurfacePatch rim_patch(const Rim& rim, const Vector3& radial, const Vector3& n);
SurfacePatch flat_patch(const Vector3& n);
// `outward`: the surface's normal at the contact, ±n.
SurfacePatch ellipsoid_patch(const Ellipsoid& ellipsoid, const Vector3& outward, const Vector3& n,
                             double side);

}  // namespace delassus::feature_pairs
