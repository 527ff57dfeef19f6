// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/support_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// Cells for each point, at least: four points a cell are left then. Four times as many halve that, and save nothing.
constexpr std::size_t k_cells_of_point = 1;
// Of the cuts: 6 · 4⁶ cells, enough for some ten thousand points.
constexpr int k_max_level = 6;
// By how much a point must be beaten, relative to the coordinates: far above the round-off of dᵀx and of the cell that d is
// found to lie in.
constexpr double k_margin = 1e-13;

// The face of the cube through which d passes, 2 axis + (1 below 0), and where.
struct CubePoint {
  int face = 0;
  double u = 0, v = 0;  // −1 … 1
};

CubePoint cube_point(const Vector3& d) {
  Eigen::Index axis = 0;
  const double largest = d.cwiseAbs().maxCoeff(&axis);
  return {static_cast<int>(2 * axis) + (d[axis] < 0 ? 1 : 0), d[(axis + 1) % 3] / largest,
          d[(axis + 2) % 3] / largest};
}

Vector3 direction(const CubePoint& point) {
  const int axis = point.face / 2;
  Vector3 out;
  out[axis] = point.face % 2 == 0 ? 1 : -1;
  out[(axis + 1) % 3] = point.u;
  out[(axis + 2) % 3] = point.v;
  return out;
}

// Also where x is not a number.
int cell_along(double x, int cells) {
  const double place = 0.5 * (x + 1) * cells;
  return place < cells ? (place > 0 ? static_cast<int>(place) : 0) : cells - 1;
}

int farthest(std::span<const Vector3> points, const std::vector<int>& among, const Vector3& d) {
  int best = among.front();
  double most = -std::numeric_limits<double>::infinity();
  for (int i : among)
    if (const double height = points[i].dot(d); height > most) most = height, best = i;
  return best;
}

}  // namespace

// The part of a face that is `1/cells` as wide, in column i and row j.
struct SupportTable::Square {
  int face = 0, i = 0, j = 0, cells = 1;
  Vector3 at(double x, double y) const {
    return direction({face, 2 * (i + x) / cells - 1, 2 * (j + y) / cells - 1});
  }
};

void SupportTable::add_cells(std::span<const Vector3> points, const Square& square,
                             const std::vector<int>& parent, int level, double margin) {
  const std::array<Vector3, 4> corners{square.at(0, 0), square.at(1, 0), square.at(0, 1), square.at(1, 1)};
  std::array<int, 5> best;
  for (int k = 0; k < 4; ++k) best[k] = farthest(points, parent, corners[k]);
  best[4] = farthest(points, parent, square.at(0.5, 0.5));
  const auto is_beaten = [&](int i) {
    return std::any_of(best.begin(), best.end(), [&](int other) {
      const Vector3 e = points[other] - points[i];
      return std::all_of(corners.begin(), corners.end(), [&](const Vector3& c) { return e.dot(c) > margin; });
    });
  };
  std::vector<int> kept;
  std::copy_if(parent.begin(), parent.end(), std::back_inserter(kept), [&](int i) { return !is_beaten(i); });
  if (level == 0) {
    const auto first = static_cast<int>(points_.size());
    points_.insert(points_.end(), kept.begin(), kept.end());
    cells_[(static_cast<std::size_t>(square.face) * cells_of_axis_ + square.j) * cells_of_axis_ + square.i] =
        {first, static_cast<int>(points_.size())};
    return;
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      add_cells(points, {square.face, 2 * square.i + i, 2 * square.j + j, 2 * square.cells}, kept, level - 1,
                margin);
}

SupportTable::SupportTable(std::span<const Vector3> points) {
  if (points.size() < k_min_points) return;
  int level = 0;
  while (level < k_max_level && (std::size_t{6} << (2 * level)) < k_cells_of_point * points.size()) ++level;
  cells_of_axis_ = 1 << level;
  cells_.resize(std::size_t{6} << (2 * level));
  double scale = 0;
  std::vector<int> all;
  for (const Vector3& x : points) {
    scale = std::max(scale, x.cwiseAbs().maxCoeff());
    all.push_back(static_cast<int>(all.size()));
  }
  for (int face = 0; face < 6; ++face) add_cells(points, {.face = face}, all, level, k_margin * scale);
}

std::span<const int> SupportTable::candidates(const Vector3& d) const {
  const CubePoint point = cube_point(d);
  const int i = cell_along(point.u, cells_of_axis_), j = cell_along(point.v, cells_of_axis_);
  const Cell& cell = cells_[(static_cast<std::size_t>(point.face) * cells_of_axis_ + j) * cells_of_axis_ + i];
  return {points_.data() + cell.begin, static_cast<std::size_t>(cell.end - cell.begin)};
}

}  // namespace delassus
