// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The faces of a mesh or height field near a box: a tree over the boxes of the faces, built once, in the frame of the
// geometry, so that it moves with it. Ask with the box of the other geometry in that frame,
//
//   tree.query(inflate(bounds_of(other, relative_pose), envelope), faces).
//
// Cost: a query that finds k of F faces O(k log k + log F) where faces are of similar size and about as wide as long.
#pragma once
#include "delassus/collision/box_tree.hpp"

namespace delassus {

class TriangleTree {
 public:
  // Of the polygons among the faces; disks and half spaces are in no answer.
  explicit TriangleTree(const Geometry& geometry);

  // Overwrites `faces` with those whose boxes overlap `box`, ascending. An empty box, also one with a coordinate that
  // is not a number, overlaps nothing. Allocates only where `faces` has to grow.
  void query(const Bounds& box, std::vector<int>& faces) const;

  // Of all faces.
  Bounds bounds() const { return tree_.empty() ? Bounds{} : tree_.nodes().front().box; }

 private:
  BoxTree tree_;
};

// The box of a polygon of a geometry, in its frame.
Bounds face_bounds(const Geometry& geometry, const GeometryFace& face);

}  // namespace delassus
