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
  double h = collision.s * trial_.h, best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    kernel_.solve(system, step.now, h, step.active.contacts, step.slip_hint, step.active.memory,
                  newton_trial_, step.active.shifts);
    step.report->certificate.solves += 1;
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
  book_trial(step, interpolated_, trial_, step.active.contacts.ids, collision.s);
  report_captured(step, trial_);
  memories_.remember(trial_, step.active.contacts.ids, step.history);
  release_rebounding(step);
  std::swap(step.now, interpolated_);
  if (options_.projection != Projection::none) project(step, collision.contact);
}

void EventStepper::find_hit_contacts(EventStep& step, double h, std::span<const ContactId> due,
                                     std::optional<ContactId> located) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  const bool known = now.contacts.is_at(now.phase.t, now.phase.q);
  system.find_contacts(now.at, now.phase.v, 0.0, known ? &now.contacts : nullptr, found_);
  // Those that are hit take part, also where a neighbour at the same place stands for them among the candidates.
  ids_.clear();
  for (ContactId id : due)
    if (found_.find(id) == found_.size()) ids_.push_back(id);
  if (!ids_.empty()) {
    std::sort(ids_.begin(), ids_.end());
    system.evaluate_contacts(ids_, now.at, missing_);
    merged_.merge(found_, missing_);
    merged_.update_velocities(now.phase.v);
    std::swap(found_, merged_);
  }
  std::swap(now.contacts, found_);
  // The located gap is zero up to the round-off of the configuration.
  const double touching =
      std::max(touching_gap(options_, h), k_gap_round_off * system_size(system, now.phase.q));
  some_.clear();
  for (std::size_t c = 0; c < now.contacts.size(); ++c) {
    const ContactId id = now.contacts.ids[c];
    if (!now.contacts.valid(c) && id != located) continue;
    const ContactMemory* memory = find_memory(step.history, id);
    const bool closed = memory != nullptr && memory->closed;
    if (now.contacts.gap(c) <= touching || closed || id == located) some_.push_back(c);
  }
  hit_contacts_.select(now.contacts, some_);
}

void EventStepper::resolve_impact(EventStep& step, double h, std::span<const ContactId> due,
                                  std::optional<ContactId> located) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  step.history.held_frictions.clear();  // an impact may tear a joint loose
  find_hit_contacts(step, h, due, located);
  impacts_.resolve(system, step.now, hit_contacts_, false, impact_);
  Certificate& certificate = report.certificate;
  certificate.solves += 1;
  certificate.iterations += impact_.stats.iterations;
  certificate.contact_residual = std::max(certificate.contact_residual, impact_.residual);
  if (!impact_.ok) {
    certificate.status = impact_.stats.status;
    std::string names;
    for (ContactId id : hit_contacts_.ids)
      names += (names.empty() ? "'" : ", '") + system.contact_name(id) + "'";
    const std::string jam = describe_jam(system, impacts_.problem(), impacts_.local(), hit_contacts_.ids);
    step.fail(
        !jam.empty()
            ? jam
            : fmt::format("the impact of contact {} has no solution ({}); check that the bodies are not "
                          "wedged between opposed contacts",
                          names, to_string(impact_.stats.status)));
    return;
  }
  book_impact(step);
  step.count_event(hit_contacts_.empty() ? 0 : hit_contacts_.ids[0], options_.max_events);
}

// The jump of the velocities, the events, and which contacts persist.
void EventStepper::book_impact(EventStep& step) {
  StepReport& report = *step.report;
  const double t = step.now.phase.t;
  if (report.joint_impulses.size() != impact_.joint_impulses.size())
    report.joint_impulses.setZero(impact_.joint_impulses.size());
  report.joint_impulses += impact_.joint_impulses;
  step.history.energy.impacts += impact_.energy_change;
  step.now.phase.v = impact_.v;
  double fastest = 0;
  for (const Vector3& u : impact_.velocity_before) fastest = std::max(fastest, u.cwiseAbs().maxCoeff());
  const std::vector<ContactId>& ids = hit_contacts_.ids;
  next_contacts_.assign(ids.size(), {});
  for (std::size_t c = 0; c < ids.size(); ++c) {
    ContactReport& contact = contact_report(ids[c], report);
    contact.impulse += impact_.impulse[c];
    contact.couple += impact_.couple[c];
    if (impact_.velocity_before[c][0] < -k_rest_tolerance * fastest) {
      step.hit.push_back(ids[c]);
      report.events.push_back({t, EventKind::impact, ids[c], impact_.velocity_before[c],
                               impact_.velocity_after[c], impact_.impulse[c], impact_.energy_change});
      if (impact_.fell_back)
        report.events.push_back({.time = t, .kind = EventKind::fallback, .contact = ids[c]});
    }
    // A contact that does not separate persists.
    ContactMemory& memory = next_contacts_[c];
    memory.id = ids[c];
    memory.closed = impact_.velocity_after[c][0] <= k_rest_tolerance * fastest;
    if (memory.closed) memory.status = ContactStatus::stick;
  }
  std::swap(step.history.contacts, next_contacts_);
  step.history.modes_known = false;
  step.history.weighted_velocity.resize(0);
  step.switched.clear();
}

}  // namespace delassus
