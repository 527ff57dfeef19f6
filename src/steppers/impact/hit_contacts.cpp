// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/impact/hit_contacts.hpp"

#include <algorithm>
#include <utility>

#include "delassus/steppers/tolerances.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {
namespace {

// An approach that an impact has made, as a fraction of the largest velocity; below it is the solver's tolerance [-].
constexpr double k_pushed_together = 1e-8;

}  // namespace

const ContactSet& HitContacts::find(StepInProgress& step, double touching, std::span<const ContactId> due,
                                    bool located) {
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
  const double near = std::max(touching, k_gap_round_off * system_size(system, now.phase.q));
  some_.clear();
  for (std::size_t c = 0; c < now.contacts.size(); ++c) {
    const ContactId id = now.contacts.ids[c];
    const bool hit = located && std::find(due.begin(), due.end(), id) != due.end();
    if (!now.contacts.valid(c) && !hit) continue;
    const ContactMemory* memory = find_memory(step.history, id);
    const bool closed = memory != nullptr && memory->closed;
    if (now.contacts.gap(c) <= near || closed || hit) some_.push_back(c);
  }
  hit_.select(now.contacts, some_);
  return hit_;
}

void book_impact(StepInProgress& step, const ImpactResult& impact, const ContactSet& contacts,
                 std::vector<ContactId>& hit, std::vector<ContactMemory>& memory) {
  StepReport& report = *step.report;
  const double t = step.now.phase.t;
  if (report.joint_impulses.size() != impact.joint_impulses.size())
    report.joint_impulses.setZero(impact.joint_impulses.size());
  report.joint_impulses += impact.joint_impulses;
  step.history.energy.impacts += impact.energy_change;
  step.now.phase.v = impact.v;
  double fastest = 0;
  for (const Vector3& u : impact.velocity_before) fastest = std::max(fastest, u.cwiseAbs().maxCoeff());
  const std::vector<ContactId>& ids = contacts.ids;
  memory.assign(ids.size(), {});
  for (std::size_t c = 0; c < ids.size(); ++c) {
    ContactReport& contact = contact_report(ids[c], report);
    contact.impulse += impact.impulse[c];
    contact.couple += impact.couple[c];
    const bool shock = impact.without_collision && impact.impulse[c][0] > 0;
    if (shock || impact.velocity_before[c][0] < -k_rest_tolerance * fastest) {
      hit.push_back(ids[c]);
      report.events.push_back({t, EventKind::impact, ids[c], impact.velocity_before[c],
                               impact.velocity_after[c], impact.impulse[c], impact.energy_change});
      Event event = report.events.back();
      event.kind = impact.fell_back ? EventKind::fallback : EventKind::reduced;
      if (impact.fell_back || impact.share[c] < 1) report.events.push_back(event);
    }
    // A contact that does not separate persists; one that separated and has been pushed together is hit next.
    ContactMemory& next = memory[c];
    next.id = ids[c];
    next.closed = impact.velocity_after[c][0] <= k_rest_tolerance * fastest &&
                  (impact.velocity_before[c][0] <= k_rest_tolerance * fastest ||
                   impact.velocity_after[c][0] > -k_pushed_together * fastest);
    if (next.closed) next.status = ContactStatus::stick;
  }
  std::swap(step.history.contacts, memory);
  step.history.modes_known = false;
  step.history.weighted_velocity.resize(0);
}

}  // namespace delassus
