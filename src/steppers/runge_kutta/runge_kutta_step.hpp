// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// One step of a Runge-Kutta method on the smooth motion of constrained_motion.hpp [Acary 2009, 73], on the manifold of the
// configurations by the method of Munthe-Kaas: the position of a stage is q ⊞ W_i with
//
//   W_i = h Σ_j a_ij W'_j,   W'_i = rate of w at which q ⊞ w moves with V_i  (dexp⁻¹ of rotations)    (1)
//   V_i = v + h Σ_j a_ij V'_j,   M_i V'_i = k_i + G_i λ_i + D_i f_i,   R_i V'_i = −bias_i              (2)
//   q⁺ = q ⊞ h Σ_i b_i W'_i,   v⁺ = v + h Σ_i b_i V'_i                                                 (3)
//
// so that the order is that of the method, rotations, joints and contacts included.
//
// Explicit methods solve (2) once a stage. Collocation methods iterate: corrections (δ_i, φ_i) of (V'_i, forces) from
//
//   M δ_i − Σ_j (h a_ij k_v + h² (a²)_ij k_q) δ_j − D φ_i = −F_i,   R δ_i = −R_i                       (4)
//
// with the matrices of the beginning of the step, but k_v with friction across the slips of the stage i itself, which are taken anew
// where that converges slowly, as where a slip begins: its speeds are not known before; F_i and R_i are the residuals of (2). First without k_v and k_q, where one
// factorisation serves all stages; where that converges slowly, stiff forces are in the motion, and (4) is solved for all stages
// at once. Stiff springs and dampers are then followed by the stability of the method: Radau IIA damps them (L-stable).
// Where contacts that slip share their loads, so that the motion depends on the shares, those of a stage are the least ones there as at the beginning
// of a step, found anew in every iteration: shares that follow from the corrections are others, and the order would be lost.
// Where even that fails while slips begin, they are followed from ones that hardly turn: d_i = (ρ d + u_i)/(ρ + |u_i|) with ρ that falls by tens,
// each solution the beginning of the next, and ρ = 0 at last.
// Cost: explicit, s factorisations; collocation, one, and s evaluations an iteration.
#pragma once
#include <vector>

#include "delassus/steppers/runge_kutta/constrained_motion.hpp"
#include "delassus/steppers/runge_kutta/tableau.hpp"

namespace delassus {

// What the forces of a step have done: integrals over it by the weights b of the method.
struct StepIntegrals {
  Vector joint_impulses;    // [N·s]
  Vector contact_impulses;  // per row of the contacts [N·s]
  // [J]: forces without potential, friction, normal forces, joints; of the last two what prescribed motions bring
  double nonconservative = 0, friction = 0, normal = 0, joints = 0, driven = 0;
};

class RungeKuttaStep {
 public:
  explicit RungeKuttaStep(const Tableau& tableau) : tableau_(tableau), stages_(tableau.c.size()) {}

  // From `begin`, which has been placed and solved, over h; `slips_grow`: none of the slips is coming to its end. False: `failure` says why.
  bool take(ConstrainedMotion& motion, const MotionPoint& begin, double h, ForceDerivatives derivatives,
            bool slips_grow, Phase& end);
  // Of the last step.
  void integrate(const System& system, const MotionPoint& begin, StepIntegrals& out) const;
  const MotionPoint& stage(const MotionPoint& begin, int i) const {
    return i == 0 && tableau_.starts_at_beginning() ? begin : stages_[static_cast<std::size_t>(i)];
  }
  int num_stages() const { return tableau_.num_stages(); }
  double stage_time(int i) const { return tableau_.c[i]; }
  int iterations() const { return iterations_; }
  int evaluations() const { return evaluations_; }  // of forces and constraints
  double residual() const {
    return residual_;
  }  // of momentum, relative to the largest one or to that of the largest force [-]
  const char* failure = "";

 private:
  bool take_explicit(ConstrainedMotion& motion, const MotionPoint& begin);
  // `coupled`: (4) as a whole; `goes_on`: from the accelerations at hand. Not converged: false.
  bool take_implicit(ConstrainedMotion& motion, const MotionPoint& begin, bool coupled, bool goes_on = false);
  bool take_beginning_slips(ConstrainedMotion& motion, const MotionPoint& begin);
  void move_stage(const System& system, const MotionPoint& begin, int i);
  void update_rates(const System& system, const MotionPoint& begin);
  bool factorize(const MotionPoint& begin, bool coupled);
  void assemble_coupled(const MotionPoint& begin);
  // Residuals of (2) at stage i, −F and −R.
  void residuals(const MotionPoint& at, int i);
  void correct(bool coupled);
  bool has_derivatives(const ConstrainedMotion& motion, const MotionPoint& begin,
                       ForceDerivatives derivatives);
  // k_v of the stages, with friction across the slips that they have now. False: nothing slips.
  bool update_slip_derivatives(const ConstrainedMotion& motion, const MotionPoint& begin);
  void find_end(const System& system, const MotionPoint& begin, Phase& end);

  const Tableau& tableau_;
  std::vector<MotionPoint> stages_;
  double h_ = 0;
  bool has_slips_ = false, shares_move_ = false;
  int first_ = 0, iterations_ = 0, evaluations_ = 0;
  double residual_ = 0, largest_term_ = 0;
  // One column a stage.
  Matrix W_, W_rate_, V_, V_rate_, forces_, minus_F_, minus_R_, delta_, phi_;
  Vector column_, rate_, p_, g_, x_, y_, C_;
  ForceJacobians jacobians_;
  BlockMatrix k_q_, k_v_, A_;
  std::vector<BlockMatrix> k_v_of_stages_;  // with friction across slips
  BlockRows rows_, directions_;
  KktFactor kkt_;
};

}  // namespace delassus
