// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a body is and how it moves.
#pragma once
#include <Eigen/Core>

namespace delassus {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// x, v of the centre of mass in world axes, angular quantities in body axes. The accelerations are those that are
// prescribed (kinematic bodies), zero otherwise.
struct BodyKinematics {
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Vector6 velocity = Vector6::Zero();      // (v, ω)
  Vector6 acceleration = Vector6::Zero();  // (v̇, ω̇)
};

}  // namespace delassus
