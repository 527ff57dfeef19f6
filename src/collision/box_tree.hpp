// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A binary tree over boxes. The boxes are sorted by the cells of a grid in which their centres lie, the cells in Morton
// order (the bits of their three coordinates interleaved), and each subtree is cut where the highest bit changes: at a
// plane of the grid. Many boxes in one cell (clusters far apart, long rows) are cut at the median of the centres
// along the axis along which these are spread most, instead: so no arrangement of boxes spoils the tree.
//
// The order of the leaves depends on nothing but the boxes.
// Cost: O(n), and O(m log m) for m boxes of one cell. 69 bytes a box, and 25 to 50 for the nodes. Allocates only
// when there are more boxes than ever before.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "delassus/collision/bounds.hpp"

namespace delassus {

// Nodes are stored in the order of a visit: a node, its left subtree, its right subtree.
struct BoxNode {
  Bounds box;              // of all boxes below
  int begin = 0, end = 0;  // these boxes
  int right = 0;           // the right child; 0: a leaf. The left child follows its parent.
  bool marked = false;     // at least one of the boxes below is marked
};

class BoxTree {
 public:
  // `marks`: one for each box, or empty: none is marked. Boxes that are empty or not finite are left out.
  void build(std::span<const Bounds> boxes, std::span<const std::uint8_t> marks);

  bool empty() const { return nodes_.empty(); }
  std::span<const BoxNode> nodes() const { return nodes_; }  // the root is the first
  // In the order of the leaves: the boxes, which they are, their marks.
  std::span<const Bounds> boxes() const { return boxes_; }
  std::span<const int> indices() const { return indices_; }
  std::span<const std::uint8_t> marks() const { return marks_; }

  // Calls visitor(k) for each boxes()[k] that overlaps `box`; `marked`: subtrees without a mark are left out.
  template <class Visitor>
  void visit_overlapping(const Bounds& box, bool marked, const Visitor& visitor, int root = 0) const {
    if (empty()) return;
    const BoxNode& node = nodes_[root];
    if ((marked && !node.marked) || !overlap(node.box, box)) return;
    if (node.right != 0) {
      visit_overlapping(box, marked, visitor, root + 1);
      visit_overlapping(box, marked, visitor, node.right);
      return;
    }
    for (int k = node.begin; k < node.end; ++k)
      if (overlap(boxes_[k], box)) visitor(k);
  }

  std::size_t memory() const;  // [bytes]

 private:
  void update_keys(std::span<const Bounds> boxes);
  void sort_keys();
  int find_cut(int begin, int end) const;
  int add_subtree(int begin, int end);

  std::vector<std::uint64_t> keys_, other_keys_;  // the cell in the upper half, the box in the lower one
  std::vector<int> indices_;
  std::vector<Bounds> boxes_;
  std::vector<std::uint8_t> marks_;
  std::vector<BoxNode> nodes_;
};

}  // namespace delassus
