// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The default solver on problems of many islands, and a solver of one's own that works on A and H.
#include "delassus/solvers/auto_solver.hpp"

#include <gtest/gtest.h>

#include "../support/body_problem.hpp"
#include "delassus/base/parallel.hpp"
#include "delassus/problems/modes.hpp"

namespace delassus::auto_solver_test {
namespace {

using testing::BodyMatrices;
using testing::Random;

// Islands of up to four contacts, round cones or polygons; every row is homogeneous, so that there is a solution.
Problem make_islands(int bodies, bool polygons) {
  Random random(21);
  Problem problem = testing::make_bodies(random, bodies, true, BodyMatrices::mixed);
  problem.g.setZero();
  problem.w.setZero();
  for (Cone& cone : problem.cones)
    if (polygons && cone.dim > 1) {
      cone.kind = ConeKind::polyhedral;
      cone.num_directions = cone.dim == 2 ? 2 : 6;
    }
  return problem;
}

class AutoSolverIslands : public ::testing::TestWithParam<bool> {
 protected:
  ~AutoSolverIslands() override { set_num_threads(1); }
};
INSTANTIATE_TEST_SUITE_P(Laws, AutoSolverIslands, ::testing::Bool(),
                         [](const auto& law) { return law.param ? "polygons" : "round"; });

TEST_P(AutoSolverIslands, HaveTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = make_islands(300, GetParam());
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Islands islands;
  islands.find(reduction.local().W);
  ASSERT_GT(islands.size(), 50);
  AutoSolver one({});
  Solution expected;
  SolveStats stats;
  one.solve(reduction.local(), {}, expected, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  EXPECT_EQ(stats.attempts[0].count, islands.size());
  EXPECT_STREQ(stats.attempts[0].method, GetParam() ? "lemke" : "newton");
  EXPECT_EQ(expected.basis.empty(), !GetParam());
  for (const int threads : {2, 4}) {
    set_num_threads(threads);
    AutoSolver solver({});
    Solution solution;
    SolveStats many;
    // A worker that has seen other islands gives the same.
    for (int round = 0; round < 3; ++round) {
      solver.solve(reduction.local(), {}, solution, many);
      EXPECT_EQ(solution.r, expected.r) << threads;
      EXPECT_EQ(solution.u, expected.u) << threads;
      EXPECT_EQ(solution.basis, expected.basis) << threads;
      EXPECT_EQ(many.iterations, stats.iterations) << threads;
    }
  }
}

TEST_P(AutoSolverIslands, GoOnFromTheirSolution) {
  const Problem problem = make_islands(60, GetParam());
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  AutoSolver solver({});
  Solution first, again;
  SolveStats stats;
  solver.solve(reduction.local(), {}, first, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  EXPECT_FALSE(stats.warm_started);
  solver.solve(reduction.local(), {.basis = first.basis, .r = first.r, .modes = first.modes}, again, stats);
  EXPECT_TRUE(stats.warm_started);
  EXPECT_LT((again.r - first.r).norm(), 1e-9 * first.r.norm());
}

TEST(ConeSolver, LimitOfIterationsIsThatOfTheCall) {
  const Problem problem = make_islands(60, false);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Solution solution;
  SolveStats stats;
  NsgsSolver solver(SweepOrder::forward, {.tolerance = 1e-14}),
      limited(SweepOrder::forward, {.tolerance = 1e-14, .max_iterations = 2});
  solver.solve_within(3, reduction.local(), {}, solution, stats);
  EXPECT_EQ(stats.iterations, 3);
  EXPECT_EQ(stats.status, SolveStatus::iteration_limit);
  solver.solve(reduction.local(), {}, solution, stats);
  EXPECT_GT(stats.iterations, 3);
  limited.solve_within(3, reduction.local(), {}, solution, stats);
  EXPECT_EQ(stats.iterations, 2);
}

// A plug between two walls that come together by a thousandth of the speed that it has: there is no solution, and all methods are left
// with that much. Several of them tell enough; later ones, of thousands of iterations each, are not tried.
TEST(AutoSolver, GivesUpWhatContradictsItself) {
  LocalProblem problem;
  const Matrix one = Matrix::Identity(3, 3);
  Matrix W(6, 6);
  W << one, -one, -one, one;
  problem.W = ContactMatrix(W, std::vector<int>{3, 3});
  problem.cones.assign(2, {.kind = ConeKind::coulomb, .dim = 3, .mu = 0.5});
  problem.u_free.resize(6);
  problem.u_free << -1, 0.2, 0.1, 1 - 1e-3, -0.2, -0.1;
  Solution solution;
  SolveStats stats;
  AutoSolver({}).solve(problem, {}, solution, stats);
  EXPECT_FALSE(usable(stats.status));
  EXPECT_LT(stats.residual, 1e-5);
  EXPECT_LE(stats.iterations, 600 + 300 + 600 + 5000 + 600);
}

// Unilateral contacts by projected gradients, with H and the factors of A; it never looks at W.
class GlobalGradient final : public Solver {
 public:
  std::string name() const override { return "global gradient"; }
  SolverCapabilities capabilities() const override { return {.nonnegative = true}; }
  void solve(const LocalProblem&, const WarmStart&, Solution&, SolveStats& stats) override {
    stats.status = SolveStatus::numerical_failure;
  }
  void solve_global(const Reduction& reduction, const WarmStart&, Solution& solution,
                    SolveStats& stats) override {
    const Problem& problem = reduction.problem();
    // A step below 1/λ_max of W = Hᵀ A⁻¹ H: the eigenvalues of A are at least 1 here.
    double size = 0;
    for (int c = 0; c < problem.num_contacts(); ++c)
      for (int b = 0; b < problem.Ht.num_blocks(c); ++b) size += problem.Ht.block(c, b).squaredNorm();
    Vector r = Vector::Zero(problem.Ht.rows());
    stats = {};
    for (int i = 0; i < 20000; ++i) {
      reduction.recover(r, solution);
      r = (r - solution.u / size).cwiseMax(0.0);
      ++stats.iterations;
    }
    solution.r = r;
    stats.status = SolveStatus::converged;
  }
};

TEST(Solver, OfOnesOwnMayWorkOnTheGlobalProblem) {
  Random random(22);
  Problem problem = testing::make_bodies(random, 8, false, BodyMatrices::symmetric);
  // The normals alone.
  const BlockRows all = problem.Ht;
  problem.Ht.clear(all.columns());
  for (int c = 0; c < all.num_groups(); ++c) problem.Ht.add_group(all, c, 1);
  problem.cones.assign(problem.cones.size(), Cone{});
  problem.w.setZero(problem.Ht.rows());
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  GlobalGradient own;
  AutoSolver automatic({});
  Solution a, b;
  SolveStats stats;
  solve(own, reduction, {}, a, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  solve(automatic, reduction, {}, b, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  EXPECT_GT(b.r.norm(), 0.1);
  EXPECT_LT((a.r - b.r).norm(), 1e-6 * b.r.norm());
  EXPECT_LT((a.v - b.v).norm(), 1e-6 * b.v.norm());
}

}  // namespace
}  // namespace delassus::auto_solver_test
