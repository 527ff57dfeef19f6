// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runge-Kutta methods of any order across events [Acary 2009, Algorithm 1]:
//
//   until the grid point:
//     1 contacts              closed ones with their modes (I of [Acary 2009, 42]), open ones
//     2 smooth step           runge_kutta_step.hpp over the rest, contacts keep their modes
//     3 events                an open contact closes (41); a normal force vanishes; friction reaches its limit or a slip ends
//     4 none (the else-branch that Algorithm 1 lacks): accept, t = t_{k+1}
//     5 otherwise             smooth step up to the first of them, found to |t_2 − t_1| ≤ max(C h^{p+1}, ε)          (1)
//     6 across it             impact law, or new modes
//
//   p: order of the method · h: the rest that was tried [s] · C [s^−p] · ε: a floor of round-off
//
// An event is located by taking the smooth step again with another length, so that the state there has the order of the method.
// Differs from the source: of Moreau's step across the critical interval nothing is left but its jump, at the end of it where
// the contact is still open, with the impact laws of all our schemes (impact.hpp); forces of an interval of (1) do not matter.
// Contacts that rebound for less than a smallest flight are closed at once, so that accumulations of impacts end; after
// max_events the rest of the step is captured by moreau-jean, with an event of kind zeno and a warning.
// Modes after an event: one contact changes as its event says; if that breaks the law somewhere, the contact problem of the
// accelerations decides. Where contacts share their forces in many ways it always does.
//
// A slip that ends under forces across it turns ever faster: its direction goes like (t* − t)^κ, which no step across its end resolves.
// It is approached in halves of what is left of it, h ≤ ½ |u|/(−d|u|/dt), until what the forces across it do in the rest,
//
//   (|u̇_across|/|u̇_along|) |u| ≤ 1e-11 |u̇_along| times the grid step                                 (2)
//
// and this is taken straight, as a slip without such forces is from the beginning.
//
// Where a slip begins or ends, friction turns it into the direction of the forces across it at a rate of μ f_N/(m |u|): explicit methods leave
// steps in which that is fast, and in which it turns, to Radau's of order 5.
//
// No dry friction in joints. Laws: exact Coulomb friction with couples and friction that depends on speed, or none.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delassus/steppers/events/collision.hpp"
#include "delassus/steppers/impact/hit_contacts.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/runge_kutta/runge_kutta_step.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/step_kernel.hpp"
#include "delassus/steppers/stepper.hpp"

namespace delassus {

struct RungeKuttaSettings {
  std::string name;          // of the stepper
  std::string method;        // of the tableau
  double critical_step = 0;  // C of (1)
  bool joints_only = false;
};

// The step in progress.
struct MotionInProgress : StepInProgress {
  std::vector<ContactId> closed;   // ascending
  std::vector<ContactMode> modes;  // of these
  std::vector<std::size_t> open;   // indices into the contacts of now
  std::vector<ContactId> hit, released;
  double h_limit = 0;
  int halvings = 0, num_events = 0;
  int idle = 0;           // events since the time has moved
  double last_event = 0;  // of this step; −∞: none [s]
};

// What ends the modes of a smooth step.
struct MotionEvent {
  enum class Kind : std::uint8_t { collision, take_off, slip, stop, law };
  Kind kind = Kind::collision;
  ContactId contact = 0;
  std::size_t index = 0;  // among the closed ones
  FrictionKind part = FrictionKind::sliding;
  double s = 1;      // about which fraction of the step
  double depth = 0;  // collision: of an overlap at the beginning, to which it has grown again [m]
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  // of the slip that begins
};

class RungeKuttaStepper final : public Stepper {
 public:
  // `captured`: takes the rest of a step with too many events.
  RungeKuttaStepper(RungeKuttaSettings settings, const StepperOptions& options,
                    std::unique_ptr<Solver> solver, std::unique_ptr<Stepper> captured);
  RungeKuttaStepper(const RungeKuttaStepper&) = delete;
  RungeKuttaStepper& operator=(const RungeKuttaStepper&) = delete;

  std::string name() const override { return settings_.name; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;

 private:
  std::string check(MotionInProgress& step);
  void take_part(MotionInProgress& step);
  // Which contacts of now are closed, and in which modes; those that approach now into due_.
  void sort_contacts(MotionInProgress& step, double h);
  double contact_step(const MotionInProgress& step, double h) const;
  // How far slips that end are followed at once; h where there are none. Those of (2) are taken straight.
  double slip_step(MotionInProgress& step, double h);
  // Whether the slips that were taken straight in the trial are so.
  bool straight_slips_hold(const MotionInProgress& step) const;
  // Whether forces at begin_ break the modes: then the law is to be asked again, or the rest has been captured.
  bool modes_break(MotionInProgress& step);
  // Modes by the contact problem of the accelerations. False: it has no solution.
  bool establish_modes(MotionInProgress& step, double h);
  // Whether a part of the friction of any contact slips with a speed between these.
  static bool creeps(const ContactSet& contacts, double slow, double fast);
  bool find_lawful_modes(const PhasePoint& point, const ContactSet& contacts, std::vector<ContactMode>& modes,
                         std::vector<char>& leaves);
  // The smooth step of h from begin_, and its end. False: it fails.
  bool try_step(MotionInProgress& step, double h);
  // Whether a slip turns in the step that was tried.
  bool slips_turn(const MotionInProgress& step) const;
  void refuse(MotionInProgress& step, double h, const std::string& why);
  void accept(MotionInProgress& step, double h);
  void remember(MotionInProgress& step, double h);
  void project(MotionInProgress& step);

  // Events of the step of h that was tried last.
  std::optional<MotionEvent> find_event(MotionInProgress& step, double h);
  std::optional<MotionEvent> find_broken_mode(const MotionInProgress& step, double h);
  // The first mode that contact forces and slips of `at` break; values below `force` and `speed` are round-off.
  std::optional<MotionEvent> broken_mode(const MotionPoint& at, double force, double speed) const;
  double event_value(const MotionPoint& at, const MotionEvent& event) const;
  // Largest force and velocity, as scales of round-off.
  double force_scale(const MotionPoint& at) const;
  // Whether the law moves the closed contacts at `at` as their modes do.
  bool is_lawful(const MotionInProgress& step, const MotionPoint& at);
  // An overlap that shrinks and is as deep as before within the step: it closes then.
  std::optional<MotionEvent> find_return(const MotionInProgress& step, double h, double touching) const;
  // The step is taken again up to the event. False: it fails.
  bool locate(MotionInProgress& step, MotionEvent& event, double& h);
  bool locate_collision(MotionInProgress& step, const MotionEvent& event, double& h);
  bool locate_root(MotionInProgress& step, const MotionEvent& event, double& h);
  double critical(const MotionInProgress& step, double h) const;

  void apply(MotionInProgress& step, const MotionEvent& event);
  void stop_slip(MotionInProgress& step, const MotionEvent& event);
  bool modes_hold(MotionInProgress& step, const MotionEvent& changed);
  void resolve_impact(MotionInProgress& step, double h, std::span<const ContactId> due, bool located);
  // Whether what rebounds comes back sooner than (1) can tell.
  bool rebounds_in_vain(const MotionInProgress& step);
  void count_event(MotionInProgress& step, ContactId id);
  // True, and the step is given up, where it was asked to stop at the first event.
  static bool stops_at_event(MotionInProgress& step);
  void capture_rest(MotionInProgress& step);

  RungeKuttaSettings settings_;
  StepperOptions options_;
  const Tableau& tableau_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Stepper> captured_;
  StepFormula formula_;  // of the kernel, which finds modes only
  StepKernel kernel_;
  ImpactResolver impacts_;
  HitContacts hit_contacts_;
  Projector projector_;
  StepFinisher finisher_;
  ContactMemories memories_;
  ConstrainedMotion motion_;
  // The method, and the one that takes what is too stiff for it; the one at hand.
  RungeKuttaStep smooth_, stiff_;
  RungeKuttaStep* taken_ = &smooth_;

  // Memory only: begun anew by every advance, or written before it is read.
  MotionInProgress step_;
  MotionPoint begin_, end_;
  StepMotion path_;
  ImpactResult impact_;
  StepIntegrals integrals_;
  ContactSet at_end_, one_, touching_;
  std::vector<ContactId> due_, ids_;
  std::vector<std::size_t> some_;
  std::vector<HeldParts> held_;
  std::vector<FrictionRatios> ratios_;
  std::vector<ContactMemory> memory_;
  std::vector<ContactMode> lawful_;
  std::vector<char> leaves_;
  FrictionRows friction_;
  State rest_;
  StepReport rest_report_;
  Vector work_, bias_;
  // Of slips that are taken straight: half of what is left of the shortest [s], what (2) allows [m/s].
  double straight_rest_ = 0, straight_speed_ = 0;
  bool slips_grow_ = true;  // all slips at begin_ do
  BlockMatrix M_;
};

}  // namespace delassus
