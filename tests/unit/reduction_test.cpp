// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The elimination part by part against the dense formula W = Hᵀ K⁻¹ H, and the block matrix it fills.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "../support/body_problem.hpp"
#include "delassus/base/parallel.hpp"
#include "delassus/problems/islands.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus::reduction_test {
namespace {

using testing::BodyMatrices;
using testing::make_bodies;
using testing::Random;

TEST(Reduction, PartsGiveTheDenseOperator) {
  Random random(5);
  for (const bool joints : {false, true})
    for (const BodyMatrices kind : {BodyMatrices::symmetric, BodyMatrices::skew, BodyMatrices::mixed}) {
      const Problem problem = make_bodies(random, 12, joints, kind);
      Reduction reduction;
      ASSERT_TRUE(reduction.compute(problem));
      EXPECT_EQ(reduction.local().symmetric, kind == BodyMatrices::symmetric);
      EXPECT_EQ(&reduction.problem(), &problem);
      EXPECT_EQ(reduction.num_parts(), joints ? 8 : 12);
      // K = [A −G; Gᵀ 0]
      const int nv = problem.A.size(), nj = problem.Gt.rows(), m = problem.Ht.rows();
      Matrix A, G, H;
      problem.A.to_dense(A);
      problem.Gt.to_dense_transposed(G);
      problem.Ht.to_dense_transposed(H);
      Matrix K = Matrix::Zero(nv + nj, nv + nj);
      K << A, -G, G.transpose(), Matrix::Zero(nj, nj);
      const Eigen::PartialPivLU<Matrix> lu(K);
      Matrix wide = Matrix::Zero(nv + nj, m);
      wide.topRows(nv) = H;
      const Matrix W = H.transpose() * lu.solve(wide).topRows(nv);
      EXPECT_LT((reduction.local().W.dense() - W).cwiseAbs().maxCoeff(), 1e-11 * W.cwiseAbs().maxCoeff());
      const Vector r = random.vector(m);
      Vector rhs(nv + nj);
      rhs << problem.p + H * r, problem.g;
      const Vector x = lu.solve(rhs);
      Solution solution;
      reduction.recover(r, solution);
      EXPECT_LT((solution.v - x.head(nv)).norm(), 1e-10 * x.norm());
      EXPECT_LT((solution.lambda - x.tail(nj)).norm(), 1e-10 * x.norm());
      EXPECT_LT((reduction.local().W * r + reduction.local().u_free - solution.u).norm(), 1e-10 * x.norm());
      // Contacts that share no part have no block.
      EXPECT_LT(reduction.local().W.num_entries(), problem.num_contacts() * problem.num_contacts());
    }
}

TEST(Reduction, BodyWithoutMassIsRefused) {
  Random random(1);
  Problem problem = make_bodies(random, 12, false, BodyMatrices::symmetric);
  BlockMatrix A;
  A.clear(problem.A.size());
  for (int b = 0; b < problem.A.num_blocks(); ++b)
    A.add_block(problem.A.block_row(b), problem.A.block_row(b), 6, 6) =
        (b == 7 ? 0.0 : 1.0) * problem.A.block(b);
  problem.A = A;
  Reduction reduction;
  EXPECT_FALSE(reduction.compute(problem));
}

// A problem that does not say that it is symmetric, but is.
TEST(Reduction, SeesSymmetryByItself) {
  Random random(6);
  for (const int bodies : {3, 12}) {
    Problem problem = make_bodies(random, bodies, true, BodyMatrices::symmetric);
    Reduction said, seen;
    ASSERT_TRUE(said.compute(problem));
    problem.symmetric = false;
    ASSERT_TRUE(seen.compute(problem));
    EXPECT_TRUE(seen.local().symmetric);
    EXPECT_EQ(seen.local().W, said.local().W);
  }
}

TEST(Reduction, ThreadsGiveTheSameBits) {
  Random random(7);
  for (const BodyMatrices kind : {BodyMatrices::symmetric, BodyMatrices::mixed}) {
    // Enough that parts and contacts are cut into chunks.
    const Problem problem = make_bodies(random, 300, true, kind);
    Reduction one;
    ASSERT_TRUE(one.compute(problem));
    for (const int threads : {2, 4}) {
      set_num_threads(threads);
      Reduction many;
      EXPECT_TRUE(many.compute(problem));
      set_num_threads(1);
      EXPECT_EQ(many.local().W, one.local().W) << threads;
      EXPECT_EQ(many.local().u_free, one.local().u_free) << threads;
    }
  }
}

TEST(ContactMatrix, ProductsAndParts) {
  Random random(3);
  const Problem problem = make_bodies(random, 12, true, BodyMatrices::symmetric);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  const ContactMatrix& W = reduction.local().W;
  const Matrix dense = W.dense();
  EXPECT_EQ(dense, Matrix(W.to_sparse()));
  const Vector r = random.vector(W.rows());
  EXPECT_LT((W * r - dense * r).norm(), 1e-13 * r.norm() * dense.norm());
  EXPECT_EQ(ContactMatrix(dense, std::vector<int>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}).dense(), dense);
  const std::vector<int> some{1, 4, 5, 9};
  ContactMatrix part;
  W.extract(some, part);
  const Matrix expected = [&] {
    Matrix out(part.rows(), part.rows());
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        out.block(part.first_row(a), part.first_row(b), part.dim(a), part.dim(b)) =
            dense.block(W.first_row(some[a]), W.first_row(some[b]), W.dim(some[a]), W.dim(some[b]));
    return out;
  }();
  EXPECT_EQ(part.dense(), expected);
  EXPECT_EQ(W.find(0, 11), -1);
  EXPECT_EQ(W.find(3, 3), W.diagonal_entry(3));
  // Islands: contacts 2k and 2k+1 share body 2k; joints tie 3k and 3k+1.
  Islands islands;
  islands.find(W);
  int sum = 0;
  for (int i = 0; i < islands.size(); ++i) {
    for (int a : islands.contacts(i))
      for (int j = 0; j < islands.size(); ++j)
        for (int b : islands.contacts(j)) EXPECT_TRUE(i == j || W.find(a, b) < 0);
    sum += static_cast<int>(islands.contacts(i).size());
  }
  EXPECT_EQ(sum, 12);
  EXPECT_GT(islands.size(), 1);
}

}  // namespace
}  // namespace delassus::reduction_test
