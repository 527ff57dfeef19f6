// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Signed distances of convex pairs: constructed poses, closed forms, enumeration in long double.
#include "delassus/collision/separation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "../support/convex_poses.hpp"

namespace delassus::separation_test {
namespace {

using testing::KnownPair;
using testing::make_known_pair;
using testing::make_solids;
using testing::Random;
using testing::random_pose;
using testing::reference_separation;
using testing::Solid;

// Bodies of unit size: what is asked of a distance, and round-off of a single evaluation of s(n).
constexpr double k_accuracy = 1e-11;
constexpr double k_round_off = 1e-14;
constexpr double k_certain = 1e-13;  // what is not worth an error
constexpr double k_far = 10;
constexpr int k_poses = 1000;  // with a gap, and as many that overlap, of every pair of kinds

Separation separate(const Solid& a, const Pose& pose_a, const Solid& b, const Pose& pose_b) {
  return separation(*a.geometry, pose_a, *b.geometry, pose_b, k_far);
}

template <typename Function>
void for_all_pairs(const Function& function) {
  const std::vector<Solid> solids = make_solids();
  for (const Solid& a : solids)
    for (const Solid& b : solids) {
      SCOPED_TRACE(a.name + " " + b.name);
      function(a, b);
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(Separation, DistancesAreThoseOfTheConstruction) {
  Random random(1);
  for_all_pairs([&](const Solid& a, const Solid& b) {
    for (int i = 0; i < k_poses; ++i) {
      const double gap = std::pow(10.0, -random.uniform(1, 9));
      const KnownPair known = make_known_pair(a, b, gap, random);
      const Separation found = separate(a, known.pose_a, b, known.pose_b);
      ASSERT_NEAR(found.gap, gap, k_accuracy) << i;
      ASSERT_NEAR(found.gap, reference_separation(a, known.pose_a, b, known.pose_b, found.normal),
                  k_round_off)
          << i;
      ASSERT_LE(gap - found.gap, found.error + k_certain) << i;
    }
  });
}

// Where they overlap the construction is a lower bound; nothing near the normal that is found may be better.
TEST(Separation, DepthsAreLocallyTheLeast) {
  Random random(2);
  for_all_pairs([&](const Solid& a, const Solid& b) {
    for (int i = 0; i < k_poses; ++i) {
      const double gap = -std::pow(10.0, -random.uniform(3, 9));
      const KnownPair known = make_known_pair(a, b, gap, random);
      const Separation found = separate(a, known.pose_a, b, known.pose_b);
      ASSERT_GE(found.gap, gap - k_accuracy) << i;
      ASSERT_NEAR(found.gap, reference_separation(a, known.pose_a, b, known.pose_b, found.normal),
                  k_round_off)
          << i;
      if (i % 20 != 0) continue;
      const double climbed = testing::climb_at_random(a, known.pose_a, b, known.pose_b, found.normal, random);
      ASSERT_GE(found.gap, climbed - k_accuracy) << i;
    }
  });
}

// From anywhere else on the sphere, too.
TEST(Separation, DepthsAreGloballyTheLeast) {
  Random random(3);
  for_all_pairs([&](const Solid& a, const Solid& b) {
    for (int i = 0; i < 10; ++i) {
      const KnownPair known = make_known_pair(a, b, -std::pow(10.0, -random.uniform(3, 6)), random);
      const Separation found = separate(a, known.pose_a, b, known.pose_b);
      for (int k = 0; k < 12; ++k) {
        const Vector3 n = testing::random_direction(random);
        const double climbed = testing::climb_at_random(a, known.pose_a, b, known.pose_b, n, random);
        ASSERT_GE(found.gap, climbed - k_accuracy) << i;
      }
    }
  });
}

using Real = long double;
using Real3 = Eigen::Matrix<Real, 3, 1>;
using RealMatrix3 = Eigen::Matrix<Real, 3, 3>;

struct Polytope {
  std::vector<Real3> points, normals, edges;
};

Polytope make_polytope(const Solid& solid, const Pose& pose) {
  Polytope out;
  const RealMatrix3 R = pose.R.cast<Real>();
  for (const GeometryPoint& p : solid.geometry->points)
    out.points.push_back(R * p.x.cast<Real>() + pose.p.cast<Real>());
  for (const GeometryFace& f : solid.geometry->faces) out.normals.push_back(R * f.normal.cast<Real>());
  for (const GeometryEdge& e : solid.geometry->edges) out.edges.push_back(R * (e.x[1] - e.x[0]).cast<Real>());
  return out;
}

// All directions in which the difference can have a face, without any test of adjacency.
Real depth_by_enumeration(const Polytope& a, const Polytope& b) {
  Real best = -std::numeric_limits<Real>::infinity();
  const auto try_direction = [&](const Real3& n) {
    Real low = std::numeric_limits<Real>::infinity(), high = -low;
    for (const Real3& y : b.points) low = std::min(low, n.dot(y));
    for (const Real3& x : a.points) high = std::max(high, n.dot(x));
    best = std::max(best, low - high);
  };
  for (const Real3& n : a.normals) try_direction(n);
  for (const Real3& n : b.normals) try_direction(-n);
  for (const Real3& u : a.edges)
    for (const Real3& v : b.edges) {
      const Real3 n = u.cross(v);
      if (n.norm() < 1e-12L) continue;
      try_direction(n.normalized());
      try_direction(-n.normalized());
    }
  return best;
}

TEST(Separation, DepthsOfPolytopesAreThoseOfAnEnumeration) {
  Random random(4);
  int overlapping = 0;
  for_all_pairs([&](const Solid& a, const Solid& b) {
    const auto sharp = [](const Solid& s) { return s.geometry->faces.size() > 3 && s.shape.margin == 0; };
    if (!sharp(a) || !sharp(b)) return;
    for (int i = 0; i < 40; ++i) {
      const Pose pose_a = random_pose(random, 1),
                 pose_b = {random_pose(random, 1).R, pose_a.p + random_pose(random, 0.6).p};
      const auto depth =
          static_cast<double>(depth_by_enumeration(make_polytope(a, pose_a), make_polytope(b, pose_b)));
      if (depth > 0) continue;
      ++overlapping;
      ASSERT_NEAR(separate(a, pose_a, b, pose_b).gap, depth, k_accuracy) << i;
    }
  });
  EXPECT_GT(overlapping, 200);
}

TEST(Separation, OfASphereAndABoxInClosedForm) {
  Random random(5);
  const std::vector<Solid> solids = make_solids();
  const Solid &sphere = solids[0], &box = solids[2];
  const Vector3 half = box.shape.size / 2;
  for (int i = 0; i < k_poses; ++i) {
    const Pose pose_a = random_pose(random, 1.5), pose_b = random_pose(random, 0.5);
    const Vector3 x = pose_b.local_point(pose_a.p);
    const Vector3 outside = (x.cwiseAbs() - half).cwiseMax(0);
    const double inside = (x.cwiseAbs() - half).maxCoeff();
    const double expected = (inside > 0 ? outside.norm() : inside) - sphere.shape.radius;
    ASSERT_NEAR(separate(sphere, pose_a, box, pose_b).gap, expected, k_round_off) << i;
    ASSERT_NEAR(separate(box, pose_b, sphere, pose_a).gap, expected, k_round_off) << i;
  }
}

TEST(Separation, FromAHalfSpaceIsTheLowestPoint) {
  Random random(6);
  const Solid plane{"plane", {.kind = ShapeKind::plane}, make_geometry({.kind = ShapeKind::plane})};
  for (const Solid& solid : make_solids()) {
    SCOPED_TRACE(solid.name);
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
    const Vector3 n = pose_a.R.col(2);
    const double lowest =
        n.dot(pose_b.point(testing::farthest_point(solid, pose_b.local_vector(-n))) - pose_a.p);
    const Separation above = separate(plane, pose_a, solid, pose_b),
                     below = separate(solid, pose_b, plane, pose_a);
    EXPECT_NEAR(above.gap, lowest, k_round_off);
    EXPECT_NEAR(below.gap, lowest, k_round_off);
    EXPECT_NEAR((above.normal - n).norm() + (below.normal + n).norm(), 0, k_round_off);
    EXPECT_EQ(separation_along(*plane.geometry, pose_a, *solid.geometry, pose_b, above.normal), above.gap);
    EXPECT_EQ(separation_along(*plane.geometry, pose_a, *solid.geometry, pose_b, -above.normal), -INFINITY);
  }
}

// However deep: the same place, the same axes, a hair beside.
TEST(Separation, OfDeepOverlapsIsFiniteAndNoSampleIsBetter) {
  Random random(7);
  for_all_pairs([&](const Solid& a, const Solid& b) {
    for (int i = 0; i < 12; ++i) {
      Pose pose_a, pose_b;
      if (i > 1) pose_b.p = std::pow(10.0, -i) * testing::random_direction(random);
      if (i > 6) pose_b = random_pose(random, 0.3);
      const Separation found = separate(a, pose_a, b, pose_b);
      ASSERT_TRUE(std::isfinite(found.gap) && found.normal.allFinite());
      ASSERT_NEAR(found.normal.norm(), 1, k_round_off);
      ASSERT_NEAR(found.gap, reference_separation(a, pose_a, b, pose_b, found.normal), k_round_off);
      for (int k = 0; k < 300; ++k)
        ASSERT_GE(found.gap + k_accuracy,
                  reference_separation(a, pose_a, b, pose_b, testing::random_direction(random)))
            << i;
    }
  });
}

TEST(Separation, BeyondFarIsABound) {
  Random random(8);
  for_all_pairs([&](const Solid& a, const Solid& b) {
    const KnownPair known = make_known_pair(a, b, 0.5, random);
    const Separation found = separation(*a.geometry, known.pose_a, *b.geometry, known.pose_b, 0.1);
    EXPECT_GT(found.gap, 0.1);
    EXPECT_LE(found.gap, 0.5 + k_round_off);
    EXPECT_NEAR(separation_along(*a.geometry, known.pose_a, *b.geometry, known.pose_b, found.normal),
                found.gap, k_round_off);
  });
}

}  // namespace
}  // namespace delassus::separation_test
