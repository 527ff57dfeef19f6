// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Grouped rows and block matrices: every product against the dense one, summed entry by entry.
#include "delassus/linalg/block_rows.hpp"

#include <gtest/gtest.h>

#include "../support/random_problem.hpp"
#include "delassus/linalg/block_matrix.hpp"

namespace delassus::block_rows_test {
namespace {

using testing::Random;

constexpr double k_round_off = 1e-14;

struct RowsCase {
  BlockRows rows;
  Matrix dense;
};

// Groups of 1 … 6 rows with 0 … 3 blocks that may overlap.
RowsCase make_rows(Random& random, int nv, int num_groups) {
  RowsCase out;
  std::vector<Matrix> parts;
  int total = 0;
  out.rows.clear(nv);
  for (int g = 0; g < num_groups; ++g) {
    const int k = random.integer(1, 6);
    EXPECT_EQ(out.rows.add_group(k), g);
    Matrix part = Matrix::Zero(k, nv);
    for (int b = random.integer(0, 3); b > 0; --b) {
      const int width = random.integer(1, nv), column = random.integer(0, nv - width);
      auto block = out.rows.add_block(column, width);
      EXPECT_TRUE(block.isZero(0));
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < width; ++j) {
          block(i, j) = random.uniform(-1, 1);
          part(i, column + j) += block(i, j);
        }
    }
    parts.push_back(part);
    total += k;
  }
  out.dense.resize(total, nv);
  int row = 0;
  for (const Matrix& part : parts) {
    out.dense.middleRows(row, part.rows()) = part;
    row += static_cast<int>(part.rows());
  }
  return out;
}

TEST(BlockRows, ProductsAreThoseOfTheDenseMatrix) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const int nv = random.integer(1, 20);
    const RowsCase c = make_rows(random, nv, random.integer(0, 8));
    ASSERT_EQ(c.rows.rows(), c.dense.rows());
    ASSERT_EQ(c.rows.columns(), nv);
    const Vector v = random.vector(nv), r = random.vector(c.dense.rows());
    const Matrix X = random.matrix(nv, random.integer(0, 5));
    Vector u = random.vector(3);  // of another size, with values to be overwritten
    c.rows.multiply(VectorRef(v), u);
    EXPECT_LE((u - c.dense * v).norm(), k_round_off * nv);
    const Vector start = random.vector(nv);
    Vector sum = start;
    const double scale = random.uniform(-2, 2);
    c.rows.add_transposed_product(r, sum, scale);
    EXPECT_LE((sum - start - scale * (c.dense.transpose() * r)).norm(), k_round_off * 10 * nv);
    Matrix RX = random.matrix(2, 2);
    c.rows.multiply(MatrixRef(X), RX);
    ASSERT_EQ(RX.rows(), c.dense.rows());
    ASSERT_EQ(RX.cols(), X.cols());
    EXPECT_LE((RX - c.dense * X).norm(), k_round_off * 10 * nv);
    EXPECT_EQ(testing::dense(c.rows), c.dense);
    EXPECT_EQ(Matrix(c.rows.to_sparse_transposed()).transpose(), c.dense);
  }
}

TEST(BlockRows, GroupsKeepTheirPlace) {
  BlockRows rows;
  rows.clear(6);
  rows.add_group(2);
  rows.add_block(4, 2) << 1, 2, 3, 4;
  rows.add_group(3);
  rows.add_block(0, 1) << 5, 6, 7;
  rows.add_block(2, 1) << 8, 9, 10;
  EXPECT_EQ(rows.num_groups(), 2);
  EXPECT_EQ(rows.rows(), 5);
  EXPECT_EQ(rows.first_row(1), 2);
  EXPECT_EQ(rows.group_rows(1), 3);
  EXPECT_EQ(rows.num_blocks(0), 1);
  EXPECT_EQ(rows.num_blocks(1), 2);
  EXPECT_EQ(rows.block_column(1, 1), 2);
  EXPECT_EQ(rows.block(0, 0)(1, 0), 3);
  EXPECT_EQ(rows.block(1, 1)(2, 0), 10);
}

TEST(BlockRows, CopiesTheFirstRowsOfAGroup) {
  Random random(2);
  const RowsCase c = make_rows(random, 9, 6);
  for (int g = 0; g < c.rows.num_groups(); ++g)
    for (int k = 1; k <= c.rows.group_rows(g); ++k) {
      BlockRows copy;
      copy.clear(9);
      EXPECT_EQ(copy.add_group(c.rows, g, k), 0);
      EXPECT_EQ(testing::dense(copy), c.dense.middleRows(c.rows.first_row(g), k));
    }
}

TEST(BlockRows, ClearForgetsEverything) {
  Random random(3);
  RowsCase c = make_rows(random, 7, 5);
  c.rows.clear(4);
  EXPECT_EQ(c.rows.rows(), 0);
  EXPECT_EQ(c.rows.num_groups(), 0);
  EXPECT_EQ(c.rows.columns(), 4);
  c.rows.add_group(1);
  EXPECT_TRUE(c.rows.add_block(0, 4).isZero(0));  // not the values of before
  BlockRows fresh;
  fresh.clear(4);
  fresh.add_group(1);
  fresh.add_block(0, 4);
  EXPECT_EQ(c.rows, fresh);
}

TEST(BlockRows, EqualityLooksAtValuesAndLayout) {
  BlockRows a;
  a.clear(3);
  a.add_group(1);
  a.add_block(0, 2) << 1, 2;
  BlockRows b = a;
  EXPECT_EQ(a, b);
  b.clear(3);
  b.add_group(1);
  b.add_block(0, 2) << 1, 3;
  EXPECT_FALSE(a == b);
  b.clear(3);
  b.add_group(1);
  b.add_block(1, 2) << 1, 2;
  EXPECT_FALSE(a == b);
  b.clear(4);
  b.add_group(1);
  b.add_block(0, 2) << 1, 2;
  EXPECT_FALSE(a == b);
}

struct MatrixCase {
  BlockMatrix matrix;
  Matrix dense;
};

MatrixCase make_matrix(Random& random, int n, int num_blocks) {
  MatrixCase out{.matrix = {}, .dense = Matrix::Zero(n, n)};
  out.matrix.clear(n);
  for (int b = 0; b < num_blocks; ++b) {
    const int rows = random.integer(1, n), columns = random.integer(1, n);
    const int row = random.integer(0, n - rows), column = random.integer(0, n - columns);
    const Matrix values = random.matrix(rows, columns);
    out.matrix.add_block(row, column, rows, columns) = values;
    out.dense.block(row, column, rows, columns) += values;
  }
  return out;
}

TEST(BlockMatrix, ProductsAreThoseOfTheDenseMatrix) {
  Random random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = random.integer(1, 15);
    const MatrixCase c = make_matrix(random, n, random.integer(0, 6));
    const Vector v = random.vector(n), start = random.vector(n);
    const double scale = random.uniform(-2, 2);
    Vector out = start;
    c.matrix.add_product(v, out, scale);
    EXPECT_LE((out - start - scale * (c.dense * v)).norm(), k_round_off * 10 * n);
    EXPECT_EQ(testing::dense(c.matrix), c.dense);
    EXPECT_LE((Matrix(c.matrix.to_sparse()) - c.dense).norm(), k_round_off);
  }
}

TEST(BlockMatrix, AddsScaledMatrices) {
  Random random(5);
  MatrixCase a = make_matrix(random, 8, 4);
  const MatrixCase b = make_matrix(random, 8, 3);
  a.matrix.add(b.matrix, -0.7);
  EXPECT_LE((testing::dense(a.matrix) - (a.dense - 0.7 * b.dense)).norm(), k_round_off);
  EXPECT_EQ(a.matrix.num_blocks(), 7);
}

TEST(BlockMatrix, RankOne) {
  Random random(6);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = random.integer(2, 12);
    BlockRows rows;
    rows.clear(n);
    Matrix g = Matrix::Zero(1, n);
    rows.add_group(1);  // another row, to be left alone
    rows.add_block(0, 1) << 100;
    rows.add_group(1);
    for (int b = random.integer(1, 3); b > 0; --b) {
      const int width = random.integer(1, n), column = random.integer(0, n - width);
      const Matrix values = random.matrix(1, width);
      rows.add_block(column, width) = values;
      g.block(0, column, 1, width) += values;
    }
    MatrixCase c = make_matrix(random, n, 2);
    add_rank_one(rows, 1, 2.5, c.matrix);
    EXPECT_LE((testing::dense(c.matrix) - c.dense - 2.5 * g.transpose() * g).norm(), k_round_off * 100);
  }
}

TEST(BlockMatrix, ClearForgetsEverything) {
  Random random(7);
  MatrixCase c = make_matrix(random, 5, 3);
  c.matrix.clear(3);
  EXPECT_EQ(c.matrix.size(), 3);
  EXPECT_EQ(c.matrix.num_blocks(), 0);
  EXPECT_TRUE(c.matrix.add_block(0, 0, 3, 3).isZero(0));
  EXPECT_EQ(testing::dense(c.matrix), Matrix::Zero(3, 3));
}

}  // namespace
}  // namespace delassus::block_rows_test
