// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/box_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

namespace delassus {
namespace {

// Boxes in a leaf: the pairs of 100,000 boxes took 1.1 times as long with 4, as long with 16.
constexpr int k_leaf = 8;
// Of the three coordinates of a cell; 30 bits in all are sorted in four passes of 8 bits.
constexpr int k_axis_bits = 10, k_digit_bits = 8, k_key_bits = 32;
constexpr int k_cells = 1 << k_axis_bits, k_digits = 1 << k_digit_bits;
// The grid spans the middle part of a sample of the centres and as much on both sides of it: a body that has left the
// scene does not make the cells coarse for all others. Those beyond are in the cells of the border.
constexpr int k_samples = 64, k_tail = 8;  // an eighth of the samples on either side is left out

int item_of(std::uint64_t key) {
  return static_cast<int>(static_cast<std::uint32_t>(key));
}

std::uint32_t cell_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> k_key_bits);
}

// Written so that it cannot overflow.
double center(const Bounds& box, int axis) {
  return 0.5 * box.lower[axis] + 0.5 * box.upper[axis];
}

// Bits of x to every third place.
std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000FF;
  x = (x | (x << 8)) & 0x0300F00F;
  x = (x | (x << 4)) & 0x030C30C3;
  x = (x | (x << 2)) & 0x09249249;
  return x;
}

struct Grid {
  Vector3 origin = Vector3::Zero();
  double scale = 0;  // cells a length [1/m]

  std::uint32_t cell(const Bounds& box) const {
    std::uint32_t out = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = scale * (center(box, axis) - origin[axis]);
      constexpr std::uint32_t last = k_cells - 1;
      out |= spread_bits(x < last ? (x > 0 ? static_cast<std::uint32_t>(x) : 0) : last) << axis;
    }
    return out;
  }
};

// Cells are cubes, so that flat scenes are cut across their long sides.
Grid make_grid(std::span<const Bounds> boxes, std::span<const std::uint64_t> keys) {
  const std::size_t stride = (keys.size() + k_samples - 1) / k_samples;
  Vector3 middle;
  double half = 0;  // of the part in the middle, along its longest axis
  for (int axis = 0; axis < 3; ++axis) {
    std::array<double, k_samples> x;
    std::size_t count = 0;
    for (std::size_t k = 0; k < keys.size(); k += stride) x[count++] = center(boxes[item_of(keys[k])], axis);
    std::sort(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
    const double low = x[count / k_tail], high = x[count - 1 - count / k_tail];
    middle[axis] = 0.5 * low + 0.5 * high;
    half = std::max(half, 0.5 * high - 0.5 * low);
  }
  // Where most centres are the same, one cell holds all.
  return {middle.array() - 2 * half, half > 0 ? k_cells / (4 * half) : 0};
}

// Puts boxes into an order for subtrees that are cut in the middle. Ties by index: the order is unique.
void order_by_medians(std::span<const Bounds> boxes, std::span<std::uint64_t> keys) {
  if (keys.size() <= k_leaf) return;
  int longest = 0;
  double spread = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::uint64_t key : keys) {
      low = std::min(low, center(boxes[item_of(key)], axis));
      high = std::max(high, center(boxes[item_of(key)], axis));
    }
    if (0.5 * high - 0.5 * low > spread) {
      spread = 0.5 * high - 0.5 * low;
      longest = axis;
    }
  }
  const std::size_t middle = keys.size() / 2;
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(middle), keys.end(),
                   [&](std::uint64_t i, std::uint64_t j) {
                     const double x = center(boxes[item_of(i)], longest),
                                  y = center(boxes[item_of(j)], longest);
                     return x != y ? x < y : i < j;
                   });
  order_by_medians(boxes, keys.first(middle));
  order_by_medians(boxes, keys.subspan(middle));
}

}  // namespace

void BoxTree::update_keys(std::span<const Bounds> boxes) {
  keys_.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!is_empty(boxes[i]) && is_finite(boxes[i])) keys_.push_back(i);
  if (keys_.empty()) return;
  const Grid grid = make_grid(boxes, keys_);
  for (std::uint64_t& key : keys_)
    key |= static_cast<std::uint64_t>(grid.cell(boxes[item_of(key)])) << k_key_bits;
}

// By cells, digit by digit, boxes of one cell by their indices.
void BoxTree::sort_keys() {
  other_keys_.resize(keys_.size());
  for (int shift = k_key_bits; shift < 2 * k_key_bits; shift += k_digit_bits) {
    std::array<int, k_digits> starts{};
    for (std::uint64_t key : keys_) ++starts[key >> shift & (k_digits - 1)];
    int sum = 0;
    for (int& start : starts) sum += std::exchange(start, sum);
    for (std::uint64_t key : keys_) other_keys_[starts[key >> shift & (k_digits - 1)]++] = key;
    keys_.swap(other_keys_);
  }
}

int BoxTree::find_cut(int begin, int end) const {
  const std::uint32_t first = cell_of(keys_[begin]), last = cell_of(keys_[end - 1]);
  if (first == last) return begin + (end - begin) / 2;
  const std::uint32_t lower_bits = std::bit_floor(first ^ last) - 1;
  const std::uint64_t cut = static_cast<std::uint64_t>(last & ~lower_bits) << k_key_bits;
  return static_cast<int>(std::lower_bound(keys_.begin() + begin, keys_.begin() + end, cut) - keys_.begin());
}

int BoxTree::add_subtree(int begin, int end) {
  const int root = static_cast<int>(nodes_.size());
  nodes_.push_back({.begin = begin, .end = end});
  if (end - begin <= k_leaf) {
    BoxNode& node = nodes_[root];
    for (int k = begin; k < end; ++k) {
      node.box = merge(node.box, boxes_[k]);
      node.marked |= marks_[k] != 0;
    }
    return root;
  }
  const int cut = find_cut(begin, end);
  const int left = add_subtree(begin, cut), right = add_subtree(cut, end);
  BoxNode& node = nodes_[root];
  node.right = right;
  node.box = merge(nodes_[left].box, nodes_[right].box);
  node.marked = nodes_[left].marked || nodes_[right].marked;
  return root;
}

void BoxTree::build(std::span<const Bounds> boxes, std::span<const std::uint8_t> marks) {
  assert(marks.empty() || marks.size() == boxes.size());
  update_keys(boxes);
  sort_keys();
  const std::size_t n = keys_.size();
  for (std::size_t k = 0; k < n;) {
    std::size_t end = k + 1;
    while (end < n && cell_of(keys_[end]) == cell_of(keys_[k])) ++end;
    order_by_medians(boxes, {keys_.data() + k, keys_.data() + end});
    k = end;
  }
  boxes_.resize(n);
  indices_.resize(n);
  marks_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const int i = item_of(keys_[k]);
    boxes_[k] = boxes[i];
    indices_[k] = i;
    marks_[k] = marks.empty() ? 0 : marks[i];
  }
  nodes_.clear();
  if (n > 0) add_subtree(0, static_cast<int>(n));
}

std::size_t BoxTree::memory() const {
  return (keys_.capacity() + other_keys_.capacity()) * sizeof(std::uint64_t) +
         indices_.capacity() * sizeof(int) + boxes_.capacity() * sizeof(Bounds) + marks_.capacity() +
         nodes_.capacity() * sizeof(BoxNode);
}

}  // namespace delassus
