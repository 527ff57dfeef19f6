// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/limit_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// Plain rounds that leave no more than this of the last change contract by themselves [-].
constexpr double k_contracts = 0.7;
constexpr double k_least_share = 1.0 / 64, k_largest_share = 256, k_first_share = 0.5;
// Of limits that grow until the joint sticks.
constexpr double k_growth = 8;
// Cosine of the angle between two steps that go on into one direction.
constexpr double k_straight = 0.9;
// Rounds after which limits are enclosed.
constexpr int k_shared_rounds = 60;

}  // namespace

void LimitSearch::restart() {
  rounds_ = 0;
  share_ = 1;
  contracts_ = true;
  step_.clear();
  low_.clear();
  high_.clear();
}

double LimitSearch::share(bool accelerate) {
  double product = 0, squares = 0, along = 0, last_squares = 0, step_squares = 0;
  for (std::size_t i = 0; i < step_.size(); ++i) {
    const double turn = step_[i] - last_step_[i];
    product += last_step_[i] * turn;
    squares += turn * turn;
    along += step_[i] * last_step_[i];
    last_squares += last_step_[i] * last_step_[i];
    step_squares += step_[i] * step_[i];
  }
  const double estimate = squares > 0 ? -share_ * product / squares : k_first_share;
  const bool straight = accelerate && along > k_straight * std::sqrt(last_squares * step_squares);
  if (straight && estimate < 0) return k_growth;
  return std::clamp(estimate, k_least_share, straight ? k_largest_share : 1.0);
}

void LimitSearch::next(std::span<const double> tried, bool accelerate, std::span<double> asked) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::swap(last_step_, step_);
  step_.assign(tried.size(), 0.0);
  double change = 0;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    step_[i] = asked[i] - tried[i];
    change = std::max(change, std::abs(step_[i]));
  }
  const bool was_plain = contracts_;
  contracts_ = contracts_ && !(rounds_ > 0 && change > k_contracts * last_change_);
  last_change_ = change;
  ++rounds_;
  if (contracts_) return;
  share_ = was_plain ? k_first_share : share(accelerate);
  if (rounds_ <= k_shared_rounds) {
    for (std::size_t i = 0; i < tried.size(); ++i) asked[i] = tried[i] + share_ * step_[i];
    return;
  }
  low_.resize(tried.size(), -infinite);
  high_.resize(tried.size(), infinite);
  for (std::size_t i = 0; i < tried.size(); ++i) {
    // The others move, too: a bound that turns out to be none is forgotten.
    double& near = step_[i] > 0 ? low_[i] : high_[i];
    double& far = step_[i] > 0 ? high_[i] : low_[i];
    near = tried[i];
    if (!(low_[i] < high_[i])) far = step_[i] > 0 ? infinite : -infinite;
    if (std::isfinite(low_[i]) && std::isfinite(high_[i])) asked[i] = 0.5 * (low_[i] + high_[i]);
  }
}

}  // namespace delassus
