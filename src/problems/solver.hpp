// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The solver plug point. A solver sees a problem and nothing of the mechanics behind it; its typed options
// are given at construction, and what it remembers between calls (workspace) never changes a result: warm
// starts are passed in.
#pragma once
#include <string>

#include "delassus/problems/reduction.hpp"
#include "delassus/problems/status.hpp"

namespace delassus {

struct SolverCapabilities {
  bool nonnegative = false, coulomb = false, polyhedral = false, box = false;  // cones it takes
  bool nonsymmetric = false;  // takes non-symmetric A or separate directions
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string name() const = 0;
  virtual SolverCapabilities capabilities() const = 0;
  // `reduction` holds the elimination of `problem` (already computed). Fills v, λ, r, u, modes and, for LCP
  // solvers, the basis. The status tells whether the numbers may be used.
  virtual void solve(const Problem& problem, const Reduction& reduction, const WarmStart& warm,
                     Solution& solution, SolveStats& stats) = 0;
};

// Empty when the solver can take the problem, otherwise the reason.
std::string reason_against(const SolverCapabilities& capabilities, const Problem& problem);

}  // namespace delassus
