// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The factorisation by blocks on mechanisms of rigid bodies, against dense decompositions of the whole system; and what it
// refuses, so that others take it.
#include "delassus/linalg/block_kkt.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <string>

#include "../support/mechanism_problem.hpp"
#include "delassus/linalg/kkt.hpp"

namespace delassus::block_kkt_test {
namespace {

using testing::k_mechanism_shapes;
using testing::make_mechanism;
using testing::max_abs;
using testing::MechanismProblem;
using testing::Random;

// Rows to round-off (a row of a hub sums 5 terms a joint), solution to the condition.
void expect_solved(const MechanismProblem& m, BlockKkt& kkt, double solution_tolerance,
                   const std::string& what) {
  ASSERT_TRUE(m.compute(kkt)) << what;
  Vector v, lambda;
  ASSERT_TRUE(kkt.solve(m.p, m.g, v, lambda, KktAccuracy::round_off)) << what;
  EXPECT_LE(m.residual(v, lambda), 1e-14) << what;
  Vector b(m.p.size() + m.g.size());
  b << m.p, m.g;
  // Eleven bits more, so that the reference is right also with unscaled masses.
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const LongMatrix K = m.whole().cast<long double>();
  const Vector x = K.partialPivLu().solve(b.cast<long double>()).cast<double>();
  EXPECT_LE(max_abs(v - x.head(v.size())), solution_tolerance * max_abs(x.head(v.size()))) << what;
  EXPECT_LE(max_abs(lambda - x.tail(lambda.size())), solution_tolerance * max_abs(x.tail(lambda.size())))
      << what;
}

TEST(BlockKkt, Mechanisms) {
  Random random(1);
  for (const auto& shape : k_mechanism_shapes)
    for (int bodies : {4, 7, 15})  // rings of three hold a direction twice
      for (bool symmetric : {true, false})
        for (bool separate : {true, false})
          for (bool compliant : {true, false}) {
            const MechanismProblem m =
                make_mechanism(random, bodies, shape.joints(bodies),
                               {.symmetric = symmetric, .separate = separate, .compliant = compliant});
            BlockKkt kkt;
            // The condition of 15 links with random frames is below 1e5.
            expect_solved(m, kkt, 1e-10, shape.name + std::to_string(bodies));
          }
}

TEST(BlockKkt, MassRatios) {
  Random random(2);
  for (const auto& shape : k_mechanism_shapes)
    for (double ratio : {1e4, 1e6}) {
      const MechanismProblem m = make_mechanism(random, 15, shape.joints(15), {.mass_ratio = ratio});
      BlockKkt kkt;
      // The condition grows with the ratio.
      expect_solved(m, kkt, 1e-10 * ratio, shape.name + std::to_string(ratio));
    }
}

// Rows that no body has room for, as those of contacts.
TEST(BlockKkt, RowsThatCloseLoopsComeLast) {
  Random random(3);
  std::vector<std::pair<int, int>> joints = testing::chain(10);
  for (auto& [body, parent] : joints) parent = body == 0 ? -1 : (body - 1) / 2;  // a tree on the ground
  MechanismProblem m = make_mechanism(random, 10, joints, {});
  for (const int body : {7, 8, 9}) {
    m.R.add_group(2);
    m.R.add_block(6 * body, 6) = random.matrix(2, 6);
  }
  m.C = Vector::Zero(m.R.rows());
  m.g = random.vector(m.R.rows());
  BlockKkt kkt;
  expect_solved(m, kkt, 1e-9, "tree on three feet");
}

TEST(BlockKkt, RefusesDependentRows) {
  Random random(4);
  MechanismProblem m = make_mechanism(random, 6, testing::chain(6), {});
  BlockKkt kkt;
  ASSERT_TRUE(m.compute(kkt));
  m.R.add_group(m.R, 2, m.R.group_rows(2));
  m.C = Vector::Zero(m.R.rows());
  EXPECT_FALSE(m.compute(kkt)) << "a joint twice";
  m.C.tail(5).setOnes();
  EXPECT_TRUE(m.compute(kkt)) << "a joint twice, once compliant";
}

TEST(BlockKkt, RefusesWhatIsNotFinite) {
  Random random(5);
  const MechanismProblem good = make_mechanism(random, 4, testing::chain(4), {});
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    MechanismProblem m = good;
    m.A.add_block(6, 6, 6, 6).setConstant(wrong);
    BlockKkt kkt;
    EXPECT_FALSE(m.compute(kkt)) << wrong;
    m = good;
    m.R.add_group(1);
    m.R.add_block(0, 6).setConstant(wrong);
    m.C = Vector::Zero(m.R.rows());
    EXPECT_FALSE(m.compute(kkt)) << wrong << " in a row";
  }
}

TEST(BlockKkt, ResultsDoNotDependOnEarlierSystems) {
  Random random(6);
  const MechanismProblem first = make_mechanism(random, 9, testing::tree(9), {.symmetric = false}),
                         second = make_mechanism(random, 7, testing::star(7), {});
  BlockKkt fresh, used;
  ASSERT_TRUE(first.compute(used));
  ASSERT_TRUE(second.compute(used));
  ASSERT_TRUE(second.compute(fresh));
  Vector v, lambda, v_fresh, lambda_fresh;
  ASSERT_TRUE(used.solve(second.p, second.g, v, lambda, KktAccuracy::round_off));
  ASSERT_TRUE(fresh.solve(second.p, second.g, v_fresh, lambda_fresh, KktAccuracy::round_off));
  EXPECT_EQ(v, v_fresh);
  EXPECT_EQ(lambda, lambda_fresh);
}

TEST(BlockKkt, SeesWhetherTheSymmetricPartIsDefinite) {
  Random random(7);
  MechanismProblem m = make_mechanism(random, 5, {}, {.symmetric = false});
  BlockKkt kkt;
  bool usable = false;
  EXPECT_TRUE(kkt.find_definite(m.A, 1e-14, usable));
  EXPECT_TRUE(usable);
  // A coupling of two bodies, in one of its two places: (A + Aᵀ)/2 has half of it in both.
  double smallest = 0;
  for (double coupling : {0.1, 1.0, 10.0, 100.0}) {
    BlockMatrix A = m.A;
    A.add_block(0, 12, 6, 6) = coupling * Matrix::Identity(6, 6);
    const Matrix dense = testing::dense(A);
    const double eigenvalue =
        Eigen::SelfAdjointEigenSolver<Matrix>(0.5 * (dense + dense.transpose())).eigenvalues()[0];
    EXPECT_EQ(kkt.find_definite(A, 1e-14, usable), eigenvalue > 0) << coupling;
    smallest = std::min(smallest, eigenvalue);
  }
  EXPECT_LT(smallest, 0) << "nothing was refused";
  m.A.add_block(0, 3, 6, 6).setZero();
  EXPECT_FALSE(kkt.find_definite(m.A, 1e-14, usable));
  EXPECT_FALSE(usable) << "a cell of nine velocities";
}

// The whole system takes this way, with the same answer as the others give.
TEST(BlockKkt, IsWhatMechanismsGet) {
  Random random(8);
  const MechanismProblem m = make_mechanism(random, 13, testing::tree(13), {.symmetric = false});
  KktFactor kkt;
  SparseKkt sparse;
  ASSERT_TRUE(kkt.compute(m.A, false, m.R, nullptr, m.C, 20));
  ASSERT_TRUE(m.compute(sparse));
  Vector v, lambda, v_sparse, lambda_sparse;
  kkt.solve(m.p, m.g, v, lambda);
  sparse.solve(m.p, m.g, v_sparse, lambda_sparse);
  EXPECT_LE(max_abs(v - v_sparse), 1e-11 * max_abs(v));
  EXPECT_LE(max_abs(lambda - lambda_sparse), 1e-11 * max_abs(lambda));
  const Matrix P = random.matrix(m.A.size(), 5);
  Matrix X, X_sparse;
  kkt.solve_homogeneous(P, X);
  sparse.solve_homogeneous(P, X_sparse);
  EXPECT_LE(max_abs(X - X_sparse), 1e-11 * max_abs(X));
}

}  // namespace
}  // namespace delassus::block_kkt_test
