// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/page/report_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <span>

#include "delassus/model/hull.hpp"
#include "delassus/model/surface.hpp"

namespace delassus {

using nlohmann::json;

json json_number(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::strtod(fmt::format("{:.7g}", x).c_str(), nullptr);
}

json json_point(const Vector3& x) {
  return {json_number(x.x()), json_number(x.y()), json_number(x.z())};
}

namespace {

double area(const Surface& surface) {
  double sum = 0;
  for (const auto& [i, j, k] : surface.triangles)
    sum +=
        0.5 *
        (surface.vertices[j] - surface.vertices[i]).cross(surface.vertices[k] - surface.vertices[i]).norm();
  return sum;
}

// The vertices of each cell of a grid merged at their mean; triangles that this makes lines or points are gone, and of
// equal ones all but the first.
Surface merge_in_cells(const Surface& surface, double cell) {
  Surface out;
  std::map<std::array<long, 3>, int> cells;
  std::vector<int> counts, of_vertex;
  for (const Vector3& x : surface.vertices) {
    const std::array<long, 3> at = {std::lround(x.x() / cell), std::lround(x.y() / cell),
                                    std::lround(x.z() / cell)};
    const auto [it, is_new] = cells.try_emplace(at, static_cast<int>(out.vertices.size()));
    if (is_new) {
      out.vertices.push_back(Vector3::Zero());
      counts.push_back(0);
    }
    out.vertices[it->second] += x;
    ++counts[it->second];
    of_vertex.push_back(it->second);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) out.vertices[i] /= counts[i];
  std::set<std::array<int, 3>> seen;
  for (const std::array<int, 3>& triangle : surface.triangles) {
    std::array<int, 3> t = {of_vertex[triangle[0]], of_vertex[triangle[1]], of_vertex[triangle[2]]};
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());  // equal ones start alike
    if (seen.insert(t).second) out.triangles.push_back(t);
  }
  return out;
}

}  // namespace

Surface thinned_surface(const Surface& surface, int wanted) {
  // A cell of edge s holds about s²·(triangles per area) of them, of which two remain.
  double cell = std::sqrt(2 * area(surface) / wanted);
  constexpr double coarser = 1.15;
  Surface out = merge_in_cells(surface, cell);
  while (static_cast<int>(out.triangles.size()) > wanted) out = merge_in_cells(surface, cell *= coarser);
  return out;
}

Surface ground_surface(const HeightField& field, int most) {
  const auto kept = [](int n, int stride) {
    std::vector<int> at;
    for (int i = 0; i < n - 1; i += stride) at.push_back(i);
    at.push_back(n - 1);  // the ground keeps its extent
    return at;
  };
  int stride = 1;
  std::vector<int> is = kept(field.nx, 1), js = kept(field.ny, 1);
  while (2 * (is.size() - 1) * (js.size() - 1) > static_cast<std::size_t>(most)) {
    ++stride;
    is = kept(field.nx, stride);
    js = kept(field.ny, stride);
  }
  Surface out;
  for (int j : js)
    for (int i : is)
      out.vertices.emplace_back((i - 0.5 * (field.nx - 1)) * field.dx, (j - 0.5 * (field.ny - 1)) * field.dy,
                                field.heights[static_cast<std::size_t>(j) * field.nx + i]);
  const int n = static_cast<int>(is.size());
  for (int j = 0; j + 1 < static_cast<int>(js.size()); ++j)
    for (int i = 0; i + 1 < n; ++i) {
      const int a = i + n * j, b = a + 1, c = a + n, d = c + 1;  // d is across the diagonal from a
      out.triangles.push_back({a, b, d});
      out.triangles.push_back({a, d, c});
    }
  return out;
}

namespace {

json describe_points(const std::vector<Vector3>& vertices) {
  json points = json::array();
  for (const Vector3& x : vertices)
    for (int k = 0; k < 3; ++k) points.push_back(json_number(x[k]));
  return points;
}

json describe_polygons(const Polyhedron& solid) {
  json faces = json::array();
  for (const PolygonFace& face : solid.faces) {
    const std::span<const int> loop = solid.loop(face);
    faces.push_back(std::vector<int>(loop.begin(), loop.end()));
  }
  return {{"points", describe_points(solid.vertices)}, {"faces", std::move(faces)}};
}

json describe_triangles(const Surface& surface) {
  json faces = json::array();
  for (const std::array<int, 3>& triangle : surface.triangles) faces.push_back(triangle);
  return {{"points", describe_points(surface.vertices)}, {"faces", std::move(faces)}};
}

}  // namespace

int ShapeWriter::surface(const Shape& shape) {
  const void* shared = shape.field ? static_cast<const void*>(shape.field.get()) : shape.surface.get();
  const auto [it, is_new] = known_.try_emplace({shared, shape.kind}, static_cast<int>(surfaces_.size()));
  if (!is_new) return it->second;
  if (shape.kind == ShapeKind::hull) {
    surfaces_.push_back(describe_polygons(hull_of(shape)));
    return it->second;
  }
  const bool is_field = shape.kind == ShapeKind::height_field;
  const std::size_t original = is_field ? 2 * std::size_t(shape.field->nx - 1) * (shape.field->ny - 1)
                                        : shape.surface->triangles.size();
  const bool too_many = original > k_max_triangles;
  const int most = too_many ? k_thinned_triangles : k_max_triangles;
  const Surface drawn = is_field   ? ground_surface(*shape.field, most)
                        : too_many ? thinned_surface(*shape.surface, most)
                                   : *shape.surface;
  surfaces_.push_back(describe_triangles(drawn));
  if (too_many)
    notes_.push_back(fmt::format("{}: of its {} triangles the picture shows {}", delassus::describe(shape),
                                 original, drawn.triangles.size()));
  return it->second;
}

json ShapeWriter::describe(const Shape& shape) {
  const Quaternion& rho = shape.orientation;
  json out = {
      {"type", to_string(shape.kind)},
      {"position", json_point(shape.position)},
      {"orientation", {json_number(rho[0]), json_number(rho[1]), json_number(rho[2]), json_number(rho[3])}}};
  switch (shape.kind) {
    case ShapeKind::cylinder:
    case ShapeKind::capsule:
    case ShapeKind::cone:
      out["length"] = json_number(shape.length);
      [[fallthrough]];
    case ShapeKind::sphere:
      out["radius"] = json_number(shape.radius);
      break;
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      out["size"] = json_point(shape.size);
      break;
    case ShapeKind::hull:
    case ShapeKind::mesh:
    case ShapeKind::height_field:
      out["surface"] = surface(shape);
      break;
    case ShapeKind::plane:
      break;
  }
  return out;
}

}  // namespace delassus
