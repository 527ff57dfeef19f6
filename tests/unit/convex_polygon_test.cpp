// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/convex_polygon.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace delassus::convex_polygon_test {
namespace {

using Corners = std::vector<Eigen::Vector2d>;

ConvexPolygon polygon(const Corners& corners) {
  ConvexPolygon out;
  EXPECT_EQ(ConvexPolygon::make(corners, out), "");
  return out;
}

TEST(ConvexPolygon, CornersInAnyOrder) {
  const Corners ordered{{2, 1}, {-1, 1}, {-1, -1}, {2, -1}};
  const ConvexPolygon a = polygon(ordered), b = polygon({ordered[2], ordered[0], ordered[3], ordered[1]});
  EXPECT_EQ(a, b);
  for (int k = 0; k < a.size(); ++k) {
    const Eigen::Vector2d p = a.corners()[k], q = a.corners()[(k + 1) % 4];
    EXPECT_GT(p.x() * q.y() - p.y() * q.x(), 0);
  }
}

TEST(ConvexPolygon, SupportAndGauge) {
  const ConvexPolygon p = polygon({{2, 1}, {-1, 1}, {-1, -1}, {2, -1}});
  EXPECT_DOUBLE_EQ(p.support({1, 0}), 2);
  EXPECT_DOUBLE_EQ(p.support({-1, 0}), 1);
  EXPECT_DOUBLE_EQ(p.support({1, 1}), 3);
  EXPECT_DOUBLE_EQ(p.gauge({2, 0}), 1);
  EXPECT_DOUBLE_EQ(p.gauge({-2, 0}), 2);
  EXPECT_DOUBLE_EQ(p.gauge({0, 0}), 0);
  EXPECT_DOUBLE_EQ(p.inner_radius(), 1);
  EXPECT_DOUBLE_EQ(p.outer_radius(), std::sqrt(5.0));
  EXPECT_TRUE(std::isnan(p.gauge({std::nan(""), 0})));
  // Polar: x is in s P where no direction sees it farther than s P: max over d of dᵀ x / σ(d) is γ(x).
  for (int i = 0; i < 50; ++i) {
    const Eigen::Vector2d x(std::cos(0.3 * i) * (1 + 0.1 * i), std::sin(0.7 * i));
    double most = 0;
    for (int k = 0; k < 3600; ++k) {
      const double turn = 2 * std::numbers::pi * k / 3600;
      const Eigen::Vector2d d(std::cos(turn), std::sin(turn));
      most = std::max(most, d.dot(x) / p.support(d));
    }
    EXPECT_NEAR(most, p.gauge(x), 1e-5 * p.gauge(x));
  }
  EXPECT_EQ(p.turned().turned(), p);
  EXPECT_EQ(p.turned(), polygon(p.turned().corners()));
  EXPECT_EQ(p.mirrored(), p);
  EXPECT_DOUBLE_EQ(p.turned().support({1, 0}), 1);
  EXPECT_DOUBLE_EQ(polygon({{1, 0}, {0, 3}, {-1, -1}}).mirrored().support({0, 1}), 1);
}

TEST(ConvexPolygon, WhatIsNone) {
  const auto refused = [](const Corners& corners, const char* part) {
    ConvexPolygon out;
    const std::string wrong = ConvexPolygon::make(corners, out);
    EXPECT_NE(wrong.find(part), std::string::npos) << wrong;
  };
  refused({{1, 0}, {-1, 0}}, "3 or more");
  refused({{1, 0}, {2, 1}, {2, -1}}, "origin is not inside");
  refused({{1, 0}, {-1, 0}, {0, 1}}, "origin is not inside");  // on a side
  refused({{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 0}}, "corner 4");
  refused({{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {0.2, 0}}, "corner 4");
  refused({{1, 1}, {-1, 1}, {-1, -1}, {1, std::nan("")}}, "corner 3 is not finite");
}

}  // namespace
}  // namespace delassus::convex_polygon_test
