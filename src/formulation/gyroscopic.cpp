// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/formulation/gyroscopic.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/rotation.hpp"

namespace delassus {
namespace {

// Newton's method for (1) converges in a few iterations where the body turns by less than this in a step [rad].
constexpr double k_turn = 0.5;
constexpr int k_max_steps = 64;
constexpr int k_max_iterations = 12;
// Of ω⁺, relative to the largest angular velocity in the step: some roundings.
constexpr double k_round_off = 8 * std::numeric_limits<double>::epsilon();

// One step of (1): ω becomes ω⁺. False: Newton's method does not converge.
bool take_step(const Matrix3& J, const Vector3& p, double h, double theta, Vector3& omega) {
  const Vector3 start = omega;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < k_max_iterations; ++i) {
    const Vector3 mean = theta * omega + (1 - theta) * start;
    const Vector3 residual = J * (omega - start) - p + h * mean.cross(J * mean);
    const Matrix3 slope = J - (theta * h) * gyroscopic_derivative(J, mean);
    const Vector3 change = slope.inverse() * residual;
    omega -= change;
    const double size = change.norm();
    if (size <= k_round_off * std::max(omega.norm(), start.norm())) return true;
    // Near the end round-off keeps the changes from falling.
    if (i > 2 && size >= last) return size <= 1e3 * k_round_off * std::max(omega.norm(), start.norm());
    last = size;
  }
  return false;
}

}  // namespace

Matrix3 gyroscopic_derivative(const Matrix3& J, const Vector3& omega) {
  return skew(J * omega) - skew(omega) * J;
}

Matrix3 gyroscopic_skew(const Matrix3& J, const Vector3& omega) {
  return skew(J * omega);
}

bool keeps_inertia_definite(const Matrix3& J, const Matrix3& derivative) {
  constexpr double margin = 0.75;
  const Matrix3 rest = (1 - margin) * J - 0.5 * (derivative + derivative.transpose());
  return Eigen::LLT<Matrix3>(rest).info() == Eigen::Success;
}

ImplicitSpin solve_implicit_spin(const Matrix3& J, const Vector3& omega, const Vector3& p, double h,
                                 double theta) {
  const bool turns_evenly = p.isZero(0) && omega.cross(J * omega).isZero(0);
  const bool sphere = Matrix3(J - J(0, 0) * Matrix3::Identity()).isZero(0);
  const ImplicitSpin none{Vector3::Zero(), omega};
  if (turns_evenly || sphere) return none;
  const double turn = h * (omega.norm() + (J.inverse() * p).norm());
  const int steps = static_cast<int>(std::clamp(std::ceil(turn / k_turn), 1.0, double{k_max_steps}));
  Vector3 end = omega, mean = Vector3::Zero();
  for (int i = 0; i < steps; ++i) {
    const Vector3 start = end;
    if (!take_step(J, p / steps, h / steps, theta, end)) return none;
    mean += (theta * end + (1 - theta) * start) / steps;
  }
  return {J * (end - omega) - p, mean};
}

}  // namespace delassus
