// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `moreau-jean`: Moreau's time stepping with a θ-method [Acary 2009, 16-18].
//
//   A (v⁺ − v) = h [(1−θ) k(t, q, v) + θ k(t+h, q, v)] + θ h² k_q v + G λ + H r                       (1)
//   A = M − θ h k_v − θ² h² k_q                                                                       (2)
//   Gᵀ (θ' v⁺ + (1−θ') v) = target,  θ' = max(θ, ½)                                                   (3)
//   active contacts (capturing_stepper.hpp):  contact law on  u⁺ + e u⁻                               (4)
//   q⁺ = q ⊞ h ((1−θ) v + θ v⁺)                                                                       (5)
//
// θ < ½ is for comparison: stiff forces gain energy. Order 1 across impacts and friction; 2 in free flight and with joints alone at θ = ½, 1 on curved contacts that
// persist. Differs from Acary 2009: the forces are linearised, as in all our schemes of one problem a step; M and G are those of
// q ⊞ h v/2, H that of q; joints hold for the velocity that moves the body (3), contacts for the velocity at the end.
// Without projection the joints hold for v⁺ too, and are order 1. With θ = ½ and contacts on the weighted velocity a contact at rest would ring at ±v (Gavrea et al. 2008, 9.1).
#include <algorithm>

#include "delassus/steppers/step_formula.hpp"

namespace delassus {

StepFormula moreau_jean_formula(double theta, DataPoint data) {
  return {.name = "moreau-jean",
          .alpha = theta,
          .gamma = theta,
          .sigma = 1,
          .rows = data,
          .directions = data,
          .mass = data,
          .joint_sigma = std::max(theta, 0.5),  // on less than the mean velocity they ring up
          .contacts_at_start = true,
          .gyroscopic_beforehand = true};
}

}  // namespace delassus
