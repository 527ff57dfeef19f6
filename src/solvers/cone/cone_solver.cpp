// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/cone_solver.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "delassus/problems/modes.hpp"
#include "delassus/problems/residual.hpp"

namespace delassus {
namespace {

// A start whose error is this fraction of the accepted one is as good as polished: it goes on as it was. With loose
// tolerances, too, bodies at rest do not creep.
constexpr double k_polished = 1e-2;
constexpr double k_largest_polished = 1e-11;

}  // namespace

SolverCapabilities ConeSolver::capabilities() const {
  return {.nonnegative = true,
          .coulomb = true,
          .box = true,
          .convex = true,
          .equality = true,
          .nonsymmetric = true};
}

void ConeSolver::update_velocities(const LocalProblem& problem) {
  if (problem.mobility.serves(problem.W.rows()))
    problem.mobility.multiply(problem.W, r_, u_);
  else
    problem.W.multiply(r_, u_);
  u_ += problem.u_free;
}

double ConeSolver::judge() {
  const double error = contacts_.error(r_.data(), u_.data());
  if (error < best_error_) {
    best_error_ = error;
    best_r_ = r_;
    best_u_ = u_;
    if (!accepted()) allow_round_off();
  }
  return error;
}

void ConeSolver::allow_round_off() {
  accepted_error_ = options_.tolerance * compute_velocity_scale(*problem_, free_speed_, best_r_);
}

bool ConeSolver::confirm(const LocalProblem& problem) {
  r_ = best_r_;
  update_velocities(problem);
  best_u_ = u_;
  best_error_ = contacts_.error(r_.data(), u_.data());
  return accepted();
}

void ConeSolver::start(const LocalProblem& problem, const WarmStart& warm) {
  const Eigen::Index m = problem.u_free.size();
  problem_ = &problem;
  free_speed_ = problem.u_free.norm();
  accepted_error_ = options_.tolerance * std::max(free_speed_, problem.velocity_floor());
  r_.setZero(m);
  u_ = problem.u_free;
  best_r_ = r_;
  best_u_ = u_;
  best_error_ = std::numeric_limits<double>::infinity();
  judge();
  if (warm.r.size() != m || accepted()) return;
  r_ = warm.r;
  for (const PreparedContact& contact : contacts_) {
    if (contact.rho == 0)
      r_.segment(contact.row, contact.dim).setZero();
    else
      project(contact, r_.data() + contact.row);
  }
  update_velocities(problem);
  judge();
  r_ = best_r_;
  u_ = best_u_;
}

void ConeSolver::solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                       SolveStats& stats) {
  solve_within(options_.max_iterations > 0 ? options_.max_iterations : default_iterations(), problem, warm,
               solution, stats);
}

void ConeSolver::solve_within(int limit, const LocalProblem& problem, const WarmStart& warm,
                              Solution& solution, SolveStats& stats) {
  const WorkScope scope(work_kind());
  if (!measures_couples() || !units_.find(problem)) {
    solve_in_units(limit, problem, warm, solution, stats);
    return;
  }
  units_.scale(problem, warm);
  solve_in_units(limit, units_.problem, units_.warm, solution, stats);
  units_.unscale(problem, solution);
}

// Steppers ask for symmetric problems where a method needs them. Modes of slipping contacts are found from one that is
// not: it is tried, and the error decides, which is measured by the law itself.
[[maybe_unused]] bool ConeSolver::takes_cones(const LocalProblem& problem) const {
  SolverCapabilities takes = capabilities();
  takes.nonsymmetric = true;
  return reason_against(takes, problem).empty();
}

void ConeSolver::solve_in_units(int limit, const LocalProblem& problem, const WarmStart& warm,
                                Solution& solution, SolveStats& stats) {
  limit_ = options_.max_iterations > 0 ? std::min(options_.max_iterations, limit) : limit;
  assert(takes_cones(problem));
  stats = {};
  solution.basis.clear();
  contacts_.prepare(problem);
  if (!problem.u_free.allFinite() || !problem.W.all_finite() || !contacts_.pushes_away()) {
    solution.r.setZero(problem.u_free.size());
    solution.u = problem.u_free;
    solution.modes.assign(problem.cones.size(), {});
    stats.status = SolveStatus::numerical_failure;
    stats.residual = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  start(problem, warm);
  stats.warm_started = accepted() && warm.r.size() > 0;
  const double polished = std::min(k_polished, k_largest_polished / options_.tolerance) * accepted_error_;
  if (!accepted() || (polishes() && best_error_ > polished)) {
    contacts_.prepare_steps(problem);
    iterate(problem, stats);
  }
  stats.status = accepted() ? SolveStatus::converged : SolveStatus::iteration_limit;
  const double scale = accepted_error_ / options_.tolerance;
  stats.residual = scale > 0 ? best_error_ / scale : 0.0;
  solution.r = best_r_;
  solution.u = best_u_;
  derive_modes(problem, solution);
}

}  // namespace delassus
