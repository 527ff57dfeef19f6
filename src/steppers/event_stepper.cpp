// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/event_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Parts that fast bodies near contacts cut a step into at most: what is faster is followed as well as it can be.
constexpr long k_max_parts = 1024;
// Sub-steps of one step beside these, its events and the 2^max_halvings that a step halved to the last needs.
constexpr long k_max_rounds = 1000;
// Events of a step times contacts that take part in them, before small events are left to the law.
constexpr std::size_t k_located_contacts = 8;
// Contacts of a step above which changes between stick and slip are left to the law from the beginning.
constexpr std::size_t k_followed_contacts = 16;
// Largest residual of a step in prescribed modes that is accepted as it is.
constexpr double k_lawful = 1e-9;
// What is captured in a step that is taken in halves is taken in shorter parts still: the events are many there.
constexpr double k_captured_parts = 8;
// A contact that is located and deeper than this part of the smaller body is lifted in several steps: it may be on the wrong
// side [-].
constexpr double k_largest_lift = 0.02;
// The shortest part of a step to which what is captured is shortened where it gains energy [-].
constexpr double k_shortest_captured = 1.0 / 256;

bool has_order_2(const StepFormula& formula) {
  return formula.alpha == 0.5 && formula.gamma == 0.5 && formula.sigma == 0.5 &&
         formula.rows == DataPoint::middle && formula.directions == DataPoint::middle &&
         formula.forces == DataPoint::start;
}

bool contains(const std::vector<ContactId>& ids, ContactId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

void EventStep::begin(const System& the_system, const State& state, const StepRequest& the_request,
                      StepReport& the_report) {
  StepInProgress::begin(the_system, state, the_request, the_report);
  // Of another scheme; the velocities may jump from here on.
  history.acceleration = {};
  retries = {.h_limit = std::numeric_limits<double>::infinity()};
  hit.clear();
  released.clear();
  returned.clear();
  switched.clear();
  circling.clear();
  capturing = false;
  rebounds = true;
  locates_all = false;
  slides_through = false;
  captured_limit = std::numeric_limits<double>::infinity();
  num_events = num_turns = 0;
  last_event = -std::numeric_limits<double>::infinity();
}

bool EventStep::stops_at_event() const {
  const bool too_many = request.most_events > 0 && num_events >= request.most_events &&
                        now.contacts.size() > request.few_contacts;
  if (!request.stop_at_event && !too_many) return false;
  report->ok = false;
  report->stopped_at_event = true;
  return true;
}

void EventStep::count_event(ContactId id, const StepperOptions& options) {
  const bool too_fast = follows_too_fast(options.smallest_step, last_event, now.phase.t);
  last_event = now.phase.t;
  if ((++num_events <= options.max_events && !too_fast) || capturing) return;
  capturing = true;
  report->events.push_back({.time = now.phase.t, .kind = EventKind::zeno, .contact = id});
  const std::string why =
      too_fast ? fmt::format("events follow each other faster than the smallest step of {:g} s",
                             options.smallest_step)
               : fmt::format("more than {} events in a step", options.max_events);
  report->warn(WarningKind::captured,
               fmt::format("t = {:.9g} s: {} (the last at contact '{}'); the rest of the "
                           "step is captured, not located",
                           now.phase.t, why, system->contact_name(id)));
}

EventStepper::EventStepper(StepFormula formula, StepperOptions options, std::unique_ptr<Solver> solver)
    : formula_(std::move(formula)),
      options_(options),
      solver_(std::move(solver)),
      kernel_(formula_, options_, *solver_),
      transitions_(kernel_, options_.law.has_facets()),
      impacts_(options_, *solver_),
      gap_projector_(*solver_) {}

void EventStepper::advance(const System& system, State& state, const StepRequest& request,
                           StepReport& report) {
  gains_.restart();
  take_or_halve(
      report, [&](const Retries& retries) { take_step(system, state, request, retries, report); },
      [&](Retries& retries) {
        return halve_deep_step(state, retries) || halve_gaining_step(state, retries);
      });
  if (report.stopped_at_event) return;
  lift_deep_contacts();
  if (judges_gains()) {
    if (gains_.refuses(step_, kernel_.free_velocity(), false)) return;
    gains_.take_out(step_, kernel_.free_velocity(), false);
  }
  finisher_.finish(step_, state);
}

void EventStepper::take_step(const System& system, const State& state, const StepRequest& request,
                             const Retries& retries, StepReport& report) {
  EventStep& step = step_;
  step.begin(system, state, request, report);
  step.retries = retries;
  kernel_.begin_whole_step(step.rest());
  gains_.begin(step);
  if (formula_.joints_only) {
    const std::string refused = finisher_.check_joints_only(step, formula_.name);
    if (!refused.empty()) step.fail(refused);
  }
  // Events end in event capturing long before this; whatever else goes in circles must not.
  const long max_rounds = k_max_parts + k_max_rounds + options_.max_events +
                          (1L << std::min(options_.max_halvings + GainWatch::k_more_halvings, 20));
  for (long rounds = 0; step.goes_on(); ++rounds) {
    if (rounds == max_rounds)
      step.fail("the step makes no progress");
    else
      take_part(step);
  }
  if (report.stopped_at_event) return;
  step.snap_to_end();
  if (request.reach != nullptr) system.extend_reach(step.now.at, step.now.phase.v, 0.0, *request.reach);
  // After an event at the very end nothing is weighted: v⁺ itself [Gavrea et al. 2008, 4.9].
  if (step.report->ok && step.history.weighted_velocity.size() == 0)
    step.history.weighted_velocity = step.now.phase.v;
  // Of the contacts at the end those are known that the last projection has put there, or all where it moved nothing.
  const bool moved = !step.now.contacts.is_at(step.now.phase.t, step.now.phase.q);
  finisher_.finish_contacts(step, moved ? touching_ : step.now.contacts);
}

bool EventStepper::judges_depths() const {
  // Schemes as they were published penetrate, and so does what does not look for collisions.
  return options_.policy == FailurePolicy::retry && options_.detect_collisions && !options_.snap_to_grid &&
         options_.projection != Projection::none;
}

bool EventStepper::halve_deep_step(const State& state, Retries& retries) {
  if (!judges_depths() ||
      !may_halve(step_, state, options_, retries, std::min(deep_halvings(step_), options_.max_halvings)))
    return false;
  const std::string deep = deepened(step_, state, k_located_halving_depth);
  if (!deep.empty()) halve_step(step_, state, deep, retries);
  return !deep.empty();
}

void EventStepper::lift_deep_contacts() {
  const StepReport& report = *step_.report;
  if (judges_depths() && options_.projection == Projection::all && report.ok &&
      report.certificate.relative_depth > k_located_halving_depth &&
      gap_projector_.lift_found(step_, true, k_largest_lift, finisher_.found()))
    finisher_.finish_contacts(step_, step_.now.contacts);
}

bool EventStepper::judges_gains() const {
  // Schemes of order 1 gain by O(h²) a step: theirs to show.
  return options_.policy == FailurePolicy::retry && !options_.snap_to_grid && !options_.rank_one_right_side &&
         options_.projection != Projection::none && has_order_2(formula_);
}

bool EventStepper::halve_gaining_step(const State& state, Retries& retries) {
  if (!judges_gains()) return false;
  const double gain = gains_.gained(step_, kernel_.free_velocity(), false);
  if (!may_halve(step_, state, options_, retries, gains_.halvings_worth(options_.max_halvings))) return false;
  if (gain > 0) halve_step(step_, state, fmt::format("{:.3g} J have come from nowhere", gain), retries);
  return gain > 0;
}

void EventStepper::take_part(EventStep& step) {
  const System& system = *step.system;
  double h = std::min(step.rest(), step.retries.h_limit);
  if (step.capturing) h = std::min({h, step.retries.h_limit / k_captured_parts, step.captured_limit});
  if (step.request.reach != nullptr)
    system.extend_reach(step.now.at, step.now.phase.v, step.rest(), *step.request.reach);
  update_active_set(step, h);
  h = contact_step(step, h);
  const double touching = touching_gap(options_, h);
  if (step.capturing) {
    capture_approaching(step, h);
    if (!take_trial(step, h) || !capture_rest(step, h)) {
      step.rebounds = false;  // restitution may ask for what cannot be, between surfaces that close
      return;
    }
    const double shortest = k_shortest_captured * (step.request.t_end - step.report->t_begin);
    if (captured_gain(step) && h > shortest) {
      step.captured_limit = 0.5 * h;
      return;
    }
    if (captured_gain(step) && step.rebounds) {
      step.rebounds = false;  // what gains in the shortest part as well stops
      return;
    }
    return accept(step, trial_);
  }
  const std::vector<ContactId> approaching = find_approaching(step, h);
  if (!approaching.empty()) return step.stops_at_event() ? void() : resolve_due_impact(step, h, approaching);
  if (locates_transitions() && !step.history.modes_known && establish_modes(step, h)) return;
  if (!take_trial(step, h)) return;
  if (locates_transitions() && resolve_shock(step, h)) return;
  std::optional<Collision> collision;
  if (options_.detect_collisions && !step.now.contacts.empty()) {
    evaluate_end(step);
    // Each round joins a contact at least.
    while (!step.locates_all && is_crowded(step) && capture(step, h, false)) {
      if (!take_trial(step, h)) return;
      evaluate_end(step);
    }
    if (captured_gain(step)) {
      step.locates_all = true;
      return;
    }
    // What has just taken off leaves from zero velocity, whose round-off is no collision, and from the gap that it had.
    const double at_rest = k_rest_tolerance * max_abs(step.now.phase.v);
    some_.clear();
    for (std::size_t c : step.active.open)
      if (!contains(step.released, step.now.contacts.ids[c]) ||
          std::abs(step.now.contacts.normal_velocity(c)) > at_rest ||
          trial_.end.contacts.gap(c) < std::min(step.now.contacts.gap(c), 0.0) - touching)
        some_.push_back(c);
    collision = find_collision(system, motion_, step.now.contacts, trial_.end.contacts, some_,
                               trial_.end.phase.t - step.now.phase.t, touching);
  }
  const std::optional<Transition> transition = find_transition(step, h);
  if ((collision || transition) && step.stops_at_event()) return;
  if (transition && (!collision || transition->h <= collision->s * h)) {
    const auto contact = static_cast<std::size_t>(transition->contact);
    const double slip_speed = part_velocity(step.active.contacts, contact, transition->part).norm();
    if (transition->h > 0) {
      // Prescribed modes may break the law where forces are shared in many ways: then the law decides up to here, too.
      const bool lawful = mode_trial_.residual.contact <= k_lawful;
      if (!lawful && !take_trial(step, transition->h)) return;
      accept(step, lawful ? mode_trial_ : trial_);
    }
    if (step.report->ok) apply_transition(step, *transition, slip_speed);
  } else if (collision) {
    move_to(step, *collision);
    if (step.report->ok) resolve_impact(step, h, closing_, true);
    if (options_.snap_to_grid && step.report->ok) step.snap_to_end();
  } else {
    const double s = first_hand_over(step, touching);
    if (s < 1.0) {
      if (step.stops_at_event()) return;
      step.count_event(step.active.contacts.ids[0], options_);
      if (!take_trial(step, s * h)) return;
    }
    accept(step, trial_);
  }
}

// --- contacts and modes

void EventStepper::update_active_set(EventStep& step, double h) {
  const double touching = touching_gap(options_, h);
  const Phase& phase = step.now.phase;
  History& history = step.history;
  finisher_.find_contacts(step, h);
  memories_.hand_over(*step.system, step.now, touching, history);
  const ContactSet& contacts = step.now.contacts;
  const double fastest = max_abs(phase.v);
  ActiveSet& active = step.active;
  active.closed.clear();
  active.open.clear();
  active.memory.clear();
  active.modes.clear();
  active.shifts.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactId id = contacts.ids[c];
    const ContactMemory* memory = find_memory(history, id);
    const bool closed = memory != nullptr && memory->closed;
    // A contact that leaves the band on its own within the step is open, even if it still touches.
    const bool separates = contacts.normal_velocity(c) * h > touching;
    const bool kept = options_.keep_active_after_impact && contains(step.hit, id);
    const bool released = contains(step.released, id) && !contains(step.returned, id) &&
                          contacts.normal_velocity(c) * h >= -touching;
    const bool touches = contacts.gap(c) <= touching && !separates && !released;
    if (!contacts.valid(c) || !(closed || kept || touches)) {
      active.open.push_back(c);
      continue;
    }
    active.closed.push_back(c);
    active.memory.push_back(memory);
    ContactMode mode;
    if (memory != nullptr) mode = mode_of(*memory);
    // In space the slip turns; its direction now is better than that of the last step's friction.
    for (FrictionKind kind : {FrictionKind::sliding, FrictionKind::rolling, FrictionKind::spinning}) {
      if (options_.law.has_facets() || mode.part(kind).status != ContactStatus::slip) continue;
      const Eigen::Vector2d u = part_velocity(contacts, c, kind);
      if (u.norm() > k_rest_tolerance * fastest) mode.set_part(kind, {ContactStatus::slip, u.normalized()});
    }
    active.modes.push_back(mode);
    if (memory == nullptr) history.modes_known = false;  // a new contact: its mode must be found
  }
  active.contacts.select(contacts, active.closed);
  // Slip at the middle of the step, extrapolated from the last weighted velocity where there is one.
  step.slip_hint = phase.v;
  if (history.weighted_velocity.size() == phase.v.size())
    step.slip_hint += phase.v - history.weighted_velocity;
}

double EventStepper::contact_step(const EventStep& step, double h) const {
  if (!options_.detect_collisions || step.active.open.empty()) return h;
  const double limit =
      step.system->contact_step_limit(step.now.contacts, step.active.open, step.now.at, step.now.phase.v, h);
  // Parts of the whole step, not of what is left of it: these would never end.
  const double shortest = (step.request.t_end - step.report->t_begin) / static_cast<double>(k_max_parts);
  return std::min(h, std::max(limit, shortest));
}

std::vector<ContactId> EventStepper::find_approaching(const EventStep& step, double h) const {
  std::vector<ContactId> approaching;
  if (!options_.detect_collisions) return approaching;
  const double touching = touching_gap(options_, h);
  const ActiveSet& active = step.active;
  for (std::size_t c = 0; c < active.contacts.size(); ++c) {
    const ContactId id = active.contacts.ids[c];
    const bool held = (active.memory[c] != nullptr && active.memory[c]->closed) ||
                      (options_.keep_active_after_impact && contains(step.hit, id));
    if (!held && active.contacts.normal_velocity(c) * h < -touching) approaching.push_back(id);
  }
  return approaching;
}

bool EventStepper::establish_modes(EventStep& step, double h) {
  ActiveSet& active = step.active;
  const double at_rest = k_rest_tolerance * max_abs(step.now.phase.v);
  if (!kernel_.find_modes(*step.system, step.now, active.contacts, at_rest, active.modes)) return false;
  // Where update_active_set finds them after an event without a step in between.
  memories_.store_modes(active.contacts.ids, active.modes, step.history);
  for (std::size_t c = 0; c < active.memory.size(); ++c) active.memory[c] = &step.history.contacts[c];
  if (!options_.detect_collisions || step.capturing) return false;
  const double touching = touching_gap(options_, h);
  const std::size_t before = step.released.size();
  for (std::size_t c = 0; c < active.contacts.size(); ++c) {
    const bool opens = active.modes[c].status == ContactStatus::open &&
                       0.5 * kernel_.take_off_acceleration(static_cast<int>(c)) * h * h > touching;
    if (opens && !contains(step.released, active.contacts.ids[c]))
      step.released.push_back(active.contacts.ids[c]);
  }
  return step.released.size() > before;
}

const ContactSet& EventStepper::contact_now(const EventStep& step, ContactId id) {
  const PhasePoint& now = step.now;
  const std::size_t at =
      now.contacts.is_at(now.phase.t, now.phase.q) ? now.contacts.find(id) : now.contacts.size();
  if (at < now.contacts.size()) {
    const std::size_t some[] = {at};
    one_.select(now.contacts, some);
  } else {
    const ContactId ids[] = {id};
    step.system->evaluate_contacts(ids, now.at, one_);
  }
  one_.update_velocities(now.phase.v);
  return one_;
}

void EventStepper::evaluate_end(EventStep& step) {
  step.system->evaluate_contacts(step.now.contacts.ids, trial_.end.at, trial_.end.contacts);
  trial_.end.contacts.update_velocities(trial_.end.phase.v);
  motion_.update(*step.system, step.now.phase, trial_.end.phase);
}

// --- trials

bool EventStepper::is_crowded(const EventStep& step) const {
  return captures_slow() &&
         static_cast<std::size_t>(step.num_events) * step.active.contacts.size() > k_located_contacts;
}

bool EventStepper::leaves_transitions(const EventStep& step) const {
  return is_crowded(step) || (captures_slow() && step.active.contacts.size() > k_followed_contacts);
}

bool EventStepper::take_trial(EventStep& step, double h) {
  ActiveSet& active = step.active;
  if (step.retries.known_limits) step.find_last_joint_forces(joint_forces_);
  kernel_.solve(*step.system, step.now, h, active.contacts, step.slip_hint, active.memory, trial_,
                active.shifts, {}, {.joint_forces = step.retries.known_limits ? &joint_forces_ : nullptr});
  return judge_trial(step, options_, active.contacts.ids, kernel_, projector_, trial_, step.retries);
}

std::optional<Transition> EventStepper::find_transition(const EventStep& step, double h) {
  const ActiveSet& active = step.active;
  if (!locates_transitions() || !active.shifts.empty() || !step.history.modes_known ||
      active.contacts.empty() || leaves_transitions(step))
    return std::nullopt;
  std::optional<Transition> transition = transitions_.find(*step.system, step.now, h, active.contacts,
                                                           active.modes, active.memory, trial_, mode_trial_);
  if (!transition) return transition;
  // A contact that has switched at this instant and wants to switch again chatters, and one that has turned too often
  // circles: the impulses of the step decide.
  const std::pair changed(active.contacts.ids[static_cast<std::size_t>(transition->contact)],
                          transition->part);
  const auto is_in = [&](const auto& list) {
    return std::find(list.begin(), list.end(), changed) != list.end();
  };
  if ((transition->h == 0 && is_in(step.switched)) || is_in(step.circling)) transition.reset();
  return transition;
}

double EventStepper::first_hand_over(const EventStep& step, double touching) {
  if (!options_.detect_collisions || step.capturing) return 1.0;
  const System& system = *step.system;
  const ContactSet& at_end = trial_.end.contacts;
  double first = 1.0;
  for (std::size_t c : step.active.closed) {
    if (at_end.valid(c)) continue;
    // Across a seam of a flat surface the gap goes on as it was: nothing happens there.
    const ContactId next[] = {system.successor(at_end.ids[c], trial_.end.at)};
    if (next[0] != at_end.ids[c]) {
      system.evaluate_contacts(next, trial_.end.at, one_);
      if (std::abs(one_.gap(0) - at_end.gap(c)) <= touching) continue;
    }
    // At once: the successor is active already, or there is none.
    constexpr double shortest = 1e-6;
    const double s = find_hand_over(system, motion_, step.now.contacts, c);
    if (s > shortest) first = std::min(first, s);
  }
  return first;
}

bool EventStepper::capture_rest(EventStep& step, double h) {
  for (std::size_t round = 0; round <= step.now.contacts.size(); ++round) {
    evaluate_end(step);
    if (!capture(step, h, true)) return true;
    if (!take_trial(step, h)) return false;
  }
  return true;
}

void EventStepper::accept(EventStep& step, Trial& trial, std::optional<ContactId> located) {
  closing_.clear();
  if (located) find_closing(step, trial.end, *located);
  book_trial(step, trial.end, trial, step.active.contacts.ids, 1.0);
  report_captured(step, trial);
  memories_.remember(trial, step.active.contacts.ids, step.history);
  release_rebounding(step);
  step.history.weighted_velocity = trial.y;
  step.locates_all = false;
  std::swap(step.now, trial.end);
  step.switched.clear();
  if (options_.projection != Projection::none) project(step, closing_);
}

void EventStepper::project(EventStep& step, std::span<const ContactId> located) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  ids_.clear();
  held_.clear();
  friction_ratios_.clear();
  const bool gaps = options_.projection == Projection::all;
  if (gaps || options_.hold_velocities)
    for (const ContactMemory& memory : step.history.contacts) {
      if (!memory.closed) continue;
      ids_.push_back(memory.id);
      // Without located transitions the papers' schemes ring at ±v while sticking; that is theirs to show.
      held_.push_back(locates_transitions() ? held_parts(mode_of(memory)) : HeldParts{0});
      friction_ratios_.push_back(friction_ratios(memory));
    }
  // The contacts that are being hit lie on their surfaces, but their velocities are still those before the impact.
  apart_.clear();
  for (ContactId id : located)
    if (!std::binary_search(ids_.begin(), ids_.end(), id)) apart_.push_back(id);
  const std::size_t closed = ids_.size();
  ids_.insert(ids_.end(), apart_.begin(), apart_.end());
  std::inplace_merge(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(closed), ids_.end());
  const std::vector<ContactId>& placed_ids = gaps ? ids_ : apart_;
  some_.clear();
  if (now.contacts.is_at(now.phase.t, now.phase.q))
    for (ContactId id : placed_ids) {
      const std::size_t c = now.contacts.find(id);
      if (c < now.contacts.size()) some_.push_back(c);
    }
  if (some_.size() == placed_ids.size())
    touching_.select(now.contacts, some_);
  else
    system.evaluate_contacts(placed_ids, now.at, touching_);
  book_projection(step, projector_, M_, touching_, [&] {
    bool placed = projector_.project_position(system, touching_, now);
    select_held();
    if (!placed && apart_.size() > 1) {
      // Contacts that are hit together within the drift of the joints, but do not fit on their surfaces at once.
      std::swap(touching_, held_contacts_);
      placed = projector_.project_position(system, touching_, now);
      held_contacts_ = touching_;
    }
    if (!placed) placed = lift(step);
    if (!placed) return false;
    if (!gaps && options_.hold_velocities) {
      std::erase_if(ids_, [&](ContactId id) { return std::binary_search(apart_.begin(), apart_.end(), id); });
      system.evaluate_contacts(ids_, now.at, held_contacts_);
    }
    return projector_.project_velocity(system, held_contacts_, held_, true, now, step.history.held_frictions,
                                       friction_ratios_, kernel_.step_speed());
  });
}

// Surfaces that cannot all be met at once are not passed, at least.
bool EventStepper::lift(EventStep& step) {
  PhasePoint& now = step.now;
  std::swap(now.contacts, touching_);
  const bool lifted = gap_projector_.project(*step.system, Vector::Zero(now.contacts.gaps.size()), now);
  std::swap(now.contacts, touching_);
  step.report->certificate.count_solves(gap_projector_.solves());
  step.report->certificate.iterations += gap_projector_.iterations();
  select_held();
  return lifted && gap_projector_.solves() > 0;
}

void EventStepper::select_held() {
  some_.clear();
  for (std::size_t c = 0; c < touching_.size(); ++c)
    if (!std::binary_search(apart_.begin(), apart_.end(), touching_.ids[c])) some_.push_back(c);
  held_contacts_.select(touching_, some_);
}

}  // namespace delassus
