// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Event capturing (time stepping): impacts, stick, slip and take-off happen within a step and are not located. One
// one-step problem (step_formula.hpp with σ = 1) a step, whatever happens in it, so that the cost of a step is bounded.
// The velocity of a contact is u⁻ = Hᵀ v + w at the beginning and u⁺ = Hᵀ v⁺ + w + h ∂w/∂t at the end, H at q.
//
//   moreau-jean [Acary 2009, 16-18]   a contact enters when it is predicted to touch, or is closed already,
//                              Φ + γ h u_N⁻ ≤ ε   or   closed                                         (1)
//                            law on  u⁺ + s  with
//                              s = (e u_N⁻, e_T u_T⁻)   an impact: it approaches and was not closed,  (2)
//                                                       faster than the forces of a grid step move its bodies
//                              s = (max(Φ, 0)/h, 0)     closed                                        (3)
//   dvi-euler [Tasora 2017, 111-113]   every contact that is found, within the envelope or on the way of the step, enters with
//                              s = (max(Φ/h, −η), 0)                                                  (4)
//                            but (2) where it approaches with e > 0 and would touch in this step
//
// A contact is closed when it pushed in the last step and did not rebound. Restitution is for the first step of a contact
// only: what a closed contact approaches with is O(h), from curvature or drift, and no impact. (3) lets a closed contact
// that was left above its surface come down to it without braking it there; with s = 0 a body that rolls over a crest
// would fly and fall in turns. With (4) alone restitution is lost, since Φ/h stops the body before it touches.
//
// Bodies do not pass each other: the step is cut into parts (at most 64, then with a warning) such that
//
//   near contacts that are not closed shapes move by less than 0.4 of the smaller one and turn by less than 0.3 rad    (5)
//
// and contacts that the trial takes deep below their surface although they did not enter join it, with s = (max(Φ, 0)/h, 0) or,
// where their own approach leads there, (2); the step is solved again                                              (6)
// but where an impact of this step pushes a contact that rebounds, the step is cut before that                       (7)
//
// if it comes faster than the forces of a grid step could make it, turned along its normal by other contacts, and as long as the step
// has not 64 parts; then smooth surfaces are left to the next part, corners and edges, which would be lost below
// the surface, do not rebound.
//
// After the step, unless told otherwise: joints are put back in position and velocity (projection.hpp); closed contacts
// that penetrate are lifted (gap_projection.hpp). An inelastic impact leaves a penetration of up to h|u_N⁻|; one that
// rebounds is lifted to where it was at the beginning, (1 − e) h |u_N⁻|/2 at θ = ½, which is less energy than it has lost;
// at e = 1 and θ = ½ the energy is kept exactly. So that it was above its surface there, contacts of shapes and stops enter with γ = 1.
// Lifting raises bodies, and so the energy E. It is done as far as the contacts of the step have lost as much, or slowly:
//
//   ΔE ≤ −(work of contacts in this step) + ϰ (−work of contacts and lifting since the start)         (8)
//
// because what has fallen into a surface has gained that much and lost it there before; but no deeper than 5e-5 of the smaller body.
// `moreau-jean-projected` [Acary 2009, 19e] lifts those too, and what has come below its surface without having entered: nothing
// penetrates at the end of a step; what is more than (8) is taken from the velocity along the displacement.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/events/collision.hpp"
#include "delassus/steppers/gap_projection.hpp"
#include "delassus/steppers/nonsmooth_generalized_alpha.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/step_kernel.hpp"
#include "delassus/steppers/step_retries.hpp"
#include "delassus/steppers/stepper.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {

struct CapturingFormula {
  StepFormula step;
  double prediction = 0.5;    // γ of (1) [-]
  bool gaps_in_rows = false;  // (4) instead of (1)-(3)
  bool lift_all = false;      // lift every contact that penetrates, whatever the projection asked for
  // What integrates the smooth part of a step, beside which `step` says nothing but σ = 1 (nonsmooth_generalized_alpha.hpp).
  std::optional<DaeFormula> smooth = {};
};

// The step in progress of event capturing.
struct CapturingStep : StepInProgress {
  std::vector<ContactId> followed;           // all contacts of the beginning
  std::vector<std::size_t> entering;         // indices into these: those that take part
  ContactSet contacts;                       // those, at the beginning
  std::vector<const ContactMemory*> memory;  // of these; null: nothing is known
  std::vector<RowShift> shifts;              // likewise
  std::vector<int> last_places;              // of these, in the last trial of the step; -1: not in it
  double rest_gap = 0;                       // that a closed contact may keep [m]
};

class CapturingStepper final : public Stepper {
 public:
  CapturingStepper(CapturingFormula formula, StepperOptions options, std::unique_ptr<Solver> solver);
  CapturingStepper(const CapturingStepper&) = delete;
  CapturingStepper& operator=(const CapturingStepper&) = delete;

  std::string name() const override { return formula_.step.name; }
  bool stops_before_contact() const override { return formula_.gaps_in_rows; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return &kernel_.problem(); }

 private:
  // Velocities and gaps that count as none at a phase.
  struct Rest {
    double touching = 0;  // gap [m]
    double speed = 0;     // an approach below this is round-off [m/s]
    double gap = 0;       // that a closed contact may keep [m]
  };
  // A step up to its contacts at the end, into step_.
  void take_step(const System& system, const State& state, const StepRequest& request, Retries retries,
                 StepReport& report);
  // Particles and contacts of formulas penetrate and gain as the scheme does that was published.
  bool retries_step() const;
  bool judges_blow_ups() const;
  // Whether step_, which began at `state`, shall be taken again in halves because a contact got too deep in it, or because it
  // gained energy.
  bool halve_deep_step(const State& state, Retries& retries);
  bool halve_gaining_step(const State& state, Retries& retries);
  void update_contacts(CapturingStep& step, double h);
  // In a crowd, contacts without restitution that are nearer than contacts on average come in the step: pushed by others they may be
  // reached, and to solve the step again with them costs as much as the step. Not where contacts are redundant already.
  void add_near_contacts(CapturingStep& step, double h);
  // The motion without new contact impulses, where the scheme has one.
  void predict(CapturingStep& step, double h);
  // The problem of the contacts that enter; false: the trial failed, and the policy was followed.
  bool take_trial(CapturingStep& step, double h, Retries& retries);
  // (5): the longest step over which the trial moves bodies near contacts by no more than they may; h when it is not longer.
  double passing_limit(const CapturingStep& step, double h);
  // (6): false when the trial with these contacts failed. The contacts at the end of the trial are evaluated then.
  bool add_passed_contacts(CapturingStep& step, double h, double& part, Retries& retries);
  // Contacts that lie on the way of the trial, but not on that of the velocities before its impacts, are followed, too.
  void search_along_trial(CapturingStep& step, double h);
  // The velocity that moves the bodies in the trial, (4) of step_formula.hpp, to mean_.
  void update_mean_velocity(const CapturingStep& step);
  // By how much the forces of the trial alone change the normal velocity of its contacts, in the mean: a depth of h times
  // this is left to the next step [m/s].
  double force_speed(const CapturingStep& step) const;
  // Contacts that did not enter and that the trial takes deeper than is left to the next step, to some_.
  void find_passed(const CapturingStep& step, double h);
  void enter(CapturingStep& step, std::size_t c, const RowShift& shift);
  // Contact c of step.now lies below its surface at the end: it enters when it has passed it.
  bool add_if_passed(CapturingStep& step, std::size_t c, double h, double& part);
  void warn_too_fast(const CapturingStep& step);
  // Whether contact c of step.now takes part, and then its shift.
  bool enters(const System& system, const ContactSet& contacts, std::size_t c, double h, const Rest& rest,
              bool closed, RowShift& shift) const;
  void follow_surfaces(CapturingStep& step, double h);
  // Contacts that were to go on sliding but do not are solved again with the law on their velocity at the end.
  bool drop_mean_slips(CapturingStep& step) const;
  void accept(CapturingStep& step);
  void drop_slow_impacts(CapturingStep& step) const;
  void report_impacts(const CapturingStep& step) const;
  // Penetrations are taken out after the step.
  bool lifts() const { return options_.projection == Projection::all || formula_.lift_all; }
  // The gaps that contacts at the end may keep.
  void find_floors(const CapturingStep& step);
  void project(CapturingStep& step);
  bool lift(CapturingStep& step);
  // `deepest`: before the lifting, relative to the bodies.
  void bound_lifting(CapturingStep& step, double gain, double deepest);
  // Contacts that nothing has followed, found deep at the end of the step, are lifted as well; false: there are none.
  bool lift_found(CapturingStep& step);

  CapturingFormula formula_;
  StepperOptions options_;
  std::unique_ptr<Solver> solver_;
  StepKernel kernel_;
  std::unique_ptr<NonsmoothGeneralizedAlpha> smooth_;  // null: the kernel takes all forces
  bool predicted_ = true;
  Projector projector_;
  GapProjector gap_projector_;
  StepFinisher finisher_;
  ContactMemories memories_;

  // Memory only: begun anew by every advance, or written before it is read.
  CapturingStep step_;
  Trial trial_;
  ContactSet none_;
  StepMotion motion_;
  std::vector<std::size_t> some_;
  ContactSet found_, new_contacts_, merged_;
  Vector zero_, bias_, mean_, change_, inertia_, floors_, lifted_from_, displacement_, momentum_;
  Vector joint_forces_;  // that limit the friction in joints, where those of the step do not
  GainWatch gains_;
  BlockMatrix M_;
};

}  // namespace delassus
