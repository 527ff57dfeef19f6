// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Rates of gap, normal and nearest points against central differences along rigid motions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string>

#include "../support/feature_shapes.hpp"

namespace delassus::feature_rates_test {
namespace {

using namespace testing;

constexpr double k_step = 1e-5;
// Differences are worth k_step² times third derivatives, and round-off of the points over k_step.
constexpr double k_tolerance = 1e-6;

struct Motion {
  Vector3 v, w;  // of the origin of the pose
  Pose at(const Pose& pose, double t) const {
    const double turn = w.norm() * t;
    return {Eigen::AngleAxisd(turn, w.normalized()).toRotationMatrix() * pose.R, pose.p + t * v};
  }
  Vector3 velocity(const Pose& pose, const Vector3& x) const { return v + w.cross(x - pose.p); }
};

FeatureContact contact_after(const TouchingPair& pair, const Motion& a, const Motion& b, double t) {
  Subject moved_a = pair.a, moved_b = pair.b;
  moved_a.pose = a.at(pair.a.pose, t);
  moved_b.pose = b.at(pair.b.pose, t);
  return contact_of(moved_a, moved_b);
}

double relative(const Vector3& error, const Vector3& size) {
  return error.norm() / (1 + size.norm());
}

TEST(FeatureRates, MatchCentralDifferences) {
  RandomPoses random(1);
  for (const Kind kind_a : k_kinds)
    for (const Kind kind_b : k_kinds) {
      if (!can_touch(feature_kind(kind_a), feature_kind(kind_b))) continue;
      const std::string name = std::string(k_kind_names[static_cast<std::size_t>(kind_a)]) + " - " +
                               k_kind_names[static_cast<std::size_t>(kind_b)];
      double worst_gap = 0, worst_normal = 0, worst_point = 0;
      for (int k = 0; k < 60; ++k) {
        // Two sharp points turn about each other at the rate 1/gap.
        const double gap = is_signed(kind_a, kind_b) ? std::array{0.05, 1e-3, 0.0, -1e-3}[k % 4] : 0.1;
        TouchingPair pair = make_touching(random, kind_a, kind_b, gap);
        constexpr double well_apart_from_parallel = 0.5;
        if (pair.sine() < well_apart_from_parallel) continue;
        const FeatureContact contact = contact_of_branch(pair, gap);
        ASSERT_TRUE(contact.inside) << name;
        const Motion a{random.vector(1), random.vector(1)}, b{random.vector(1), random.vector(1)};
        const Vector3 v_a = a.velocity(pair.a.pose, contact.point_a),
                      v_b = b.velocity(pair.b.pose, contact.point_b);
        const ContactRates rates = contact_rates(contact, v_a, a.w, v_b, b.w);
        const FeatureContact after = contact_after(pair, a, b, k_step),
                             before = contact_after(pair, a, b, -k_step);
        const auto difference = [&](const Vector3& x1, const Vector3& x0) {
          return Vector3((x1 - x0) / (2 * k_step));
        };
        const double gap_rate = (after.gap - before.gap) / (2 * k_step);
        worst_gap = std::max(worst_gap, std::abs(gap_rate - contact.normal.dot(v_b - v_a)));
        const Vector3 normal = difference(after.normal, before.normal);
        worst_normal = std::max(worst_normal, relative(normal - rates.normal, normal));
        const Vector3 point_a = difference(after.point_a, before.point_a);
        const Vector3 point_b = difference(after.point_b, before.point_b);
        worst_point = std::max({worst_point, relative(point_a - rates.point_a, point_a),
                                relative(point_b - rates.point_b, point_b)});
      }
      if (std::getenv("DELASSUS_SHOW_ERRORS") != nullptr)
        std::cout << name << " rates: gap " << worst_gap << ", normal " << worst_normal << ", points "
                  << worst_point << "\n";
      EXPECT_LT(worst_gap, k_tolerance) << name;
      EXPECT_LT(worst_normal, k_tolerance) << name;
      EXPECT_LT(worst_point, k_tolerance) << name;
    }
}

// A ball that rolls on a half space: the points move with its centre, the normal stays.
TEST(FeatureRates, RollingBall) {
  const double r = 0.3;
  const Subject ball = make_point({0, 0, r}, r),
                ground = make_disk(Vector3::Zero(), Vector3::UnitZ(), k_infinity);
  const FeatureContact contact = contact_of(ground, ball);
  const Vector3 w(0, 2, 0);
  // At rest where it touches.
  const ContactRates rates = contact_rates(contact, Vector3::Zero(), Vector3::Zero(), Vector3::Zero(), w);
  const Vector3 center_velocity(w.y() * r, 0, 0);
  EXPECT_LT(rates.normal.norm(), 1e-14);
  EXPECT_LT((rates.point_a - center_velocity).norm(), 1e-14);
  EXPECT_LT((rates.point_b - center_velocity).norm(), 1e-14);
}

// Parallel cylinders: nothing says where along the common line; the smallest rates are chosen.
TEST(FeatureRates, FlatDirectionsLeaveTheSmallestRates) {
  const Vector3 z = Vector3::UnitZ();
  const Subject a = make_edge(-z, z, 0.5, 0.5, false), b = make_edge({1, 0, -1}, {1, 0, 1}, 0.5, 0.5, false);
  const FeatureContact contact = contact_of(a, b);
  ASSERT_TRUE(contact.inside);
  const ContactRates rates =
      contact_rates(contact, Vector3::Zero(), Vector3::Zero(), Vector3(0, 1, 0), Vector3::Zero());
  // b moves around a: the point of contact goes half as fast as the axis of b, and the normal turns by 1/(2 r).
  EXPECT_LT((rates.normal - Vector3(0, 1, 0)).norm(), 1e-13);
  EXPECT_LT((rates.point_a - Vector3(0, 0.5, 0)).norm(), 1e-13);
  EXPECT_LT((rates.point_b - Vector3(0, 0.5, 0)).norm(), 1e-13);
}

}  // namespace
}  // namespace delassus::feature_rates_test
