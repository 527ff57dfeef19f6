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
//
// Start: a = v̇ + (α_m − α_f) h v̈, since a belongs to a shifted time; v̈ by a difference over a small step. A
// step of another length rescales that shift.
#pragma once
#include "delassus/steppers/dae/dae_equations.hpp"
#include "delassus/steppers/dae/implicit_stepper.hpp"
#include "delassus/steppers/projection.hpp"

namespace delassus {

// v̇ and λ at a phase without contacts, from (2).
class AccelerationSolver {
 public:
  // False when the mass matrix is not positive definite or a result is not finite.
  bool solve(const System& system, const StepperOptions& options, const Phase& phase, Vector& rate,
             Vector& lambda);
  int num_redundant() const { return kkt_.num_redundant(); }

 private:
  AssemblyData data_;
  Problem problem_;
  KktFactor kkt_;
};

class DaeStepper final : public ImplicitStepper {
 public:
  DaeStepper(const DaeFormula& formula, const StepperOptions& options);

 private:
  std::string prepare(const System& system, double h) override;
  KktEquations& begin(const System& system, double h) override;
  void accept(const System& system, double h) override;

  bool start_memory(const System& system, double h);
  void make_consistent(const System& system);
  double joint_power(const Vector& lambda);

  const DaeFormula formula_;
  DaeEquations equations_;
  Projector projector_;
  AccelerationSolver accelerations_;
  double joint_power_ = 0;  // at the beginning of the step [W]
  Phase probe_;
  AccelerationMemory next_;
  Vector w_, joint_velocity_;
  BlockMatrix M_;
  BilateralRows bilateral_;
};

}  // namespace delassus
