// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/row_correction.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace delassus::row_correction_test {
namespace {

// Bodies of 3 velocities each, and rows that join a body with the next.
struct Chain {
  BlockMatrix M;
  BlockRows R;
  Matrix dense_M, dense_Rt;
};

Chain make_chain(int bodies, int rows_each, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Chain out;
  const int nv = 3 * bodies;
  out.M.clear(nv);
  out.dense_M = Matrix::Zero(nv, nv);
  for (int i = 0; i < bodies; ++i) {
    const Matrix3 a = Matrix3::NullaryExpr([&] { return normal(random); });
    const Matrix3 block = a * a.transpose() + Matrix3::Identity();
    out.M.add_block(3 * i, 3 * i, 3, 3) = block;
    out.dense_M.block<3, 3>(3 * i, 3 * i) = block;
  }
  out.R.clear(nv);
  for (int i = 0; i + 1 < bodies; ++i) {
    out.R.add_group(rows_each);
    for (int side = 0; side < 2; ++side) {
      auto block = out.R.add_block(3 * (i + side), 3);
      block = Matrix::NullaryExpr(rows_each, 3, [&] { return normal(random); });
    }
  }
  out.R.to_dense_transposed(out.dense_Rt);
  return out;
}

TEST(RowCorrection, IsTheSmallestOneThatMeetsTheRows) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Chain chain = make_chain(8, 2, seed);
    const Vector b = Vector::Random(chain.R.rows());
    RowCorrection correction;
    Vector delta, lambda;
    ASSERT_TRUE(correction.solve(chain.M, chain.R, b, 1e-12, delta, lambda));
    EXPECT_LT((chain.dense_Rt.transpose() * delta - b).cwiseAbs().maxCoeff(), 1e-11);
    // M δ = Rᵀ λ: nothing of δ could be left out.
    EXPECT_LT((chain.dense_M * delta - chain.dense_Rt * lambda).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(RowCorrection, TakesRowsThatDependOnEachOther) {
  // Five rows on the six velocities of two bodies, given twice.
  const Chain once = make_chain(2, 5, 3);
  Chain twice = once;
  twice.R.add_group(once.R, 0, 5);
  Vector b(10);
  b.head(5) = b.tail(5) = Vector::Random(5);
  RowCorrection correction;
  Vector delta, lambda;
  ASSERT_TRUE(correction.solve(twice.M, twice.R, b, 1e-12, delta, lambda));
  EXPECT_LT((once.dense_Rt.transpose() * delta - b.head(5)).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(RowCorrection, RefusesRowsThatContradict) {
  Chain chain = make_chain(2, 5, 4);
  chain.R.add_group(BlockRows(chain.R), 0, 5);
  Vector b = Vector::Random(10);  // the same rows shall have two values
  RowCorrection correction;
  Vector delta, lambda;
  EXPECT_FALSE(correction.solve(chain.M, chain.R, b, 1e-12, delta, lambda));
}

TEST(RowCorrection, RefusesMassesThatDoNotFallApart) {
  Chain chain = make_chain(2, 2, 5);
  chain.M.add_block(0, 3, 3, 3).setConstant(0.1);
  chain.M.add_block(3, 0, 3, 3).setConstant(0.1);
  RowCorrection correction;
  Vector delta, lambda;
  EXPECT_FALSE(correction.solve(chain.M, chain.R, Vector::Random(2), 1e-12, delta, lambda));
}

}  // namespace
}  // namespace delassus::row_correction_test
