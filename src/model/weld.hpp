// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Corners of a surface that differ by round-off become one vertex.
//
// Programs write each triangle on its own, with coordinates that went through different sums or were cut to single
// precision, and texture seams repeat vertices. Welded are vertices on borders (edges of one triangle) of a surface within
//
//   tolerance = k_weld_tolerance · diagonal of its box                                                    (1)
//
// of each other, each to the first of them; closed surfaces stay as they are. Triangles that have lost their area by this are
// left out. Vertices keep their numbers: those that were welded belong to no triangle any more. O(n log n).
#pragma once
#include "delassus/model/shape.hpp"

namespace delassus {

// Single precision has 24 bits, and coordinates may have gone through a few sums [-].
inline constexpr double k_weld_tolerance = 1e-6;

// Welds; returns how many vertices were given up.
int weld_borders(Surface& surface);
// Of a surface as weld_borders has left it: how many vertices it gave up.
int count_welded(const Surface& surface);

}  // namespace delassus
