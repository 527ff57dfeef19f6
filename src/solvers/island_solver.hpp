// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// One island of contacts by the methods of AutoSolver, one after the other until one solves it; auto_solver.hpp has the
// list. What one thread needs: nothing of it is read again in the next solve.
#pragma once
#include "delassus/problems/solver.hpp"
#include "delassus/solvers/cone/spg.hpp"
#include "delassus/solvers/friction/admm.hpp"
#include "delassus/solvers/friction/interior_point.hpp"
#include "delassus/solvers/friction/newton.hpp"
#include "delassus/solvers/friction/nsgs.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"

namespace delassus {

class IslandSolver {
 public:
  explicit IslandSolver(const IterativeOptions& options);
  // All cones but polygons.
  void solve(const LocalProblem& problem, const WarmStart& start, SolveStats& total);
  // Polygons, unilateral contacts and boxes.
  void solve_polygons(const LocalProblem& problem, const WarmStart& start, SolveStats& total);
  // Of the last solve.
  const Solution& solution() const { return solution_; }

  // Place for the island that is solved next.
  LocalProblem island;
  WarmStart warm;

 private:
  // At most `limit` iterations. True when it has solved the problem; keeps the better of this and what there was.
  bool attempt(ConeSolver& solver, const char* method, int limit, const LocalProblem& problem,
               const WarmStart& start, SolveStats& total);
  // The same from the best so far.
  bool go_on(ConeSolver& solver, const char* method, int limit, const LocalProblem& problem,
             SolveStats& total);
  // Sweeps, as long as they are likely to do.
  bool sweep_first(const LocalProblem& problem, const WarmStart& start, SolveStats& total);
  // Many contacts on fewer velocities: Newton steps, an interior point and proximal Newton steps. True: solved.
  bool solve_inside(const LocalProblem& problem, const WarmStart& start, SolveStats& total);
  bool attempt_planar(const LocalProblem& problem, SolveStats& total);
  bool judge(const char* method, SolveStats& total);
  bool settle(SolveStats& total, double good = k_certified);

  double tolerance_;
  int in_vain_ = 0;  // attempts since the residual has last become smaller
  NewtonSolver newton_;
  AdmmSolver admm_;
  InteriorPointSolver interior_point_;
  NsgsSolver nsgs_, nsgs_both_ways_;
  SpgSolver spg_;
  LemkeSolver lemke_;
  LocalProblem planar_;
  WarmStart next_;
  Solution solution_, trial_;
  SolveStats stats_;
};

}  // namespace delassus
