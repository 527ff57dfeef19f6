// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/events/transition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/roots.hpp"
#include "delassus/base/work_time.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// The event functions of a mode that has just begun are zero at its start; look a little later, as a fraction
// of the step.
constexpr double k_start_fraction = 1e-7;
// Above this many contacts event functions are looked at only where the step itself says that a mode changes.
constexpr std::size_t k_many_contacts = 16;
// With more contacts than this an instant is located to the first part of the step, otherwise to the second: each look at
// one costs as much as a step [-].
constexpr std::size_t k_some_contacts = 8;
constexpr double k_located = 1e-6, k_well_located = 1e-9;

// Friction below this share of its limit, and slip that keeps this share of itself over the step, last [-].
constexpr double k_safe_friction = 0.8, k_safe_slip = 0.5;

// A contact whose velocities are below this fraction of those of the step does not move as far as the contact solver tells: its
// tolerance is of that size.
constexpr double k_unresolved = 1e-10;

// A slip that is not the round-off of the largest velocity.
constexpr double k_turned_round = 1e-9;
// The bits of the parts whose end of slip alone is looked at stand above those of the parts that may change in any way.
constexpr unsigned k_velocity_only = 4;

}  // namespace

HeldParts TransitionFinder::changed_in(const Trial& whole, const ContactSet& active,
                                       std::span<const ContactMode> modes, std::size_t c, int row,
                                       double at_rest) const {
  HeldParts changed = changed_parts(whole.solution.modes[c], modes[c]);
  if (changed == 0) return 0;
  const auto rests = [&](const auto& before, const auto& after) {
    return before.norm() <= at_rest && after.norm() <= at_rest;
  };
  // A contact that opens or closes is not without motion unless all of its rows are.
  const int dim = whole.cones[c].dim;
  if (rests(active.u.segment(active.first_row(c), dim), whole.solution.u.segment(row, dim))) return 0;
  if (modes[c].status == ContactStatus::open || whole.solution.modes[c].status == ContactStatus::open)
    return changed;
  for (const FrictionPart& part : mode_parts(whole.cones[c]))
    if (rests(part_velocity(active, c, part.kind), whole.solution.u.segment(row + part.first, part.size)))
      changed = static_cast<HeldParts>(changed & ~held_part(part.kind));
  return changed;
}

bool TransitionFinder::is_safe(const Trial& whole, const ContactSet& active, const ContactMode& mode,
                               const ContactMemory* memory, std::size_t c, int row) const {
  if (mode.status == ContactStatus::open) return true;
  if (memory == nullptr || has_facets_) return false;
  // Means over two steps; the end is half a step ahead of the second, which counts three times for safety.
  const Cone& cone = whole.cones[c];
  double now[k_max_cone_dim], ahead[k_max_cone_dim];
  for (int k = 0; k < cone.dim; ++k) {
    now[k] = whole.solution.r[row + k] / whole.h;
    ahead[k] = now[k] + 1.5 * (now[k] - memory->force[k]);
  }
  const auto holds = [&](const double* force) {
    if (!(force[0] > 0)) return false;
    for (const FrictionPart& part : mode_parts(cone)) {
      if (part.coefficient == 0 || mode.part(part.kind).status != ContactStatus::stick) continue;
      Eigen::Vector2d r = Eigen::Vector2d::Zero();
      for (int k = 0; k < part.size; ++k) r[k] = force[part.first + k];
      if (!(r.norm() < k_safe_friction * part.coefficient * force[0])) return false;
    }
    return true;
  };
  if (!holds(now) || !holds(ahead)) return false;
  for (const FrictionPart& part : mode_parts(cone)) {
    const PartMode slip = mode.part(part.kind);
    if (part.coefficient == 0 || slip.status != ContactStatus::slip) continue;
    Eigen::Vector2d u = Eigen::Vector2d::Zero();
    u.head(part.size) = whole.solution.u.segment(row + part.first, part.size);
    // At the end of the step the slip has changed by twice as much as on its mean.
    const double before = slip.direction.dot(part_velocity(active, c, part.kind));
    if (!(slip.direction.dot(u) > 0.5 * (1 + k_safe_slip) * before)) return false;
  }
  return true;
}

bool TransitionFinder::may_change(const Value& x) const {
  const unsigned parts = may_change_[x.contact], part = held_part(x.part);
  return (parts & part) != 0 || (x.kind == EventKind::stick && (parts & (part << k_velocity_only)) != 0);
}

bool TransitionFinder::step_in_modes(const System& system, const PhasePoint& begin, double h,
                                     const ContactSet& active, std::span<const ContactMode> modes,
                                     StepKernel::ModeStep kind, Trial& trial) {
  kernel_.solve_modes(system, begin, h, active, modes, kind, trial);
  if (!trial.ok) return false;
  closed_.clear();
  closed_modes_.clear();
  closed_index_.clear();
  for (std::size_t c = 0; c < active.size(); ++c) {
    if (modes[c].status == ContactStatus::open) continue;
    closed_.push_back(active.ids[c]);
    closed_modes_.push_back(trial.solution.modes[c]);
    closed_index_.push_back(static_cast<int>(c));
  }
  system.evaluate_contacts(closed_, trial.end.at, at_end_);
  at_end_.update_velocities(trial.end.phase.v);
  return true;
}

bool TransitionFinder::evaluate(const System& system, const PhasePoint& begin, double h,
                                const ContactSet& active, std::span<const ContactMode> modes,
                                StepKernel::ModeStep kind, Trial& trial) {
  if (!step_in_modes(system, begin, h, active, modes, kind, trial)) return false;
  values_.clear();
  if (!kernel_.solve_forces(system, trial.end, at_end_, closed_modes_, forces_)) return false;
  int row = 0;
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    const Cone& cone = kernel_.force_cones()[i];
    const double r_N = forces_.r[row];
    const int contact = closed_index_[i];
    values_.push_back({contact, r_N, EventKind::take_off});
    for (const FrictionPart& part : mode_parts(cone)) {
      if (part.coefficient == 0) continue;
      const PartMode mode = closed_modes_[i].part(part.kind);
      if (mode.status == ContactStatus::stick) {
        Eigen::Vector2d r = Eigen::Vector2d::Zero();
        r.head(part.size) = forces_.r.segment(row + part.first, part.size);
        const double friction =
            part.kind == FrictionKind::sliding ? kernel_.friction_norm(cone, r) : r.norm();
        // The slip that follows goes against the friction.
        values_.push_back(
            {contact, part.coefficient * r_N - friction, EventKind::slip, part.kind, -r.normalized()});
      } else {
        const Eigen::Vector2d u = part_velocity(at_end_, i, part.kind);
        values_.push_back({contact, mode.direction.dot(u), EventKind::stick, part.kind});
        if (has_facets_ && cone.dim == 3) add_facet(contact, cone, mode.direction, u);
      }
    }
    row += cone.dim;
  }
  return true;
}

// Marks the slips that go on at the beginning and go the other way at the end of the step evaluated last.
bool TransitionFinder::mark_turned_slips(const PhasePoint& begin, const ContactSet& active) {
  const double round_off = k_turned_round * begin.phase.v.cwiseAbs().maxCoeff();
  bool any = false;
  for (std::size_t i = 0; i < closed_.size(); ++i)
    for (const FrictionPart& part : mode_parts(kernel_.force_cones()[i])) {
      const PartMode mode = closed_modes_[i].part(part.kind);
      if (part.coefficient == 0 || mode.status != ContactStatus::slip) continue;
      const double before =
          mode.direction.dot(part_velocity(active, static_cast<std::size_t>(closed_index_[i]), part.kind));
      const double after = mode.direction.dot(part_velocity(at_end_, i, part.kind));
      if (!(before > round_off && after < -round_off)) continue;
      may_change_[closed_index_[i]] |= static_cast<HeldParts>(held_part(part.kind) << k_velocity_only);
      any = true;
    }
  return any;
}

// The facet function of a contact that slides against generator `direction`; a mean of two generators has none.
void TransitionFinder::add_facet(int contact, const Cone& cone, const Eigen::Vector2d& direction,
                                 const Eigen::Vector2d& u_T) {
  constexpr double same = 1e-9;
  int own = -1, best = -1;
  for (int i = 0; i < cone.num_directions; ++i) {
    const Eigen::Vector2d d = cone_direction(cone, i);
    if ((d - direction).norm() < same)
      own = i;
    else if (best < 0 || d.dot(u_T) > cone_direction(cone, best).dot(u_T))
      best = i;
  }
  if (own < 0 || best < 0) return;
  const Eigen::Vector2d other = cone_direction(cone, best);
  values_.push_back({contact, (direction - other).dot(u_T), EventKind::facet, FrictionKind::sliding, other});
}

double TransitionFinder::rest_speed(const PhasePoint& begin) const {
  return k_unresolved * std::max(max_abs(begin.phase.v), max_abs(kernel_.local().u_free));
}

TransitionFinder::Changes TransitionFinder::find_changes(const PhasePoint& begin, const ContactSet& active,
                                                         std::span<const ContactMode> modes,
                                                         std::span<const ContactMemory* const> memory,
                                                         const Trial& whole) {
  may_change_.assign(active.size(), static_cast<HeldParts>(~0U));
  changed_.clear();
  const double at_rest = rest_speed(begin);
  Changes changes;
  int row = 0;
  for (std::size_t c = 0; c < active.size(); ++c) {
    changed_.push_back(changed_in(whole, active, modes, c, row, at_rest));
    changes.any = changes.any || changed_.back() != 0;
    changes.safe = changes.safe && is_safe(whole, active, modes[c], memory[c], c, row);
    row += whole.cones[c].dim;
  }
  moves_ = changed_;
  return changes;
}

void TransitionFinder::keep_sticking(std::span<const ContactMode> modes, Trial& whole) const {
  for (std::size_t c = 0; c < modes.size(); ++c) {
    ContactMode& mode = whole.solution.modes[c];
    for (FrictionKind kind : {FrictionKind::sliding, FrictionKind::rolling, FrictionKind::spinning})
      if ((moves_[c] & held_part(kind)) == 0 && mode.part(kind).status == ContactStatus::slip &&
          modes[c].part(kind).status == ContactStatus::stick)
        mode.set_part(kind, modes[c].part(kind));
  }
}

bool TransitionFinder::breaks_away(const System& system, const PhasePoint& begin, const Trial& trial,
                                   Transition& transition) {
  law_known_ = kernel_.find_modes(system, trial.end, at_end_, rest_speed(begin), lawful_, closed_modes_,
                                  SolveEffort::brief);
  if (!law_known_) return false;
  // Beside the accelerations of free bodies: some digits above the tolerance of the contact solver.
  constexpr double resolved = 1e-8;
  // One body slips as a whole: what is so much slower than the fastest contact is the centre it turns about.
  constexpr double centre = 1e-3;
  const auto slip_of = [&](std::size_t i) -> Eigen::Vector2d {
    const bool starts =
        closed_modes_[i].status == ContactStatus::stick && lawful_[i].status == ContactStatus::slip;
    return starts ? kernel_.slip_acceleration(static_cast<int>(i)) : Eigen::Vector2d::Zero();
  };
  double fastest = resolved * kernel_.free_acceleration();
  bool any = false;
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    const Eigen::Vector2d a = slip_of(i);
    if (a.norm() <= fastest) continue;
    any = true;
    fastest = a.norm();
    transition.contact = closed_index_[i];
    transition.kind = EventKind::slip;
    transition.part = FrictionKind::sliding;
    transition.direction = a / fastest;
  }
  slip_acceleration_ = fastest;
  transition.others.clear();
  for (std::size_t i = 0; any && i < closed_.size(); ++i)
    if (const Eigen::Vector2d a = slip_of(i);
        closed_index_[i] != transition.contact && a.norm() > centre * fastest)
      transition.others.emplace_back(closed_index_[i], a.normalized());
  return any;
}

std::optional<Transition> TransitionFinder::find_breakaway(const System& system, const PhasePoint& begin,
                                                           double h, const ContactSet& active,
                                                           std::span<const ContactMode> modes, Trial& trial) {
  // Shares that hold everywhere are proof that all of them can. Not all that do not are proof of the contrary.
  const bool in_doubt = std::any_of(values_.begin(), values_.end(), [](const Value& x) {
    return x.kind == EventKind::slip && x.part == FrictionKind::sliding && x.value < 0;
  });
  law_known_ = true;
  if (!in_doubt) return std::nullopt;
  // Where some slip already, what is left follows at once if it cannot hold them; to the end of the step it would turn the body.
  const bool mixed = std::any_of(closed_modes_.begin(), closed_modes_.end(),
                                 [](const ContactMode& mode) { return mode.status == ContactStatus::slip; });
  Transition transition;
  const bool at_end = breaks_away(system, begin, trial, transition);
  if (!at_end && !mixed) return std::nullopt;
  const auto slips_at = [&](double x) {
    return step_in_modes(system, begin, x, active, modes, StepKernel::ModeStep::looked_at, trial) &&
           breaks_away(system, begin, trial, transition);
  };
  const double slip_at_end = slip_acceleration_;
  if (slips_at(k_start_fraction * h)) return transition;
  if (!at_end) return std::nullopt;
  const double slips = enclose_breakaway(
      h, slip_at_end, active.size() > k_some_contacts ? k_located * h : k_well_located * h, slips_at);
  if (!evaluate(system, begin, slips, active, modes, StepKernel::ModeStep::looked_at, trial) ||
      !breaks_away(system, begin, trial, transition))
    return std::nullopt;
  transition.h = slips;
  return transition;
}

double TransitionFinder::enclose_breakaway(double h, double slip_at_end, double resolution,
                                           const std::function<bool(double)>& slips_at) const {
  // A slip begins with no acceleration, which then grows: a straight line through the last two shows where from. On both sides of
  // that place, and in the middle where it is of no use.
  constexpr double beside = 0.01;
  double sticks = 0, slips = h;
  double later = h, a_later = slip_at_end, a_slips = slip_at_end;  // the one before the last that slips
  const auto look = [&](double x) {
    if (!slips_at(x)) {
      sticks = x;
      return false;
    }
    later = slips;
    a_later = a_slips;
    slips = x;
    a_slips = slip_acceleration_;
    return true;
  };
  while (slips - sticks > resolution) {
    const double before = slips - sticks;
    double guess = 0;
    if (later > slips && a_later > a_slips) guess = slips - a_slips * (later - slips) / (a_later - a_slips);
    if (guess > sticks && guess < slips) {
      const double room = std::max(beside * before, 0.25 * resolution);
      if (const double x = guess + room; x < slips) look(x);
      if (const double x = guess - room; x > sticks && x < slips) look(x);
    }
    if (slips - sticks > 0.25 * before) look(0.5 * (sticks + slips));
  }
  return slips;
}

void TransitionFinder::leave_breakaway_to_the_law(const PhasePoint& begin, std::span<const ContactMode> modes,
                                                  const Trial& whole) {
  // What slips faster than this in the outcome of the step does slip, also where it sticks again at the end.
  constexpr double creep = 1e-6;
  constexpr auto others = static_cast<HeldParts>(~held_part(FrictionKind::sliding));
  const double slow = creep / k_unresolved * rest_speed(begin);
  int row = 0;
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const int dim = whole.cones[c].dim, size = std::min(dim, 3) - 1;
    const double slip = whole.solution.u.segment(row + 1, size).norm();
    row += dim;
    if (modes[c].status != ContactStatus::stick || whole.solution.modes[c].status != ContactStatus::slip)
      continue;
    may_change_[c] &= others;
    if (slip <= slow) moves_[c] &= others;
  }
}

std::optional<Transition> TransitionFinder::find(const System& system, const PhasePoint& begin, double h,
                                                 const ContactSet& active, std::span<const ContactMode> modes,
                                                 std::span<const ContactMemory* const> memory, Trial& whole,
                                                 Trial& at_transition) {
  const WorkScope scope(WorkKind::events);
  const Changes changes = find_changes(begin, active, modes, memory, whole);
  bool any_change = changes.any;
  keep_sticking(modes, whole);
  if (!any_change && (changes.safe || active.size() > k_many_contacts)) return std::nullopt;
  if (!evaluate(system, begin, h, active, modes, StepKernel::ModeStep::as_solved, at_transition))
    return std::nullopt;
  std::optional<Transition> breakaway;
  if (kernel_.redundant_forces()) {
    may_change_ = changed_;
    // Velocities are not shared: a slip that has turned round in the second half of the step ends, although the law, which
    // holds for the mean of the step, does not see it.
    any_change = mark_turned_slips(begin, active) || any_change;
    // What sticks together breaks away when the law says so for all, whatever the share of each.
    breakaway = find_breakaway(system, begin, h, active, modes, at_transition);
    if (law_known_) leave_breakaway_to_the_law(begin, modes, whole);
    if (!breakaway) keep_sticking(modes, whole);
    if (breakaway && breakaway->h == 0) return breakaway;
    if (!any_change && !breakaway) return std::nullopt;
  }
  const double until = breakaway ? breakaway->h : h;
  std::optional<Transition> first = find_first_root(system, begin, until, active, modes, at_transition);
  if (first || !breakaway) return first;
  if (!evaluate(system, begin, breakaway->h, active, modes, StepKernel::ModeStep::taken, at_transition))
    return std::nullopt;
  return breakaway;
}

std::optional<Transition> TransitionFinder::find_first_root(const System& system, const PhasePoint& begin,
                                                            double h, const ContactSet& active,
                                                            std::span<const ContactMode> modes,
                                                            Trial& at_transition) {
  // Forces and velocities are compared by what they are of themselves, whatever the units.
  const auto smallest = [&] {
    double value = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (may_change(values_[i]))
        value = std::min(value, i < scales_.size() ? values_[i].value / scales_[i] : values_[i].value);
    return value;
  };
  scales_.clear();
  constexpr auto looked_at = StepKernel::ModeStep::looked_at;
  bool consistent =
      at_transition.h == h || evaluate(system, begin, h, active, modes, looked_at, at_transition);
  if (!consistent) return std::nullopt;
  if (!(smallest() < 0)) return std::nullopt;  // not a number: the trial step will say what is wrong
  for (const Value& x : values_) scales_.push_back(std::abs(x.value));
  const std::vector<Value>& values_end = values_end_ = values_;
  const double h_start = k_start_fraction * h;
  consistent = evaluate(system, begin, h_start, active, modes, looked_at, at_transition);
  if (!consistent) return std::nullopt;
  if (values_.size() != values_end.size()) return std::nullopt;
  double at_end = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double scale = std::max(scales_[i], std::abs(values_[i].value));
    scales_[i] = scale > 0 ? scale : 1.0;
    if (may_change(values_end[i])) at_end = std::min(at_end, values_end[i].value / scales_[i]);
  }
  const double at_start = smallest();
  if (std::isnan(at_start)) return std::nullopt;
  values_start_ = values_;

  Transition transition;
  if (at_start > 0) {
    transition.h = find_root(
        [&](double x) {
          consistent = evaluate(system, begin, x, active, modes, looked_at, at_transition) && consistent;
          return smallest();
        },
        h_start, h, at_start, at_end, (active.size() > k_some_contacts ? k_located : k_well_located) * h);
    if (!consistent ||
        !evaluate(system, begin, transition.h, active, modes, StepKernel::ModeStep::taken, at_transition))
      return std::nullopt;
  }
  // The function that is at its root: nearest to zero measured by how far it has come. A contact force that vanishes together with
  // the friction margin is a take-off.
  constexpr double together = 1e-6;
  if (values_.size() != values_start_.size()) return std::nullopt;
  const Value* chosen = nullptr;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!may_change(values_[i])) continue;
    const double here = values_[i].value, start = values_start_[i].value;
    const double relative =
        at_start > 0 ? std::abs(here) / std::max(std::abs(start - here), std::numeric_limits<double>::min())
                     : here / scales_[i];
    const bool take_off = values_[i].kind == EventKind::take_off && at_start > 0 && relative < together;
    if (relative < best || (take_off && best < together && chosen->contact == values_[i].contact)) {
      best = std::min(best, relative);
      chosen = &values_[i];
      if (take_off && relative < together) break;
    }
  }
  if (chosen == nullptr) return std::nullopt;
  transition.contact = chosen->contact;
  transition.kind = chosen->kind;
  transition.part = chosen->part;
  transition.direction = chosen->direction;
  return transition;
}

}  // namespace delassus
