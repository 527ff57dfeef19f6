// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction cones: balanced generators, and gauge and support as a polar pair.
#include "delassus/problems/cone.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "../support/random_problem.hpp"

namespace delassus::cone_test {
namespace {

using testing::Random;

constexpr double k_round_off = 1e-14;

std::vector<Cone> make_cones(Random& random) {
  std::vector<Cone> cones = {testing::planar_cone(0.3),
                             {.kind = ConeKind::coulomb, .dim = 2, .mu = 0.3},
                             {.kind = ConeKind::coulomb, .dim = 3, .mu = 0.3}};
  for (int m : {4, 6, 8, 10, 16, 32})
    for (double angle : {0.0, std::numbers::pi / 2, random.uniform(-4, 4), random.uniform(-4, 4)})
      cones.push_back(testing::spatial_cone(0.3, m, angle));
  return cones;
}

Eigen::Vector2d make_tangent(Random& random, const Cone& cone) {
  return {random.uniform(-1, 1), cone.dim == 2 ? 0.0 : random.uniform(-1, 1)};
}

TEST(Cone, GeneratorsAreUnitVectorsAtEqualTurns) {
  Random random(1);
  for (const Cone& cone : make_cones(random)) {
    if (cone.kind != ConeKind::polyhedral) continue;
    const int m = cone.num_directions;
    for (int i = 0; i < m; ++i) {
      const Eigen::Vector2d d = cone_direction(cone, i), next = cone_direction(cone, (i + 1) % m);
      EXPECT_NEAR(d.norm(), 1, k_round_off);
      EXPECT_NEAR(d.dot(next), std::cos(2 * std::numbers::pi / m), k_round_off);
      if (m > 2) {
        EXPECT_NEAR(d.x() * next.y() - d.y() * next.x(), std::sin(2 * std::numbers::pi / m), k_round_off);
      }
      // Balanced: with d also −d.
      EXPECT_LE((d + cone_direction(cone, (i + m / 2) % m)).norm(), k_round_off);
    }
    if (cone.dim == 3) {
      EXPECT_LE(
          (cone_direction(cone, 0) - Eigen::Vector2d(std::cos(cone.angle), std::sin(cone.angle))).norm(),
          k_round_off);
    }
  }
}

TEST(Cone, QuarterTurnsAreExact) {
  for (int m : {4, 8, 12, 16, 40}) {
    const Cone cone = testing::spatial_cone(1, m);
    EXPECT_EQ(cone_direction(cone, 0), Eigen::Vector2d(1, 0));
    EXPECT_EQ(cone_direction(cone, m / 4), Eigen::Vector2d(0, 1));
    EXPECT_EQ(cone_direction(cone, m / 2), Eigen::Vector2d(-1, 0));
    EXPECT_EQ(cone_direction(cone, 3 * m / 4), Eigen::Vector2d(0, -1));
  }
  const Cone turned = testing::spatial_cone(1, 4, std::numbers::pi / 2);
  EXPECT_EQ(cone_direction(turned, 0), Eigen::Vector2d(0, 1));
  EXPECT_EQ(cone_direction(turned, 1), Eigen::Vector2d(-1, 0));
  EXPECT_EQ(cone_direction(testing::planar_cone(1), 0), Eigen::Vector2d(1, 0));
  EXPECT_EQ(cone_direction(testing::planar_cone(1), 1), Eigen::Vector2d(-1, 0));
}

TEST(Cone, SupportIsTheLargestProductWithTheHull) {
  Random random(2);
  for (const Cone& cone : make_cones(random))
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::Vector2d x = make_tangent(random, cone);
      double largest = 0;
      if (cone.kind == ConeKind::coulomb) {
        largest = x.norm();
      } else {
        for (int i = 0; i < cone.num_directions; ++i)
          largest = std::max(largest, x.dot(cone_direction(cone, i)));
      }
      EXPECT_NEAR(cone_support(cone, x), largest, k_round_off);
    }
}

// The gauge by its definition: smallest Σ β_i with x = Σ β_i d_i, β ≥ 0; in the plane two generators suffice.
double gauge_by_enumeration(const Cone& cone, const Eigen::Vector2d& x) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < cone.num_directions; ++i)
    for (int j = 0; j < cone.num_directions; ++j) {
      Eigen::Matrix2d D;
      D << cone_direction(cone, i), cone_direction(cone, j);
      if (std::abs(D.determinant()) < 1e-9) continue;
      const Eigen::Vector2d beta = D.inverse() * x;
      if (beta.minCoeff() >= -1e-14) best = std::min(best, beta.sum());
    }
  return best;
}

TEST(Cone, GaugeIsTheSmallestSumOfGenerators) {
  Random random(3);
  for (const Cone& cone : make_cones(random)) {
    if (cone.kind == ConeKind::coulomb) continue;
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::Vector2d x = make_tangent(random, cone);
      EXPECT_NEAR(cone_gauge(cone, x), cone.dim == 2 ? std::abs(x.x()) : gauge_by_enumeration(cone, x),
                  1e-12);
    }
    for (int i = 0; i < cone.num_directions; ++i)
      EXPECT_NEAR(cone_gauge(cone, cone_direction(cone, i)), 1, k_round_off);
  }
}

TEST(Cone, GaugeAndSupportArePolar) {
  Random random(4);
  for (const Cone& cone : make_cones(random))
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::Vector2d x = make_tangent(random, cone), y = make_tangent(random, cone);
      EXPECT_LE(x.dot(y), cone_gauge(cone, x) * cone_support(cone, y) + k_round_off);
      // The bound is reached: over all directions y the largest quotient is the gauge.
      double quotient = 0;
      constexpr int steps = 2000;
      for (int i = 0; i < steps; ++i) {
        const double turn = 2 * std::numbers::pi * i / steps;
        const Eigen::Vector2d direction = cone.dim == 2 ? Eigen::Vector2d(i % 2 == 0 ? 1 : -1, 0)
                                                        : Eigen::Vector2d(std::cos(turn), std::sin(turn));
        quotient = std::max(quotient, x.dot(direction) / cone_support(cone, direction));
      }
      EXPECT_NEAR(quotient, cone_gauge(cone, x), 4e-3 * x.norm());
    }
}

TEST(Cone, PositivelyHomogeneousAndConvex) {
  Random random(5);
  for (const Cone& cone : make_cones(random))
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::Vector2d x = make_tangent(random, cone), y = make_tangent(random, cone);
      const double s = random.uniform(0, 3);
      EXPECT_NEAR(cone_gauge(cone, s * x), s * cone_gauge(cone, x), k_round_off);
      EXPECT_NEAR(cone_support(cone, s * x), s * cone_support(cone, x), k_round_off);
      EXPECT_LE(cone_gauge(cone, x + y), cone_gauge(cone, x) + cone_gauge(cone, y) + k_round_off);
      EXPECT_LE(cone_support(cone, x + y), cone_support(cone, x) + cone_support(cone, y) + k_round_off);
      // Balanced generators: symmetric about zero.
      EXPECT_NEAR(cone_gauge(cone, -x), cone_gauge(cone, x), k_round_off);
      EXPECT_NEAR(cone_support(cone, -x), cone_support(cone, x), k_round_off);
      // The hull lies in the circle and contains the circle of radius cos(π/m).
      EXPECT_GE(cone_gauge(cone, x), x.norm() - k_round_off);
      EXPECT_LE(cone_support(cone, x), x.norm() + k_round_off);
    }
}

TEST(Cone, TwoDirectionsInSpaceAreASegment) {
  // The hull is a segment along `angle`: its gauge is the length along it, and nothing across it is inside.
  for (double angle : {0.0, 0.4, std::numbers::pi / 2, -2.5}) {
    const Cone cone = testing::spatial_cone(0.3, 2, angle);
    const Eigen::Vector2d d(std::cos(angle), std::sin(angle)), across(-d.y(), d.x());
    EXPECT_NEAR(cone_gauge(cone, 0.7 * d), 0.7, k_round_off);
    EXPECT_NEAR(cone_gauge(cone, -0.7 * d), 0.7, k_round_off);
    EXPECT_NEAR(cone_support(cone, 0.7 * d + 5 * across), 0.7, k_round_off);
    EXPECT_EQ(cone_gauge(cone, 0.7 * d + 0.1 * across), std::numeric_limits<double>::infinity());
    EXPECT_EQ(cone_gauge(cone, Eigen::Vector2d::Zero()), 0);
  }
}

TEST(Cone, NotANumberIsNotLost) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Random random(6);
  for (const Cone& cone : make_cones(random)) {
    EXPECT_TRUE(std::isnan(cone_gauge(cone, {nan, 0})));
    EXPECT_TRUE(std::isnan(cone_support(cone, {nan, 0})));
  }
}

TEST(Cone, TangentialPartAndLcpSize) {
  const Vector triple = Eigen::Vector3d(1, 2, 3);
  EXPECT_EQ(tangential(testing::spatial_cone(1, 4), triple), Eigen::Vector2d(2, 3));
  EXPECT_EQ(tangential(testing::planar_cone(1), triple.head(2)), Eigen::Vector2d(2, 0));
  EXPECT_EQ(tangential(Cone{}, triple.head(1)), Eigen::Vector2d(0, 0));
  EXPECT_EQ(lcp_size(Cone{}), 1);
  EXPECT_EQ(lcp_size(testing::planar_cone(1)), 4);
  EXPECT_EQ(lcp_size(testing::spatial_cone(1, 8)), 10);
}

}  // namespace
}  // namespace delassus::cone_test
