// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of elimination for the saddle point of a mechanism (linalg/sparse_kkt.hpp), from its pattern.
//
//   K = [A −D; R C],  unknowns 0 … nv−1 velocities, nv … n−1 multipliers
//
// A multiplier has no pivot of its own where C = 0: one that comes before its bodies forces pivots elsewhere,
// possibly in the rows of a hub, which fill the factors. So every joint is tied to one of its bodies, and
// eliminated right after it. Bodies and joints are runs of unknowns with the same pattern. The ties are found
// by peeling: the body with the fewest joints left takes as many of them as its velocities allow, which gives
// every joint of a tree to its outer body, a joint of a star to its arm. The pairs are then ordered by
// approximate minimum degree [Amestoy, Davis & Duff 1996].
//   Cost: O(n + entries) up to logarithms. Allocates.
#pragma once
#include <vector>

namespace delassus {

// The k-th unknown to eliminate. The pattern by compressed columns, rows ascending; symmetric in structure.
std::vector<int> order_saddle_point(int nv, const std::vector<int>& starts, const std::vector<int>& row_of);

// The same by cells of unknowns that are eliminated together: bodies first, then joints.
struct CellGraph {
  std::vector<int> sizes;  // unknowns of a cell
  int num_bodies = 0;
  std::vector<std::vector<int>> neighbours;  // of a cell, itself left out, ascending
};
// The k-th cell to eliminate. Joints that no body has room for come last, so that the pivots of the others are there before
// them.
std::vector<int> order_cells(const CellGraph& graph);

}  // namespace delassus
