// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Smallest corrections against a dense solution, with rows that depend on each other and rows that push.
#include "delassus/linalg/least_correction.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace delassus::least_correction_test {
namespace {

// Bodies in a row, each tied to the next by some rows.
struct Chain {
  BlockMatrix M;
  BlockRows R;
  Matrix dense_M, dense_R;

  // Pushing rows are one a group; equations three. `copies`: each row is there so often.
  Chain(int bodies, int ties, int rows_per_tie, int copies, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    M.clear(6 * bodies);
    for (int k = 0; k < bodies; ++k) {
      auto block = M.add_block(6 * k, 6 * k, 6, 6);
      Matrix A = Matrix::NullaryExpr(6, 6, [&] { return uniform(random); });
      block = std::pow(10.0, uniform(random)) * (A * A.transpose() + 0.1 * Matrix::Identity(6, 6));
    }
    R.clear(6 * bodies);
    for (int k = 0; k + 1 < bodies; ++k)
      for (int t = 0; t < ties; ++t) {
        const Matrix left = Matrix::NullaryExpr(rows_per_tie, 6, [&] { return uniform(random); });
        const Matrix right = Matrix::NullaryExpr(rows_per_tie, 6, [&] { return uniform(random); });
        for (int copy = 0; copy < copies; ++copy) {
          R.add_group(rows_per_tie);
          R.add_block(6 * k, 6) = left;
          R.add_block(6 * (k + 1), 6) = right;
        }
      }
    M.to_dense(dense_M);
    Matrix transposed;
    R.to_dense_transposed(transposed);
    dense_R = transposed.transpose();
  }
  // δ = M⁻¹ Rᵀ (R M⁻¹ Rᵀ)⁺ b
  Vector smallest(const Vector& b) const {
    const Matrix lifted = dense_M.llt().solve(dense_R.transpose());
    return lifted * (dense_R * lifted).completeOrthogonalDecomposition().solve(b);
  }
};

TEST(LeastCorrection, IsTheSmallestOne) {
  const Chain chain(8, 1, 3, 1, 1);
  const Vector b = Vector::LinSpaced(chain.R.rows(), -1, 2);
  LeastCorrection correction;
  Vector delta, lambda;
  ASSERT_TRUE(correction.solve(chain.M, chain.R, b, 1e-13, delta, lambda));
  EXPECT_LT((delta - chain.smallest(b)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((chain.dense_M * delta - chain.dense_R.transpose() * lambda).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(correction.factorizations(), 1);
}

TEST(LeastCorrection, RowsMayDependOnEachOther) {
  // 3 × 3 rows between two bodies, each there twice: 126 rows for 48 velocities, of rank 42.
  const Chain chain(8, 3, 3, 2, 2);
  ASSERT_GT(chain.R.rows(), chain.R.columns());
  const Vector b = chain.dense_R * Vector::LinSpaced(chain.R.columns(), -1, 1);
  LeastCorrection correction;
  Vector delta, lambda;
  ASSERT_TRUE(correction.solve(chain.M, chain.R, b, 1e-12, delta, lambda));
  EXPECT_LT((delta - chain.smallest(b)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LeastCorrection, ContradictionsAreRefused) {
  const Chain chain(3, 1, 3, 2, 3);
  Vector b = Vector::Zero(chain.R.rows());
  b[0] = 1;  // and its copy stays zero
  LeastCorrection correction;
  Vector delta, lambda;
  EXPECT_FALSE(correction.solve(chain.M, chain.R, b, 1e-12, delta, lambda));
  // A gap of 1 at least on one row, and of −1 at most on the same row turned round.
  Chain pushing(2, 1, 1, 1, 3);
  pushing.R.add_group(1);
  pushing.R.add_block(0, 6) = -pushing.dense_R.leftCols(6);
  pushing.R.add_block(6, 6) = -pushing.dense_R.rightCols(6);
  EXPECT_FALSE(correction.solve_pushing(pushing.M, pushing.R, Vector::Ones(2), 0, 1e-9, delta, lambda));
}

TEST(LeastCorrection, AlongDirections) {
  const Chain chain(6, 2, 2, 1, 4);
  BlockRows D = chain.R;
  Matrix dense_D = chain.dense_R;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-0.2, 0.2);
  for (int g = 0; g < D.num_groups(); ++g)
    for (int k = 0; k < 2; ++k) {
      auto block = D.block(g, k);
      for (Eigen::Index i = 0; i < block.rows(); ++i)
        for (Eigen::Index j = 0; j < block.cols(); ++j) {
          block(i, j) += uniform(random);
          dense_D(D.first_row(g) + i, D.block_column(g, k) + j) = block(i, j);
        }
    }
  const Vector b = Vector::LinSpaced(chain.R.rows(), 1, -2);
  LeastCorrection correction;
  Vector delta, lambda;
  ASSERT_TRUE(correction.solve_along(chain.M, chain.R, D, b, 1e-12, delta, lambda));
  const Matrix lifted = chain.dense_M.llt().solve(dense_D.transpose());
  const Vector expected = lifted * (chain.dense_R * lifted).partialPivLu().solve(b);
  EXPECT_LT((delta - expected).cwiseAbs().maxCoeff(), 1e-9 * (1 + expected.cwiseAbs().maxCoeff()));
}

class PushingRows : public ::testing::TestWithParam<double> {};

// The conditions of Karush, Kuhn and Tucker, whatever the size of the violations, with equations beside the rows that push.
TEST_P(PushingRows, ObeyComplementarity) {
  const double size = GetParam();
  for (unsigned seed = 10; seed < 30; ++seed) {
    const Chain chain(12, 4, 1, seed % 2 == 0 ? 2 : 1, seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const int equations = 3 * (seed % 3);
    // There is a δ that obeys all, with half of the rows at their bounds.
    const Vector point = Vector::NullaryExpr(chain.R.columns(), [&] { return size * uniform(random); });
    Vector b = chain.dense_R * point;
    for (Eigen::Index i = equations; i < b.size(); ++i)
      if (uniform(random) > 0) b[i] -= size * std::abs(uniform(random));
    if (seed % 2 == 0)
      for (Eigen::Index i = 1; i < equations; i += 2) b[i] = b[i - 1];
    LeastCorrection correction;
    Vector delta, lambda;
    const double tolerance = 1e-8 * size;
    ASSERT_TRUE(correction.solve_pushing(chain.M, chain.R, b, equations, tolerance, delta, lambda)) << seed;
    const Vector slack = chain.dense_R * delta - b;
    for (Eigen::Index i = 0; i < b.size(); ++i) {
      if (i < equations) {
        EXPECT_LE(std::abs(slack[i]), tolerance) << seed;
        continue;
      }
      EXPECT_GE(slack[i], -tolerance) << seed;
      EXPECT_GE(lambda[i], 0) << seed;
      EXPECT_LT(std::min(slack[i], lambda[i]), 1e-6 * size) << seed;
    }
    // λ has the round-off of stiff rows.
    const Vector momentum = chain.dense_M * delta;
    EXPECT_LT((momentum - chain.dense_R.transpose() * lambda).norm(), 1e-3 * momentum.norm()) << seed;
    // With the rows that push as equations.
    std::vector<Eigen::Index> pushing;
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (i < equations || lambda[i] > 1e-6 * size) pushing.push_back(i);
    const Matrix R_A = chain.dense_R(pushing, Eigen::all);
    const Matrix lifted = chain.dense_M.llt().solve(R_A.transpose());
    const Vector expected =
        lifted * (R_A * lifted).completeOrthogonalDecomposition().solve(Vector(b(pushing)));
    EXPECT_LT((delta - expected).norm(), 1e-3 * size) << seed;
    EXPECT_LT(correction.factorizations(), 40) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PushingRows, ::testing::Values(1.0, 1e-11, 1e3));

TEST(LeastCorrection, MechanismsInOneBlockAreLeftToOthers) {
  BlockMatrix M;
  M.clear(8);
  M.add_block(0, 0, 8, 8).setIdentity();
  BlockRows R;
  R.clear(8);
  R.add_group(1);
  R.add_block(0, 8).setOnes();
  LeastCorrection correction;
  Vector delta, lambda;
  EXPECT_FALSE(correction.solve(M, R, Vector::Ones(1), 1e-12, delta, lambda));
}

}  // namespace
}  // namespace delassus::least_correction_test
