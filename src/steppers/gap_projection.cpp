// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/gap_projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "delassus/base/stop_request.hpp"
#include "delassus/base/work_time.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Newton's method converges quadratically; where the features that touch change on the way it is stopped [-].
constexpr int k_max_iterations = 8;
// Penetrations below this are round-off for systems of metre size [m].
constexpr double k_gap_tolerance = 1e-12;
// A violation that is this part of the one before is small enough: another solve costs as much as a step. Among many contacts the
// last digits take a third of the factorisations, and the next step lifts again [-].
constexpr double k_reduction = 1e-6, k_reduction_of_many = 1e-3;
// Contacts farther apart than this many of the deepest penetration do not take part: should they be reached all the
// same, they do in the next iteration [-].
constexpr double k_reach = 4;
// Contacts that are many.
constexpr std::size_t k_many_gaps = 48;
// What one iteration may leave of what is enough [-].
constexpr double k_share = 0.1;
// And what it may leave of the violation at most, to be of use [-].
constexpr double k_use = 1e-2;

void swap_places(PhasePoint& a, PhasePoint& b) {
  std::swap(a.phase.q, b.phase.q);
  std::swap(a.at, b.at);
  std::swap(a.joints, b.joints);
  std::swap(a.contacts, b.contacts);
}

}  // namespace

bool is_kept_apart(const System& system, const ContactSet& contacts, std::size_t c) {
  const ContactPlace& place = contacts.places[c];
  return place.patch_a.dim > 0 || place.patch_b.dim > 0 || system.is_stop(contacts.ids[c]);
}

void find_free_floors(const System& system, const ContactSet& contacts, bool rebounding_too, Vector& floors) {
  floors = contacts.gaps.cwiseMin(0.0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts.valid(c) || !(contacts.gap(c) < 0) || !is_kept_apart(system, contacts, c)) continue;
    const bool rebounds = contacts.surface(c).restitution > 0 && contacts.normal_velocity(c) > 0;
    if (rebounding_too || !rebounds) floors[static_cast<Eigen::Index>(c)] = 0;
  }
}

bool GapProjector::lift_found(StepInProgress& step, bool rebounding_too, double largest,
                              const ContactSet& known) {
  const WorkScope scope(WorkKind::projection);
  const System& system = *step.system;
  PhasePoint& now = step.now;
  const bool here = known.is_at(now.phase.t, now.phase.q);
  system.find_contacts(now.at, now.phase.v, 0.0, here ? &known : nullptr, found_);
  std::swap(now.contacts, found_);
  now.contacts.update_velocities(now.phase.v);
  find_free_floors(system, now.contacts, rebounding_too, free_floors_);
  for (std::size_t c = 0; c < now.contacts.size(); ++c) {
    double& floor = free_floors_[static_cast<Eigen::Index>(c)];
    floor = std::min(floor, now.contacts.gap(c) + largest * system.contact_size(now.contacts.ids[c]));
  }
  const Energies before = energies(system, now, M_);
  const bool moved = project(system, free_floors_, now);
  const Energies after = energies(system, now, M_);
  step.history.energy.projection += after.total() - before.total();
  step.lifted += after.potential - before.potential;
  step.report->certificate.count_solves(solves_);
  step.report->certificate.iterations += iterations_;
  return moved && solves_ > 0;
}

double GapProjector::violation_at(const PhasePoint& point) const {
  double violation = 0;
  for (int i = 0; i < point.joints.num_holonomic; ++i)
    violation = std::max(violation, std::abs(point.joints.violation[i]));
  for (std::size_t c = 0; c < point.contacts.size(); ++c)
    if (point.contacts.valid(c)) violation = std::max(violation, floor_[c] - point.contacts.gap(c));
  return violation;
}

bool GapProjector::project(const System& system, const Vector& floors, PhasePoint& point) {
  const WorkScope scope(WorkKind::projection);
  solves_ = iterations_ = 0;
  const double tolerance = k_gap_tolerance * system_size(system, point.phase.q);
  const ContactSet& contacts = point.contacts;
  floor_ = floors;
  bool any = false;
  for (std::size_t c = 0; c < contacts.size() && !any; ++c)
    any = contacts.valid(c) && contacts.gap(c) < floor_[c] - tolerance;
  if (!any) return true;
  const double before = violation_at(point);
  const double enough =
      std::max(tolerance, (contacts.size() < k_many_gaps ? k_reduction : k_reduction_of_many) * before);
  double best = before;
  bool leveled = false;
  for (int i = 0; i < k_max_iterations && best > enough; ++i) {
    throw_if_stop_requested();
    double violation = best;
    // A correction that no coordinate can show improves nothing.
    if (improve(system, point, leveled, k_reach * best, k_share * enough, next_.phase.q) &&
        next_.phase.q != point.phase.q) {
      next_.phase.t = point.phase.t;
      next_.place(system);
      system.evaluate_contacts(contacts.ids, next_.at, next_.contacts);
      violation = violation_at(next_);
    }
    if (!(violation < best)) {
      if (leveled) break;
      leveled = true;
      continue;
    }
    if (best == before) swap_places(point, begin_);
    best = violation;
    swap_places(point, next_);
  }
  return best < before;
}

void GapProjector::take_back(PhasePoint& point) {
  swap_places(point, begin_);
}

bool GapProjector::improve(const System& system, const PhasePoint& point, bool leveled, double reach,
                           double tolerance, Vector& q) {
  const BilateralRows& joints = point.joints;
  const ContactSet& contacts = point.contacts;
  near_gaps_.clear();
  problem_.Ht.clear(system.nv());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts.valid(c) || contacts.gap(c) - floor_[c] > reach) continue;
    near_gaps_.push_back(contacts.gap(c) - floor_[c]);
    problem_.Ht.add_group(contacts.rows.rows, static_cast<int>(c), 1);
  }
  problem_.w = Eigen::Map<const Vector>(near_gaps_.data(), static_cast<Eigen::Index>(near_gaps_.size()));
  if (leveled)
    system.leveled_mass(point.at, problem_.A);
  else
    system.mass(point.at, problem_.A);
  problem_.symmetric = true;
  problem_.p.setZero(system.nv());
  problem_.Gt.clear(system.nv());
  const int holonomic = joints.num_holonomic;
  for (int g = 0; g < joints.rows.num_groups() && joints.rows.first_row(g) < holonomic; ++g)
    problem_.Gt.add_group(joints.rows, g, joints.rows.group_rows(g));
  problem_.g = -joints.violation.head(holonomic);
  problem_.C.setZero(holonomic);
  problem_.cones.assign(near_gaps_.size(), Cone{});
  if (!solve_many(tolerance) && !solve_contacts()) return false;
  system.retract(VectorRef(point.phase.q), VectorRef(displacement_), q);
  return true;
}

bool GapProjector::solve_contacts() {
  if (!reduction_.compute(problem_)) return false;
  SolveStats stats;
  solve(solver_, reduction_, warm_, solution_, stats);
  ++solves_;
  iterations_ += stats.iterations;
  displacement_ = solution_.v;
  return usable(stats.status) && displacement_.allFinite();
}

bool GapProjector::solve_many(double tolerance) {
  if (problem_.cones.size() < k_many_gaps) return false;
  rows_ = problem_.Gt;
  for (int c = 0; c < problem_.num_contacts(); ++c) rows_.add_group(problem_.Ht, c, 1);
  bounds_.resize(rows_.rows());
  bounds_ << problem_.g, -problem_.w;
  const double before = bounds_.maxCoeff();
  const bool solved = many_.solve_pushing(problem_.A, rows_, bounds_, problem_.Gt.rows(), tolerance,
                                          displacement_, impulses_);
  ++solves_;
  iterations_ += many_.factorizations();
  // Between walls rows that push have no room and the last digits come slowly: another iteration brings them.
  return solved || many_.violation() <= k_use * before;
}

}  // namespace delassus
