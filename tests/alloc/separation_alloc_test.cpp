// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Distances of convex pairs allocate nothing, apart or overlapping, easy or not.
// An executable of its own: it replaces malloc.
#include <gtest/gtest.h>

#include "../support/allocation_counter.hpp"
#include "../support/convex_poses.hpp"
#include "delassus/collision/separation.hpp"
#include "delassus/collision/support_features.hpp"

namespace delassus::separation_alloc_test {
namespace {

#ifdef DELASSUS_COUNTS_ALLOCATIONS

using testing::KnownPair;
using testing::Solid;

TEST(Allocations, NoneInSeparation) {
  const std::vector<Solid> solids = testing::make_solids();
  testing::Random random(1);
  constexpr int k_poses = 200;
  FeatureList features;
  double sum = 0;
  const auto run = [&](const Solid& a, const Solid& b) {
    long allocations = 0;
    for (int i = 0; i < k_poses; ++i) {
      const double gap = std::pow(10.0, -random.uniform(2, 9)) * (i % 2 == 0 ? 1 : -1);
      const KnownPair known = testing::make_known_pair(a, b, gap, random);
      const long before = allocation_count;
      const Separation found = separation(*a.geometry, known.pose_a, *b.geometry, known.pose_b, 1);
      collect_features(*a.geometry, known.pose_a, found.normal, 1e-5, features);
      allocations += allocation_count - before;
      sum += found.gap;
    }
    return allocations;
  };
  features.reserve(64);
  for (const Solid& a : solids)
    for (const Solid& b : solids) EXPECT_EQ(run(a, b), 0) << a.name << " " << b.name;
  EXPECT_TRUE(std::isfinite(sum));
}

#endif

}  // namespace
}  // namespace delassus::separation_alloc_test
