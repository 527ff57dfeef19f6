// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The default: takes every problem, island by island (islands.hpp, on threads), and falls back where a method fails.
//
//   polyhedral cones        lemke
//   all other cones         newton: sweeps and semismooth Newton steps, proximal where those do not converge
//     more than 600 rows    admm before it, which needs few factorisations; each of the two gets few iterations
//     more than 3000 rows   nsgs before these
//     150 velocities and more, where rows are not fewer by far: an interior point, proximal Newton steps and admm in turns
//     not converged         lemke on the planar problem, which also tells when there is no solution (planar contacts);
//                           then admm, newton again from what it has found, nsgs with many more sweeps, and spg
//                           (symmetric problems)
//
// What was tried is in SolveStats::attempts. An island counts as solved when E_v of it is below the tolerance; velocities
// are measured against those of the island, so what happens elsewhere does not change a result, and neither does which
// thread solves it: each has workers of its own, which remember nothing.
#pragma once
#include <memory>
#include <vector>

#include "delassus/problems/islands.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/solvers/island_solver.hpp"

namespace delassus {

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const IterativeOptions& options) : options_(options) {}
  std::string name() const override { return "auto"; }
  SolverCapabilities capabilities() const override;
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override;

 private:
  // Of the calling thread. Small islands have one for each size, so that their vectors keep their sizes and nothing is
  // allocated; large ones share one.
  IslandSolver& worker_for(int rows);
  void solve_island(int i, const LocalProblem& problem, const WarmStart& warm, bool polygons,
                    Solution& solution);
  void sum_up(SolveStats& stats) const;

  IterativeOptions options_;
  Islands islands_;
  std::vector<std::vector<std::unique_ptr<IslandSolver>>> workers_;  // of a thread, by rows
  std::vector<SolveStats> island_stats_;
  std::vector<std::size_t> basis_starts_;  // of a contact in the basis of polygons
};

}  // namespace delassus
