// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The sharp rim of a disk against edges, faces and other rims.
//
// Edge (line through o along e). Seen along e, the rim is an ellipse with semi-axes R and b = R |Aᵀe|, and the line a
// point (X, Y) relative to its centre. At the angle φ from the diameter perpendicular to e, with (radial)ᵀe = σ sin φ,
// σ = |A × e|, half the derivative of the squared distance is
//
//   G(φ) = R X sin φ − b Y cos φ − (R² − b²) sin φ cos φ                                                            (1)
//
// G/sin φ has the slope  b Y/sin²φ + (R² − b²) sin φ:  each half of the rim has at most one minimum, where it is
// increasing, between the two zeros of that slope. Tapered rods: minima of  h √(1−k²) − k z  over φ, by search.
//
// Branches. Two minima lie on different halves: 0 where the edge, from its first end to its second, enters the disk
// (radialᵀe < 0), 1 where it leaves. A minimum alone is branch 0 up to radialᵀe = ½, else 1: edges that touch along the
// tangent or parallel to the axis have radialᵀe = 0 up to round-off and must not flicker between two identities.
//
// Two rims. F(α) = squared distance of the point of a from the whole of b; its minima by search. Of two the branch is 0
// where  (axis_a × direction to the centre of b)ᵀ radial_a  is smaller: the crossings of two disks that overlap, seen
// from above the disk of a, right and left of the line of centres. A minimum alone as above.
#include <optional>

#include "delassus/collision/contact_geometry.hpp"
#include "delassus/collision/feature_pairs.hpp"
#include "delassus/collision/feature_search.hpp"

namespace delassus::feature_pairs {

namespace {

constexpr double k_alone = 0.5;  // key above which a minimum alone is branch 1
// Searches over the full circle. A cone that an edge of the disk's plane nearly touches along the rim's tangent has two
// minima close to each other: the search between samples finds them from this many on.
constexpr int k_rod_samples = 48, k_rim_samples = 32;
// Sine between a face and a disk that lies flat on it: which point of the rim is the lowest is left to chance, and the
// lowest of the eight points on the rim is higher by less than 1e-10 of the radius.
constexpr double k_flat = 1e-9;

// A nearest point of the rim with `s` along the rod (rod-rim), or the angle on a (rim-rim).
struct Stationary {
  double s = 0;
  double key = 0;    // orders the branches, in [−1, 1]
  double value = 0;  // orders by distance
  Vector3 radial = Vector3::UnitX();
};

struct StationaryPoints {
  Stationary of[2];
  int count = 0;
  // The two nearest ones, in the order of their keys.
  void add(const Stationary& point) {
    if (count < 2) {
      of[count++] = point;
    } else {
      const int far = of[0].value > of[1].value ? 0 : 1;
      if (point.value < of[far].value) of[far] = point;
    }
    if (count == 2 && of[1].key < of[0].key) std::swap(of[0], of[1]);
  }
  // Which one has this branch; −1: none.
  int index_of(int branch) const {
    if (count == 2) return branch;
    return count == 1 && branch == (of[0].key > k_alone ? 1 : 0) ? 0 : -1;
  }
};

// The rim in axes where the ellipse of (1) is in normal form.
struct RimAlongLine {
  Vector3 w, along;  // diameters perpendicular to e, and that nearest to e
  double sine, b, X, Y;
  RimAlongLine(const Rod& rod, const Rim& rim) {
    const Vector3 cross = rim.axis.cross(rod.e), to_line = rod.x - rim.center;
    const double cosine = rim.axis.dot(rod.e);
    sine = cross.norm();
    w = usable_direction(rim.axis, {cross, to_line - rod.e * rod.e.dot(to_line)});
    along = w.cross(rim.axis);
    const Vector3 y = (cosine > 0 ? w.cross(rod.e) : rod.e.cross(w)).normalized();
    b = rim.radius * std::abs(cosine);
    X = w.dot(to_line);
    Y = y.dot(to_line);
  }
};

// The minimum of (1) on the half where  half · sin φ ≥ 0.
std::optional<double> minimum_on_half(const RimAlongLine& view, double R, double half) {
  const double b = view.b, X = view.X, Y = half * view.Y;
  const double squares = R * R * view.sine * view.sine;   // R² − b²
  const auto divided = [&](double sine, double cosine) {  // G/sin φ; only the sign matters where sin φ = 0
    return R * X - (b * Y == 0 ? 0 : b * Y * cosine / sine) - squares * cosine;
  };
  double lo = 0, hi = std::numbers::pi;
  // The point of the diameter's line itself belongs to one half only.
  if (Y < 0 || (Y == 0 && half < 0)) {
    const double cube = -b * Y / squares;
    if (!(cube < 1)) return std::nullopt;
    const double sine = std::cbrt(cube), cosine = std::sqrt(1 - sine * sine);
    if (!(divided(sine, cosine) < 0 && divided(sine, -cosine) > 0)) return std::nullopt;
    lo = std::asin(sine);
    hi = std::numbers::pi - lo;
  } else if (Y == 0) {
    if (divided(0, 1) >= 0) return 0.0;
    if (divided(0, -1) <= 0) return std::numbers::pi;
  }
  const double phi = solve_increasing(
      [&](double at) -> ValueAndSlope {
        const double s = std::sin(at), c = std::cos(at);
        return {R * X * s - b * Y * c - squares * s * c, R * X * c + b * Y * s - squares * (c * c - s * s)};
      },
      lo, hi);
  return half * phi;
}

StationaryPoints minima_of_line(const Rod& rod, const Rim& rim) {
  const RimAlongLine view(rod, rim);
  StationaryPoints out;
  for (const double half : {-1.0, 1.0}) {
    const std::optional<double> phi = minimum_on_half(view, rim.radius, half);
    if (!phi) continue;
    Stationary point;
    point.radial = std::cos(*phi) * view.w + std::sin(*phi) * view.along;
    const Vector3 from_end = rim.center + rim.radius * point.radial - rod.x;
    point.s = rod.e.dot(from_end);
    point.key = rod.e.dot(point.radial);
    point.value = (from_end - point.s * rod.e).norm();
    out.add(point);
  }
  return out;
}

StationaryPoints minima_of_cone(const Rod& rod, const Rim& rim) {
  const auto derivative = [&](double angle) -> ValueAndSlope {
    const Vector3 radial = rim.radial(angle), tangent = rim.axis.cross(radial);
    const Vector3 from_end = rim.center + rim.radius * radial - rod.x;
    const Vector3 p = from_end - rod.e * rod.e.dot(from_end);
    const double h = p.norm(), along = rod.e.dot(tangent), rise = p.dot(tangent) / h;
    const double bend = rim.radius * (1 - along * along - rise * rise) / h - p.dot(radial) / h;
    return {rod.cosine * rise - rod.slope * along, rod.cosine * bend + rod.slope * rod.e.dot(radial)};
  };
  // From the point below the line on: symmetric where the configuration is.
  const Vector3 start = usable_direction(rim.axis, {rod.x - rim.center, rod.e});
  const Minima minima =
      find_minima(derivative, std::atan2(start.dot(rim.v), start.dot(rim.u)), k_rod_samples);
  StationaryPoints out;
  // Coaxial: every point is as near as another.
  for (int i = 0; i < std::max(minima.count, 1); ++i) {
    Stationary point;
    point.radial = minima.count == 0 ? rim.u : rim.radial(minima.angle[static_cast<std::size_t>(i)]);
    const Vector3 from_end = rim.center + rim.radius * point.radial - rod.x;
    const double z = rod.e.dot(from_end), h = (from_end - z * rod.e).norm();
    point.s = z + h * rod.slope / rod.cosine;
    point.key = rod.e.dot(point.radial);
    point.value = h / rod.cosine - rod.radius_at(point.s);
    out.add(point);
  }
  return out;
}

StationaryPoints minima_of(const Rod& rod, const Rim& rim) {
  return rod.slope == 0 ? minima_of_line(rod, rim) : minima_of_cone(rod, rim);
}

// At a stationary point inside of the rod. `two_sided`: with the sign of sharp curves.
FeatureContact rod_rim_at(const Rod& a, const Rim& b, const Stationary& at, bool two_sided,
                          const Vector3& hint, const Limits& limits = {}) {
  const Vector3 x = b.center + b.radius * at.radial, foot = a.at(at.s);
  const Vector3 outward = a.outward - b.outward(at.radial);
  const Vector3 tangent = b.axis.cross(at.radial), cross = a.e.cross(tangent);
  Vector3 n = direction_between(foot, x, {outward, hint});
  bool parallel = false;
  if (a.slope == 0 && (two_sided || coincide(foot, x))) {
    parallel = cross.norm() <= k_parallel_sharp;
    if (!parallel) n = oriented(usable_direction(a.e, {cross}), outward, hint);
  }
  FeatureContact out = make_contact(foot, a.radius_at(at.s), x, 0, n);
  out.margin = a.margin(at.s);
  settle(out);
  if (parallel && two_sided && a.sharp()) hand_over(out);
  if (limits.exclude(out)) return out;
  out.patch_a = rod_patch(a, at.s, n, k_side_a);
  out.patch_b = rim_patch(b, at.radial, n);
  return out;
}

FeatureContact end_rim_contact(const Rod& a, int end, const Rim& b, const Vector3& hint) {
  return a.open[end] ? closed_rim_rim(a.end_rim(end), b, hint) : ball_rim(a.end_ball(end), b, hint);
}

}  // namespace

FeatureContact closed_rod_rim(const Rod& a, const Rim& b, const Vector3& hint) {
  FeatureContact best = no_contact();
  const StationaryPoints points = minima_of(a, b);
  for (int i = 0; i < points.count; ++i)
    if (a.margin(points.of[i].s) >= 0) keep_nearer(best, rod_rim_at(a, b, points.of[i], false, hint));
  for (int i = 0; i < 2; ++i) keep_nearer(best, end_rim_contact(a, i, b, hint));
  hand_over(best);
  return best;
}

FeatureContact rod_rim(const Rod& a, const Rim& b, int branch, const Vector3& hint, const Limits& limits) {
  const StationaryPoints points = minima_of(a, b);
  const int i = points.index_of(branch);
  if (i < 0) {
    if (limits.margin > k_never) return no_contact();
    FeatureContact out = closed_rod_rim(a, b, hint);
    hand_over(out, k_never);
    return out;
  }
  const Stationary& at = points.of[i];
  const double margin = a.margin(at.s);
  if (margin >= 0 || a.continued)
    return rod_rim_at(a, b, at, a.sharp() || (a.has_arms && a.slope == 0), hint, limits);
  FeatureContact out = end_rim_contact(a, at.s < 0 ? 0 : 1, b, hint);
  hand_over(out, margin);
  return out;
}

FeatureContact face_rim(const Face& a, const Rim& b, const Vector3& hint, const Limits& limits) {
  const Vector3 n = a.normal;
  const Vector3 steepest = n - b.axis * n.dot(b.axis);
  const double sine = steepest.norm();
  const Vector3 radial = sine > k_flat ? usable_direction(b.axis, {-steepest / sine}) : b.u;
  const Vector3 x = b.center + b.radius * radial;
  const double height = n.dot(x) - a.offset;
  if (a.continued && height > limits.gap) return no_contact();
  const double inner = a.inner_distance(x);
  FeatureContact out;
  if (inner >= 0 || a.continued) {
    if (inner < limits.margin) return no_contact();
    out = make_contact(x - height * n, 0, x, 0, n);
    out.gap = height;
    out.margin = inner;
    out.patch_a = flat_patch(n);
    out.patch_b = rim_patch(b, radial, n);
  } else {
    out = swapped(ball_face({x, 0, b.outward(radial)}, a, -hint));
  }
  if (inner < 0 || sine <= k_flat) hand_over(out, inner);
  return out;
}

namespace {

// The nearest point of the rim to x, as its radial direction.
Vector3 nearest_radial(const Rim& rim, const Vector3& x) {
  return usable_direction(rim.axis, {x - rim.center});
}

StationaryPoints minima_of(const Rim& a, const Rim& b) {
  const auto derivative = [&](double angle) -> ValueAndSlope {
    const Vector3 radial_a = a.radial(angle), x_a = a.center + a.radius * radial_a;
    const Vector3 radial_b = nearest_radial(b, x_a);
    const Vector3 w = b.center + b.radius * radial_b - x_a;
    const Vector3 t_a = a.axis.cross(radial_a), t_b = b.axis.cross(radial_b);
    // Second derivatives of ½|w|² in both angles; that of b is eliminated.
    const double aa = a.radius * (a.radius + w.dot(radial_a)), bb = b.radius * (b.radius - w.dot(radial_b));
    const double ab = -a.radius * b.radius * t_a.dot(t_b);
    return {-a.radius * w.dot(t_a), aa - ab * ab / bb};
  };
  const Vector3 toward = usable_direction(a.axis, {b.center - a.center});
  const Minima minima = find_minima(derivative, std::atan2(toward.dot(a.v), toward.dot(a.u)), k_rim_samples);
  StationaryPoints out;
  for (int i = 0; i < minima.count; ++i) {
    Stationary point;
    point.radial = a.radial(minima.angle[static_cast<std::size_t>(i)]);
    const Vector3 x_a = a.center + a.radius * point.radial;
    point.key = a.axis.cross(toward).dot(point.radial);
    point.value = (b.center + b.radius * nearest_radial(b, x_a) - x_a).norm();
    out.add(point);
  }
  return out;
}

FeatureContact rim_rim_at(const Rim& a, const Rim& b, const Vector3& radial_a, bool two_sided,
                          const Vector3& hint, const Limits& limits = {}) {
  const Vector3 x_a = a.center + a.radius * radial_a;
  const Vector3 radial_b = nearest_radial(b, x_a), x_b = b.center + b.radius * radial_b;
  const Vector3 outward = a.outward(radial_a) - b.outward(radial_b);
  const Vector3 cross = a.axis.cross(radial_a).cross(b.axis.cross(radial_b));
  const bool parallel = cross.norm() <= k_parallel_sharp;
  const Vector3 n = two_sided && !parallel ? oriented(cross.normalized(), outward, hint)
                                           : direction_between(x_a, x_b, {outward, hint});
  FeatureContact out = make_contact(x_a, 0, x_b, 0, n);
  if (limits.exclude(out)) return out;
  out.patch_a = rim_patch(a, radial_a, n);
  out.patch_b = rim_patch(b, radial_b, n);
  if (parallel || !two_sided) hand_over(out);
  return out;
}

}  // namespace

FeatureContact closed_rim_rim(const Rim& a, const Rim& b, const Vector3& hint) {
  const StationaryPoints points = minima_of(a, b);
  // Coaxial: every point is as near as another.
  if (points.count == 0) return rim_rim_at(a, b, a.u, false, hint);
  FeatureContact best = no_contact();
  for (int i = 0; i < points.count; ++i)
    keep_nearer(best, rim_rim_at(a, b, points.of[i].radial, false, hint));
  return best;
}

FeatureContact rim_rim(const Rim& a, const Rim& b, int branch, const Vector3& hint, const Limits& limits) {
  const StationaryPoints points = minima_of(a, b);
  const int i = points.index_of(branch);
  if (i >= 0) return rim_rim_at(a, b, points.of[i].radial, true, hint, limits);
  if (limits.margin > k_never) return no_contact();
  FeatureContact out = closed_rim_rim(a, b, hint);
  hand_over(out, k_never);
  return out;
}

}  // namespace delassus::feature_pairs
