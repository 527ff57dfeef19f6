// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/sparse_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "../support/random_problem.hpp"

namespace delassus::sparse_lu_test {
namespace {

using testing::Random;

constexpr int k_size = 12;

SparseLu analyzed_full_matrix() {
  std::vector<int> starts{0}, row_of, order;
  for (int j = 0; j < k_size; ++j) {
    for (int i = 0; i < k_size; ++i) row_of.push_back(i);
    starts.push_back((j + 1) * k_size);
    order.push_back(j);
  }
  SparseLu lu;
  EXPECT_TRUE(lu.analyze(starts, row_of, order));
  return lu;
}

// Small entries on the diagonal, good enough as pivots for themselves, and a last column that the others nearly give.
Matrix nearly_singular(Random& random, double distance) {
  Matrix K = random.matrix(k_size, k_size);
  constexpr double small_pivot = 2e-5;
  for (int i = 0; i < k_size - 1; ++i) K(i, i) = small_pivot;
  K.col(k_size - 1) = K.leftCols(k_size - 1) * random.vector(k_size - 1);
  K(k_size - 1, k_size - 1) += distance;
  return K;
}

TEST(SparseLu, WhereEntriesMustNotGrowNearlySingularMatricesKeepTheirDigits) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    // Round-off of entries of order one, 1e-16, changes the distance by a few parts in a thousand at most.
    const Matrix K = nearly_singular(random, 1e-12);
    const LongMatrix inverse = K.cast<long double>().fullPivLu().inverse();
    const auto error = [&](double largest_growth) {
      SparseLu lu = analyzed_full_matrix();
      std::vector<double> values(K.data(), K.data() + K.size());
      EXPECT_TRUE(lu.factorize(values, SparseLu::Pivots::any, largest_growth));
      Matrix X = Matrix::Identity(k_size, k_size);
      lu.solve_in_place(X);
      return static_cast<double>((X.cast<long double>() - inverse).norm() / inverse.norm());
    };
    EXPECT_LE(error(100), 0.05) << trial;
    EXPECT_GE(error(std::numeric_limits<double>::infinity()), 0.05) << trial;
  }
}

}  // namespace
}  // namespace delassus::sparse_lu_test
