// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/spg.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/stop_request.hpp"
#include "delassus/solvers/cone/spectrum.hpp"

namespace delassus {
namespace {

constexpr double k_gamma = 1e-4;  // of (2), as usual for Armijo conditions
// Backtracking goes to the minimum of the parabola, but not out of this range of the last length.
constexpr double k_shrink_least = 0.1, k_shrink_most = 0.5;
// The shorter step of (3) when it is below this share of the longer one: small eigenvalues mix in otherwise.
constexpr double k_short_share = 0.5;
// Steps are at most this multiple of the shortest sensible one, 1 / bound of the largest eigenvalue.
constexpr double k_longest_step = 1e10;
// Iterations after which u is computed afresh.
constexpr int k_refresh_interval = 50;

}  // namespace

void SpgSolver::forget_values() {
  value_ = 0;
  num_values_ = 0;
}

double SpgSolver::search_line(double slope_d, double curvature) {
  values_[num_values_++ % k_memory] = value_;
  const double highest = *std::max_element(values_, values_ + std::min(num_values_, k_memory));
  double length = 1.0;
  const auto change = [&] { return length * (slope_d + 0.5 * length * curvature); };
  // f is only known relative to its start: differences are all that counts.
  while (value_ + change() > highest + k_gamma * length * slope_d) {
    const double lowest = -slope_d / curvature;
    length = std::clamp(lowest, k_shrink_least * length, k_shrink_most * length);
  }
  value_ += change();
  return length;
}

void SpgSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  begin_shifts();
  forget_values();
  const double bound = bound_eigenvalue(problem, contacts_, ContactScale::rho);
  if (!(bound > 0)) return;  // nothing can act
  const double shortest = 1.0 / bound, longest = k_longest_step / bound;
  double alpha = std::min(1.0, longest);
  d_.setZero(r_.size());
  scaled_.setZero(r_.size());
  const int limit = iteration_limit();
  int fresh_at = 0;
  while (stats.iterations < limit) {
    throw_if_stop_requested();
    d_ = r_;
    step(r_, u_, alpha, d_);  // (1)
    d_ -= r_;
    problem.W.multiply(d_, Wd_);
    ++stats.iterations;
    const double slope_d = slope(u_, d_), curvature = d_.dot(Wd_);
    // d descends by construction; where round-off hides it, near the end, the whole step is taken.
    const bool descends = slope_d < 0;
    if (!descends) forget_values();
    const double length = descends ? search_line(slope_d, curvature) : 1.0;
    r_ += length * d_;
    u_ += length * Wd_;
    double image = 0;
    for (const PreparedContact& contact : contacts_)
      image += contact.rho * Wd_.segment(contact.row, contact.dim).squaredNorm();
    const double long_step = dot(d_, d_) / curvature, short_step = curvature / image;  // (3)
    alpha = curvature > 0 ? (short_step < k_short_share * long_step ? short_step : long_step) : longest;
    alpha = std::clamp(alpha, shortest, longest);
    if (stats.iterations - fresh_at >= k_refresh_interval) {
      update_velocities(problem);
      fresh_at = stats.iterations;
    }
    if (judge_and_move_shifts()) forget_values();
    if (!accepted()) continue;
    if (confirm(problem)) return;
    fresh_at = stats.iterations;
  }
}

}  // namespace delassus
