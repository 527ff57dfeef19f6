// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What holds for every pair of convex shapes: known distances are found, swapping the bodies and moving both changes
// nothing. DELASSUS_LONG_TESTS: 100,000 poses of every pair.
#include "delassus/collision/separation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "../support/convex_poses.hpp"

namespace delassus::separation_test {
namespace {

using testing::KnownPair;
using testing::make_known_pair;
using testing::Random;
using testing::Solid;

constexpr double k_accuracy = 1e-10;  // what is asked of a distance of bodies of unit size
// Of depths in two directions that are nearly equal either may be returned.
constexpr double k_same_depth = 1e-3;
constexpr double k_far = 10;

const std::vector<Solid>& solids() {
  static const std::vector<Solid> all = testing::make_solids();
  return all;
}

int num_poses() {
  return std::getenv("DELASSUS_LONG_TESTS") != nullptr ? 100000 : 1000;
}

// By the index of the first solid: with every other one.
class SeparationOf : public ::testing::TestWithParam<int> {
 protected:
  const Solid& a() const { return solids()[GetParam()]; }
  Separation separate(const KnownPair& known, const Solid& b) const {
    return separation(*a().geometry, known.pose_a, *b.geometry, known.pose_b, k_far);
  }
};

TEST_P(SeparationOf, KnownGapsIsFound) {
  Random random(11);
  for (const Solid& b : solids())
    for (int i = 0; i < num_poses(); ++i) {
      const double gap = std::pow(10.0, -random.uniform(1, 9));
      ASSERT_NEAR(separate(make_known_pair(a(), b, gap, random), b).gap, gap, k_accuracy)
          << b.name << " " << i;
    }
}

TEST_P(SeparationOf, OverlapsIsTheLeastDepth) {
  Random random(12);
  for (const Solid& b : solids())
    for (int i = 0; i < num_poses(); ++i) {
      const double gap = -std::pow(10.0, -random.uniform(3, 9));
      const KnownPair known = make_known_pair(a(), b, gap, random);
      const Separation found = separate(known, b);
      ASSERT_GE(found.gap, gap - k_accuracy) << b.name << " " << i;
      if (i % 20 != 0) continue;
      const Vector3 n = i % 40 == 0 ? found.normal : testing::random_direction(random);
      const double climbed = testing::climb_at_random(a(), known.pose_a, b, known.pose_b, n, random);
      ASSERT_GE(found.gap, climbed - k_accuracy) << b.name << " " << i;
    }
}

// Numbers of both bodies, of their frames and of the order of the search differ, the distance does not.
TEST_P(SeparationOf, PairsIsTheSameSwappedAndMoved) {
  Random random(13);
  for (const Solid& b : solids())
    for (int i = 0; i < num_poses() / 10; ++i) {
      const double gap = std::pow(10.0, -random.uniform(3, 9)) * (i % 2 == 0 ? 1 : -1);
      const KnownPair known = make_known_pair(a(), b, gap, random);
      const Separation found = separate(known, b);
      const Separation swapped = separation(*b.geometry, known.pose_b, *a().geometry, known.pose_a, k_far);
      const double tolerance = k_accuracy + k_same_depth * std::max(0.0, -gap);
      ASSERT_NEAR(found.gap, swapped.gap, tolerance) << b.name << " " << i;
      const Pose motion = testing::random_pose(random, 1);
      const auto move = [&](const Pose& pose) { return Pose{motion.R * pose.R, motion.point(pose.p)}; };
      KnownPair moved = known;
      moved.pose_a = move(known.pose_a);
      moved.pose_b = move(known.pose_b);
      ASSERT_NEAR(found.gap, separate(moved, b).gap, tolerance) << b.name << " " << i;
    }
}

constexpr int k_num_solids = 9;
TEST(SeparationOfSolids, AreAllThere) {
  EXPECT_EQ(solids().size(), k_num_solids);
}

INSTANTIATE_TEST_SUITE_P(Solids, SeparationOf, ::testing::Range(0, k_num_solids),
                         [](const auto& solid) { return solids()[solid.param].name; });

}  // namespace
}  // namespace delassus::separation_test
