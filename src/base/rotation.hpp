// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Rotations as unit quaternions ρ = (w, x, y, z), R(ρ) from body to world axes, perturbed on the right:
//
//   ρ ⊞ φ = ρ exp(φ/2)           φ: rotation vector in body axes                              [Tasora 2017, 46-54]   (1)
//   d/dt R = R [ω]×              ω: angular velocity in body axes                                          (2)
//   ω = J_r(φ) φ̇  along ρ ⊞ φ(t),   J_r(φ) = I − (1−cos|φ|)/|φ|² [φ]× + (|φ|−sin|φ|)/|φ|³ [φ]×²            (3)
//
// All functions are smooth through φ = 0 (series) and exact to round-off.
#pragma once
#include <Eigen/Core>

namespace delassus {

using Quaternion = Eigen::Vector4d;  // (w, x, y, z)

inline Quaternion identity_quaternion() {
  return {1, 0, 0, 0};
}

// [a]× b = a × b
inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

Quaternion quaternion_product(const Quaternion& a, const Quaternion& b);
Quaternion quaternion_conjugate(const Quaternion& a);
Eigen::Matrix3d rotation_matrix(const Quaternion& rho);
// The quaternion with w ≥ 0 of a rotation matrix.
Quaternion quaternion_from_matrix(const Eigen::Matrix3d& R);
// R(ρ) a and R(ρ)ᵀ a
Eigen::Vector3d rotate(const Quaternion& rho, const Eigen::Vector3d& a);
Eigen::Vector3d rotate_back(const Quaternion& rho, const Eigen::Vector3d& a);

// exp(φ/2): the rotation by |φ| about φ.
Quaternion quaternion_exponential(const Eigen::Vector3d& phi);
// The rotation vector with |φ| ≤ π.
Eigen::Vector3d quaternion_logarithm(const Quaternion& rho);
// (1), normalised; and its inverse: φ with b ⊞ φ = a.
Quaternion quaternion_retract(const Quaternion& rho, const Eigen::Vector3d& phi);
Eigen::Vector3d quaternion_difference(const Quaternion& a, const Quaternion& b);

// (3) and its inverse.
Eigen::Matrix3d right_jacobian(const Eigen::Vector3d& phi);
Eigen::Matrix3d right_jacobian_inverse(const Eigen::Vector3d& phi);

// A rotation whose z axis is `axis` (unit), and whose x axis is as near to `reference` as that allows; any x axis
// when the two are parallel.
Eigen::Matrix3d frame_with_axis(const Eigen::Vector3d& axis, const Eigen::Vector3d& reference);

}  // namespace delassus
