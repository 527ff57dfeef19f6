// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Elimination to the local problem, contact modes of solutions, and solutions with prescribed modes.
#include "delassus/problems/modes.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "../support/random_problem.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"

namespace delassus::modes_test {
namespace {

using testing::Random;

// The global equations (1)-(2) for given r, solved at once in dense form.
Vector global_velocity(const Problem& problem, const Vector& r) {
  const int nv = problem.A.size(), nj = problem.Gt.rows();
  Matrix K = Matrix::Zero(nv + nj, nv + nj);
  K.topLeftCorner(nv, nv) = testing::dense(problem.A);
  if (nj > 0) {
    K.topRightCorner(nv, nj) = -testing::dense(problem.impulse_G()).transpose();
    K.bottomLeftCorner(nj, nv) = testing::dense(problem.Gt);
    K.bottomRightCorner(nj, nj) = problem.C.asDiagonal();
  }
  Vector rhs(nv + nj);
  rhs << problem.p + testing::dense(problem.impulse_H()).transpose() * r, problem.g;
  return K.partialPivLu().solve(rhs).head(nv);
}

TEST(Reduction, LocalProblemIsTheGlobalOne) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = testing::make_problem(random, {.symmetric = trial % 2 == 0,
                                                           .separate_directions = trial % 3 == 0,
                                                           .max_contacts = 5,
                                                           .solvable = false});
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    const LocalProblem& local = reduction.local();
    const Vector r = random.vector(problem.Ht.rows());
    const Vector v = global_velocity(problem, r);
    const Vector u = testing::dense(problem.Ht) * v + problem.w;
    EXPECT_LE((local.W * r + local.u_free - u).norm(), 1e-9 * (1 + u.norm()));
    EXPECT_EQ(local.symmetric, problem.symmetric && !problem.separate_directions);
    if (local.symmetric) {
      const Matrix W = local.W.dense();
      EXPECT_LE((W - W.transpose()).norm(), 1e-11 * W.norm());
    }

    Solution solution;
    reduction.recover(r, solution);
    EXPECT_EQ(solution.r, r);
    EXPECT_LE((solution.v - v).norm(), 1e-9 * (1 + v.norm()));
    EXPECT_LE((solution.u - u).norm(), 1e-9 * (1 + u.norm()));
    const Vector momentum = testing::dense(problem.A) * solution.v - problem.p -
                            testing::dense(problem.impulse_H()).transpose() * r -
                            testing::dense(problem.impulse_G()).transpose() * solution.lambda;
    EXPECT_LE(momentum.norm(), 1e-11 * (1 + solution.lambda.norm() + r.norm()));
  }
}

TEST(Reduction, FreeVelocityFollowsTheRightSides) {
  Random random(2);
  Problem problem = testing::make_problem(random, {.solvable = false});
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  const ContactMatrix W = reduction.local().W;
  problem.p = random.vector(problem.p.size());
  problem.g = random.vector(problem.g.size());
  problem.w = random.vector(problem.w.size());
  reduction.update_free_velocity();
  EXPECT_EQ(reduction.local().W, W);
  Reduction fresh;
  ASSERT_TRUE(fresh.compute(problem));
  EXPECT_EQ(reduction.local().u_free, fresh.local().u_free);
}

TEST(Reduction, ContactMassOfAParticle) {
  const Problem problem = testing::make_particle(2.5, testing::planar_cone(0.3), Eigen::Vector2d(-1, 0));
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  EXPECT_NEAR(reduction.contact_mass(0), 2.5, 1e-15);
  EXPECT_LE((reduction.local().W.dense() - Matrix::Identity(2, 2) / 2.5).norm(), 1e-15);
}

TEST(Reduction, WithoutContacts) {
  Random random(3);
  Problem problem;
  problem.A = testing::to_block_matrix(testing::make_spd(random, 4));
  problem.p = random.vector(4);
  problem.Gt.clear(4);
  problem.Ht.clear(4);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  EXPECT_EQ(reduction.local().u_free.size(), 0);
  Solution solution;
  reduction.recover(Vector(), solution);
  EXPECT_LE((testing::dense(problem.A) * solution.v - problem.p).norm(), 1e-13);
}

TEST(Reduction, RefusesIndefinite) {
  Problem problem = testing::make_particle(1, testing::planar_cone(0.3), Eigen::Vector2d(-1, 0));
  problem.A = testing::to_block_matrix(-Matrix::Identity(2, 2));
  Reduction reduction;
  EXPECT_FALSE(reduction.compute(problem));
}

Solution solve(const Problem& problem, Reduction& reduction) {
  EXPECT_TRUE(reduction.compute(problem));
  LemkeSolver solver;
  Solution solution;
  SolveStats stats;
  delassus::solve(solver, reduction, {}, solution, stats);
  EXPECT_EQ(stats.status, SolveStatus::converged);
  return solution;
}

// A particle of 2 kg with u_free: its mode, and the known impulse and velocity.
TEST(DeriveModes, ParticleOnAPlane) {
  constexpr double mass = 2, mu = 0.5;
  const struct {
    Eigen::Vector2d u_free;
    ContactStatus status;
    double direction;
    Eigen::Vector2d r, u;
  } cases[] = {
      {{0.5, 1}, ContactStatus::open, 0, {0, 0}, {0.5, 1}},
      {{-1, 0}, ContactStatus::stick, 0, {2, 0}, {0, 0}},
      {{-1, 0.4}, ContactStatus::stick, 0, {2, -0.8}, {0, 0}},
      {{-1, 0.8}, ContactStatus::slip, 1, {2, -1}, {0, 0.3}},
      {{-1, -0.8}, ContactStatus::slip, -1, {2, 1}, {0, -0.3}},
  };
  for (const auto& c : cases) {
    const Problem problem = testing::make_particle(mass, testing::planar_cone(mu), c.u_free);
    Reduction reduction;
    const Solution solution = solve(problem, reduction);
    EXPECT_LE((solution.r - c.r).norm(), 1e-14);
    EXPECT_LE((solution.u - c.u).norm(), 1e-14);
    ASSERT_EQ(solution.modes.size(), 1u);
    EXPECT_EQ(solution.modes[0].status, c.status);
    EXPECT_LE((solution.modes[0].direction - Eigen::Vector2d(c.direction, 0)).norm(), 1e-14);
  }
}

TEST(DeriveModes, ByHand) {
  // Straight from (r, u), without a solver.
  LocalProblem local;
  local.W = ContactMatrix(Matrix::Identity(6, 6), std::vector<int>{3, 2, 1});
  local.u_free = Vector::Constant(6, -2);
  const Cone circular{.kind = ConeKind::coulomb, .dim = 3, .mu = 0.5};
  local.cones = {circular, testing::planar_cone(0.5), Cone{}};
  Solution solution;
  solution.r.resize(6);
  solution.u.resize(6);
  solution.r << 2, -0.6, 0.8, 3, 0.1, 1;
  solution.u << 0, 0.3, -0.4, 0, 1e-12, 0;  // slip along (0.6, −0.8), round-off, frictionless
  derive_modes(local, solution);
  ASSERT_EQ(solution.modes.size(), 3u);
  EXPECT_EQ(solution.modes[0].status, ContactStatus::slip);
  EXPECT_LE((solution.modes[0].direction - Eigen::Vector2d(0.6, -0.8)).norm(), 1e-15);
  EXPECT_EQ(solution.modes[1].status, ContactStatus::stick);
  EXPECT_EQ(solution.modes[2].status, ContactStatus::slip);
  EXPECT_EQ(solution.modes[2].direction, Eigen::Vector2d(0, 0));
  solution.r.setZero();
  derive_modes(local, solution);
  for (const ContactMode& mode : solution.modes) EXPECT_EQ(mode.status, ContactStatus::open);
}

TEST(SolveWithModes, IsTheLcpSolutionInItsModes) {
  Random random(4);
  int counts[3] = {0, 0, 0};
  for (int trial = 0; trial < 300; ++trial) {
    const Problem problem = testing::make_problem(
        random, {.symmetric = trial % 2 == 0, .separate_directions = false, .max_contacts = 2});
    Reduction reduction;
    const Solution reference = solve(problem, reduction);
    for (const ContactMode& mode : reference.modes) ++counts[static_cast<int>(mode.status)];
    Solution solution;
    ASSERT_TRUE(solve_with_modes(reduction, reference.modes, solution)) << trial;
    EXPECT_LE((solution.r - reference.r).norm(), 1e-8 * (1 + reference.r.norm())) << trial;
    EXPECT_LE((solution.u - reference.u).norm(), 1e-8 * (1 + reference.u.norm())) << trial;
    EXPECT_LE((solution.v - reference.v).norm(), 1e-8 * (1 + reference.v.norm())) << trial;
    for (std::size_t c = 0; c < reference.modes.size(); ++c) {
      EXPECT_EQ(solution.modes[c].status, reference.modes[c].status);
      EXPECT_EQ(solution.modes[c].direction, reference.modes[c].direction);
    }
  }
  for (int count : counts) EXPECT_GT(count, 20);  // each mode was there
}

TEST(SolveWithModes, EquationsOfEveryMode) {
  // Any modes, also wrong ones: r and u obey (1) exactly as prescribed.
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = testing::make_problem(
        random, {.friction = testing::Friction::polyhedral, .max_contacts = 2, .solvable = false});
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    std::vector<ContactMode> modes;
    for (const Cone& cone : problem.cones) {
      ContactMode mode{.status = static_cast<ContactStatus>(random.integer(0, 2))};
      const double turn = cone.dim == 3 ? random.uniform(-3, 3) : random.integer(0, 1) * std::numbers::pi;
      mode.direction = {std::cos(turn), cone.dim == 3 ? std::sin(turn) : 0};
      modes.push_back(mode);
    }
    Solution solution;
    ASSERT_TRUE(solve_with_modes(reduction, modes, solution));
    const double tiny = 1e-9 * (1 + solution.r.norm());
    for (std::size_t c = 0; c < modes.size(); ++c) {
      const Cone& cone = problem.cones[c];
      const int row = problem.Ht.first_row(static_cast<int>(c));
      const Vector r = solution.r.segment(row, cone.dim), u = solution.u.segment(row, cone.dim);
      if (modes[c].status == ContactStatus::open) {
        EXPECT_EQ(r.norm(), 0);
      }
      if (modes[c].status == ContactStatus::stick) {
        EXPECT_LE(u.norm(), tiny);
      }
      if (modes[c].status == ContactStatus::slip) {
        EXPECT_LE(std::abs(u[0]), tiny);
        EXPECT_LE((tangential(cone, r) + cone.mu * r[0] * modes[c].direction).norm(), tiny);
      }
    }
    EXPECT_LE((solution.v - global_velocity(problem, solution.r)).norm(), tiny);
  }
}

// A particle with the same contact twice, offset velocities w.
Problem make_doubled(const Cone& cone, double w_second) {
  Problem problem = testing::make_particle(2, cone, Eigen::Vector2d(-1, 0.2));
  problem.Ht.add_group(cone.dim);
  auto block = problem.Ht.add_block(0, 2);
  block.row(0) << 0, 1;
  if (cone.dim == 2) block.row(1) << 1, 0;
  problem.w = Vector::Zero(2 * cone.dim);
  problem.w[cone.dim] = w_second;
  problem.cones = {cone, cone};
  return problem;
}

TEST(SolveWithModes, ContradictionIsReported) {
  const ContactMode stick{.status = ContactStatus::stick};
  Solution solution;
  Reduction reduction;
  for (double w : {0.1, 1e-3, -2.0}) {
    const Problem problem = make_doubled(testing::planar_cone(0.5), w);
    ASSERT_TRUE(reduction.compute(problem));
    EXPECT_FALSE(solve_with_modes(reduction, std::vector{stick, stick}, solution)) << w;
  }
  const Problem problem = make_doubled(testing::planar_cone(0.5), 0);
  ASSERT_TRUE(reduction.compute(problem));
  EXPECT_TRUE(solve_with_modes(reduction, std::vector{stick, stick}, solution));
}

TEST(SolveWithModes, RedundantContactsShareTheImpulse) {
  const Problem problem = make_doubled(testing::planar_cone(0.5), 0);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  const ContactMode stick{.status = ContactStatus::stick};
  Solution solution;
  ASSERT_TRUE(solve_with_modes(reduction, std::vector{stick, stick}, solution));
  EXPECT_LE((solution.r - Vector(Eigen::Vector4d(1, -0.2, 1, -0.2))).norm(), 1e-13);
  EXPECT_LE(solution.v.norm(), 1e-13);
}

TEST(SolveWithModes, TableOnFourLegs) {
  // Height and two tilts, four normal contacts: one impulse pattern (1, −1, 1, −1) does nothing. Among all
  // impulses that stop the table the smallest is taken, whatever the mass matrix.
  Random random(6);
  const ContactMode closed{.status = ContactStatus::slip};
  for (int trial = 0; trial < 50; ++trial) {
    Problem problem;
    problem.A = testing::to_block_matrix(testing::make_spd(random, 3));
    problem.p = random.vector(3);
    problem.Gt.clear(3);
    const double a = random.uniform(0.3, 2), b = random.uniform(0.3, 2);
    Matrix legs(4, 3);
    legs << 1, a, b, 1, -a, b, 1, -a, -b, 1, a, -b;
    problem.Ht = testing::to_block_rows(legs, {1, 1, 1, 1});
    problem.w = Vector::Zero(4);
    problem.cones.assign(4, Cone{});
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    Solution solution;
    ASSERT_TRUE(solve_with_modes(reduction, std::vector<ContactMode>(4, closed), solution)) << trial;
    EXPECT_LE(solution.u.norm(), 1e-12);
    EXPECT_LE(std::abs(solution.r[0] - solution.r[1] + solution.r[2] - solution.r[3]),
              1e-11 * solution.r.norm());
    EXPECT_LE((legs.transpose() * solution.r + problem.p).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace delassus::modes_test
