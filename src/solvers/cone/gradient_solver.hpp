// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Gradient methods minimise, over the cones, the convex function of which the contact law with fixed shifts s is the
// optimality condition [Tasora 2017, 122]:
//
//   min_{r ∈ K} f(r) = ½ rᵀ W r + (u_free + s N)ᵀ r,     ∇f = u + s N                                 (1)
//
// For all laws but the exact one s = 0. The exact law is the fixed point s_c = shift_c(u), found from outside:
// when the error of (1) has fallen below a share of the error of the law, which is then that of s, s moves
//
//   s ← s + θ (shift(u) − s)                                                                          (2)
//
// with θ = 1, halved whenever the error has not decreased over several moves. The gradient follows without a
// product with W. Lengths are measured by the masses of the contacts, ⟨a, b⟩ = Σ a_cᵀ b_c / ρ_c: the diagonal
// preconditioner, under which the projection onto the cones is still the Euclidean one, contact by contact.
#pragma once
#include "delassus/solvers/cone/cone_solver.hpp"

namespace delassus {

class GradientSolver : public ConeSolver {
 public:
  using ConeSolver::ConeSolver;
  SolverCapabilities capabilities() const override;

 protected:
  void begin_shifts();
  // Judges (r_, u_), keeps it when it is the best, and moves the shifts when it is time: true then.
  bool judge_and_move_shifts();
  double shift(int contact) const { return shifts_[contact]; }
  // ⟨a, b⟩.
  double dot(const Vector& a, const Vector& b) const;
  // (∇f)ᵀ d at velocities u.
  double slope(const Vector& u, const Vector& d) const;
  // x = P_K(r − step D (u + s N)), D = diag ρ_c.
  void step(const Vector& r, const Vector& u, double length, Vector& x) const;

 private:
  double fixed_shift_error() const;
  Vector shifts_;
  double damping_ = 1, last_error_ = 0;
  int moves_in_vain_ = 0;
};

}  // namespace delassus
