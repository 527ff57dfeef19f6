// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `trapezoidal-2`: linearly implicit trapezoidal method, constraints on the mean velocity [Potra et al. 2006, 6.10].
//
//   q⁺ = q ⊞ h (v + v⁺)/2                                                                             (1)
//   A (v⁺ − v) = (h/2) [k(t, q, v) + k(t+h, q, v) + h k_q v] + G λ + H r                              (2)
//   A = M − (h/2) k_v − (h²/4) k_q                                                                    (3)
//   joints, contact and friction on (v + v⁺)/2                                                        (4)
//
//   M, G, H at q ⊞ h v/2.
//
// Order 2 on smooth parts, curved constraints included, and with located events overall. Joints drift by
// O(h²) unless projection is on. A sticking contact rings at ±v unless its transition is located, which stops
// it at v = 0; stable but not damping for very stiff forces (h δ ≫ m rings as the trapezoidal rule does).
// Differs from Potra et al. 2006: the bracket of (2) has h k_q v, not (h/2) k_q v as (2.8), (2.14), (6.9) misprint; M in the
// middle, since M(q) as (6.9) has it loses order 2 when M varies.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula trapezoidal_2_formula() {
  return {.name = "trapezoidal-2", .alpha = 0.5, .gamma = 0.5, .sigma = 0.5};
}

}  // namespace delassus
