// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// MINRES against direct solutions: definite, indefinite and singular systems, and the saddle point.
#include "delassus/linalg/minres.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>

#include "../support/random_problem.hpp"
#include "delassus/linalg/kkt.hpp"

namespace delassus {
namespace {

using testing::Random;

LinearOperator make_operator(const Matrix& K) {
  return [K](const Vector& v, Vector& out) { out = K * v; };
}

// Symmetric with the given eigenvalues.
Matrix make_symmetric(Random& random, const Vector& eigenvalues) {
  const Matrix Q = random.matrix(eigenvalues.size(), eigenvalues.size()).householderQr().householderQ();
  return Q * eigenvalues.asDiagonal() * Q.transpose();
}

TEST(Minres, IndefiniteSystems) {
  Random random(1);
  for (int trial = 0; trial < 30; ++trial) {
    const int n = random.integer(1, 40);
    Vector eigenvalues(n);
    for (int i = 0; i < n; ++i)
      eigenvalues[i] = random.uniform(0.5, 20) * (random.integer(0, 1) == 0 ? 1 : -1);
    const Matrix K = make_symmetric(random, eigenvalues);
    const Vector b = random.vector(n);
    Vector x;
    const MinresResult result = solve_minres(make_operator(K), b, x);
    EXPECT_EQ(result.status, MinresStatus::converged);
    EXPECT_LE(result.relative_residual, 1e-12);
    EXPECT_NEAR(result.relative_residual, (b - K * x).norm() / b.norm(), 1e-14);
    // Condition 40, residual 1e-12.
    EXPECT_LE((x - K.partialPivLu().solve(b)).norm(), 1e-10 * x.norm());
  }
}

TEST(Minres, AsManyIterationsAsDifferentEigenvalues) {
  Random random(2);
  Vector eigenvalues(30);
  for (int i = 0; i < 30; ++i) eigenvalues[i] = i % 3 == 0 ? -2 : i % 3 == 1 ? 1 : 5;
  const Matrix K = make_symmetric(random, eigenvalues);
  Vector x;
  const MinresResult result = solve_minres(make_operator(K), random.vector(30), x, {.tolerance = 1e-11});
  EXPECT_EQ(result.status, MinresStatus::converged);
  EXPECT_EQ(result.iterations, 3);
}

TEST(Minres, ResidualsAreTheSmallestOfTheKrylovSpace) {
  Random random(3);
  const int n = 12;
  Vector eigenvalues(n);
  for (int i = 0; i < n; ++i) eigenvalues[i] = i - 4.5;
  const Matrix K = make_symmetric(random, eigenvalues);
  const Vector b = random.vector(n);
  Matrix krylov(n, 5);
  krylov.col(0) = b.normalized();
  for (int k = 1; k < 5; ++k) krylov.col(k) = (K * krylov.col(k - 1)).normalized();
  for (int k = 1; k <= 5; ++k) {
    const Matrix image = K * krylov.leftCols(k);
    const Vector best = b - image * image.colPivHouseholderQr().solve(b);
    Vector x;
    const MinresResult result = solve_minres(make_operator(K), b, x, {.max_iterations = k});
    EXPECT_EQ(result.status, MinresStatus::max_iterations);
    EXPECT_EQ(result.iterations, k);
    EXPECT_NEAR(result.relative_residual, best.norm() / b.norm(), 1e-10);
  }
}

TEST(Minres, SingularConsistentSystems) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = random.integer(4, 30), null = random.integer(1, n / 2);
    Vector eigenvalues(n);
    for (int i = 0; i < n; ++i)
      eigenvalues[i] = i < null ? 0 : random.uniform(0.5, 10) * (i % 2 == 0 ? 1 : -1);
    const Matrix K = make_symmetric(random, eigenvalues);
    const Vector b = K * random.vector(n);
    Vector x;
    const MinresResult result = solve_minres(make_operator(K), b, x);
    EXPECT_EQ(result.status, MinresStatus::converged);
    // The solution of least norm: no part in the null space.
    const Vector reference = K.completeOrthogonalDecomposition().solve(b);
    EXPECT_LE((x - reference).norm(), 1e-9 * reference.norm());
  }
}

TEST(Minres, InconsistentSystemsStallAtTheLeastResidual) {
  Random random(5);
  Vector eigenvalues(15);
  for (int i = 0; i < 15; ++i) eigenvalues[i] = i < 3 ? 0 : i;
  const Matrix K = make_symmetric(random, eigenvalues);
  const Vector b = random.vector(15);
  Vector x;
  const MinresResult result = solve_minres(make_operator(K), b, x);
  EXPECT_EQ(result.status, MinresStatus::stalled);
  const Vector least = b - K * K.completeOrthogonalDecomposition().solve(b);
  EXPECT_NEAR(result.relative_residual, least.norm() / b.norm(), 1e-8);
  EXPECT_TRUE(x.allFinite());
}

TEST(Minres, Preconditioned) {
  Random random(6);
  const int n = 40;
  Vector scale(n), eigenvalues(n);
  for (int i = 0; i < n; ++i) {
    scale[i] = std::pow(10, random.uniform(-3, 3));
    eigenvalues[i] = i % 2 == 0 ? 1 + 0.01 * i : -1 - 0.01 * i;
  }
  const Matrix K = scale.asDiagonal() * make_symmetric(random, eigenvalues) * scale.asDiagonal();
  const Vector b = scale.cwiseProduct(random.vector(n)), inverse = scale.cwiseAbs2().cwiseInverse();
  Vector x;
  const MinresResult result = solve_minres(
      make_operator(K), b, x, {}, [&](const Vector& r, Vector& out) { out = r.cwiseProduct(inverse); });
  EXPECT_EQ(result.status, MinresStatus::converged);
  EXPECT_LE(result.iterations, n);
  const Vector reference = (K.cast<long double>().partialPivLu().solve(b.cast<long double>())).cast<double>();
  EXPECT_LE((scale.asDiagonal() * (x - reference)).norm(), 1e-10 * (scale.asDiagonal() * reference).norm());
}

TEST(Minres, TrivialAndBadInput) {
  Vector x;
  MinresResult result = solve_minres(make_operator(Matrix::Identity(3, 3)), Vector::Zero(3), x);
  EXPECT_EQ(result.status, MinresStatus::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, Vector::Zero(3));
  result = solve_minres(make_operator(Matrix::Identity(0, 0)), Vector(), x);
  EXPECT_EQ(result.status, MinresStatus::converged);
  Vector b = Vector::Ones(3);
  b[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solve_minres(make_operator(Matrix::Identity(3, 3)), b, x).status, MinresStatus::not_finite);
  Matrix K = Matrix::Identity(3, 3);
  K(0, 1) = K(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solve_minres(make_operator(K), Vector::Ones(3), x).status, MinresStatus::not_finite);
  // A preconditioner that is not positive definite.
  EXPECT_EQ(solve_minres(make_operator(Matrix::Identity(3, 3)), Vector::Ones(3), x, {},
                         [](const Vector& r, Vector& out) { out = -r; })
                .status,
            MinresStatus::not_finite);
}

struct Saddle {
  BlockMatrix A;
  BlockRows R;
  Vector C, p, g;
};

Saddle make_chain(Random& random, int bodies, double mass_ratio) {
  Saddle s;
  s.A.clear(6 * bodies);
  s.R.clear(6 * bodies);
  for (int b = 0; b < bodies; ++b) {
    s.A.add_block(6 * b, 6 * b, 6, 6) =
        std::pow(mass_ratio, random.uniform(0, 1)) * testing::make_spd(random, 6);
    if (b == 0) continue;
    s.R.add_group(3);
    s.R.add_block(6 * b - 6, 6) = random.matrix(3, 6);
    s.R.add_block(6 * b, 6) = random.matrix(3, 6);
  }
  s.C = Vector::Zero(s.R.rows());
  s.p = random.vector(6 * bodies);
  s.g = random.vector(s.R.rows());
  return s;
}

TEST(Minres, SaddlePointAsTheDirectMethod) {
  Random random(7);
  for (int bodies : {3, 10, 40})
    for (double ratio : {1.0, 1e3})
      for (bool compliant : {false, true}) {
        Saddle s = make_chain(random, bodies, ratio);
        if (compliant) s.C = random.vector(s.R.rows()).cwiseAbs();
        Vector v, lambda, v_direct, lambda_direct;
        MinresResult result;
        ASSERT_TRUE(solve_kkt_minres(s.A, s.R, s.C, s.p, s.g, v, lambda, result));
        EXPECT_EQ(result.status, MinresStatus::converged);
        KktFactor kkt;
        ASSERT_TRUE(kkt.compute(s.A, true, s.R, nullptr, s.C));
        kkt.solve(s.p, s.g, v_direct, lambda_direct);
        // Residual 1e-12 times a condition of the preconditioned system below 1e4.
        EXPECT_LE((v - v_direct).norm(), 1e-8 * v_direct.norm());
        EXPECT_LE((lambda - lambda_direct).norm(), 1e-8 * lambda_direct.norm());
      }
}

TEST(Minres, RedundantRows) {
  Random random(8);
  Saddle s = make_chain(random, 8, 1.0), twice = s;
  for (int g = 0; g < 4; ++g) twice.R.add_group(s.R, g, 3);
  twice.C = Vector::Zero(twice.R.rows());
  twice.g.resize(twice.R.rows());
  twice.g << s.g, s.g.head(12);
  Vector v, lambda, v_once, lambda_once;
  MinresResult result;
  ASSERT_TRUE(solve_kkt_minres(twice.A, twice.R, twice.C, twice.p, twice.g, v, lambda, result));
  EXPECT_EQ(result.status, MinresStatus::converged);
  ASSERT_TRUE(solve_kkt_minres(s.A, s.R, s.C, s.p, s.g, v_once, lambda_once, result));
  EXPECT_LE((v - v_once).norm(), 1e-8 * v_once.norm());
  // Equal rows carry equal parts.
  EXPECT_LE((lambda.head(12) - lambda.tail(12)).norm(), 1e-8 * lambda.norm());
}

TEST(Minres, RefusesAnUnsymmetricMatrix) {
  Random random(9);
  Saddle s = make_chain(random, 4, 1.0);
  Vector v = Vector::Ones(2), lambda = Vector::Ones(1);
  MinresResult result;
  s.A.add_block(0, 1, 1, 1)(0, 0) = 1e-3;
  EXPECT_FALSE(solve_kkt_minres(s.A, s.R, s.C, s.p, s.g, v, lambda, result));
  s.A.add_block(1, 0, 1, 1)(0, 0) = 1e-3;
  EXPECT_TRUE(solve_kkt_minres(s.A, s.R, s.C, s.p, s.g, v, lambda, result));
  s.A.add_block(0, 0, 1, 1)(0, 0) = -100;
  EXPECT_FALSE(solve_kkt_minres(s.A, s.R, s.C, s.p, s.g, v, lambda, result));
}

}  // namespace
}  // namespace delassus
