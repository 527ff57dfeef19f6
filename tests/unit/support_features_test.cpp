// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which features reach into the slab below a supporting plane.
#include "delassus/collision/support_features.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "../support/convex_poses.hpp"

namespace delassus::support_features_test {
namespace {

constexpr double k_slab = 1e-5;
constexpr double k_round_off = 1e-14;

struct Counts {
  int points = 0, edges = 0, faces = 0, circles = 0, ellipsoids = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.points << " points, " << c.edges << " edges, " << c.faces << " faces, " << c.circles
             << " circles, " << c.ellipsoids << " ellipsoids";
}

Counts count_features(const Shape& shape, const Vector3& direction, const Pose& pose = {},
                      double slab = k_slab) {
  const auto geometry = make_geometry(shape);
  FeatureList list = {{FeatureKind::face, 77, 0}};  // is replaced
  collect_features(*geometry, pose, direction.normalized(), slab, list);
  Counts out;
  FeatureIndex last = -1;
  for (const Feature& feature : list) {
    EXPECT_GT(geometry->index_of(feature), last);  // ascending
    last = geometry->index_of(feature);
    int* const counters[] = {&out.points, &out.edges, &out.faces, &out.circles, &out.ellipsoids};
    ++*counters[static_cast<int>(feature.kind)];
  }
  return out;
}

const Vector3 k_x = Vector3::UnitX(), k_y = Vector3::UnitY(), k_z = Vector3::UnitZ();

TEST(SupportFeatures, OfABoxAreThoseOfTheFaceEdgeOrCorner) {
  const Shape box{.kind = ShapeKind::box, .size = {1, 2, 3}};
  const Counts face{.points = 4, .edges = 4, .faces = 1};
  EXPECT_EQ(count_features(box, -k_z), face);
  EXPECT_EQ(count_features(box, k_x), face);
  EXPECT_EQ(count_features(box, k_x + 1e-6 * k_y), face);  // lifts the other side by 2e-6
  // Edges of the two faces that end there, too.
  EXPECT_EQ(count_features(box, k_x + k_y), (Counts{.points = 2, .edges = 5, .faces = 2}));
  // All three faces turn by 55° from the direction, and all three edges by 35°.
  EXPECT_EQ(count_features(box, Vector3(1, 1, 1)), (Counts{.points = 1, .edges = 3, .faces = 3}));
  // Faces beyond 60° are dropped, an edge whose nearest normal is not is kept.
  EXPECT_EQ(count_features(box, k_x + 0.1 * k_y + 0.1 * k_z), (Counts{.points = 1, .edges = 2, .faces = 1}));
}

TEST(SupportFeatures, AreTheSameInEveryPose) {
  testing::Random random(1);
  for (const testing::Solid& solid : testing::make_solids()) {
    const Pose pose = testing::random_pose(random, 3);
    for (const Vector3& d : {k_x, Vector3(-k_z), Vector3(k_x + k_y)})
      EXPECT_EQ(count_features(solid.shape, d), count_features(solid.shape, pose.vector(d), pose))
          << solid.name;
  }
}

TEST(SupportFeatures, OfRoundedBodies) {
  EXPECT_EQ(count_features({.kind = ShapeKind::sphere, .radius = 1}, -k_z), (Counts{.points = 1}));
  EXPECT_EQ(count_features({.kind = ShapeKind::ellipsoid, .size = {1, 2, 3}}, -k_z),
            (Counts{.ellipsoids = 1}));
  const Shape capsule{.kind = ShapeKind::capsule, .radius = 0.2, .length = 1};
  EXPECT_EQ(count_features(capsule, -k_x), (Counts{.points = 2, .edges = 1}));
  EXPECT_EQ(count_features(capsule, -k_z), (Counts{.points = 1}));
  // At 60° from upright the end alone, far below the side's normal.
  EXPECT_EQ(count_features(capsule, k_z + 0.1 * k_x), (Counts{.points = 1}));
  const Shape rounded{.kind = ShapeKind::box, .size = {1, 2, 3}, .margin = 0.1};
  EXPECT_EQ(count_features(rounded, -k_z), (Counts{.points = 4, .edges = 4, .faces = 1}));
  EXPECT_EQ(count_features(rounded, k_x + k_y), (Counts{.points = 2, .edges = 1}));
}

TEST(SupportFeatures, OfACylinderStandingLyingAndTilted) {
  const Shape cylinder{.kind = ShapeKind::cylinder, .radius = 0.3, .length = 1};
  EXPECT_EQ(count_features(cylinder, -k_z), (Counts{.points = 8, .faces = 1, .circles = 2}));
  EXPECT_EQ(count_features(cylinder, k_x), (Counts{.points = 2, .edges = 1, .circles = 4}));
  // On its rim, at 45°: the disk and the side are both near.
  EXPECT_EQ(count_features(cylinder, k_x - k_z), (Counts{.points = 1, .edges = 1, .faces = 1, .circles = 2}));
  // Between two points of the rim.
  const double angle = std::numbers::pi / 8;
  EXPECT_EQ(count_features(cylinder, Vector3(std::cos(angle), std::sin(angle), -1)),
            (Counts{.edges = 1, .faces = 1, .circles = 2}));
}

TEST(SupportFeatures, OfACone) {
  const Shape cone{.kind = ShapeKind::cone, .radius = 0.3, .length = 1};
  EXPECT_EQ(count_features(cone, -k_z), (Counts{.points = 8, .faces = 1, .circles = 2}));
  // On its side, along a line from a point of the rim to the apex.
  EXPECT_EQ(count_features(cone, k_x + 0.3 * k_z), (Counts{.points = 2, .edges = 1, .circles = 2}));
  EXPECT_EQ(count_features(cone, k_z), (Counts{.points = 1}));
}

TEST(SupportFeatures, OfAHalfSpaceAreItsFace) {
  EXPECT_EQ(count_features({.kind = ShapeKind::plane}, k_z), (Counts{.faces = 1}));
}

// Whatever the direction: the supporting point belongs to a feature in the list.
TEST(SupportFeatures, AreNeverEmpty) {
  testing::Random random(2);
  for (const testing::Solid& solid : testing::make_solids())
    for (int i = 0; i < 200; ++i)
      EXPECT_NE(count_features(solid.shape, testing::random_direction(random), {}, k_round_off), Counts{})
          << solid.name;
}

}  // namespace
}  // namespace delassus::support_features_test
