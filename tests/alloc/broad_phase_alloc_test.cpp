// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding pairs and faces allocates nothing once it has been done. An executable of its own: it replaces malloc.
#include <gtest/gtest.h>

#include "../support/allocation_counter.hpp"
#include "../support/random_problem.hpp"
#include "delassus/collision/broad_phase.hpp"
#include "delassus/collision/triangle_tree.hpp"

namespace delassus::broad_phase_alloc_test {
namespace {

#ifdef DELASSUS_COUNTS_ALLOCATIONS

TEST(Allocations, PairsAndFacesAreFoundWithoutAny) {
  testing::Random random(1);
  constexpr int n = 1000;
  std::vector<Bounds> boxes, moved;
  for (int i = 0; i < n; ++i) {
    const Vector3 x = 5 * random.vector(3);
    boxes.push_back({x.array() - 0.5, x.array() + 0.5});
    moved.push_back({x.array() - 0.4, x.array() + 0.4});  // not more pairs than before
  }
  const std::vector<std::uint8_t> moving(n, 1);
  BroadPhase broad_phase;
  std::vector<BroadPhase::Pair> pairs;
  auto field = std::make_shared<HeightField>();
  field->nx = field->ny = 20;
  field->heights.assign(400, 0);
  const TriangleTree tree(*make_geometry({.kind = ShapeKind::height_field, .field = field}));
  std::vector<int> faces;
  const auto find = [&](const std::vector<Bounds>& set) {
    broad_phase.find_pairs(
        set, moving, [](int i, int j) { return i % 2 == 0 || j % 2 == 0; }, pairs);
    for (const Bounds& box : set) tree.query(box, faces);
    // Both lists of pairs have to grow once.
    broad_phase.find_pairs(set, moving, pairs);
  };
  const long start = allocation_count;
  find(boxes);
  EXPECT_GT(allocation_count, start);
  EXPECT_FALSE(pairs.empty());
  for (const std::vector<Bounds>* set : {&boxes, &moved}) {
    const long before = allocation_count;
    find(*set);
    EXPECT_EQ(allocation_count, before);
  }
}

#endif

}  // namespace
}  // namespace delassus::broad_phase_alloc_test
