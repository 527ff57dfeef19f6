// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Alternating directions (ADMM) on the contact law, the exact one too, with one factorisation for many iterations. The
// impulses are split: x obeys the dynamics, z the cones, y counts what is between them. As an iteration of v = z + y alone
// (Douglas and Rachford):
//
//   z = P_K(v),   y = v − z,   û = −σ D⁻¹ y                  û ∈ K*, û ⟂ z: the law holds exactly        (1)
//   (W + σ D⁻¹) x = σ D⁻¹ (z − y) − (u_free + shift(û) N)    W x + u_free + shift = û where x = z        (2)
//   v ← v + α (x − z)                                                                                   (3)
//
// with D = diag ρ_c the masses of the contacts, so that σ is a number without units. For the convex laws (shift 0) and
// W + Wᵀ positive semidefinite, redundant contacts too, it converges for every σ > 0 and 0 < α < 2; the shift of the
// exact law is that of the last û, no outer loop is needed.
//   σ      is balanced: impulses x − z and velocities σ D⁻¹ (z⁺ − z), relative to what they are errors of, are to
//          converge alike; every change of σ is a factorisation, and the checks become rarer.
//   (3)    is accelerated by Anderson's method over the last few iterations; a step after which ‖x − z‖ grows is taken back.
//   end    when the error has fallen enough, a few semismooth Newton steps (newton_system.hpp) from z.
// Source: [Acary, Brémond, Huber 2018; Boyd et al. 2011 §3]. Differs: masses as metric, Anderson, Newton steps at the end.
#pragma once
#include "delassus/solvers/cone/cone_solver.hpp"
#include "delassus/solvers/friction/anderson.hpp"
#include "delassus/solvers/friction/newton_system.hpp"
#include "delassus/solvers/friction/shifted_factor.hpp"

namespace delassus {

class AdmmSolver final : public ConeSolver {
 public:
  using ConeSolver::ConeSolver;
  std::string name() const override { return "admm"; }

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) override;
  int default_iterations() const override { return 3000; }

 private:
  // z = P_K(v).
  void project_all(const Vector& v, Vector& z) const;
  // (1) and (2) at v_: z_ and x_.
  void apply(const LocalProblem& problem);
  // σ that balances, from z_, x_ and the next z.
  double balanced_sigma(const LocalProblem& problem);
  bool change_sigma(double sigma, SolveStats& stats);
  // Newton steps from r_ while they improve.
  void polish(const LocalProblem& problem, SolveStats& stats);
  // √(Σ ‖a_c‖² / ρ_c)
  double impulse_norm(const Vector& a) const;

  double sigma_ = 0;
  ShiftedFactor factor_;
  Anderson anderson_;
  NewtonSystem system_;
  Vector v_, z_, x_, next_, next_z_, weights_, difference_, delta_;
};

}  // namespace delassus
