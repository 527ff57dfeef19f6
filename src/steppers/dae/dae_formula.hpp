// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The common form of the implicit schemes of Tasora 2017, §9 for smooth motions with joints, of which each named stepper
// is a member: the generalised-α method in the form of [AB07],
//
//   M(q⁺) v̇⁺ = k(t⁺, q⁺, v⁺) + G(q⁺) λ⁺,   Θ(t⁺, q⁺) = 0,   Pfaffian rows  Gᵀ v⁺ = b(t⁺)              (1)
//   (1−α_m) a⁺ + α_m a = (1−α_f) v̇⁺ + α_f v̇                                                          (2)
//   v⁺ = v + h ((1−γ) a + γ a⁺)                                                                       (3)
//   q⁺ = q ⊞ (h v + h² (β₀ a + β a⁺))                                                                 (4)
//
//   a (nv) is an auxiliary variable: it approximates v̇ at t + (α_m − α_f) h [m/s²] · λ joint forces [N]
//
// The equations of motion hold at the end of the step and not between two times, so that the order is 2 for a
// mass matrix that varies, and λ⁺ belongs to t⁺. Source: [Tasora 2017, 139-201]; its HHT (182) weights forces of both
// ends and is the same for constant M.
#pragma once
#include <string>

namespace delassus {

struct DaeFormula {
  std::string name;
  double alpha_m = 0, alpha_f = 0;  // of (2)
  double gamma = 0.5;               // weight of the new acceleration in (3)
  double beta = 0.25;               // weight of the new acceleration in (4)
  double beta_old = 0.25;           // β₀, weight of the old acceleration in (4): ½ − β
  // Weight of the new joint forces in the impulse over a step.
  double impulse_weight = 0.5;
};

// One function a scheme; its header states the equations, the order and where it differs from the source.
DaeFormula euler_implicit_formula();
DaeFormula trapezoidal_implicit_formula();
DaeFormula newmark_formula(double beta, double gamma);
DaeFormula hht_formula(double alpha);
DaeFormula generalized_alpha_formula(double rho_infinity);

}  // namespace delassus
