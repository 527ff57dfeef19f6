// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/event_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/steppers/contact_diagnosis.hpp"

namespace delassus {
namespace {

bool contains(const std::vector<ContactId>& ids, ContactId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// How events of the couples are called.
EventKind event_kind(EventKind kind, FrictionKind part) {
  if (part == FrictionKind::sliding) return kind;
  const bool stops = kind == EventKind::stick;
  if (part == FrictionKind::rolling) return stops ? EventKind::roll_stop : EventKind::roll_start;
  return stops ? EventKind::spin_stop : EventKind::spin_start;
}

// Inelastic impacts that event capturing may still locate beside max_events.
constexpr int k_spare_events = 20;
// Sub-steps of one step beside its events and the 2^max_halvings that a step halved to the last needs.
constexpr long k_max_rounds = 1000;
// Largest residual of a step in prescribed modes that is accepted as it is.
constexpr double k_lawful = 1e-9;
// A contact sticks at an event when its slip is below this fraction of the largest velocity.
constexpr double k_rest_tolerance = 1e-12;

}  // namespace

EventStepper::EventStepper(StepFormula formula, StepperOptions options, std::unique_ptr<Solver> solver)
    : formula_(std::move(formula)),
      options_(options),
      solver_(std::move(solver)),
      kernel_(formula_, options_, *solver_),
      transitions_(kernel_, options_.law.has_facets()),
      impacts_(options_, *solver_) {}

void EventStepper::advance(const System& system, State& state, const StepRequest& request,
                           StepReport& report) {
  report.clear();
  report.t_begin = state.t;
  report_ = &report;
  history_ = state.history;
  phase_.t = state.t;
  phase_.q = state.q;
  phase_.v = state.v;
  capturing_ = false;
  num_events_ = 0;
  if (history_.acceleration.step > 0) history_.acceleration = {};  // of a run that began with another scheme
  num_turns_ = 0;
  hit_.clear();
  switched_.clear();
  colliding_.reset();
  // Of another scheme; the velocities may jump from here on.
  history_.acceleration = {};
  if (!history_.energy.started) finisher_.start_ledger(system, phase_, history_.energy);

  if (formula_.joints_only) {
    const std::string refused =
        finisher_.check_joints_only(system, phase_, request.t_end - phase_.t, formula_.name);
    if (!refused.empty()) fail(refused);
  }

  Retries retries{.h_limit = std::numeric_limits<double>::infinity()};
  long rounds = 0;
  while (report.ok && !reached(phase_.t, request.t_end)) {
    // Events end in event capturing long before this; whatever else goes in circles must not.
    if (++rounds > k_max_rounds + options_.max_events + (1L << std::min(options_.max_halvings, 20))) {
      fail("the step makes no progress");
      break;
    }
    double h = std::min(request.t_end - phase_.t, retries.h_limit);
    update_active_set(system, h);
    h = contact_step(system, h);
    if (find_approaching(system, h)) {
      resolve_impact(system, h);
      continue;
    }
    if (locates_transitions() && !history_.modes_known) establish_modes(system);
    if (!take_trial(system, h, retries)) continue;
    // While capturing, impacts are still located but do not rebound; only if they do not end either, contacts join
    // the active set where they are.
    if (num_events_ > 2 * options_.max_events + k_spare_events) {
      if (!capture(system, h)) continue;
      accept(system, trial_, 1.0);
      continue;
    }
    std::optional<Collision> collision;
    if (options_.detect_collisions)
      collision = collisions_.find(system, phase_, trial_.end,
                                   std::max(options_.epsilon_a, options_.epsilon_b * h * h * h), inactive_);
    std::optional<Transition> transition;
    if (locates_transitions() && !capturing_ && history_.modes_known && !active_.empty())
      transition = transitions_.find(system, phase_, h, active_, modes_, trial_.solution.modes, mode_trial_);
    // A contact that has switched at this instant and wants to switch again chatters: the impulses of the
    // step decide.
    if (transition && transition->h == 0 &&
        std::find(switched_.begin(), switched_.end(),
                  std::pair(active_[transition->contact], transition->part)) != switched_.end())
      transition.reset();
    if (transition && (!collision || transition->h <= collision->s * h)) {
      const double slip_speed = slip_velocity(system, active_[transition->contact], transition->part).norm();
      if (transition->h > 0) {
        // Prescribed modes may break the law where forces are shared in many ways: then the law decides up to here, too.
        const bool lawful = mode_trial_.residual.contact <= k_lawful;
        if (!lawful && !take_trial(system, transition->h, retries)) continue;
        accept(system, lawful ? mode_trial_ : trial_, 1.0);
      }
      if (report.ok) apply_transition(system, *transition, slip_speed);
    } else if (collision) {
      move_to(system, *collision);
      if (report.ok) resolve_impact(system, h);
      if (options_.snap_to_grid && report.ok) phase_.t = request.t_end;
    } else {
      const double s = first_hand_over(system, std::max(options_.epsilon_a, options_.epsilon_b * h * h * h));
      if (s < 1.0) {
        count_event(active_[0]);
        if (!take_trial(system, s * h, retries)) continue;
      }
      accept(system, trial_, 1.0);
    }
  }
  if (report.ok) phase_.t = request.t_end;
  finish(system, state);
}

void EventStepper::update_active_set(const System& system, double h) {
  const double touching = std::max(options_.epsilon_a, options_.epsilon_b * h * h * h);
  system.candidates(phase_.t, phase_.q, phase_.v, h, candidates_);
  memories_.hand_over(system, phase_, candidates_, touching, history_);
  at_candidates_.update(system, phase_, candidates_);
  const double fastest = phase_.v.size() > 0 ? phase_.v.cwiseAbs().maxCoeff() : 0.0;
  active_.clear();
  inactive_.clear();
  active_memory_.clear();
  modes_.clear();
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const ContactId id = candidates_[c];
    const ContactMemory* memory = find_memory(history_, id);
    const bool closed = memory != nullptr && memory->closed;
    // A contact that leaves the band on its own within the step is open, even if it still touches.
    const bool separates = at_candidates_.normal_velocity(c) * h > touching;
    const bool kept = options_.keep_active_after_impact && contains(hit_, id);
    const bool touches = at_candidates_.gap(c) <= touching && !separates;
    if (at_candidates_.valid(c) && (closed || kept || touches)) {
      active_.push_back(id);
      active_memory_.push_back(memory);
      ContactMode mode;
      if (memory != nullptr) mode = mode_of(*memory);
      // In space the slip turns; its direction now is better than that of the last step's friction.
      for (FrictionKind kind : {FrictionKind::sliding, FrictionKind::rolling, FrictionKind::spinning}) {
        if (options_.law.has_facets() || mode.part(kind).status != ContactStatus::slip) continue;
        const Eigen::Vector2d u = at_candidates_.part(c, kind);
        if (u.norm() > k_rest_tolerance * fastest) mode.set_part(kind, {ContactStatus::slip, u.normalized()});
      }
      modes_.push_back(mode);
      if (memory == nullptr) history_.modes_known = false;  // a new contact: its mode must be found
    } else {
      inactive_.push_back(id);
    }
  }
  // Slip at the middle of the step, extrapolated from the last weighted velocity where there is one.
  slip_hint_ = phase_.v;
  if (history_.weighted_velocity.size() == phase_.v.size())
    slip_hint_ += phase_.v - history_.weighted_velocity;
}

double EventStepper::contact_step(const System& system, double h) {
  if (!options_.detect_collisions || inactive_.empty()) return h;
  // A step is never cut into more parts than this: what is so fast is followed as well as it can be.
  constexpr double most_parts = 1024;
  const double limit = system.contact_step_limit(inactive_, phase_.t, phase_.q, phase_.v, h);
  return std::min(h, std::max(limit, h / most_parts));
}

double EventStepper::first_hand_over(const System& system, double touching) {
  if (!options_.detect_collisions || capturing_ || active_.empty()) return 1.0;
  system.gaps(active_, trial_.end.t, trial_.end.q, active_gaps_, &active_margins_);
  double first = 1.0;
  for (std::size_t c = 0; c < active_.size(); ++c) {
    if (active_margins_[c] >= 0) continue;
    // Across a seam of a flat surface the gap goes on as it was: nothing happens there.
    const ContactId next[] = {system.successor(active_[c], trial_.end.t, trial_.end.q)};
    if (next[0] != active_[c]) {
      Vector gap;
      system.gaps(next, trial_.end.t, trial_.end.q, gap);
      if (std::abs(gap[0] - active_gaps_[c]) <= touching) continue;
    }
    // At once: the successor is active already, or there is none.
    constexpr double shortest = 1e-6;
    const double s = collisions_.find_hand_over(system, phase_, trial_.end, active_[c]);
    if (s > shortest) first = std::min(first, s);
  }
  return first;
}

// True when a contact of the active set that is not held approaches: an impact is due now.
bool EventStepper::find_approaching(const System& system, double h) {
  approaching_.clear();
  if (!options_.detect_collisions || active_.empty()) return false;
  const double touching = std::max(options_.epsilon_a, options_.epsilon_b * h * h * h);
  at_active_.update(system, phase_, active_);
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const bool held = (active_memory_[c] != nullptr && active_memory_[c]->closed) ||
                      (options_.keep_active_after_impact && contains(hit_, active_[c]));
    if (!held && at_active_.normal_velocity(c) * h < -touching) approaching_.push_back(active_[c]);
  }
  return !approaching_.empty();
}

void EventStepper::fail(const std::string& why) {
  fail_step(phase_.t, why, *report_);
}

void EventStepper::move_to(const System& system, const Collision& collision) {
  colliding_ = collision.contact;
  if (options_.location == ImpactLocation::interpolant) {
    interpolate_to(system, collision);
    return;
  }
  // Newton's method on the length of the step, from the interpolant's estimate; a step that stops short of
  // converging is as good as the interpolant was.
  constexpr int max_iterations = 8;
  const ContactId ids[] = {collision.contact};
  double h = collision.s * trial_.h, best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    kernel_.solve(system, phase_, h, active_, slip_hint_, active_memory_, scratch_trial_);
    report_->certificate.solves += 1;
    if (!scratch_trial_.ok) break;
    at_one_.update(system, scratch_trial_.end, ids);
    const double gap = at_one_.gap(0), rate = at_one_.normal_velocity(0), next = h - gap / rate;
    if (!(std::abs(gap) < best)) break;
    best = std::abs(gap);
    std::swap(impact_trial_, scratch_trial_);
    if (gap == 0 || !(rate < 0) || !(next > 0 && next <= trial_.h)) break;
    h = next;
  }
  if (std::isfinite(best))
    accept(system, impact_trial_, 1.0);
  else
    interpolate_to(system, collision);
}

void EventStepper::interpolate_to(const System& system, const Collision& collision) {
  if (collision.s >= 1.0) {
    accept(system, trial_, 1.0);
    return;
  }
  collisions_.interpolate(system, phase_, trial_.end, collision.s, scratch_);
  accept(system, trial_, collision.s);
  std::swap(phase_, scratch_);
  if (options_.projection != Projection::none) project(system);
}

void EventStepper::resolve_impact(const System& system, double h) {
  held_friction_.clear();  // an impact may tear a joint loose
  // Everything that touches takes part: closed contacts, those hit now, those within the band.
  const double touching = std::max(options_.epsilon_a, options_.epsilon_b * h * h * h);
  system.candidates(phase_.t, phase_.q, phase_.v, 0.0, candidates_);
  // Those that are hit take part, also where a neighbour at the same place stands for them among the candidates.
  if (colliding_) approaching_.assign(1, *colliding_);
  for (ContactId id : approaching_) {
    const auto at = std::lower_bound(candidates_.begin(), candidates_.end(), id);
    if (at == candidates_.end() || *at != id) candidates_.insert(at, id);
  }
  approaching_.clear();
  system.gaps(candidates_, phase_.t, phase_.q, gaps_, &margins_);
  active_.clear();
  // The located gap is zero up to the round-off of the configuration.
  const double round_off = 1e-13 * (1.0 + phase_.q.cwiseAbs().maxCoeff());
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const ContactMemory* memory = find_memory(history_, candidates_[c]);
    const bool closed = memory != nullptr && memory->closed;
    if (margins_[c] < 0 && candidates_[c] != colliding_) continue;
    if (gaps_[c] <= std::max(touching, round_off) || closed || candidates_[c] == colliding_)
      active_.push_back(candidates_[c]);
  }
  colliding_.reset();
  impacts_.resolve(system, phase_, active_, capturing_, impact_);
  Certificate& certificate = report_->certificate;
  certificate.solves += 1;
  certificate.iterations += impact_.stats.iterations;
  certificate.contact_residual = std::max(certificate.contact_residual, impact_.residual);
  if (!impact_.ok) {
    certificate.status = impact_.stats.status;
    std::string names;
    for (ContactId id : active_) names += (names.empty() ? "'" : ", '") + system.contact_name(id) + "'";
    const std::string jam = describe_jam(system, impacts_.problem(), impacts_.local(), active_);
    fail(!jam.empty()
             ? jam
             : fmt::format(
                   "the impact of contact {} has no solution ({}); check that the bodies are not wedged "
                   "between opposed contacts",
                   names, to_string(impact_.stats.status)));
    return;
  }
  if (report_->joint_impulses.size() != impact_.joint_impulses.size())
    report_->joint_impulses.setZero(impact_.joint_impulses.size());
  report_->joint_impulses += impact_.joint_impulses;
  history_.energy.impacts += impact_.energy_change;
  phase_.v = impact_.v;
  double fastest = 0;
  for (const Vector3& u : impact_.velocity_before) fastest = std::max(fastest, u.cwiseAbs().maxCoeff());
  next_contacts_.assign(active_.size(), {});
  for (std::size_t c = 0; c < active_.size(); ++c) {
    ContactReport& contact = contact_report(active_[c], *report_);
    contact.impulse += impact_.impulse[c];
    contact.couple += impact_.couple[c];
    if (impact_.velocity_before[c][0] < -k_rest_tolerance * fastest) {
      hit_.push_back(active_[c]);
      report_->events.push_back({phase_.t, EventKind::impact, active_[c], impact_.velocity_before[c],
                                 impact_.velocity_after[c], impact_.impulse[c], impact_.energy_change});
      if (impact_.fell_back)
        report_->events.push_back({.time = phase_.t, .kind = EventKind::fallback, .contact = active_[c]});
    }
    // A contact that does not separate persists.
    ContactMemory& memory = next_contacts_[c];
    memory.id = active_[c];
    memory.closed = impact_.velocity_after[c][0] <= k_rest_tolerance * fastest;
    if (memory.closed) memory.status = ContactStatus::stick;
  }
  std::swap(history_.contacts, next_contacts_);
  history_.modes_known = false;
  history_.weighted_velocity.resize(0);
  switched_.clear();
  count_event(active_.empty() ? 0 : active_[0]);
}

void EventStepper::count_event(ContactId id) {
  if (++num_events_ <= options_.max_events || capturing_) return;
  capturing_ = true;
  report_->events.push_back({.time = phase_.t, .kind = EventKind::zeno, .contact = id});
}

void EventStepper::establish_modes(const System& system) {
  const double fastest = phase_.v.size() > 0 ? phase_.v.cwiseAbs().maxCoeff() : 0.0;
  if (!kernel_.find_modes(system, phase_, active_, k_rest_tolerance * fastest, modes_)) return;
  // Where update_active_set finds them after an event without a step in between.
  memories_.store_modes(active_, modes_, history_);
  for (std::size_t c = 0; c < active_.size(); ++c) active_memory_[c] = &history_.contacts[c];
}

// Solves the trial step; on failure follows the policy. False: nothing to accept now.
bool EventStepper::take_trial(const System& system, double h, Retries& retries) {
  kernel_.solve(system, phase_, h, active_, slip_hint_, active_memory_, trial_);
  return judge_trial(system, options_, phase_.t, active_, kernel_, projector_, trial_, retries, *report_);
}

// Event capturing: contacts that would penetrate join the active set. True when the trial may be accepted.
bool EventStepper::capture(const System& system, double h) {
  for (std::size_t round = 0; round <= candidates_.size(); ++round) {
    system.gaps(inactive_, trial_.end.t, trial_.end.q, gaps_, &margins_);
    std::vector<ContactId> open;
    bool grown = false;
    for (std::size_t c = 0; c < inactive_.size(); ++c) {
      if (gaps_[c] >= 0 || margins_[c] < 0) {
        open.push_back(inactive_[c]);
        continue;
      }
      const auto at = std::lower_bound(active_.begin(), active_.end(), inactive_[c]) - active_.begin();
      active_.insert(active_.begin() + at, inactive_[c]);
      active_memory_.insert(active_memory_.begin() + at, find_memory(history_, inactive_[c]));
      modes_.insert(modes_.begin() + at, ContactMode{});
      grown = true;
    }
    inactive_ = std::move(open);
    if (!grown) return true;
    Retries none{.h_limit = h, .halvings = options_.max_halvings};
    if (!take_trial(system, h, none)) return false;
  }
  return true;
}

// Moves to the end of a trial, or books a fraction of it (the phase is then set by the caller).
void EventStepper::accept(const System& system, const Trial& trial, double fraction) {
  const Phase& end = fraction < 1.0 ? scratch_ : trial.end;
  book_trial(system, phase_, end, trial, active_, fraction, held_friction_, history_.energy, *report_);
  memories_.remember(trial, active_, history_);
  if (fraction < 1.0) return;
  history_.weighted_velocity = trial.y;
  phase_ = trial.end;
  switched_.clear();
  if (options_.projection != Projection::none) project(system);
}

void EventStepper::apply_transition(const System& system, const Transition& transition, double slip_speed) {
  const ContactId id = active_[transition.contact];
  Event event{.time = phase_.t,
              .kind = transition.kind,
              .contact = id,
              .velocity_before = contact_velocity(system, id)};
  ContactMode& mode = modes_[transition.contact];
  PartMode part;
  if (transition.kind == EventKind::take_off) {
    mode = {};
  } else if (transition.kind == EventKind::facet || transition.kind == EventKind::slip) {
    mode.set_part(transition.part, {ContactStatus::slip, transition.direction});
  } else if (turns_only(system, id, transition.part, slip_speed, part)) {
    // A slip in space whose old direction has died out while it turned: it goes on in the direction that is
    // left.
    mode.set_part(transition.part, part);
    memories_.store_modes(active_, modes_, history_);
    return;
  } else {
    part = stop(system, transition, slip_speed);
    mode.set_part(transition.part, part);
    if (part.status == ContactStatus::slip) event.kind = EventKind::reversal;
  }
  event.kind = event_kind(event.kind, transition.part);
  memories_.store_modes(active_, modes_, history_);
  history_.weighted_velocity.resize(0);
  switched_.emplace_back(id, transition.part);
  event.velocity_after = contact_velocity(system, id);
  report_->events.push_back(event);
  count_event(id);
}

PartMode EventStepper::stop(const System& system, const Transition& transition, double slip_speed) {
  const std::size_t contact = static_cast<std::size_t>(transition.contact);
  std::vector<ContactMode> held;
  std::size_t index = 0;
  closed_.clear();
  held_.clear();
  for (std::size_t c = 0; c < active_.size(); ++c) {
    if (modes_[c].status == ContactStatus::open) continue;
    if (c == contact) index = closed_.size();
    closed_.push_back(active_[c]);
    held.push_back(modes_[c]);
    if (c == contact) held.back().set_part(transition.part, {ContactStatus::stick, {0, 0}});
    held_.push_back(held_parts(held.back()));
  }
  // What is left of a slip that turned while it stopped is taken by friction.
  system.mass(phase_.t, phase_.q, M_);
  const double before = kinetic_energy(M_, phase_.v);
  projector_.project_velocity(system, closed_, held_, options_.projection == Projection::all, phase_,
                              held_friction_);
  history_.energy.friction += kinetic_energy(M_, phase_.v) - before;
  Solution forces;
  if (!kernel_.solve_forces(system, phase_, closed_, held, forces)) return {ContactStatus::stick, {0, 0}};
  int row = 0;
  for (std::size_t i = 0; i < index; ++i) row += kernel_.force_cones()[i].dim;
  const Cone& cone = kernel_.force_cones()[index];
  for (const FrictionPart& part : mode_parts(cone)) {
    if (part.kind != transition.part) continue;
    Eigen::Vector2d r = Eigen::Vector2d::Zero();
    r.head(part.size) = forces.r.segment(row + part.first, part.size);
    const double friction = part.kind == FrictionKind::sliding ? kernel_.friction_norm(cone, r) : r.norm();
    if (friction <= part.coefficient * forces.r[row]) continue;
    // Of contacts that share their forces in many ways the law says whether this one holds, not the share it was given.
    std::vector<ContactMode> lawful;
    const double at_rest = k_rest_tolerance * std::max(phase_.v.cwiseAbs().maxCoeff(), slip_speed);
    if (kernel_.redundant_forces() && kernel_.find_modes(system, phase_, active_, at_rest, lawful) &&
        lawful[contact].part(part.kind).status == ContactStatus::stick)
      break;
    return {ContactStatus::slip, -r.normalized()};
  }
  return {ContactStatus::stick, {0, 0}};
}

// True when the slip that is left where its component along the old direction vanishes is too large to be
// called zero.
bool EventStepper::turns_only(const System& system, ContactId id, FrictionKind part, double slip_speed,
                              PartMode& mode) {
  // Stopping what is left shifts the position by the square of it; a twentieth leaves the order and the
  // constant alone.
  constexpr double negligible = 0.05;
  // A slip that circles instead is over after a few turns: its speed is then that of one step's change.
  constexpr int max_turns = 4;
  // What is left of a slip that goes on at half its speed is no stop, whatever the event functions say.
  constexpr double goes_on = 0.5;
  const Eigen::Vector2d left = slip_velocity(system, id, part);
  if (options_.law.has_facets() || left.norm() <= negligible * slip_speed) return false;
  if (++num_turns_ > max_turns) {
    if (left.norm() <= goes_on * slip_speed) return false;
    switched_.emplace_back(id, part);  // from here the impulses of the step decide
  }
  mode = {ContactStatus::slip, left.normalized()};
  return true;
}

Vector3 EventStepper::contact_velocity(const System& system, ContactId id) {
  const ContactId ids[] = {id};
  at_one_.update(system, phase_, ids);
  return at_one_.velocity(0);
}

Eigen::Vector2d EventStepper::slip_velocity(const System& system, ContactId id, FrictionKind part) {
  const ContactId ids[] = {id};
  at_one_.update(system, phase_, ids);
  return at_one_.part(0, part);
}

void EventStepper::project(const System& system) {
  closed_.clear();
  held_.clear();
  friction_ratios_.clear();
  if (options_.projection == Projection::all)
    for (const ContactMemory& memory : history_.contacts) {
      if (!memory.closed) continue;
      closed_.push_back(memory.id);
      // Without located transitions the papers' schemes ring at ±v while sticking; that is theirs to show.
      held_.push_back(options_.detect_transitions ? held_parts(mode_of(memory)) : HeldParts{0});
      friction_ratios_.push_back(friction_ratios(memory));
    }
  // The contact that is being hit lies on its surface, but its velocity is still the one before the impact.
  touching_ = closed_;
  if (colliding_ && std::find(closed_.begin(), closed_.end(), *colliding_) == closed_.end())
    touching_.push_back(*colliding_);
  book_projection(system, phase_, projector_, M_, history_.energy, *report_, [&] {
    return projector_.project_position(system, touching_, phase_) &&
           projector_.project_velocity(system, closed_, held_, true, phase_, held_friction_,
                                       friction_ratios_);
  });
}

// The certificate of the contacts at the end of the step; the rest is that of every stepper.
void EventStepper::finish(const System& system, State& state) {
  system.candidates(phase_.t, phase_.q, phase_.v, 0.0, candidates_);
  finisher_.finish_contacts(system, phase_, candidates_, history_, *report_);
  finisher_.finish(system, phase_, history_, *report_, state);
}

}  // namespace delassus
