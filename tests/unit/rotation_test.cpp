// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace delassus::rotation_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double k_round_off = 5e-15;

// Rotation vectors of every size, from nothing to nearly half a turn.
std::vector<Vector3d> rotation_vectors() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<Vector3d> out{Vector3d::Zero()};
  for (double size : {1e-12, 1e-8, 1e-5, 1e-3, 9e-3, 1.1e-2, 0.1, 0.49, 0.51, 1.0, 2.0, 3.0, 3.14})
    out.push_back(size * Vector3d(normal(random), normal(random), normal(random)).normalized());
  return out;
}

Matrix3d exponential(const Vector3d& phi) {
  const double a = phi.norm();
  return a == 0 ? Matrix3d(Matrix3d::Identity()) : Eigen::AngleAxisd(a, phi / a).toRotationMatrix();
}

TEST(Rotation, ExponentialIsTheRotationAboutTheVector) {
  for (const Vector3d& phi : rotation_vectors()) {
    const Quaternion rho = quaternion_exponential(phi);
    EXPECT_NEAR(rho.norm(), 1, k_round_off);
    EXPECT_LT((rotation_matrix(rho) - exponential(phi)).norm(), k_round_off) << phi.norm();
    const Vector3d a(0.3, -0.7, 0.5);
    EXPECT_LT((rotate(rho, a) - exponential(phi) * a).norm(), k_round_off);
    EXPECT_LT((rotate_back(rho, rotate(rho, a)) - a).norm(), k_round_off);
    EXPECT_LT((rotation_matrix(quaternion_from_matrix(exponential(phi))) - exponential(phi)).norm(),
              k_round_off);
  }
}

TEST(Rotation, LogarithmUndoesTheExponential) {
  for (const Vector3d& phi : rotation_vectors()) {
    const Quaternion rho = quaternion_exponential(phi);
    EXPECT_LT((quaternion_logarithm(rho) - phi).norm(), k_round_off + 2e-15 * phi.norm()) << phi.norm();
    EXPECT_LT((quaternion_logarithm(-rho) - phi).norm(), k_round_off + 2e-15 * phi.norm());
    const Quaternion start = quaternion_exponential({0.4, 1.1, -0.2});
    EXPECT_LT((quaternion_difference(quaternion_retract(start, phi), start) - phi).norm(),
              k_round_off + 2e-15 * phi.norm());
  }
}

// ω of (2) along ρ ⊞ φ(t), by differences of the rotation itself.
TEST(Rotation, RightJacobianGivesTheAngularVelocity) {
  const Vector3d rate(0.3, -0.8, 0.55);
  for (const Vector3d& phi : rotation_vectors()) {
    const double h = 1e-5;
    const Matrix3d forward = exponential(phi + h * rate), back = exponential(phi - h * rate);
    const Matrix3d omega = exponential(phi).transpose() * (forward - back) / (2 * h);
    const Vector3d expected(omega(2, 1), omega(0, 2), omega(1, 0));
    EXPECT_LT((right_jacobian(phi) * rate - expected).norm(), 1e-9) << phi.norm();
    EXPECT_LT((right_jacobian(phi) * right_jacobian_inverse(phi) - Matrix3d::Identity()).norm(), 2e-13)
        << phi.norm();
  }
}

TEST(Rotation, FrameWithAxisIsAFrame) {
  for (const Vector3d& axis :
       {Vector3d(0, 0, 1), Vector3d(1, 0, 0), Vector3d(1, 2, -3).normalized().eval()}) {
    for (const Vector3d& reference : {Vector3d(1, 0, 0), Vector3d(0, 1, 1), axis}) {
      const Matrix3d R = frame_with_axis(axis, reference);
      EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), k_round_off);
      EXPECT_NEAR(R.determinant(), 1, k_round_off);
      EXPECT_LT((R.col(2) - axis).norm(), k_round_off);
      EXPECT_GE(R.col(0).dot(reference), -k_round_off);
    }
  }
}

}  // namespace
}  // namespace delassus::rotation_test
