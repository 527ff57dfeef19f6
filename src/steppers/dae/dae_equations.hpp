// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The equations of one step of a DaeFormula for Newton's method (kkt_newton.hpp). Unknowns: x = a⁺ and
// Λ = c λ⁺; corrections z are displacements of q⁺, so that with c = β h² (1−α_f)/(1−α_m)
//
//   F = c (M v̇⁺ − k) − G Λ,   R = Θ, or (β h/γ)(Gᵀ v⁺ − b) for Pfaffian rows                          (1)
//   A = M − c_v k_v − c (k_q − ∂(M v̇⁺)/∂q) − ∂(G Λ)/∂q,   c_v = γ h (1−α_f)/(1−α_m)                   (2)
//   δa⁺ = δw/(β h²),   δv⁺ = γ δw/(β h),   δw = the rate of w at which q ⊞ w moves with z              (3)
//
// Tasora 2017, §9 writes the iteration for corrections of accelerations, velocities or positions. They differ by the
// factors of (3) only: after the scaling above the matrix and the iterates are the same, so that the choice
// is that of the predictor and of the quantity that must converge (DaeOptions::Unknowns).
#pragma once
#include "delassus/steppers/assemble.hpp"
#include "delassus/steppers/dae/dae_formula.hpp"
#include "delassus/steppers/dae/kkt_newton.hpp"

namespace delassus {

// ‖·‖ of the corrections that round-off of positions of size `extent` and of forces up to `force` (scaled as F)
// causes.
double round_off_norm(const BlockMatrix& M, double extent, double force);

// A += the force derivatives that a level asks for: −c_v k_v − c_q k_q. Returns whether they are symmetric.
bool add_force_derivatives(const ForceJacobians& jacobians, DerivativeLevel level, double c_v, double c_q,
                           BlockMatrix& A);

class DaeEquations final : public KktEquations {
 public:
  DaeEquations(const DaeFormula& formula, const StepperOptions& options)
      : formula_(formula), options_(options) {}

  // A step of h from `phase` with the memory (a, v̇); all must stay alive. Sets x and Λ to the predictor.
  // `jump`: a change of the velocity that is known, and happens in the middle of the step in the mean; null: none.
  void begin(const System& system, const Phase& phase, const AccelerationMemory& memory, double h, Vector& x,
             Vector& lambda, const Vector* jump = nullptr);

  bool evaluate(const VectorRef& x, const VectorRef& lambda) override;
  void assemble(DerivativeLevel level) override;
  const BlockRows& rows() const override { return end_.joints.rows; }
  void correct(const VectorRef& z, double s, Vector& x) override;
  double negligible() const override;
  double extent() const override;

  // At the last evaluation, which is given away: nothing may be asked afterwards.
  void take_end(PhasePoint& out) { std::swap(out, end_); }
  const Vector& rate() const { return rate_; }
  const Vector& displacement() const { return w_; }  // w of q⁺ = q ⊞ w
  double force_scale() const { return c_; }          // c: λ⁺ = Λ/c

 private:
  const DaeFormula& formula_;
  const StepperOptions& options_;
  const System* system_ = nullptr;
  const Phase* phase_ = nullptr;
  const AccelerationMemory* memory_ = nullptr;
  const Vector* jump_ = nullptr;
  double h_ = 0, c_ = 0, c_v_ = 0;
  PhasePoint end_;
  ForceJacobians jacobians_;
  Vector w_, rate_, k_, part_, joint_velocity_, delta_w_, x_, Lambda_;
};

}  // namespace delassus
