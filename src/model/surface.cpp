// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <tuple>

namespace delassus {
namespace {

// One side of an edge, as a face has it.
struct HalfEdge {
  int low, high;  // its vertices, ascending
  int face;
  bool forward;  // from low to high
};

// Sorted so that the sides of an edge stand together, those from low to high first.
std::vector<HalfEdge> half_edges(const Polyhedron& solid) {
  std::vector<HalfEdge> out;
  out.reserve(solid.loops.size());
  for (std::size_t k = 0; k < solid.faces.size(); ++k) {
    const std::span<const int> loop = solid.loop(solid.faces[k]);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[i + 1 < loop.size() ? i + 1 : 0];
      out.push_back({std::min(a, b), std::max(a, b), static_cast<int>(k), a < b});
    }
  }
  std::sort(out.begin(), out.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tuple(a.low, a.high, !a.forward, a.face) < std::tuple(b.low, b.high, !b.forward, b.face);
  });
  return out;
}

std::vector<PolygonEdge> find_edges(const Polyhedron& solid) {
  const std::vector<HalfEdge> sides = half_edges(solid);
  std::vector<PolygonEdge> out;
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    const HalfEdge& a = sides[i];
    while (end < sides.size() && sides[end].low == a.low && sides[end].high == a.high) ++end;
    PolygonEdge edge;
    edge.vertex[0] = a.forward ? a.low : a.high;
    edge.vertex[1] = a.forward ? a.high : a.low;
    edge.num_faces = static_cast<int>(end - i);
    edge.face[0] = a.face;
    if (edge.num_faces == 2 && sides[i + 1].forward != a.forward) edge.face[1] = sides[i + 1].face;
    out.push_back(edge);
  }
  return out;
}

}  // namespace

Vector3 Polyhedron::center(const PolygonFace& face) const {
  Vector3 sum = Vector3::Zero();
  for (int i : loop(face)) sum += vertices[i];
  return sum / face.count;
}

Polyhedron make_polyhedron(const std::vector<Vector3>& vertices, const std::vector<int>& loops,
                           const std::vector<int>& first) {
  Polyhedron out;
  std::vector<int> number(vertices.size(), -1);
  for (int i : loops) number[i] = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(out.vertices.size());
    out.vertices.push_back(vertices[i]);
  }
  out.loops.reserve(loops.size());
  for (int i : loops) out.loops.push_back(number[i]);
  out.faces.resize(first.size() - 1);
  for (std::size_t k = 0; k < out.faces.size(); ++k) {
    PolygonFace& face = out.faces[k];
    face.first = first[k];
    face.count = first[k + 1] - first[k];
    const std::span<const int> loop = out.loop(face);
    const Vector3 m = out.center(face);
    Vector3 n = Vector3::Zero();
    for (std::size_t i = 0; i < loop.size(); ++i)
      n += (out.vertices[loop[i]] - m).cross(out.vertices[loop[i + 1 < loop.size() ? i + 1 : 0]] - m);
    face.normal = n.stableNormalized();
  }
  out.edges = find_edges(out);
  return out;
}

Polyhedron make_polyhedron(const Surface& surface) {
  std::vector<int> loops, first{0};
  loops.reserve(3 * surface.triangles.size());
  first.reserve(surface.triangles.size() + 1);
  for (const std::array<int, 3>& triangle : surface.triangles) {
    loops.insert(loops.end(), triangle.begin(), triangle.end());
    first.push_back(static_cast<int>(loops.size()));
  }
  return make_polyhedron(surface.vertices, loops, first);
}

Polyhedron make_polyhedron(const HeightField& field) {
  Surface surface;
  surface.vertices.reserve(field.heights.size());
  for (int j = 0; j < field.ny; ++j)
    for (int i = 0; i < field.nx; ++i)
      surface.vertices.emplace_back((i - 0.5 * (field.nx - 1)) * field.dx,
                                    (j - 0.5 * (field.ny - 1)) * field.dy,
                                    field.heights[i + static_cast<std::size_t>(field.nx) * j]);
  for (int j = 0; j + 1 < field.ny; ++j)
    for (int i = 0; i + 1 < field.nx; ++i) {
      const int a = i + field.nx * j, b = a + 1, c = b + field.nx, d = a + field.nx;
      surface.triangles.push_back({a, b, c});
      surface.triangles.push_back({a, c, d});
    }
  return make_polyhedron(surface);
}

Polyhedron make_box(const Vector3& size) {
  std::vector<Vector3> vertices;
  vertices.reserve(8);
  for (int i = 0; i < 8; ++i)
    vertices.emplace_back(0.5 * size.cwiseProduct(Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  // −x, +x, −y, +y, −z, +z
  return make_polyhedron(vertices, {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6},
                         {0, 4, 8, 12, 16, 20, 24});
}

SolidMoments compute_moments(const Polyhedron& solid) {
  assert(!solid.vertices.empty());
  // Near the solid, so that little cancels.
  Vector3 low = solid.vertices[0], high = low;
  for (const Vector3& x : solid.vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const Vector3 o = 0.5 * (low + high);
  SolidMoments out;
  Vector3 first = Vector3::Zero();
  for (const PolygonFace& face : solid.faces) {
    const std::span<const int> loop = solid.loop(face);
    const Vector3 a = solid.vertices[loop[0]] - o;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vector3 b = solid.vertices[loop[i]] - o, c = solid.vertices[loop[i + 1]] - o, s = a + b + c;
      const double V = a.dot(b.cross(c)) / 6;
      out.volume += V;
      first += V / 4 * s;
      out.second += V / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
  }
  if (out.volume != 0) {
    const Vector3 mean = first / out.volume;
    out.second -= out.volume * mean * mean.transpose();
    out.center = o + mean;
  }
  return out;
}

}  // namespace delassus
