// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `euler-implicit`: backward Euler with the joints at the end of the step [Tasora 2017, 152-159].
//
//   q⁺ = q ⊞ h v⁺,   M⁺ (v⁺ − v) = h (k⁺ + G⁺ λ⁺),   Θ(t⁺, q⁺) = 0                                    (1)
//
// Order 1; L-stable, damps every motion that is fast against h, and slow ones by O(h). Differs from Tasora 2017: M at
// q⁺, where the forces are, not the mean of both ends; Δq = h Δv in (155), −C/h in (156), which are misprinted.
#include "delassus/steppers/dae/dae_formula.hpp"

namespace delassus {

DaeFormula euler_implicit_formula() {
  // v⁺ = v + h a⁺ turns h v + h² a⁺ of (4) into h v⁺.
  return {.name = "euler-implicit", .gamma = 1, .beta = 1, .beta_old = 0, .impulse_weight = 1};
}

}  // namespace delassus
