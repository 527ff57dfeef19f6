// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The table answers what a scan over all points answers, bit for bit, for points in any arrangement.
#include "delassus/collision/support_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shapes.hpp"

namespace delassus::support_table_test {
namespace {

using testing::random_vector;

int scan(std::span<const Vector3> points, const Vector3& d) {
  int best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].dot(d) > points[best].dot(d)) best = static_cast<int>(i);
  return best;
}

int ask(const SupportTable& table, std::span<const Vector3> points, const Vector3& d) {
  const std::span<const int> candidates = table.candidates(d);
  int best = candidates.empty() ? -1 : candidates.front();
  for (int i : candidates)
    if (points[i].dot(d) > points[best].dot(d)) best = i;
  return best;
}

std::vector<Vector3> on_sphere(int n, std::mt19937& random) {
  std::vector<Vector3> out;
  while (static_cast<int>(out.size()) < n) {
    const Vector3 x = random_vector(random, 1);
    if (x.norm() > 0.1 && x.norm() < 1) out.push_back(x.normalized());
  }
  return out;
}

std::vector<Vector3> on_grid(int n) {
  std::vector<Vector3> out;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      for (int k = 0; k <= n; ++k) out.emplace_back(2.0 * i / n - 1, 2.0 * j / n - 1, 2.0 * k / n - 1);
  return out;
}

std::vector<Vector3> prism(int n) {
  std::vector<Vector3> out;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    for (double z : {-0.1, 0.1}) out.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  return out;
}

// Directions where ties and borders of cells are: axes, diagonals, edges of cells, normals of flat parts; and any.
std::vector<Vector3> directions(std::span<const Vector3> points, std::mt19937& random) {
  std::vector<Vector3> out;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j)
      for (int k = -4; k <= 4; ++k)
        if (i != 0 || j != 0 || k != 0) out.emplace_back(i, j, k);
  for (const Vector3& x : points) out.push_back(x);
  for (int i = 0; i < 2000; ++i) out.push_back(random_vector(random, i % 2 == 0 ? 1 : 1e-200));
  for (int i = 0; i < 500; ++i) {  // nearly along a normal
    Vector3 d = random_vector(random, 1e-15);
    d[i % 3] += i % 2 == 0 ? 1 : -1;
    out.push_back(d);
  }
  std::erase_if(out, [](const Vector3& d) { return d == Vector3::Zero(); });
  return out;
}

TEST(SupportTable, AnswersWhatAScanAnswers) {
  std::mt19937 random(1);
  std::vector<std::vector<Vector3>> clouds{on_sphere(33, random), on_sphere(500, random),
                                           on_sphere(4000, random), on_grid(4), prism(100)};
  // Far from the origin, thin, all in one plane, points inside, points twice, all in one point.
  clouds.push_back(on_sphere(200, random));
  for (Vector3& x : clouds.back()) x += Vector3(100, -3, 7);
  clouds.push_back(on_sphere(200, random));
  for (Vector3& x : clouds.back()) x.z() *= 1e-9;
  clouds.push_back(on_sphere(100, random));
  for (Vector3& x : clouds.back()) x.y() = 0;
  clouds.emplace_back();
  for (int i = 0; i < 300; ++i) clouds.back().push_back(random_vector(random, 1));
  clouds.push_back(on_sphere(100, random));
  clouds.back().insert(clouds.back().end(), clouds.back().begin(), clouds.back().end());
  clouds.emplace_back(50, Vector3(1, 2, 3));
  for (std::size_t c = 0; c < clouds.size(); ++c) {
    const SupportTable table(clouds[c]);
    ASSERT_FALSE(table.empty());
    for (const Vector3& d : directions(clouds[c], random))
      ASSERT_EQ(ask(table, clouds[c], d), scan(clouds[c], d)) << "cloud " << c << ", d = " << d.transpose();
  }
}

// Why it is there: a small part of the points is looked at.
TEST(SupportTable, LooksAtFewPoints) {
  std::mt19937 random(2);
  for (int n : {64, 1000, 8000}) {
    const std::vector<Vector3> points = on_sphere(n, random);
    const SupportTable table(points);
    std::size_t sum = 0;
    constexpr int asked = 1000;
    for (int i = 0; i < asked; ++i) sum += table.candidates(random_vector(random, 1)).size();
    EXPECT_LT(static_cast<double>(sum) / asked, 16) << n << " points";
  }
}

TEST(SupportTable, FewPointsHaveNone) {
  std::mt19937 random(3);
  EXPECT_TRUE(SupportTable(on_sphere(SupportTable::k_min_points - 1, random)).empty());
}

// No direction: any answer, but an answer.
TEST(SupportTable, SurvivesWhatIsNoDirection) {
  std::mt19937 random(4);
  const std::vector<Vector3> points = on_sphere(50, random);
  const SupportTable table(points);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vector3& d :
       {Vector3(0, 0, 0), Vector3(nan, nan, nan), Vector3(1, nan, 0), Vector3(INFINITY, 1, 0)})
    EXPECT_FALSE(table.candidates(d).empty());
}

TEST(SupportTable, HullUsesIt) {
  std::mt19937 random(5);
  auto surface = std::make_shared<Surface>();
  surface->vertices = on_sphere(200, random);
  const auto geometry = make_geometry({.kind = ShapeKind::hull, .surface = surface});
  EXPECT_FALSE(geometry->support.empty());
  std::vector<Vector3> points;
  for (const GeometryPoint& p : geometry->points) points.push_back(p.x);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 d = random_vector(random, 1);
    EXPECT_EQ(geometry->farthest_point(d), scan(points, d));
    EXPECT_EQ(support_point(*geometry, {}, d), points[scan(points, d)]);
  }
}

}  // namespace
}  // namespace delassus::support_table_test
