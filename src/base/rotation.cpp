// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/rotation.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace delassus {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Below this angle the series are exact to round-off with the terms written.
constexpr double k_small_angle = 1e-2;

// sin(a)/a
double sinc(double a) {
  if (std::abs(a) > k_small_angle) return std::sin(a) / a;
  const double s = a * a;
  return 1 - s / 6 * (1 - s / 20 * (1 - s / 42));
}

// (1 − cos a)/a²
double versine_ratio(double a) {
  const double half = sinc(0.5 * a);
  return 0.5 * half * half;
}

// (a − sin a)/a³
double sine_defect_ratio(double a) {
  const double s = a * a;
  if (std::abs(a) > 0.5) return (a - std::sin(a)) / (s * a);
  // Eight terms reach round-off at half a radian.
  double sum = 0, term = 1.0 / 6;
  for (int k = 0; k < 8; ++k) {
    sum += term;
    term *= -s / ((2.0 * k + 4) * (2.0 * k + 5));
  }
  return sum;
}

}  // namespace

Quaternion quaternion_product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quaternion quaternion_conjugate(const Quaternion& a) {
  return {a[0], -a[1], -a[2], -a[3]};
}

Matrix3d rotation_matrix(const Quaternion& rho) {
  const double w = rho[0], x = rho[1], y = rho[2], z = rho[3];
  Matrix3d R;
  R << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y);
  return R;
}

Quaternion quaternion_from_matrix(const Matrix3d& R) {
  const Eigen::Quaterniond q(R);
  const Quaternion rho(q.w(), q.x(), q.y(), q.z());
  return (rho[0] < 0 ? Quaternion(-rho) : rho).normalized();
}

Vector3d rotate(const Quaternion& rho, const Vector3d& a) {
  const Vector3d u = rho.tail<3>();
  const Vector3d b = 2.0 * u.cross(a);
  return a + rho[0] * b + u.cross(b);
}

Vector3d rotate_back(const Quaternion& rho, const Vector3d& a) {
  return rotate(quaternion_conjugate(rho), a);
}

Quaternion quaternion_exponential(const Vector3d& phi) {
  const double half = 0.5 * phi.norm();
  Quaternion out;
  out[0] = std::cos(half);
  out.tail<3>() = (0.5 * sinc(half)) * phi;
  return out;
}

Vector3d quaternion_logarithm(const Quaternion& rho) {
  const double sign = rho[0] < 0 ? -1.0 : 1.0, c = sign * rho[0];
  const Vector3d u = sign * rho.tail<3>();
  const double s = u.norm();
  // 2 atan2(s, c)/s; near s = 0 with c = 1 by its series in s/c.
  if (s > k_small_angle) return (2.0 * std::atan2(s, c) / s) * u;
  const double r = s / c, r2 = r * r;
  return (2.0 / c * (1 - r2 * (1.0 / 3 - r2 * (1.0 / 5 - r2 * (1.0 / 7 - r2 / 9))))) * u;
}

Quaternion quaternion_retract(const Quaternion& rho, const Vector3d& phi) {
  return quaternion_product(rho, quaternion_exponential(phi)).normalized();
}

Vector3d quaternion_difference(const Quaternion& a, const Quaternion& b) {
  return quaternion_logarithm(quaternion_product(quaternion_conjugate(b), a));
}

Matrix3d right_jacobian(const Vector3d& phi) {
  const double a = phi.norm();
  const Matrix3d X = skew(phi);
  return Matrix3d::Identity() - versine_ratio(a) * X + sine_defect_ratio(a) * X * X;
}

Matrix3d right_jacobian_inverse(const Vector3d& phi) {
  const double a = phi.norm(), half = 0.5 * a;
  const Matrix3d X = skew(phi);
  // (1 − (a/2) cot(a/2))/a²
  double c = 1.0 / 12;
  if (a > k_small_angle) {
    c = (1 - half * std::cos(half) / std::sin(half)) / (a * a);
  } else {
    const double s = a * a;
    c = 1.0 / 12 + s / 720 * (1 + s / 42);
  }
  return Matrix3d::Identity() + 0.5 * X + c * X * X;
}

Matrix3d frame_with_axis(const Vector3d& axis, const Vector3d& reference) {
  Vector3d x = reference - axis.dot(reference) * axis;
  if (x.norm() < 1e-6 * (1 + reference.norm())) {
    // The coordinate axis farthest from the given one.
    Eigen::Index k = 0;
    axis.cwiseAbs().minCoeff(&k);
    x = Vector3d::Unit(k) - axis[k] * axis;
  }
  Matrix3d out;
  out.col(0) = x.normalized();
  out.col(2) = axis;
  out.col(1) = out.col(2).cross(out.col(0));
  return out;
}

}  // namespace delassus
