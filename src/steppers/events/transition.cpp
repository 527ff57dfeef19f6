// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/events/transition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/roots.hpp"

namespace delassus {
namespace {

// The event functions of a mode that has just begun are zero at its start; look a little later, as a fraction
// of the step.
constexpr double k_start_fraction = 1e-7;
// Above this many contacts event functions are looked at only where the step itself says that a mode changes.
constexpr std::size_t k_many_contacts = 16;

// A slip that is not the round-off of the largest velocity.
constexpr double k_turned_round = 1e-9;
// The bits of the parts whose end of slip alone is looked at stand above those of the parts that may change in any way.
constexpr unsigned k_velocity_only = 4;

}  // namespace

bool TransitionFinder::may_change(const Value& x) const {
  const unsigned parts = may_change_[x.contact], part = held_part(x.part);
  return (parts & part) != 0 || (x.kind == EventKind::stick && (parts & (part << k_velocity_only)) != 0);
}

bool TransitionFinder::evaluate(const System& system, const Phase& phase, double h,
                                std::span<const ContactId> ids, std::span<const ContactMode> modes,
                                Trial& trial) {
  kernel_.solve_modes(system, phase, h, ids, modes, trial);
  if (!trial.ok) return false;
  closed_.clear();
  closed_modes_.clear();
  closed_index_.clear();
  for (std::size_t c = 0; c < ids.size(); ++c) {
    if (modes[c].status == ContactStatus::open) continue;
    closed_.push_back(ids[c]);
    closed_modes_.push_back(trial.solution.modes[c]);
    closed_index_.push_back(static_cast<int>(c));
  }
  values_.clear();
  if (!kernel_.solve_forces(system, trial.end, closed_, closed_modes_, forces_)) return false;
  at_end_.update(system, trial.end, closed_);
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
        const Eigen::Vector2d u = at_end_.part(i, part.kind);
        values_.push_back({contact, mode.direction.dot(u), EventKind::stick, part.kind});
        if (has_facets_ && cone.dim == 3) add_facet(contact, cone, mode.direction, u);
      }
    }
    row += cone.dim;
  }
  return true;
}

// Marks the slips that go on at `phase` and go the other way at the end of the step evaluated last.
bool TransitionFinder::mark_turned_slips(const System& system, const Phase& phase) {
  const double round_off = k_turned_round * phase.v.cwiseAbs().maxCoeff();
  bool any = false;
  at_start_.update(system, phase, closed_);
  for (std::size_t i = 0; i < closed_.size(); ++i)
    for (const FrictionPart& part : mode_parts(kernel_.force_cones()[i])) {
      const PartMode mode = closed_modes_[i].part(part.kind);
      if (part.coefficient == 0 || mode.status != ContactStatus::slip) continue;
      const double before = mode.direction.dot(at_start_.part(i, part.kind));
      const double after = mode.direction.dot(at_end_.part(i, part.kind));
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

std::optional<Transition> TransitionFinder::find(const System& system, const Phase& phase, double h,
                                                 std::span<const ContactId> ids,
                                                 std::span<const ContactMode> modes,
                                                 std::span<const ContactMode> outcome, Trial& at_transition) {
  may_change_.assign(ids.size(), static_cast<HeldParts>(~0U));
  bool any_change = false;
  for (std::size_t c = 0; c < ids.size(); ++c)
    any_change = any_change || changed_parts(outcome[c], modes[c]) != 0;
  if (!any_change && ids.size() > k_many_contacts) return std::nullopt;
  const auto smallest = [&] {
    double value = std::numeric_limits<double>::infinity();
    for (const Value& x : values_)
      if (may_change(x)) value = std::min(value, x.value);
    return value;
  };
  bool consistent = evaluate(system, phase, h, ids, modes, at_transition);
  if (!consistent) return std::nullopt;
  if (kernel_.redundant_forces()) {
    for (std::size_t c = 0; c < ids.size(); ++c) may_change_[c] = changed_parts(outcome[c], modes[c]);
    // Velocities are not shared: a slip that has turned round in the second half of the step ends, although the law, which
    // holds for the mean of the step, does not see it.
    any_change = mark_turned_slips(system, phase) || any_change;
    if (!any_change) return std::nullopt;
  }
  const double at_end = smallest();
  if (!(at_end < 0)) return std::nullopt;  // not a number: the trial step will say what is wrong
  const double h_start = k_start_fraction * h;
  consistent = evaluate(system, phase, h_start, ids, modes, at_transition);
  if (!consistent) return std::nullopt;
  const double at_start = smallest();
  if (std::isnan(at_start)) return std::nullopt;
  values_start_ = values_;

  Transition transition;
  if (at_start > 0) {
    transition.h = find_root(
        [&](double x) {
          consistent = evaluate(system, phase, x, ids, modes, at_transition) && consistent;
          return smallest();
        },
        h_start, h, at_start, at_end);
    if (!consistent || !evaluate(system, phase, transition.h, ids, modes, at_transition)) return std::nullopt;
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
                     : here;
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
