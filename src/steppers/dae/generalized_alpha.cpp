// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `generalized-alpha`: the method of Chung and Hulbert with joints [Tasora 2017, 189-201; AB07].
//
//   α_m = (2ρ−1)/(ρ+1),   α_f = ρ/(ρ+1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²                        (1)
//
//   ρ = ρ∞ ∈ [0, 1]: what is left after a step of a motion that is infinitely fast against h.
//
// Order 2 in q, v and λ; the least damping of slow motions among the second-order schemes of this family for a
// given ρ∞. ρ∞ = 0 removes fast motions in one step; ρ∞ = 1 does not damp at all. Differs from Tasora 2017: it says that
// ρ∞ = 1 behaves well with joints; it does not (dae_stepper.hpp).
#include "delassus/steppers/dae/dae_formula.hpp"

namespace delassus {

DaeFormula generalized_alpha_formula(double rho_infinity) {
  const double rho = rho_infinity, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  const double gamma = 0.5 + alpha_f - alpha_m, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  return {.name = "generalized-alpha",
          .alpha_m = alpha_m,
          .alpha_f = alpha_f,
          .gamma = gamma,
          .beta = beta,
          .beta_old = 0.5 - beta};
}

}  // namespace delassus
