// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse factors by blocks against dense ones, for patterns of all kinds.
#include "delassus/linalg/block_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "../support/random_problem.hpp"

namespace delassus::block_lu_test {
namespace {

using testing::Random;

// Symmetric pattern, each pair of contacts with a block with the given share; diagonal blocks are large enough that no order
// of elimination meets a small pivot.
ContactMatrix make_matrix(Random& random, int contacts, double share, int dim) {
  std::vector<int> dims, starts{0}, columns;
  for (int c = 0; c < contacts; ++c) dims.push_back(dim > 0 ? dim : random.integer(1, 6));
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(contacts));
  for (int a = 0; a < contacts; ++a)
    for (int b = a; b < contacts; ++b) {
      if (a != b && random.uniform(0, 1) > share) continue;
      rows[a].push_back(b);
      if (a != b) rows[b].push_back(a);
    }
  for (std::vector<int>& row : rows) {
    std::sort(row.begin(), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    starts.push_back(static_cast<int>(columns.size()));
  }
  ContactMatrix A;
  A.set_pattern(dims, starts, columns);
  for (int a = 0; a < contacts; ++a)
    for (int e = A.row_begin(a); e < A.row_end(a); ++e) {
      auto block = A.block(a, e);
      block = random.matrix(block.rows(), block.cols());
      if (A.column(e) == a)
        block += 3.0 * contacts * share * Matrix::Identity(dims[a], dims[a]) +
                 4.0 * Matrix::Identity(dims[a], dims[a]);
    }
  return A;
}

TEST(BlockLu, SolvesLikeDenseFactors) {
  Random random(31);
  BlockLu lu;  // one for all: patterns change from call to call
  for (const int dim : {0, 1, 3})
    for (const double share : {0.0, 0.05, 0.3, 1.0})
      for (const int contacts : {1, 2, 17, 60}) {
        const ContactMatrix A = make_matrix(random, contacts, share, dim);
        ASSERT_TRUE(lu.factorize(A, false));
        const Vector b = random.vector(A.rows());
        Vector x = b;
        lu.solve_in_place(x);
        EXPECT_LT((A.dense() * x - b).norm(), 1e-12 * b.norm()) << dim << ' ' << share << ' ' << contacts;
      }
}

TEST(BlockLu, SymmetricOnesWithHalfTheWork) {
  Random random(34);
  BlockLu lu, general;
  for (const int dim : {0, 1, 3})
    for (const double share : {0.0, 0.1, 1.0})
      for (const int contacts : {1, 17, 60}) {
        ContactMatrix A = make_matrix(random, contacts, share, dim);
        A.symmetrize();
        ASSERT_TRUE(lu.factorize(A, true));
        const Vector b = random.vector(A.rows());
        Vector x = b, y = b;
        lu.solve_in_place(x);
        EXPECT_LT((A.dense() * x - b).norm(), 1e-12 * b.norm()) << dim << ' ' << share << ' ' << contacts;
        ASSERT_TRUE(general.factorize(A, false));
        general.solve_in_place(y);
        EXPECT_LT((x - y).norm(), 1e-12 * x.norm());
      }
}

TEST(BlockLu, OtherValuesInTheSamePattern) {
  Random random(32);
  ContactMatrix A = make_matrix(random, 30, 0.1, 3);
  BlockLu kept;
  ASSERT_TRUE(kept.factorize(A, false));
  for (int c = 0; c < 30; ++c) A.block(c, A.diagonal_entry(c)) *= 1.5;
  ASSERT_TRUE(kept.factorize(A, false));
  BlockLu fresh;
  ASSERT_TRUE(fresh.factorize(A, false));
  Vector x = random.vector(A.rows()), y = x;
  kept.solve_in_place(x);
  fresh.solve_in_place(y);
  EXPECT_EQ(x, y);
}

TEST(BlockLu, RefusesSingularBlocks) {
  Random random(33);
  ContactMatrix A = make_matrix(random, 5, 0.5, 3);
  BlockLu lu;
  ContactMatrix zero = A;
  for (int e = zero.row_begin(2); e < zero.row_end(2); ++e) zero.block(2, e).setZero();
  EXPECT_FALSE(lu.factorize(zero, false));
  A.block(3, A.diagonal_entry(3))(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factorize(A, false));
}

}  // namespace
}  // namespace delassus::block_lu_test
