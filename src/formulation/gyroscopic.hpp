// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The gyroscopic impulse of one rigid body over a step, implicit and for the body alone: with J the inertia about the
// centre of mass and ω in body axes, ω⁺ is the solution of
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
// Cost: three or four 3×3 solves; none for a body at rest, or with the inertia of a sphere. Nothing is allocated.
#pragma once
#include "delassus/linalg/types.hpp"

namespace delassus {

Vector3 implicit_gyroscopic_impulse(const Matrix3& J, const Vector3& omega, const Vector3& p, double h,
                                    double theta);

// ∂(−ω × J ω)/∂ω
Matrix3 gyroscopic_derivative(const Matrix3& J, const Vector3& omega);

}  // namespace delassus
