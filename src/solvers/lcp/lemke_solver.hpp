// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lemke's method as a contact solver: local problem → LCP (problems/as_lcp.hpp) → pivoting (lemke.hpp) →
// impulses. Finds a solution whenever the symmetric part of A is positive definite, g = 0 and w ≥ 0 [Anitescu and Potra 1997,
// Thm 2.1-2.2]; outside that class it may end on a ray, which is reported with its certificate. Direct solve
// without contacts.
#pragma once
#include "delassus/problems/solver.hpp"
#include "delassus/solvers/lcp/lemke.hpp"

namespace delassus {

class LemkeSolver final : public Solver {
 public:
  explicit LemkeSolver(LemkeOptions options = {}) : lemke_(options) {}
  std::string name() const override { return "lemke"; }
  SolverCapabilities capabilities() const override {
    return {.nonnegative = true, .coulomb = false, .polyhedral = true, .box = true, .nonsymmetric = true};
  }
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override;

 private:
  Lemke lemke_;
  Lcp lcp_;
  LcpBasis warm_basis_, basis_;
  Vector z_, w_;
};

}  // namespace delassus
