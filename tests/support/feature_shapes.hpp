// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Geometries of one feature each, built by hand so that the feature touches a given plane from one side: a point x of
// its surface with outward normal d. Two of them on both sides of a slab of width g > 0 are exactly g apart.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "delassus/collision/feature_contact.hpp"

namespace delassus::testing {

inline constexpr double k_infinity = std::numeric_limits<double>::infinity();

class RandomPoses {
 public:
  explicit RandomPoses(std::uint64_t seed) : generator_(seed) {}
  double between(double lo, double hi) { return lo + (hi - lo) * unit_(generator_); }
  Vector3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  Vector3 direction() {
    for (;;) {
      const Vector3 v = vector(1);
      if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
  }
  Vector3 perpendicular(const Vector3& n) { return n.cross(direction_off(n)).normalized(); }
  Pose pose() { return {Eigen::AngleAxisd(between(-3, 3), direction()).toRotationMatrix(), vector(1)}; }

 private:
  Vector3 direction_off(const Vector3& n) {
    for (;;) {
      const Vector3 d = direction();
      if (n.cross(d).norm() > 0.2) return d;
    }
  }
  std::mt19937_64 generator_;
  std::uniform_real_distribution<double> unit_{0.0, 1.0};
};

// A geometry in its pose, and the feature of it that is meant.
struct Subject {
  Geometry geometry;
  Pose pose;
  Feature feature;
  double margin = k_infinity;         // of the point that it was built for
  Vector3 tangent = Vector3::Zero();  // of a curve or generator, there
};

inline FeatureContact contact_of(const Subject& a, const Subject& b) {
  return feature_contact(a.geometry, a.pose, a.feature, b.geometry, b.pose, b.feature);
}

// What is given in world axes, in the axes of another pose.
inline void move_to_pose(Subject& subject, const Pose& pose) {
  Geometry& g = subject.geometry;
  for (GeometryPoint& point : g.points) point.x = pose.local_point(point.x);
  for (Vector3& arm : g.arms) arm = pose.local_vector(arm);
  for (GeometryEdge& edge : g.edges)
    for (int i = 0; i < 2; ++i) {
      edge.x[i] = pose.local_point(edge.x[i]);
      edge.arm[i] = pose.local_vector(edge.arm[i]);
    }
  for (GeometryFace& face : g.faces) {
    face.x = pose.local_point(face.x);
    face.normal = pose.local_vector(face.normal);
  }
  for (GeometryCircle& circle : g.circles) {
    circle.center = pose.local_point(circle.center);
    circle.axis = pose.local_vector(circle.axis);
  }
  g.center = pose.local_point(g.center);
  subject.pose = pose;
}

inline Subject make_point(const Vector3& x, double radius) {
  Subject out;
  out.geometry.points.push_back({x, radius});
  out.geometry.center = x;
  out.feature = {FeatureKind::point, 0};
  return out;
}

// Closed: it ends in points.
inline Subject make_edge(const Vector3& x0, const Vector3& x1, double radius0, double radius1, bool closed) {
  Subject out;
  GeometryEdge edge;
  edge.x[0] = x0;
  edge.x[1] = x1;
  edge.radius[0] = radius0;
  edge.radius[1] = radius1;
  if (closed) edge.point[0] = 0, edge.point[1] = 1;
  out.geometry.edges.push_back(edge);
  out.geometry.center = 0.5 * (x0 + x1);
  out.feature = {FeatureKind::edge, 0};
  return out;
}

inline Subject make_circle(const Vector3& center, const Vector3& axis, double radius) {
  Subject out;
  GeometryCircle circle;
  circle.center = center;
  circle.axis = axis;
  circle.radius = radius;
  out.geometry.circles.push_back(circle);
  out.geometry.center = center - radius * axis;
  out.feature = {FeatureKind::circle, 0};
  return out;
}

inline Subject make_polygon(const std::vector<Vector3>& corners, const Vector3& normal, double rounding) {
  Subject out;
  GeometryFace face;
  face.normal = normal;
  face.x = corners[0];
  face.rounding = rounding;
  face.count = static_cast<int>(corners.size());
  for (const Vector3& corner : corners) {
    out.geometry.loops.push_back(static_cast<int>(out.geometry.points.size()));
    out.geometry.points.push_back({corner, rounding});
  }
  out.geometry.faces.push_back(face);
  out.geometry.center = corners[0] - normal;
  out.feature = {FeatureKind::face, 0};
  return out;
}

inline Subject make_disk(const Vector3& center, const Vector3& normal, double radius) {
  Subject out;
  GeometryFace face;
  face.normal = normal;
  face.x = center;
  face.radius = radius;
  out.geometry.faces.push_back(face);
  out.geometry.center = center - normal;
  out.feature = {FeatureKind::face, 0};
  return out;
}

inline Subject make_ellipsoid(const Vector3& semi_axes, const Pose& pose) {
  Subject out;
  out.geometry.semi_axes = semi_axes;
  out.pose = pose;
  out.feature = {FeatureKind::ellipsoid, 0};
  return out;
}

enum class Kind {
  corner,
  ball,
  sharp_edge,
  capsule_axis,
  cylinder_side,
  cone_side,
  polygon,
  rounded_polygon,
  disk,
  half_space,
  rim,
  ellipsoid
};
inline constexpr std::array k_kinds = {
    Kind::corner,        Kind::ball,       Kind::sharp_edge, Kind::capsule_axis,
    Kind::cylinder_side, Kind::cone_side,  Kind::polygon,    Kind::rounded_polygon,
    Kind::disk,          Kind::half_space, Kind::rim,        Kind::ellipsoid};
inline constexpr std::array k_kind_names = {"corner",        "ball",       "sharp edge", "capsule axis",
                                            "cylinder side", "cone side",  "polygon",    "rounded polygon",
                                            "disk",          "half space", "rim",        "ellipsoid"};

inline Subject touching_polygon(RandomPoses& random, const Vector3& x, const Vector3& d, double rounding) {
  const Vector3 u = random.perpendicular(d), v = d.cross(u);
  std::vector<Vector3> corners;
  const int count = 3 + static_cast<int>(random.between(0, 4));
  for (int i = 0; i < count; ++i) {
    const double angle = (i + random.between(-0.2, 0.2)) * 2 * std::numbers::pi / count;
    corners.push_back(x - rounding * d + std::cos(angle) * u + std::sin(angle) * v);
  }
  Subject out = make_polygon(corners, d, rounding);
  for (int i = 0; i < count; ++i) {
    const Vector3 p = corners[static_cast<std::size_t>(i)];
    const Vector3 along = corners[static_cast<std::size_t>((i + 1) % count)] - p;
    out.margin = std::min(out.margin, along.cross(x - rounding * d - p).norm() / along.norm());
  }
  return out;
}

// `across`: its direction in the plane of contact.
inline Subject touching_edge(RandomPoses& random, const Vector3& x, const Vector3& d, const Vector3& across,
                             double radius, double slope, bool closed) {
  const Vector3 e = -slope * d + std::sqrt(1 - slope * slope) * across;  // dᵀe = −slope
  const double s0 = random.between(0.05, 0.8), s1 = random.between(0.05, 0.8);
  const Vector3 core = x - radius * d;
  Subject out = make_edge(core - s0 * e, core + s1 * e, radius - slope * s0, radius + slope * s1, closed);
  out.margin = std::min(s0, s1);
  out.tangent = across;
  if (radius == 0) {
    GeometryEdge& edge = out.geometry.edges[0];
    const Vector3 sideways = e.cross(d);
    for (int i = 0; i < 2; ++i) {
      const double angle = random.between(0.1, 1.4);
      edge.arm[i] = -std::sin(angle) * d + (i == 0 ? 1 : -1) * std::cos(angle) * sideways;
    }
    out.geometry.center -= d;
  }
  return out;
}

// d = cos γ radial + sin γ axis: between the disk and the side of a cylinder.
inline Subject touching_rim(RandomPoses& random, const Vector3& x, const Vector3& d, double gamma,
                            const Vector3& tangent) {
  const Vector3 across = d.cross(tangent);
  const double radius = random.between(0.3, 1.0);
  const Vector3 radial = std::cos(gamma) * d + std::sin(gamma) * across;
  const Vector3 axis = std::sin(gamma) * d - std::cos(gamma) * across;
  Subject out = make_circle(x - radius * radial, axis, radius);
  out.tangent = tangent;
  return out;
}

inline Subject touching_ellipsoid(const Vector3& semi_axes, const Pose& turned, const Vector3& x,
                                  const Vector3& d) {
  Pose pose = turned;
  const Vector3 local = semi_axes.cwiseProduct(pose.R.transpose() * d);
  pose.p = x - pose.R * semi_axes.cwiseProduct(local) / local.norm();
  return make_ellipsoid(semi_axes, pose);
}

// The feature of this kind with the surface point x and the outward normal d, in a random pose. `across`: direction of
// an edge, tangent of a rim.
inline Subject touching(RandomPoses& random, Kind kind, const Vector3& x, const Vector3& d,
                        const Vector3& across) {
  const double radius = random.between(0.2, 0.5);
  Subject out;
  switch (kind) {
    case Kind::corner:
      out = make_point(x, 0);
      break;
    case Kind::ball:
      out = make_point(x - radius * d, radius);
      break;
    case Kind::sharp_edge:
      out = touching_edge(random, x, d, across, 0, 0, true);
      break;
    case Kind::capsule_axis:
      out = touching_edge(random, x, d, across, radius, 0, true);
      break;
    case Kind::cylinder_side:
      out = touching_edge(random, x, d, across, radius, 0, false);
      break;
    case Kind::cone_side:
      out = touching_edge(random, x, d, across, radius + 0.5, random.between(-0.6, 0.6), false);
      break;
    case Kind::polygon:
      out = touching_polygon(random, x, d, 0);
      break;
    case Kind::rounded_polygon:
      out = touching_polygon(random, x, d, 0.1 * radius);
      break;
    case Kind::disk: {
      const double offset = random.between(0, 0.4), disk_radius = random.between(0.5, 1);
      out = make_disk(x + offset * random.perpendicular(d), d, disk_radius);
      out.margin = disk_radius - offset;
      break;
    }
    case Kind::half_space:
      out = make_disk(x + random.perpendicular(d), d, k_infinity);
      break;
    case Kind::rim:
      out = touching_rim(random, x, d, random.between(0.15, 1.4), across);
      break;
    case Kind::ellipsoid: {
      const Vector3 a(random.between(0.2, 1), random.between(0.2, 1), random.between(0.2, 1));
      return touching_ellipsoid(a, random.pose(), x, d);
    }
  }
  move_to_pose(out, random.pose());
  return out;
}

inline Subject touching(RandomPoses& random, Kind kind, const Vector3& x, const Vector3& d) {
  const Vector3 across = random.perpendicular(d);
  return touching(random, kind, x, d, across);
}

inline FeatureKind feature_kind(Kind kind) {
  switch (kind) {
    case Kind::corner:
    case Kind::ball:
      return FeatureKind::point;
    case Kind::sharp_edge:
    case Kind::capsule_axis:
    case Kind::cylinder_side:
    case Kind::cone_side:
      return FeatureKind::edge;
    case Kind::rim:
      return FeatureKind::circle;
    case Kind::ellipsoid:
      return FeatureKind::ellipsoid;
    default:
      return FeatureKind::face;
  }
}

// Below zero the distance of two sharp features of which one is a point goes up again.
inline bool is_signed(Kind a, Kind b) {
  const auto thin = [](Kind kind) {
    return kind == Kind::corner || kind == Kind::sharp_edge || kind == Kind::rim;
  };
  return !(thin(a) && thin(b) && (a == Kind::corner || b == Kind::corner));
}

// Two features on both sides of a slab of width `gap`.
struct TouchingPair {
  Subject a, b;
  Vector3 n, point_a;
  // Between two curves; 1 for others.
  double sine() const {
    return a.tangent.isZero() || b.tangent.isZero() ? 1 : a.tangent.cross(b.tangent).norm();
  }
};

// Below zero two sharp curves of which one is bent touch as long as they cross steeply enough: the squared sine between
// them must exceed depth over radius (the radii here are ≥ 0.3), or the two crossings have become one.
inline bool crosses(const TouchingPair& pair, double gap) {
  constexpr double safety = 4, smallest_radius = 0.3;
  return pair.sine() * pair.sine() > -safety * gap / smallest_radius;
}

inline TouchingPair make_touching(RandomPoses& random, Kind kind_a, Kind kind_b, double gap) {
  TouchingPair out;
  out.n = random.direction();
  out.point_a = random.vector(0.5);
  out.a = touching(random, kind_a, out.point_a, out.n);
  out.b = touching(random, kind_b, out.point_a + gap * out.n, -out.n);
  return out;
}

// The contact of the branch that has it; `other`: that of the other branch of a circle.
inline FeatureContact contact_of_branch(TouchingPair& pair, double gap, FeatureContact* other = nullptr) {
  Subject* rim = pair.a.feature.kind == FeatureKind::circle   ? &pair.a
                 : pair.b.feature.kind == FeatureKind::circle ? &pair.b
                                                              : nullptr;
  const FeatureContact first = contact_of(pair.a, pair.b);
  if (rim == nullptr) return first;
  rim->feature.branch = 1;
  const FeatureContact second = contact_of(pair.a, pair.b);
  const auto error = [&](const FeatureContact& c) {
    return c.inside ? std::abs(c.gap - gap) + (c.point_a - pair.point_a).norm() : k_infinity;
  };
  const bool use_second = error(second) < error(first);
  rim->feature.branch = use_second ? 1 : 0;
  if (other != nullptr) *other = use_second ? first : second;
  return use_second ? second : first;
}

// How far the closed convex feature reaches along d.
inline double support(const Subject& subject, const Vector3& d) {
  const Geometry& g = subject.geometry;
  const Pose& pose = subject.pose;
  double out = -k_infinity;
  switch (subject.feature.kind) {
    case FeatureKind::edge:
      for (int i = 0; i < 2; ++i)
        out = std::max(out, d.dot(pose.point(g.edges[0].x[i])) + g.edges[0].radius[i]);
      return out;
    case FeatureKind::ellipsoid:
      return d.dot(pose.p) + g.semi_axes.cwiseProduct(pose.R.transpose() * d).norm();
    default:
      break;
  }
  if (subject.feature.kind == FeatureKind::face && g.faces[0].radius > 0)
    return d.dot(pose.point(g.faces[0].x)) +
           g.faces[0].radius * d.cross(pose.vector(g.faces[0].normal)).norm();
  for (const GeometryPoint& point : g.points) out = std::max(out, d.dot(pose.point(point.x)) + point.radius);
  return out;
}

// The smallest value of a convex function of s in [0, 1], by golden sections.
template <class Function>
double smallest_value(const Function& f) {
  const double ratio = 0.5 * (std::sqrt(5.0) - 1);
  double lo = 0, hi = 1, s0 = hi - ratio, s1 = lo + ratio, f0 = f(s0), f1 = f(s1);
  double best = std::min({f(0.0), f(1.0), f0, f1});
  for (int i = 0; i < 80; ++i) {
    if (f0 < f1) {
      hi = s1, s1 = s0, f1 = f0;
      s0 = hi - ratio * (hi - lo), f0 = f(s0);
    } else {
      lo = s0, s0 = s1, f0 = f1;
      s1 = lo + ratio * (hi - lo), f1 = f(s1);
    }
    best = std::min({best, f0, f1});
  }
  return best;
}

// Distance of x from a rod with balls as ends.
inline double distance_from_edge(const Subject& subject, const Vector3& x) {
  const GeometryEdge& edge = subject.geometry.edges[0];
  const Vector3 y = subject.pose.local_point(x);
  return smallest_value([&](double s) {
    return (y - (1 - s) * edge.x[0] - s * edge.x[1]).norm() - (1 - s) * edge.radius[0] - s * edge.radius[1];
  });
}

// How far x lies outside of the closed convex feature, up to a factor.
inline double depth_outside(const Subject& subject, const Vector3& x) {
  const Geometry& g = subject.geometry;
  const Vector3 y = subject.pose.local_point(x);
  switch (subject.feature.kind) {
    case FeatureKind::edge:
      return distance_from_edge(subject, x);
    case FeatureKind::ellipsoid:
      return y.cwiseQuotient(g.semi_axes).norm() - 1;
    case FeatureKind::point:
      return (y - g.points[0].x).norm() - g.points[0].radius;
    default:
      break;
  }
  const GeometryFace& face = g.faces[0];
  if (face.radius > 0)
    return std::max(std::abs(face.normal.dot(y - face.x)), (y - face.x).norm() - face.radius);
  const double height = face.normal.dot(y - g.points[0].x);
  double out = std::abs(height) - face.rounding;
  for (std::size_t i = 0; i < g.points.size(); ++i) {
    const Vector3 p = g.points[i].x, e = (g.points[(i + 1) % g.points.size()].x - p).normalized();
    const double beyond = e.cross(face.normal).dot(y - p);
    out = std::max(out, std::hypot(beyond, height) - face.rounding > 0 ? beyond - face.rounding : -1.0);
  }
  return out;
}

}  // namespace delassus::testing
