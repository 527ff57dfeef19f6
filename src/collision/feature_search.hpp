// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Minima along a curve by the zeros of the derivative, exact to round-off. Functions return {value, slope}; nothing
// allocates.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace delassus::feature_pairs {

struct ValueAndSlope {
  double value = 0, slope = 0;
};

// The zero of f in [lo, hi], where f(lo) ≤ 0 ≤ f(hi) is known (f is not evaluated there): Newton's method, and bisection
// wherever it leaves the bracket, converges slowly, or the slope is no number.
template <class Function>
double solve_increasing(const Function& f, double lo, double hi) {
  constexpr int max_iterations = 200;  // bisection alone needs fewer than 64
  const double resolution = 2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(lo), std::abs(hi));
  double x = 0.5 * (lo + hi), last_step = hi - lo;
  for (int i = 0; i < max_iterations; ++i) {
    const ValueAndSlope at = f(x);
    if (at.value == 0) return x;
    (at.value < 0 ? lo : hi) = x;
    double next = x - at.value / at.slope;
    // Newton's steps must shrink by half, as those of bisection do.
    if (!(next >= lo && next <= hi) || !(std::abs(next - x) < 0.5 * last_step)) next = 0.5 * (lo + hi);
    last_step = std::abs(next - x);
    x = next;
    if (last_step <= resolution) return x;
  }
  return x;
}

// Angles where a function of period 2π has its local minima.
struct Minima {
  static constexpr int k_max = 8;
  std::array<double, k_max> angle = {};
  int count = 0;
};

// From the derivative f (and its slope) at `samples` angles from `start` on. Two stationary points between neighbours
// show in the cubic through both values and slopes, whose extremum is tried as well.
template <class Function>
Minima find_minima(const Function& f, double start, int samples) {
  Minima out;
  const double h = 2 * std::numbers::pi / samples;
  const auto bracket = [&](double lo, double f_lo, double hi, double f_hi) {
    if (f_lo < 0 && f_hi >= 0 && out.count < Minima::k_max)
      out.angle[static_cast<std::size_t>(out.count++)] = solve_increasing(f, lo, hi);
  };
  double lo = start;
  const ValueAndSlope first = f(start);
  ValueAndSlope at_lo = first;
  for (int i = 1; i <= samples; ++i) {
    const double hi = start + i * h;
    const ValueAndSlope at_hi = i == samples ? first : f(hi);
    const bool same_sign = (at_lo.value < 0) == (at_hi.value < 0);
    const bool turns_back =
        at_lo.value < 0 ? at_lo.slope > 0 && at_hi.slope < 0 : at_lo.slope < 0 && at_hi.slope > 0;
    if (same_sign && turns_back) {
      const double middle = lo + h * at_lo.slope / (at_lo.slope - at_hi.slope);
      const ValueAndSlope at_middle = f(middle);
      bracket(lo, at_lo.value, middle, at_middle.value);
      bracket(middle, at_middle.value, hi, at_hi.value);
    } else {
      bracket(lo, at_lo.value, hi, at_hi.value);
    }
    lo = hi;
    at_lo = at_hi;
  }
  return out;
}

}  // namespace delassus::feature_pairs
