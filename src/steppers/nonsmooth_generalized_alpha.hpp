// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `nonsmooth-generalized-alpha`: generalised-α for the smooth part of a step, event capturing for what is left [Bruels et al.
// 2014, decoupled as in Cosimo et al. 2020]. Stages 1 and 3 are here; 2 and 4 are those of capturing_stepper.hpp.
//
//   1 smooth      generalised-α (dae/dae_formula.hpp) with joints, and a known jump W₀ of the velocity in the middle:
//                   M v̇ₛ = k(t⁺, q̃, ṽ) + G λₛ,   Θ(t⁺, q̃) = 0,   Gᵀ ṽ = target                             (1)
//                   (1−α_m) aₛ + α_m a = (1−α_f) v̇ₛ + α_f v̇                                               (2)
//                   ṽ = v + h ((1−γ) a + γ aₛ) + W₀,   q̃ = q ⊞ w̃,   w̃ = h v + h² (β₀ a + β aₛ) + ½ h W₀    (3)
//   2 contacts    A (v⁺ − ṽ) = H (r − r₀) + G Λ,   Gᵀ (v⁺ − ṽ) = 0,   contact law on u⁺ (+ e u⁻ at an impact)  (4)
//                   A = M − c_v k_v − ½ h c_v k_q,   c_v = γ h (1−α_f)/(1−α_m);   q̂ = q ⊞ (w̃ + ½ h (v⁺ − ṽ))   (5)
//   3 memory      M v̇⁺ = k⁺ + G λ⁺,   Gᵀ v̇⁺ = −bias  at (q̂, v⁺), without contacts;   a⁺ by (2) with v̇⁺         (6)
//   4 position    q⁺ = q̂ ⊞ U,   M U = G μ + N ν,   Θ = 0,   0 ≤ ν ⟂ Φ ≥ 0 as far as lifting goes;   Gᵀ v⁺ = target
//
//   W₀ with M W₀ = H r₀ + G Λ₀, Gᵀ W₀ = 0:  r₀ = h times the forces of the last step, of the contacts that stay closed
//
// So accelerations never contain contacts, and jumps never contain what is smooth. What holds on for many steps is smooth all the
// same, and is integrated to order 2:
//
//   - With W₀ forces are evaluated at ṽ = v⁺ + O(h²). The derivatives (5) bring them the rest, as Newton's method for both stages
//     together would, so that stiff springs and dampers know of new contacts in the same step.
//   - Rows and directions of closed contacts and of joints are those of q ⊞ h v/2, where impulses act in the mean. The law is on the
//     velocity at the end, where sticking means v⁺ = 0; it follows from those in the middle and at the beginning,
//
//       u⁺ = Hᵀ v⁺ + w + β,   β = Hᵀ v + w − u⁻  (the motion of the rows over half a step)                      (7)
//
//     to O(h²), and the problem stays symmetric. A contact with u⁻ = 0 that holds does no work: Hᵀ (v⁺ + v)/2 + w = 0.
//   - Friction of a contact that goes on sliding opposes the mean of its slips, u_T⁻ + u_T⁺.
//   - Positions follow half of the jump (5), as in Moreau's scheme: it is also what keeps the energy of a bounce at e = 1.
//
// What enters for the first time has the rows of q, and the step is of order 1 there. v̇ₛ, λₛ in stage 3 are those of Gᵀ v̇ = −bias, too:
// with Θ = 0 alone they would alternate (dae/dae_stepper.hpp). The memory is that before U: a spring that U stretches is felt in the
// next step, but must not enter the recursion (2), which it would excite: with an undamped mass on a stiff spring above a held
// contact the amplification is ρ-like for every stiffness without U in it, and grows without bound with it.
//
// Differs from Bruels et al. 2014: there positions follow U only, so that friction and curvature reach them a step late, rows are those
// of the end, and stages 1 and 2 are solved together or, in Cosimo et al. 2020, without the derivatives of (5).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/steppers/dae/acceleration_solver.hpp"
#include "delassus/steppers/dae/dae_equations.hpp"
#include "delassus/steppers/step_kernel.hpp"

namespace delassus {

class NonsmoothGeneralizedAlpha {
 public:
  NonsmoothGeneralizedAlpha(DaeFormula formula, const StepperOptions& options)
      : formula_(std::move(formula)),
        options_(options),
        equations_(formula_, options_),
        newton_(options.linear_solver) {
    accelerations_.use(options.linear_solver);
  }
  NonsmoothGeneralizedAlpha(const NonsmoothGeneralizedAlpha&) = delete;
  NonsmoothGeneralizedAlpha& operator=(const NonsmoothGeneralizedAlpha&) = delete;

  // Stage 1 from step.now, whose memory of accelerations starts where there is none. `contacts` are those that take part, with
  // what is remembered of them and their shifts. False: failure() says why.
  bool predict(StepInProgress& step, double h, const ContactSet& contacts,
               std::span<const ContactMemory* const> memory, std::span<RowShift> shifts);
  // The same motion with other contacts.
  void place_contacts(const StepInProgress& step, const ContactSet& contacts,
                      std::span<const ContactMemory* const> memory, std::span<RowShift> shifts);
  const StepPrediction& prediction() const { return prediction_; }
  // The friction of contact c opposes the mean of its slips; false: there was none to change.
  bool takes_mean_slip(std::size_t c) const { return mean_slip_[c] != 0; }
  const std::string& failure() const { return failure_; }
  // Stage 4 at step.now. `joint_impulses` are those of the step.
  void remember(StepInProgress& step, double h, const Vector& joint_impulses);
  // What the contacts of the last step brought to the joints, beside the λ of the memory [N].
  const Vector& contact_joint_forces() const { return contact_joint_forces_; }

 private:
  bool solve_smooth(StepInProgress& step, double h);
  void add_remembered_impulses(double h, std::span<const ContactMemory* const> memory);
  void take_mean_slips(const ContactSet& contacts, std::span<const ContactMemory* const> memory,
                       std::span<RowShift> shifts);

  const DaeFormula formula_;
  const StepperOptions options_;
  DaeEquations equations_;
  KktNewton newton_;
  AccelerationSolver accelerations_;
  StepPrediction prediction_;
  std::string failure_;
  // Memory only: written before it is read.
  PhasePoint end_;              // of the prediction
  Vector rate_, joint_forces_;  // v̇ₛ, λₛ
  Vector smooth_impulses_;      // of the joints, in the mean of λ and λₛ
  Vector contact_joint_forces_;
  std::vector<char> mean_slip_;
  std::vector<std::size_t> places_;
  std::vector<ContactId> ids_;
  ContactSet middle_;
  KktFactor kkt_;
  BlockMatrix M_;
  Vector x_, Lambda_, jump_, jump_joints_, momentum_, w_, q_, zero_, u_, next_rate_, next_forces_;
};

}  // namespace delassus
