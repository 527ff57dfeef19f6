// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `anitescu-potra`: semi-implicit Euler with complementarity [Anitescu and Potra 1997, §4].
//
//   q⁺ = q ⊞ h v                                                                                      (1)
//   M (v⁺ − v) = h k(t, q, v) + G λ + H r,   joints, contact and friction on v⁺                       (2)
//
//   M, G, H at q⁺ (default), at q, or at q ⊞ h v/2 (Anitescu and Potra 1997, §4 names all three).
//
// Order 1. The forces are explicit (Coriolis terms of Lagrangian systems too), so stiff springs need small steps: use
// anitescu-potra-stiff. The kinetic energy after a step never exceeds that of the free step (Anitescu and Potra 1997, 2.22).
// Differs from Anitescu and Potra 1997: gyroscopic torques of rigid bodies are implicit (step_formula.hpp (6)), for explicit ones
// make a free top gain energy without bound; the misprint v⁺ = (1+e)v^c − v⁻ is corrected to (1+e)v^c − e v⁻ (impact law `simplified`).
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula anitescu_potra_formula(DataPoint data) {
  return {.name = "anitescu-potra",
          .alpha = 0,
          .gamma = 0,
          .sigma = 1,
          .rows = data,
          .directions = data,
          .mass = data,
          .implicit_forces = false,
          .gyroscopic_beforehand = true};
}

}  // namespace delassus
