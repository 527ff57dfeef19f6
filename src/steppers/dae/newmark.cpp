// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `newmark`: Newmark's family [Tasora 2017, 172-179].
//
//   q⁺ = q ⊞ (h v + h² ((½−β) v̇ + β v̇⁺)),   v⁺ = v + h ((1−γ) v̇ + γ v̇⁺)                             (1)
//
//   β ∈ (0, 1], γ ∈ [½, 1]. Presets: β = ¼ constant acceleration, β = 1/6 linear acceleration (stable for
//   h ω ≤ 2√3 only).
//
// Order 2 at γ = ½, otherwise 1 with damping; unconditionally stable for 2β ≥ γ. With β < ¼ the joint forces
// need the velocity constraint (dae_stepper.hpp): alone, Θ = 0 amplifies their error by (½−β)/β a step.
#include "delassus/steppers/dae/dae_formula.hpp"

namespace delassus {

DaeFormula newmark_formula(double beta, double gamma) {
  return {.name = "newmark", .gamma = gamma, .beta = beta, .beta_old = 0.5 - beta};
}

}  // namespace delassus
