// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `anitescu-potra-stiff`: linearly implicit Euler with complementarity [Anitescu & Potra 2002, reference 2 of
// Potra et al. 2006].
//
//   q⁺ = q ⊞ h v⁺                                                                                     (1)
//   (M − h k_v − h² k_q)(v⁺ − v) = h k(t+h, q, v) + h² k_q v + G λ + H r,  constraints on v⁺          (2)
//
//   M, G, H at q.
//
// Order 1; unconditionally stable and damping for stiff springs and dampers (L-stable on linear ones). As the
// stiffness grows the step tends to the one with rigid links.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula anitescu_potra_stiff_formula() {
  return {.name = "anitescu-potra-stiff",
          .alpha = 1,
          .gamma = 1,
          .sigma = 1,
          .rows = DataPoint::start,
          .directions = DataPoint::start,
          .mass = DataPoint::start};
}

}  // namespace delassus
