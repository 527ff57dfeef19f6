// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Factorisation and reduction of small problems allocate nothing once they have seen a problem of the size.
// An executable of its own: it replaces malloc.
#include <gtest/gtest.h>

#include "../support/allocation_counter.hpp"
#include "../support/random_problem.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus::kkt_alloc_test {
namespace {

#ifdef DELASSUS_COUNTS_ALLOCATIONS

using testing::Random;

template <typename Function>
long count_allocations(const Function& function) {
  const long before = allocation_count;
  function();
  return allocation_count - before;
}

TEST(Allocations, TheCounterCounts) {
  EXPECT_EQ(count_allocations([] {}), 0);
  EXPECT_GE(count_allocations([] {
              Vector v = Vector::Zero(1000);
              EXPECT_EQ(v.sum(), 0);
            }),
            1);
  EXPECT_GE(count_allocations([] {
              std::vector<int> v(1000);
              EXPECT_EQ(v.size(), 1000u);
            }),
            1);
}

struct Kind {
  const char* name;
  bool symmetric, separate;
};
constexpr Kind k_kinds[] = {{"symmetric", true, false},
                            {"non-symmetric", false, false},
                            {"separate directions", true, true},
                            {"non-symmetric, separate directions", false, true}};

// The seed changes the values, not the sizes.
Problem make_problem(const Kind& kind, int nv, int nj, int num_contacts, unsigned seed) {
  Random random(seed);
  Problem problem;
  problem.symmetric = kind.symmetric;
  problem.A = testing::to_block_matrix(kind.symmetric ? testing::make_spd(random, nv)
                                                      : testing::make_positive(random, nv));
  problem.p = random.vector(nv);
  const Matrix G = random.matrix(nj, nv), H = random.matrix(3 * num_contacts, nv);
  const std::vector<int> sizes(num_contacts, 3);
  problem.Gt = testing::to_block_rows(G);
  problem.g = random.vector(nj);
  problem.C = Vector::Zero(nj);
  problem.Ht = testing::to_block_rows(H, sizes);
  problem.w = random.vector(3 * num_contacts);
  problem.cones.assign(num_contacts, testing::spatial_cone(0.5, 8));
  problem.separate_directions = kind.separate;
  if (kind.separate) {
    problem.G_directions = testing::to_block_rows(G + 0.01 * random.matrix(nj, nv));
    problem.H_directions = testing::to_block_rows(H + 0.01 * random.matrix(3 * num_contacts, nv), sizes);
  }
  return problem;
}

// Velocities, joint rows, contacts. Beyond 170 contact rows with 96 velocities the packed panels of Eigen's
// products pass EIGEN_STACK_ALLOCATION_LIMIT (128 KiB) and come from the heap.
constexpr int k_sizes[][3] = {{6, 0, 1}, {6, 2, 1}, {24, 6, 8}, {60, 20, 12}, {96, 40, 40}};

TEST(Allocations, KktFactor) {
  for (const Kind& kind : k_kinds)
    for (const auto& [nv, nj, nc] : k_sizes) {
      KktFactor kkt;
      Vector v, lambda;
      Matrix X;
      const auto run = [&](const Problem& problem, const Matrix& P) {
        ASSERT_TRUE(kkt.compute(problem.A, problem.symmetric, problem.Gt,
                                problem.separate_directions ? &problem.G_directions : nullptr, problem.C));
        ASSERT_EQ(kkt.num_redundant(), 0);
        kkt.solve(problem.p, problem.g, v, lambda);
        kkt.solve_homogeneous(P, X);
      };
      const Problem first = make_problem(kind, nv, nj, nc, 1), second = make_problem(kind, nv, nj, nc, 2);
      const Matrix P = Random(3).matrix(nv, 3 * nc);
      EXPECT_GT(count_allocations([&] { run(first, P); }), 0);
      EXPECT_EQ(count_allocations([&] { run(second, P); }), 0) << kind.name << ", " << nv << " velocities";
    }
}

TEST(Allocations, Reduction) {
  for (const Kind& kind : k_kinds)
    for (const auto& [nv, nj, nc] : k_sizes) {
      Reduction reduction;
      Solution solution;
      const Vector r = Random(3).vector(3 * nc);
      const auto run = [&](const Problem& problem) {
        ASSERT_TRUE(reduction.compute(problem));
        reduction.update_free_velocity();
        reduction.recover(r, solution);
      };
      const Problem first = make_problem(kind, nv, nj, nc, 1), second = make_problem(kind, nv, nj, nc, 2);
      EXPECT_GT(count_allocations([&] { run(first); }), 0);
      EXPECT_EQ(count_allocations([&] { run(second); }), 0) << kind.name << ", " << nv << " velocities";
    }
}

TEST(Allocations, RowsAndMatricesRefilled) {
  BlockRows rows;
  BlockMatrix matrix;
  const auto fill = [&] {
    rows.clear(30);
    matrix.clear(30);
    for (int i = 0; i < 10; ++i) {
      rows.add_group(3);
      rows.add_block(i, 6).setConstant(i);
      rows.add_block(i + 10, 6).setConstant(i);
      matrix.add_block(i, i, 6, 6).setIdentity();
    }
  };
  fill();
  EXPECT_EQ(count_allocations(fill), 0);
}

#endif

}  // namespace
}  // namespace delassus::kkt_alloc_test
