// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/auto_solver.hpp"

#include <algorithm>

#include "delassus/base/parallel.hpp"
#include "delassus/problems/modes.hpp"

namespace delassus {
namespace {

// Rows of an island above which sweeps come before factorisations.
constexpr int k_large_island = 3000;
constexpr int k_first_sweeps = 500;
constexpr int k_more_sweeps = 20000;
constexpr int k_first_newton = 500;
constexpr int k_newton_iterations = 1500;
constexpr int k_admm_iterations = 5000;
// Islands with more rows are tried with admm first, which needs few factorisations where it converges soon; newton is
// given as many iterations as are soon there.
constexpr int k_costly_rows = 600;
constexpr int k_first_admm = 200;
constexpr int k_short_newton = 100;
// Planar problems up to this many contacts are given to Lemke when Newton's method fails.
constexpr int k_lemke_contacts = 40;
// Islands a thread takes at once, but for large ones.
constexpr std::size_t k_grain = 8;

IterativeOptions with_limit(IterativeOptions options, int limit) {
  options.max_iterations = options.max_iterations > 0 ? std::min(options.max_iterations, limit) : limit;
  return options;
}

bool takes(const LocalProblem& problem, ConeKind kind) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [&](const Cone& cone) { return cone.kind == kind; });
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

AutoSolver::AutoSolver(const IterativeOptions& options)
    : options_(options),
      lemke_(LemkeOptions{.max_pivots = options.max_iterations, .tolerance = options.tolerance}) {}

AutoSolver::Worker::Worker(const IterativeOptions& options)
    : tolerance(options.tolerance),
      newton_first(with_limit(options, k_first_newton)),
      newton_short(with_limit(options, k_short_newton)),
      newton(with_limit(options, k_newton_iterations)),
      admm_first(with_limit(options, k_first_admm)),
      admm(with_limit(options, k_admm_iterations)),
      nsgs_first(SweepOrder::forward, with_limit(options, k_first_sweeps)),
      nsgs(SweepOrder::symmetric, with_limit(options, k_more_sweeps)),
      spg(with_limit(options, k_more_sweeps)),
      lemke(LemkeOptions{.max_pivots = options.max_iterations, .tolerance = options.tolerance}) {}

SolverCapabilities AutoSolver::capabilities() const {
  return {.nonnegative = true,
          .coulomb = true,
          .polyhedral = true,
          .box = true,
          .convex = true,
          .equality = true,
          .nonsymmetric = true};
}

bool AutoSolver::Worker::attempt(Solver& solver, const char* method, const LocalProblem& problem,
                                 const WarmStart& start, SolveStats& total) {
  const bool first = total.num_attempts == 0;
  solver.solve(problem, start, trial, stats);
  // Whatever measure a method ends by, its residual has the last word.
  const bool solved = usable(stats.status) && stats.residual <= std::max(tolerance, k_certified);
  total.iterations += stats.iterations;
  total.factorizations += stats.factorizations;
  total.add_attempt(method, stats.iterations, !solved);
  if (first || solved || stats.residual < total.residual) {
    total.status = solved || !usable(stats.status) ? stats.status : SolveStatus::numerical_failure;
    total.residual = stats.residual;
    total.warm_started = stats.warm_started;
    std::swap(solution, trial);
  }
  return solved;
}

void AutoSolver::Worker::solve(const LocalProblem& problem, const WarmStart& start, SolveStats& total) {
  total = {};
  const bool large = problem.W.rows() > k_large_island;
  if (large && attempt(nsgs_first, "nsgs", problem, start, total)) return;
  WarmStart next;
  if (large) next.r = solution.r;
  const WarmStart& first = large ? next : start;
  if (problem.W.rows() > k_costly_rows) {
    if (attempt(admm_first, "admm", problem, first, total)) return;
    if (attempt(newton_short, "newton", problem, first, total)) return;
  } else if (attempt(newton_first, "newton", problem, first, total)) {
    return;
  }
  if (make_planar(problem, planar)) {
    if (attempt(lemke, "lemke", planar, {}, total)) return;
    // Certified: no solution on the way of Lemke's method, and Newton's has not found one either.
    if (stats.status == SolveStatus::ray) {
      if (!settle(total)) total.status = SolveStatus::ray;
      return;
    }
  }
  if (settle(total)) return;
  const auto go_on = [&](Solver& solver, const char* method) {
    next.r = solution.r;
    return attempt(solver, method, problem, next, total);
  };
  // From where it began before from where others got stuck.
  if (attempt(admm, "admm", problem, start, total)) return;
  if (go_on(admm, "admm") || go_on(newton, "newton") || settle(total) || go_on(nsgs, "nsgs")) return;
  if (problem.symmetric && go_on(spg, "spg")) return;
  settle(total);
}

// What no method brings to the tolerance is taken where it is good enough for every use.
bool AutoSolver::Worker::settle(SolveStats& total) {
  if (!(total.residual <= k_certified)) return false;
  total.status = SolveStatus::inexact;
  return true;
}

void AutoSolver::solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                       SolveStats& stats) {
  stats = {};
  if (takes(problem, ConeKind::polyhedral)) {
    lemke_.solve(problem, warm, solution, stats);
    stats.add_attempt("lemke", stats.iterations, !usable(stats.status));
    return;
  }
  solution.basis.clear();
  solution.r.setZero(problem.u_free.size());
  solution.u = problem.u_free;
  solution.modes.resize(problem.cones.size());
  stats.status = SolveStatus::converged;
  islands_.find(problem.W);
  const auto count = static_cast<std::size_t>(islands_.size());
  island_stats_.resize(count);
  const std::size_t chunks = std::max<std::size_t>(num_chunks(count, k_grain), 1);
  while (workers_.size() < chunks) workers_.push_back(std::make_unique<Worker>(options_));
  parallel_for(count, k_grain, [&](std::size_t begin, std::size_t end) {
    Worker& worker = *workers_[begin / k_grain];
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const int> contacts = islands_.contacts(static_cast<int>(i));
      const bool whole = count == 1;
      if (!whole) extract_island(problem, warm, contacts, worker.island, worker.warm);
      const LocalProblem& island = whole ? problem : worker.island;
      worker.solve(island, whole ? warm : worker.warm, island_stats_[i]);
      for (std::size_t k = 0; k < contacts.size(); ++k) {
        const int c = contacts[k], row = problem.first_row(c), dim = problem.W.dim(c);
        const int from = island.W.first_row(static_cast<int>(k));
        solution.r.segment(row, dim) = worker.solution.r.segment(from, dim);
        solution.u.segment(row, dim) = worker.solution.u.segment(from, dim);
        solution.modes[c] = worker.solution.modes[k];
      }
    }
  });
  stats.warm_started = count > 0;
  for (const SolveStats& island : island_stats_) {
    stats.iterations += island.iterations;
    stats.factorizations += island.factorizations;
    stats.residual = std::max(stats.residual, island.residual);
    stats.warm_started = stats.warm_started && island.warm_started;
    if (!usable(island.status) || (island.status == SolveStatus::inexact && usable(stats.status)))
      stats.status = island.status;
    for (int a = 0; a < island.num_attempts; ++a) stats.add(island.attempts[a]);
  }
}

}  // namespace delassus
