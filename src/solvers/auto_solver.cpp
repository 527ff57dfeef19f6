// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/auto_solver.hpp"

#include <algorithm>

#include "delassus/base/parallel.hpp"

namespace delassus {
namespace {

// Islands a thread takes at once.
constexpr std::size_t k_grain = 8;
// Islands up to this many rows have workers of their size: a box on the ground has 12.
constexpr int k_small_rows = 24;

bool has_polygons(const LocalProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [](const Cone& cone) { return cone.kind == ConeKind::polyhedral; });
}

}  // namespace

SolverCapabilities AutoSolver::capabilities() const {
  return {.nonnegative = true,
          .coulomb = true,
          .polyhedral = true,
          .box = true,
          .convex = true,
          .equality = true,
          .nonsymmetric = true};
}

void AutoSolver::solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                       SolveStats& stats) {
  const bool polygons = has_polygons(problem);
  basis_starts_.assign(1, 0);
  for (const Cone& cone : problem.cones)
    basis_starts_.push_back(basis_starts_.back() + (polygons ? static_cast<std::size_t>(lcp_size(cone)) : 0));
  solution.basis.resize(basis_starts_.back());
  solution.r.resize(problem.u_free.size());
  solution.u.resize(problem.u_free.size());
  solution.modes.resize(problem.cones.size());
  islands_.find(problem.W);
  island_stats_.resize(static_cast<std::size_t>(islands_.size()));
  while (workers_.size() < static_cast<std::size_t>(num_threads())) workers_.emplace_back(k_small_rows + 1);
  parallel_for(island_stats_.size(), k_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      solve_island(static_cast<int>(i), problem, warm, polygons, solution);
  });
  sum_up(stats);
}

IslandSolver& AutoSolver::worker_for(int rows) {
  std::unique_ptr<IslandSolver>& worker = workers_[thread_slot()][rows <= k_small_rows ? rows : 0];
  if (worker == nullptr) worker = std::make_unique<IslandSolver>(options_);
  return *worker;
}

void AutoSolver::solve_island(int i, const LocalProblem& problem, const WarmStart& warm, bool polygons,
                              Solution& solution) {
  const std::span<const int> contacts = islands_.contacts(i);
  int rows = 0;
  for (const int c : contacts) rows += problem.W.dim(c);
  IslandSolver& worker = worker_for(rows);
  const bool whole = islands_.size() == 1;
  if (!whole) extract_island(problem, warm, contacts, worker.island, worker.warm, basis_starts_);
  const LocalProblem& island = whole ? problem : worker.island;
  const WarmStart& start = whole ? warm : worker.warm;
  if (polygons)
    worker.solve_polygons(island, start, island_stats_[i]);
  else
    worker.solve(island, start, island_stats_[i]);
  const Solution& found = worker.solution();
  auto from_basis = found.basis.begin();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int c = contacts[k], row = problem.first_row(c), dim = problem.W.dim(c);
    const int from = island.W.first_row(static_cast<int>(k));
    solution.r.segment(row, dim) = found.r.segment(from, dim);
    solution.u.segment(row, dim) = found.u.segment(from, dim);
    solution.modes[c] = found.modes[k];
    const auto size = static_cast<std::ptrdiff_t>(basis_starts_[c + 1] - basis_starts_[c]);
    std::copy_n(from_basis, size, solution.basis.begin() + static_cast<std::ptrdiff_t>(basis_starts_[c]));
    from_basis += size;
  }
}

void AutoSolver::sum_up(SolveStats& stats) const {
  stats = {};
  stats.status = SolveStatus::converged;
  stats.warm_started = !island_stats_.empty();
  for (const SolveStats& island : island_stats_) {
    stats.iterations += island.iterations;
    stats.factorizations += island.factorizations;
    stats.retries += island.retries;
    stats.residual = std::max(stats.residual, island.residual);
    stats.warm_started = stats.warm_started && island.warm_started;
    if (!usable(island.status) || (island.status == SolveStatus::inexact && usable(stats.status)))
      stats.status = island.status;
    for (int a = 0; a < island.num_attempts; ++a) stats.add(island.attempts[a]);
  }
}

}  // namespace delassus
