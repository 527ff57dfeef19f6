// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of many points is farthest in a direction, without looking at all of them.
//
// The faces of a cube around the origin are cut into cells, again and again into four; the directions through a cell are
// the cone over its corners c_1 … c_4. For every direction d of that cone
//
//   c_kᵀ(y − x) > 0, k = 1 … 4   ⇒   dᵀy > dᵀx                                                                 (1)
//
// so x is of no use there. A cell keeps the points that none of five others beats, those which are farthest along its
// corners and its middle. What (1) drops is never a maximum, whatever the points are: the answer is that of a scan over
// all of them, the first of several maxima included. Only points that lie on no border of their hull slow it down.
//
// Cost: making it O(n log n) for n points, some bytes a point; asking, a scan over the points of one cell, about four where
// points lie on something round, and the corners of a face for directions near its normal. Immutable.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

class SupportTable {
 public:
  // Fewer are scanned in less time than it takes to find the cell twice.
  static constexpr std::size_t k_min_points = 33;

  SupportTable() = default;
  explicit SupportTable(std::span<const Vector3> points);

  bool empty() const { return cells_.empty(); }
  // Indices, ascending, with the first of the points of greatest dᵀx among them; d ≠ 0, of any length.
  std::span<const int> candidates(const Vector3& d) const;

 private:
  struct Cell {
    int begin = 0, end = 0;  // in points_
  };
  struct Square;
  void add_cells(std::span<const Vector3> points, const Square& square, const std::vector<int>& parent,
                 int level, double margin);

  int cells_of_axis_ = 0;    // along an edge of the cube
  std::vector<Cell> cells_;  // face by face, row by row
  std::vector<int> points_;
};

}  // namespace delassus
