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
#include <optional>
#include <utility>

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

// Where the cubic with these values and slopes at 0 and h has its extrema inside; their number.
inline int find_extrema(const ValueAndSlope& f0, const ValueAndSlope& f1, double h, double (&x)[2]) {
  // Slope at x = u h:  a u² + 2 b u + c
  const double secant = (f1.value - f0.value) / h;
  const double a = 3 * (f0.slope + f1.slope - 2 * secant), b = 3 * secant - 2 * f0.slope - f1.slope,
               c = f0.slope;
  const double discriminant = b * b - a * c;
  if (!(discriminant > 0)) return 0;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  double u[2] = {q / a, c / q};  // stable roots; no number or infinite where there are fewer
  if (u[1] < u[0]) std::swap(u[0], u[1]);
  int count = 0;
  for (const double at : u)
    if (at > 0 && at < 1) x[count++] = at * h;
  return count;
}

// Angles where a function of period 2π has its local minima.
struct Minima {
  static constexpr int k_max = 8;
  std::array<double, k_max> angle = {};
  int count = 0;
};

// Collects the minima from the derivative f and its slope.
template <class Function>
struct MinimaScan {
  const Function& f;
  Minima minima = {};

  // Between two samples: f may pass through zero three times, or twice without a change of sign. The extrema of the
  // cubic tell, and are new samples.
  void scan(double lo, const ValueAndSlope& at_lo, double hi, const ValueAndSlope& at_hi, int depth) {
    double x[2] = {};
    const int count = depth > 0 ? find_extrema(at_lo, at_hi, hi - lo, x) : 0;
    double from = lo;
    ValueAndSlope at_from = at_lo;
    for (int i = 0; i < count; ++i) {
      const double to = lo + x[i];
      const ValueAndSlope at_to = f(to);
      scan(from, at_from, to, at_to, depth - 1);
      from = to;
      at_from = at_to;
    }
    if (count > 0) {
      scan(from, at_from, hi, at_hi, depth - 1);
    } else if (at_lo.value < 0 && !(at_hi.value < 0) && minima.count < Minima::k_max) {
      minima.angle[static_cast<std::size_t>(minima.count++)] = solve_increasing(f, lo, hi);
    }
  }
};

// With `samples` angles from `start` on; of the arcs between them those that `may_matter`, a function of their number.
template <class Function, class Arcs>
Minima find_minima(const Function& f, double start, int samples, const Arcs& may_matter) {
  constexpr int depth = 3;
  const double h = 2 * std::numbers::pi / samples;
  MinimaScan<Function> scan{f};
  std::optional<ValueAndSlope> first, at_lo;
  for (int i = 0; i < samples; ++i) {
    if (!may_matter(i)) {
      at_lo.reset();
      continue;
    }
    if (!at_lo) at_lo = f(start + i * h);
    if (i == 0) first = at_lo;
    const double hi = start + (i + 1) * h;
    const ValueAndSlope at_hi = i + 1 == samples && first ? *first : f(hi);
    scan.scan(start + i * h, *at_lo, hi, at_hi, depth);
    at_lo = at_hi;
  }
  return scan.minima;
}

template <class Function>
Minima find_minima(const Function& f, double start, int samples) {
  return find_minima(f, start, samples, [](int) { return true; });
}

}  // namespace delassus::feature_pairs
