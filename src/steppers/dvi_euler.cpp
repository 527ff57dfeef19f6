// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `dvi-euler`: semi-implicit Euler for differential variational inequalities [Tasora 2017, 107-123].
//
//   M (v⁺ − v) = h k(t, q, v) + G λ + H r                                                             (1)
//   Gᵀ v⁺ = target − Θ/h,   contact law on  u⁺ + max(Φ/h, −η) along the normal                        (2)
//   q⁺ = q ⊞ h v⁺                                                                                     (3)
//
//   M, G, H at q; η is the recovery speed [m/s].
//
// With `implicit_forces` the stiffness stands in the matrix [Tasora 2017, 148 in 123], as in one Newton step of backward Euler:
//
//   [M − h k_v − h² k_q] (v⁺ − v) = h k(t+h, q, v) + h² k_q v + G λ + H r                             (4)
//
// Order 1. The forces of (1) are explicit: stiff ones need small steps, or (4), which damps them whatever the step. With the convex law this is
// Tasora's scheme (121), in which a sliding contact opens to h μ‖u_T‖; with the exact law it does not open. Restitution is
// not in Tasora 2017, (capturing_stepper.hpp). Differs from Tasora 2017: its (112) and (113) have their index sets swapped, its
// (148) lacks h² k_q v, without which stiff springs ring and do not come to rest.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula dvi_euler_formula(bool implicit_forces) {
  return {.name = "dvi-euler",
          .alpha = implicit_forces ? 1.0 : 0.0,
          .gamma = 1,
          .sigma = 1,
          .rows = DataPoint::start,
          .directions = DataPoint::start,
          .mass = DataPoint::start,
          .contacts_at_start = true,
          .implicit_forces = implicit_forces,
          .gyroscopic_beforehand = true,
          .stabilisation = 1,
          .limits_recovery = true};
}

}  // namespace delassus
