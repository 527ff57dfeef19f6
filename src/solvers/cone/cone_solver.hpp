// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What all iterative solvers on cones share: start, acceptance, end.
//
//   start    r = warm start projected onto the cones, or 0 where that has the smaller error
//   accept   E_v ≤ tolerance (prepared_contacts.hpp (3)) of u = W r + u_free computed afresh            (1)
//            with ‖u_free‖ not below the round-off of its own terms and those of W r (compute_velocity_scale)
//   end      the iterate with the smallest error seen; its modes
//
// (1) and every threshold of the methods are ratios of quantities of the problem, so that W → s W, or other units of
// velocity, change neither iteration counts nor verdicts. Workspaces are members; iterations do not allocate.
#pragma once
#include "delassus/base/work_time.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/solvers/cone/couple_units.hpp"
#include "delassus/solvers/cone/prepared_contacts.hpp"

namespace delassus {

struct IterativeOptions {
  double tolerance = 1e-10;  // of E_v [-]
  int max_iterations = 0;    // 0: the default of the method
  // ω, scales every step of a sweep; 0: the default of the method [-]
  double relaxation = 0;
};

class ConeSolver : public Solver {
 public:
  explicit ConeSolver(const IterativeOptions& options) : options_(options) {}
  SolverCapabilities capabilities() const override;
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution, SolveStats& stats) final;
  // With at most `limit` iterations; the options may allow fewer.
  void solve_within(int limit, const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                    SolveStats& stats);

 protected:
  // Improves r() from a start that is not accepted yet, offering iterates by `accept`; counts iterations.
  virtual void iterate(const LocalProblem& problem, SolveStats& stats) = 0;
  virtual int default_iterations() const { return 10000; }
  // What its time is charged to.
  virtual WorkKind work_kind() const { return WorkKind::other_solvers; }
  // Goes on from an accepted start, as far as it improves quickly.
  virtual bool polishes() const { return false; }

  // Error of (r_, u_) as a velocity, u_ = W r_ + u_free being up to date. Keeps the iterate when it is the best.
  double judge();
  // Judges the best iterate once more with velocities computed afresh, and goes there; true when it is accepted.
  bool confirm(const LocalProblem& problem);
  // Error that is accepted [m/s].
  double accepted_error() const { return accepted_error_; }
  double best_error() const { return best_error_; }
  bool accepted() const { return best_error_ <= accepted_error_; }
  // Not accepted perhaps, but good enough for every use (status.hpp).
  bool certified() const { return best_error_ * options_.tolerance <= k_certified * accepted_error_; }
  void return_to_best() { r_ = best_r_; }
  int iteration_limit() const { return limit_; }
  void update_velocities(const LocalProblem& problem);

  IterativeOptions options_;
  PreparedContacts contacts_;
  Vector r_, u_;

  // Whether couples are measured by the normal impulses that they need; projections of single rows do without.
  virtual bool measures_couples() const { return true; }

 private:
  bool takes_cones(const LocalProblem& problem) const;
  // Couples measured by the normal impulses that they need (couple_units.hpp).
  void solve_in_units(int limit, const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                      SolveStats& stats);
  CoupleUnits units_;
  void start(const LocalProblem& problem, const WarmStart& warm);
  // The accepted error grows with what W r can be computed to.
  void allow_round_off();
  const LocalProblem* problem_ = nullptr;  // of the solve in progress
  double free_speed_ = 0;                  // ‖u_free‖ [m/s]
  Vector best_r_, best_u_;
  double best_error_ = 0, accepted_error_ = 0;
  int limit_ = 0;  // of the solve in progress
};

}  // namespace delassus
