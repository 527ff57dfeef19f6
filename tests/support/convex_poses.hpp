// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Pairs of convex shapes in poses whose distance is known before anything is computed.
//
// Choose n, a point x of the supporting set of A in direction n and a point y of that of B in direction −n, and place B
// so that y = x + g n. Then |y − x| = g proves d ≤ g and the supporting planes prove d ≥ g: for g > 0 the distance is g.
// For g < 0 the planes still prove d ≥ g.
//
// Normals are drawn in general position, exactly on faces, edges, sides and disks, and off these by angles of
// 1e-3 … 1e-12, and edges and axes of the two bodies are aligned to the same angles: where distances are hard.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "delassus/collision/geometry.hpp"
#include "random_problem.hpp"
#include "surfaces.hpp"

namespace delassus::testing {

struct Solid {
  std::string name;
  Shape shape;
  std::shared_ptr<const Geometry> geometry;
};

// One of every convex kind, of unit size.
inline std::vector<Solid> make_solids() {
  std::vector<Solid> out;
  const auto add = [&](const std::string& name, const Shape& shape) {
    out.push_back({name, shape, make_geometry(shape)});
  };
  add("sphere", {.kind = ShapeKind::sphere, .radius = 0.4});
  add("capsule", {.kind = ShapeKind::capsule, .radius = 0.2, .length = 0.9});
  add("box", {.kind = ShapeKind::box, .size = {1, 0.7, 0.4}});
  add("rounded_box", {.kind = ShapeKind::box, .size = {1, 0.7, 0.4}, .margin = 0.05});
  add("cylinder", {.kind = ShapeKind::cylinder, .radius = 0.35, .length = 0.9});
  add("cone", {.kind = ShapeKind::cone, .radius = 0.4, .length = 1});
  add("ellipsoid", {.kind = ShapeKind::ellipsoid, .size = {1, 0.7, 0.4}});
  std::vector<Vector3> prism, cloud;
  for (int i = 0; i < 12; ++i) {
    const double angle = (i / 2) * std::numbers::pi / 3;
    prism.emplace_back(0.5 * std::cos(angle), 0.5 * std::sin(angle), i % 2 == 0 ? -0.3 : 0.3);
  }
  add("prism", hull_shape(prism));
  Random random(5);
  for (int i = 0; i < 24; ++i) cloud.push_back(0.5 * Vector3(random.vector(3)).normalized());
  add("hull", hull_shape(cloud));
  return out;
}

inline double sign_of(double x) {
  return x > 0 ? 1 : -1;
}

// A point farthest in the unit direction m, in the frame of the shape; from the shape, not from its features.
inline Vector3 farthest_point(const Solid& solid, const Vector3& m) {
  const Shape& shape = solid.shape;
  const auto rim = [&](double z) {
    const double length = std::hypot(m.x(), m.y());
    const double factor = length > 0 ? shape.radius / length : 0;
    return Vector3(factor * m.x(), factor * m.y(), z);
  };
  switch (shape.kind) {
    case ShapeKind::sphere:
      return shape.radius * m;
    case ShapeKind::capsule:
      return shape.radius * m + Vector3(0, 0, sign_of(m.z()) * shape.length / 2);
    case ShapeKind::box: {
      const Vector3 half = shape.size / 2 - Vector3::Constant(shape.margin);
      return shape.margin * m + half.cwiseProduct(m.unaryExpr(&sign_of));
    }
    case ShapeKind::cylinder:
      return rim(sign_of(m.z()) * shape.length / 2);
    case ShapeKind::cone: {
      const Vector3 low = rim(-shape.length / 2), apex(0, 0, shape.length / 2);
      return apex.dot(m) > low.dot(m) ? apex : low;
    }
    case ShapeKind::ellipsoid: {
      const Vector3 half = shape.size / 2, stretched = half.cwiseProduct(m);
      return half.cwiseProduct(stretched) / stretched.norm();
    }
    default: {
      const auto& points = shape.surface->vertices;
      return *std::max_element(points.begin(), points.end(),
                               [&](const Vector3& x, const Vector3& y) { return x.dot(m) < y.dot(m); });
    }
  }
}

// s(n) of the two solids, relative to their origins.
inline double reference_separation(const Solid& a, const Pose& pose_a, const Solid& b, const Pose& pose_b,
                                   const Vector3& n) {
  const Vector3 n_a = pose_a.local_vector(n), n_b = -pose_b.local_vector(n);
  return n.dot(pose_b.p - pose_a.p) - n_a.dot(farthest_point(a, n_a)) - n_b.dot(farthest_point(b, n_b));
}

inline Vector3 random_direction(Random& random) {
  const double z = random.uniform(-1, 1), angle = random.uniform(0, 2 * std::numbers::pi);
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

inline Vector3 random_tangent(Random& random, const Vector3& m) {
  const Vector3 t = random_direction(random);
  return (t - t.dot(m) * m).normalized();
}

// Between 1e-3 and 1e-12.
inline double small_angle(Random& random) {
  return std::pow(10.0, -random.uniform(3, 12));
}

// A unit normal, a point of its supporting set and a direction across the normal that matters there.
struct Touch {
  Vector3 m, x, along;
};

inline Touch touch_anywhere(const Solid& solid, Random& random) {
  Touch out;
  out.m = random_direction(random);
  out.x = farthest_point(solid, out.m);
  out.along = random_tangent(random, out.m);
  return out;
}

inline Touch touch_disk(const Shape& shape, double side, Random& random) {
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const double r = shape.radius * std::sqrt(random.uniform(0, 1));
  const Vector3 across = random_tangent(random, Vector3::UnitZ());
  return {
      side * Vector3::UnitZ(), {r * std::cos(angle), r * std::sin(angle), side * shape.length / 2}, across};
}

// The side of a cylinder, cone or capsule, along one of its lines.
inline Touch touch_side(const Shape& shape, Random& random) {
  const double angle = random.uniform(0, 2 * std::numbers::pi), part = random.uniform(0, 1);
  const Vector3 e(std::cos(angle), std::sin(angle), 0), top(0, 0, shape.length / 2);
  const Vector3 low = shape.radius * e - top;
  const Vector3 high = shape.kind == ShapeKind::cone ? top : Vector3(shape.radius * e + top);
  const Vector3 along = (high - low).normalized();
  return {(e - e.dot(along) * along).normalized(), low + part * (high - low), along};
}

// A face or an edge of a polytope; of a rounded one `rounding` outside of it.
inline Touch touch_polytope(const Geometry& geometry, Random& random) {
  const double rounding = geometry.points[0].radius;
  Touch out;
  if (random.integer(0, 1) == 0) {
    const GeometryEdge& edge = geometry.edges[random.integer(0, static_cast<int>(geometry.edges.size()) - 1)];
    const double part = random.uniform(0.05, 0.95);
    out.along = (edge.x[1] - edge.x[0]).normalized();
    out.m = part * geometry.faces[edge.face[0]].normal + (1 - part) * geometry.faces[edge.face[1]].normal;
    out.m = (out.m - out.m.dot(out.along) * out.along).normalized();
    out.x = edge.x[0] + random.uniform(0, 1) * (edge.x[1] - edge.x[0]);
  } else {
    const GeometryFace& face = geometry.faces[random.integer(0, static_cast<int>(geometry.faces.size()) - 1)];
    out.m = face.normal;
    out.x.setZero();
    double sum = 0;
    for (const int i : geometry.loop(face)) {
      const double weight = random.uniform(0, 1);
      out.x += weight * geometry.points[i].x;
      sum += weight;
    }
    out.x /= sum;
    const auto loop = geometry.loop(face);
    out.along = (geometry.points[loop[1]].x - geometry.points[loop[0]].x).normalized();
  }
  out.x += rounding * out.m;
  return out;
}

inline Touch random_touch(const Solid& solid, Random& random) {
  const Shape& shape = solid.shape;
  const bool smooth = shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::ellipsoid;
  if (smooth || random.integer(0, 2) == 0) return touch_anywhere(solid, random);
  Touch out;
  if (shape.kind == ShapeKind::box || shape.kind == ShapeKind::hull)
    out = touch_polytope(*solid.geometry, random);
  else if (shape.kind == ShapeKind::capsule || random.integer(0, 1) == 0)
    out = touch_side(shape, random);
  else
    out = touch_disk(shape, shape.kind == ShapeKind::cone ? -1 : sign_of(random.uniform(-1, 1)), random);
  if (random.integer(0, 1) == 0) return out;
  // Nearly there.
  const Vector3 t = random.integer(0, 1) == 0 ? out.along : random_tangent(random, out.m);
  out.m = (out.m + small_angle(random) * t).normalized();
  out.x = farthest_point(solid, out.m);
  return out;
}

struct KnownPair {
  Pose pose_a, pose_b;
  Vector3 normal;
  double gap;  // d where > 0, a lower bound of d where < 0
};

inline KnownPair make_known_pair(const Solid& a, const Solid& b, double gap, Random& random) {
  const Touch x = random_touch(a, random), y = random_touch(b, random);
  const auto frame = [](const Vector3& m, const Vector3& along) {
    Matrix3 out;
    out.col(0) = m;
    out.col(1) = (along - along.dot(m) * m).normalized();
    out.col(2) = out.col(0).cross(out.col(1));
    return out;
  };
  KnownPair out;
  out.gap = gap;
  out.normal = random_direction(random);
  const Matrix3 world = frame(out.normal, random_tangent(random, out.normal));
  double twist = random.integer(0, 3) * (std::numbers::pi / 2);
  const int kind = random.integer(0, 3);
  if (kind == 0) twist += small_angle(random);
  if (kind > 1) twist = random.uniform(0, 2 * std::numbers::pi);
  const Vector3 along = std::cos(twist) * world.col(1) + std::sin(twist) * world.col(2);
  out.pose_a.R = world * frame(x.m, x.along).transpose();
  out.pose_b.R = frame(-out.normal, along) * frame(y.m, y.along).transpose();
  out.pose_a.p = random_direction(random);
  out.pose_b.p = out.pose_a.p + out.pose_a.R * x.x + gap * out.normal - out.pose_b.R * y.x;
  return out;
}

inline Pose random_pose(Random& random, double reach) {
  Pose out;
  const Vector3 axis = random_direction(random);
  out.R = Eigen::AngleAxisd(random.uniform(0, std::numbers::pi), axis).toRotationMatrix();
  out.p = random.uniform(0, reach) * random_direction(random);
  return out;
}

// The greatest s(n) that is met by climbing from n with random steps that shrink to 1e-9: a lower bound of d.
inline double climb_at_random(const Solid& a, const Pose& pose_a, const Solid& b, const Pose& pose_b,
                              Vector3 n, Random& random) {
  double best = reference_separation(a, pose_a, b, pose_b, n);
  for (double step = 0.3; step > 1e-9; step *= 0.4)
    for (int i = 0; i < 16; ++i) {
      const Vector3 next = (n + step * random.uniform(0, 1) * random_tangent(random, n)).normalized();
      const double s = reference_separation(a, pose_a, b, pose_b, next);
      if (s > best) best = s, n = next;
    }
  return best;
}

}  // namespace delassus::testing
