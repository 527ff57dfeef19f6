// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The elimination part by part against the dense formula W = Hᵀ K⁻¹ H, and the block matrix it fills.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "../support/random_problem.hpp"
#include "delassus/problems/islands.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {
namespace {

using testing::Random;

// `bodies` bodies of six velocities; body 2k and 2k+1 joined by a row where `joints`; contacts between neighbours and with
// the ground.
Problem make_bodies(Random& random, int bodies, bool joints, bool symmetric) {
  Problem problem;
  const int nv = 6 * bodies;
  problem.A.clear(nv);
  for (int b = 0; b < bodies; ++b) {
    Matrix X = Matrix::Zero(6, 6);
    for (int i = 0; i < 6; ++i) X.col(i) = random.vector(6);
    Matrix A = X * X.transpose() + Matrix::Identity(6, 6);
    if (!symmetric) A += X - X.transpose();
    problem.A.add_block(6 * b, 6 * b, 6, 6) = A;
  }
  problem.symmetric = symmetric;
  problem.p = random.vector(nv);
  problem.Gt.clear(nv);
  const auto fill = [&](BlockRows& rows, int body, int dim) {
    auto block = rows.add_block(6 * body, 6);
    for (int i = 0; i < dim; ++i) block.row(i) = random.vector(6).transpose();
  };
  for (int b = 0; joints && b + 1 < bodies; b += 3) {
    problem.Gt.add_group(2);
    fill(problem.Gt, b, 2);
    fill(problem.Gt, b + 1, 2);
  }
  problem.g = random.vector(problem.Gt.rows());
  problem.C.setZero(problem.Gt.rows());
  problem.Ht.clear(nv);
  for (int b = 0; b < bodies; ++b) {
    const int dim = 1 + b % 3;
    problem.Ht.add_group(dim);
    fill(problem.Ht, b, dim);
    if (b % 2 == 1) fill(problem.Ht, b - 1, dim);
    problem.cones.push_back(dim == 1 ? Cone{} : Cone{.kind = ConeKind::coulomb, .dim = dim, .mu = 0.3});
  }
  problem.w = random.vector(problem.Ht.rows());
  require_consistent(problem);
  return problem;
}

TEST(Reduction, PartsGiveTheDenseOperator) {
  Random random(5);
  for (const bool joints : {false, true})
    for (const bool symmetric : {false, true}) {
      const Problem problem = make_bodies(random, 12, joints, symmetric);
      Reduction reduction;
      ASSERT_TRUE(reduction.compute(problem));
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
  Problem problem = make_bodies(random, 12, false, true);
  BlockMatrix A;
  A.clear(problem.A.size());
  for (int b = 0; b < problem.A.num_blocks(); ++b)
    A.add_block(problem.A.block_row(b), problem.A.block_row(b), 6, 6) =
        (b == 7 ? 0.0 : 1.0) * problem.A.block(b);
  problem.A = A;
  Reduction reduction;
  EXPECT_FALSE(reduction.compute(problem));
}

TEST(ContactMatrix, ProductsAndParts) {
  Random random(3);
  const Problem problem = make_bodies(random, 12, true, true);
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
}  // namespace delassus
