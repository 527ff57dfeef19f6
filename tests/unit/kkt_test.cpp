// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The saddle-point factorisation: residuals of both equations, redundant joint rows, refusal of matrices that
// are not positive definite; on the dense and on the sparse paths.
#include "delassus/linalg/kkt.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../support/random_problem.hpp"

namespace delassus::kkt_test {
namespace {

using testing::Random;

constexpr double k_residual = 1e-13;
constexpr double k_solution = 1e-10;  // residual times the condition of the random systems

double max_abs(const Matrix& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

struct System {
  BlockMatrix A;
  bool symmetric = true;
  BlockRows R, D;
  bool separate = false;
  Vector C, p, g;

  const BlockRows& directions() const { return separate ? D : R; }
  bool compute(KktFactor& kkt) const { return kkt.compute(A, symmetric, R, separate ? &D : nullptr, C); }
  // Residuals of (1) and (2), relative to their largest terms.
  double residual(const Vector& v, const Vector& lambda) const {
    const Matrix A_dense = testing::dense(A), R_dense = testing::dense(R),
                 D_dense = testing::dense(directions());
    const Vector Av = A_dense * v, Dl = D_dense.transpose() * lambda, Rv = R_dense * v,
                 Cl = C.cwiseProduct(lambda);
    const double momentum = max_abs(Av - Dl - p) / std::max({max_abs(Av), max_abs(Dl), max_abs(p)});
    const double joint_scale = std::max({max_abs(v), max_abs(Cl), max_abs(g)});
    return std::max(momentum, max_abs(Rv + Cl - g) / joint_scale);
  }
  // The whole matrix of (1)-(2), solved at once.
  std::pair<Vector, Vector> reference() const {
    const int nv = A.size(), nj = R.rows();
    Matrix K = Matrix::Zero(nv + nj, nv + nj);
    K.topLeftCorner(nv, nv) = testing::dense(A);
    K.topRightCorner(nv, nj) = -testing::dense(directions()).transpose();
    K.bottomLeftCorner(nj, nv) = testing::dense(R);
    K.bottomRightCorner(nj, nj) = C.asDiagonal();
    Vector rhs(nv + nj);
    rhs << p, g;
    const Vector x = K.partialPivLu().solve(rhs);
    return {x.head(nv), x.tail(nj)};
  }
};

enum class Compliance { none, all, some };

Vector make_compliance(Random& random, int nj, Compliance compliance) {
  Vector C = Vector::Zero(nj);
  if (compliance == Compliance::none) return C;
  for (int i = 0; i < nj; ++i)
    if (compliance == Compliance::all || i % 2 == 0) C[i] = random.uniform(0.01, 2);
  return C;
}

System make_dense_system(Random& random, int nv, int nj, bool symmetric, bool separate,
                         Compliance compliance) {
  System s;
  s.A = testing::to_block_matrix(symmetric ? testing::make_spd(random, nv)
                                           : testing::make_positive(random, nv));
  s.symmetric = symmetric;
  const Matrix R = random.matrix(nj, nv);
  s.R = testing::to_block_rows(R);
  s.separate = separate;
  if (separate) s.D = testing::to_block_rows(R + 0.1 * random.matrix(nj, nv));
  s.C = make_compliance(random, nj, compliance);
  s.p = random.vector(nv);
  s.g = random.vector(nj);
  return s;
}

// A chain of bodies with 3 velocities, neighbours tied by joints of 2 rows; with `coupled` a spring between
// neighbours makes A⁻¹ and the Schur complement full.
System make_chain(Random& random, int bodies, bool symmetric, bool separate, bool coupled) {
  System s;
  const int nv = 3 * bodies;
  s.A.clear(nv);
  s.symmetric = symmetric;
  s.separate = separate;
  for (int b = 0; b < bodies; ++b)
    s.A.add_block(3 * b, 3 * b, 3, 3) =
        symmetric ? testing::make_spd(random, 3) : testing::make_positive(random, 3);
  s.R.clear(nv);
  s.D.clear(nv);
  for (int b = 0; b + 1 < bodies; ++b) {
    s.R.add_group(2);
    s.D.add_group(2);
    for (int side = 0; side < 2; ++side) {
      const Matrix values = random.matrix(2, 3);
      s.R.add_block(3 * (b + side), 3) = values;
      s.D.add_block(3 * (b + side), 3) = values + 0.02 * random.matrix(2, 3);
    }
    if (coupled) {
      BlockRows spring;
      spring.clear(nv);
      spring.add_group(1);
      spring.add_block(3 * b, 6) = random.matrix(1, 6);
      add_rank_one(spring, 0, 5.0, s.A);
    }
  }
  s.C = Vector::Zero(s.R.rows());
  s.p = random.vector(nv);
  s.g = random.vector(s.R.rows());
  return s;
}

void expect_solved(const System& s, const char* what) {
  KktFactor kkt;
  ASSERT_TRUE(s.compute(kkt)) << what;
  EXPECT_EQ(kkt.num_redundant(), 0) << what;
  Vector v, lambda;
  kkt.solve(s.p, s.g, v, lambda);
  EXPECT_LE(s.residual(v, lambda), k_residual) << what;
  const auto [v_reference, lambda_reference] = s.reference();
  EXPECT_LE(max_abs(v - v_reference), k_solution * max_abs(v_reference)) << what;
  EXPECT_LE(max_abs(lambda - lambda_reference), k_solution * (max_abs(lambda_reference) + 1)) << what;

  // Unit impulses with the joints held: columns of the inverse.
  const Matrix P = Random(99).matrix(s.A.size(), 3);
  Matrix X;
  kkt.solve_homogeneous(P, X);
  for (int j = 0; j < P.cols(); ++j) {
    System column = s;
    column.p = P.col(j);
    column.g.setZero();
    EXPECT_LE(max_abs(X.col(j) - column.reference().first), k_solution) << what << " column " << j;
  }
}

TEST(KktFactor, DenseSystems) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial)
    for (bool symmetric : {true, false})
      for (bool separate : {true, false})
        for (Compliance compliance : {Compliance::none, Compliance::all, Compliance::some}) {
          const int nv = random.integer(1, 30), nj = random.integer(0, nv / 2);
          expect_solved(make_dense_system(random, nv, nj, symmetric, separate, compliance), "dense");
        }
}

TEST(KktFactor, MoreCompliantRowsThanVelocities) {
  Random random(2);
  for (bool symmetric : {true, false})
    expect_solved(make_dense_system(random, 4, 9, symmetric, false, Compliance::all), "springs as rows");
}

TEST(KktFactor, SparseSystems) {
  Random random(3);
  for (bool symmetric : {true, false})
    for (bool separate : {true, false})
      for (bool coupled : {true, false}) {
        expect_solved(make_chain(random, 10, symmetric, separate, coupled), "30 velocities, 18 joint rows");
        expect_solved(make_chain(random, 33, symmetric, separate, coupled), "99 velocities, 64 joint rows");
        expect_solved(make_chain(random, 50, symmetric, separate, coupled), "150 velocities, 98 joint rows");
      }
}

TEST(KktFactor, LargeFullMatrix) {
  Random random(4);
  for (bool symmetric : {true, false}) {
    expect_solved(make_dense_system(random, 96, 70, symmetric, false, Compliance::none), "largest dense");
    expect_solved(make_dense_system(random, 97, 66, symmetric, false, Compliance::some), "smallest sparse");
  }
}

TEST(KktFactor, WidelyDifferentUnits) {
  // Masses from 1e-6 to 1e6 and rows from 1e-4 to 1e4: only scaling can keep the residual.
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    System s = make_dense_system(random, 12, 4, true, false, Compliance::none);
    Vector mass(12);
    for (int i = 0; i < 12; ++i) mass[i] = std::pow(10, random.uniform(-3, 3));
    s.A = testing::to_block_matrix(mass.asDiagonal() * testing::dense(s.A) * mass.asDiagonal());
    Matrix R = testing::dense(s.R);
    for (int i = 0; i < 4; ++i) R.row(i) *= std::pow(10, random.uniform(-4, 4));
    s.R = testing::to_block_rows(R);
    KktFactor kkt;
    ASSERT_TRUE(s.compute(kkt));
    EXPECT_EQ(kkt.num_redundant(), 0);
    Vector v, lambda;
    kkt.solve(s.p, s.g, v, lambda);
    const Vector rows = R * v - s.g;
    for (int i = 0; i < 4; ++i)
      EXPECT_LE(std::abs(rows[i]),
                1e-12 * std::max(std::abs(s.g[i]), max_abs(R.row(i).cwiseProduct(v.transpose()))));
  }
}

TEST(KktFactor, RefinementHoldsTheJointRowsToRoundOff) {
  // Eigenvalues of A from 1 to 1e8: one elimination alone leaves several times the allowed error in the rows.
  Random random(17);
  for (int trial = 0; trial < 20; ++trial)
    for (bool symmetric : {true, false}) {
      System s = make_dense_system(random, 12, 4, symmetric, false, Compliance::none);
      const Matrix Q = random.matrix(12, 12).householderQr().householderQ();
      Vector eigenvalues(12);
      for (int i = 0; i < 12; ++i) eigenvalues[i] = std::pow(10.0, 8.0 * i / 11);
      s.A = testing::to_block_matrix(Q * eigenvalues.asDiagonal() * Q.transpose());
      KktFactor kkt;
      ASSERT_TRUE(s.compute(kkt));
      Vector v, lambda;
      kkt.solve(s.p, s.g, v, lambda);
      EXPECT_LE(max_abs(testing::dense(s.R) * v - s.g), 1e-14 * max_abs(v));
    }
}

TEST(KktFactor, OneObjectForManySystems) {
  // Sizes, patterns and kinds in turn: nothing of an earlier system may remain.
  Random random(6);
  KktFactor kkt;
  for (int trial = 0; trial < 12; ++trial) {
    const bool symmetric = trial % 2 == 0;
    const int bodies = trial % 3 == 0 ? 5 : trial % 3 == 1 ? 40 : 50;
    const System s = trial % 4 == 3 ? make_dense_system(random, 8, 0, symmetric, false, Compliance::none)
                                    : make_chain(random, bodies, symmetric, trial % 5 == 0, trial % 7 == 0);
    ASSERT_TRUE(s.compute(kkt));
    Vector v, lambda;
    kkt.solve(s.p, s.g, v, lambda);
    EXPECT_LE(s.residual(v, lambda), k_residual);
    EXPECT_EQ(lambda.size(), s.R.rows());
  }
}

TEST(KktFactor, SolvesAgainWithOtherRightSides) {
  Random random(7);
  System s = make_dense_system(random, 10, 3, true, false, Compliance::none);
  KktFactor kkt;
  ASSERT_TRUE(s.compute(kkt));
  for (int i = 0; i < 5; ++i) {
    s.p = random.vector(10);
    s.g = random.vector(3);
    Vector v, lambda;
    kkt.solve(s.p, s.g, v, lambda);
    EXPECT_LE(s.residual(v, lambda), k_residual);
  }
}

// A system with redundant rows, and the same without them. Columns of `null` span {n : Rᵀ n = 0}.
struct RedundantCase {
  System full, reduced;
  Matrix null;
  std::vector<int> last;  // of each dependent set
};

// Row `target` becomes Σ weights_i row_i of earlier rows.
RedundantCase make_redundant(Random& random, System independent, int num_dependent, bool duplicates) {
  RedundantCase out;
  out.reduced = independent;
  const Matrix R = testing::dense(independent.R);
  const int nj = static_cast<int>(R.rows()), total = nj + num_dependent;
  // Dependent rows follow somewhere after all the rows they need.
  Matrix rows(total, R.cols());
  Vector g(total);
  out.null = Matrix::Zero(total, num_dependent);
  rows.topRows(nj) = R;
  g.head(nj) = independent.g;
  for (int k = 0; k < num_dependent; ++k) {
    Vector weights = Vector::Zero(nj);
    if (duplicates) {
      weights[random.integer(0, nj - 1)] = 1;
    } else {
      for (int i = 0; i < nj; ++i) weights[i] = random.uniform(0.2, 1);
    }
    rows.row(nj + k) = weights.transpose() * R;
    g[nj + k] = weights.dot(independent.g);
    out.null.col(k).head(nj) = weights;
    out.null(nj + k, k) = -1;
    out.last.push_back(nj + k);
  }
  out.full = independent;
  out.full.R = testing::to_block_rows(rows);
  out.full.g = g;
  out.full.C = Vector::Zero(total);
  return out;
}

void expect_redundant_solved(const RedundantCase& c, const char* what) {
  KktFactor kkt, kkt_reduced;
  ASSERT_TRUE(c.full.compute(kkt)) << what;
  ASSERT_TRUE(c.reduced.compute(kkt_reduced)) << what;
  EXPECT_EQ(kkt.redundant_rows(), c.last) << what;
  EXPECT_EQ(kkt.num_redundant(), static_cast<int>(c.last.size())) << what;
  Vector v, lambda, v_reduced, lambda_reduced;
  kkt.solve(c.full.p, c.full.g, v, lambda);
  kkt_reduced.solve(c.reduced.p, c.reduced.g, v_reduced, lambda_reduced);
  EXPECT_LE(max_abs(v - v_reduced), 1e-11 * max_abs(v_reduced)) << what;
  EXPECT_LE(c.full.residual(v, lambda), 1e-12) << what;
  // Minimum norm of y_i = λ_i √S_ii: y ⟂ null space of the scaled complement, that is  Σ λ_i S_ii n_i = 0.
  const Matrix R = testing::dense(c.full.R);
  const Vector S = (R * testing::dense(c.full.A).partialPivLu().solve(Matrix(R.transpose()))).diagonal();
  const Vector weighted = lambda.cwiseProduct(S);
  EXPECT_LE(max_abs(c.null.transpose() * weighted), 1e-9 * max_abs(weighted)) << what;
}

TEST(KktFactor, DuplicatedRows) {
  Random random(8);
  for (int trial = 0; trial < 50; ++trial)
    for (bool symmetric : {true, false}) {
      const int nv = random.integer(4, 20), nj = random.integer(1, nv / 2);
      const System s = make_dense_system(random, nv, nj, symmetric, false, Compliance::none);
      expect_redundant_solved(make_redundant(random, s, random.integer(1, 3), true), "duplicated");
    }
}

TEST(KktFactor, DependentRows) {
  Random random(9);
  for (int trial = 0; trial < 50; ++trial)
    for (bool symmetric : {true, false}) {
      const int nv = random.integer(6, 20), nj = random.integer(2, nv / 2);
      const System s = make_dense_system(random, nv, nj, symmetric, false, Compliance::none);
      expect_redundant_solved(make_redundant(random, s, random.integer(1, 3), false), "dependent");
    }
}

TEST(KktFactor, DependentRowsOfALargeChain) {
  Random random(10);
  expect_redundant_solved(make_redundant(random, make_chain(random, 50, true, false, false), 2, true),
                          "chain");
}

TEST(KktFactor, ZeroRowIsRedundant) {
  Random random(11);
  System s = make_dense_system(random, 6, 3, true, false, Compliance::none);
  Matrix R = testing::dense(s.R);
  R.row(1).setZero();
  s.R = testing::to_block_rows(R);
  s.g[1] = 0;
  KktFactor kkt;
  ASSERT_TRUE(s.compute(kkt));
  EXPECT_EQ(kkt.redundant_rows(), std::vector<int>{1});
  Vector v, lambda;
  kkt.solve(s.p, s.g, v, lambda);
  EXPECT_LE(s.residual(v, lambda), k_residual);
  EXPECT_EQ(lambda[1], 0);
}

TEST(KktFactor, ComplianceRemovesRedundancy) {
  Random random(12);
  RedundantCase c =
      make_redundant(random, make_dense_system(random, 8, 3, true, false, Compliance::none), 2, true);
  c.full.C.setConstant(0.5);
  expect_solved(c.full, "compliant duplicates");
}

// false, whatever the rows are
void expect_refused(const Matrix& A, bool symmetric, const char* what) {
  Random random(13);
  const int nv = static_cast<int>(A.rows());
  const BlockMatrix blocks = testing::to_block_matrix(A);
  KktFactor kkt;
  EXPECT_FALSE(
      kkt.compute(blocks, symmetric, testing::to_block_rows(random.matrix(2, nv)), nullptr, Vector::Zero(2)))
      << what;
  BlockRows none;
  none.clear(nv);
  EXPECT_FALSE(kkt.compute(blocks, symmetric, none, nullptr, Vector())) << what;
}

TEST(KktFactor, RefusesSingularAndIndefinite) {
  Random random(14);
  for (int n : {5, 40, 120}) {
    Matrix indefinite = testing::make_spd(random, n);
    indefinite(n / 2, n / 2) = -1;
    expect_refused(indefinite, true, "negative diagonal");
    expect_refused(indefinite, false, "negative diagonal, non-symmetric");
    expect_refused(-testing::make_spd(random, n), true, "negative definite");
    Matrix saddle = Matrix::Identity(n, n);
    saddle(0, 1) = saddle(1, 0) = 2;  // positive diagonal, eigenvalues −1 and 3
    expect_refused(saddle, true, "indefinite with positive diagonal");
    Matrix hole = testing::make_spd(random, n);
    hole.row(1).setZero();
    hole.col(1).setZero();
    expect_refused(hole, true, "zero row");
    expect_refused(hole, false, "zero row, non-symmetric");
    expect_refused(Matrix::Zero(n, n), true, "zero");
    expect_refused(Matrix::Zero(n, n), false, "zero, non-symmetric");
  }
}

TEST(KktFactor, RefusesSingularToRoundOff) {
  // Rank n/2, but no pivot need be exactly zero.
  Random random(15);
  for (int n : {2, 5, 20, 60, 120})
    for (int trial = 0; trial < 200 / n; ++trial) {
      const Matrix B = random.matrix(n, n / 2);
      expect_refused(B * B.transpose(), true, "Gram matrix of fewer vectors");
      if (n > 96) continue;  // the sparse LU does not show its pivots
      const Matrix K = testing::make_positive(random, n / 2);
      expect_refused(B * K * B.transpose(), false, "singular, non-symmetric");
    }
}

TEST(KktFactor, RefusesNotFinite) {
  Random random(16);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (int n : {4, 120})
      for (bool symmetric : {true, false}) {
        Matrix A = testing::make_spd(random, n);
        A(2, 1) = A(1, 2) = bad;
        expect_refused(A, symmetric, "not finite");
      }
  System s = make_dense_system(random, 5, 2, true, false, Compliance::none);
  s.C[1] = std::numeric_limits<double>::quiet_NaN();
  KktFactor kkt;
  EXPECT_FALSE(s.compute(kkt));
}

// Rows with directions of their own may have a diagonal that is negative; whatever they are, other units of mass give the same
// velocities, bit by bit, and impulses in these units.
TEST(KktFactor, UnitsOfMassDoNotMatter) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    System s = make_dense_system(random, 12, 5, true, true, Compliance::none);
    Matrix D = testing::dense(s.R) + 0.1 * random.matrix(5, 12);
    D.row(3) *= -1;
    s.D = testing::to_block_rows(D);
    s.p.setZero();
    System heavy = s;
    constexpr double unit = 1 << 12;
    heavy.A = testing::to_block_matrix(unit * testing::dense(s.A));
    KktFactor kkt, heavy_kkt;
    ASSERT_TRUE(s.compute(kkt));
    ASSERT_TRUE(heavy.compute(heavy_kkt));
    EXPECT_EQ(kkt.num_redundant(), heavy_kkt.num_redundant());
    Vector v, lambda, heavy_v, heavy_lambda;
    kkt.solve(s.p, s.g, v, lambda);
    heavy_kkt.solve(heavy.p, heavy.g, heavy_v, heavy_lambda);
    EXPECT_TRUE(v == heavy_v);
    EXPECT_TRUE(unit * lambda == heavy_lambda);
    EXPECT_LE(s.residual(v, lambda), k_residual);
  }
}

TEST(KktFactor, AcceptsBadlyConditionedButDefinite) {
  // Eigenvalues from 1 to 1e-12, and masses from 1e-9 to 1e9.
  for (bool symmetric : {true, false}) {
    Vector diagonal(10);
    for (int i = 0; i < 10; ++i) diagonal[i] = std::pow(10.0, 2 * i - 9);
    const BlockMatrix A = testing::to_block_matrix(diagonal.asDiagonal());
    BlockRows none;
    none.clear(10);
    KktFactor kkt;
    EXPECT_TRUE(kkt.compute(A, symmetric, none, nullptr, Vector()));
    Matrix close = Matrix::Ones(2, 2);
    close(0, 0) += 1e-12;
    none.clear(2);
    const BlockMatrix nearly = testing::to_block_matrix(close);
    EXPECT_TRUE(kkt.compute(nearly, symmetric, none, nullptr, Vector()));
  }
}

}  // namespace
}  // namespace delassus::kkt_test
