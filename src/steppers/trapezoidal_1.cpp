// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `trapezoidal-1`: linearly implicit trapezoidal method, constraints on the end velocity [Potra et al. 2006, 6.12].
//
//   q⁺ = q ⊞ h (v + v⁺)/2                                                                             (1)
//   A (v⁺ − v) = (h/2) [k(t, q, v) + k(t+h, q, v) + h k_q v] + G λ + H r                              (2)
//   A = M − (h/2) k_v − (h²/4) k_q                                                                    (3)
//   joints, contact and friction on v⁺                                                                (4)
//
//   M, G, H at q ⊞ h v/2.
//
// Order 2 for straight constraints (flat tables, linear joints); on curved ones the rows (4) belong to the
// end of the step while the data belong to its middle, and the order drops to 1. With `rows_at_end` the rows
// of (4) are taken at q ⊞ h v, the impulse directions of (2) stay in the middle: order 2, a non-symmetric
// problem (ours, not Potra et al.'s). Joints that are projected hold for (v + v⁺)/2 instead, of order 2 (step_formula.hpp (5)): on v⁺ a
// crank loses some percent of its speed a turn at a thousand steps. Friction is stiffly stable: a contact that sticks has v⁺ = 0, no ringing.
// Differs from Potra et al. 2006: the bracket of (2) has h k_q v, not (h/2) k_q v as (2.8), (2.14), (6.9) misprint; M in the
// middle.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula trapezoidal_1_formula(bool rows_at_end) {
  return {.name = "trapezoidal-1",
          .alpha = 0.5,
          .gamma = 0.5,
          .sigma = 1,
          .rows = rows_at_end ? DataPoint::end : DataPoint::middle};
}

}  // namespace delassus
