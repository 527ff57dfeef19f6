// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Gyroscopic forces of one rigid body over a step. With J the inertia about the centre of mass and ω in body axes the
// implicit step of the body alone is
//
//   J (ω⁺ − ω) = p − h ω_θ × J ω_θ,   ω_θ = θ ω⁺ + (1 − θ) ω                                             (1)
//
//   p (3) impulse of the other torques over the step [N·m·s]
//
// and the impulse is −h ω_θ × J ω_θ. Multiplied by ω_θ, with p = 0, (1) is
//
//   ½ ω⁺ᵀJω⁺ − ½ ωᵀJω = −(θ − ½) (ω⁺ − ω)ᵀ J (ω⁺ − ω)                                                    (2)
//
// so that the energy never grows for θ ≥ ½, whatever h is, and is kept at θ = ½, with the size of the angular momentum.
// Solved by Newton's method, fast spins in several steps of (1). A body that turns by tens of radians in the step may be
// left without the impulse: its energy stays bounded all the same.
//
// In the matrix of a step either the derivative of the torque stands, which is exact but bounds no energy, or the skew
//
//   −ω × J ω = F(ω) ω,   F(ω) = [Jω]×,   torque of the step  F(ω*) ω_θ                                    (3)
//
// which does no work on ω_θ whatever ω* is, with any joints and contacts; ω* is the ω_θ of (1), for order 2 of a free body
// [Potra et al. 2006, 10.14; Gavrea et al. 2008, 4.5].
//
// Cost: three or four 3×3 solves; none for a body at rest, or with the inertia of a sphere. Nothing is allocated.
#pragma once
#include "delassus/linalg/types.hpp"

namespace delassus {

struct ImplicitSpin {
  Vector3 impulse;  // −h ω_θ × J ω_θ [N·m·s]
  Vector3 mean;     // ω_θ, the mean of several steps [rad/s]
};
ImplicitSpin solve_implicit_spin(const Matrix3& J, const Vector3& omega, const Vector3& p, double h,
                                 double theta);

// ∂(−ω × J ω)/∂ω
Matrix3 gyroscopic_derivative(const Matrix3& J, const Vector3& omega);
// F of (3).
Matrix3 gyroscopic_skew(const Matrix3& J, const Vector3& omega);
// Whether the symmetric part of J − `derivative` is positive definite, and with a margin: at least three quarters of J. What comes nearer
// to zero is no approximation of a turning body any more, and gains energy.
bool keeps_inertia_definite(const Matrix3& J, const Matrix3& derivative);

}  // namespace delassus
