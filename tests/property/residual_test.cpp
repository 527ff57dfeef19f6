// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The yardstick: zero on exact solutions, proportional to what is wrong, blind to the choice of units, and
// never satisfied by what is not a number.
#include "delassus/problems/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/random_problem.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"

namespace delassus::residual_test {
namespace {

using testing::Random;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

Cone coulomb_cone(double mu, int dim = 3) {
  return {.kind = ConeKind::coulomb, .dim = dim, .mu = mu};
}

// One contact with r and u; velocities in m/s.
double error_of(const Cone& cone, double mass, std::initializer_list<double> r,
                std::initializer_list<double> u) {
  const Vector r_vector = Eigen::Map<const Vector>(r.begin(), static_cast<Eigen::Index>(r.size()));
  const Vector u_vector = Eigen::Map<const Vector>(u.begin(), static_cast<Eigen::Index>(u.size()));
  return contact_error(cone, mass, r_vector, u_vector);
}

TEST(ContactError, ZeroOnTheLaw) {
  for (double mass : {0.1, 1.0, 30.0}) {
    // open, closed without load, pressed
    EXPECT_EQ(error_of(Cone{}, mass, {0}, {2}), 0);
    EXPECT_EQ(error_of(Cone{}, mass, {0}, {0}), 0);
    EXPECT_EQ(error_of(Cone{}, mass, {2}, {0}), 0);
    for (const Cone& cone :
         {coulomb_cone(0.5), testing::spatial_cone(0.5, 4), testing::spatial_cone(0.5, 8)}) {
      EXPECT_NEAR(error_of(cone, mass, {0, 0, 0}, {2, 1, -1}), 0, 1e-14) << "open, any slip";
      EXPECT_NEAR(error_of(cone, mass, {2, 0.3, -0.4}, {0, 0, 0}), 0, 1e-14) << "stick";
      EXPECT_NEAR(error_of(cone, mass, {2, -1, 0}, {0, 3, 0}), 0, 1e-14) << "slip against the friction";
      EXPECT_NEAR(error_of(cone, mass, {2, 0, 1}, {0, 0, -0.1}), 0, 1e-14);
    }
    // Slip along (0.6, 0.8): exact for the circle only.
    EXPECT_NEAR(error_of(coulomb_cone(0.5), mass, {2, -0.6, -0.8}, {0, 0.3, 0.4}), 0, 1e-14);
    EXPECT_GT(error_of(testing::spatial_cone(0.5, 4), mass, {2, -0.6, -0.8}, {0, 0.3, 0.4}), 1e-3);
    for (const Cone& cone : {coulomb_cone(0.5, 2), testing::planar_cone(0.5)}) {
      EXPECT_NEAR(error_of(cone, mass, {2, -1}, {0, 0.7}), 0, 1e-14);
      EXPECT_NEAR(error_of(cone, mass, {2, 1}, {0, -0.7}), 0, 1e-14);
      EXPECT_NEAR(error_of(cone, mass, {2, 0.9}, {0, 0}), 0, 1e-14);
    }
  }
}

TEST(ContactError, SizeOfNormalViolations) {
  for (const Cone& cone : {Cone{}, testing::planar_cone(0.5)}) {
    const auto error = [&](double r, double u) {
      return cone.dim == 1 ? error_of(cone, 2, {r}, {u}) : error_of(cone, 2, {r, 0}, {u, 0});
    };
    EXPECT_NEAR(error(0, -0.25), 0.25, 1e-15) << "penetrating velocity";
    EXPECT_NEAR(error(-0.5, 0.1), 0.25, 1e-15) << "pulls: 0.5 N·s / 2 kg";
    EXPECT_NEAR(error(0.5, 1), 0.25, 1e-15) << "pushes while separating";
    EXPECT_NEAR(error(10, 0.25), 0.25, 1e-15);
  }
}

TEST(ContactError, SizeOfFrictionViolations) {
  // Friction outside of the cone by 0.5 N·s: 0.25 m/s for 2 kg.
  EXPECT_NEAR(error_of(testing::planar_cone(0.5), 2, {2, 1.5}, {0, 0}), 0.25, 1e-15);
  // No friction while slipping at 1 m/s: missing dissipation μ r_N |u_T| = 1 over max(‖r‖, ρ‖u‖) = 2.
  EXPECT_NEAR(error_of(testing::planar_cone(0.5), 2, {2, 0}, {0, 1}), 0.5, 1e-15);
  // Friction that drives the slip: 1 + 1, over √5.
  EXPECT_NEAR(error_of(testing::planar_cone(0.5), 2, {2, 1}, {0, 1}), 2 / std::sqrt(5.0), 1e-15);
}

TEST(ContactError, CoulombNaturalMap) {
  // Worked by hand, mass 1. No impulse and approach at 1: x = r − u = (1, 0, 0) lies in the cone.
  EXPECT_NEAR(error_of(coulomb_cone(0.5), 1, {0, 0, 0}, {-1, 0, 0}), 1, 1e-15);
  // Pulling impulse, separating: projection of −3 is 0.
  EXPECT_NEAR(error_of(coulomb_cone(0.5), 1, {-1, 0, 0}, {2, 0, 0}), 1, 1e-15);
  // Friction beyond the cone at rest, r = (1, 1, 0), μ = 1/2: projected onto the axis (2, 1)/√5, distance of
  // (1, 1) to the line x_T = x_N/2 is |2·1 − 1|/√5.
  EXPECT_NEAR(error_of(coulomb_cone(0.5), 1, {1, 1, 0}, {0, 0, 0}), 1 / std::sqrt(5.0), 1e-15);
  // Sliding at 2 without friction, r = (1, 0, 0): De Saxcé shift x = (1 − 1, −2, 0). Projection onto the
  // cone: normal (0 + 0.5·2)/1.25 = 0.8, tangent −0.4. Distance to r: ‖(0.2, 0.4)‖.
  EXPECT_NEAR(error_of(coulomb_cone(0.5), 1, {1, 0, 0}, {0, 2, 0}), std::hypot(0.2, 0.4), 1e-15);
  // Impulses count by the mass.
  EXPECT_NEAR(error_of(coulomb_cone(0.5), 4, {4, 0, 0}, {0, 2, 0}), std::hypot(0.2, 0.4), 1e-15);
  // Turning the tangent frame changes nothing.
  EXPECT_NEAR(error_of(coulomb_cone(0.5), 1, {1, 0, 0}, {0, 1.2, -1.6}), std::hypot(0.2, 0.4), 1e-15);
}

TEST(ContactError, ProjectionIsTheNearestPointOfTheCone) {
  // With u = 0 the error is the distance of r to the cone: compare with a scan over it.
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const double mu = random.uniform(0.1, 1.5);
    const double r_N = random.uniform(-1, 1), r_T = random.uniform(0, 1);
    double nearest = std::hypot(r_N, r_T);
    for (int i = 0; i <= 400; ++i)
      for (int j = 0; j <= 400; ++j) {
        const double n = 2.0 * i / 400, t = mu * n * j / 400;
        nearest = std::min(nearest, std::hypot(n - r_N, t - r_T));
      }
    EXPECT_NEAR(error_of(coulomb_cone(mu), 1, {r_N, r_T * 0.6, r_T * 0.8}, {0, 0, 0}), nearest, 0.01);
  }
}

TEST(ContactError, ProportionalToThePerturbation) {
  Random random(2);
  for (const Cone& cone : {coulomb_cone(0.5), testing::spatial_cone(0.5, 8)}) {
    const Vector r = Eigen::Vector3d(2, -1, 0), u = Eigen::Vector3d(0, 3, 0);
    for (int trial = 0; trial < 20; ++trial) {
      const Vector dr = random.vector(3), du = random.vector(3);
      const double first = contact_error(cone, 1.5, r + 1e-4 * dr, u + 1e-4 * du);
      const double second = contact_error(cone, 1.5, r + 1e-6 * dr, u + 1e-6 * du);
      EXPECT_GT(first, 0);
      EXPECT_LT(first, 1e-3);
      EXPECT_NEAR(first / second, 100, 5);
    }
  }
}

struct Solved {
  Problem problem;
  Reduction reduction;
  Solution solution;
  Residual residual() const { return compute_residual(problem, reduction, solution); }
};

void solve(Solved& s) {
  ASSERT_TRUE(s.reduction.compute(s.problem));
  LemkeSolver solver;
  SolveStats stats;
  delassus::solve(solver, s.reduction, {}, s.solution, stats);
  ASSERT_EQ(stats.status, SolveStatus::converged);
}

testing::RandomProblemOptions options_of(int trial) {
  return {.symmetric = trial % 2 == 0, .separate_directions = false, .max_contacts = 3};
}

TEST(Residual, ZeroOnSolutions) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Solved s;
    s.problem = testing::make_problem(random, options_of(trial));
    solve(s);
    const Residual residual = s.residual();
    EXPECT_LE(residual.momentum, 1e-13);
    EXPECT_LE(residual.joints, 1e-13);
    EXPECT_LE(residual.contact, 1e-9);
    EXPECT_GE(residual.worst_contact, 0);
  }
}

TEST(Residual, SeparateDirections) {
  // Momentum with the directions, velocities with the rows; the impulses themselves need not solve anything.
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    Solved s;
    s.problem = testing::make_problem(random, {.separate_directions = true, .solvable = false});
    ASSERT_TRUE(s.reduction.compute(s.problem));
    s.reduction.recover(random.vector(s.problem.Ht.rows()), s.solution);
    EXPECT_LE(s.residual().momentum, 1e-13);
    EXPECT_LE(s.residual().joints, 1e-13);
    Problem wrong = s.problem;
    wrong.separate_directions = false;
    EXPECT_GT(compute_residual(wrong, s.reduction, s.solution).momentum, 1e-4);
  }
}

TEST(Residual, ProportionalToThePerturbation) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    Solved s;
    s.problem = testing::make_problem(random, options_of(trial));
    solve(s);
    const Vector dv = random.vector(s.solution.v.size());
    const Solution exact = s.solution;
    const auto perturbed = [&](double size) {
      s.solution = exact;
      s.solution.v += size * dv;
      return s.residual();
    };
    const Residual large = perturbed(1e-4), small = perturbed(1e-6);
    EXPECT_NEAR(large.momentum / small.momentum, 100, 2);
    if (s.problem.Gt.rows() > 0) {
      EXPECT_NEAR(large.joints / small.joints, 100, 2);
    }
    EXPECT_EQ(large.contact, small.contact) << "r and u are given apart";
  }
}

TEST(Residual, FindsTheWorstContact) {
  Random random(6);
  Solved s;
  s.problem = testing::make_problem(random, {.friction = testing::Friction::none, .max_contacts = 1});
  Problem& problem = s.problem;
  const int nv = problem.A.size();
  problem.Ht = testing::to_block_rows(Matrix::Identity(3, nv), {1, 1, 1});
  problem.w = Vector::Zero(3);
  problem.cones.assign(3, Cone{});
  solve(s);
  s.solution.u[1] = s.solution.r[1] = -1;
  EXPECT_EQ(s.residual().worst_contact, 1);
  EXPECT_GT(s.residual().contact, 0.01);
}

TEST(Residual, NoContacts) {
  Random random(7);
  Solved s;
  s.problem = testing::make_problem(random);
  s.problem.Ht.clear(s.problem.A.size());
  s.problem.w.resize(0);
  s.problem.cones.clear();
  solve(s);
  EXPECT_EQ(s.residual().contact, 0);
  EXPECT_EQ(s.residual().worst_contact, -1);
  EXPECT_LE(s.residual().momentum, 1e-13);
}

// The same problem with masses in a unit 1/mass_unit of a kilogram and times in 1/time_unit of a second:
// masses times mass_unit, velocities divided by time_unit.
Problem in_units(const Problem& problem, double mass_unit, double time_unit) {
  Problem out = problem;
  out.A = testing::to_block_matrix(mass_unit * testing::dense(problem.A));
  out.p = problem.p * mass_unit / time_unit;
  out.g = problem.g / time_unit;
  out.C = problem.C / mass_unit;
  out.w = problem.w / time_unit;
  for (Cone& cone : out.cones) cone.extra_normal *= mass_unit / time_unit;
  return out;
}

TEST(Residual, BlindToUnits) {
  // Powers of two change no digit, so that the residuals agree in every bit.
  Random random(8);
  for (int trial = 0; trial < 50; ++trial) {
    Solved s;
    s.problem = testing::make_problem(
        random, {.friction = trial % 2 == 0 ? testing::Friction::polyhedral : testing::Friction::coulomb,
                 .symmetric = trial % 3 == 0,
                 .solvable = false});
    ASSERT_TRUE(s.reduction.compute(s.problem));
    s.reduction.recover(random.vector(s.problem.Ht.rows()).cwiseAbs(), s.solution);
    s.solution.v += 1e-3 * random.vector(s.solution.v.size());
    const Residual reference = s.residual();
    EXPECT_GT(reference.momentum, 1e-8);
    EXPECT_GT(reference.contact, 1e-8);
    for (double mass_unit : {0x1p-10, 0x1p20})
      for (double time_unit : {0x1p-7, 0x1p12}) {
        Solved other;
        other.problem = in_units(s.problem, mass_unit, time_unit);
        ASSERT_TRUE(other.reduction.compute(other.problem));
        other.solution.v = s.solution.v / time_unit;
        other.solution.u = s.solution.u / time_unit;
        other.solution.r = s.solution.r * (mass_unit / time_unit);
        other.solution.lambda = s.solution.lambda * (mass_unit / time_unit);
        const Residual residual = other.residual();
        EXPECT_NEAR(residual.momentum, reference.momentum, 1e-12 * reference.momentum);
        EXPECT_NEAR(residual.joints, reference.joints, 1e-12 * reference.joints);
        EXPECT_NEAR(residual.contact, reference.contact, 1e-12 * reference.contact);
        EXPECT_EQ(residual.worst_contact, reference.worst_contact);
      }
  }
}

TEST(Residual, NotANumberIsNeverSmall) {
  Random random(9);
  for (testing::Friction friction :
       {testing::Friction::none, testing::Friction::polyhedral, testing::Friction::coulomb})
    for (int trial = 0; trial < 20; ++trial) {
      Solved s;
      s.problem = testing::make_problem(random, {.friction = friction});
      ASSERT_TRUE(s.reduction.compute(s.problem));
      s.reduction.recover(Vector::Zero(s.problem.Ht.rows()), s.solution);
      const Solution exact = s.solution;
      const auto spoiled = [&](Vector Solution::*part) {
        s.solution = exact;
        Vector& values = s.solution.*part;
        values[random.integer(0, static_cast<int>(values.size()) - 1)] = k_nan;
        return s.residual();
      };
      EXPECT_FALSE(spoiled(&Solution::v).momentum <= 1);
      EXPECT_FALSE(spoiled(&Solution::r).momentum <= 1);
      EXPECT_FALSE(spoiled(&Solution::r).contact <= 1e10);
      EXPECT_FALSE(spoiled(&Solution::u).contact <= 1e10);
      if (s.problem.Gt.rows() == 0) continue;
      EXPECT_FALSE(spoiled(&Solution::lambda).momentum <= 1);
      EXPECT_FALSE(spoiled(&Solution::v).joints <= 1);
    }
}

}  // namespace
}  // namespace delassus::residual_test
