// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Transitions of the event loop: a located change of mode is applied.
#include <algorithm>

#include "delassus/steppers/event_stepper.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// The events of rolling and spinning have names of their own.
EventKind event_kind(EventKind kind, FrictionKind part) {
  if (part == FrictionKind::sliding) return kind;
  const bool stops = kind == EventKind::stick;
  if (part == FrictionKind::rolling) return stops ? EventKind::roll_stop : EventKind::roll_start;
  return stops ? EventKind::spin_stop : EventKind::spin_start;
}

}  // namespace

void EventStepper::apply_transition(EventStep& step, const Transition& transition, double slip_speed) {
  ActiveSet& active = step.active;
  const std::vector<ContactId>& ids = active.contacts.ids;
  const ContactId id = ids[static_cast<std::size_t>(transition.contact)];
  Event event{.time = step.now.phase.t,
              .kind = transition.kind,
              .contact = id,
              .velocity_before = contact_now(step, id).velocity(0)};
  ContactMode& mode = active.modes[static_cast<std::size_t>(transition.contact)];
  if (transition.kind == EventKind::take_off) {
    mode = {};
    // One that shares its force with others may be needed still.
    if (options_.detect_collisions && !kernel_.redundant_forces()) {
      const bool again = std::find(step.released.begin(), step.released.end(), id) != step.released.end();
      (again ? step.returned : step.released).push_back(id);
    }
  } else if (transition.kind == EventKind::facet || transition.kind == EventKind::slip) {
    mode.set_part(transition.part, {ContactStatus::slip, transition.direction});
  } else if (const auto turned = turned_slip(step, id, transition.part, slip_speed)) {
    mode.set_part(transition.part, *turned);
    memories_.store_modes(ids, active.modes, step.history);
    return;
  } else {
    const PartMode part = stop(step, transition, slip_speed);
    mode.set_part(transition.part, part);
    if (part.status == ContactStatus::slip) event.kind = EventKind::reversal;
  }
  event.kind = event_kind(event.kind, transition.part);
  memories_.store_modes(ids, active.modes, step.history);
  step.history.weighted_velocity.resize(0);
  step.switched.emplace_back(id, transition.part);
  event.velocity_after = contact_now(step, id).velocity(0);
  step.report->events.push_back(event);
  step.count_event(id, options_);
  for (const auto& [contact, direction] : transition.others)
    apply_transition(step, {.contact = contact, .kind = EventKind::slip, .direction = direction}, slip_speed);
}

PartMode EventStepper::stop(EventStep& step, const Transition& transition, double slip_speed) {
  const System& system = *step.system;
  const ActiveSet& active = step.active;
  const auto contact = static_cast<std::size_t>(transition.contact);
  std::vector<ContactMode> held;
  std::size_t index = 0;
  ids_.clear();
  held_.clear();
  for (std::size_t c = 0; c < active.contacts.size(); ++c) {
    if (active.modes[c].status == ContactStatus::open) continue;
    if (c == contact) index = ids_.size();
    ids_.push_back(active.contacts.ids[c]);
    held.push_back(active.modes[c]);
    if (c == contact) held.back().set_part(transition.part, {ContactStatus::stick, {0, 0}});
    held_.push_back(held_parts(held.back()));
  }
  system.evaluate_contacts(ids_, step.now.at, held_contacts_);
  // What is left of a slip that turned while it stopped is taken by friction.
  const BlockMatrix& M = system.mass_at(step.now.at, M_);
  const double before = kinetic_energy(M, step.now.phase.v);
  projector_.project_velocity(system, held_contacts_, held_,
                              options_.projection == Projection::all || options_.hold_velocities, step.now,
                              step.history.held_frictions);
  step.history.energy.friction += kinetic_energy(M, step.now.phase.v) - before;
  held_contacts_.update_velocities(step.now.phase.v);
  const PartMode sticks{ContactStatus::stick, {0, 0}};
  Solution forces;
  if (!kernel_.solve_forces(system, step.now, held_contacts_, held, forces)) return sticks;
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
    if (kernel_.redundant_forces()) {
      std::vector<ContactMode> lawful;
      const double at_rest = k_rest_tolerance * std::max(max_abs(step.now.phase.v), slip_speed);
      system.evaluate_contacts(active.contacts.ids, step.now.at, touching_);
      touching_.update_velocities(step.now.phase.v);
      if (kernel_.find_modes(system, step.now, touching_, at_rest, lawful) &&
          lawful[contact].part(part.kind).status == ContactStatus::stick)
        break;
    }
    return {ContactStatus::slip, -r.normalized()};
  }
  return sticks;
}

std::optional<PartMode> EventStepper::turned_slip(EventStep& step, ContactId id, FrictionKind part,
                                                  double slip_speed) {
  // Stopping what is left shifts the position by the square of it; a twentieth leaves the order and the
  // constant alone.
  constexpr double negligible = 0.05;
  // A slip that circles instead is over after a few turns: its speed is then that of one step's change.
  constexpr int max_turns = 4;
  // What is left of a slip that goes on at half its speed is no stop, whatever the event functions say.
  constexpr double goes_on = 0.5;
  const Eigen::Vector2d left = part_velocity(contact_now(step, id), 0, part);
  // What is left where its component along the old direction vanishes may be too small to be called a slip.
  if (options_.law.has_facets() || left.norm() <= negligible * slip_speed) return std::nullopt;
  if (++step.num_turns > max_turns) {
    if (left.norm() <= goes_on * slip_speed) return std::nullopt;
    step.circling.emplace_back(id, part);
  }
  return PartMode{ContactStatus::slip, left.normalized()};
}

}  // namespace delassus
