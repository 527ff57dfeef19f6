// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of blocks against their definition, and the same bits on every path.
#include "delassus/linalg/block_kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstring>
#include <vector>

#include "../support/random_problem.hpp"
#include "delassus/linalg/column_kernels.hpp"

namespace delassus::block_kernels_test {
namespace {

using testing::Random;
using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Columns63 = Eigen::Matrix<double, 6, 3>;

struct Results {
  RowMajor6 product, outer;
  Columns63 combined;
  std::vector<double> targets;
};

struct Inputs {
  RowMajor6 a, b, block;
  Columns63 left, right;
  Matrix3 c;
  std::vector<double> blocks, targets;
  std::vector<int> columns{4, 0, 2};
};

Inputs make_inputs(Random& random) {
  Inputs in;
  in.a = random.matrix(6, 6);
  in.b = random.matrix(6, 6);
  in.block = random.matrix(6, 6);
  in.left = random.matrix(6, 3);
  in.right = random.matrix(6, 3);
  in.c = random.matrix(3, 3);
  const Vector blocks = random.vector(36 * 3), targets = random.vector(36 * 5);
  in.blocks.assign(blocks.begin(), blocks.end());
  in.targets.assign(targets.begin(), targets.end());
  return in;
}

Results compute(const BlockKernels& kernels, const Inputs& in) {
  Results out{in.block, in.block, in.left, in.targets};
  kernels.multiply(in.a.data(), in.b.data(), out.product.data());
  kernels.add_outer_product(in.left.data(), in.right.data(), out.outer.data());
  kernels.combine_columns(in.left.data(), in.c.data(), out.combined.data());
  kernels.subtract_products(in.a.data(), in.blocks.data(), in.columns.data(), 3, out.targets.data());
  return out;
}

TEST(BlockKernels, AreWhatTheySay) {
  Random random(4);
  const Inputs in = make_inputs(random);
  const Results out = compute(plain_kernels(), in);
  EXPECT_LE((out.product - in.a * in.b).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE((out.outer - in.block - in.left * in.right.transpose()).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE((out.combined - in.left * in.c).cwiseAbs().maxCoeff(), 1e-14);
  for (int target = 0; target < 5; ++target) {
    RowMajor6 expected = Eigen::Map<const RowMajor6>(in.targets.data() + 36 * target);
    for (int u = 0; u < 3; ++u)
      if (in.columns[static_cast<std::size_t>(u)] == target)
        expected -= in.a * Eigen::Map<const RowMajor6>(in.blocks.data() + 36 * u);
    EXPECT_LE(
        (Eigen::Map<const RowMajor6>(out.targets.data() + 36 * target) - expected).cwiseAbs().maxCoeff(),
        1e-14)
        << target;
  }
}

// Blocks by columns, of which n rows and columns count.
struct ColumnResults {
  std::vector<double> inverse, pivots, right, left, product, image, terms, sizes;
  bool operator==(const ColumnResults&) const = default;
};
using Square = Eigen::Matrix<double, 6, 6>;

struct ColumnInputs {
  Square a, b, x;
  Eigen::Matrix<double, 6, 1> y;
  int n;
};

ColumnInputs make_column_inputs(Random& random, int n) {
  ColumnInputs in{Square::Zero(), Square::Zero(), Square::Zero(), Eigen::Matrix<double, 6, 1>::Zero(), n};
  in.a.topLeftCorner(n, n) = testing::make_positive(random, n);
  in.b.topLeftCorner(n, n) = random.matrix(n, n);
  in.x.leftCols(n) = random.matrix(6, n);
  in.y.head(n) = random.vector(n);
  return in;
}

ColumnResults compute(const ColumnKernels& kernels, const ColumnInputs& in) {
  const auto list = [](const Matrix& m) { return std::vector<double>(m.data(), m.data() + m.size()); };
  ColumnResults out{.inverse = list(in.a),
                    .pivots = std::vector<double>(6),
                    .right = list(in.x),
                    .left = list(in.y),
                    .product = list(in.x),
                    .image = list(in.x.col(0)),
                    .terms = list(in.x.col(0)),
                    .sizes = list(in.x.col(0).cwiseAbs())};
  kernels.invert(out.inverse.data(), in.n, out.pivots.data());
  kernels.multiply_right(in.a.data(), in.n, out.right.data());
  kernels.multiply_left(in.a.data(), in.n, out.left.data());
  kernels.subtract_product(in.x.data(), in.b.data(), in.n, in.n, out.product.data());
  kernels.subtract_image(in.x.data(), in.y.data(), in.n, out.image.data());
  kernels.subtract_terms(in.x.data(), in.y.data(), in.n, out.terms.data(), out.sizes.data());
  return out;
}

TEST(BlockKernels, BlocksByColumnsAreWhatTheySay) {
  Random random(6);
  for (int n = 1; n <= 6; ++n) {
    const ColumnInputs in = make_column_inputs(random, n);
    const ColumnResults out = compute(plain_column_kernels(), in);
    const auto error = [](const std::vector<double>& values, const Matrix& expected) {
      return (Eigen::Map<const Matrix>(values.data(), expected.rows(), expected.cols()) - expected)
          .cwiseAbs()
          .maxCoeff();
    };
    Square inverse = Square::Zero();
    inverse.topLeftCorner(n, n) = Matrix(in.a.topLeftCorner(n, n)).inverse();
    EXPECT_LE(error(out.inverse, inverse), 1e-12) << n;
    // The product of the pivots is the determinant.
    double product = 1;
    for (int k = 0; k < n; ++k) product *= out.pivots[static_cast<std::size_t>(k)];
    EXPECT_NEAR(product * Matrix(in.a.topLeftCorner(n, n)).determinant(), 1, 1e-12) << n;
    Square right = in.x;
    right.leftCols(n) = in.x.leftCols(n) * in.a.topLeftCorner(n, n);
    EXPECT_LE(error(out.right, right), 1e-13) << n;
    EXPECT_LE(error(out.left, in.a * in.y), 1e-13) << n;
    Square less = in.x;
    less.leftCols(n) -= in.x.leftCols(n) * in.b.topLeftCorner(n, n);
    EXPECT_LE(error(out.product, less), 1e-13) << n;
    const Eigen::Matrix<double, 6, 1> image = in.x.col(0) - in.x * in.y;
    EXPECT_LE(error(out.image, image), 1e-13) << n;
    EXPECT_LE(error(out.terms, image), 1e-13) << n;
    EXPECT_LE(error(out.sizes, in.x.col(0).cwiseAbs() + in.x.cwiseAbs() * in.y.cwiseAbs()), 1e-13) << n;
  }
}

TEST(BlockKernels, EveryPathHasTheSameBits) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const Inputs in = make_inputs(random);
    const Results plain = compute(plain_kernels(), in), best = compute(block_kernels(), in);
    EXPECT_EQ(0, std::memcmp(plain.product.data(), best.product.data(), sizeof plain.product));
    EXPECT_EQ(0, std::memcmp(plain.outer.data(), best.outer.data(), sizeof plain.outer));
    EXPECT_EQ(0, std::memcmp(plain.combined.data(), best.combined.data(), sizeof plain.combined));
    EXPECT_EQ(plain.targets, best.targets);
    for (int n = 1; n <= 6; ++n) {
      const ColumnInputs blocks = make_column_inputs(random, n);
      EXPECT_TRUE(compute(plain_column_kernels(), blocks) == compute(column_kernels(), blocks)) << n;
    }
  }
}

}  // namespace
}  // namespace delassus::block_kernels_test
