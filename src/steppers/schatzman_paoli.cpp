// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/schatzman_paoli.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "delassus/base/error.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

constexpr int k_most_iterations = 30;
// Violations of (2) and (3) that are none, and those that a step may leave where they fall no further, as parts of the size of the
// system [-].
constexpr double k_met = 1e-13, k_close = 1e-9;
// A contact force jumps when it changes by more than this part of itself; forces below the other part of all are none [-].
constexpr double k_jump = 0.5, k_none = 1e-9;

}  // namespace

StepFormula schatzman_paoli_formula(double theta) {
  return {.name = "schatzman-paoli",
          .alpha = 0.5,
          .gamma = 1,
          .sigma = 1,
          .rows = DataPoint::start,
          .directions = DataPoint::start,
          .mass = DataPoint::start,
          .contacts_at_start = true,
          .gyroscopic_beforehand = true,
          .staggered = true,
          .stiffness = theta};
}

SchatzmanPaoliStepper::SchatzmanPaoliStepper(double theta, const StepperOptions& options,
                                             std::unique_ptr<Solver> solver)
    : formula_(schatzman_paoli_formula(theta)),
      options_(options),
      solver_(std::move(solver)),
      kernel_(formula_, options_, *solver_) {
  if (options.derivatives == ForceDerivatives::none) formula_.implicit_forces = false;
  if (options.impact.tangential_restitution != 0 || options.impact.threshold != 0)
    throw InputError(
        "the stepper 'schatzman-paoli' has restitution in positions, along the normal: impact.threshold and "
        "impact.tangential_restitution must be 0");
}

void SchatzmanPaoliStepper::advance(const System& system, State& state, const StepRequest& request,
                                    StepReport& report) {
  begin(system, state, request, report);
  Retries retries{.h_limit = std::numeric_limits<double>::infinity()};
  // Ends: a step that fails is halved, at most max_halvings times.
  while (step_.goes_on()) {
    const double h = std::min(step_.rest(), retries.h_limit);
    if (take_trial(h, retries)) accept(h);
  }
  step_.snap_to_end();
  if (report.substeps > 0) find_end_velocity();
  finisher_.finish_contacts(step_, step_.now.contacts);
  finisher_.finish(step_, state);
}

void SchatzmanPaoliStepper::begin(const System& system, const State& state, const StepRequest& request,
                                  StepReport& report) {
  step_.begin(system, state, request, report);
  step_.history.acceleration = {};
  const MidStepMemory& mid = step_.history.mid_step;
  before_ = mid.step > 0 && mid.v_end == state.v ? mid.step : 0.0;
  if (before_ > 0) step_.now.phase.v = mid.v;
}

bool SchatzmanPaoliStepper::take_trial(double h, Retries& retries) {
  const System& system = *step_.system;
  PhasePoint& now = step_.now;
  between_ = 0.5 * (before_ + h);
  formula_.force_share = between_ / h;
  v_ = now.phase.v;
  finisher_.find_contacts(step_, h);
  memories_.hand_over(system, now, touching_gap(options_, h), step_.history);
  if (retries.known_limits) step_.find_last_joint_forces(joint_forces_);
  // Each round follows contacts that impacts of this step push bodies to.
  constexpr int most_rounds = 5;
  for (int round = 0; round < most_rounds; ++round) {
    if (!solve_positions(h, retries)) return false;
    if (!follow(h) || violation(h) <= k_met * system_size(system, now.phase.q)) return true;
  }
  return true;
}

bool SchatzmanPaoliStepper::solve_positions(double h, Retries& retries) {
  const System& system = *step_.system;
  const double size = system_size(system, step_.now.phase.q);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < k_most_iterations; ++i) {
    last_ids_ = taken_.ids;
    place(h);
    places_.resize(taken_.size());
    std::iota(places_.begin(), places_.end(), 0);
    const bool same = i > 0 && last_ids_ == taken_.ids;
    kernel_.solve(
        system, step_.now, h, taken_, v_, memory_, trial_, shifts_,
        same ? std::span<const int>(places_) : std::span<const int>(),
        {.joint_forces = retries.known_limits ? &joint_forces_ : nullptr, .joint_targets = &joint_targets_});
    if (!trial_.ok) break;
    v_ = trial_.end.phase.v;
    const double left = violation(h);
    if (left <= k_met * size) break;
    // Round-off, or what solvers leave.
    if (left >= 0.5 * last && left <= k_close * size) break;
    last = left;
    if (i + 1 < k_most_iterations) {
      ++step_.report->certificate.solves;
      step_.report->certificate.iterations += trial_.stats.iterations;
    } else {
      trial_.ok = false;
      trial_.stats.status = SolveStatus::iteration_limit;
      trial_.failure = "gaps and joints at the end of the step could not be met";
    }
  }
  return judge_trial(step_, options_, taken_.ids, kernel_, projector_, trial_, retries);
}

void SchatzmanPaoliStepper::evaluate_at_means(double h) {
  const System& system = *step_.system;
  const PhasePoint& now = step_.now;
  const ContactSet& near = now.contacts;
  // One configuration for each coefficient of restitution.
  double e = -1;
  bool first = true;
  for (;;) {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < near.size(); ++c)
      if (near.surface(c).restitution > e) next = std::min(next, near.surface(c).restitution);
    if (first && near.empty()) means_ = near;
    if (std::isinf(next)) return;
    e = next;
    alike_.clear();
    for (std::size_t c = 0; c < near.size(); ++c)
      if (near.surface(c).restitution == e) alike_.push_back(near.ids[c]);
    way_ = h / (1 + e) * (v_ - e * now.phase.v);
    system.retract(now.phase.q, way_, mean_q_);
    system.configure(now.phase.t + h * (1 - e) / (1 + e), mean_q_, at_mean_);
    if (first) {
      system.evaluate_contacts(alike_, at_mean_, means_);
    } else {
      system.evaluate_contacts(alike_, at_mean_, others_);
      merged_.merge(means_, others_);
      std::swap(means_, merged_);
    }
    first = false;
  }
}

void SchatzmanPaoliStepper::place(double h) {
  const System& system = *step_.system;
  const PhasePoint& now = step_.now;
  evaluate_at_means(h);
  some_.clear();
  for (std::size_t c = 0; c < means_.size(); ++c)
    if (means_.valid(c)) some_.push_back(c);
  taken_.select(means_, some_);
  memory_.clear();
  for (std::size_t c = 0; c < taken_.size(); ++c) {
    memory_.push_back(find_memory(step_.history, taken_.ids[c]));
    const std::size_t near = now.contacts.find(taken_.ids[c]);
    if (memory_[c] == nullptr || !memory_[c]->closed || !now.contacts.valid(near)) continue;
    const double gap = taken_.gap(c);
    taken_.copy_from(now.contacts, near, c);
    taken_.gaps[static_cast<Eigen::Index>(c)] = gap;
  }
  taken_.update_velocities(v_);
  shifts_.assign(taken_.size(), {});
  for (std::size_t c = 0; c < taken_.size(); ++c)
    shifts_[c].velocity[0] =
        (1 + taken_.surface(c).restitution) * taken_.gap(c) / h - taken_.normal_velocity(c);
  taken_.update_velocities(now.phase.v);

  probe_.phase.t = now.phase.t + h;
  way_ = h * v_;
  system.retract(now.phase.q, way_, probe_.phase.q);
  probe_.place(system);
  now.joints.rows.multiply(VectorRef(v_), joint_targets_);
  const int holonomic = now.joints.num_holonomic, pfaffian = now.joints.rows.rows() - holonomic;
  joint_targets_.head(holonomic) -= probe_.joints.violation.head(holonomic) / h;
  if (pfaffian == 0) return;
  way_ *= 0.5;
  system.retract(now.phase.q, way_, mean_q_);
  system.configure(now.phase.t + 0.5 * h, mean_q_, at_mean_);
  system.bilateral(at_mean_, middle_);
  middle_.rows.multiply(VectorRef(v_), u_);
  joint_targets_.tail(pfaffian) -= u_.tail(pfaffian) - middle_.target.tail(pfaffian);
}

double SchatzmanPaoliStepper::violation(double h) {
  const BilateralRows& joints = trial_.end.joints;
  double worst = max_abs(joints.violation.head(joints.num_holonomic));
  evaluate_at_means(h);
  int row = 0;
  for (std::size_t c = 0, t = 0; c < means_.size(); ++c) {
    while (t < taken_.size() && taken_.ids[t] < means_.ids[c]) row += trial_.cones[t++].dim;
    if (!means_.valid(c)) continue;
    const bool pushes = t < taken_.size() && taken_.ids[t] == means_.ids[c] && trial_.solution.r[row] > 0;
    worst = std::max(worst, pushes ? std::abs(means_.gap(c)) : -means_.gap(c));
  }
  return worst;
}

bool SchatzmanPaoliStepper::follow(double h) {
  const System& system = *step_.system;
  PhasePoint& now = step_.now;
  system.find_contacts(now.at, v_, h, &now.contacts, others_);
  some_.clear();
  for (std::size_t c = 0; c < others_.size(); ++c)
    if (now.contacts.find(others_.ids[c]) == now.contacts.size()) some_.push_back(c);
  if (some_.empty()) return false;
  added_.select(others_, some_);
  merged_.merge(now.contacts, added_);
  std::swap(now.contacts, merged_);
  now.contacts.update_velocities(now.phase.v);
  return true;
}

bool SchatzmanPaoliStepper::forces_jump() const {
  const double none = k_none * max_abs(kernel_.problem().p) / trial_.h;
  const auto jumps = [&](double now, double before) {
    const double larger = std::max(now, before);
    return larger > none && std::abs(now - before) > k_jump * larger;
  };
  int row = 0;
  for (std::size_t c = 0; c < taken_.size(); ++c) {
    if (jumps(trial_.solution.r[row] / trial_.h, memory_[c] != nullptr ? memory_[c]->force[0] : 0.0))
      return true;
    row += trial_.cones[c].dim;
  }
  return std::any_of(step_.history.contacts.begin(), step_.history.contacts.end(),
                     [&](const ContactMemory& memory) {
                       return taken_.find(memory.id) == taken_.size() && jumps(0.0, memory.force[0]);
                     });
}

SchatzmanPaoliStepper::Impacts SchatzmanPaoliStepper::book_impacts() {
  // What rests approaches by no more than forces make it.
  const double slow = 2 * max_abs(kernel_.free_velocity() - step_.now.phase.v);
  way_ = 0.5 * (trial_.end.phase.v + step_.now.phase.v);
  taken_.rows.rows.multiply(VectorRef(way_), u_);
  Impacts found = Impacts::none;
  step_.report->amid_impact = false;
  int row = 0;
  for (std::size_t c = 0; c < taken_.size(); ++c) {
    const double r = trial_.solution.r[row];
    const double mean = u_[taken_.first_row(c)] + taken_.rows.drift_velocity[taken_.first_row(c)];
    const bool closed = memory_[c] != nullptr && memory_[c]->closed;
    const bool rests = closed && std::max(std::abs(taken_.normal_velocity(c)), std::abs(mean)) <= slow;
    if (r > 0 && !rests) {
      const double work = r * u_[taken_.first_row(c)];
      if (work < 0)
        found = Impacts::hit;
      else if (found == Impacts::none)
        found = Impacts::rebound;
      step_.report->amid_impact =
          step_.report->amid_impact || (work < 0 && taken_.surface(c).restitution > 0);
      trial_.work_normal -= work;
      trial_.work_impacts += work;
      trial_.work_solved = work;
      if (!closed && -taken_.normal_velocity(c) > k_rest_tolerance * max_abs(step_.now.phase.v))
        step_.report->events.push_back(captured_impact(trial_, taken_, c, row, shifts_[c], 1.0));
    }
    row += trial_.cones[c].dim;
  }
  return found;
}

void SchatzmanPaoliStepper::accept(double h) {
  const Impacts impacts = book_impacts();
  const bool jump = impacts == Impacts::hit || (impacts == Impacts::none && forces_jump());
  book_trial(step_, trial_.end, trial_, taken_.ids, 1.0);
  memories_.remember(trial_, taken_.ids, step_.history);
  // What rebounds flies on under the other forces.
  v_end_ = v_;
  if (!jump)
    v_end_ += 0.5 * h / between_ *
              ((impacts == Impacts::rebound ? kernel_.free_velocity() : v_) - step_.now.phase.v);
  step_.history.mid_step.v = v_;
  step_.history.mid_step.step = before_ = h;
  step_.history.weighted_velocity = v_;
  std::swap(step_.now, trial_.end);
}

void SchatzmanPaoliStepper::find_end_velocity() {
  PhasePoint& now = step_.now;
  now.phase.v = v_end_;
  if (options_.projection != Projection::none)
    projector_.project_velocity(*step_.system, none_, {}, true, now, step_.history.held_frictions, {},
                                kernel_.step_speed());
  step_.history.mid_step.v_end = now.phase.v;
}

}  // namespace delassus
