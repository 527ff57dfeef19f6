// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes (dry friction with a given limit) beside unilateral and frictional contacts.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "delassus/problems/modes.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/solvers/registry.hpp"

namespace delassus::box_test {
namespace {

// A non-symmetric positive definite A with boxes, a contact with friction and a unilateral row.
Problem random_problem(unsigned seed, int num_boxes) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto fill = [&](auto&& x) {
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i) x(i, j) = normal(random);
  };
  constexpr int nv = 9;
  Problem problem;
  Matrix X(nv, nv), S(nv, nv);
  fill(X);
  fill(S);
  problem.A.clear(nv);
  problem.A.add_block(0, 0, nv, nv) =
      X * X.transpose() + Matrix::Identity(nv, nv) + 0.3 * (S - S.transpose());
  problem.symmetric = false;
  problem.p.resize(nv);
  fill(problem.p);
  problem.Gt.clear(nv);
  problem.Gt.add_group(2);
  fill(problem.Gt.add_block(0, nv));
  problem.g.setZero(2);
  problem.C.setZero(2);
  problem.Ht.clear(nv);
  problem.cones = {{.kind = ConeKind::polyhedral, .dim = 2, .mu = 0.4, .num_directions = 2}, {}};
  problem.Ht.add_group(2);
  fill(problem.Ht.add_block(0, nv));
  problem.Ht.add_group(1);
  fill(problem.Ht.add_block(0, nv));
  for (int i = 0; i < num_boxes; ++i) {
    problem.Ht.add_group(1);
    fill(problem.Ht.add_block(0, nv));
    problem.cones.push_back({.kind = ConeKind::box, .bound = i == 0 ? 0.0 : std::abs(0.2 * normal(random))});
  }
  problem.w.setZero(problem.Ht.rows());
  return problem;
}

TEST(Box, LemkeSolvesItAndTheModesTellTheSame) {
  auto solver = make_solver({});
  int sticking = 0, slipping = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Problem problem = random_problem(seed, 1 + static_cast<int>(seed % 4));
    require_consistent(problem);
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    Solution solution;
    SolveStats stats;
    delassus::solve(*solver, reduction, {}, solution, stats);
    ASSERT_EQ(stats.status, SolveStatus::converged) << seed;
    EXPECT_LT(compute_residual(problem, reduction, solution).contact, 1e-10) << seed;
    // The law itself, row by row.
    for (int c = 2; c < problem.num_contacts(); ++c) {
      const int row = problem.Ht.first_row(c);
      const double r = solution.r[row], u = solution.u[row], bound = problem.cones[c].bound;
      EXPECT_LE(std::abs(r), bound + 1e-12);
      if (std::abs(u) > 1e-9) {
        EXPECT_NEAR(r, u > 0 ? -bound : bound, 1e-12);
      }
      (solution.modes[c].status == ContactStatus::stick ? sticking : slipping) += 1;
    }
    // Friction never drives.
    double power = 0;
    for (int c = 2; c < problem.num_contacts(); ++c)
      power += solution.r[problem.Ht.first_row(c)] * solution.u[problem.Ht.first_row(c)];
    EXPECT_LE(power, 1e-12);
    Solution by_modes;
    ASSERT_TRUE(solve_with_modes(reduction, solution.modes, by_modes));
    EXPECT_LT((by_modes.v - solution.v).norm(), 1e-9 * (1 + solution.v.norm())) << seed;
  }
  EXPECT_GT(sticking, 50);
  EXPECT_GT(slipping, 50);
}

TEST(Box, IsSavedWithItsBound) {
  const Problem problem = random_problem(1, 3);
  std::stringstream file;
  save(problem, file);
  EXPECT_EQ(load_problem(file, "box"), problem);
  EXPECT_NE(describe(problem).find("box"), std::string::npos);
}

}  // namespace
}  // namespace delassus::box_test
