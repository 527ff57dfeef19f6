// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Semismooth Newton method on the contact law (newton_system.hpp) with Gauss-Seidel sweeps (nsgs.hpp) to come near.
// Rounds of both: some sweeps, then Newton steps with a line search on ‖F‖ as long as they improve; sweeps become more
// from round to round. Near a solution the steps converge in finitely many iterations, and sticking contacts end with
// u = 0 to round-off, redundant ones too. With a warm start the first round has no sweeps: a contact problem that goes on
// as before takes one or two steps.
#pragma once
#include "delassus/solvers/cone/cone_solver.hpp"
#include "delassus/solvers/friction/newton_system.hpp"
#include "delassus/solvers/friction/nsgs.hpp"

namespace delassus {

class NewtonSolver final : public ConeSolver {
 public:
  using ConeSolver::ConeSolver;
  std::string name() const override { return "newton"; }
  // What comes first: whole steps, or, from near a solution whose contacts are redundant, proximal ones. `steps_only`: whole steps
  // and nothing else, where contacts mostly go on as before.
  enum class Start { steps, proximal, steps_only };
  void set_start(Start start) { start_ = start; }
  // Proximal steps from this error on go on for a while only, as those along redundant impulses are many [-].
  void set_contentment(double error) { contentment_ = error; }

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) override;
  bool polishes() const override { return true; }
  WorkKind work_kind() const override { return WorkKind::newton; }

 private:
  // One step from r_, cut in half up to max_cuts times until ‖F‖ (merit) falls. False: there is none.
  bool search(const LocalProblem& problem, double epsilon, int max_cuts, double& merit, SolveStats& stats);
  // Newton steps from r_ until they no longer improve the best error.
  void take_steps(const LocalProblem& problem, int max_cuts, SolveStats& stats);
  // The same on a sequence of proximal problems.
  bool solve_proximal(const LocalProblem& problem, double weight, int& steps, SolveStats& stats);
  void take_proximal_steps(const LocalProblem& problem, SolveStats& stats);
  bool is_content() const { return best_error() * options_.tolerance <= contentment_ * accepted_error(); }

  double contentment_ = 0;
  Start start_ = Start::steps;
  NewtonSystem system_;
  NsgsSweep sweep_;
  Vector delta_, r_0_, centre_, swept_;
};

}  // namespace delassus
