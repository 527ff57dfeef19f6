// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `alpha-gamma`: the two-parameter family of [Gavrea et al. 2008, 4.4].
//
//   q⁺ = q ⊞ h ((1−γ) v + γ v⁺)                                                                       (1)
//   A (v⁺ − v) = h [(1−α) k(t, q, v) + α k(t+h, q, v)] + α h² k_q v + G λ + H r                       (2)
//   A = M − α h k_v − α γ h² k_q                                                                      (3)
//   joints, contact and friction on the weighted velocity  v^α = α v⁺ + (1−α) v                       (4)
//
//   α ∈ (0, 1], γ ∈ [0, 1]. Presets: (½, ½) trapezoidal, (1, 1) implicit Euler, (1, ½) Moreau's midpoint rule.
//
// Order 2 at (½, ½) on smooth parts with data at q ⊞ h v/2, otherwise 1; energy bound for α ≥ ½ (Gavrea et al. 2008, Thm 5.1).
// v itself may ring at α = ½; v^α has bounded variation and is what Gavrea et al. 2008 proves convergence for: it is reported
// beside v.
// Differs from Gavrea et al. 2008: data at q (Gavrea et al.'s choice, order 1 on curved constraints) or at q ⊞ h v/2 by option; the
// gyroscopic part is h F v, Gavrea et al. 2008, (4.18), not (1−α) h F v as (4.5) misprints.
#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula alpha_gamma_formula(double alpha, double gamma, DataPoint data) {
  return {.name = "alpha-gamma",
          .alpha = alpha,
          .gamma = gamma,
          .sigma = alpha,
          .rows = data,
          .directions = data,
          .mass = data};
}

}  // namespace delassus
