// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Iterative cone solvers allocate nothing once they have seen a problem of the size, whatever the laws.
// An executable of its own: it replaces malloc.
#include <gtest/gtest.h>

#include "../support/allocation_counter.hpp"
#include "../support/body_problem.hpp"
#include "../support/local_problem.hpp"
#include "delassus/solvers/registry.hpp"

namespace delassus::cone_solvers_alloc_test {
namespace {

#ifdef DELASSUS_COUNTS_ALLOCATIONS

TEST(Allocations, NoneInASecondSolve) {
  for (const char* name : {"nsgs", "psor", "ssor", "jacobi", "apgd", "spg"})
    for (const ConeKind law : {ConeKind::coulomb, ConeKind::convex}) {
      testing::Random random(4);
      const LocalProblem problem = testing::make_heap(
          random, {.law = law, .bodies = 4, .contacts = 20, .mu_max = 0.8, .rolling = true, .mixed = true});
      auto solver = make_solver({.name = name, .tolerance = 1e-7, .max_iterations = 400});
      Solution solution;
      SolveStats stats;
      const WarmStart cold;
      solver->solve(problem, cold, solution, stats);
      const long before = allocation_count;
      solver->solve(problem, cold, solution, stats);
      EXPECT_EQ(allocation_count - before, 0) << name;
      EXPECT_GT(stats.iterations, 5) << name;
    }
}

// Many islands of several sizes, each extracted and solved for itself, in a run that goes on from step to step.
TEST(Allocations, NoneByIslands) {
  for (const bool polygons : {false, true}) {
    testing::Random random(5);
    Problem problem = testing::make_bodies(random, 40, true, testing::BodyMatrices::mixed);
    problem.g.setZero();
    problem.w.setZero();
    for (Cone& cone : problem.cones)
      if (polygons && cone.dim > 1) {
        cone.kind = ConeKind::polyhedral;
        cone.num_directions = cone.dim == 2 ? 2 : 6;
      }
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    auto solver = make_solver({});
    Solution solution;
    SolveStats stats;
    WarmStart warm;
    const auto step = [&] {
      // Impulses are so too, so that the warm start is not the solution already.
      problem.p *= 1.01;
      EXPECT_TRUE(reduction.compute(problem));
      solver->solve(reduction.local(), warm, solution, stats);
      warm.r = solution.r;
      warm.modes = solution.modes;
      warm.basis = solution.basis;
    };
    for (int i = 0; i < 4; ++i) step();
    const long before = allocation_count;
    step();
    EXPECT_EQ(allocation_count - before, 0) << polygons;
    EXPECT_TRUE(polygons || stats.iterations > 5);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_GT(stats.attempts[0].count, 5);
  }
}

#endif

}  // namespace
}  // namespace delassus::cone_solvers_alloc_test
