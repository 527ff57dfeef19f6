// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/triangle_tree.hpp"

#include <algorithm>

namespace delassus {

Bounds face_bounds(const Geometry& geometry, const GeometryFace& face) {
  Bounds box;
  for (int i : geometry.loop(face)) {
    const GeometryPoint& point = geometry.points[i];
    box = merge(box, inflate(Bounds{point.x, point.x}, point.radius));
  }
  return box;
}

TriangleTree::TriangleTree(const Geometry& geometry) {
  std::vector<Bounds> boxes;
  boxes.reserve(geometry.faces.size());
  for (const GeometryFace& face : geometry.faces) boxes.push_back(face_bounds(geometry, face));
  tree_.build(boxes, {});
}

void TriangleTree::query(const Bounds& box, std::vector<int>& faces) const {
  faces.clear();
  if (is_empty(box)) return;
  tree_.visit_overlapping(box, false, [&](int k) { faces.push_back(tree_.indices()[k]); });
  std::sort(faces.begin(), faces.end());
}

}  // namespace delassus
