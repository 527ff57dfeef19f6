// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Scalar functions of two bodies, from which every joint, joint coordinate and line element is made:
//
//   slide    a·(p_B − p_A)                      a fixed in A                                            (1)
//   dot      a·b                                a fixed in A, b fixed in B                              (2)
//   length   |p_B − p_A|                                                                                (3)
//   stretch  (|p_B − p_A|² − L²)/(2L)           the elongation to first order, smooth at zero length    (4)
//   angle    atan2(a·b, a'·b')                  a, a' fixed in A, b, b' fixed in B                      (5)
//
// with the gradient g and its derivative K under the right perturbation (x + δx, R exp([δφ]×)) of both bodies:
//
//   δξ = gᵀ δ,   δg = K δ,   δ = (δx_A, δφ_A, δx_B, δφ_B);      ξ̇ = gᵀ V,   ξ̈ = gᵀ V̇ + Vᵀ K V            (6)
//
//   V = (v_A, ω_A, v_B, ω_B), linear velocities in world axes, angular ones in body axes. K is not symmetric:
//   rotations do not commute. For (1) with â = a in axes of A, e = R_Aᵀ(p_B − x_A), s_B the point in axes of B:
//   g = (−a, â × e, a, s_B × R_Bᵀa);  for (2): g = (0, â × R_Aᵀb, 0, b̂ × R_Bᵀa);  (5) follows from (2).
#pragma once
#include <cstdint>

#include "delassus/base/body_kinematics.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

enum class PairKind : std::uint8_t { slide, dot, length, stretch, angle };

struct PairFunction {
  PairKind kind = PairKind::slide;
  int body_a = -1, body_b = -1;       // k_world: fixed
  Vector3 point_a = Vector3::Zero();  // from the centre of mass, in body axes [m]
  Vector3 point_b = Vector3::Zero();
  Vector3 axis_a = Vector3::UnitZ();         // a, in axes of A
  Vector3 axis_b = Vector3::UnitZ();         // b, in axes of B
  Vector3 cosine_axis_a = Vector3::UnitX();  // a', b': angle only
  Vector3 cosine_axis_b = Vector3::UnitX();
  double reference_length = 1;  // L: stretch only [m]
};

struct PairValue {
  double value = 0;
  Vector12 gradient;   // g
  Matrix12 curvature;  // K
};

// `curvature` is filled only when asked for. The angle (5) is the one in (−π, π]; turns are counted elsewhere.
void evaluate(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b, bool curvature,
              PairValue& out);
double evaluate_value(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b);

}  // namespace delassus
