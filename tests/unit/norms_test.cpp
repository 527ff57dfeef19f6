// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Norms of motions that jump, on functions whose distances are known.
#include "delassus/recorder/norms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace delassus::norms_test {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

GraphPoint at(double t, std::initializer_list<double> x) {
  Vector values(static_cast<Eigen::Index>(x.size()));
  std::copy(x.begin(), x.end(), values.data());
  return {t, values};
}

// 0 until `time`, then `height`, until 1.
Graph step_at(double time, double height) {
  return {at(0, {0}), at(time, {0}), at(time, {height}), at(1, {height})};
}

Graph sample(const std::function<Vector(double)>& f, int n) {
  Graph out;
  for (int i = 0; i <= n; ++i) out.push_back({static_cast<double>(i) / n, f(static_cast<double>(i) / n)});
  return out;
}

// The same by brute force: points of both, as dense as `spacing`.
double brute_force(const Graph& f, const Graph& g, double spacing) {
  const auto dense = [&](const Graph& graph) {
    Graph out;
    for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
      const GraphPoint &a = graph[i], &b = graph[i + 1];
      const int n = 1 + static_cast<int>(std::max(b.t - a.t, (b.x - a.x).norm()) / spacing);
      for (int k = 0; k <= n; ++k) {
        const double s = static_cast<double>(k) / n;
        out.push_back({a.t + s * (b.t - a.t), a.x + s * (b.x - a.x)});
      }
    }
    return out;
  };
  const Graph a = dense(f), b = dense(g);
  const auto directed = [](const Graph& from, const Graph& to) {
    double worst = 0;
    for (const GraphPoint& p : from) {
      double nearest = k_infinity;
      for (const GraphPoint& q : to)
        nearest = std::min(nearest, std::max(std::abs(p.t - q.t), (p.x - q.x).norm()));
      worst = std::max(worst, nearest);
    }
    return worst;
  };
  return std::max(directed(a, b), directed(b, a));
}

TEST(Norms, AJumpThatComesLateCountsAsItsDelay) {
  EXPECT_NEAR(hausdorff_distance(step_at(0.5, 3), step_at(0.52, 3)), 0.02, 1e-14);
  EXPECT_EQ(hausdorff_distance(step_at(0.5, 3), step_at(0.5, 3)), 0);
  // A jump that is missing counts as all of it, unless the end of the time is nearer.
  EXPECT_NEAR(hausdorff_distance(step_at(0.5, 0.3), {at(0, {0}), at(1, {0})}), 0.3, 1e-14);
}

TEST(Norms, AJumpWithinAStepIsASlantedLine) {
  // From (0.5, 0) to (0.5 + h, 1) instead of the jump: the corner (0.5, 1) of the jump has the line at s (h, 1) with
  // s h = 1 − s.
  constexpr double h = 0.1;
  const Graph slanted{at(0, {0}), at(0.5, {0}), at(0.5 + h, {1}), at(1, {1})};
  EXPECT_NEAR(hausdorff_distance(step_at(0.5, 1), slanted), h / (1 + h), 1e-14);
}

TEST(Norms, VectorsAreMeasuredByTheirLength) {
  const auto f = [](double t) { return Vector(Eigen::Vector2d(std::cos(t), std::sin(t))); };
  // Moved across time by (3, 4) 1e-3: no delay makes that shorter, since the shift is larger than what f moves along it.
  const auto g = [&](double t) { return Vector(f(t) + Eigen::Vector2d(3, 4)); };
  const double distance = hausdorff_distance(sample(f, 200), sample(g, 200));
  EXPECT_LE(distance, 5 + 1e-12);
  EXPECT_GE(distance, 4);
  // A jump of a vector is the straight line between both values.
  const Graph jump{at(0, {0, 0}), at(0.5, {0, 0}), at(0.5, {3, 4}), at(1, {3, 4})};
  const Graph by_parts{at(0, {0, 0}), at(0.5, {0, 0}), at(0.5, {3, 0}), at(0.5, {3, 4}), at(1, {3, 4})};
  // (3, 0) from the line along (3, 4): its distance, 12/5; within the time that is left it stands on that line alone.
  EXPECT_NEAR(hausdorff_distance(jump, by_parts), 2.4, 1e-12);
}

TEST(Norms, RandomGraphsAgainstBruteForce) {
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 1 + trial % 3;
    const auto make = [&] {
      Graph out;
      double t = 0;
      for (int i = 0; i < 7; ++i) {
        Vector x(n);
        for (int k = 0; k < n; ++k) x[k] = uniform();
        out.push_back({t, x});
        t += uniform() < 0.3 ? 0 : 0.2 * uniform();
      }
      return out;
    };
    const Graph f = make(), g = make();
    constexpr double spacing = 0.004;
    const double exact = hausdorff_distance(f, g);
    EXPECT_NEAR(exact, brute_force(f, g, spacing), spacing) << trial;
    EXPECT_EQ(exact, hausdorff_distance(g, f));
  }
}

TEST(Norms, DistancesOfFineGraphsAreFound) {
  // sin against the same with a spike of 1e-3 between two points of a coarse grid.
  const auto f = [](double t) { return Vector(Vector::Constant(1, std::sin(t))); };
  Graph g = sample(f, 1000);
  g[437].x[0] += 1e-3;
  // From the spike (t₀, f + ε) to the graph: a delay δ with ε − δ f′ = δ at best.
  const double slope = std::cos(0.437), expected = 1e-3 / (1 + slope);
  EXPECT_NEAR(hausdorff_distance(sample(f, 1000), g), expected, 1e-6);
}

TEST(Norms, OnAGrid) {
  // e = t on 0, 0.1 … 1 as in the source: h Σ e_i^p with i from 0.
  std::vector<double> times, errors;
  for (int i = 0; i <= 10; ++i) times.push_back(0.1 * i), errors.push_back(0.1 * i);
  EXPECT_NEAR(grid_norm(times, errors, 1), 0.55, 1e-14);
  EXPECT_NEAR(grid_norm(times, errors, 2), std::sqrt(0.385), 1e-14);
  EXPECT_EQ(grid_norm(times, errors, k_infinity), errors.back());
  // A constant one has the length of the time (and of the first point): c (T + h)^(1/p).
  const std::vector<double> constant(times.size(), -2);
  EXPECT_NEAR(grid_norm(times, constant, 2), 2 * std::sqrt(1.1), 1e-14);
  // Powers do not underflow.
  const std::vector<double> tiny(times.size(), 1e-200);
  EXPECT_NEAR(grid_norm(times, tiny, 2) / 1e-200, std::sqrt(1.1), 1e-12);
  EXPECT_EQ(grid_norm(times, std::vector<double>(times.size(), 0.0), 1), 0);
}

TEST(Norms, TotalVariation) {
  const auto circle = [](double t) {
    return Vector(Eigen::Vector2d(std::cos(2 * M_PI * t), std::sin(2 * M_PI * t)));
  };
  // A polygon of 1000 sides in the unit circle.
  EXPECT_NEAR(total_variation(sample(circle, 1000)), 2000 * std::sin(M_PI / 1000), 1e-12);
  EXPECT_NEAR(total_variation(step_at(0.3, -2)), 2, 1e-15);
  EXPECT_EQ(total_variation({at(0, {1})}), 0);
}

}  // namespace
}  // namespace delassus::norms_test
