// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/weld.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

#include "delassus/model/surface.hpp"

namespace delassus {
namespace {

double weld_distance(const Surface& surface) {
  if (surface.vertices.empty()) return 0;
  Vector3 low = surface.vertices[0], high = low;
  for (const Vector3& x : surface.vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  return k_weld_tolerance * (high - low).norm();
}

// Vertices by cells as wide as the tolerance: those near each other lie in the same cell or in neighbours.
class VertexCells {
 public:
  VertexCells(const Surface& surface, double tolerance) : surface_(surface), tolerance_(tolerance) {}

  void add(int vertex) {
    cells_[cell_of(surface_.vertices[static_cast<std::size_t>(vertex)])].push_back(vertex);
  }
  // The lowest number within the tolerance; −1: none.
  int find(const Vector3& x) const {
    int best = -1;
    const Cell center = cell_of(x);
    for (int i = 0; i < 27; ++i) {
      const auto found =
          cells_.find({center[0] + i % 3 - 1, center[1] + i / 3 % 3 - 1, center[2] + i / 9 - 1});
      if (found == cells_.end()) continue;
      for (int vertex : found->second)
        if ((surface_.vertices[static_cast<std::size_t>(vertex)] - x).norm() <= tolerance_ &&
            (best < 0 || vertex < best))
          best = vertex;
    }
    return best;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  Cell cell_of(const Vector3& x) const {
    Cell out{};
    for (std::size_t i = 0; i < 3; ++i)
      out[i] = static_cast<std::int64_t>(std::floor(x[static_cast<Eigen::Index>(i)] / tolerance_));
    return out;
  }

  const Surface& surface_;
  double tolerance_;
  std::map<Cell, std::vector<int>> cells_;
};

// Whether a triangle refers to vertices that are not there: what is wrong with it says check_shape.
bool is_readable(const Surface& surface) {
  const int n = static_cast<int>(surface.vertices.size());
  return std::all_of(surface.vertices.begin(), surface.vertices.end(),
                     [](const Vector3& x) { return x.allFinite(); }) &&
         std::all_of(surface.triangles.begin(), surface.triangles.end(), [&](const std::array<int, 3>& t) {
           return std::all_of(t.begin(), t.end(), [&](int i) { return i >= 0 && i < n; });
         });
}

// Of each vertex whether it lies on an edge that only one triangle has.
std::vector<char> find_borders(const Surface& surface) {
  std::map<std::pair<int, int>, int> counts;
  for (const std::array<int, 3>& t : surface.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      ++counts[{std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])}];
  std::vector<char> out(surface.vertices.size(), 0);
  for (const auto& [edge, count] : counts)
    if (count == 1)
      out[static_cast<std::size_t>(edge.first)] = out[static_cast<std::size_t>(edge.second)] = 1;
  return out;
}

}  // namespace

int weld_borders(Surface& surface) {
  const double tolerance = weld_distance(surface);
  if (!(tolerance > 0) || !is_readable(surface)) return 0;
  const std::vector<char> border = find_borders(surface);
  VertexCells kept(surface, tolerance);
  std::vector<int> number(surface.vertices.size());
  int welded = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    number[i] = static_cast<int>(i);
    if (border[i] == 0) continue;
    if (const int same = kept.find(surface.vertices[i]); same >= 0) {
      number[i] = same;
      ++welded;
    } else {
      kept.add(static_cast<int>(i));
    }
  }
  if (welded == 0) return 0;
  for (std::array<int, 3>& t : surface.triangles)
    for (int& corner : t) corner = number[static_cast<std::size_t>(corner)];
  std::erase_if(surface.triangles,
                [](const std::array<int, 3>& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  return welded;
}

int count_welded(const Surface& surface) {
  const double tolerance = weld_distance(surface);
  if (!(tolerance > 0) || !is_readable(surface)) return 0;
  std::vector<char> used(surface.vertices.size(), 0);
  for (const std::array<int, 3>& t : surface.triangles)
    for (int corner : t) used[static_cast<std::size_t>(corner)] = 1;
  if (std::all_of(used.begin(), used.end(), [](char u) { return u != 0; })) return 0;
  VertexCells kept(surface, tolerance);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) kept.add(static_cast<int>(i));
  int out = 0;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] == 0 && kept.find(surface.vertices[i]) >= 0) ++out;
  return out;
}

}  // namespace delassus
