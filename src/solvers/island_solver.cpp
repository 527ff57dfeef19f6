// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/island_solver.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// Unknowns of factorisations above which sweeps come before them.
constexpr int k_large_island = 3000;
constexpr int k_first_island_sweeps = 500;
// So many of them tell how fast they converge; where the others would not do, they are left out.
constexpr int k_trial_sweeps = 60;
constexpr int k_more_sweeps = 5000;
constexpr int k_first_newton = 600;
constexpr int k_newton_iterations = 1500;
// Of a brief solve: what Newton's method solves in most cases takes a tenth of it.
constexpr int k_brief_newton = 100;
constexpr int k_admm_iterations = 5000;
constexpr int k_short_admm = 300;
// Islands with more unknowns are tried with admm first, which needs few factorisations where it converges soon; newton is
// given as many iterations as are soon there.
constexpr int k_costly_unknowns = 600;
constexpr int k_first_admm = 200;
// Where factors are by velocities: iterations of a turn, and turns.
constexpr int k_long_admm = 1000;
constexpr int k_turns = 4, k_inside_turns = 2;
// What a turn must leave at most to be followed by another [-].
constexpr double k_worth_a_turn = 0.5;
constexpr int k_short_newton = 100;
// Contacts that go on as before take a step or two.
constexpr int k_warm_newton = 8;
// Where sweeps leave more, these steps are in vain: of 41 problems of spheres that fall into a tray 13 of 18 below it were solved by
// them, and none of 23 above [-].
constexpr double k_near_after_sweeps = 2e-3;
constexpr int k_inside_iterations = 120, k_inside_newton = 400;
// Where the interior point hands over [-].
constexpr double k_inside_error = 1e-6;
// Unknowns from which on it is faster than Newton's method.
constexpr int k_inside_unknowns = 150;
// So many attempts in turn that leave more than this part of the residual: what is left is a contradiction of the problem.
constexpr int k_attempts_in_vain = 3;
constexpr double k_in_vain = 0.9;
// Planar problems up to this many contacts are given to Lemke when Newton's method fails.
constexpr int k_lemke_contacts = 40;

// Rows, or velocities where these are fewer.
int num_unknowns(const LocalProblem& problem) {
  const int rows = problem.W.rows();
  return problem.mobility.serves(rows) ? problem.mobility.num_velocities() : rows;
}

// The problem as an LCP without loss: planar friction has two directions.
bool make_planar(const LocalProblem& problem, LocalProblem& out) {
  if (problem.num_contacts() > k_lemke_contacts) return false;
  for (const Cone& cone : problem.cones)
    if (cone.kind == ConeKind::equality || cone.kind == ConeKind::convex ||
        (cone.kind == ConeKind::coulomb && cone.dim > 2))
      return false;
  out = problem;
  for (Cone& cone : out.cones)
    if (cone.kind == ConeKind::coulomb) {
      cone.kind = ConeKind::polyhedral;
      cone.num_directions = 2;
    }
  return true;
}

}  // namespace

IslandSolver::IslandSolver(const IterativeOptions& options)
    : tolerance_(options.tolerance),
      newton_(options),
      admm_(options),
      interior_point_(options),
      nsgs_(SweepOrder::forward, options),
      nsgs_both_ways_(SweepOrder::symmetric, options),
      spg_(options),
      lemke_(LemkeOptions{.max_pivots = options.max_iterations, .tolerance = options.tolerance}) {}

bool IslandSolver::judge(const char* method, SolveStats& total) {
  const bool first = total.num_attempts == 0;
  // Whatever measure a method ends by, its residual has the last word.
  const bool solved = usable(stats_.status) && stats_.residual <= std::max(tolerance_, k_certified);
  total.iterations += stats_.iterations;
  total.factorizations += stats_.factorizations;
  total.add_attempt(method, stats_.iterations, !solved);
  in_vain_ = first || stats_.residual < k_in_vain * total.residual ? 0 : in_vain_ + 1;
  if (first || solved || stats_.residual < total.residual) {
    total.status = solved || !usable(stats_.status) ? stats_.status : SolveStatus::numerical_failure;
    total.residual = stats_.residual;
    total.warm_started = stats_.warm_started;
    std::swap(solution_, trial_);
  }
  return solved;
}

bool IslandSolver::attempt(ConeSolver& solver, const char* method, int limit, const LocalProblem& problem,
                           const WarmStart& start, SolveStats& total) {
  solver.solve_within(limit, problem, start, trial_, stats_);
  return judge(method, total);
}

bool IslandSolver::go_on(ConeSolver& solver, const char* method, int limit, const LocalProblem& problem,
                         SolveStats& total) {
  next_.r = solution_.r;
  return attempt(solver, method, limit, problem, next_, total);
}

bool IslandSolver::attempt_planar(const LocalProblem& problem, SolveStats& total) {
  if (!make_planar(problem, planar_)) return false;
  lemke_.solve(planar_, {}, trial_, stats_);
  if (judge("lemke", total)) return true;
  // Certified: no solution on the way of Lemke's method, and Newton's has not found one either.
  if (stats_.status != SolveStatus::ray) return false;
  if (!settle(total)) total.status = SolveStatus::ray;
  return true;
}

bool IslandSolver::sweep_first(const LocalProblem& problem, const WarmStart& start, SolveStats& total) {
  if (attempt(nsgs_, "nsgs", k_trial_sweeps, problem, start, total)) return true;
  const double before = total.residual;
  if (go_on(nsgs_, "nsgs", k_trial_sweeps, problem, total)) return true;
  const int left = k_first_island_sweeps - 2 * k_trial_sweeps;
  const double decay = total.residual / before;
  if (!(total.residual * std::pow(decay, left / k_trial_sweeps) <= tolerance_)) return false;
  return go_on(nsgs_, "nsgs", left, problem, total);
}

bool IslandSolver::solve_inside(const LocalProblem& problem, const WarmStart& start, SolveStats& total) {
  const bool far = total.num_attempts > 0 && total.residual > k_near_after_sweeps;
  if (!far && start.r.size() > 0 && !start.r.isZero(0.0)) {
    newton_.set_start(NewtonSolver::Start::steps_only);
    const bool solved = attempt(newton_, "newton", k_warm_newton, problem, start, total);
    newton_.set_start(NewtonSolver::Start::steps);
    if (solved) return true;
  }
  interior_point_.set_aim(k_inside_error);
  if (attempt(interior_point_, "interior-point", k_inside_iterations, problem, {}, total)) return true;
  // Each goes on where the other is stuck.
  const bool content = start.contentment > 0;
  const int turns = content ? k_inside_turns : k_turns,
            admm_iterations = content ? k_short_admm : k_long_admm;
  for (int turn = 0; turn <= turns; ++turn) {
    if (turn > 0 && go_on(admm_, "admm", admm_iterations, problem, total)) return true;
    newton_.set_start(NewtonSolver::Start::proximal);
    newton_.set_contentment(start.contentment);
    const bool solved = go_on(newton_, "newton", k_inside_newton, problem, total);
    newton_.set_start(NewtonSolver::Start::steps);
    newton_.set_contentment(0);
    if (solved || settle(total, std::max(start.contentment, k_certified))) return true;
  }
  return false;
}

void IslandSolver::solve(const LocalProblem& problem, const WarmStart& start, SolveStats& total) {
  total = {};
  in_vain_ = 0;
  newton_.set_start(NewtonSolver::Start::steps);  // a solve that was interrupted may have left another
  newton_.set_contentment(0);
  const bool large = num_unknowns(problem) > k_large_island;
  next_.contentment = start.contentment;
  if (large && sweep_first(problem, start, total)) return;
  if (large) next_.r = solution_.r;
  const WarmStart& first = large ? next_ : start;
  const bool costly = num_unknowns(problem) > k_costly_unknowns;
  if (start.effort == SolveEffort::brief) {
    if (!attempt(newton_, "newton", k_brief_newton, problem, first, total)) settle(total);
    return;
  }
  const bool by_velocities = problem.mobility.serves(problem.W.rows());
  if (by_velocities && num_unknowns(problem) > k_inside_unknowns && InteriorPointSolver::serves(problem)) {
    // What it leaves no other method brings much further: a shorter step is the better way.
    solve_inside(problem, first, total);
    return;
  }
  if (costly && by_velocities) {
    // Iterations are cheap there, and each method goes on where the other is stuck.
    if (attempt(admm_, "admm", k_long_admm, problem, first, total)) return;
    for (int turn = 0; turn < k_turns; ++turn) {
      const double before = total.residual;
      if (go_on(newton_, "newton", k_first_newton, problem, total) || settle(total)) return;
      if (go_on(admm_, "admm", k_long_admm, problem, total)) return;
      if (!(total.residual < k_worth_a_turn * before)) break;
    }
  } else if (costly) {
    if (attempt(admm_, "admm", k_first_admm, problem, first, total)) return;
    if (attempt(newton_, "newton", k_short_newton, problem, first, total)) return;
  } else if (attempt(newton_, "newton", k_first_newton, problem, first, total)) {
    return;
  }
  if (attempt_planar(problem, total) || settle(total)) return;
  // From where it began before from where others got stuck; where admm converges at all it mostly does so soon, and where it
  // does not newton often goes on from what it has.
  if (!costly && (attempt(admm_, "admm", k_short_admm, problem, start, total) ||
                  go_on(newton_, "newton", k_first_newton, problem, total)))
    return;
  if (start.effort == SolveEffort::some) {
    settle(total);
    return;
  }
  if (attempt(admm_, "admm", k_admm_iterations, problem, start, total)) return;
  if (!costly && go_on(newton_, "newton", k_first_newton, problem, total)) return;
  if (in_vain_ >= k_attempts_in_vain) {
    settle(total);
    return;
  }
  if (go_on(admm_, "admm", k_admm_iterations, problem, total)) return;
  if (go_on(newton_, "newton", k_newton_iterations, problem, total) || settle(total)) return;
  if (go_on(nsgs_both_ways_, "nsgs", k_more_sweeps, problem, total)) return;
  if (problem.symmetric && go_on(spg_, "spg", k_more_sweeps, problem, total)) return;
  settle(total);
}

void IslandSolver::solve_polygons(const LocalProblem& problem, const WarmStart& start, SolveStats& total) {
  lemke_.solve(problem, start, solution_, total);
  total.add_attempt("lemke", total.iterations, !usable(total.status));
}

// What no method brings to the tolerance is taken where it is good enough for every use.
bool IslandSolver::settle(SolveStats& total, double good) {
  if (!(total.residual <= good)) return false;
  total.status = SolveStatus::inexact;
  return true;
}

}  // namespace delassus
