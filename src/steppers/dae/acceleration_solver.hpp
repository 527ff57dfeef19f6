// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Velocities and accelerations with joints, without contacts:
//
//   v ← v + δ,  the least change (in kinetic energy) with  Gᵀ v = target                              (1)
//   M v̇ = k + G λ,   Gᵀ v̇ = −bias                                                                     (2)
//
// and the memory of generalised-α schemes that is made of them. Its a belongs to a shifted time (dae_formula.hpp): it starts as
//
//   a = v̇ + (α_m − α_f) h v̈                                                                           (3)
//
// with v̈ by a difference over a small step; a step of another length rescales the shift.
#pragma once
#include "delassus/linalg/kkt.hpp"
#include "delassus/steppers/dae/dae_formula.hpp"
#include "delassus/steppers/step_in_progress.hpp"

namespace delassus {

class AccelerationSolver {
 public:
  void use(LinearSolver solver) { kkt_.use(solver); }
  // By one factorisation for (1) and (2), whose rows `point` must keep. False when the mass matrix is not positive definite.
  bool factorize(const System& system, const PhasePoint& point);
  // At the factorised position. False when a result is not finite.
  bool project_velocity(PhasePoint& point);
  bool solve(const System& system, const PhasePoint& point, Vector& rate, Vector& lambda);
  // (3): the memory for a step of h from `point`; nothing is known when its sizes do not fit. False when accelerations are
  // not finite, or the mass matrix is not positive definite.
  bool prepare(const DaeFormula& formula, const System& system, const PhasePoint& point, double h,
               AccelerationMemory& memory);

 private:
  bool start(const DaeFormula& formula, const System& system, const PhasePoint& point, double h,
             AccelerationMemory& memory);
  BlockMatrix M_, M_begin_;
  KktFactor kkt_;
  Vector C_, k_, rhs_, delta_, lambda_;
  PhasePoint probe_;
  Vector w_, probe_rate_, probe_lambda_;
};

}  // namespace delassus
