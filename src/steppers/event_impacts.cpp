// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Collisions and impacts of the event loop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/event_stepper.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Contacts close together when their gaps are less than this many times what the joints have drifted there [-].
constexpr double k_drifts = 2;
// A step that comes to where a sliding contact has no force is cut into parts not shorter than this; what is left counts as
// there [-].
constexpr double k_shortest_cut = 1.0 / 64;
// Normal motion by friction, over the mobility of the contact, that is no round-off [-].
constexpr double k_presses = 1e-9;

}  // namespace

void EventStepper::move_to(EventStep& step, const Collision& collision) {
  if (options_.location == ImpactLocation::interpolant) {
    interpolate_to(step, collision);
    return;
  }
  // Newton's method on the length of the step, from the interpolant's estimate; a step that stops short of
  // converging is as good as the interpolant was.
  constexpr int max_iterations = 8;
  const System& system = *step.system;
  const ContactId ids[] = {collision.contact};
  const double round_off = k_gap_round_off * system_size(system, step.now.phase.q);
  const Vector* joint_forces = step.retries.known_limits ? &joint_forces_ : nullptr;
  double h = collision.s * trial_.h, best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    kernel_.solve(system, step.now, h, step.active.contacts, step.slip_hint, step.active.memory,
                  newton_trial_, step.active.shifts, {}, {.joint_forces = joint_forces});
    step.report->certificate.count_solves(1);
    if (!newton_trial_.ok) break;
    system.evaluate_contacts(ids, newton_trial_.end.at, one_);
    one_.update_velocities(newton_trial_.end.phase.v);
    const double gap = one_.gap(0), rate = one_.normal_velocity(0), next = h - gap / rate;
    if (!(std::abs(gap) < best)) break;
    best = std::abs(gap);
    std::swap(impact_trial_, newton_trial_);
    if (best <= round_off || !(rate < 0) || !(next > 0 && next <= trial_.h)) break;
    h = next;
  }
  if (std::isfinite(best))
    accept(step, impact_trial_, collision.contact);
  else
    interpolate_to(step, collision);
}

void EventStepper::interpolate_to(EventStep& step, const Collision& collision) {
  if (collision.s >= 1.0) return accept(step, trial_, collision.contact);
  motion_.at(*step.system, collision.s, interpolated_.phase);
  interpolated_.place(*step.system);
  find_closing(step, interpolated_, collision.contact);
  book_trial(step, interpolated_, trial_, step.active.contacts.ids, collision.s);
  report_captured(step, trial_);
  memories_.remember(trial_, step.active.contacts.ids, step.history);
  release_rebounding(step);
  std::swap(step.now, interpolated_);
  if (options_.projection != Projection::none) project(step, closing_);
}

void EventStepper::find_closing(const EventStep& step, const PhasePoint& at, ContactId located) {
  const System& system = *step.system;
  closing_.assign(1, located);
  const double round_off = k_gap_round_off * system_size(system, at.phase.q);
  if (options_.projection == Projection::none ||
      max_abs(at.joints.violation.head(at.joints.num_holonomic)) <= round_off)
    return;
  ids_.clear();
  for (std::size_t c : step.active.open) ids_.push_back(step.now.contacts.ids[c]);
  system.evaluate_contacts(ids_, at.at, found_);
  found_.update_velocities(at.phase.v);
  probe_.phase = at.phase;
  probe_.at = at.at;
  probe_.joints = at.joints;
  system.evaluate_contacts({}, at.at, one_);
  if (!projector_.project_position(system, one_, probe_)) return;
  system.evaluate_contacts(ids_, probe_.at, missing_);
  const auto drift = [&](std::size_t c) { return std::abs(missing_.gap(c) - found_.gap(c)); };
  const std::size_t first = found_.find(located);
  const double drift_there = first < found_.size() ? drift(first) : 0.0;
  for (std::size_t c = 0; c < found_.size(); ++c)
    if (c != first && found_.valid(c) && found_.normal_velocity(c) < 0 &&
        std::abs(found_.gap(c)) <= round_off + k_drifts * (drift(c) + drift_there))
      closing_.push_back(found_.ids[c]);
  std::sort(closing_.begin(), closing_.end());
}

void EventStepper::resolve_due_impact(EventStep& step, double h, std::span<const ContactId> due) {
  const ContactSet& contacts = step.active.contacts;
  double deepest = -touching_gap(options_, h);
  std::vector<ContactId> overlapping;
  for (ContactId id : due)
    if (const double gap = contacts.gap(contacts.find(id)); gap < deepest) {
      deepest = gap;
      overlapping.assign({id});
    }
  if (!overlapping.empty() && options_.projection == Projection::all) project(step, overlapping);
  resolve_impact(step, h, due, false);
}

void EventStepper::resolve_impact(EventStep& step, double h, std::span<const ContactId> due, bool located) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  step.history.held_frictions.clear();  // an impact may tear a joint loose
  hit_contacts_.find(step, touching_gap(options_, h), due, located);
  impacts_.resolve(system, step.now, hit_contacts_.contacts(), false, impact_);
  Certificate& certificate = report.certificate;
  certificate.count_solves(1);
  certificate.iterations += impact_.stats.iterations;
  certificate.contact_residual = std::max(certificate.contact_residual, impact_.residual);
  if (!impact_.ok) {
    certificate.status = impact_.stats.status;
    const std::string names = list_contact_names(system, hit_contacts_.contacts().ids);
    const std::string jam =
        describe_jam(system, impacts_.problem(), impacts_.local(), hit_contacts_.contacts().ids);
    step.fail(
        !jam.empty()
            ? jam
            : fmt::format("the impact of contact {} has no solution ({}); check that the bodies are not "
                          "wedged between opposed contacts",
                          names, to_string(impact_.stats.status)));
    return;
  }
  book(step, hit_contacts_.contacts());
  step.count_event(hit_contacts_.contacts().empty() ? 0 : hit_contacts_.contacts().ids[0], options_);
}

// u_N of a unit normal impulse with the friction of the slip, of a contact on its own, is not positive.
bool EventStepper::find_pressed_contacts(const EventStep& step) {
  pressed_.clear();
  const ContactSet& contacts = step.active.contacts;
  const ContactMatrix& W = kernel_.local().W;
  const double at_rest =
      k_rest_tolerance * std::max(max_abs(step.now.phase.v), max_abs(kernel_.local().u_free));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int c = static_cast<int>(i);
    const Cone& cone = kernel_.problem().cones[i];
    const int tangents = std::min(cone.dim, 3) - 1;
    if (tangents < 1 || cone.mu <= 0) continue;
    const auto slip = contacts.u.segment(contacts.first_row(i) + 1, tangents);
    const double speed = slip.norm();
    if (speed <= at_rest) continue;
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
      if (W.column(e) != c) continue;
      const auto own = W.block(c, e);
      const double pressed = cone.mu / speed * own.row(0).segment(1, tangents).dot(slip);
      // Of a contact that joints hold W_NN and the coupling are zero.
      if (pressed > k_presses * own.trace() && own(0, 0) <= pressed) pressed_.push_back(i);
    }
  }
  return !pressed_.empty();
}

// With the velocities at the end of the trial in `end`.
bool EventStepper::pressed_contact_stops(const EventStep& step, const ContactSet& end) const {
  const ContactSet& begin = step.active.contacts;
  const double at_rest = k_rest_tolerance * std::max(max_abs(step.now.phase.v), max_abs(trial_.end.phase.v));
  return std::any_of(pressed_.begin(), pressed_.end(), [&](std::size_t c) {
    const int tangents = std::min(begin.num_rows(c), 3) - 1;
    return end.normal_velocity(c) > at_rest ||
           begin.u.segment(begin.first_row(c) + 1, tangents)
                   .dot(end.u.segment(end.first_row(c) + 1, tangents)) < 0;
  });
}

bool EventStepper::resolve_shock(EventStep& step, double& h) {
  if (!find_pressed_contacts(step)) return false;
  const System& system = *step.system;
  const double at_rest = k_rest_tolerance * max_abs(step.now.phase.v);
  probe_.phase = step.now.phase;
  probe_.at = step.now.at;
  probe_.joints = step.now.joints;
  shocked_ = step.active.contacts;
  const auto forces_exist = [&](SolveEffort effort) {
    return kernel_.find_modes(system, probe_, shocked_, at_rest, shock_modes_, {}, effort);
  };
  const auto stops_at_end = [&] {
    system.evaluate_contacts(step.active.contacts.ids, trial_.end.at, found_);
    found_.update_velocities(trial_.end.phase.v);
    return pressed_contact_stops(step, found_);
  };
  bool exist = forces_exist(SolveEffort::brief);
  // What is hard to find is looked for only where the slip stops: one that goes on has its forces, whatever a solver makes of them.
  if (!exist && !stops_at_end()) return false;
  if (exist || forces_exist(SolveEffort::some)) {
    if (step.slides_through) return false;
    // The step slides, up to where forces do not exist any more; a slip that stops at once has met that place on its way.
    const double shortest = k_shortest_cut * (step.request.t_end - step.report->t_begin);
    for (;;) {
      probe_.phase.t = trial_.end.phase.t;
      probe_.phase.q = trial_.end.phase.q;
      probe_.at = trial_.end.at;
      probe_.joints = trial_.end.joints;
      system.evaluate_contacts(step.active.contacts.ids, probe_.at, shocked_);
      shocked_.update_velocities(trial_.end.phase.v);
      const bool stops = pressed_contact_stops(step, shocked_);
      shocked_.update_velocities(probe_.phase.v);
      exist = forces_exist(SolveEffort::brief);
      if (exist && !stops) return false;
      if (h <= shortest) {
        if (!exist && !forces_exist(SolveEffort::some)) break;
        step.slides_through = true;
        return false;
      }
      h *= 0.5;
      if (!take_trial(step, h)) return true;
      if (!find_pressed_contacts(step)) return false;
    }
  }
  if (step.stops_at_event()) return true;
  impacts_.resolve_shock(system, probe_, shocked_, h, impact_);
  step.report->certificate.count_solves(1);
  step.report->certificate.iterations += impact_.stats.iterations;
  if (!impact_.ok) return false;
  book(step, shocked_);
  step.count_event(shocked_.ids[0], options_);
  return true;
}

void EventStepper::book(EventStep& step, const ContactSet& contacts) {
  book_impact(step, impact_, contacts, step.hit, next_contacts_);
  step.switched.clear();
}

}  // namespace delassus
