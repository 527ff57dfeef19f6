// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"

namespace delassus {
namespace {

// Regularisation ε of the scaled Ŵ, whose diagonal is about one: far above round-off, far below what counts.
constexpr double k_epsilon = 1e-11;
constexpr int k_whole_steps = 30;
constexpr int k_max_cuts = 8;
// Steps in a row that may fail to improve the best error before a round ends.
constexpr int k_patience = 6;
// Sweeps of the first round without a warm start; every round has this factor more.
constexpr int k_first_sweeps = 5;
constexpr int k_sweep_growth = 3;
// Decrease of ‖F‖ that a line search asks for, relative to the length of the step.
constexpr double k_descent = 1e-4;
// Proximal problems: the first weight, relative to Ŵ; easy ones (few steps) make it smaller by the factor, failed ones
// larger.
constexpr double k_first_weight = 1e-2;
constexpr double k_weight_factor = 10;
constexpr int k_easy = 6;
constexpr int k_max_failures = 6;
constexpr int k_max_centres = 60;
// The factor after failures, at least, and how fast it comes back.
constexpr double k_least_factor = 2, k_factor_change = 1.5;
// From this weight on a failure is tried again with a line search.
constexpr double k_searched_weight = 1e-3;
// What an outer step leaves of the error where it has been of use.
constexpr double k_slow_progress = 0.7;
constexpr int k_max_inner = 10;
// Proximal problems after a failure that keep the weight.
constexpr int k_hold = 2;
// Steps that are still taken from what one is content with.
constexpr int k_content_steps = 30;

// A proximal problem is solved when ‖F‖ has fallen by this.
constexpr double k_inner_reduction = 1e-3;

}  // namespace

void NewtonSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  system_.prepare(problem, contacts_);
  if (start_ == Start::steps_only) return take_steps(problem, 0, stats);
  if (start_ == Start::proximal) {
    take_proximal_steps(problem, stats);
    if (accepted() || certified() || is_content() || stats.iterations >= iteration_limit()) return;
    return_to_best();
  }
  const bool warm = r_.size() > 0 && r_.cwiseAbs().maxCoeff() > 0;
  int sweeps = warm ? 0 : k_first_sweeps;
  bool prepared = false;
  const int limit = iteration_limit();
  while (true) {
    if (sweeps > 0 && !prepared) {
      sweep_.begin(problem, contacts_);
      prepared = true;
    }
    for (int i = 0; i < sweeps && stats.iterations < limit; ++i) {
      throw_if_stop_requested();
      sweep_.sweep(problem, contacts_, i % 2 == 1, 1.0, r_);
      ++stats.iterations;
    }
    update_velocities(problem);
    judge();
    swept_ = r_;
    // Whole steps first: a mode that is just between two takes them past the edge at which ‖F‖ rises.
    for (int max_cuts : {0, k_max_cuts}) {
      take_steps(problem, max_cuts, stats);
      if (accepted() || stats.iterations >= limit) return;
      r_ = swept_;
      update_velocities(problem);
    }
    take_proximal_steps(problem, stats);
    // Contacts that are nearly redundant end the progress early; a round of a hundred steps more would not help.
    if (accepted() || certified() || stats.iterations >= limit) return;
    // Sweeps go on from where they were: a Newton step that went astray must not lead them.
    r_ = swept_;
    sweeps = std::max(k_sweep_growth * sweeps, k_first_sweeps);
  }
}

// A step with a line search on ‖F‖ from r_; `merit` is ‖F‖ before and after. False: no step could be computed.
bool NewtonSolver::search(const LocalProblem& problem, double epsilon, int max_cuts, double& merit,
                          SolveStats& stats) {
  throw_if_stop_requested();
  if (!system_.step(r_, u_, epsilon, delta_)) return false;
  ++stats.iterations;
  ++stats.factorizations;
  r_0_ = r_;
  double length = 1.0, next = 0;
  for (int cut = 0; cut <= max_cuts; ++cut) {
    r_ = r_0_ + length * delta_;
    update_velocities(problem);
    next = system_.evaluate(r_, u_);
    if (next < (1.0 - k_descent * length) * merit) break;
    length *= 0.5;
  }
  merit = next;
  return true;
}

void NewtonSolver::take_steps(const LocalProblem& problem, int max_cuts, SolveStats& stats) {
  const int limit = iteration_limit();
  int in_vain = 0;
  double merit = system_.evaluate(r_, u_);
  for (int i = 0; i < k_whole_steps && stats.iterations < limit; ++i) {
    const double best = best_error();
    const bool was_accepted = accepted();
    if (best == 0 || !search(problem, k_epsilon, max_cuts, merit, stats)) return;
    judge();
    // Once accepted, go on while it pays: the last digits are cheap here.
    const bool improved = best_error() < 0.5 * best;
    if (was_accepted && !improved) return;
    in_vain = improved ? 0 : in_vain + 1;
    if (in_vain > k_patience) return;
  }
}

// Newton's method for the law with the proximal term. False: it does not converge soon; r is that of the centre again.
bool NewtonSolver::solve_proximal(const LocalProblem& problem, double weight, int& steps, SolveStats& stats) {
  const int limit = iteration_limit();
  centre_ = r_;
  system_.set_proximal(weight, centre_);
  const double first = system_.evaluate(r_, u_);
  // Whole steps first here, too: along redundant contacts the way to a solution is long and bent, and ‖F‖ rises on it. Small
  // weights are not worth steps with a line search: a larger one is faster.
  for (int max_cuts : {0, k_max_cuts}) {
    double merit = first;
    for (int i = 0; i < k_max_inner && stats.iterations < limit && merit > k_inner_reduction * first &&
                    search(problem, 0.0, max_cuts, merit, stats);
         ++i)
      ++steps;
    if (merit <= k_inner_reduction * first) return true;
    if (max_cuts == 0) judge();
    r_ = centre_;
    update_velocities(problem);
    system_.evaluate(r_, u_);
    if (weight < k_searched_weight) break;
  }
  return false;
}

void NewtonSolver::take_proximal_steps(const LocalProblem& problem, SolveStats& stats) {
  const int limit = iteration_limit();
  double weight = k_first_weight;
  double factor = k_weight_factor;
  int failures = 0, in_vain = 0, hold = 0, content_from = limit;
  for (int outer = 0; outer < k_max_centres && stats.iterations < limit && !accepted(); ++outer) {
    const double best = best_error();
    int steps = 0;
    const bool solved = solve_proximal(problem, weight, steps, stats);
    judge();
    in_vain = best_error() < k_slow_progress * best ? 0 : in_vain + 1;
    if (certified() && in_vain > k_patience) break;
    if (is_content()) content_from = std::min(content_from, stats.iterations);
    if (stats.iterations > content_from + k_content_steps) break;
    if (solved) {
      failures = 0;
      if (hold > 0)
        --hold;
      else if (steps <= k_easy)
        weight = std::max(weight / factor, k_epsilon);
      factor = std::min(factor * k_factor_change, k_weight_factor);
    } else {
      hold = k_hold;
      // Half of the way back, and then with care.
      factor = std::max(std::sqrt(factor), k_least_factor);
      weight = std::min(weight * factor, 1.0);
      if (++failures > k_max_failures) break;
    }
  }
  system_.set_proximal(0.0, centre_);
  if (!accepted()) return;
  update_velocities(problem);
  take_steps(problem, 0, stats);
}

}  // namespace delassus
