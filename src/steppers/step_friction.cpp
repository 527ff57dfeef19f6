// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Dry friction in joints whose limits depend on the joint forces of the step itself, b = constant + μ |λ|: rounds of solves in
// which the limits follow the forces (limit_search.hpp). Where forces jump with their own friction no limits fit; then the
// caller may ask for those of the forces in the step before.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "delassus/steppers/aligned_solve.hpp"
#include "delassus/steppers/step_kernel.hpp"

namespace delassus {
namespace {

// Friction that reaches limits so many times larger than what the momenta of the bodies would make of them is that of a joint
// which presses itself together: its forces have no bound [-].
constexpr double k_jammed = 1e3;

// In free fall joints carry the round-off of the momenta of their bodies, and friction a part of that.
double friction_round_off(const StepData& data, const Problem& problem) {
  double floor = 0;
  for (std::size_t i = 0; i < data.friction.coefficient.size(); ++i) {
    const int group = data.num_contacts + static_cast<int>(i);
    for (int b = 0; b < problem.Ht.num_blocks(group); ++b) {
      const auto momentum =
          problem.p.segment(problem.Ht.block_column(group, b), problem.Ht.block(group, b).cols());
      floor = std::max(floor, data.friction.coefficient[i] * momentum.cwiseAbs().maxCoeff());
    }
  }
  return floor;
}

// The largest limit that friction reaches, without its constant part.
double largest_load(const StepFormula& formula, double h, const StepData& data, const Problem& problem,
                    const Vector& r) {
  double load = 0;
  for (std::size_t i = 0; i < data.friction.coefficient.size(); ++i) {
    const int c = data.num_contacts + static_cast<int>(i);
    const double constant = formula.sigma * h * data.friction.constant[i];
    if (data.friction.coefficient[i] > 0)
      load = std::max(load, std::min(problem.cones[static_cast<std::size_t>(c)].bound,
                                     std::abs(r[problem.Ht.first_row(c)])) -
                                constant);
  }
  return load;
}

}  // namespace

void StepKernel::limit_friction(const Vector& joint_forces, double h) {
  double largest = 0;
  if (joint_forces.size() > 0)
    w_ = formula_.sigma * h * joint_forces;
  else
    w_ = step_.reduction.lambda_free();
  update_friction_bounds(formula_, h, w_, step_.data, step_.problem, largest);
  step_.reduction.update_cones();
}

// Forces that jump with the limits have no fixed point; the best of the rounds is left then.
bool StepKernel::settle_friction(double h, const StepData& data, Slot& slot, Trial& trial,
                                 const std::function<bool()>& solve_once) {
  constexpr double settled = 1e-13, tolerated = 1e-9;
  // Changes below `tolerated` that do not fall any more are the solver's.
  constexpr double falls = 0.9;
  // Rounds that get no nearer to limits that fit, until they are given up: the limits of later ones are enclosed.
  constexpr int in_vain = LimitSearch::k_max_rounds / 4;
  int best_round = 0;
  double largest = 0, change = std::numeric_limits<double>::infinity();
  double best = change, best_largest = 1;
  limit_search_.restart();
  best_bounds_.clear();
  const double floor = friction_round_off(data, slot.problem);
  const auto first = static_cast<std::size_t>(data.num_contacts);
  const auto get_bounds = [&](std::vector<double>& out) {
    out.clear();
    for (std::size_t c = first; c < slot.problem.cones.size(); ++c)
      out.push_back(slot.problem.cones[c].bound);
  };
  const auto set_bounds = [&](const std::vector<double>& bounds) {
    for (std::size_t i = 0; i < bounds.size(); ++i) slot.problem.cones[first + i].bound = bounds[i];
    slot.reduction.update_cones();
  };
  update_friction_bounds(formula_, h, slot.reduction.lambda_free(), data, slot.problem, largest);
  slot.reduction.update_cones();
  for (int round = 0; round < LimitSearch::k_max_rounds && change > settled * std::max(largest, floor);
       ++round) {
    if (!solve_once()) return true;
    get_bounds(last_bounds_);
    const double before = change;
    change = update_friction_bounds(formula_, h, trial.solution.lambda, data, slot.problem, largest,
                                    &trial.solution.r);
    if (change < best) {
      best = change;
      best_round = round;
      best_largest = largest;
      best_bounds_ = last_bounds_;
    }
    if (largest_load(formula_, h, data, slot.problem, trial.solution.r) > k_jammed * floor) {
      trial.unsettled = std::numeric_limits<double>::infinity();
      return false;
    }
    if (change <= tolerated * largest && !(change < falls * before)) break;
    if (round > best_round + in_vain && round > LimitSearch::k_max_rounds / 2) break;
    get_bounds(asked_bounds_);
    limit_search_.next(last_bounds_, change > tolerated * largest, asked_bounds_);
    set_bounds(asked_bounds_);
  }
  if (change <= std::max(tolerated * largest, 10 * settled * floor)) return true;
  set_bounds(best_bounds_);
  trial.unsettled = solve_once() ? best / best_largest : std::numeric_limits<double>::infinity();
  return false;
}

std::string StepKernel::unsettled_joint(const System& system) const {
  std::size_t worst = 0;
  double largest = -1;
  for (std::size_t i = 0; i < last_bounds_.size(); ++i) {
    const double change = std::abs(
        step_.problem.cones[static_cast<std::size_t>(step_.data.num_contacts) + i].bound - last_bounds_[i]);
    if (change > largest) worst = i;
    largest = std::max(largest, change);
  }
  return system.joint_name(step_.data.friction.first_force[worst]);
}

// Whether a limit of friction depends on joint forces that are one choice of many.
bool StepKernel::limits_are_shared(const Trial& trial) const {
  const FrictionRows& friction = step_.data.friction;
  for (std::size_t i = 0; i < friction.constant.size(); ++i) {
    if (friction.coefficient[i] == 0) continue;
    const auto first = trial.shared_rows.begin() + friction.first_force[i];
    if (std::any_of(first, first + friction.num_forces[i], [](char shared) { return shared != 0; }))
      return true;
  }
  return false;
}

void StepKernel::solve_with_friction(const System& system, double h, Trial& trial) {
  int iterations = 0;
  bool settled = true;
  // The least forces cost more than a round: they are taken in every one only where limits depend on them.
  for (const bool each_round : {false, true}) {
    trial.unsettled = 0;
    trial.failure.clear();
    const auto solve_round = [&] {
      solve_aligned(solver_, options_.law.aligned(), step_.problem, step_.reduction, warm_, trial.solution,
                    trial.stats);
      if (each_round && usable(trial.stats.status)) take_least_forces(step_.reduction, trial);
      iterations += trial.stats.iterations;
      warm_.basis.assign(trial.solution.basis.begin(), trial.solution.basis.end());
      warm_.r = trial.solution.r;
      return usable(trial.stats.status);
    };
    settled = settle_friction(h, step_.data, step_, trial, std::ref(solve_round));
    if (each_round || !usable(trial.stats.status)) break;
    take_least_forces(step_.reduction, trial);
    if (!limits_are_shared(trial)) break;
  }
  trial.stats.iterations = iterations;
  if (!settled) {
    // Solved all the same, but for these limits: who accepts it must be able to trust the rest.
    trial.unsettled = std::max(trial.unsettled, std::numeric_limits<double>::min());
    trial.failure = fmt::format(
        "the friction in joint '{}' and the joint forces that limit it do not settle (the joint jams)",
        unsettled_joint(system));
  }
  friction_modes_.assign(trial.solution.modes.begin() + step_.data.num_contacts, trial.solution.modes.end());
}

}  // namespace delassus
