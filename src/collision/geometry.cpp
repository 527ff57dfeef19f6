// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/geometry.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "delassus/model/hull.hpp"

namespace delassus {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();
// Points of a rim, at multiples of 45° from x: a disk that lies flat rests on as many.
constexpr int k_rim_points = 8;
// Faces that meet at a smaller angle are flat: well above the round-off of normals, well below what can be felt [rad].
constexpr double k_flat_angle = 1e-9;

// The direction of point i of a rim, without round-off on the axes.
Vector3 rim_direction(int i) {
  const double h = 0.5 * std::numbers::sqrt2;
  const double c[k_rim_points] = {1, h, 0, -h, -1, -h, 0, h};
  return {c[i], c[(i + 6) % k_rim_points], 0};
}

int add_point(Geometry& g, const Vector3& x, double radius, std::initializer_list<Vector3> arms) {
  g.points.push_back({.x = x,
                      .radius = radius,
                      .first_arm = static_cast<int>(g.arms.size()),
                      .num_arms = static_cast<int>(arms.size())});
  g.arms.insert(g.arms.end(), arms);
  return static_cast<int>(g.points.size()) - 1;
}

// A disk, its rim and the points there. These stand for the disk: their normal cone is its normal alone, hence arms on
// both sides along the rim and across it; otherwise the rim itself touches.
void add_disk(Geometry& g, const GeometryCircle& rim) {
  g.circles.push_back(rim);
  g.faces.push_back({.normal = rim.axis, .x = rim.center, .radius = rim.radius});
  for (int i = 0; i < k_rim_points; ++i) {
    const Vector3 e = rim_direction(i), t(-e.y(), e.x(), 0);
    add_point(g, rim.center + rim.radius * e, 0,
              {-e, e, rim.side_axial * rim.axis + rim.side_radial * e, t, -t});
  }
}

void add_capsule(Geometry& g, double radius, double length) {
  GeometryEdge axis{.radius = {radius, radius}};
  for (int i = 0; i < 2; ++i) {
    axis.x[i] = Vector3(0, 0, (i - 0.5) * length);
    axis.point[i] = add_point(g, axis.x[i], radius, {});
  }
  g.edges.push_back(axis);
  g.bound = 0.5 * length + radius;
  g.size = 2 * radius;
}

void add_cylinder(Geometry& g, double radius, double length) {
  const Vector3 top(0, 0, 0.5 * length);
  add_disk(g, {.center = -top, .axis = -Vector3::UnitZ(), .radius = radius});
  add_disk(g, {.center = top, .axis = Vector3::UnitZ(), .radius = radius});
  g.edges.push_back({.x = {-top, top}, .radius = {radius, radius}});
  g.bound = std::hypot(radius, 0.5 * length);
  g.size = std::min(2 * radius, length);
}

// With the slant L = √(r² + l²): a ball at the depth s below the apex touches the side when its radius is s r/L, at the
// distance s l/L from the apex; at the rim that is L, so the edge reaches s = L²/l, below the base.
void add_cone(Geometry& g, double radius, double length) {
  const double slant = std::hypot(radius, length);
  const Vector3 apex(0, 0, 0.5 * length);
  add_disk(g, {.center = -apex,
               .axis = -Vector3::UnitZ(),
               .radius = radius,
               .side_axial = -length / slant,
               .side_radial = -radius / slant});
  const int tip = add_point(g, apex, 0, {});
  g.points[tip].num_arms = k_rim_points;
  for (int i = 0; i < k_rim_points; ++i)
    g.arms.emplace_back((radius * rim_direction(i) - length * Vector3::UnitZ()) / slant);
  const double depth = slant * slant / length;
  g.edges.push_back({.x = {apex - depth * Vector3::UnitZ(), apex},
                     .radius = {depth * radius / slant, 0},
                     .point = {-1, tip}});
  // The smallest ball touches apex and rim, ½L²/l below the apex. That of a blunt cone has its centre in the base; not
  // below the centre of mass, it stays inside.
  g.center.z() = std::max(0.5 * length - 0.5 * depth, -0.25 * length);
  g.bound = std::max(0.5 * length - g.center.z(), std::hypot(radius, g.center.z() + 0.5 * length));
  g.size = std::min(length, 2 * radius * length / slant);
}

void add_half_space(Geometry& g) {
  g.faces.push_back({.radius = k_infinite});
  g.bound = k_infinite;
  g.size = k_infinite;
}

void add_ellipsoid(Geometry& g, const Vector3& size) {
  g.semi_axes = 0.5 * size;
  g.bound = g.semi_axes.maxCoeff();
  g.size = size.minCoeff();
}

// Arms of its points: along all edges that end there.
void add_points(Geometry& g, const Polyhedron& solid, double rounding) {
  std::vector<int> next(solid.vertices.size() + 1, 0);
  for (const PolygonEdge& e : solid.edges)
    for (int i : e.vertex) ++next[i + 1];
  for (std::size_t i = 0; i < solid.vertices.size(); ++i) {
    g.points.push_back(
        {.x = solid.vertices[i], .radius = rounding, .first_arm = next[i], .num_arms = next[i + 1]});
    next[i + 1] += next[i];
  }
  g.arms.resize(2 * solid.edges.size());
  for (const PolygonEdge& e : solid.edges) {
    const Vector3 d = (solid.vertices[e.vertex[1]] - solid.vertices[e.vertex[0]]).stableNormalized();
    g.arms[next[e.vertex[0]]++] = d;
    g.arms[next[e.vertex[1]]++] = -d;
  }
}

void add_edges(Geometry& g, const Polyhedron& solid, double rounding) {
  for (const PolygonEdge& e : solid.edges) {
    GeometryEdge edge{.radius = {rounding, rounding}};
    for (int i = 0; i < 2; ++i) {
      edge.x[i] = solid.vertices[e.vertex[i]];
      edge.point[i] = e.vertex[i];
      edge.face[i] = e.face[i];
    }
    const Vector3 d = (edge.x[1] - edge.x[0]).stableNormalized();
    const Vector3& n0 = solid.faces[e.face[0]].normal;
    edge.arm[0] = n0.cross(d).stableNormalized();
    if (e.face[1] >= 0) {
      const Vector3& n1 = solid.faces[e.face[1]].normal;
      edge.arm[1] = d.cross(n1).stableNormalized();
      // The angle from face 0 down to face 1.
      edge.ridge = std::atan2(-n0.dot(edge.arm[1]), n0.dot(n1)) > k_flat_angle;
    }
    g.edges.push_back(edge);
  }
}

void add_polyhedron(Geometry& g, const Polyhedron& solid, double rounding) {
  g.points.reserve(solid.vertices.size());
  g.edges.reserve(solid.edges.size());
  g.faces.reserve(solid.faces.size());
  add_points(g, solid, rounding);
  add_edges(g, solid, rounding);
  for (const PolygonFace& face : solid.faces)
    g.faces.push_back({.normal = face.normal,
                       .x = solid.center(face),
                       .rounding = rounding,
                       .first = face.first,
                       .count = face.count});
  g.loops = solid.loops;
}

// About `center`.
void bound_points(Geometry& g, double rounding) {
  double square = 0;
  for (const GeometryPoint& p : g.points) square = std::max(square, (p.x - g.center).squaredNorm());
  g.bound = std::sqrt(square) + rounding;
}

void add_box(Geometry& g, const Vector3& size, double margin) {
  add_polyhedron(g, make_box(size - Vector3::Constant(2 * margin)), margin);
  g.size = size.minCoeff();
  bound_points(g, margin);
}

void add_hull(Geometry& g, const Shape& shape) {
  const Polyhedron sharp = hull_of(shape);
  add_polyhedron(g, shape.margin > 0 ? make_core(shape, sharp) : sharp, shape.margin);
  g.size = k_infinite;
  for (const PolygonFace& face : sharp.faces) {
    double low = k_infinite;
    for (const Vector3& x : sharp.vertices) low = std::min(low, face.normal.dot(x));
    g.size = std::min(g.size, face.normal.dot(sharp.center(face)) - low);
  }
  g.center = compute_moments(sharp).center;
  bound_points(g, shape.margin);
  std::vector<Vector3> points;
  points.reserve(g.points.size());
  for (const GeometryPoint& p : g.points) points.push_back(p.x);
  g.support = SupportTable(points);
}

void add_triangles(Geometry& g, const Polyhedron& surface) {
  add_polyhedron(g, surface, 0);
  Vector3 low = surface.vertices[0], high = low;
  for (const Vector3& x : surface.vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  g.convex = false;
  g.center = 0.5 * (low + high);
  // A sheet has no thickness: its width counts.
  bool open = false;
  for (const PolygonEdge& edge : surface.edges) open = open || edge.num_faces == 1;
  Vector3 extent = high - low;
  std::sort(extent.begin(), extent.end());
  g.size = extent[open ? 1 : 0];
  bound_points(g, 0);
}

// Its centre, as good as any point of the disk, when d is along the axis.
Vector3 farthest_of_rim(const GeometryCircle& rim, const Vector3& d) {
  const Vector3 radial = d - rim.axis * rim.axis.dot(d);
  const double length = radial.stableNorm();
  return length > 0 ? Vector3(rim.center + rim.radius / length * radial) : rim.center;
}

// Both in the frame of the shape.
Vector3 support_point(const Geometry& g, const Vector3& d) {
  if (g.kind == ShapeKind::plane) return Vector3::Zero();
  if (g.kind == ShapeKind::ellipsoid) {
    const Vector3 a = g.semi_axes.cwiseProduct(d);
    const double length = a.stableNorm();
    return length > 0 ? Vector3(g.semi_axes.cwiseProduct(a) / length) : Vector3(Vector3::Zero());
  }
  Vector3 best = Vector3::Zero();
  double most = -k_infinite;
  const auto offer = [&](const Vector3& x) {
    if (const double s = d.dot(x); s > most) most = s, best = x;
  };
  for (const GeometryCircle& rim : g.circles) offer(farthest_of_rim(rim, d));
  if (g.kind == ShapeKind::cylinder) return best;
  offer(g.points[g.farthest_point(d)].x);
  const double rounding = g.points[0].radius;
  return rounding > 0 ? Vector3(best + rounding * d.stableNormalized()) : best;
}

}  // namespace

FeatureIndex Geometry::num_features() const {
  return static_cast<int>(points.size() + edges.size() + faces.size() + 2 * circles.size()) +
         (kind == ShapeKind::ellipsoid ? 1 : 0);
}

Feature Geometry::feature(FeatureIndex i) const {
  assert(i >= 0 && i < num_features());
  if (i < static_cast<int>(points.size())) return {FeatureKind::point, i, 0};
  i -= static_cast<int>(points.size());
  if (i < static_cast<int>(edges.size())) return {FeatureKind::edge, i, 0};
  i -= static_cast<int>(edges.size());
  if (i < static_cast<int>(faces.size())) return {FeatureKind::face, i, 0};
  i -= static_cast<int>(faces.size());
  if (i < 2 * static_cast<int>(circles.size())) return {FeatureKind::circle, i / 2, i % 2};
  return {FeatureKind::ellipsoid, 0, 0};
}

FeatureIndex Geometry::index_of(const Feature& f) const {
  int first = 0;
  if (f.kind == FeatureKind::point) return first + f.index;
  first += static_cast<int>(points.size());
  if (f.kind == FeatureKind::edge) return first + f.index;
  first += static_cast<int>(edges.size());
  if (f.kind == FeatureKind::face) return first + f.index;
  first += static_cast<int>(faces.size());
  if (f.kind == FeatureKind::circle) return first + 2 * f.index + f.branch;
  return first + 2 * static_cast<int>(circles.size());
}

int Geometry::farthest_point(const Vector3& d) const {
  int best = 0;
  double most = -k_infinite;
  const auto offer = [&](int i) {
    if (const double height = points[i].x.dot(d); height > most) most = height, best = i;
  };
  if (support.empty())
    for (int i = 0; i < static_cast<int>(points.size()); ++i) offer(i);
  else
    for (int i : support.candidates(d)) offer(i);
  return best;
}

std::shared_ptr<const Geometry> make_geometry(const Shape& shape) {
  require_shape(shape, false);
  auto out = std::make_shared<Geometry>();
  Geometry& g = *out;
  g.kind = shape.kind;
  switch (shape.kind) {
    case ShapeKind::sphere:
      add_point(g, Vector3::Zero(), shape.radius, {});
      g.bound = shape.radius;
      g.size = 2 * shape.radius;
      break;
    case ShapeKind::box:
      add_box(g, shape.size, shape.margin);
      break;
    case ShapeKind::cylinder:
      add_cylinder(g, shape.radius, shape.length);
      break;
    case ShapeKind::capsule:
      add_capsule(g, shape.radius, shape.length);
      break;
    case ShapeKind::cone:
      add_cone(g, shape.radius, shape.length);
      break;
    case ShapeKind::ellipsoid:
      add_ellipsoid(g, shape.size);
      break;
    case ShapeKind::hull:
      add_hull(g, shape);
      break;
    case ShapeKind::plane:
      add_half_space(g);
      break;
    case ShapeKind::height_field:
      add_triangles(g, make_polyhedron(*shape.field));
      g.size = std::min(shape.field->dx, shape.field->dy);
      break;
    case ShapeKind::mesh:
      add_triangles(g, make_polyhedron(*shape.surface));
      break;
  }
  return out;
}

Vector3 support_point(const Geometry& geometry, const Pose& pose, const Vector3& d) {
  assert(geometry.convex);
  return pose.point(support_point(geometry, pose.local_vector(d)));
}

}  // namespace delassus
