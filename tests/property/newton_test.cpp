// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The robust solvers where iterations are slow: redundant contacts, large mass ratios, stacks; what sticks must not move
// at all. And `auto`: islands, fallbacks, what it reports.
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "../support/local_problem.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/solvers/registry.hpp"

namespace delassus::newton_test {
namespace {

using testing::law_error;

// Boxes of side 1 on each other, four contacts between two of them; normal y. Rows N, T, T of a contact at `arm` from the
// centre of a box of mass m and inertia m/6.
LocalProblem make_stack(const std::vector<double>& masses, double mu, const Eigen::Vector3d& acceleration,
                        double h) {
  const int n = static_cast<int>(masses.size());
  Matrix H = Matrix::Zero(6 * n, 12 * n), inverse_mass = Matrix::Zero(6 * n, 6 * n);
  Vector v = Vector::Zero(6 * n);
  for (int b = 0; b < n; ++b) {
    inverse_mass.diagonal().segment(6 * b, 3).setConstant(1 / masses[b]);
    inverse_mass.diagonal().segment(6 * b + 3, 3).setConstant(6 / masses[b]);
    v.segment(6 * b, 3) = h * acceleration;
    for (int corner = 0; corner < 4; ++corner) {
      const Eigen::Vector3d axes[] = {Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitX(),
                                      Eigen::Vector3d::UnitZ()};
      const double x = corner % 2 == 0 ? -0.5 : 0.5, z = corner < 2 ? -0.5 : 0.5;
      for (int k = 0; k < 3; ++k) {
        const int row = 12 * b + 3 * corner + k;
        const auto add = [&](int body, const Eigen::Vector3d& arm, double sign) {
          H.col(row).segment(6 * body, 3) = sign * axes[k];
          H.col(row).segment(6 * body + 3, 3) = sign * arm.cross(axes[k]);
        };
        add(b, {x, -0.5, z}, 1);
        if (b > 0) add(b - 1, {x, 0.5, z}, -1);
      }
    }
  }
  LocalProblem problem;
  problem.W = ContactMatrix(H.transpose() * inverse_mass * H, std::vector<int>(4 * masses.size(), 3));
  problem.u_free = H.transpose() * v;
  problem.cones.assign(4 * masses.size(), Cone{.kind = ConeKind::coulomb, .dim = 3, .mu = mu});
  return problem;
}

Solution solve_by(const char* name, const LocalProblem& problem, SolveStats& stats,
                  const WarmStart& warm = {}) {
  auto solver = make_solver({.name = name, .tolerance = 1e-10});
  Solution solution;
  solver->solve(problem, warm, solution, stats);
  return solution;
}

// A pull below the friction limit by 1e-6 of it: nothing may move, to round-off, whatever the masses and the redundancy.
TEST(Newton, StackHoldsJustBelowTheLimit) {
  constexpr double g = 9.81, mu = 0.5, h = 1e-3;
  for (const std::vector<double>& masses :
       {std::vector<double>{1}, std::vector<double>{1, 1, 1, 1, 1}, std::vector<double>{1, 1e4},
        std::vector<double>{1, 100, 1, 1e4}, std::vector<double>(10, 2.0)}) {
    // All boxes accelerate alike: only the lowest contacts are near their limit by force, all of them by ratio. A pull at
    // half height tilts, so it is kept below what topples the stack.
    const double pull = std::min(mu * g * (1 - 1e-6), 0.5 * g / static_cast<double>(masses.size()));
    const LocalProblem problem = make_stack(masses, mu, {pull, -g, 0}, h);
    for (const char* name : {"newton", "admm", "auto"}) {
      SolveStats stats;
      const Solution solution = solve_by(name, problem, stats);
      ASSERT_EQ(stats.status, SolveStatus::converged) << name << " " << masses.size();
      // Heavy boxes on light ones: the round-off of r, times W.
      const double round_off = 1e-14 * compute_cancellation(problem, solution.r);
      EXPECT_LT(solution.u.cwiseAbs().maxCoeff(), round_off * problem.u_free.norm())
          << name << " " << masses.size();
      EXPECT_LT(law_error(problem, solution.r), 1e-9 * problem.u_free.norm());
      // Once more from there: the warm start is the solution.
      WarmStart warm;
      warm.r = solution.r;
      solve_by(name, problem, stats, warm);
      EXPECT_LE(stats.iterations, 2) << name << " " << masses.size();
    }
  }
}

// Just above the limit the box slides as a whole with a_x = pull − μ g.
TEST(Newton, BoxSlidesJustAboveTheLimit) {
  constexpr double g = 9.81, mu = 0.5, h = 1e-3, excess = 1e-6;
  const double pull = mu * g * (1 + excess);
  const LocalProblem problem = make_stack({3}, mu, {pull, -g, 0}, h);
  SolveStats stats;
  for (const char* name : {"newton", "admm", "auto"}) {
    const Solution solution = solve_by(name, problem, stats);
    ASSERT_EQ(stats.status, SolveStatus::converged) << name;
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(solution.u[3 * c], 0, 1e-14) << name;
      EXPECT_NEAR(solution.u[3 * c + 1], h * mu * g * excess, 1e-12) << name;
      EXPECT_NEAR(solution.u[3 * c + 2], 0, 1e-13) << name;
    }
  }
}

// Gaps of round-off over the step make the four corners of a sliding box contradict each other by a little: one of them
// has to open, and the others take over by the law.
TEST(Newton, CornersThatCannotAllClose) {
  LocalProblem problem = make_stack({1}, 0.5, {7, -9.81, 3}, 1e-3);
  problem.u_free[0] += 1e-9;
  for (const char* name : {"newton", "auto"}) {
    SolveStats stats;
    const Solution solution = solve_by(name, problem, stats);
    ASSERT_EQ(stats.status, SolveStatus::converged) << name << " " << stats.residual;
    EXPECT_LT(law_error(problem, solution.r), 1e-8 * problem.u_free.norm()) << name;
  }
}

// The exact law separates nothing that slides, the convex one does at μ‖u_T‖: a method that lost the shift on its way would
// lift the box.
TEST(Admm, SlidingBoxesStayOnTheGround) {
  constexpr double g = 9.81, mu = 0.3, h = 1e-2;
  LocalProblem problem = make_stack({2}, mu, {6, -g, 0}, h);
  SolveStats stats;
  const Solution exact = solve_by("admm", problem, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  for (int c = 0; c < 4; ++c) {
    EXPECT_NEAR(exact.u[3 * c], 0, 1e-12);
    EXPECT_NEAR(exact.u[3 * c + 1], h * (6 - mu * g), 1e-11);
  }
  for (Cone& cone : problem.cones) cone.kind = ConeKind::convex;
  const Solution convex = solve_by("admm", problem, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  for (int c = 0; c < 4; ++c) EXPECT_GE(convex.u[3 * c], mu * std::abs(convex.u[3 * c + 1]) - 1e-10) << c;
  EXPECT_GT(convex.u.cwiseAbs().maxCoeff(), 1e-3);
}

// Thirty boxes, the heavy ones on the light ones: sparse factors, redundant contacts, mass ratio 10⁴.
TEST(Admm, TallStackOfUnequalBoxes) {
  constexpr double g = 9.81, h = 1e-3;
  std::vector<double> masses(30, 1.0);
  for (std::size_t b = 1; b < masses.size(); b += 2) masses[b] = 100;
  masses.back() = 1e4;
  LocalProblem dense = make_stack(masses, 0.5, {0.05, -g, 0}, h);
  // The blocks that are there.
  LocalProblem problem = dense;
  std::vector<int> starts{0}, columns;
  const int n = dense.num_contacts();
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b)
      if (std::abs(a / 4 - b / 4) <= 1) columns.push_back(b);
    starts.push_back(static_cast<int>(columns.size()));
  }
  problem.W.set_pattern(std::vector<int>(static_cast<std::size_t>(n), 3), starts, columns);
  for (int a = 0; a < n; ++a)
    for (int e = problem.W.row_begin(a); e < problem.W.row_end(a); ++e)
      problem.W.block(a, e) = dense.W.block(a, dense.W.find(a, problem.W.column(e)));
  for (const LocalProblem* form : {&dense, &problem}) {
    SolveStats stats;
    const Solution solution = solve_by("admm", *form, stats);
    ASSERT_EQ(stats.status, SolveStatus::converged)
        << stats.residual << (form == &dense ? " dense" : " sparse");
    EXPECT_LT(law_error(dense, solution.r), 1e-8 * dense.u_free.norm());
    // The ground carries the weight: the normal impulses of the lowest contacts.
    double weight = 0, carried = 0;
    for (double mass : masses) weight += mass * g * h;
    for (int c = 0; c < 4; ++c) carried += solution.r[3 * c];
    EXPECT_NEAR(carried / weight, 1, 1e-9);
  }
}

// Two stacks side by side in one problem: the same bits as each alone, and the attempts are counted by island.
TEST(Auto, IslandsAreSolvedApart) {
  const LocalProblem one = make_stack({1, 5}, 0.4, {1, -9.81, 0.3}, 1e-2);
  LocalProblem both;
  const int n = one.num_contacts(), m = one.W.rows();
  std::vector<int> starts{0}, columns;
  for (int a = 0; a < 2 * n; ++a) {
    for (int e = one.W.row_begin(a % n); e < one.W.row_end(a % n); ++e)
      columns.push_back(one.W.column(e) + (a < n ? 0 : n));
    starts.push_back(static_cast<int>(columns.size()));
  }
  both.W.set_pattern(std::vector<int>(2 * static_cast<std::size_t>(n), 3), starts, columns);
  for (int a = 0; a < 2 * n; ++a)
    for (int e = both.W.row_begin(a), f = one.W.row_begin(a % n); e < both.W.row_end(a); ++e, ++f)
      both.W.block(a, e) = one.W.block(a % n, f);
  both.u_free.resize(2 * m);
  both.u_free << one.u_free, one.u_free;
  both.cones = one.cones;
  both.cones.insert(both.cones.end(), one.cones.begin(), one.cones.end());
  SolveStats single, twice;
  const Solution a = solve_by("auto", one, single), b = solve_by("auto", both, twice);
  ASSERT_EQ(twice.status, SolveStatus::converged);
  EXPECT_EQ(b.r.head(m), a.r);
  EXPECT_EQ(b.r.tail(m), a.r);
  EXPECT_EQ(twice.iterations, 2 * single.iterations);
  ASSERT_EQ(twice.num_attempts, 1);
  EXPECT_EQ(std::string_view(twice.attempts[0].method), "newton");
  EXPECT_EQ(twice.attempts[0].count, 2);
  EXPECT_EQ(twice.attempts[0].failures, 0);
}

// A planar contact of a rod in Painlevé's paradox, W_NN + μ W_NT < 0 with downward free velocity: no solution, and said so.
TEST(Auto, SaysThatThereIsNoSolution) {
  LocalProblem problem;
  Matrix W(2, 2);
  W << 1, -1.5, -1.5, 4;
  problem.W = ContactMatrix(W, std::vector<int>{2});
  problem.symmetric = true;
  problem.u_free = Eigen::Vector2d(-1, 1);
  problem.cones = {Cone{.kind = ConeKind::coulomb, .dim = 2, .mu = 0.9}};
  SolveStats stats;
  // The impulse problem of a positive definite W always has a solution (Anitescu and Potra 1997, Thm 2.1).
  Solution solution = solve_by("auto", problem, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
  EXPECT_LT(law_error(problem, solution.r), 1e-9);
  // The force problem with the friction of a slip to the right, r_T = −μ r_N, as one unilateral row: W = W_NN − μ W_NT…
  problem.W = ContactMatrix(Matrix::Constant(1, 1, 1 - 0.9 * 1.5), std::vector<int>{1});
  problem.symmetric = false;
  problem.u_free = Vector::Constant(1, -1);
  problem.cones = {Cone{}};
  solution = solve_by("auto", problem, stats);
  EXPECT_NE(stats.status, SolveStatus::converged);
}

}  // namespace
}  // namespace delassus::newton_test
