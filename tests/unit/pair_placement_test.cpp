// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The short ways to sums of curvatures and to velocity biases, against K itself, which differences of gradients give.
#include "delassus/model/joint/pair_placement.hpp"

#include <gtest/gtest.h>

#include "../support/random_problem.hpp"
#include "delassus/base/rotation.hpp"

namespace delassus::pair_placement_test {
namespace {

using testing::Random;

Vector3 random_vector3(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
  return {x, y, z};
}

BodyKinematics random_body(Random& random) {
  BodyKinematics out;
  out.x = random_vector3(random);
  out.R = rotation_matrix(quaternion_exponential(2 * random_vector3(random)));
  return out;
}

BodyKinematics moved(const BodyKinematics& body, const Vector6& w) {
  BodyKinematics out = body;
  out.x += w.head<3>();
  out.R = body.R * rotation_matrix(quaternion_exponential(w.tail<3>()));
  return out;
}

TEST(PairPlacement, CurvatureAndBias) {
  Random random(1);
  for (PairKind kind :
       {PairKind::slide, PairKind::dot, PairKind::length, PairKind::stretch, PairKind::angle}) {
    PairFunction f;
    f.kind = kind;
    for (Vector3* x : {&f.point_a, &f.point_b, &f.axis_a, &f.axis_b, &f.cosine_axis_a, &f.cosine_axis_b})
      *x = random_vector3(random);
    const BodyKinematics a = random_body(random), b = random_body(random);
    const PairPlacement at(a, b);
    // Column j of K is the derivative of g along δ_j.
    constexpr double step = 1e-5;
    Matrix12 K;
    for (int j = 0; j < 12; ++j) {
      const Vector12 delta = step * Vector12::Unit(j);
      PairValue plus, minus;
      evaluate(f, moved(a, delta.head<6>()), moved(b, delta.tail<6>()), false, plus);
      evaluate(f, moved(a, -delta.head<6>()), moved(b, -delta.tail<6>()), false, minus);
      K.col(j) = (plus.gradient - minus.gradient) / (2 * step);
    }
    const double tolerance = 1e-7 * (1 + K.cwiseAbs().maxCoeff());
    PairValue x;
    evaluate(f, at, true, x);
    EXPECT_LE((x.curvature - K).cwiseAbs().maxCoeff(), tolerance) << static_cast<int>(kind);
    EXPECT_NEAR(evaluate_value(f, a, b), x.value, 1e-14) << static_cast<int>(kind);
    Matrix12 sum = Matrix12::Ones();
    add_curvature(f, at, -3.0, sum);
    EXPECT_LE((sum - Matrix12::Ones() + 3.0 * K).cwiseAbs().maxCoeff(), 3 * tolerance)
        << static_cast<int>(kind);
    Vector12 V;
    for (int i = 0; i < 12; ++i) V[i] = random.uniform(-1, 1);
    EXPECT_NEAR(velocity_bias(f, at, V), V.dot(K * V), 20 * tolerance) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace delassus::pair_placement_test
