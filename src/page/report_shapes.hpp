// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes as the report page draws them.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "delassus/model/shape.hpp"

namespace delassus {

// Seven digits are enough for a picture; NaN has no JSON number.
nlohmann::json json_number(double x);
nlohmann::json json_point(const Vector3& x);

// A shape becomes {type, position, orientation} with what its type needs: radius, length, size or surface. Surfaces of
// hulls, meshes and height fields stand in a list of their own, each once however many shapes share it:
//
//   {points: [x, y, z, x, …], faces: [[i, j, k, …], …]}   faces counter-clockwise from outside, in the shape's frame
//
// Meshes and height fields with more than k_max_triangles are thinned, and a note says so.
class ShapeWriter {
 public:
  // What a browser turns without effort, and what it is thinned to beyond that.
  static constexpr int k_max_triangles = 20000;
  static constexpr int k_thinned_triangles = 8000;

  nlohmann::json describe(const Shape& shape);
  const nlohmann::json& surfaces() const { return surfaces_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Index of the surface of this shape.
  int surface(const Shape& shape);

  nlohmann::json surfaces_ = nlohmann::json::array();
  std::vector<std::string> notes_;
  std::map<std::pair<const void*, ShapeKind>, int> known_;  // by what the shapes share
};

// Fewer than about `wanted` triangles by merging the vertices in each cell of a grid at their mean.
Surface thinned_surface(const Surface& surface, int wanted);
// The upper side of the ground, of each n-th point in both directions so that there are no more triangles than `most`.
Surface ground_surface(const HeightField& field, int most);

}  // namespace delassus
