// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of a DaeFormula for smooth motions with joints. One step is one solution of the equations of
// dae_formula.hpp by Newton's method, then, unless projection is `none`,
//
//   v⁺ ← v⁺ + δ,  the least change (in kinetic energy) with  Gᵀ v⁺ = target                           (1)
//   M v̇⁺ = k⁺ + G λ⁺,   Gᵀ v̇⁺ = −bias                                                                 (2)
//   a⁺ = ((1−α_f) v̇⁺ + α_f v̇ − α_m a)/(1−α_m)                                                         (3)
//
// Why: Θ = 0 alone lets the part of a⁺ along the joints obey e⁺ = −((½−β)/β) e + O(h), where e is its error. An
// undamped member (β = ¼) turns each error around and keeps it: λ alternates, and with β < ¼ grows. Damped
// members forget it slowly, and have λ to order 1 only until then. Projecting v alone would make the O(h) of
// the recursion permanent. With (2) the accelerations of the next step obey the joints too: λ⁺ has the order
// of q and v and does not alternate, for every member. Where there are no joints (1)-(3) change nothing, so the
// damping of fast motions is that of the scheme.
#pragma once
#include "delassus/steppers/dae/acceleration_solver.hpp"
#include "delassus/steppers/dae/dae_equations.hpp"
#include "delassus/steppers/dae/implicit_stepper.hpp"

namespace delassus {

class DaeStepper final : public ImplicitStepper {
 public:
  DaeStepper(const DaeFormula& formula, const StepperOptions& options);

 private:
  std::string prepare(StepInProgress& step, double h) override;
  KktEquations& begin(const StepInProgress& step, double h, Vector& x, Vector& Lambda) override;
  void accept(StepInProgress& step, double h, const Vector& x, const Vector& Lambda) override;

  void make_consistent(StepInProgress& step);
  double joint_power(const PhasePoint& point, const Vector& lambda);

  const DaeFormula formula_;
  DaeEquations equations_;
  AccelerationSolver accelerations_;
  double joint_power_ = 0, driven_power_ = 0;  // at the beginning of the step [W]
  AccelerationMemory next_;
  Vector w_, joint_velocity_;
  BlockMatrix M_;
};

}  // namespace delassus
