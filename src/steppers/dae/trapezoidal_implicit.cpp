// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `trapezoidal-implicit`: the trapezoidal rule for positions and velocities [Tasora 2017, 162-169].
//
//   q⁺ = q ⊞ h (v + v⁺)/2,   v⁺ = v + h (v̇ + v̇⁺)/2,   M⁺ v̇⁺ = k⁺ + G⁺ λ⁺,   Θ(t⁺, q⁺) = 0             (1)
//
// Order 2, A-stable, no damping: fast motions ring. Without the velocity constraint the joint forces alternate
// (dae_stepper.hpp). Equal to `newmark` with β = ¼, γ = ½. Differs from Tasora 2017: accelerations of both ends instead
// of the mean mass matrix of (130), equal for constant M; −(2/h) C in (166), which is misprinted.
#include "delassus/steppers/dae/dae_formula.hpp"

namespace delassus {

DaeFormula trapezoidal_implicit_formula() {
  return {.name = "trapezoidal-implicit", .gamma = 0.5, .beta = 0.25, .beta_old = 0.25};
}

}  // namespace delassus
