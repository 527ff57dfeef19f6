// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The step loop of Potra et al. 2006, §8 around any StepFormula: from the present time to the next grid point, events on the
// way located and resolved, the rest of the step taken from there.
//
//   until the grid point:
//     1 active set                 closed contacts, and those with Φ ≤ max(ε_a, ε_b h³) that do not
//                                  separate (Potra et al. 2006, 7.1)
//     2 approaching contacts       impact at once (Anitescu and Potra 1997, §4)
//     3 trial step                 one one-step problem (Potra et al. 2006, 6.10)
//     4 collision? transition?     the earlier one; none: accept
//       hand-over?                 an active contact that leaves its features: a shorter step ends there
//     5 move to it                 collision: interpolated phase, impact;
//                                  transition: step in the old modes, new mode
//
// A contact that has left its features (a ball that rolls from a face to an edge) gives what is known of it to its
// successor.
//
// Impacts so slow that the step does not resolve them are captured, and so is the rest of a step after max_events: contacts
// that would penetrate join the active set (event_capture.cpp). The second is said by an event of kind zeno and a warning.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/events/collision.hpp"
#include "delassus/steppers/events/transition.hpp"
#include "delassus/steppers/gap_projection.hpp"
#include "delassus/steppers/impact/hit_contacts.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/step_kernel.hpp"
#include "delassus/steppers/step_retries.hpp"
#include "delassus/steppers/stepper.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {

// The contacts of a phase, sorted by whether they take part in the next problem.
struct ActiveSet {
  std::vector<std::size_t> closed, open;     // indices into the contacts of the phase
  ContactSet contacts;                       // the closed ones
  std::vector<const ContactMemory*> memory;  // of these; null: nothing is known
  std::vector<ContactMode> modes;            // likewise
  std::vector<RowShift> shifts;              // likewise, where impacts are captured; none otherwise
};

// The step in progress of the event loop.
struct EventStep : StepInProgress {
  Retries retries;
  ActiveSet active;
  Vector slip_hint;  // velocity at the middle of the step, extrapolated
  std::vector<ContactId> hit;
  // Have taken off: open for the rest of the step. Their rows hold for a velocity with the normal of one instant, which may turn
  // away from the surface faster than the contact can follow.
  std::vector<ContactId> released;
  std::vector<ContactId>
      returned;  // of these: taken off again after they were hit; from there the impulses of the step decide
  std::vector<std::pair<ContactId, FrictionKind>> switched;  // at this instant
  std::vector<std::pair<ContactId, FrictionKind>> circling;  // slips that have turned too often in this step
  bool capturing = false;
  bool rebounds = true;         // what is captured does
  bool slides_through = false;  // one search for a place without forces has found none
  bool locates_all = false;     // up to the next event or grid point: what is slow, too
  double captured_limit =
      std::numeric_limits<double>::infinity();  // of what is captured, where it gained [s]
  int num_events = 0, num_turns = 0;
  double last_event = -std::numeric_limits<double>::infinity();  // of this step [s]

  void begin(const System& the_system, const State& state, const StepRequest& the_request,
             StepReport& the_report);
  void count_event(ContactId id, const StepperOptions& options);
  // True, and the step is given up, where it was asked to stop at the first event.
  bool stops_at_event() const;
};

class EventStepper final : public Stepper {
 public:
  EventStepper(StepFormula formula, StepperOptions options, std::unique_ptr<Solver> solver);
  EventStepper(const EventStepper&) = delete;
  EventStepper& operator=(const EventStepper&) = delete;

  std::string name() const override { return formula_.name; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return &kernel_.problem(); }

 private:
  // Sliding contacts of the convex law separate: they have no mode that lasts. One on a side of a polygon sticks across it while it
  // slides along, which is no mode either.
  bool locates_transitions() const {
    return options_.detect_transitions && options_.law.kind != ContactLawKind::convex &&
           !step_.system->has_friction_polygons();
  }
  // A step up to its contacts at the end, into step_.
  void take_step(const System& system, const State& state, const StepRequest& request, const Retries& retries,
                 StepReport& report);
  bool judges_depths() const;
  // Whether step_, which began at `state`, shall be taken again in halves because a contact got too deep in it.
  bool halve_deep_step(const State& state, Retries& retries);
  // Likewise because it gained energy: the motion is too fast for the step.
  bool halve_gaining_step(const State& state, Retries& retries);
  // What is deep all the same is lifted.
  void lift_deep_contacts();
  bool judges_gains() const;
  // One part of the step: up to the grid point, an event, or nothing when a trial failed.
  void take_part(EventStep& step);
  void update_active_set(EventStep& step, double h);
  // Cuts the step where bodies near contacts move by more than their gaps can be followed. In all it is cut into a
  // bounded number of parts.
  double contact_step(const EventStep& step, double h) const;
  // Contacts of the active set that are not held and approach: their impact is due now.
  std::vector<ContactId> find_approaching(const EventStep& step, double h) const;
  // True: some contacts have been released, the active set is another one.
  bool establish_modes(EventStep& step, double h);
  // Solves the trial step; on failure follows the policy. False: nothing to accept now.
  bool take_trial(EventStep& step, double h);
  bool captures_slow() const {
    return options_.capture_slow && options_.detect_collisions && options_.projection == Projection::all;
  }
  // Events of a few contacts are all located, however small: that is cheap. A step of many contacts that has seen many
  // events locates only those that it resolves (event_capture.cpp).
  bool is_crowded(const EventStep& step) const;
  // What a change between stick and slip does to velocities is less than the forces of a step do: such a step, or one of
  // very many contacts, does not locate it.
  bool leaves_transitions(const EventStep& step) const;
  std::optional<Transition> find_transition(const EventStep& step, double h);
  // The fraction of the trial step at which the first active contact leaves its features with a bend; 1: none does.
  double first_hand_over(const EventStep& step, double touching);

  // Event capturing (event_capture.cpp): open contacts that close within the trial join the active set, those that are slow or
  // all of them. True: some did, so that the trial must be taken again.
  bool capture(EventStep& step, double h, bool all);
  void capture_approaching(EventStep& step, double h);
  bool closes(const EventStep& step, std::size_t c, double touching) const;
  bool is_slow(const EventStep& step, std::size_t c, double h) const;
  bool captured_gain(const EventStep& step) const;
  RowShift captured_shift(const EventStep& step, const ContactSet& contacts, std::size_t c,
                          bool rebounds) const;
  void join(EventStep& step, std::size_t c, bool rebounds);
  void report_captured(const EventStep& step, const Trial& trial) const;
  static void release_rebounding(EventStep& step);
  // Takes a trial with all contacts that close in it, from the one that was taken last. False: nothing to accept now.
  bool capture_rest(EventStep& step, double h);
  // Contacts and motion at the end of the trial.
  void evaluate_end(EventStep& step);

  // Moves to the collision: by the interpolant, or by steps that end there.
  void move_to(EventStep& step, const Collision& collision);
  void interpolate_to(EventStep& step, const Collision& collision);
  // The contacts that close together with `located` at `at`, where the step comes to its collision: those that approach and
  // whose gaps are not more than what the joints have drifted in the step. Into closing_, ascending.
  void find_closing(const EventStep& step, const PhasePoint& at, ContactId located);
  // `due`: contacts whose impact is due; `located`: their gaps were brought to zero, however round-off has it.
  void resolve_impact(EventStep& step, double h, std::span<const ContactId> due, bool located);
  // The impact of contacts that approach where they are. One that overlaps is put onto its surface first, as a located one
  // is: small rebounds that end within the step would let it sink.
  void resolve_due_impact(EventStep& step, double h, std::span<const ContactId> due);
  // impact_, of these contacts.
  void book(EventStep& step, const ContactSet& contacts);
  // A contact that slides where no force can hold it (Painlevé's paradox): an impact without collision, resolved at once.
  // After the trial step h, whose mobilities are looked at; it is cut where it comes to such a place. False: the trial is
  // to be taken.
  bool resolve_shock(EventStep& step, double& h);
  // Those whose friction presses them down by more than their normal force lifts them.
  bool find_pressed_contacts(const EventStep& step);
  bool pressed_contact_stops(const EventStep& step, const ContactSet& end) const;

  // Moves to the end of a trial. `located`: the contact that collides there.
  void accept(EventStep& step, Trial& trial, std::optional<ContactId> located = {});
  // `slip_speed`: of the part at the beginning of the step that led to the transition.
  void apply_transition(EventStep& step, const Transition& transition, double slip_speed);
  // A slip in space whose old direction has died out while it turned goes on in the direction that is left.
  std::optional<PartMode> turned_slip(EventStep& step, ContactId id, FrictionKind part, double slip_speed);
  // Stops a part of the friction exactly and asks the instantaneous forces whether it can hold.
  PartMode stop(EventStep& step, const Transition& transition, double slip_speed);
  // `located`: contacts that are being hit, ascending.
  void project(EventStep& step, std::span<const ContactId> located);
  // Takes the penetrations of touching_, a set at step.now, out by pushing only. False: it could not.
  bool lift(EventStep& step);
  // Those of touching_ that are not being hit become held_contacts_.
  void select_held();
  // One contact at step.now, with its velocities.
  const ContactSet& contact_now(const EventStep& step, ContactId id);

  StepFormula formula_;
  StepperOptions options_;
  std::unique_ptr<Solver> solver_;
  StepKernel kernel_;
  TransitionFinder transitions_;
  ImpactResolver impacts_;
  Projector projector_;
  GapProjector gap_projector_;
  StepFinisher finisher_;
  ContactMemories memories_;

  // Memory only: begun anew by every advance, or written before it is read.
  EventStep step_;
  StepMotion motion_;
  Trial trial_, mode_trial_, impact_trial_, newton_trial_;
  ImpactResult impact_;
  PhasePoint interpolated_, probe_;
  std::vector<ContactId> closing_, apart_;
  ContactSet one_, found_, missing_, shocked_, touching_, held_contacts_;
  HitContacts hit_contacts_;
  std::vector<ContactMemory> next_contacts_;
  std::vector<std::size_t> some_, pressed_;
  std::vector<ContactId> ids_;
  std::vector<HeldParts> held_;
  std::vector<ContactMode> shock_modes_;
  std::vector<FrictionRatios> friction_ratios_;
  GainWatch gains_;
  Vector joint_forces_;  // that limit the friction in joints, where those of the step do not
  BlockMatrix M_;
};

}  // namespace delassus
