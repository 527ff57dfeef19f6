// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Events of the Runge-Kutta stepper: found, located, applied.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "delassus/base/roots.hpp"
#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/runge_kutta/runge_kutta_stepper.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Forces below this part of the largest one are round-off [-].
constexpr double k_no_force = 1e-11;
// Floors of the critical interval: relative to the time itself, and to the step; a flight that is shorter than this part of the grid
// step ends at once [-].
constexpr double k_time_round_off = 4 * std::numeric_limits<double>::epsilon();
constexpr double k_step_round_off = 1e-15, k_shortest_flight = 1e-8;
// A slip that turns goes on where more than this share of it is left across its old direction [-].
constexpr double k_turned = 0.05;
constexpr int k_max_roots = 60, k_max_newton = 12, k_most_idle = 6;

EventKind event_kind(MotionEvent::Kind kind, FrictionKind part) {
  if (kind == MotionEvent::Kind::take_off) return EventKind::take_off;
  const bool stops = kind == MotionEvent::Kind::stop;
  if (part == FrictionKind::rolling) return stops ? EventKind::roll_stop : EventKind::roll_start;
  if (part == FrictionKind::spinning) return stops ? EventKind::spin_stop : EventKind::spin_start;
  return stops ? EventKind::stick : EventKind::slip;
}

Eigen::Vector2d part_force(const MotionPoint& at, std::size_t c, FrictionKind kind) {
  const int first = at.point.contacts.first_row(c);
  const auto part = ConstrainedMotion::part_rows(kind, at.point.contacts.num_rows(c));
  Eigen::Vector2d out = Eigen::Vector2d::Zero();
  for (int i = 0; i < part.size; ++i) out[i] = at.contact_forces[first + part.first + i];
  return out;
}

double normal_force(const MotionPoint& at, std::size_t c) {
  return at.contact_forces[at.point.contacts.first_row(c)];
}

}  // namespace

double RungeKuttaStepper::critical(const MotionInProgress& step, double h) const {
  const double t = std::abs(step.now.phase.t);
  return std::max({settings_.critical_step * std::pow(h, tableau_.order + 1), k_time_round_off * t,
                   k_step_round_off * h});
}

double RungeKuttaStepper::force_scale(const MotionPoint& at) const {
  return std::max(max_abs(at.k), max_abs(at.contact_forces));
}

double RungeKuttaStepper::event_value(const MotionPoint& at, const MotionEvent& event) const {
  const std::size_t c = event.index;
  switch (event.kind) {
    case MotionEvent::Kind::take_off:
      return normal_force(at, c);
    case MotionEvent::Kind::slip:
      return motion_.coefficient(at.point.contacts, c, event.part) * normal_force(at, c) -
             part_force(at, c, event.part).norm();
    case MotionEvent::Kind::stop:
      return part_velocity(at.point.contacts, c, event.part)
          .dot(motion_.modes()[c].part(event.part).direction);
    case MotionEvent::Kind::collision:
    case MotionEvent::Kind::law:
      break;
  }
  return 0;
}

std::optional<MotionEvent> RungeKuttaStepper::broken_mode(const MotionPoint& at, double force,
                                                          double speed) const {
  std::optional<MotionEvent> worst;
  double share = 0;
  const auto look = [&](const MotionEvent& event, double tolerated, double scale) {
    const double value = event_value(at, event);
    if (!(value < -tolerated) || !(-value > share * scale)) return;
    share = -value / scale;
    worst = event;
  };
  const double largest_force = std::max(force_scale(at), 1e-300),
               largest_speed = std::max(max_abs(at.point.phase.v), 1e-300);
  for (std::size_t c = 0; c < motion_.ids().size(); ++c) {
    MotionEvent event{.kind = MotionEvent::Kind::take_off, .contact = motion_.ids()[c], .index = c};
    look(event, force, largest_force);
    for (FrictionKind kind : k_friction_kinds) {
      event.part = kind;
      const ContactStatus status = motion_.modes()[c].part(kind).status;
      if (ConstrainedMotion::part_rows(kind, at.point.contacts.num_rows(c)).size == 0) continue;
      if (!(motion_.coefficient(at.point.contacts, c, kind) > 0)) continue;
      event.kind = status == ContactStatus::slip ? MotionEvent::Kind::stop : MotionEvent::Kind::slip;
      if (status == ContactStatus::slip)
        look(event, speed, largest_speed);
      else
        look(event, force, largest_force);
    }
  }
  return worst;
}

std::optional<MotionEvent> RungeKuttaStepper::find_broken_mode(const MotionInProgress& step, double h) {
  (void)h;
  if (step.closed.empty()) return std::nullopt;
  const double force = k_no_force * std::max(force_scale(begin_), force_scale(end_));
  const double speed = std::max(begin_.slow, end_.slow);
  // The stages first, in the order of their times.
  std::optional<MotionEvent> event;
  double first = 2;
  for (int i = 0; i < taken_->num_stages(); ++i) {
    const double s = taken_->stage_time(i);
    if (!(s > 0 && s < first)) continue;
    const MotionPoint& at = taken_->stage(begin_, i);
    auto found = broken_mode(at, force, speed);
    if (!found) continue;
    event = found;
    event->s = first = s;
  }
  if (!event) {
    event = broken_mode(end_, force, speed);
    if (event) event->s = 1;
  }
  if (!event || end_.num_redundant == 0) return event;
  // One share of many: the law says whether anything changes.
  if (event->kind == MotionEvent::Kind::stop) return event;
  if (is_lawful(step, end_)) return std::nullopt;
  event->kind = MotionEvent::Kind::law;
  event->s = 1;
  return event;
}

std::optional<MotionEvent> RungeKuttaStepper::find_event(MotionInProgress& step, double h) {
  const System& system = *step.system;
  std::optional<MotionEvent> event = find_broken_mode(step, h);
  const ContactSet& begin = step.now.contacts;
  if (!options_.detect_collisions || step.open.empty()) return event;
  const double touching = touching_gap(options_, h), at_rest = k_rest_tolerance * max_abs(step.now.phase.v);
  system.evaluate_contacts(begin.ids, end_.point.at, at_end_);
  at_end_.update_velocities(end_.point.phase.v);
  some_.clear();
  for (std::size_t c : step.open) {
    const bool released =
        std::find(step.released.begin(), step.released.end(), begin.ids[c]) != step.released.end();
    if (!released || std::abs(begin.normal_velocity(c)) > at_rest ||
        at_end_.gap(c) < std::min(begin.gap(c), 0.0) - touching)
      some_.push_back(c);
  }
  path_.update(system, step.now.phase, end_.point.phase);
  const auto collision = find_collision(system, path_, begin, at_end_, some_, h, touching);
  if (collision && !(event && event->s < collision->s))
    event = {.kind = MotionEvent::Kind::collision, .contact = collision->contact, .s = collision->s};
  const auto back = find_return(step, h, touching);
  return back && !(event && event->s < back->s) ? back : event;
}

std::optional<MotionEvent> RungeKuttaStepper::find_return(const MotionInProgress& step, double h,
                                                          double touching) const {
  std::optional<MotionEvent> first;
  const ContactSet& begin = step.now.contacts;
  for (std::size_t c : some_) {
    const double depth = -begin.gap(c), rate = h * begin.normal_velocity(c);
    if (!(depth > touching && rate > 0 && at_end_.gap(c) < -depth - touching) || !at_end_.valid(c)) continue;
    const auto s = find_first_downcrossing({0, rate, at_end_.gap(c) + depth, h * at_end_.normal_velocity(c)});
    if (s && *s > 0 && !(first && first->s <= *s))
      first =
          MotionEvent{.kind = MotionEvent::Kind::collision, .contact = begin.ids[c], .s = *s, .depth = depth};
  }
  return first;
}

bool RungeKuttaStepper::locate(MotionInProgress& step, MotionEvent& event, double& h) {
  if (event.kind == MotionEvent::Kind::collision) return locate_collision(step, event, h);
  if (!locate_root(step, event, h)) return false;
  if (event.kind == MotionEvent::Kind::slip)
    event.direction = -part_force(end_, event.index, event.part).normalized();
  return true;
}

// Newton's method on the length of the step, from the estimate of the interpolant; (1) bounds the last correction. The last
// length at which the contact is still open, where there is one.
bool RungeKuttaStepper::locate_collision(MotionInProgress& step, const MotionEvent& event, double& h) {
  const System& system = *step.system;
  const ContactId ids[] = {event.contact};
  const double longest = h, near = critical(step, h);
  const double round_off = k_gap_round_off * system_size(system, step.now.phase.q);
  double length = event.s * h, best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < k_max_newton; ++i) {
    if (!(length > 0)) break;
    if (!try_step(step, length)) return false;
    h = length;
    system.evaluate_contacts(ids, end_.point.at, one_);
    one_.update_velocities(end_.point.phase.v);
    const double gap = one_.gap(0) + event.depth, rate = one_.normal_velocity(0);
    if (std::abs(gap) <= 0.01 * round_off || !(rate < 0)) break;
    const double correction = -gap / rate;
    if (std::abs(correction) <= near || (i > 2 && std::abs(gap) > 0.5 * best)) break;
    best = std::abs(gap);
    length = std::min(length + correction, longest);
  }
  return true;
}

// The root of the event function over the length of the step, enclosed to (1) by regula falsi (Illinois) and bisection; the
// end of the enclosure where the mode is just over.
bool RungeKuttaStepper::locate_root(MotionInProgress& step, const MotionEvent& event, double& h) {
  const double near = critical(step, h);
  const bool by_law = event.kind == MotionEvent::Kind::law;
  const auto value = [&] { return by_law ? (is_lawful(step, end_) ? 1.0 : -1.0) : event_value(end_, event); };
  double low = 0, f_low = by_law ? 1.0 : event_value(begin_, event), high = event.s * h;
  if (high < h && !try_step(step, high)) return false;
  double f_high = value();
  if (!(f_high < 0) && high < h) {
    // A stage that was not as accurate as a step: the event is later, if it is one.
    low = high;
    f_low = f_high;
    high = h;
    if (!try_step(step, high)) return false;
    f_high = value();
  }
  h = high;
  if (!(f_high < 0)) return true;
  if (!(f_low > 0)) {
    // Over from the beginning.
    h = high = std::min(high, std::max(near, k_step_round_off * high));
    return try_step(step, h);
  }
  int same_side = 0;
  for (int i = 0; i < k_max_roots && high - low > near; ++i) {
    double x = by_law || i % 4 == 3 ? 0.5 * (low + high) : low + (high - low) * f_low / (f_low - f_high);
    x = std::clamp(x, low + 0.1 * near, high - 0.1 * near);
    if (!(x > low && x < high)) break;
    if (!try_step(step, x)) return false;
    const double f = value();
    if (f < 0) {
      high = x;
      f_high = f;
      if (same_side == 1) f_low *= 0.5;
      same_side = 1;
    } else {
      low = x;
      f_low = f;
      if (same_side == -1) f_high *= 0.5;
      same_side = -1;
    }
  }
  h = high;
  return try_step(step, h);
}

// --- what follows

void RungeKuttaStepper::apply(MotionInProgress& step, const MotionEvent& event) {
  const ContactId id = event.contact;
  const std::size_t c = event.index;
  const ContactId ids[] = {id};
  step.system->evaluate_contacts(ids, step.now.at, one_);
  one_.update_velocities(step.now.phase.v);
  Event entry{.time = step.now.phase.t, .contact = id, .velocity_before = one_.velocity(0)};
  bool told = true;
  switch (event.kind) {
    case MotionEvent::Kind::take_off:
      step.closed.erase(step.closed.begin() + static_cast<std::ptrdiff_t>(c));
      step.modes.erase(step.modes.begin() + static_cast<std::ptrdiff_t>(c));
      step.released.push_back(id);
      break;
    case MotionEvent::Kind::slip:
      step.modes[c].set_part(event.part, {ContactStatus::slip, event.direction});
      break;
    case MotionEvent::Kind::stop: {
      const Eigen::Vector2d left = part_velocity(one_, 0, event.part);
      const Eigen::Vector2d before = part_velocity(begin_.point.contacts, c, event.part);
      told = motion_.is_straight(c, event.part) ||
             !(left.norm() > std::max(k_turned * before.norm(), begin_.slow));
      if (told)
        stop_slip(step, event);
      else
        step.modes[c].set_part(event.part, {ContactStatus::slip, left.normalized()});
      break;
    }
    case MotionEvent::Kind::collision:
    case MotionEvent::Kind::law:
      told = false;
      break;
  }
  memories_.store_modes(step.closed, step.modes, step.history);
  if (event.kind == MotionEvent::Kind::law || !modes_hold(step, event)) step.history.modes_known = false;
  if (told) {
    entry.kind = event_kind(event.kind, event.part);
    const auto at = std::find(step.closed.begin(), step.closed.end(), id);
    if (event.kind == MotionEvent::Kind::stop && event.part == FrictionKind::sliding &&
        at != step.closed.end() &&
        step.modes[static_cast<std::size_t>(at - step.closed.begin())].status == ContactStatus::slip)
      entry.kind = EventKind::reversal;
    step.system->evaluate_contacts(ids, step.now.at, one_);
    one_.update_velocities(step.now.phase.v);
    entry.velocity_after = one_.velocity(0);
    step.report->events.push_back(entry);
  }
  count_event(step, id);
}

// The slip ends exactly; then the forces say whether friction can hold it.
void RungeKuttaStepper::stop_slip(MotionInProgress& step, const MotionEvent& event) {
  const System& system = *step.system;
  const std::size_t c = event.index;
  step.modes[c].set_part(event.part, {ContactStatus::stick, {0, 0}});
  held_.clear();
  for (const ContactMode& mode : step.modes) held_.push_back(held_parts(mode));
  system.evaluate_contacts(step.closed, step.now.at, touching_);
  const BlockMatrix& M = system.mass_at(step.now.at, M_);
  const double before = kinetic_energy(M, step.now.phase.v);
  projector_.project_velocity(system, touching_, held_, options_.projection == Projection::all, step.now);
  step.history.energy.friction += kinetic_energy(M, step.now.phase.v) - before;
  motion_.begin(system, options_, step.closed, step.modes);
  begin_.point.phase = step.now.phase;
  motion_.place(begin_);
  if (!motion_.solve(begin_)) return;
  const MotionEvent breaks{
      .kind = MotionEvent::Kind::slip, .contact = event.contact, .index = c, .part = event.part};
  if (event_value(begin_, breaks) >= -k_no_force * force_scale(begin_)) return;
  step.modes[c].set_part(event.part, {ContactStatus::slip, -part_force(begin_, c, event.part).normalized()});
}

// Whether the modes as they are now break the law anywhere but where the event has just put them.
bool RungeKuttaStepper::modes_hold(MotionInProgress& step, const MotionEvent& changed) {
  if (step.closed.empty()) return true;
  motion_.begin(*step.system, options_, step.closed, step.modes);
  begin_.point.phase = step.now.phase;
  motion_.place(begin_);
  if (!motion_.solve(begin_)) return false;
  if (begin_.num_redundant > 0) return false;
  const auto broken =
      broken_mode(begin_, 1e-9 * force_scale(begin_), std::numeric_limits<double>::infinity());
  return !broken || broken->contact == changed.contact;
}

void RungeKuttaStepper::resolve_impact(MotionInProgress& step, double h, std::span<const ContactId> due,
                                       bool located) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  const ContactSet& contacts = hit_contacts_.find(step, touching_gap(options_, h), due, located);
  impacts_.resolve(system, step.now, contacts, false, impact_);
  Certificate& certificate = report.certificate;
  certificate.count_solves(1);
  certificate.iterations += impact_.stats.iterations;
  if (impact_.ok && rebounds_in_vain(step)) impacts_.resolve(system, step.now, contacts, true, impact_);
  certificate.contact_residual = std::max(certificate.contact_residual, impact_.residual);
  if (!impact_.ok) {
    certificate.status = impact_.stats.status;
    const std::string jam = describe_jam(system, impacts_.problem(), impacts_.local(), contacts.ids);
    step.fail(!jam.empty() ? jam
                           : fmt::format("the impact of contact '{}' has no solution ({})",
                                         contacts.empty() ? "" : system.contact_name(contacts.ids[0]),
                                         to_string(impact_.stats.status)));
    return;
  }
  book_impact(step, impact_, contacts, step.hit, memory_);
  std::erase_if(step.released, [&](ContactId id) { return contacts.find(id) < contacts.size(); });
  count_event(step, contacts.empty() ? 0 : contacts.ids[0]);
}

bool RungeKuttaStepper::rebounds_in_vain(const MotionInProgress& step) {
  const System& system = *step.system;
  const ContactSet& contacts = hit_contacts_.contacts();
  // With forces and joints alone.
  motion_.begin(system, options_, {}, {});
  begin_.point.phase = step.now.phase;
  begin_.point.phase.v = impact_.v;
  motion_.place(begin_);
  if (!motion_.solve(begin_)) return false;
  contacts.rows.rows.multiply(VectorRef(begin_.rate), work_);
  Vector bias;
  system.contact_bias(contacts, begin_.point.at, begin_.point.phase.v, bias);
  const double shortest = std::max({critical(step, step.rest()), options_.smallest_step,
                                    k_shortest_flight * (step.request.t_end - step.report->t_begin)});
  bool any = false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double speed = impact_.velocity_after[c][0];
    const int row = contacts.first_row(c);
    const double acceleration = work_[row] + bias[row];
    if (!(speed > 0)) continue;
    if (!(acceleration < 0) || 2 * speed > -acceleration * shortest) return false;
    any = true;
  }
  return any;
}

void RungeKuttaStepper::count_event(MotionInProgress& step, ContactId id) {
  ++step.idle;
  const bool circles = step.idle > k_most_idle;
  const bool too_fast = follows_too_fast(options_.smallest_step, step.last_event, step.now.phase.t);
  step.last_event = step.now.phase.t;
  if (++step.num_events <= options_.max_events && !circles && !too_fast) return;
  step.report->events.push_back({.time = step.now.phase.t, .kind = EventKind::zeno, .contact = id});
  step.report->warn(
      WarningKind::captured,
      fmt::format("t = {:.9g} s: {} (the last at contact '{}'); the rest of the step is captured, "
                  "not located",
                  step.now.phase.t,
                  circles    ? "events that follow each other at once"
                  : too_fast ? fmt::format("events follow each other faster than the smallest step of {:g} s",
                                           options_.smallest_step)
                             : fmt::format("more than {} events in a step", options_.max_events),
                  step.system->contact_name(id)));
  capture_rest(step);
}

bool RungeKuttaStepper::stops_at_event(MotionInProgress& step) {
  const StepRequest& request = step.request;
  const bool too_many = request.most_events > 0 && step.num_events >= request.most_events &&
                        step.now.contacts.size() > request.few_contacts;
  if (!request.stop_at_event && !too_many) return false;
  step.report->ok = false;
  step.report->stopped_at_event = true;
  return true;
}

void RungeKuttaStepper::capture_rest(MotionInProgress& step) {
  const System& system = *step.system;
  const auto num_steps = step.history.num_steps;
  rest_.t = step.now.phase.t;
  rest_.q = step.now.phase.q;
  rest_.v = step.now.phase.v;
  rest_.history = step.history;
  captured_->advance(system, rest_,
                     {.t_end = step.request.t_end, .t_next = step.request.t_end, .reach = step.request.reach},
                     rest_report_);
  StepReport& report = *step.report;
  report.append(rest_report_);
  report.ok = rest_report_.ok;
  report.message = rest_report_.message;
  report.stopped = rest_report_.stopped;
  step.history = rest_.history;
  step.history.num_steps = num_steps;
  step.history.modes_known = step.history.contacts.empty();
  step.now.phase = {rest_.t, rest_.q, rest_.v};
  step.now.place(system);
}

}  // namespace delassus
