// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What all pairs share: ends and borders, directions where the distance has none, patches.
#include "delassus/collision/feature_pairs.hpp"

#include <limits>

#include "delassus/collision/contact_geometry.hpp"

namespace delassus::feature_pairs {

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_epsilon = std::numeric_limits<double>::epsilon();
// Parts of vectors (of arms: of length one; of positions: of the size of a shape) below this are round-off.
constexpr double k_no_direction = 1e-14;
// Arms this close to perpendicular to a normal do not tell its side.
constexpr double k_ambiguous = 1e-9;

}  // namespace

Ball Rod::end_ball(int i) const {
  const double s = i == 0 ? 0 : length;
  return {at(s), radius_at(s), outward};
}

// (1) of the header at the last ball.
Rim Rod::end_rim(int i) const {
  const Ball ball = end_ball(i);
  Rim rim;
  rim.center = ball.x - slope * ball.radius * e;
  rim.axis = i == 0 ? Vector3(-e) : e;
  make_tangents(rim.axis, rim.u, rim.v);
  rim.radius = cosine * ball.radius;
  return rim;
}

Vector3 Face::corner(int i) const {
  const int k = geometry->loop(*face)[static_cast<std::size_t>(i % face->count)];
  return pose->point(geometry->points[static_cast<std::size_t>(k)].x);
}

Rod Face::border(int i) const {
  Rod rod;
  rod.x = corner(i);
  const Vector3 along = corner(i + 1) - rod.x;
  rod.length = along.norm();
  if (rod.length > 0) rod.e = along / rod.length;
  rod.radius = face->rounding;
  rod.outward = normal;
  return rod;
}

Rim Face::rim() const {
  Rim rim;
  rim.center = x;
  rim.axis = normal;
  make_tangents(normal, rim.u, rim.v);
  rim.radius = face->radius;
  return rim;
}

double Face::inner_distance(const Vector3& y) const {
  if (!is_polygon()) {
    const Vector3 from_center = y - x;
    return face->radius - (from_center - normal * normal.dot(from_center)).norm();
  }
  double out = k_infinity;
  for (int i = 0; i < num_sides; ++i) out = std::min(out, inward[i].dot(y - corners[i]));
  for (int i = num_sides; i < face->count; ++i) {
    const Rod edge = border(i);
    out = std::min(out, normal.cross(edge.e).dot(y - edge.x));
  }
  return out;
}

void Face::place_sides() {
  if (!is_polygon() || face->count > k_few_sides) return;
  num_sides = face->count;
  for (int i = 0; i < num_sides; ++i) corners[i] = corner(i);
  for (int i = 0; i < num_sides; ++i) {
    const Vector3 along = corners[(i + 1) % num_sides] - corners[i];
    const double length = along.norm();
    inward[i] = normal.cross(length > 0 ? Vector3(along / length) : Rod{}.e);
  }
}

void swap_sides(FeatureContact& contact) {
  contact.normal = -contact.normal;
  std::swap(contact.point_a, contact.point_b);
  std::swap(contact.patch_a, contact.patch_b);
  for (SurfacePatch* patch : {&contact.patch_a, &contact.patch_b})
    for (double& second : patch->second) second = -second;
}

FeatureContact no_contact() {
  FeatureContact out;
  out.gap = k_infinity;
  out.margin = -k_infinity;
  out.inside = false;
  return out;
}

FeatureContact make_contact(const Vector3& x_a, double radius_a, const Vector3& x_b, double radius_b,
                            const Vector3& n) {
  FeatureContact out;
  out.gap = n.dot(x_b - x_a) - radius_a - radius_b;
  out.normal = n;
  out.point_a = x_a + radius_a * n;
  out.point_b = x_b - radius_b * n;
  out.margin = k_infinity;
  return out;
}

void hand_over(FeatureContact& contact, double margin) {
  contact.inside = false;
  contact.margin = std::min(margin, 0.0);
}

void settle(FeatureContact& contact) {
  contact.inside = contact.margin >= 0;
}

void keep_nearer(FeatureContact& best, const FeatureContact& other) {
  if (other.gap < best.gap) best = other;
}

Vector3 usable_direction(const Vector3& e, std::initializer_list<Vector3> candidates) {
  for (const Vector3& candidate : candidates) {
    const Vector3 part = candidate - e * e.dot(candidate);
    const double length = part.norm();
    if (!(length > k_no_direction * std::max(0.1, candidate.norm())) || !std::isfinite(length)) continue;
    // Once more: what was left along e by round-off has grown when the part is small.
    const Vector3 unit = part / length;
    return (unit - e * e.dot(unit)).normalized();
  }
  if (e.isZero()) return Vector3::UnitZ();
  Vector3 t1, t2;
  make_tangents(e, t1, t2);
  return t1;
}

bool coincide(const Vector3& x, const Vector3& y) {
  constexpr double operations = 4;  // that a position of a feature has gone through
  return !((y - x).norm() > operations * k_epsilon * (x.norm() + y.norm()));
}

Vector3 direction_between(const Vector3& x, const Vector3& y, std::initializer_list<Vector3> candidates) {
  if (!coincide(x, y)) return (y - x).normalized();
  return usable_direction(Vector3::Zero(), candidates);
}

Vector3 oriented(const Vector3& n, const Vector3& outward, const Vector3& hint) {
  const double along = n.dot(outward);
  const bool forward = std::abs(along) > k_ambiguous ? along > 0 : n.dot(hint) >= 0;
  return forward ? n : Vector3(-n);
}

SurfacePatch ball_patch(double radius, const Vector3& n, double side) {
  SurfacePatch out;
  if (radius <= 0) return out;
  out.dim = 2;
  make_tangents(n, out.tangents[0], out.tangents[1]);
  out.second[0] = out.second[2] = side / radius;
  return out;
}

SurfacePatch rod_patch(const Rod& rod, double s, const Vector3& n, double side) {
  SurfacePatch out;
  const double radius = rod.radius_at(s);
  out.dim = radius > 0 ? 2 : 1;
  out.tangents[0] = usable_direction(n, {rod.e});  // the generator
  if (out.dim == 1) return out;
  out.tangents[1] = n.cross(out.tangents[0]);
  out.second[2] = side / radius;  // the normal of (1) meets the axis after ρ(s)
  return out;
}

SurfacePatch rim_patch(const Rim& rim, const Vector3& radial, const Vector3& n) {
  SurfacePatch out;
  out.dim = 1;
  out.tangents[0] = usable_direction(n, {rim.axis.cross(radial)});
  out.second[0] = -n.dot(radial) / rim.radius;
  return out;
}

SurfacePatch flat_patch(const Vector3& n) {
  SurfacePatch out;
  out.dim = 2;
  make_tangents(n, out.tangents[0], out.tangents[1]);
  return out;
}

SurfacePatch ellipsoid_patch(const Ellipsoid& ellipsoid, const Vector3& outward, const Vector3& n,
                             double side) {
  SurfacePatch out;
  out.dim = 2;
  make_tangents(n, out.tangents[0], out.tangents[1]);
  // Curvatures  Tᵀ A⁻² T σ,  σ = |A n|: the gradient of ½ Σ (yᵢ/aᵢ)² has the length 1/σ.
  const double support = ellipsoid.a.cwiseProduct(ellipsoid.R.transpose() * outward).norm();
  const Vector3 t0 = (ellipsoid.R.transpose() * out.tangents[0]).cwiseQuotient(ellipsoid.a);
  const Vector3 t1 = (ellipsoid.R.transpose() * out.tangents[1]).cwiseQuotient(ellipsoid.a);
  out.second[0] = side * support * t0.dot(t0);
  out.second[1] = side * support * t0.dot(t1);
  out.second[2] = side * support * t1.dot(t1);
  return out;
}

}  // namespace delassus::feature_pairs
