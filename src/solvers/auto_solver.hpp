// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The default: takes every problem, island by island (islands.hpp, on threads), and falls back where a method fails.
//
//   polyhedral cones        lemke
//   all other cones         newton: sweeps and semismooth Newton steps, proximal where those do not converge
//     more than 600 rows    admm before it, which needs few factorisations, both for as long as is soon
//     large islands         nsgs before these
//     not converged         lemke on the planar problem, which also tells when there is no solution (planar contacts);
//                           then admm, newton again from what it has found, nsgs with many more sweeps, and spg
//                           (symmetric problems)
//
// What was tried is in SolveStats::attempts. An island counts as solved when E_v of it is below the tolerance; velocities
// are measured against those of the island, so what happens elsewhere does not change a result.
#pragma once
#include <memory>
#include <vector>

#include "delassus/problems/islands.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/solvers/cone/spg.hpp"
#include "delassus/solvers/friction/admm.hpp"
#include "delassus/solvers/friction/newton.hpp"
#include "delassus/solvers/friction/nsgs.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"

namespace delassus {

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const IterativeOptions& options);
  std::string name() const override { return "auto"; }
  SolverCapabilities capabilities() const override;
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override;

 private:
  // What one thread needs to solve an island.
  struct Worker {
    explicit Worker(const IterativeOptions& options);
    double tolerance;
    NewtonSolver newton_first, newton_short, newton;
    AdmmSolver admm_first, admm;
    NsgsSolver nsgs_first, nsgs;
    SpgSolver spg;
    LemkeSolver lemke;
    LocalProblem island, planar;
    WarmStart warm;
    Solution solution, trial;
    SolveStats stats;
    void solve(const LocalProblem& problem, const WarmStart& start, SolveStats& total);
    // True when it has solved the problem; keeps the better of this and what there was.
    bool attempt(Solver& solver, const char* method, const LocalProblem& problem, const WarmStart& start,
                 SolveStats& total);
    bool settle(SolveStats& total);
  };

  IterativeOptions options_;
  LemkeSolver lemke_;
  Islands islands_;
  std::vector<std::unique_ptr<Worker>> workers_;  // one a chunk of islands
  std::vector<SolveStats> island_stats_;
};

}  // namespace delassus
