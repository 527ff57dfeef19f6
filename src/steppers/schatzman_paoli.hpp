// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `schatzman-paoli`: event capturing in positions, two steps at once [Acary 2009, 22-24; Paoli and Schatzman 2002].
//
//   M (q_{k+1} − 2 q_k + q_{k−1}) = h² k_θ + h G λ + h Σ_c H_c r_c                                     (1)
//   0 ≤ Φ_c(m_c) ⟂ r_c ≥ 0,   m_c = (q_{k+1} + e_c q_{k−1})/(1 + e_c),   H_c at m_c                    (2)
//   Θ(t_{k+1}, q_{k+1}) = 0,   Pfaffian rows at the middle of the step                                 (3)
//   k_θ = k(q_k + (θ/2)(q_{k+1} − 2 q_k + q_{k−1}), (q_{k+1} − q_{k−1})/2h)                            (4)
//
// Restitution is in the positions: a contact that is found at q_{k−1} above its surface comes out at e times that height two steps
// later, and velocities obey Newton's law after that only. Without restitution nothing penetrates at a grid point; with it a contact
// may be below its surface by e h |u_N| for a step. No multiplier of (2) is an impulse of an impact alone.
//
// On the manifold of the configurations differences are displacements. With the velocity of the middle of a step,
//
//   q_{k+1} = q_k ⊞ h v,   q_{k−1} = q_k ⊞ (−h v⁻),   m_c = q_k ⊞ h (v − e_c v⁻)/(1 + e_c)             (5)
//
// (1) is (7) of step_formula.hpp, one one-step problem, and (2) and (3) are met by Newton's method:
//
//   Hᵀ (v − v_j) + (1 + e) Φ(m_j)/h ≥ 0,   Gᵀ (v − v_j) = −Θ(q_k ⊞ h v_j)/h                            (6)
//
// G stays at q_k, and so does H of contacts that were closed before, which the source has at m_c: that is symmetric in time (SHAKE), and
// order 2 with joints, on contacts that persist, and in free flight; 1 across impacts and friction. With H at m_c a disk that rolls on
// its rim loses a tenth of its energy in a fifth of a second. θ = 0: central differences, stable for h ω < 2 only; θ = ½: the mean of Newmark, stable for every h.
//
// Friction, which the source has not, is that of the displacement: ‖r_T‖ ≤ μ r_N opposes the slip of v. The step after a start, and
// after one of another length, has the forces of the time between the two middles; q_{−1} = q_0 ⊞ (−h v_0). The velocity of the state
// is v + (h/2) v̇ with v̇ by the last two middles, v where a contact is hit or its force has jumped, and with v̇ of the other forces
// where contacts only rebound; then it is put onto the joints.
#pragma once
#include <memory>
#include <vector>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/step_kernel.hpp"
#include "delassus/steppers/stepper.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {

class SchatzmanPaoliStepper final : public Stepper {
 public:
  SchatzmanPaoliStepper(double theta, const StepperOptions& options, std::unique_ptr<Solver> solver);
  SchatzmanPaoliStepper(const SchatzmanPaoliStepper&) = delete;
  SchatzmanPaoliStepper& operator=(const SchatzmanPaoliStepper&) = delete;

  std::string name() const override { return formula_.name; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return &kernel_.problem(); }

 private:
  void begin(const System& system, const State& state, const StepRequest& request, StepReport& report);
  // The contacts that may touch when the bodies move with v_, beside those that are followed. False: there are no others.
  bool follow(double h);
  // (6) at v_: the contacts at their m_c and what their rows and those of the joints are shifted by.
  void place(double h);
  void evaluate_at_means(double h);
  // By how much (2) and (3) are violated by v_ [m].
  double violation(double h);
  // False: the policy was followed, the step may be tried again.
  bool take_trial(double h, Retries& retries);
  // Newton's method for the contacts that are followed.
  bool solve_positions(double h, Retries& retries);
  void accept(double h);
  // What contacts that do not rest do: some are hit, or all of them only leave.
  enum class Impacts { none, hit, rebound };
  // Their work is that of impacts.
  Impacts book_impacts();
  // Whether the force of a contact is another one than in the last step.
  bool forces_jump() const;
  void find_end_velocity();

  StepFormula formula_;
  StepperOptions options_;
  std::unique_ptr<Solver> solver_;
  StepKernel kernel_;
  Projector projector_;
  StepFinisher finisher_;
  ContactMemories memories_;

  // Memory only: begun anew by every advance.
  StepInProgress step_;
  Trial trial_;
  double before_ = 0, between_ = 0;  // length of the step before; time between the two middles [s]
  Vector v_;                         // v_j of (6)
  Vector v_end_;
  std::vector<ContactId> alike_, last_ids_;
  ContactSet means_, taken_;  // at m_c: all that are followed, and those of them that have not handed over
  ContactSet others_, added_, merged_, none_;
  std::vector<std::size_t> some_;
  std::vector<int> places_;
  std::vector<const ContactMemory*> memory_;
  std::vector<RowShift> shifts_;
  Configuration at_mean_;
  PhasePoint probe_;
  BilateralRows middle_;
  Vector way_, mean_q_, joint_targets_, u_, joint_forces_;
};

}  // namespace delassus
