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

}  // namespace

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
    closed_modes_.push_back(modes[c]);
    closed_index_.push_back(static_cast<int>(c));
  }
  values_.assign(ids.size(), {std::numeric_limits<double>::infinity(), EventKind::take_off});
  if (!kernel_.solve_forces(system, trial.end, closed_, closed_modes_, forces_)) return false;
  at_end_.update(system, trial.end, closed_);
  int row = 0;
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    const Cone& cone = kernel_.force_cones()[i];
    const double r_N = forces_.r[row];
    Value& value = values_[closed_index_[i]];
    value = {r_N, EventKind::take_off};
    const Eigen::Vector2d r_T = tangential(cone, forces_.r.segment(row, cone.dim));
    const Eigen::Vector2d u_T = tangential(cone, at_end_.u.segment(at_end_.first_row(i), cone.dim));
    const ContactMode& mode = closed_modes_[i];
    if (cone.dim > 1 && mode.status == ContactStatus::stick) {
      // The slip that follows goes against the friction.
      const double margin = cone.mu * r_N - kernel_.friction_norm(cone, r_T);
      if (margin < value.value) value = {margin, EventKind::slip, -r_T.normalized()};
    } else if (cone.dim > 1) {
      const double slip = mode.direction.dot(u_T);
      if (slip < value.value) value = {slip, EventKind::stick};
      if (has_facets_ && cone.dim == 3) find_facet(cone, mode.direction, u_T, value);
    }
    row += cone.dim;
  }
  return true;
}

// The facet function of a contact that slides against generator `direction`; a mean of two generators has
// none.
void TransitionFinder::find_facet(const Cone& cone, const Eigen::Vector2d& direction,
                                  const Eigen::Vector2d& u_T, Value& value) {
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
  const double margin = (direction - other).dot(u_T);
  if (margin < value.value) value = {margin, EventKind::facet, other};
}

std::optional<Transition> TransitionFinder::find(const System& system, const Phase& phase, double h,
                                                 std::span<const ContactId> ids,
                                                 std::span<const ContactMode> modes, Trial& at_transition) {
  const auto smallest = [&] {
    double value = std::numeric_limits<double>::infinity();
    for (const Value& x : values_) value = std::min(value, x.value);
    return value;
  };
  bool consistent = evaluate(system, phase, h, ids, modes, at_transition);
  const double at_end = smallest();
  if (!consistent || !(at_end < 0))
    return std::nullopt;  // not a number: the trial step will say what is wrong
  values_end_ = values_;
  const double h_start = k_start_fraction * h;
  consistent = evaluate(system, phase, h_start, ids, modes, at_transition);
  if (!consistent) return std::nullopt;
  const double at_start = smallest();
  if (std::isnan(at_start)) return std::nullopt;

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
  // The contact whose function is at its root: the smallest value relative to how far it falls.
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < ids.size(); ++c) {
    if (values_end_[c].value >= 0) continue;
    const double relative = values_[c].value / -values_end_[c].value;
    if (relative < best) {
      best = relative;
      transition.contact = static_cast<int>(c);
      transition.kind = values_end_[c].kind;
    }
  }
  if (transition.contact < 0) return std::nullopt;
  transition.direction = values_[transition.contact].direction;
  return transition;
}

}  // namespace delassus
