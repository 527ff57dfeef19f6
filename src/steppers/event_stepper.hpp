// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The step loop of S0 §8 around any StepFormula: from the present time to the next grid point, events on the
// way located and resolved, the rest of the step taken from there.
//
//   until the grid point:
//     1 active set                 closed contacts, and those with Φ ≤ max(ε_a, ε_b h³) that do not
//                                  separate (S0 7.1)
//     2 approaching contacts       impact at once (S1 §4)
//     3 trial step                 one one-step problem (S0 6.10)
//     4 collision? transition?     the earlier one; none: accept
//       hand-over?                 an active contact that leaves its features: a shorter step ends there
//     5 move to it                 collision: interpolated phase, impact;
//                                  transition: step in the old modes, new mode
//
// A contact that has left its features (a ball that rolls from a face to an edge) gives what is known of it to its
// successor.
//
// Accumulating events (a bouncing ball coming to rest) end after max_events in event capturing for the rest
// of the step: contacts that would penetrate join the active set with e = 0. Said so by an event of kind
// zeno.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "delassus/steppers/contact_kinematics.hpp"
#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/events/collision.hpp"
#include "delassus/steppers/events/transition.hpp"
#include "delassus/steppers/impact/impact.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/step_kernel.hpp"
#include "delassus/steppers/stepper.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {

class EventStepper final : public Stepper {
 public:
  EventStepper(StepFormula formula, StepperOptions options, std::unique_ptr<Solver> solver);
  EventStepper(const EventStepper&) = delete;
  EventStepper& operator=(const EventStepper&) = delete;

  std::string name() const override { return formula_.name; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return &kernel_.problem(); }

 private:
  // Sliding contacts of the convex law separate: they have no mode that lasts.
  bool locates_transitions() const {
    return options_.detect_transitions && options_.law.kind != ContactLawKind::convex;
  }
  void update_active_set(const System& system, double h);
  // The fraction of the trial step at which the first active contact leaves its features with a bend; 1: none does.
  double first_hand_over(const System& system, double touching);
  bool find_approaching(const System& system, double h);
  // Cuts the step where bodies near contacts move by more than their gaps can be followed.
  double contact_step(const System& system, double h);
  // Moves to the collision: by the interpolant, or by steps that end there.
  void move_to(const System& system, const Collision& collision);
  void interpolate_to(const System& system, const Collision& collision);
  void resolve_impact(const System& system, double h);
  void establish_modes(const System& system);
  bool capture(const System& system, double h);
  bool take_trial(const System& system, double h, Retries& retries);
  void accept(const System& system, const Trial& trial, double fraction);
  // `slip_speed`: of the part at the beginning of the step that led to the transition.
  void apply_transition(const System& system, const Transition& transition, double slip_speed);
  bool turns_only(const System& system, ContactId id, FrictionKind part, double slip_speed, PartMode& mode);
  // Stops a part of the friction exactly and asks the instantaneous forces whether it can hold.
  PartMode stop(const System& system, const Transition& transition, double slip_speed);
  void project(const System& system);
  void count_event(ContactId id);
  Vector3 contact_velocity(const System& system, ContactId id);
  Eigen::Vector2d slip_velocity(const System& system, ContactId id, FrictionKind part);
  void finish(const System& system, State& state);

  void fail(const std::string& why);

  StepFormula formula_;
  StepperOptions options_;
  std::unique_ptr<Solver> solver_;
  StepKernel kernel_;
  CollisionFinder collisions_;
  TransitionFinder transitions_;
  ImpactResolver impacts_;
  Projector projector_;
  StepFinisher finisher_;
  ContactMemories memories_;

  // The step in progress; all of it is copied from and to the State and the StepReport.
  StepReport* report_ = nullptr;
  History history_;
  Phase phase_, scratch_;
  std::vector<ContactId> candidates_, active_, inactive_, hit_;
  std::vector<std::pair<ContactId, FrictionKind>> switched_;  // at this instant
  std::optional<ContactId> colliding_;  // the contact whose collision was located, until it is resolved
  std::vector<ContactId> approaching_;  // contacts whose impact is due
  std::vector<const ContactMemory*> active_memory_;
  std::vector<ContactMode> modes_;
  std::vector<ContactMemory> next_contacts_;  // after an impact; swapped with history_.contacts
  bool capturing_ = false;
  int num_events_ = 0, num_turns_ = 0;
  Trial trial_, mode_trial_, impact_trial_, scratch_trial_;
  ImpactResult impact_;
  Vector gaps_, margins_, active_gaps_, active_margins_, slip_hint_;
  ContactKinematics at_candidates_, at_active_, at_one_;
  BlockMatrix M_;
  std::vector<ContactId> closed_, touching_;
  std::vector<HeldParts> held_;                  // parallel to closed_
  std::vector<FrictionRatios> friction_ratios_;  // likewise
  std::vector<int> held_friction_;               // friction rows of joints that stuck in the last step
};

}  // namespace delassus
