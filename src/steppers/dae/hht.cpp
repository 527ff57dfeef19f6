// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `hht`: the method of Hilber, Hughes and Taylor [Tasora 2017, 180-188].
//
//   a⁺ = (1+α) v̇⁺ − α v̇,   γ = ½ − α,   β = (1−α)²/4,   α ∈ [−⅓, 0]                                  (1)
//
// Order 2; damps what is fast against h, the more the smaller α; α = 0 is the trapezoidal rule. In the common
// form α_f = −α, α_m = 0. Differs from Tasora 2017: written for accelerations, so that M may vary (M/(1+α) is missing
// in the matrix of Tasora 2017, 184).
#include "delassus/steppers/dae/dae_formula.hpp"

namespace delassus {

DaeFormula hht_formula(double alpha) {
  const double beta = 0.25 * (1 - alpha) * (1 - alpha);
  return {.name = "hht", .alpha_f = -alpha, .gamma = 0.5 - alpha, .beta = beta, .beta_old = 0.5 - beta};
}

}  // namespace delassus
