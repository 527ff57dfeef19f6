// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Impacts that the event loop does not locate. A contact that would close within the step takes part in the problem of the
// step, with the law of Moreau on the velocity u⁺ at its end:
//
//   0 ≤ u_N⁺ + e u_N⁻ ⟂ r_N ≥ 0,   friction on u_T⁺                                                              (1)
//
// The problem is written for σ u⁺ + (1−σ) u⁻, so that its rows are shifted by −(1−σ) u⁻ + σ e u⁻. The impulse of the step is
// then that of the impact and of the contact force after it, whenever in the step the impact is.
//
// (1) is taken where an impact is slow: it approaches no faster than the forces of one step make it,
//
//   |u_N⁻| ≤ κ |Δu_N| H/h,   κ = min(1, (1−e)/(2e))                                                              (2)
//
// with the change Δu_N of a trial step h without the contact, and the step H of the grid. Located or not, the position
// differs by no more than about |Δu_N| H then, which is O(H²), and that once an impact; κ says that the bounces that follow
// would come to their accumulation point within H, at 2e|u_N⁻|/((1−e)|u̇_N|). So what rattles near rest costs a solve, not
// an event each. Projection puts the contact onto its surface. And (1) is taken, with all of the restitution, for what is
// left of a step that has used up its events.
//
// The impulses of (1) do the work ½ rᵀ(u⁺ + u⁻) = rᵀu⁺ − ½ rᵀWr − ½ rᵀΔu, where Δu is what forces do to u in the step: none
// is gained by impacts alone, provided that (1) is taken for all contacts at once. So it is, for the rest of a step, also for
// those that are closed. What slowly leaves and is pressed back by forces within the step would gain the last term: its
// mean velocity vanishes instead, as that of contacts that stay, and the next step takes the impact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/steppers/event_stepper.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

constexpr double k_captured_gain = 1e-9;

}  // namespace

bool EventStepper::is_slow(const EventStep& step, std::size_t c, double h) const {
  const ContactSet &begin = step.now.contacts, &end = trial_.end.contacts;
  const double e = begin.surface(c).restitution, before = begin.normal_velocity(c);
  const double share = e > 1.0 / 3.0 ? 0.5 * (1 - e) / e : 1.0;
  const double grid_step = step.request.t_end - step.report->t_begin;
  return -before <= share * std::abs(end.normal_velocity(c) - before) * grid_step / h;
}

// An open contact that is below its surface at the end of the trial, and did not come from below.
bool EventStepper::closes(const EventStep& step, std::size_t c, double touching) const {
  const ContactSet &begin = step.now.contacts, &end = trial_.end.contacts;
  return end.gap(c) < 0 && begin.valid(c) && end.valid(c) &&
         !(begin.gap(c) < -touching && begin.normal_velocity(c) > 0);
}

RowShift EventStepper::captured_shift(const EventStep& step, const ContactSet& contacts, std::size_t c,
                                      bool rebounds) const {
  RowShift shift;
  const Vector3 u = contacts.velocity(c);
  const double ratio = contacts.surface(c).tangent_ratio;
  shift.at_end = true;
  shift.impact = u[0] < 0;
  shift.leaves = !shift.impact && !step.capturing;
  if (rebounds && u[0] < -options_.impact.threshold) {
    shift.velocity = options_.impact.tangential_restitution * u;
    shift.velocity[0] = contacts.surface(c).restitution * u[0];
    shift.velocity[2] *= ratio;
    shift.velocity *= formula_.sigma;
    shift.rebounds = shift.velocity[0] != 0;
  }
  return shift;
}

void EventStepper::join(EventStep& step, std::size_t c, bool rebounds) {
  ActiveSet& active = step.active;
  active.shifts.resize(active.closed.size());
  const auto at = std::lower_bound(active.closed.begin(), active.closed.end(), c) - active.closed.begin();
  active.closed.insert(active.closed.begin() + at, c);
  active.memory.insert(active.memory.begin() + at, find_memory(step.history, step.now.contacts.ids[c]));
  active.modes.insert(active.modes.begin() + at, ContactMode{});
  active.shifts.insert(active.shifts.begin() + at, captured_shift(step, step.now.contacts, c, rebounds));
}

bool EventStepper::capture(EventStep& step, double h, bool all) {
  ActiveSet& active = step.active;
  const double touching = touching_gap(options_, h);
  some_.clear();
  for (std::size_t c : active.open) {
    if (closes(step, c, touching) && (all || is_slow(step, c, h)))
      join(step, c, all && step.rebounds);
    else
      some_.push_back(c);
  }
  if (some_.size() == active.open.size()) return false;
  std::swap(active.open, some_);
  active.contacts.select(step.now.contacts, active.closed);
  return true;
}

// Those that touch already and approach: with restitution, as (1) has it.
void EventStepper::capture_approaching(EventStep& step, double h) {
  ActiveSet& active = step.active;
  active.shifts.assign(active.closed.size(), RowShift{.at_end = true});
  for (ContactId id : find_approaching(step, h)) {
    const std::size_t c = active.contacts.find(id);
    active.shifts[c] = captured_shift(step, active.contacts, c, step.rebounds);
  }
}

bool EventStepper::captured_gain(const EventStep& step) const {
  return !step.active.shifts.empty() &&
         trial_.work_impacts > k_captured_gain * gains_.energies_before().kinetic;
}

void EventStepper::report_captured(const EventStep& step, const Trial& trial) const {
  const ActiveSet& active = step.active;
  int row = 0;
  for (std::size_t c = 0; c < active.shifts.size(); ++c) {
    const RowShift& shift = active.shifts[c];
    // What touched a step ago and was let go by an impact has not come from anywhere; nor has what comes back.
    if (shift.impact && trial.solution.r[row] > 0 && active.memory[c] == nullptr &&
        active.contacts.normal_velocity(c) < 0)
      step.report->events.push_back(captured_impact(trial, active.contacts, c, row, shift, formula_.sigma));
    row += trial.cones[c].dim;
  }
}

// What rebounds is not held any more.
void EventStepper::release_rebounding(EventStep& step) {
  for (std::size_t c = 0; c < step.active.shifts.size(); ++c) {
    ContactMemory& memory = step.history.contacts[c];
    if (step.active.shifts[c].impact) std::fill(std::begin(memory.force), std::end(memory.force), 0.0);
    if (!step.active.shifts[c].rebounds) continue;
    memory.status = ContactStatus::open;
    memory.closed = false;
  }
}

}  // namespace delassus
