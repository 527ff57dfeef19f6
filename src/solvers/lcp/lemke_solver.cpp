// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/lcp/lemke_solver.hpp"

#include "delassus/problems/as_lcp.hpp"
#include "delassus/problems/modes.hpp"

namespace delassus {

void LemkeSolver::solve(const Problem& problem, const Reduction& reduction, const WarmStart& warm,
                        Solution& solution, SolveStats& stats) {
  stats = {};
  if (problem.num_contacts() == 0) {
    r_.resize(0);
    solution.basis.clear();
    stats.status = SolveStatus::converged;
  } else {
    local_as_lcp(reduction.local(), lcp_);
    warm_basis_.z_basic.assign(warm.basis.begin(), warm.basis.end());
    lemke_.solve(lcp_, warm.basis.empty() ? nullptr : &warm_basis_, z_, w_, basis_, stats);
    if (!usable(stats.status)) z_.setZero(lcp_.size());
    impulses_from_lcp(reduction.local(), z_, r_);
    solution.basis.assign(basis_.z_basic.begin(), basis_.z_basic.end());
  }
  reduction.recover(r_, solution);
  derive_modes(reduction.local(), solution);
}

}  // namespace delassus
