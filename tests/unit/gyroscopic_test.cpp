// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The implicit gyroscopic impulse of a body: its equation, what it conserves, and spins of any speed.
#include "delassus/formulation/gyroscopic.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>

#include "../support/random_problem.hpp"

namespace delassus::gyroscopic_test {
namespace {

using testing::Random;

// An inertia that a body can have, in axes of its own.
Matrix3 make_inertia(Random& random) {
  const Matrix3 Q = Matrix3(random.matrix(3, 3)).householderQr().householderQ();
  const Vector3 second_moments = random.vector(3).cwiseAbs() + Vector3::Constant(0.05);
  const Vector3 principal = Vector3::Constant(second_moments.sum()) - second_moments;
  return Q * principal.asDiagonal() * Q.transpose();
}

TEST(Gyroscopic, ImpulseSolvesItsEquation) {
  Random random(11);
  for (int trial = 0; trial < 50; ++trial)
    for (const double theta : {0.5, 0.8, 1.0}) {
      const Matrix3 J = make_inertia(random);
      // A turn of less than half a radian: one step of the equation.
      const Vector3 omega = random.vector(3), p = 0.01 * random.vector(3);
      const double h = 0.1;
      const Vector3 impulse = solve_implicit_spin(J, omega, p, h, theta).impulse;
      const Vector3 end = omega + J.inverse() * (p + impulse), mean = theta * end + (1 - theta) * omega;
      EXPECT_LT((impulse + h * mean.cross(J * mean)).norm(), 1e-14 * J.norm() * omega.norm());
      EXPECT_GT(impulse.norm(), 0);
    }
}

TEST(Gyroscopic, EnergyIsKeptOrFallsAtAnySpeed) {
  Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix3 J = make_inertia(random);
    for (const double speed : {0.1, 1.0, 30.0, 1e3, 1e6})
      for (const double theta : {0.5, 1.0}) {
        const double h = 0.1;
        const Vector3 omega = speed * random.vector(3);
        const Vector3 end =
            omega + J.inverse() * solve_implicit_spin(J, omega, Vector3::Zero(), h, theta).impulse;
        const double before = omega.dot(J * omega), after = end.dot(J * end);
        EXPECT_LE(after, before * (1 + 1e-12)) << speed;
        if (theta > 0.5) continue;
        EXPECT_NEAR(after, before, 1e-12 * before) << speed;
        EXPECT_NEAR((J * end).norm(), (J * omega).norm(), 1e-12 * (J * omega).norm()) << speed;
      }
  }
}

TEST(Gyroscopic, NothingActsOnSpheresAndBodiesAtRest) {
  const Matrix3 sphere = 0.3 * Matrix3::Identity(), rod = Vector3(0.1, 1.0, 1.0).asDiagonal();
  const Vector3 omega(0.3, -0.7, 0.2), p(0.1, 0.2, 0.3), zero = Vector3::Zero();
  EXPECT_EQ(solve_implicit_spin(sphere, omega, p, 0.1, 0.5).impulse, zero);
  EXPECT_EQ(gyroscopic_derivative(sphere, omega), Matrix3::Zero());
  EXPECT_EQ(solve_implicit_spin(rod, zero, zero, 0.1, 0.5).impulse, zero);
  EXPECT_EQ(gyroscopic_derivative(rod, zero), Matrix3::Zero());
  EXPECT_GT(solve_implicit_spin(rod, omega, zero, 0.1, 0.5).impulse.norm(), 1e-3);
}

TEST(Gyroscopic, DerivativeIsThatOfTheTorque) {
  Random random(13);
  const Matrix3 J = make_inertia(random);
  const Vector3 omega = random.vector(3);
  const Matrix3 derivative = gyroscopic_derivative(J, omega);
  constexpr double step = 1e-6;
  for (int i = 0; i < 3; ++i) {
    const Vector3 a = omega + step * Vector3::Unit(i), b = omega - step * Vector3::Unit(i);
    const Vector3 difference = (-a.cross(J * a) + b.cross(J * b)) / (2 * step);
    // The torque is quadratic: the difference is exact but for round-off / step.
    EXPECT_LT((derivative.col(i) - difference).norm(), 1e-9 * J.norm());
  }
}

}  // namespace
}  // namespace delassus::gyroscopic_test
