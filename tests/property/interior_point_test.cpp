// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The interior point on problems of which something is known: shares of redundant contacts, which side of the friction limit, other units.
#include "delassus/solvers/friction/interior_point.hpp"

#include <gtest/gtest.h>

#include "../support/box_tower.hpp"
#include "../support/local_problem.hpp"
#include "delassus/problems/reduction.hpp"
#include "delassus/solvers/auto_solver.hpp"

namespace delassus::interior_point_test {
namespace {

using testing::law_error;
using testing::make_box_tower;

constexpr double k_g = 9.81, k_step = 1e-2;

Solution solve(const LocalProblem& problem, double tolerance, SolveStats& stats) {
  InteriorPointSolver solver({.tolerance = tolerance});
  Solution solution;
  solver.solve(problem, {}, solution, stats);
  return solution;
}

// Four corners share the weight above them: nothing but the method tells them apart, and its way is the middle one.
TEST(InteriorPoint, RedundantContactsShareTheirImpulses) {
  constexpr int height = 20;
  const Problem problem = make_box_tower(height, 0.5, {0, -k_g * k_step, 0});
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  ASSERT_TRUE(InteriorPointSolver::serves(reduction.local()));
  SolveStats stats;
  const Solution solution = solve(reduction.local(), 1e-7, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  EXPECT_LE(stats.iterations, 30);
  EXPECT_LE(law_error(reduction.local(), solution.r), 1e-6 * reduction.local().u_free.norm());
  for (int b = 0; b < height; ++b)
    for (int corner = 0; corner < 4; ++corner)
      EXPECT_NEAR(solution.r[12 * b + 3 * corner], (height - b) * k_g * k_step / 4,
                  1e-4 * height * k_g * k_step)
          << b << " " << corner;
}

// The highest box is pushed at its centre by less or more than friction holds; it slides off with what is left.
TEST(InteriorPoint, KnowsTheSideOfTheFrictionLimit) {
  constexpr int height = 8;
  constexpr double mu = 0.4, weight = k_g * k_step;
  for (const double share : {0.98, 1.02, 1.5}) {
    const Problem problem = make_box_tower(height, mu, {0, -weight, 0}, {share * mu * weight, 0, 0});
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    SolveStats stats;
    Solution solution = solve(reduction.local(), 1e-7, stats);
    ASSERT_EQ(stats.status, SolveStatus::converged) << share;
    // A wrong derivative takes some more.
    EXPECT_LE(stats.iterations, 12) << share;
    reduction.recover(solution.r, solution);
    EXPECT_NEAR(solution.v[6 * (height - 1)], std::max(share - 1, 0.0) * mu * weight, 1e-6 * weight) << share;
    EXPECT_NEAR(solution.v[6 * (height - 1) + 1], 0, 1e-6 * weight) << "sliding does not lift";
  }
}

// Masses and velocities in other units are the same problem: the same number of steps.
TEST(InteriorPoint, DoesNotDependOnUnits) {
  SolveStats stats[2];
  Solution solutions[2];
  for (int k = 0; k < 2; ++k) {
    const double mass = k == 0 ? 1 : 1024, speed = k == 0 ? 1 : 64;
    const Problem problem =
        make_box_tower(10, 0.3, speed * Vector3(0, -0.1, 0), speed * Vector3(0.2, 0, 0.1), mass);
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    solutions[k] = solve(reduction.local(), 1e-6, stats[k]);
    ASSERT_EQ(stats[k].status, SolveStatus::converged);
    solutions[k].r /= mass * speed;
  }
  EXPECT_EQ(stats[0].iterations, stats[1].iterations);
  EXPECT_EQ(solutions[0].r, solutions[1].r);
}

TEST(InteriorPoint, SaysWhatItServes) {
  Problem problem = make_box_tower(8, 0.5, {0, -0.1, 0});
  const auto serves = [&] {
    Reduction reduction;
    EXPECT_TRUE(reduction.compute(problem));
    return InteriorPointSolver::serves(reduction.local());
  };
  EXPECT_TRUE(serves());
  problem.cones[3].kind = ConeKind::convex;
  EXPECT_FALSE(serves());
  problem.cones[3] = {.kind = ConeKind::coulomb, .dim = 3, .mu = 0.5, .extra_normal = 0.1};
  EXPECT_FALSE(serves());
  problem = make_box_tower(2, 0.5, {0, -0.1, 0});
  EXPECT_FALSE(serves()) << "few contacts have no mobility";
}

// What is too large for newton alone from a cold start goes through it, and ends at the tolerance all the same.
TEST(AutoSolver, LargeIslandsBeginWithAnInteriorPoint) {
  const Problem problem = make_box_tower(120, 0.5, {0, -0.1, 0}, {0.02, 0, 0.01});
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  AutoSolver solver({.tolerance = 1e-10});
  Solution solution;
  SolveStats stats;
  solver.solve(reduction.local(), {}, solution, stats);
  EXPECT_TRUE(usable(stats.status));
  EXPECT_LE(law_error(reduction.local(), solution.r), 1e-8 * reduction.local().u_free.norm());
  ASSERT_GE(stats.num_attempts, 1);
  EXPECT_STREQ(stats.attempts[0].method, "interior-point");
}

}  // namespace
}  // namespace delassus::interior_point_test
