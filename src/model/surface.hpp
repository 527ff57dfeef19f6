// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Surfaces of polygons: their planes, which faces meet in an edge, and what a closed one encloses.
//
// The normal of a polygon with the corners x_i about their mean m (Newell): n ∝ Σ (x_i − m) × (x_{i+1} − m).
//
// The solid inside of a closed surface is a signed sum of tetrahedra (o, a, b, c) over its triangles, with any o.
// With a, b, c measured from o:
//
//   V = aᵀ(b × c)/6,   ∫x = V (a + b + c)/4,   ∫x xᵀ = V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),  s = a + b + c          (1)
#pragma once
#include <span>
#include <vector>

#include "delassus/model/shape.hpp"

namespace delassus {

struct PolygonFace {
  Vector3 normal = Vector3::UnitZ();  // outward, unit
  int first = 0, count = 0;           // corners in Polyhedron::loops, counter-clockwise from outside
};

struct PolygonEdge {
  int vertex[2] = {-1, -1};  // ascending, unless no face runs that way
  // face[0] runs from vertex[0] to vertex[1], face[1] back. −1: there is not exactly one such face.
  int face[2] = {-1, -1};
  int num_faces = 0;  // that have this edge; 1: a border, > 2: not a manifold
};

struct Polyhedron {
  std::vector<Vector3> vertices;  // each belongs to a face
  std::vector<PolygonFace> faces;
  std::vector<PolygonEdge> edges;  // ascending by their vertices
  std::vector<int> loops;

  std::span<const int> loop(const PolygonFace& face) const {
    return {loops.data() + face.first, static_cast<std::size_t>(face.count)};
  }
  Vector3 center(const PolygonFace& face) const;  // mean of its corners
};

// Of polygons with corners `loops` (face k: from first[k] to first[k+1]); vertices that no face has are left out.
Polyhedron make_polyhedron(const std::vector<Vector3>& vertices, const std::vector<int>& loops,
                           const std::vector<int>& first);
Polyhedron make_polyhedron(const Surface& surface);
Polyhedron make_polyhedron(const HeightField& field);
// Centred at the origin, with edges `size`.
Polyhedron make_box(const Vector3& size);

// (1) of the inside.
struct SolidMoments {
  double volume = 0;                 // [m³]; negative where the faces look inward
  Vector3 center = Vector3::Zero();  // [m]
  Matrix3 second = Matrix3::Zero();  // ∫(x − center)(x − center)ᵀ [m⁵]
};
SolidMoments compute_moments(const Polyhedron& solid);

}  // namespace delassus
