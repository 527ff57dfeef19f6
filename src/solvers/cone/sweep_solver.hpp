// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The loop of all methods that go through the contacts one after the other. A sweep tells its increment
//
//   δ = √( Σ_c ‖Δr_c / ρ_c‖² )   [m/s]                                                               (1)
//
// which costs nothing. The full error is computed when δ says that it may be small, and now and then; only it accepts.
// Where the error has grown far beyond the best one, or has not improved for long, the sweeps start again from the best
// iterate with half the relaxation; when that has not helped, the solve ends unconverged.
#pragma once
#include "delassus/solvers/cone/cone_solver.hpp"

namespace delassus {

class SweepSolver : public ConeSolver {
 public:
  using ConeSolver::ConeSolver;

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) final;
  WorkKind work_kind() const override { return WorkKind::sweeps; }
  virtual void begin(const LocalProblem& problem) = 0;
  // Updates r_ and returns the square of (1). The u of the contacts is the sweep's own business.
  virtual double sweep(const LocalProblem& problem, bool backward, double omega) = 0;
  virtual bool alternates() const { return false; }  // every second sweep runs backward
  virtual double default_relaxation() const { return 1.0; }
};

}  // namespace delassus
