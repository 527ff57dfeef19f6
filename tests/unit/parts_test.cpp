// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of a problem, and their factors: each by what it is.
#include "delassus/problems/parts.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "../support/body_problem.hpp"
#include "delassus/linalg/small_factor.hpp"
#include "delassus/problems/part_factors.hpp"

namespace delassus::parts_test {
namespace {

using testing::BodyMatrices;
using testing::make_bodies;
using testing::Random;

TEST(Parts, JointsAndSpringsTieBodies) {
  Random random(1);
  Problem problem = make_bodies(random, 9, true, BodyMatrices::symmetric);
  // A spring between the bodies 2 and 8.
  problem.A.add_block(12, 48, 6, 6);
  problem.A.add_block(48, 12, 6, 6);
  Parts parts;
  parts.find(problem);
  // {0, 1}, {2, 8}, {3, 4}, {5}, {6, 7}
  ASSERT_EQ(parts.size(), 5);
  const int expected[] = {0, 0, 1, 2, 2, 3, 4, 4, 1};
  for (int b = 0; b < 9; ++b)
    for (int i = 0; i < 6; ++i) EXPECT_EQ(parts.part_of(6 * b + i), expected[b]);
  EXPECT_EQ(parts.num_velocities(1), 12);
  EXPECT_EQ(parts.place(6 * 8 + 2), 8);
  for (int k = 0; k < parts.size(); ++k)
    for (int i = 0; i < parts.num_velocities(k); ++i) {
      EXPECT_EQ(parts.part_of(parts.velocities(k)[i]), k);
      EXPECT_EQ(parts.place(parts.velocities(k)[i]), i);
    }
}

TEST(Parts, FewBodiesAreOnePart) {
  Random random(2);
  Parts parts;
  parts.find(make_bodies(random, 4, false, BodyMatrices::symmetric));
  EXPECT_EQ(parts.size(), 1);
  parts.find(make_bodies(random, 5, false, BodyMatrices::symmetric));
  EXPECT_EQ(parts.size(), 5);
}

TEST(PartFactors, SolveLikeTheWholeMatrix) {
  Random random(3);
  for (const BodyMatrices kind : {BodyMatrices::symmetric, BodyMatrices::skew, BodyMatrices::mixed}) {
    const Problem problem = make_bodies(random, 12, true, kind);
    Parts parts;
    parts.find(problem);
    PartFactors factors;
    ASSERT_TRUE(factors.compute(problem, parts));
    EXPECT_EQ(factors.symmetric(), kind == BodyMatrices::symmetric);
    EXPECT_FALSE(factors.whole());
    const int nv = problem.A.size(), nj = problem.Gt.rows();
    Matrix A, G;
    problem.A.to_dense(A);
    problem.Gt.to_dense_transposed(G);
    Matrix K(nv + nj, nv + nj);
    K << A, -G, G.transpose(), Matrix::Zero(nj, nj);
    Vector rhs(nv + nj), v, lambda;
    rhs << problem.p, problem.g;
    const Vector x = K.partialPivLu().solve(rhs);
    factors.solve(problem.p, problem.g, v, lambda);
    EXPECT_LT((v - x.head(nv)).norm(), 1e-11 * x.norm());
    EXPECT_LT((lambda - x.tail(nj)).norm(), 1e-11 * x.norm());
    // Responses of one part: a mechanism of two bodies, and a body.
    rhs.tail(nj).setZero();
    for (const int part : {0, 1}) {
      const int size = parts.num_velocities(part);
      Vector p = random.vector(size), response(size);
      rhs.head(nv).setZero();
      for (int i = 0; i < size; ++i) rhs[parts.velocities(part)[i]] = p[i];
      const Vector y = K.partialPivLu().solve(rhs);
      factors.respond(part, p.data(), 1, response.data());
      for (int i = 0; i < size; ++i)
        EXPECT_NEAR(response[i], y[parts.velocities(part)[i]], 1e-11 * y.norm()) << part;
    }
  }
}

TEST(SmallFactor, SolvesAllSizes) {
  Random random(4);
  for (int n = 1; n <= 7; ++n)
    for (const bool symmetric : {false, true}) {
      const Matrix A = symmetric ? testing::make_spd(random, n) : testing::make_positive(random, n);
      Matrix factor = A, X = random.matrix(n, 3);
      const Matrix B = X;
      EXPECT_EQ(is_symmetric_small(factor.data(), n), n == 1 || A == A.transpose());
      ASSERT_TRUE(factorize_small(factor.data(), n, symmetric));
      solve_small(factor.data(), n, symmetric, X.data(), 3);
      EXPECT_LT((A * X - B).norm(), 1e-12 * A.norm() * X.norm()) << n;
      Matrix indefinite = A;
      indefinite(n - 1, n - 1) = -1e3;
      EXPECT_FALSE(factorize_small(indefinite.data(), n, symmetric)) << n;
    }
}

}  // namespace
}  // namespace delassus::parts_test
