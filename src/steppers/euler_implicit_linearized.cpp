// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `euler-implicit-linearized`: the first Newton step of backward Euler, joints only [Tasora 2017, 160-161].
//
//   q⁺ = q ⊞ h v⁺                                                                                     (1)
//   [M − h k_v − h² k_q] (v⁺ − v) = h (k(t+h, q, v) + h k_q v) + G λ                                  (2)
//   Gᵀ v⁺ = target − Θ/h                                                                              (3)
//
//   M, G, Θ at q.
//
// Order 1. (3) takes back in each step the violation that the last one left, so that Θ stays O(h²) without
// projection. Differs from Tasora 2017: (148) lacks the term h k_q v of (2), (160) the Jacobians, which Tasora 2017 leaves out
// for simplicity.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula euler_implicit_linearized_formula() {
  return {.name = "euler-implicit-linearized",
          .alpha = 1,
          .gamma = 1,
          .sigma = 1,
          .rows = DataPoint::start,
          .directions = DataPoint::start,
          .mass = DataPoint::start,
          .stabilisation = 1,
          .joints_only = true};
}

}  // namespace delassus
