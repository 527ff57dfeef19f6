// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/aligned_solve.hpp"

#include <cmath>

#include "delassus/problems/residual.hpp"

namespace delassus {
namespace {

// Beyond this angle between slip and generator the prediction was poor and the problem is solved again [rad].
constexpr double k_turn_tolerance = 1e-3;
constexpr int k_max_turns = 6;
// What a step may be solved to where redundant impulses take thousands of iterations to the next digit: what certificates judge by, with
// a margin, as that is by single contacts [-].
constexpr double k_contentment = 0.3 * k_judged;

// True when a generator turned.
bool turn_generators(Problem& problem, Reduction& reduction, const Solution& solution) {
  bool turned = false;
  for (int c = 0; c < problem.num_contacts(); ++c) {
    Cone& cone = problem.cones[c];
    if (cone.dim < 3 || cone.polygon || solution.modes[c].status != ContactStatus::slip) continue;
    const Eigen::Vector2d slip =
        tangential(cone, solution.u.segment(problem.Ht.first_row(c), cone.dim)).normalized();
    if ((slip - cone_direction(cone, 0)).norm() <= k_turn_tolerance) continue;
    cone.angle = std::atan2(slip.y(), slip.x());
    turned = true;
  }
  if (turned) reduction.update_cones();
  return turned;
}

}  // namespace

void solve_aligned(Solver& solver, bool align, Problem& problem, Reduction& reduction, WarmStart& warm,
                   Solution& solution, SolveStats& stats) {
  warm.contentment = k_contentment;
  solve(solver, reduction, warm, solution, stats);
  for (int round = 0;
       align && round < k_max_turns && usable(stats.status) && turn_generators(problem, reduction, solution);
       ++round) {
    const int iterations = stats.iterations;
    warm.basis.assign(solution.basis.begin(), solution.basis.end());
    solve(solver, reduction, warm, solution, stats);
    stats.iterations += iterations;
  }
}

}  // namespace delassus
