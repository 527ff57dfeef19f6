// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The solver plug point. A solver sees a problem and nothing of the mechanics behind it; its typed options
// are given at construction, and what it remembers between calls (workspace) never changes a result: warm
// starts are passed in. Solvers of your own derive from Solver and are handed to a stepper.
#pragma once
#include <string>

#include "delassus/problems/reduction.hpp"
#include "delassus/problems/status.hpp"

namespace delassus {

struct SolverCapabilities {
  bool nonnegative = false, coulomb = false, polyhedral = false, box = false, convex = false,
       equality = false;      // cones it takes
  bool nonsymmetric = false;  // takes non-symmetric A or separate directions
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string name() const = 0;
  virtual SolverCapabilities capabilities() const = 0;
  // Fills r, u = W r + u_free, the modes and, for LCP solvers, the basis. The status tells whether the numbers may be
  // used.
  virtual void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                     SolveStats& stats) = 0;
  // The same for a problem whose velocities are at hand, too: A, G, H are those of reduction.problem(), K⁻¹ is behind
  // reduction.recover(r, …), W is in reduction.local(). Steppers call this one. A solver that works on A and H
  // overrides it; the default solves the local problem.
  virtual void solve_global(const Reduction& reduction, const WarmStart& warm, Solution& solution,
                            SolveStats& stats) {
    solve(reduction.local(), warm, solution, stats);
  }
};

// Solves a global problem whose elimination is `reduction` (already computed): v, λ and u follow from r.
void solve(Solver& solver, const Reduction& reduction, const WarmStart& warm, Solution& solution,
           SolveStats& stats);

// Empty when the solver can take the problem, otherwise the reason.
std::string reason_against(const SolverCapabilities& capabilities, const LocalProblem& problem);

}  // namespace delassus
