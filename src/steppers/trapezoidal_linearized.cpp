// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `trapezoidal-linearized`: the first Newton step of the trapezoidal rule, joints only [Tasora 2017, 170-171].
//
//   q⁺ = q ⊞ h (v + v⁺)/2                                                                             (1)
//   A (v⁺ − v) = (h/2) [k(t, q, v) + k(t+h, q, v) + h k_q v] + G λ                                    (2)
//   A = M − (h/2) k_v − (h²/4) k_q                                                                    (3)
//   Gᵀ v⁺ = −(2/h) Θ,   Gᵀ and Θ at (t+h, q ⊞ h v/2);   Pfaffian rows on (v + v⁺)/2                   (4)
//
//   M and the directions G of (2) in the middle, (t+h/2, q ⊞ h v/2).
//
// Order 2. (4) is Θ(t+h, q⁺) = 0 linearised, so that Θ stays O(h³) without projection. Like the trapezoidal rule it
// then turns around each step what v violates of the velocity constraint, O(h) of it, and λ alternates: q is of
// order 2, v in the mean. With projection v is put back by A δ = G η with A and G of (2), and q⁺ follows it; by mass
// and directions of the end the order would be 1.
// `rows_at_start`: the simpler rows that Tasora 2017 mentions,
//
//   Gᵀ v⁺ = target − Θ/h,   all of it at (t, q)                                                       (5)
//
// which need no rows of another time, and a symmetric problem. They pull Θ back as well, but v⁺ belongs to the joints as they were: order 1.
// Differs from Tasora 2017: −(2/h) in (4), which (170) misprints as −1/h.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula trapezoidal_linearized_formula(bool rows_at_start) {
  if (rows_at_start)
    return {.name = "trapezoidal-linearized",
            .alpha = 0.5,
            .gamma = 0.5,
            .sigma = 1,
            .rows = DataPoint::start,
            .directions = DataPoint::start,
            .stabilisation = 1,
            .joints_only = true};
  return {.name = "trapezoidal-linearized",
          .alpha = 0.5,
          .gamma = 0.5,
          .sigma = 1,
          .stabilisation = 2,
          .end_time = true,
          .joints_only = true};
}

}  // namespace delassus
