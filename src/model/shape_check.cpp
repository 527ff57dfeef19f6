// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "delassus/base/error.hpp"
#include "delassus/model/hull.hpp"

namespace delassus {
namespace {

// A triangle is no higher than this part of its longest side, a solid no larger than this part of its box: what is left
// is rounding of the corners.
constexpr double k_no_area = 1e-12;
constexpr double k_no_volume = 1e-12;
// Corners of a height field are numbered by an int.
constexpr double k_max_heights = 1e8;

std::string check_positive(const char* what, double value) {
  if (std::isfinite(value) && value > 0) return "";
  return fmt::format("{} is {}; allowed: > 0", what, value);
}

std::string check_size(const Vector3& size) {
  if (size.allFinite() && size.minCoeff() > 0) return "";
  return fmt::format("size is ({}, {}, {}); allowed: three numbers > 0", size.x(), size.y(), size.z());
}

// Files count from 1, lists in scenes and in code from 0.
int first_number(const Surface& surface) {
  return surface.file.empty() ? 0 : 1;
}

std::string check_vertices(const Surface& surface) {
  const std::vector<Vector3>& vertices = surface.vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite())
      return fmt::format("vertex {} is ({}, {}, {}); allowed: finite numbers",
                         static_cast<int>(i) + first_number(surface), vertices[i].x(), vertices[i].y(),
                         vertices[i].z());
  return "";
}

std::string check_triangles(const Surface& surface) {
  const int n = static_cast<int>(surface.vertices.size()), first = first_number(surface);
  for (std::size_t k = 0; k < surface.triangles.size(); ++k) {
    const std::array<int, 3>& t = surface.triangles[k];
    const int triangle = static_cast<int>(k) + first;
    for (int i : t)
      if (i < 0 || i >= n)
        return fmt::format("triangle {} has the vertex {}; allowed: {} … {}", triangle, i + first, first,
                           n - 1 + first);
    const Vector3 &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    const double longest = std::max({(b - a).stableNorm(), (c - b).stableNorm(), (a - c).stableNorm()});
    const double height = longest > 0 ? (b - a).cross((c - a) / longest).stableNorm() : 0;
    if (!(height > k_no_area * longest))
      return fmt::format(
          "triangle {} (vertices {}, {}, {}) has no area: its height is {:.3g} m at a length of {:.6g} m; "
          "allowed: > "
          "{:.3g} m",
          triangle, t[0] + first, t[1] + first, t[2] + first, height, longest, k_no_area * longest);
  }
  return "";
}

// `edge` has other numbers than the file: those of vertices without triangles are left out.
std::string place_of(const Polyhedron& solid, const PolygonEdge& edge) {
  const Vector3 &a = solid.vertices[edge.vertex[0]], &b = solid.vertices[edge.vertex[1]];
  return fmt::format("the edge from ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g})", a.x(), a.y(),
                     a.z(), b.x(), b.y(), b.z());
}

std::string check_orientation(const Polyhedron& surface) {
  for (const PolygonEdge& edge : surface.edges)
    if (edge.num_faces == 2 && edge.face[1] < 0)
      return fmt::format(
          "both triangles at {} run along it in the same direction; allowed: all counter-clockwise from "
          "outside",
          place_of(surface, edge));
  return "";
}

std::string check_closed(const Polyhedron& solid) {
  if (std::string why = check_orientation(solid); !why.empty()) return why;
  int open = 0;
  const PolygonEdge* first = nullptr;
  for (const PolygonEdge& edge : solid.edges) {
    if (edge.num_faces > 2)
      return fmt::format("{} belongs to {} triangles; allowed in a solid: 2", place_of(solid, edge),
                         edge.num_faces);
    if (edge.num_faces == 1 && open++ == 0) first = &edge;
  }
  if (first)
    return fmt::format("it is open: {} edges belong to one triangle, {} is the first; allowed in a solid: 0",
                       open, place_of(solid, *first));
  const SolidMoments moments = compute_moments(solid);
  Vector3 low = solid.vertices[0], high = low;
  for (const Vector3& x : solid.vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double box = std::pow((high - low).maxCoeff(), 3);
  if (std::abs(moments.volume) <= k_no_volume * box)
    return fmt::format("it encloses nothing: its volume is {:.3g} m³; allowed in a solid: > {:.3g} m³",
                       moments.volume, k_no_volume * box);
  if (moments.volume < 0)
    return fmt::format(
        "it is inside out: its volume is {:.6g} m³; allowed in a solid: triangles counter-clockwise from "
        "outside",
        moments.volume);
  return "";
}

std::string check_mesh(const Surface* surface, bool solid) {
  if (!surface) return "it has no surface; allowed: vertices and triangles";
  if (surface->triangles.empty())
    return fmt::format("it is empty: {} vertices and no triangles; allowed: at least 1 triangle",
                       surface->vertices.size());
  std::string why = check_vertices(*surface);
  if (why.empty()) why = check_triangles(*surface);
  if (!why.empty()) return why;
  const Polyhedron polyhedron = make_polyhedron(*surface);
  why = solid ? check_closed(polyhedron) : check_orientation(polyhedron);
  return why;
}

std::string check_field(const HeightField* field) {
  if (!field) return "it has no heights; allowed: nx · ny numbers";
  if (field->nx < 2 || field->ny < 2 || static_cast<double>(field->nx) * field->ny > k_max_heights)
    return fmt::format("it has {} by {} points; allowed: at least 2 by 2, {:.0e} in all", field->nx,
                       field->ny, k_max_heights);
  for (const auto& [what, value] : {std::pair("dx", field->dx), std::pair("dy", field->dy)})
    if (std::string why = check_positive(what, value); !why.empty()) return why;
  const std::size_t n = static_cast<std::size_t>(field->nx) * field->ny;
  if (field->heights.size() != n)
    return fmt::format("it has {} heights; allowed: nx · ny = {} · {} = {}", field->heights.size(), field->nx,
                       field->ny, n);
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(field->heights[i]))
      return fmt::format("the height of point ({}, {}) is {}; allowed: finite numbers", i % field->nx,
                         i / field->nx, field->heights[i]);
  return "";
}

std::string check_margin(const Shape& shape) {
  if (!(std::isfinite(shape.margin) && shape.margin >= 0))
    return fmt::format("margin is {}; allowed: >= 0", shape.margin);
  if (shape.margin > 0 && shape.kind != ShapeKind::box && shape.kind != ShapeKind::hull)
    return fmt::format("margin is {}; allowed: 0, for only boxes and hulls have edges to round",
                       shape.margin);
  if (shape.kind == ShapeKind::box && !(2 * shape.margin < shape.size.minCoeff()))
    return fmt::format("margin is {}; allowed: less than half of its shortest edge, {}", shape.margin,
                       0.5 * shape.size.minCoeff());
  return "";
}

// Everything but the margin and the pose.
std::string check_form(const Shape& shape, bool solid) {
  switch (shape.kind) {
    case ShapeKind::sphere:
      return check_positive("radius", shape.radius);
    case ShapeKind::cylinder:
    case ShapeKind::capsule:
    case ShapeKind::cone: {
      std::string why = check_positive("radius", shape.radius);
      return why.empty() ? check_positive("length", shape.length) : why;
    }
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      return check_size(shape.size);
    case ShapeKind::hull:
      return shape.surface ? check_hull_points(shape.surface->vertices)
                           : "it has no points; allowed: at least 4";
    case ShapeKind::plane:
      return solid ? "it has no mass and cannot be weighed; allowed: solids" : "";
    case ShapeKind::height_field:
      return solid ? "it has no mass and cannot be weighed; allowed: solids" : check_field(shape.field.get());
    case ShapeKind::mesh:
      return check_mesh(shape.surface.get(), solid);
  }
  return "";
}

}  // namespace

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::sphere:
      return "sphere";
    case ShapeKind::box:
      return "box";
    case ShapeKind::cylinder:
      return "cylinder";
    case ShapeKind::capsule:
      return "capsule";
    case ShapeKind::cone:
      return "cone";
    case ShapeKind::ellipsoid:
      return "ellipsoid";
    case ShapeKind::hull:
      return "hull";
    case ShapeKind::plane:
      return "plane";
    case ShapeKind::height_field:
      return "height_field";
    case ShapeKind::mesh:
      return "mesh";
  }
  return "";
}

std::string describe(const Shape& shape) {
  std::string out = to_string(shape.kind);
  if (!shape.name.empty()) out += " '" + shape.name + "'";
  const std::string file = shape.surface ? shape.surface->file : shape.field ? shape.field->file : "";
  if (!file.empty()) out += " (" + file + ")";
  return out;
}

std::string check_shape(const Shape& shape, bool solid) {
  std::string why = check_form(shape, solid);
  if (why.empty()) why = check_margin(shape);
  return why.empty() ? "" : fmt::format("{}: {}", describe(shape), why);
}

void require_shape(const Shape& shape, bool solid) {
  if (const std::string why = check_shape(shape, solid); !why.empty()) throw InputError(why);
}

}  // namespace delassus
