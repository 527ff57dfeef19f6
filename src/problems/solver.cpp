// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/solver.hpp"

namespace delassus {

namespace {

// Dry friction of what joints or motors move as they like: it changes no velocity, and so the solvers pass it over, but it is
// there, and who moves it feels it.
void add_friction_without_effect(const LocalProblem& problem, Solution& solution) {
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    if (cone.kind != ConeKind::box || problem.W.diagonal(c)(0, 0) != 0) continue;
    const double u = solution.u[problem.first_row(c)];
    if (u != 0) solution.r[problem.first_row(c)] = u > 0 ? -cone.bound : cone.bound;
  }
}

}  // namespace

void solve(Solver& solver, const Reduction& reduction, const WarmStart& warm, Solution& solution,
           SolveStats& stats) {
  solver.solve_global(reduction, warm, solution, stats);
  if (usable(stats.status)) add_friction_without_effect(reduction.local(), solution);
  // A copy: recover writes r.
  thread_local Vector r;
  r = solution.r;
  reduction.recover(r, solution);
}

std::string reason_against(const SolverCapabilities& capabilities, const LocalProblem& problem) {
  if (!capabilities.nonsymmetric && !problem.symmetric) return "it needs a symmetric problem";
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::nonnegative && !capabilities.nonnegative)
      return "it takes no unilateral contacts";
    if (cone.kind == ConeKind::coulomb && !capabilities.coulomb) return "it takes no circular friction cones";
    if (cone.kind == ConeKind::polyhedral && !capabilities.polyhedral)
      return "it takes no polyhedral friction cones";
    if (cone.kind == ConeKind::convex && !capabilities.convex)
      return "it takes no convex (relaxed) friction cones";
    if (cone.kind == ConeKind::equality && !capabilities.equality) return "it takes no equalities";
    if (cone.kind == ConeKind::box && !capabilities.box) return "it takes no friction with a given limit";
  }
  return {};
}

}  // namespace delassus
