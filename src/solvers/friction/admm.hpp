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
// exact law is that of the last û, no outer loop is needed. How fast depends on σ, and one value does not do: where
// contacts are redundant the way of their impulses to a solution is long, steps along it are velocities over σ, and the
// error stays the same for thousands of iterations.
//   balance     impulses x − z and velocities σ D⁻¹ (z⁺ − z), relative to what they are errors of, converge alike
//   excursion   when the error has not been halved from one look at σ to the next, σ is made smaller by a factor out of
//               10, 100, 1000 in turn until the next look, and then what it was
// Every change of σ is a factorisation; the looks become rarer.
// When the error has fallen enough, a few semismooth Newton steps (newton_system.hpp) from z give the last digits; a
// warm start begins with them.
// Source: [Boyd et al. 2011 §3], with over-relaxation and balanced residuals; [Acary, Brémond, Huber 2018] for the shift.
// Differs: masses as metric, excursions (a tenth of the iterations on a redundant tower), Newton steps at the end.
// Anderson's acceleration was tried: nothing was gained once there were excursions.
#pragma once
#include "delassus/solvers/cone/cone_solver.hpp"
#include "delassus/solvers/friction/newton_system.hpp"
#include "delassus/solvers/friction/shifted_factor.hpp"

namespace delassus {

class AdmmSolver final : public ConeSolver {
 public:
  using ConeSolver::ConeSolver;
  std::string name() const override { return "admm"; }

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) override;
  int default_iterations() const override { return 5000; }
  bool polishes() const override { return true; }
  WorkKind work_kind() const override { return WorkKind::admm; }

 private:
  // z = P_K(v).
  void project_all(const Vector& v, Vector& z) const;
  // v_ of (1) for the impulses r_ and their velocities.
  void begin(double sigma);
  // (1) to (3) at v_, which moves on; the z and x before that are kept.
  void advance(const LocalProblem& problem);
  // σ that balances, for the last step.
  double balanced_sigma(const LocalProblem& problem);
  // Keeps z and û. False: the matrix of (2) is singular.
  bool change_sigma(double sigma, SolveStats& stats);
  // Newton steps from r_ while they improve.
  void polish(const LocalProblem& problem, SolveStats& stats);
  // √(Σ ‖a_c‖² / ρ_c)
  double impulse_norm(const Vector& a) const;

  double sigma_ = 0;
  ShiftedFactor factor_;
  NewtonSystem system_;
  Vector v_, z_, x_, next_z_, weights_, difference_, delta_;  // weights_: 1/√ρ
};

}  // namespace delassus
