// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `leapfrog`: drift, kick, drift [Hairer, Lubich and Wanner 2003], with joints, contact and friction.
//
//   M (v⁺ − v) = h k(t+h/2, q ⊞ h v/2, v) + G λ + H r                                                 (1)
//   q⁺ = q ⊞ h (v + v⁺)/2                                                                             (2)
//   joints, contact and friction on (v + v⁺)/2                                                        (3)
//
//   M, G, H at q ⊞ h v/2.
//
// Order 2 where forces do not depend on velocities, otherwise 1: the k of (1) has v, not the velocity of the middle. Gyroscopic forces of
// rigid bodies are not among these, they are implicit. Explicit: stable while h ω < 2; below it the energy of springs swings, and does not grow.
// One evaluation of the forces a step.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula leapfrog_formula() {
  return {.name = "leapfrog",
          .alpha = 0.5,
          .gamma = 0.5,
          .sigma = 0.5,
          .forces = DataPoint::middle,
          .implicit_forces = false};
}

}  // namespace delassus
