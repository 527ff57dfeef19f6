// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/least_forces.hpp"

#include <gtest/gtest.h>

#include "delassus/problems/residual.hpp"

namespace delassus::least_forces_test {
namespace {

// A particle in a plane held by two contacts, both with the normal y: u = 0 under the impulse −(3, 10).
Problem two_contacts(double mu_1, double mu_2) {
  Problem problem;
  problem.A.clear(2);
  problem.A.add_block(0, 0, 2, 2) = Matrix::Identity(2, 2);
  problem.p = Eigen::Vector2d(-3, -10);
  problem.Gt.clear(2);
  problem.Ht.clear(2);
  for (double mu : {mu_1, mu_2}) {
    problem.Ht.add_group(2);
    problem.Ht.add_block(0, 2) << 0, 1, 1, 0;
    problem.cones.push_back({.kind = ConeKind::coulomb, .dim = 2, .mu = mu});
  }
  problem.w = Vector::Zero(4);
  return problem;
}

Solution solution_of(const Reduction& reduction, const Vector& r) {
  Solution solution;
  reduction.recover(r, solution);
  solution.modes.assign(reduction.local().cones.size(), {.status = ContactStatus::stick});
  return solution;
}

TEST(LeastForces, SharesEvenlyInsideOfTheCones) {
  const Problem problem = two_contacts(0.8, 1.0);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Solution solution = solution_of(reduction, Eigen::Vector4d(9, 2.5, 1, 0.5));
  LeastForces least;
  ASSERT_TRUE(least.apply(reduction, solution));
  EXPECT_LT((solution.r - Eigen::Vector4d(5, 1.5, 5, 1.5)).norm(), 1e-13);
  EXPECT_LT(solution.u.norm(), 1e-13);
  EXPECT_EQ(least.shared_contacts(), (std::vector<char>{1, 1}));
}

// With μ = 0.1 the first is at its limit, T = 0.1 N, and 1.01 N² + (3 − 0.1 N)² + (10 − N)² is least at N = 20.6/4.04.
TEST(LeastForces, KeepsWithinTheCones) {
  const Problem problem = two_contacts(0.1, 1.0);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Solution solution = solution_of(reduction, Eigen::Vector4d(1, 0.05, 9, 2.95));
  LeastForces least;
  ASSERT_TRUE(least.apply(reduction, solution));
  const double n = 20.6 / 4.04;
  EXPECT_LT((solution.r - Eigen::Vector4d(n, 0.1 * n, 10 - n, 3 - 0.1 * n)).norm(), 1e-12);
  EXPECT_LT(compute_residual(problem, reduction, solution).contact, 1e-13);
}

// A contact that had touched without force takes its share, and is closed then.
TEST(LeastForces, ContactsWithoutForceTakeTheirShare) {
  const Problem problem = two_contacts(0.8, 1.0);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Solution solution = solution_of(reduction, Eigen::Vector4d(0, 0, 10, 3));
  solution.modes[0] = {};
  LeastForces least;
  ASSERT_TRUE(least.apply(reduction, solution));
  EXPECT_LT((solution.r - Eigen::Vector4d(5, 1.5, 5, 1.5)).norm(), 1e-13);
  EXPECT_EQ(solution.modes[0].status, ContactStatus::stick);
}

// The joint holds x: friction along it has nothing to do, whatever the solver says.
TEST(LeastForces, JointsTakeWhatTheyHold) {
  Problem problem = two_contacts(0.8, 1.0);
  problem.Gt.add_group(1);
  problem.Gt.add_block(0, 2) << 2, 0;
  problem.g = problem.C = Vector::Zero(1);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Solution solution = solution_of(reduction, Eigen::Vector4d(4, -2, 6, 1));
  LeastForces least;
  ASSERT_TRUE(least.apply(reduction, solution));
  EXPECT_LT((solution.r - Eigen::Vector4d(5, 0, 5, 0)).norm(), 1e-13);
  EXPECT_NEAR(solution.lambda[0], 1.5, 1e-13);
  EXPECT_EQ(least.shared_rows(), (std::vector<char>{1}));
}

// Sliding contacts keep their friction, those that open have none.
TEST(LeastForces, SlidingContactsStayOnTheirCones) {
  Problem problem = two_contacts(0.2, 0.2);
  problem.p.x() = 5;
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  Solution solution = solution_of(reduction, Eigen::Vector4d(8, -1.6, 2, -0.4));
  LeastForces least;
  ASSERT_TRUE(least.apply(reduction, solution));
  EXPECT_LT((solution.r - Eigen::Vector4d(5, -1, 5, -1)).norm(), 1e-12);
}

TEST(LeastForces, UniqueForcesStayBitForBit) {
  Problem problem = two_contacts(0.2, 0.2);
  problem.w[2] = 1;  // the second opens
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  const Vector r = Eigen::Vector4d(10, 2, 0, 0);
  Solution solution = solution_of(reduction, r);
  LeastForces least;
  EXPECT_FALSE(least.apply(reduction, solution));
  EXPECT_EQ(solution.r, r);
  EXPECT_EQ(least.shared_contacts(), (std::vector<char>{0, 0}));
}

}  // namespace
}  // namespace delassus::least_forces_test
