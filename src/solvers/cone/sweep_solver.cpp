// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/sweep_solver.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/stop_request.hpp"

namespace delassus {
namespace {

// Sweeps between two looks at the full error: at least this, growing with the sweeps made, so that looking costs
// some per cent.
constexpr int k_look_interval = 16;
constexpr int k_look_share = 32;
// An error larger than the best by this factor is divergence: sweeps are not monotone, but not that far from it.
constexpr double k_divergence = 1e3;
// Sweeps without an improvement by a tenth, at least and as a share of those made, until the relaxation is halved.
constexpr int k_patience = 1000;
constexpr double k_improvement = 0.9;
// Halvings of the relaxation before giving up: below 1/8 of the first the sweeps hardly move.
constexpr int k_max_halvings = 3;
// The increment that makes look at the error shrinks at least so much after a look in vain.
constexpr double k_trigger_decay = 0.5;

}  // namespace

void SweepSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  begin(problem);
  const int limit = iteration_limit();
  double omega = options_.relaxation > 0 ? options_.relaxation : default_relaxation();
  double trigger = accepted_error();  // increment at which the error is looked at
  double reference = best_error();    // error of the last improvement that counts
  int next_look = k_look_interval, improved_at = 0, halvings = 0;
  while (stats.iterations < limit) {
    throw_if_stop_requested();
    const double increment = std::sqrt(sweep(problem, alternates() && stats.iterations % 2 == 1, omega));
    ++stats.iterations;
    if (increment > trigger && stats.iterations < next_look && stats.iterations < limit) continue;
    update_velocities(problem);
    const double error = judge();
    if (accepted()) return;
    if (increment <= trigger) trigger = increment * std::min(k_trigger_decay, accepted_error() / error);
    next_look = stats.iterations + std::max(k_look_interval, stats.iterations / k_look_share);
    if (best_error() < k_improvement * reference) {
      reference = best_error();
      improved_at = stats.iterations;
    }
    const bool diverges = !(error <= k_divergence * best_error());
    const bool stagnates = stats.iterations - improved_at > std::max(k_patience, improved_at);
    if (!diverges && !stagnates) continue;
    if (++halvings > k_max_halvings) return;
    return_to_best();
    omega *= 0.5;
    trigger = accepted_error();
    improved_at = stats.iterations;
  }
}

}  // namespace delassus
