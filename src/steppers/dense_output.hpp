// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What lies between the ends of a step, for outputs that are denser than the steps. A step that error control has taken in halves has
// three points, q₀, q_½, q₁ with v₀, v_½, v₁. Between them the motion is the quintic through all six,
//
//   q̂(s) = q_½ ⊞ w(s),   w(s_i) = q_i ⊟ q_½,   w'(s_i) = h dexp⁻¹(w(s_i)) v_i     at s_i = 0, ½, 1          (1)
//   v̂(s) = dexp(w) w'/h
//
// of order 6 in positions and 5 in velocities, which no scheme here exceeds but lobatto-6 in its velocities. Whether it holds is seen from
// the velocity in the middle, which the other five give by the quartic through them:
//
//   m = h w'_½ − [3/2 (w₁ − w₀) − ¼ h (w'₀ + w'₁)]   = h⁵ w⁽⁵⁾/1920 + …                                      (2)
//   n = w_½ − [½ (w₀ + w₁) + h/8 (w'₀ − w'₁)]          = h⁴ w⁽⁴⁾/384 + …                                      (3)
//   error of q̂ ≈ 0.143 |m| min(1, |m|/(2 |n|)),   of v̂ ≈ 0.5 |m|/h min(1, |m|/(2 |n|))                       (4)
//
// 0.143: the largest that a change of w'_½ makes of w. In smooth motion |m|/|n| ≈ h ω/5, and (4) is twice the error of (1) and more; where
// something jumps that no event has told of, |m| and |n| are alike and (4) is that of the quartic.
//
// Joints are put back: interpolated they would be off by (4). Forces are linear in time through their means over both halves. Of
// the energy balance, what forces and friction have done until then is quadratic in time through its three values, and what the balance
// then lacks is shared among those that have done any work in the step, up to as much: both are of the same order as (1) then.
#pragma once
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class DenseOutput {
 public:
  // The step ahead of this interpolant: knots filled.
  void update(const System& system, const StepAhead& ahead);
  // (4) for every velocity, positions and velocities.
  void errors(Vector& of_position, Vector& of_velocity) const;
  // The state at t between the ends becomes that of (1); its history is that of the end but for the energies.
  void show(const System& system, double t, State& state);
  // What has happened between two times within the step, as a report of its own, with the state that show() has left at the second.
  void report(const System& system, const State& state, double t_begin, double t_end, StepReport& out);

 private:
  void show_energies(const System& system, State& state, double s) const;

  double t_begin_ = 0, h_ = 0;
  Vector base_, way_[2], rate_[3];  // q_½; w₀, w₁; w' at all three
  Vector w_, rate_now_;
  Phase phase_;
  Projector projector_;
  Configuration at_;
  mutable BlockMatrix M_;
  BilateralRows joints_;
  ContactSet contacts_;
  std::vector<ContactId> ids_;
};

}  // namespace delassus
