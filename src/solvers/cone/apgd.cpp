// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/apgd.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/stop_request.hpp"
#include "delassus/solvers/cone/spectrum.hpp"

namespace delassus {
namespace {

constexpr double k_growth = 2.0, k_decay = 0.97;  // of L, (3)

}  // namespace

void ApgdSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  begin_shifts();
  const double L_bound = bound_eigenvalue(problem, contacts_, ContactScale::rho);
  double L = estimate_eigenvalue(problem, contacts_, ContactScale::rho, y_, u_y_);
  if (!(L > 0)) return;  // nothing can act
  double theta = 1, beta = 0;
  const int limit = iteration_limit();
  previous_r_ = r_;
  previous_u_ = u_;
  while (stats.iterations < limit) {
    throw_if_stop_requested();
    y_ = r_ + beta * (r_ - previous_r_);  // (1)
    u_y_ = u_ + beta * (u_ - previous_u_);
    previous_r_.swap(r_);
    previous_u_.swap(u_);
    r_ = previous_r_;
    for (;;) {
      step(y_, u_y_, 1.0 / L, r_);  // (2)
      update_velocities(problem);
      ++stats.iterations;
      change_ = r_ - y_;
      if (L >= L_bound || stats.iterations >= limit) break;
      if (change_.dot(u_ - u_y_) <= L * dot(change_, change_)) break;  // (3)
      L = std::min(k_growth * L, L_bound);
    }
    L *= k_decay;
    judge_and_move_shifts();
    if (accepted()) return;
    y_ = r_ - previous_r_;
    if (dot(change_, y_) < 0) {  // (5)
      theta = 1;
      beta = 0;
      continue;
    }
    const double next = 0.5 * theta * (std::sqrt(theta * theta + 4) - theta);  // (4)
    beta = theta * (1 - theta) / (theta * theta + next);
    theta = next;
  }
}

}  // namespace delassus
