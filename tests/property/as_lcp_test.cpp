// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The local problem as an LCP: solutions found by pivoting obey the polyhedral law, checked without the LCP.
#include "delassus/problems/as_lcp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "../support/random_problem.hpp"
#include "delassus/problems/reduction.hpp"
#include "delassus/solvers/lcp/lemke.hpp"

namespace delassus::as_lcp_test {
namespace {

using testing::Random;

struct Answer {
  Vector r, u;
};

Answer solve(const LocalProblem& local) {
  Lcp lcp;
  local_as_lcp(local, lcp);
  Lemke lemke;
  Vector z, w;
  LcpBasis basis;
  SolveStats stats;
  lemke.solve(lcp, nullptr, z, w, basis, stats);
  EXPECT_EQ(stats.status, SolveStatus::converged);
  Answer answer;
  impulses_from_lcp(local, z, answer.r);
  answer.u = local.W * answer.r + local.u_free;
  return answer;
}

// A particle of unit mass: W = 1.
LocalProblem make_local(const Cone& cone, const Vector& u_free) {
  LocalProblem local;
  local.W = ContactMatrix(Matrix::Identity(cone.dim, cone.dim), std::vector<int>{cone.dim});
  local.u_free = u_free;
  local.cones = {cone};
  return local;
}

TEST(LocalAsLcp, StickSlipThresholdInThePlane) {
  // The normal impulse is 1; the contact sticks exactly up to |u_free_T| = μ.
  constexpr double mu = 0.4;
  for (double side : {1.0, -1.0})
    for (double speed : {0.0, 0.1, 0.399, 0.4, 0.401, 1.0, 30.0}) {
      const Answer answer = solve(make_local(testing::planar_cone(mu), Eigen::Vector2d(-1, side * speed)));
      EXPECT_NEAR(answer.r[0], 1, 1e-14);
      EXPECT_NEAR(answer.u[0], 0, 1e-14);
      EXPECT_NEAR(answer.r[1], -side * std::min(speed, mu), 1e-13);
      EXPECT_NEAR(answer.u[1], side * std::max(speed - mu, 0.0), 1e-13);
    }
}

TEST(LocalAsLcp, OpenContact) {
  for (const Cone& cone : {Cone{}, testing::planar_cone(0.4), testing::spatial_cone(0.4, 6)}) {
    const Vector u_free = Vector(Eigen::Vector3d(0.2, -1, 3)).head(cone.dim);
    const Answer answer = solve(make_local(cone, u_free));
    EXPECT_EQ(answer.r.norm(), 0);
    EXPECT_EQ(answer.u, u_free);
  }
}

TEST(LocalAsLcp, FrictionlessContactIsANormalImpulse) {
  EXPECT_NEAR(solve(make_local(Cone{}, Vector::Constant(1, -2))).r[0], 2, 1e-14);
  const Answer answer = solve(make_local(testing::spatial_cone(0, 4), Eigen::Vector3d(-2, 1, 1)));
  EXPECT_NEAR(answer.r[0], 2, 1e-14);
  EXPECT_NEAR(answer.r.tail(2).norm(), 0, 1e-14);
}

TEST(LocalAsLcp, FrictionOpposesSlipAlongAGenerator) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const double angle = random.uniform(-3, 3), speed = random.uniform(0.5, 2);
    const int m = 2 * random.integer(2, 8);
    const Eigen::Vector2d d(std::cos(angle), std::sin(angle));
    const Answer answer = solve(
        make_local(testing::spatial_cone(0.3, m, angle), Eigen::Vector3d(-1, speed * d.x(), speed * d.y())));
    EXPECT_LE((Eigen::Vector2d(answer.r.tail(2)) + 0.3 * d).norm(), 1e-13);
    EXPECT_LE((Eigen::Vector2d(answer.u.tail(2)) - (speed - 0.3) * d).norm(), 1e-13);
  }
}

TEST(LocalAsLcp, ExtraNormalImpulseRaisesTheBound) {
  // r_N = 1 and c₀ = 0.5: the bound is μ · 1.5; an open contact still rubs with μ · 0.5.
  Cone cone = testing::planar_cone(0.4);
  cone.extra_normal = 0.5;
  EXPECT_NEAR(solve(make_local(cone, Eigen::Vector2d(-1, 0.59))).u[1], 0, 1e-14);
  EXPECT_NEAR(solve(make_local(cone, Eigen::Vector2d(-1, 2))).r[1], -0.6, 1e-14);
  const Answer open = solve(make_local(cone, Eigen::Vector2d(1, 2)));
  EXPECT_EQ(open.r[0], 0);
  EXPECT_NEAR(open.r[1], -0.2, 1e-14);
}

// Support and gauge written out: nothing from cone.cpp.
std::vector<Eigen::Vector2d> generators(const Cone& cone) {
  std::vector<Eigen::Vector2d> out;
  const int m = cone.dim == 2 ? 2 : cone.num_directions;
  const double start = cone.dim == 2 ? 0 : cone.angle;
  for (int i = 0; i < m; ++i) {
    const double turn = start + 2 * std::numbers::pi * i / m;
    out.emplace_back(std::cos(turn), cone.dim == 2 ? 0 : std::sin(turn));
  }
  return out;
}

TEST(LocalAsLcp, RandomProblemsObeyTheLaw) {
  Random random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Problem problem = testing::make_problem(random, {.symmetric = trial % 2 == 0, .max_contacts = 4});
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    const Answer answer = solve(reduction.local());
    const double tiny = 1e-9 * (1 + answer.r.norm() + answer.u.norm());
    for (int c = 0; c < problem.num_contacts(); ++c) {
      const Cone& cone = problem.cones[c];
      const int row = problem.Ht.first_row(c);
      const double r_N = answer.r[row], u_N = answer.u[row];
      EXPECT_GE(r_N, 0);
      EXPECT_GE(u_N, -tiny);
      EXPECT_LE(r_N * u_N, tiny);
      if (cone.kind == ConeKind::nonnegative) continue;
      const Eigen::Vector2d r_T = tangential(cone, answer.r.segment(row, cone.dim));
      const Eigen::Vector2d u_T = tangential(cone, answer.u.segment(row, cone.dim));
      // r_T dissipates at least as much as every vertex of μ r_N conv{d_i}, and is inside: no half plane that
      // contains all vertices leaves it out.
      double most = 0;
      for (const Eigen::Vector2d& d : generators(cone)) most = std::max(most, -cone.mu * r_N * d.dot(u_T));
      EXPECT_NEAR(-u_T.dot(r_T), most, tiny);
      for (int i = 0; i < 100; ++i) {
        const Eigen::Vector2d y(std::cos(0.1 * i), std::sin(0.1 * i));
        double reach = 0;
        for (const Eigen::Vector2d& d : generators(cone)) reach = std::max(reach, cone.mu * r_N * d.dot(y));
        EXPECT_LE(r_T.dot(y), reach + tiny);
      }
    }
  }
}

TEST(LocalAsLcp, MatrixAndRightSide) {
  // Rows (1)-(3) for z chosen at random: w must be what the header says.
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Problem problem =
        testing::make_problem(random, {.symmetric = false, .max_contacts = 4, .solvable = false});
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    const LocalProblem& local = reduction.local();
    Lcp lcp;
    local_as_lcp(local, lcp);
    const Vector z = random.vector(lcp.size());
    const Vector w = lcp.M * z + lcp.q;
    Vector r;
    impulses_from_lcp(local, z, r);
    const Vector u = local.W * r + local.u_free;
    int i = 0;
    for (int c = 0; c < problem.num_contacts(); ++c) {
      const Cone& cone = problem.cones[c];
      const int row = local.first_row(c);
      EXPECT_NEAR(r[row], z[i], 1e-14);
      EXPECT_NEAR(w[i], u[row], 1e-11);
      if (cone.kind == ConeKind::polyhedral) {
        const int m = cone.num_directions;
        const double lambda = z[i + m + 1];
        double sum = 0;
        Eigen::Vector2d r_T = Eigen::Vector2d::Zero();
        for (int k = 0; k < m; ++k) {
          const Eigen::Vector2d d = generators(cone)[k];
          const double beta = z[i + 1 + k];
          EXPECT_NEAR(w[i + 1 + k], d.dot(tangential(cone, u.segment(row, cone.dim))) + lambda, 1e-11);
          sum += beta;
          r_T += beta * d;
        }
        EXPECT_NEAR(w[i + m + 1], cone.mu * z[i] - sum, 1e-12);
        EXPECT_LE((r_T - tangential(cone, r.segment(row, cone.dim))).norm(), 1e-12);
      }
      i += lcp_size(cone);
    }
    EXPECT_EQ(i, lcp.size());
  }
}

TEST(LocalAsLcp, RefusesCircularCones) {
  Lcp lcp;
  const Cone circular{.kind = ConeKind::coulomb, .dim = 2, .mu = 0.4};
  EXPECT_THROW(local_as_lcp(make_local(circular, Eigen::Vector2d(-1, 0)), lcp), std::invalid_argument);
}

TEST(LocalAsLcp, NoContacts) {
  Lcp lcp;
  local_as_lcp({}, lcp);
  EXPECT_EQ(lcp.size(), 0);
}

}  // namespace
}  // namespace delassus::as_lcp_test
