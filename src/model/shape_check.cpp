// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/shape_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace delassus {
namespace {

// Unit quaternions as files give them.
constexpr double k_unit_tolerance = 1e-9;
// Fewer points have no hull with an inside.
constexpr std::size_t k_least_hull_points = 4;

std::string check_positive(const char* what, double value) {
  return std::isfinite(value) && value > 0 ? "" : fmt::format("{} is {}; allowed: > 0", what, value);
}
std::string check_not_negative(const char* what, double value) {
  return std::isfinite(value) && value >= 0 ? "" : fmt::format("{} is {}; allowed: >= 0", what, value);
}

std::string check_size(const Vector3& size) {
  if (size.allFinite() && size.minCoeff() > 0) return "";
  return fmt::format("size is [{}, {}, {}]; allowed: three numbers > 0", size.x(), size.y(), size.z());
}

std::string check_round(const Shape& shape, bool has_length) {
  std::string why = check_positive("radius", shape.radius);
  return why.empty() && has_length ? check_positive("length", shape.length) : why;
}

std::string check_points(const Shape& shape, std::size_t least) {
  if (!shape.surface) return "it has no points";
  const std::vector<Vector3>& points = shape.surface->vertices;
  if (points.size() < least)
    return fmt::format("it has {} points; allowed: at least {}", points.size(), least);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite()) return fmt::format("point {} is not finite", i);
  return "";
}

std::string check_mesh(const Shape& shape, BodyKind kind) {
  // A triangle has as many.
  constexpr std::size_t least_points = 3;
  if (std::string why = check_points(shape, least_points); !why.empty()) return why;
  const int n = static_cast<int>(shape.surface->vertices.size());
  if (shape.surface->triangles.empty()) return "it has no triangles";
  for (std::size_t i = 0; i < shape.surface->triangles.size(); ++i) {
    const auto& [a, b, c] = shape.surface->triangles[i];
    for (int corner : {a, b, c})
      if (corner < 0 || corner >= n)
        return fmt::format("triangle {} has the corner {}; allowed: 0 … {}", i, corner, n - 1);
    if (a == b || b == c || c == a)
      return fmt::format("triangle {} is [{}, {}, {}]; allowed: three different corners", i, a, b, c);
  }
  if (kind == BodyKind::rigid && !is_closed(*shape.surface))
    return "the mesh is not closed, so that it has no inside; allowed on a rigid body: meshes in which every "
           "edge has two triangles that agree about the outside";
  return "";
}

std::string check_height_field(const Shape& shape) {
  if (!shape.field) return "it has no heights";
  const HeightField& field = *shape.field;
  if (field.nx < 2 || field.ny < 2)
    return fmt::format("it has {} × {} heights; allowed: at least 2 × 2", field.nx, field.ny);
  if (field.heights.size() != static_cast<std::size_t>(field.nx) * static_cast<std::size_t>(field.ny))
    return fmt::format("it has {} heights; allowed: {} × {}", field.heights.size(), field.nx, field.ny);
  for (double height : field.heights)
    if (!std::isfinite(height)) return "a height is not finite";
  std::string why = check_positive("the spacing along x", field.dx);
  return why.empty() ? check_positive("the spacing along y", field.dy) : why;
}

std::string check_margin(const Shape& shape) {
  if (std::string why = check_not_negative("margin", shape.margin); !why.empty()) return why;
  if (shape.kind == ShapeKind::box && 2 * shape.margin > shape.size.minCoeff())
    return fmt::format("margin is {}; allowed: 0 … {}, half of the shortest edge", shape.margin,
                       shape.size.minCoeff() / 2);
  return "";
}

std::string check_measures(const Shape& shape, BodyKind kind) {
  switch (shape.kind) {
    case ShapeKind::sphere:
      return check_round(shape, false);
    case ShapeKind::cylinder:
    case ShapeKind::capsule:
    case ShapeKind::cone:
      return check_round(shape, true);
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      return check_size(shape.size);
    case ShapeKind::hull:
      return check_points(shape, k_least_hull_points);
    case ShapeKind::mesh:
      return check_mesh(shape, kind);
    case ShapeKind::height_field:
      return check_height_field(shape);
    case ShapeKind::plane:
      return "";
  }
  return "it is of no known kind";
}

}  // namespace

bool is_closed(const Surface& surface) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(3 * surface.triangles.size());
  for (const auto& triangle : surface.triangles)
    for (int k = 0; k < 3; ++k) edges.emplace_back(triangle[k], triangle[(k + 1) % 3]);
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return !edges.empty() && std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    return std::binary_search(edges.begin(), edges.end(), std::pair(edge.second, edge.first));
  });
}

std::string check_material(const Material& material) {
  for (const auto& [what, value] :
       {std::pair{"friction", material.friction}, std::pair{"rolling friction", material.rolling_friction},
        std::pair{"spinning friction", material.spinning_friction}})
    if (std::string why = check_not_negative(what, value); !why.empty()) return why;
  if (!(material.restitution >= 0 && material.restitution <= 1))
    return fmt::format("restitution is {}; allowed: 0 … 1", material.restitution);
  return "";
}

std::string check_shape(const Shape& shape, BodyKind kind) {
  if (kind == BodyKind::particle)
    return "particles have no shapes; allowed: rigid, fixed and kinematic bodies";
  if (kind == BodyKind::rigid && (shape.kind == ShapeKind::plane || shape.kind == ShapeKind::height_field))
    return fmt::format("a rigid body cannot have a {}, which has no end; allowed: fixed and kinematic bodies",
                       shape.kind == ShapeKind::plane ? "plane" : "height field");
  if (!shape.position.allFinite()) return "position is not finite";
  if (!shape.orientation.allFinite() || std::abs(shape.orientation.norm() - 1) > k_unit_tolerance)
    return fmt::format("its orientation has norm {}; allowed: unit quaternions", shape.orientation.norm());
  std::string why = check_measures(shape, kind);
  if (why.empty()) why = check_margin(shape);
  return why.empty() ? check_material(shape.material) : why;
}

}  // namespace delassus
