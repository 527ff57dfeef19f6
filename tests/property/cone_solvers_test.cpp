// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Iterative cone solvers: every law, judged condition by condition; against each other; against closed forms; in other
// units.
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "../support/local_problem.hpp"
#include "delassus/problems/random_contact.hpp"
#include "delassus/solvers/registry.hpp"

namespace delassus::cone_solvers_test {
namespace {

using testing::HeapOptions;
using testing::law_error;
using testing::make_heap;
using testing::Random;

struct Method {
  const char* name;
  double tolerance;
};
// What is asked of each: the slow ones are for low accuracy.
constexpr Method k_methods[] = {{"auto", 1e-10}, {"newton", 1e-10}, {"admm", 1e-10},
                                {"nsgs", 1e-8},  {"apgd", 1e-8},    {"spg", 1e-8},
                                {"psor", 1e-8},  {"ssor", 1e-4},    {"jacobi", 1e-4}};
constexpr int k_many = 200000;  // more iterations than any of the problems here should need

Solution solve_by(const Method& method, const LocalProblem& problem, SolveStats& stats,
                  const WarmStart& warm = {}, int max_iterations = k_many) {
  auto solver =
      make_solver({.name = method.name, .tolerance = method.tolerance, .max_iterations = max_iterations});
  Solution solution;
  solver->solve(problem, warm, solution, stats);
  return solution;
}

// The natural-map error bounds each condition up to a factor of the friction coefficients and the dimension.
constexpr double k_law_factor = 30;

void expect_solved_by_all(const LocalProblem& problem, const std::string& what) {
  for (const Method& method : k_methods) {
    SolveStats stats;
    const Solution solution = solve_by(method, problem, stats);
    EXPECT_EQ(stats.status, SolveStatus::converged)
        << method.name << " " << what << " residual " << stats.residual;
    EXPECT_LT(law_error(problem, solution.r), k_law_factor * method.tolerance * problem.u_free.norm())
        << method.name << " " << what;
    EXPECT_LT((problem.W.dense() * solution.r + problem.u_free - solution.u).norm(),
              1e-12 * problem.u_free.norm() * 1e3)
        << method.name << " " << what;
  }
}

TEST(ConeSolvers, EveryLawOnHeaps) {
  for (const ConeKind law : {ConeKind::coulomb, ConeKind::convex})
    for (const bool rolling : {false, true})
      for (const bool mixed : {false, true})
        for (int i = 0; i < 40; ++i) {
          Random random(100 * i + 7);
          const LocalProblem problem =
              make_heap(random, {.law = law, .mu_max = 0.8, .rolling = rolling, .mixed = mixed});
          expect_solved_by_all(problem, std::string(law == ConeKind::coulomb ? "coulomb" : "convex") +
                                            (rolling ? " rolling" : "") + (mixed ? " mixed " : " ") +
                                            std::to_string(i));
        }
}

TEST(ConeSolvers, RedundantContacts) {
  for (int i = 0; i < 40; ++i) {
    Random random(i);
    expect_solved_by_all(make_heap(random, {.contacts = 8, .mu_max = 0.8, .repeated = true}),
                         "repeated " + std::to_string(i));
  }
}

TEST(ConeSolvers, HighFrictionAndMassRatios) {
  for (int i = 0; i < 40; ++i) {
    Random random(i);
    const LocalProblem problem =
        make_heap(random, {.bodies = 4, .contacts = 12, .mass_ratio = 1e3, .mu_max = 1.5});
    for (const Method& method : k_methods) {
      SolveStats stats;
      const Solution solution = solve_by(method, problem, stats);
      EXPECT_EQ(stats.status, SolveStatus::converged)
          << method.name << " " << i << " residual " << stats.residual;
      EXPECT_LT(law_error(problem, solution.r), k_law_factor * method.tolerance * problem.u_free.norm());
    }
  }
}

TEST(ConeSolvers, ContactHeapOfTheBenchmark) {
  Problem heap = make_contact_heap(120, 1);
  for (Cone& cone : heap.cones)
    if (cone.kind == ConeKind::polyhedral)
      cone = {.kind = ConeKind::coulomb, .dim = cone.dim, .mu = 0.5 * cone.mu};
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(heap));
  expect_solved_by_all(reduction.local(), "heap");
}

TEST(ConeSolvers, AgreeWhereTheSolutionIsUnique) {
  // Convex laws: W r is unique. Exact law with W positive definite and little friction: r is.
  for (int i = 0; i < 10; ++i) {
    Random random(i);
    const LocalProblem convex = make_heap(random, {.law = ConeKind::convex, .contacts = 6, .repeated = true});
    const LocalProblem exact = make_heap(random, {.bodies = 4, .contacts = 4, .mu_max = 0.2});
    SolveStats stats;
    const Vector u = solve_by(k_methods[0], convex, stats).u, r = solve_by(k_methods[0], exact, stats).r;
    for (const Method& method : k_methods) {
      // Conditions of the problems are below 1e3.
      const double tolerance = 1e4 * method.tolerance;
      EXPECT_LT((solve_by(method, convex, stats).u - u).norm(), tolerance * u.norm())
          << method.name << " " << i;
      EXPECT_LT((solve_by(method, exact, stats).r - r).norm(), tolerance * r.norm())
          << method.name << " " << i;
    }
  }
}

// Impulses in other units of mass: W → s W, r → r / s.
LocalProblem in_other_units(const LocalProblem& problem, double mass, double velocity) {
  LocalProblem other = problem;
  for (int a = 0; a < problem.num_contacts(); ++a)
    for (int e = other.W.row_begin(a); e < other.W.row_end(a); ++e) other.W.block(a, e) /= mass;
  other.u_free *= velocity;
  for (Cone& cone : other.cones) cone.bound *= mass * velocity;
  return other;
}

TEST(ConeSolvers, UnitsChangeNothing) {
  for (int i = 0; i < 6; ++i) {
    Random random(i);
    const LocalProblem problem = make_heap(random, {.law = i % 2 == 0 ? ConeKind::coulomb : ConeKind::convex,
                                                    .rolling = i > 1,
                                                    .mixed = i > 3,
                                                    .repeated = true});
    for (const Method& method : k_methods)
      for (const auto& [mass, velocity] : {std::pair{0x1p20, 1.0}, {0x1p-20, 0x1p10}, {0x1p-30, 0x1p-30}}) {
        SolveStats stats, other_stats;
        const Solution solution = solve_by(method, problem, stats, {}, 500);
        const Solution other =
            solve_by(method, in_other_units(problem, mass, velocity), other_stats, {}, 500);
        EXPECT_EQ(stats.iterations, other_stats.iterations) << method.name << " " << i;
        EXPECT_EQ(stats.status, other_stats.status) << method.name << " " << i;
        // Powers of two: the same bits.
        EXPECT_EQ(Vector(solution.r * (mass * velocity)), other.r) << method.name << " " << i;
      }
  }
}

TEST(ConeSolvers, NonSymmetricProblems) {
  for (int i = 0; i < 10; ++i) {
    Random random(i);
    LocalProblem problem = make_heap(random, {.bodies = 3, .contacts = 4, .mu_max = 0.5});
    const Matrix S = 0.02 * random.matrix(problem.W.rows(), problem.W.rows());
    problem.W = ContactMatrix(problem.W.dense() + S - S.transpose(), std::vector<int>(4, 3));
    problem.symmetric = false;
    for (const Method& method : k_methods) {
      auto solver = make_solver({.name = method.name});
      const std::string name = method.name;
      EXPECT_EQ(reason_against(solver->capabilities(), problem).empty(), name != "apgd" && name != "spg")
          << name;
      if (!solver->capabilities().nonsymmetric) continue;
      SolveStats stats;
      const Solution solution = solve_by(method, problem, stats);
      EXPECT_EQ(stats.status, SolveStatus::converged) << name << " " << i;
      EXPECT_LT(law_error(problem, solution.r), k_law_factor * method.tolerance * problem.u_free.norm())
          << name;
    }
  }
}

TEST(ConeSolvers, FixedAgainstFixedStaysZero) {
  Random random(3);
  const LocalProblem heap = make_heap(random, {.contacts = 4, .mu_max = 0.5});
  // A contact without any mobility in the middle, which even penetrates.
  const int m = heap.W.rows();
  Matrix W = Matrix::Zero(m + 3, m + 3);
  const Matrix inner = heap.W.dense();
  W.topLeftCorner(6, 6) = inner.topLeftCorner(6, 6);
  W.topRightCorner(6, m - 6) = inner.topRightCorner(6, m - 6);
  W.bottomLeftCorner(m - 6, 6) = inner.bottomLeftCorner(m - 6, 6);
  W.bottomRightCorner(m - 6, m - 6) = inner.bottomRightCorner(m - 6, m - 6);
  LocalProblem problem;
  problem.W = ContactMatrix(W, std::vector<int>(5, 3));
  problem.u_free.resize(m + 3);
  problem.u_free << heap.u_free.head(6), -1, 1, 0, heap.u_free.tail(m - 6);
  problem.cones.assign(5, {.kind = ConeKind::coulomb, .dim = 3, .mu = 0.5});
  for (int c : {0, 1}) problem.cones[c] = heap.cones[c];
  for (int c : {2, 3}) problem.cones[c + 1] = heap.cones[c];
  for (const Method& method : k_methods) {
    SolveStats stats;
    WarmStart warm;
    warm.r = Vector::Ones(m + 3);
    const Solution solution = solve_by(method, problem, stats, warm);
    EXPECT_EQ(stats.status, SolveStatus::converged) << method.name;
    EXPECT_TRUE(solution.r.allFinite());
    EXPECT_EQ(solution.r.segment(6, 3).norm(), 0) << method.name;
    EXPECT_EQ(solution.modes[2].status, ContactStatus::open);
    EXPECT_LT(law_error(problem, solution.r), k_law_factor * method.tolerance * problem.u_free.norm());
  }
}

TEST(ConeSolvers, NothingMovesAlongTheTangents) {
  // One velocity, along the normal; the ground slides below at 3 m/s.
  LocalProblem problem;
  problem.W = ContactMatrix(Matrix(Eigen::Vector3d(0.5, 0, 0).asDiagonal()), std::vector<int>{3});
  problem.u_free = Eigen::Vector3d(-1, 0, 3);
  problem.cones = {{.kind = ConeKind::coulomb, .dim = 3, .mu = 0.4}};
  for (const Method& method : k_methods) {
    SolveStats stats;
    const Solution solution = solve_by(method, problem, stats);
    EXPECT_EQ(stats.status, SolveStatus::converged) << method.name;
    EXPECT_LT((solution.r - Eigen::Vector3d(2, 0, -0.8)).norm(), 20 * method.tolerance) << method.name;
    EXPECT_EQ(solution.modes[0].status, ContactStatus::slip);
    EXPECT_NEAR(solution.modes[0].direction.y(), 1, 1e-12);
  }
}

TEST(ConeSolvers, WarmStartFromTheSolutionTakesNoIteration) {
  Random random(5);
  const LocalProblem problem = make_heap(random, {.mu_max = 0.6});
  for (const Method& method : k_methods) {
    SolveStats stats;
    WarmStart warm;
    warm.r = solve_by(method, problem, stats).r;
    EXPECT_GT(stats.iterations, 0);
    EXPECT_FALSE(stats.warm_started);
    const Solution again = solve_by(method, problem, stats, warm);
    // Those that polish look whether a step makes it still better.
    const std::string_view name = method.name;
    const bool polishes = name == "newton" || name == "admm" || name == "auto";
    EXPECT_LE(stats.iterations, polishes ? 1 : 0) << method.name;
    EXPECT_TRUE(stats.warm_started);
    EXPECT_LT((again.r - warm.r).norm(), (polishes ? 1e-12 : 1e-15) * warm.r.norm());  // projected once more
  }
}

TEST(ConeSolvers, SayWhenTheyDidNotConverge) {
  Random random(6);
  const LocalProblem problem = make_heap(random, {.contacts = 60, .mu_max = 0.9});
  for (const Method& method : k_methods) {
    SolveStats stats;
    const Solution solution = solve_by(method, problem, stats, {}, 1);
    EXPECT_EQ(stats.status, SolveStatus::iteration_limit) << method.name;
    // Of each method that auto falls back to, some of them twice.
    int tries = stats.num_attempts == 0 ? 1 : 0;
    for (int a = 0; a < stats.num_attempts; ++a) tries += stats.attempts[a].count;
    EXPECT_EQ(stats.iterations, tries) << method.name;
    EXPECT_GT(stats.residual, method.tolerance);
    EXPECT_LE(stats.residual, 1.5);  // never worse than about no impulse at all
    EXPECT_TRUE(solution.r.allFinite());
  }
  // No tolerance of round-off can be met: the sweeps notice.
  SolveStats stats;
  solve_by({"nsgs", 1e-18}, problem, stats);
  EXPECT_EQ(stats.status, SolveStatus::iteration_limit);
  EXPECT_LT(stats.iterations, k_many);
  LocalProblem broken = problem;
  broken.u_free[0] = std::numeric_limits<double>::quiet_NaN();
  for (const Method& method : k_methods) {
    solve_by(method, broken, stats);
    EXPECT_EQ(stats.status, SolveStatus::numerical_failure) << method.name;
  }
}

TEST(ConeSolvers, NoContactsAndNoMotion) {
  LocalProblem problem;
  SolveStats stats;
  Random random(1);
  LocalProblem resting = make_heap(random, {});
  resting.u_free.setZero();
  for (const Method& method : k_methods) {
    EXPECT_EQ(solve_by(method, problem, stats).r.size(), 0);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_EQ(solve_by(method, resting, stats).r.norm(), 0);
    EXPECT_EQ(stats.status, SolveStatus::converged);
  }
}

// A sphere of mass m, radius R on a plane, pressed by m g h, with an angular impulse L about the first tangent and one
// L_S about the normal. u = (v_N, v_1 + …): slip of the lowest point, then turning about the tangents, then spinning.
LocalProblem sphere_on_plane(double m, double R, double push, double L, double L_S, Cone cone) {
  const double inertia = 0.4 * m * R * R;
  Matrix Ht = Matrix::Zero(6, 6);  // velocities: v_N v_1 v_2 ω_1 ω_2 ω_N
  Ht(0, 0) = 1;
  Ht(1, 1) = 1;
  Ht(1, 4) = R;  // v + ω × (−R N), in a frame where that is +R ω_2, −R ω_1
  Ht(2, 2) = 1;
  Ht(2, 3) = -R;
  Ht(3, 3) = Ht(4, 4) = Ht(5, 5) = 1;
  Vector inverse(6), v(6);
  inverse << 1 / m, 1 / m, 1 / m, 1 / inertia, 1 / inertia, 1 / inertia;
  v << -push / m, 0, 0, L / inertia, 0, L_S / inertia;
  LocalProblem problem;
  problem.W = ContactMatrix(Ht * inverse.asDiagonal() * Ht.transpose(), std::vector<int>{6});
  problem.u_free = Ht * v;
  problem.cones = {cone};
  return problem;
}

TEST(ConeSolvers, RollingResistanceOfASphere) {
  const double m = 2, R = 0.5, push = 3;
  const Cone cone{.kind = ConeKind::coulomb, .dim = 6, .mu = 0.9, .mu_rolling = 0.1, .mu_spinning = 0.05};
  const double limit = cone.mu_rolling * push, spin_limit = cone.mu_spinning * push;
  for (const Method& method : k_methods) {
    SolveStats stats;
    // Below both limits nothing moves.
    Solution solution =
        solve_by(method, sphere_on_plane(m, R, push, 0.9 * limit, 0.9 * spin_limit, cone), stats);
    EXPECT_EQ(stats.status, SolveStatus::converged) << method.name;
    EXPECT_LT(solution.u.norm(), 100 * method.tolerance) << method.name;
    EXPECT_EQ(solution.modes[0].status, ContactStatus::stick) << method.name;
    // Above: it rolls without slip, (I + m R²) ω = L − μ_R r_N, and spins, I ω_N = L_S − μ_S r_N.
    const double L = 2 * limit, L_S = 3 * spin_limit;
    const LocalProblem rolls = sphere_on_plane(m, R, push, L, L_S, cone);
    solution = solve_by(method, rolls, stats);
    const double inertia = 0.4 * m * R * R;
    Vector expected(6);
    expected << 0, 0, 0, (L - limit) / (inertia + m * R * R), 0, (L_S - spin_limit) / inertia;
    EXPECT_EQ(stats.status, SolveStatus::converged) << method.name;
    EXPECT_LT((solution.u - expected).norm(), 300 * method.tolerance * rolls.u_free.norm()) << method.name;
    EXPECT_EQ(solution.modes[0].status, ContactStatus::stick) << method.name;
  }
}

TEST(ConeSolvers, ModesOfEveryLaw) {
  const auto particle = [](const Cone& cone, const Vector& u_free) {
    LocalProblem problem;
    problem.W = ContactMatrix(Matrix(0.5 * Matrix::Identity(cone.dim, cone.dim)), std::vector<int>{cone.dim});
    problem.u_free = u_free;
    problem.cones = {cone};
    return problem;
  };
  for (const ConeKind law : {ConeKind::coulomb, ConeKind::convex})
    for (const Method& method : k_methods) {
      const Cone cone{.kind = law, .dim = 3, .mu = 0.5};
      SolveStats stats;
      const auto mode = [&](const Vector& u_free) {
        return solve_by(method, particle(cone, u_free), stats).modes[0];
      };
      EXPECT_EQ(mode(Eigen::Vector3d(0.9, 1, 0)).status, ContactStatus::open) << method.name;
      EXPECT_EQ(mode(Eigen::Vector3d(-1, 0.3, 0.3)).status, ContactStatus::stick) << method.name;
      const ContactMode slip = mode(Eigen::Vector3d(-1, 3, 4));
      EXPECT_EQ(slip.status, ContactStatus::slip) << method.name;
      EXPECT_LT((slip.direction - Eigen::Vector2d(0.6, 0.8)).norm(), 10 * method.tolerance) << method.name;
      // The convex law separates: u_N = μ‖u_T‖ > 0 with r_N > 0.
      const Solution solution = solve_by(method, particle(cone, Eigen::Vector3d(-1, 3, 4)), stats);
      const double u_N = law == ConeKind::convex ? 0.5 * solution.u.tail<2>().norm() : 0.0;
      EXPECT_NEAR(solution.u[0], u_N, 20 * method.tolerance) << method.name;
      EXPECT_GT(solution.r[0], 0);
      // An equality pulls as well as it pushes.
      const Solution held =
          solve_by(method, particle({.kind = ConeKind::equality, .dim = 3}, Vector::Ones(3)), stats);
      EXPECT_EQ(held.modes[0].status, ContactStatus::stick);
      EXPECT_LT((held.r + 2 * Vector::Ones(3)).norm(), 20 * method.tolerance);
    }
}

}  // namespace
}  // namespace delassus::cone_solvers_test
