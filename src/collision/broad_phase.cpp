// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/broad_phase.hpp"

#include <algorithm>
#include <cassert>

namespace delassus {
namespace {

double size_of(const Bounds& box) {
  return (box.upper - box.lower).sum();
}

}  // namespace

// The box i of the tree with boxes begin … end − 1.
void BroadPhase::find_of_box(int i, int begin, int end) {
  const std::span<const Bounds> boxes = tree_.boxes();
  const std::span<const std::uint8_t> moving = tree_.marks();
  for (int j = begin; j < end; ++j)
    if ((moving[i] != 0 || moving[j] != 0) && overlap(boxes[i], boxes[j]))
      add_pair(tree_.indices()[i], tree_.indices()[j]);
}

void BroadPhase::find_within(int root) {
  const BoxNode& node = tree_.nodes()[root];
  if (!node.marked) return;
  if (node.right != 0) {
    find_within(root + 1);
    find_within(node.right);
    find_between(root + 1, node.right);
    return;
  }
  for (int i = node.begin; i < node.end; ++i) find_of_box(i, i + 1, node.end);
}

void BroadPhase::find_between(int a, int b) {
  const BoxNode &node_a = tree_.nodes()[a], &node_b = tree_.nodes()[b];
  if (!(node_a.marked || node_b.marked) || !overlap(node_a.box, node_b.box)) return;
  const bool leaf_a = node_a.right == 0, leaf_b = node_b.right == 0;
  if (leaf_a && leaf_b) {
    for (int i = node_a.begin; i < node_a.end; ++i)
      if (overlap(tree_.boxes()[i], node_b.box)) find_of_box(i, node_b.begin, node_b.end);
  } else if (leaf_b || (!leaf_a && size_of(node_a.box) > size_of(node_b.box))) {
    find_between(a + 1, b);
    find_between(node_a.right, b);
  } else {
    find_between(a, b + 1);
    find_between(a, node_b.right);
  }
}

void BroadPhase::find_of_unbounded(std::span<const Bounds> boxes, std::span<const std::uint8_t> moving) {
  unbounded_.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (is_empty(boxes[i]) || is_finite(boxes[i])) continue;
    const int j = static_cast<int>(i);
    const bool moves = moving[i] != 0;
    for (int k : unbounded_)
      if ((moves || moving[k] != 0) && overlap(boxes[i], boxes[k])) add_pair(k, j);
    tree_.visit_overlapping(boxes[i], !moves, [&](int k) {
      if (moves || tree_.marks()[k] != 0) add_pair(j, tree_.indices()[k]);
    });
    unbounded_.push_back(j);
  }
}

// Two passes of a sort by counting, each of which keeps the order of the one before.
void BroadPhase::sort_pairs(std::size_t num_boxes, std::vector<Pair>& pairs) {
  const auto sort_by = [&](int Pair::*member, const std::vector<Pair>& from, std::vector<Pair>& to) {
    starts_.assign(num_boxes, 0);
    for (const Pair& pair : from) ++starts_[pair.*member];
    int sum = 0;
    for (int& start : starts_) sum += std::exchange(start, sum);
    for (const Pair& pair : from) to[starts_[pair.*member]++] = pair;
  };
  pairs.resize(found_.size());
  sort_by(&Pair::second, found_, pairs);
  sort_by(&Pair::first, pairs, found_);
  pairs.swap(found_);
}

void BroadPhase::find_pairs(std::span<const Bounds> boxes, std::span<const std::uint8_t> moving,
                            std::vector<Pair>& pairs) {
  assert(moving.size() == boxes.size());
  found_.clear();
  tree_.build(boxes, moving);
  if (!tree_.empty()) find_within(0);
  find_of_unbounded(boxes, moving);
  sort_pairs(boxes.size(), pairs);
}

std::size_t BroadPhase::memory() const {
  return tree_.memory() + (unbounded_.capacity() + starts_.capacity()) * sizeof(int) +
         found_.capacity() * sizeof(Pair);
}

}  // namespace delassus
