// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of blocks against their definition, and the same bits on every path.
#include "delassus/linalg/block_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "../support/random_problem.hpp"

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

TEST(BlockKernels, EveryPathHasTheSameBits) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const Inputs in = make_inputs(random);
    const Results plain = compute(plain_kernels(), in), best = compute(block_kernels(), in);
    EXPECT_EQ(0, std::memcmp(plain.product.data(), best.product.data(), sizeof plain.product));
    EXPECT_EQ(0, std::memcmp(plain.outer.data(), best.outer.data(), sizeof plain.outer));
    EXPECT_EQ(0, std::memcmp(plain.combined.data(), best.combined.data(), sizeof plain.combined));
    EXPECT_EQ(plain.targets, best.targets);
  }
}

}  // namespace
}  // namespace delassus::block_kernels_test
