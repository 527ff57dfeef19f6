// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `energy-midpoint`: an implicit midpoint rule whose energy balance is exact, for long smooth runs with joints.
//
//   v̄ = (v + v⁺)/2,   w = h v̄,   q⁺ = q ⊞ w,   q_m = q ⊞ w/2,   t_m = t + h/2                          (1)
//   M (v⁺ − v) = h k + c M w + G_d λ          M, k at (t_m, q_m, v̄)                                   (2)
//   Θ(t⁺, q⁺) = 0,   Pfaffian rows  Gᵀ v̄ = b at (t_m, q_m)                                            (3)
//   G_d = G + (ΔΘ + h target − Gᵀ w) ⊗ M w / wᵀ M w,   G, target at (t_m, q_m), one holonomic row each (4)
//   c = h (h P − ΔV − wᵀ k − X) / wᵀ M w                                                              (5)
//
//   P power of the forces without potential at (t_m, q_m, v̄) · ΔV change of the potential over the step
//   X = ΔT − v̄ᵀ M (v⁺ − v), the part of the change of kinetic energy that a varying M makes; 0 otherwise
//   In (4) M w and wᵀ M w are those of the velocities that the row touches.
//
// (4) is a discrete gradient: G_dᵀ w = ΔΘ + h target exactly, so the joints do no work unless they are driven. (5)
// closes what the midpoint rule misses of the potential. Multiplying (2) by v̄ gives
//
//   ΔT + ΔV = h P + λᵀ G_dᵀ v̄                                                                         (6)
//
// to round-off. Both corrections are O(h³) a step: order 2 in q and v; the step is symmetric in time. The velocity
// constraint Gᵀ v = target holds to O(h²), without drift; projecting v would change the energy, so `projection` is
// ignored. λ acts over the step as an impulse; because v may be off its constraint by ± O(h²), λ/h alternates by O(h).
//
// Source: the midpoint rule with discrete gradients [Gonzalez96, Gonzalez99]; one scalar c in place of a discrete
// gradient of V, so that any force may be among k. Where the motion nearly vanishes (4) and (5) divide small by
// small: corrections below the round-off of their own terms are left out, larger ones are limited.
#pragma once
#include <memory>

#include "delassus/steppers/stepper.hpp"

namespace delassus {

std::unique_ptr<Stepper> make_energy_midpoint_stepper(const StepperOptions& options);

}  // namespace delassus
