// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Pair functions (model/joint/pair_function.hpp) of a joint that share their bodies: what depends on the bodies alone is
// computed once for all of them.
#pragma once
#include "delassus/model/joint/pair_function.hpp"

namespace delassus {

// Two bodies, and B as seen from A. The bodies must still be alive.
struct PairPlacement {
  PairPlacement(const BodyKinematics& body_a, const BodyKinematics& body_b)
      : a(body_a), b(body_b), R_AB(a.R.transpose() * b.R), x_AB(a.R.transpose() * (b.x - a.x)) {}

  const BodyKinematics& a;
  const BodyKinematics& b;
  Matrix3 R_AB;  // R_Aᵀ R_B
  Vector3 x_AB;  // R_Aᵀ (x_B − x_A)
};

// As evaluate() of the two bodies.
void evaluate(const PairFunction& f, const PairPlacement& at, bool curvature, PairValue& out);
// out += scale · K
void add_curvature(const PairFunction& f, const PairPlacement& at, double scale, Matrix12& out);
// VᵀKV: the part of ξ̈ that the velocities V = (v_A, ω_A, v_B, ω_B) cause.
double velocity_bias(const PairFunction& f, const PairPlacement& at, const Vector12& V);

}  // namespace delassus
