// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/lcp/lemke_solver.hpp"

#include "delassus/base/work_time.hpp"
#include "delassus/problems/as_lcp.hpp"
#include "delassus/problems/modes.hpp"

namespace delassus {

void LemkeSolver::solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
                        SolveStats& stats) {
  const WorkScope scope(WorkKind::other_solvers);
  stats = {};
  if (problem.num_contacts() == 0) {
    solution.r.resize(0);
    solution.basis.clear();
    stats.status = SolveStatus::converged;
  } else {
    local_as_lcp(problem, lcp_);
    warm_basis_.z_basic.assign(warm.basis.begin(), warm.basis.end());
    lemke_.solve(lcp_, warm.basis.empty() ? nullptr : &warm_basis_, z_, w_, basis_, stats);
    if (!usable(stats.status)) z_.setZero(lcp_.size());
    impulses_from_lcp(problem, z_, solution.r);
    solution.basis.assign(basis_.z_basic.begin(), basis_.z_basic.end());
  }
  problem.W.multiply(solution.r, solution.u);
  solution.u += problem.u_free;
  derive_modes(problem, solution);
}

}  // namespace delassus
