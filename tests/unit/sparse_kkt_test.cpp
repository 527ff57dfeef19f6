// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The sparse saddle-point factorisation on mechanisms of rigid bodies with revolute joints: chains, trees,
// stars and loops, against dense decompositions of the whole system.
#include "delassus/linalg/sparse_kkt.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "../support/mechanism_problem.hpp"
#include "../support/random_problem.hpp"
#include "delassus/linalg/kkt.hpp"

namespace delassus::sparse_kkt_test {
namespace {

using testing::Random;

using testing::chain;
using testing::k_mechanism_shapes;
using testing::make_joint;
using testing::make_mechanism;
using testing::max_abs;
using testing::random_vector3;
using testing::ring;
using testing::star;
using testing::tree;
using Mechanism = testing::MechanismProblem;
using Kind = testing::MechanismKind;
using Shape = testing::MechanismShape;
constexpr const auto& k_shapes = k_mechanism_shapes;

// Rows to round-off (a row of the hub sums 5 terms a joint), solution to the condition.
void expect_solved(const Mechanism& m, double solution_tolerance, const std::string& what) {
  SparseKkt kkt;
  ASSERT_TRUE(m.compute(kkt)) << what;
  EXPECT_EQ(kkt.num_redundant(), 0) << what;
  EXPECT_TRUE(kkt.redundant_rows().empty()) << what;
  Vector v, lambda;
  kkt.solve(m.p, m.g, v, lambda);
  EXPECT_LE(m.residual(v, lambda), 1e-14) << what;
  Vector b(m.p.size() + m.g.size());
  b << m.p, m.g;
  // Eleven bits more, so that the reference is right also with unscaled masses.
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const LongMatrix K = m.whole().cast<long double>();
  const Vector x = K.partialPivLu().solve(b.cast<long double>()).cast<double>();
  EXPECT_LE(max_abs(v - x.head(v.size())), solution_tolerance * max_abs(x.head(v.size()))) << what;
  EXPECT_LE(max_abs(lambda - x.tail(lambda.size())), solution_tolerance * max_abs(x.tail(lambda.size())))
      << what;
}

TEST(SparseKkt, Mechanisms) {
  Random random(1);
  for (const Shape& shape : k_shapes)
    for (int bodies : {2, 7, 15})
      for (bool symmetric : {true, false})
        for (bool separate : {true, false})
          for (bool compliant : {true, false}) {
            if (bodies == 2 && shape.joints == ring) continue;  // two joints between two bodies: 10 > 6 rows
            const Mechanism m =
                make_mechanism(random, bodies, shape.joints(bodies),
                               {.symmetric = symmetric, .separate = separate, .compliant = compliant});
            // The condition of 15 links with random frames is below 1e5.
            expect_solved(m, 1e-10, shape.name + std::to_string(bodies));
          }
}

TEST(SparseKkt, MassRatios) {
  Random random(2);
  for (const Shape& shape : k_shapes)
    for (double ratio : {1e4, 1e8})
      for (bool symmetric : {true, false}) {
        const Mechanism m =
            make_mechanism(random, 15, shape.joints(15), {.symmetric = symmetric, .mass_ratio = ratio});
        // The condition grows with the ratio.
        expect_solved(m, 1e-10 * ratio, shape.name + std::to_string(ratio));
      }
}

TEST(SparseKkt, ImpulseAtTheEndOfALongChain) {
  // Its effect decays to denormal numbers; the joints of the whole chain hold.
  Random random(14);
  Mechanism m = make_mechanism(random, 150, chain(150), {});
  m.p.head(m.p.size() - 6).setZero();
  m.g.setZero();
  SparseKkt kkt;
  ASSERT_TRUE(m.compute(kkt));
  Vector v, lambda;
  kkt.solve(m.p, m.g, v, lambda);
  const Matrix R = testing::dense(m.R);
  // Refinement ends at 32 ε of the terms of a row, a few entries of order one.
  EXPECT_LE(max_abs(R * v), 1e-14 * max_abs(v));
  EXPECT_LE(max_abs(testing::dense(m.A) * v - R.transpose() * lambda - m.p), 1e-14 * max_abs(lambda));
}

TEST(SparseKkt, ColumnsAtOnceAreThoseOfSingleSolves) {
  Random random(21);
  for (const int variant : {0, 1, 2}) {
    // The last one has factors that need sweeps of refinement.
    Mechanism m = make_mechanism(random, 30, chain(30), {.mass_ratio = variant == 2 ? 1e10 : 1.0});
    if (variant == 1) {
      // The same joint twice: every column takes the way of dependent rows.
      const BlockRows once = m.R;
      m.R.add_group(once, 0, once.group_rows(0));
      m.C.setZero(m.R.rows());
    }
    SparseKkt kkt;
    ASSERT_TRUE(m.compute(kkt));
    const Vector zero = Vector::Zero(m.R.rows());
    for (const int columns : {1, 3, 4, 6, 9}) {
      Matrix P(m.A.size(), columns), V;
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < m.A.size(); ++i) P(i, j) = i % 7 == j ? random.uniform(-1, 1) : 0.0;
      kkt.solve_homogeneous(P, V);
      Vector v, lambda;
      for (int j = 0; j < columns; ++j) {
        kkt.solve(P.col(j), zero, v, lambda);
        EXPECT_EQ(V.col(j), v) << "column " << j << " of " << columns;
      }
    }
  }
}

TEST(SparseKkt, UnitsDoNotMatter) {
  // Powers of two in every row and velocity: the scaled system is the same, to the bit.
  Random random(3);
  const Mechanism m = make_mechanism(random, 12, chain(12), {.separate = false});
  Mechanism other = m;
  const int nv = m.A.size(), nj = m.R.rows();
  Vector units(nv), row_units(nj);
  for (int i = 0; i < nv; ++i) units[i] = std::ldexp(1.0, random.integer(-20, 20));
  for (int i = 0; i < nj; ++i) row_units[i] = std::ldexp(1.0, random.integer(-20, 20));
  other.A = testing::to_block_matrix(units.asDiagonal() * testing::dense(m.A) * units.asDiagonal());
  other.R = testing::to_block_rows(row_units.asDiagonal() * testing::dense(m.R) * units.asDiagonal());
  other.p = units.cwiseProduct(m.p);
  other.g = row_units.cwiseProduct(m.g);
  // The same layout: one wide block each.
  Mechanism wide = m;
  wide.A = testing::to_block_matrix(testing::dense(m.A));
  wide.R = testing::to_block_rows(testing::dense(m.R));
  SparseKkt a, b;
  ASSERT_TRUE(wide.compute(a));
  ASSERT_TRUE(other.compute(b));
  Vector v, lambda, v_other, lambda_other;
  a.solve(wide.p, wide.g, v, lambda);
  b.solve(other.p, other.g, v_other, lambda_other);
  EXPECT_EQ(v, units.cwiseProduct(v_other));
  EXPECT_EQ(lambda, row_units.cwiseProduct(lambda_other));
}

TEST(SparseKkt, OverlappingBlocksAdd) {
  Random random(4);
  Mechanism m = make_mechanism(random, 8, chain(8), {});
  // Springs between bodies, as overlapping blocks of A; and every block of the rows in two halves.
  for (int b = 0; b + 2 < 8; ++b) {
    BlockRows spring;
    spring.clear(48);
    spring.add_group(1);
    spring.add_block(6 * b, 6) = random.matrix(1, 6);
    spring.add_block(6 * b + 3, 15) = random.matrix(1, 15);
    add_rank_one(spring, 0, 3.0, m.A);
  }
  BlockRows halves;
  halves.clear(48);
  for (int g = 0; g < m.R.num_groups(); ++g) {
    halves.add_group(5);
    for (int b = 0; b < m.R.num_blocks(g); ++b)
      for (double part : {0.25, 0.75}) halves.add_block(m.R.block_column(g, b), 6) = part * m.R.block(g, b);
  }
  m.R = halves;
  expect_solved(m, 1e-10, "halves");
}

// `count` joints of m once more, at the end; and the null vectors of the rows.
Mechanism with_duplicates(const Mechanism& m, int count, Matrix& null) {
  Mechanism out = m;
  const int nj = m.R.rows();
  null = Matrix::Zero(nj + 5 * count, 5 * count);
  for (int k = 0; k < count; ++k) {
    const int g = 2 * k;
    out.R.add_group(m.R, g, 5);
    for (int i = 0; i < 5; ++i) {
      null(m.R.first_row(g) + i, 5 * k + i) = 1;
      null(nj + 5 * k + i, 5 * k + i) = -1;
    }
  }
  out.C = Vector::Zero(out.R.rows());
  out.g.resize(out.R.rows());
  out.g.head(nj) = m.g;
  for (int k = 0; k < count; ++k) out.g.segment(nj + 5 * k, 5) = m.g.segment(m.R.first_row(2 * k), 5);
  return out;
}

// w_i = R_i diag(A)⁻¹ R_iᵀ: the weights of the norm.
Vector row_weights(const Mechanism& m) {
  const Matrix R = testing::dense(m.R);
  return (R * testing::dense(m.A).diagonal().cwiseInverse().asDiagonal() * R.transpose()).diagonal();
}

TEST(SparseKkt, DuplicatedJoints) {
  Random random(5);
  for (const Shape& shape : k_shapes)
    for (bool symmetric : {true, false})
      for (double ratio : {1.0, 1e4}) {
        const Mechanism m =
            make_mechanism(random, 20, shape.joints(20), {.symmetric = symmetric, .mass_ratio = ratio});
        Matrix null;
        const Mechanism redundant = with_duplicates(m, 4, null);
        SparseKkt kkt, reduced;
        ASSERT_TRUE(redundant.compute(kkt));
        ASSERT_TRUE(m.compute(reduced));
        EXPECT_EQ(kkt.num_redundant(), 20) << shape.name;
        std::vector<int> last;
        for (int i = m.R.rows(); i < redundant.R.rows(); ++i) last.push_back(i);
        EXPECT_EQ(kkt.redundant_rows(), last) << shape.name;
        Vector v, lambda, v_reduced, lambda_reduced;
        kkt.solve(redundant.p, redundant.g, v, lambda);
        reduced.solve(m.p, m.g, v_reduced, lambda_reduced);
        EXPECT_LE(redundant.residual(v, lambda), 1e-13) << shape.name;
        EXPECT_LE(max_abs(v - v_reduced), 1e-10 * ratio * max_abs(v_reduced)) << shape.name;
        // Least Σ w λ²: orthogonal to the null vectors.
        const Vector weighted = row_weights(redundant).cwiseProduct(lambda);
        EXPECT_LE(max_abs(null.transpose() * weighted), 1e-11 * max_abs(weighted)) << shape.name;
      }
}

// Four-bar loops in a plane of bodies in space: 4 revolute joints with parallel axes hold 20 rows, of which 3
// are redundant. A row of such loops, each hinged to the last.
TEST(SparseKkt, PlanarLoops) {
  Random random(6);
  constexpr int k_loops = 12;
  const auto make = [&](bool& ok) {
    Mechanism m;
    const int nv = 18 * k_loops;  // three moving bars a loop
    m.A.clear(nv);
    for (int b = 0; b < 3 * k_loops; ++b) m.A.add_block(6 * b, 6 * b, 6, 6) = testing::make_spd(random, 6);
    m.R.clear(nv);
    const auto hinge = [&](int body_a, int body_b, const Vector3& point, const Vector3& center_a,
                           const Vector3& center_b) {
      m.R.add_group(5);
      for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? body_a : body_b;
        if (body < 0) continue;
        const double sign = side == 0 ? 1 : -1;
        auto block = m.R.add_block(6 * body, 6);
        for (int k = 0; k < 3; ++k) {
          block(k, k) = sign;
          block.block(0, 3 + k, 3, 1) =
              sign * Vector3::Unit(k).cross(point - (side == 0 ? center_a : center_b));
        }
        block(3, 3) = sign;  // no rotation about x and y
        block(4, 4) = sign;
      }
    };
    for (int k = 0; k < k_loops; ++k) {
      const int base = k == 0 ? -1 : 3 * k - 2;  // the coupler of the loop before carries this one
      Vector3 points[4], centers[4];
      for (int i = 0; i < 4; ++i) points[i] = {random.uniform(-1, 1), random.uniform(-1, 1), 0};
      for (int i = 0; i < 4; ++i) centers[i] = {random.uniform(-1, 1), random.uniform(-1, 1), 0};
      hinge(3 * k, base, points[0], centers[0], centers[3]);
      hinge(3 * k + 1, 3 * k, points[1], centers[1], centers[0]);
      hinge(3 * k + 2, 3 * k + 1, points[2], centers[2], centers[1]);
      hinge(3 * k + 2, base, points[3], centers[2], centers[3]);
    }
    m.C = Vector::Zero(m.R.rows());
    m.p = random.vector(nv);
    m.g = testing::dense(m.R) * random.vector(nv);  // consistent
    ok = true;
    return m;
  };
  bool ok = false;
  const Mechanism m = make(ok);
  ASSERT_TRUE(ok);
  SparseKkt kkt;
  ASSERT_TRUE(m.compute(kkt));
  const Matrix R = testing::dense(m.R);
  const int rank = static_cast<int>(Eigen::FullPivLU<Matrix>(R).setThreshold(1e-9).rank());
  EXPECT_EQ(m.R.rows() - rank, 3 * k_loops);
  EXPECT_EQ(kkt.num_redundant(), 3 * k_loops);
  // A row is redundant when the rank of the rows up to it does not grow.
  std::vector<int> expected;
  int rank_before = 0;
  for (int i = 0; i < R.rows(); ++i) {
    const int rank_now =
        static_cast<int>(Eigen::ColPivHouseholderQR<Matrix>(R.topRows(i + 1)).setThreshold(1e-9).rank());
    if (rank_now == rank_before) expected.push_back(i);
    rank_before = rank_now;
  }
  EXPECT_EQ(kkt.redundant_rows(), expected);
  Vector v, lambda;
  kkt.solve(m.p, m.g, v, lambda);
  EXPECT_LE(m.residual(v, lambda), 1e-13);
  // The dense least-norm solution in the weights of the rows.
  const Vector root = row_weights(m).cwiseSqrt();
  const Matrix scaled = root.cwiseInverse().asDiagonal() * R;
  const auto A = testing::dense(m.A).ldlt();
  const Matrix S = scaled * A.solve(Matrix(scaled.transpose()));
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
  cod.setThreshold(1e-11);
  cod.compute(S);
  const Vector y = cod.solve(root.cwiseInverse().cwiseProduct(m.g - R * A.solve(m.p)));
  const Vector reference = y.cwiseQuotient(root);
  EXPECT_LE(max_abs(lambda - reference), 1e-8 * max_abs(reference));
}

TEST(SparseKkt, ContradictoryRightSides) {
  // Two equal joints with different targets: both are missed by half the difference (least squares of rows of
  // equal weight), everything else is as if both had the mean.
  Random random(7);
  for (const Shape& shape : k_shapes)
    for (double gap : {1e-6, 1.0}) {
      const Mechanism m = make_mechanism(random, 20, shape.joints(20), {});
      Matrix null;
      Mechanism contradictory = with_duplicates(m, 1, null), mean = contradictory;
      const int nj = m.R.rows();
      for (int i = 0; i < 5; ++i) {
        contradictory.g[nj + i] += gap;
        mean.g[nj + i] += 0.5 * gap;
        mean.g[i] += 0.5 * gap;
      }
      SparseKkt kkt;
      ASSERT_TRUE(contradictory.compute(kkt));
      Vector v, lambda, v_mean, lambda_mean;
      kkt.solve(contradictory.p, contradictory.g, v, lambda);
      kkt.solve(mean.p, mean.g, v_mean, lambda_mean);
      EXPECT_LE(mean.residual(v_mean, lambda_mean), 1e-13) << shape.name;
      EXPECT_LE(max_abs(v - v_mean), 1e-11 * max_abs(v_mean)) << shape.name;
      EXPECT_LE(max_abs(lambda - lambda_mean), 1e-10 * max_abs(lambda_mean)) << shape.name;
    }
}

TEST(SparseKkt, Corrections) {
  Random random(12);
  for (const Shape& shape : k_shapes)
    for (double ratio : {1.0, 1e4}) {
      const Mechanism m = make_mechanism(random, 15, shape.joints(15), {.mass_ratio = ratio});
      SparseKkt kkt;
      ASSERT_TRUE(m.compute(kkt));
      Vector v, lambda, v_short, lambda_short;
      kkt.solve(m.p, m.g, v, lambda);
      kkt.solve(m.p, m.g, v_short, lambda_short, KktAccuracy::correction);
      EXPECT_LE(max_abs(v_short - v), 1e-10 * ratio * max_abs(v)) << shape.name;
      EXPECT_LE(max_abs(lambda_short - lambda), 1e-10 * ratio * max_abs(lambda)) << shape.name;
      // Dependent rows keep the full way, also where they contradict each other.
      Matrix null;
      Mechanism contradictory = with_duplicates(m, 1, null);
      contradictory.g.tail(1).array() += 1;
      ASSERT_TRUE(contradictory.compute(kkt));
      kkt.solve(contradictory.p, contradictory.g, v, lambda);
      kkt.solve(contradictory.p, contradictory.g, v_short, lambda_short, KktAccuracy::correction);
      EXPECT_EQ(v_short, v) << shape.name;
      EXPECT_EQ(lambda_short, lambda) << shape.name;
    }
}

TEST(SparseKkt, SeparateDirectionsWithRedundantRows) {
  Random random(8);
  const Mechanism m = make_mechanism(random, 15, tree(15), {.separate = true});
  Matrix null;
  Mechanism redundant = with_duplicates(m, 2, null);
  // Dependent in another way than the rows: the impulses of the copies count double.
  for (int g : {0, 2}) {
    redundant.D.add_group(5);
    for (int b = 0; b < m.D.num_blocks(g); ++b)
      redundant.D.add_block(m.D.block_column(g, b), 6) = 2.0 * m.D.block(g, b);
  }
  SparseKkt kkt, reduced;
  ASSERT_TRUE(redundant.compute(kkt));
  ASSERT_TRUE(m.compute(reduced));
  std::vector<int> last;
  for (int i = m.R.rows(); i < redundant.R.rows(); ++i) last.push_back(i);
  EXPECT_EQ(kkt.num_redundant(), 10);
  EXPECT_EQ(kkt.redundant_rows(), last);
  Vector v, lambda, v_reduced, lambda_reduced;
  kkt.solve(redundant.p, redundant.g, v, lambda);
  reduced.solve(m.p, m.g, v_reduced, lambda_reduced);
  EXPECT_LE(redundant.residual(v, lambda), 1e-13);
  EXPECT_LE(max_abs(v - v_reduced), 1e-10 * max_abs(v_reduced));

  // Rows dependent, directions not: the momenta of a null vector do not vanish, but (1)-(2) can be solved.
  redundant.D.clear(m.A.size());
  for (int g = 0; g < redundant.R.num_groups(); ++g) {
    redundant.D.add_group(5);
    for (int b = 0; b < redundant.R.num_blocks(g); ++b)
      redundant.D.add_block(redundant.R.block_column(g, b), 6) =
          redundant.R.block(g, b) + 0.02 * random.matrix(5, 6);
  }
  ASSERT_TRUE(redundant.compute(kkt));
  // Counted by pivots, of which one may be large where directions are not those of the rows.
  EXPECT_GE(kkt.num_redundant(), 9);
  EXPECT_LE(kkt.num_redundant(), 10);
  kkt.solve(redundant.p, redundant.g, v, lambda);
  EXPECT_LE(redundant.residual(v, lambda), 1e-11);
}

TEST(SparseKkt, ZeroRowsAndCompliance) {
  Random random(9);
  Mechanism m = make_mechanism(random, 10, chain(10), {});
  m.R.add_group(2);  // rows without blocks
  m.C = Vector::Zero(m.R.rows());
  m.g.conservativeResize(m.R.rows());
  m.g.tail(2).setZero();
  SparseKkt kkt;
  ASSERT_TRUE(m.compute(kkt));
  EXPECT_EQ(kkt.redundant_rows(), (std::vector<int>{50, 51}));
  Vector v, lambda;
  kkt.solve(m.p, m.g, v, lambda);
  EXPECT_LE(m.residual(v, lambda), 1e-13);
  EXPECT_EQ(lambda.tail(2), Vector::Zero(2));

  Matrix null;
  Mechanism springs = with_duplicates(make_mechanism(random, 10, chain(10), {}), 3, null);
  springs.C.setConstant(0.3);
  expect_solved(springs, 1e-10, "compliant duplicates");
}

TEST(SparseKkt, ResultsDoNotDependOnEarlierSystems) {
  Random random(10);
  const Mechanism x = make_mechanism(random, 20, tree(20), {}),
                  same_pattern = make_mechanism(random, 20, tree(20), {}),
                  other = make_mechanism(random, 18, star(18), {.symmetric = false, .mass_ratio = 1e6});
  Matrix null;
  const Mechanism redundant = with_duplicates(x, 3, null);
  for (const Mechanism* m : {&x, &redundant}) {
    SparseKkt fresh, used;
    Vector v, lambda, v_again, lambda_again;
    ASSERT_TRUE(m->compute(fresh));
    fresh.solve(m->p, m->g, v, lambda);
    for (const Mechanism* before : {m, &same_pattern, &other, &redundant}) {
      ASSERT_TRUE(before->compute(used));
      used.solve(before->p, before->g, v_again, lambda_again);
      used.redundant_rows();
      ASSERT_TRUE(m->compute(used));
      used.solve(m->p, m->g, v_again, lambda_again);
      EXPECT_EQ(v, v_again);
      EXPECT_EQ(lambda, lambda_again);
      EXPECT_EQ(fresh.redundant_rows(), used.redundant_rows());
    }
  }
}

TEST(SparseKkt, RefusesWhatItCannotSolve) {
  Random random(11);
  const Mechanism m = make_mechanism(random, 6, chain(6), {});
  SparseKkt kkt;
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Mechanism broken = m;
    broken.A.add_block(3, 3, 1, 1)(0, 0) = bad;
    EXPECT_FALSE(broken.compute(kkt));
    broken = m;
    broken.R.add_group(1);
    broken.R.add_block(0, 1)(0, 0) = bad;
    broken.C = Vector::Zero(broken.R.rows());
    EXPECT_FALSE(broken.compute(kkt));
    broken = m;
    broken.C[3] = bad;
    EXPECT_FALSE(broken.compute(kkt));
  }
  Mechanism massless = m;
  massless.A.clear(36);
  massless.A.add_block(0, 0, 35, 35).setIdentity();
  EXPECT_FALSE(massless.compute(kkt));
  // And recovers.
  EXPECT_TRUE(m.compute(kkt));
  Vector v, lambda;
  kkt.solve(m.p, m.g, v, lambda);
  EXPECT_LE(m.residual(v, lambda), 1e-14);
}

TEST(SparseKkt, NoRows) {
  Random random(12);
  const Mechanism m = make_mechanism(random, 3, {}, {.symmetric = false});
  expect_solved(m, 1e-12, "no joints");
  Mechanism empty;
  empty.A.clear(0);
  empty.R.clear(0);
  SparseKkt kkt;
  if (empty.compute(kkt)) {
    Vector v, lambda;
    kkt.solve(Vector(), Vector(), v, lambda);
    EXPECT_EQ(v.size() + lambda.size(), 0);
  }
}

TEST(SparseKkt, DenseAndSparseAgreeAtTheBorder) {
  // 16 bodies are the last dense ones; the same mechanism with a free body more is solved as a whole.
  Random random(13);
  const Mechanism small = make_mechanism(random, 16, tree(16), {});
  Mechanism large = small;
  large.A.clear(102);
  large.A.add(small.A, 1.0);
  large.A.add_block(96, 96, 6, 6).setIdentity();
  large.R.clear(102);
  for (int g = 0; g < small.R.num_groups(); ++g) large.R.add_group(small.R, g, 5);
  KktFactor dense, sparse;
  ASSERT_TRUE(dense.compute(small.A, true, small.R, nullptr, small.C));
  ASSERT_TRUE(sparse.compute(large.A, true, large.R, nullptr, large.C));
  Vector p(102), v, lambda, v_large, lambda_large;
  p << small.p, random.vector(6);
  dense.solve(small.p, small.g, v, lambda);
  sparse.solve(p, small.g, v_large, lambda_large);
  EXPECT_LE(max_abs(v - v_large.head(96)), 1e-11 * max_abs(v));
  EXPECT_LE(max_abs(lambda - lambda_large), 1e-11 * max_abs(lambda));
  EXPECT_LE(max_abs(v_large.tail(6) - p.tail(6)), 1e-15);
}

}  // namespace
}  // namespace delassus::sparse_kkt_test
