// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/roots.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace delassus {

double find_root(const std::function<double(double)>& f, double a, double b, double fa, double fb,
                 double tolerance) {
  assert(fa * fb <= 0);
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  // Bisection alone needs ~60 for doubles of one sign; never reached in practice.
  constexpr int max_iterations = 200;
  double c = a, fc = fa, step = b - a, previous_step = step;
  for (int i = 0; i < max_iterations; ++i) {
    if (std::abs(fc) < std::abs(fb)) {  // b is the best point so far, c its opposite
      a = b, fa = fb;
      b = c, fb = fc;
      c = a, fc = fa;
    }
    const double resolution = 2.0 * epsilon * std::abs(b) + 0.5 * tolerance;
    const double half = 0.5 * (c - b);
    if (std::abs(half) <= resolution || fb == 0.0) return b;
    if (std::abs(previous_step) < resolution || std::abs(fa) <= std::abs(fb)) {
      step = previous_step = half;
    } else {
      // Secant, or inverse quadratic through three points when they differ.
      const double s = fb / fa;
      double numerator, denominator;
      if (a == c) {
        numerator = 2.0 * half * s;
        denominator = 1.0 - s;
      } else {
        const double r = fb / fc, u = fa / fc;
        numerator = s * (2.0 * half * u * (u - r) - (b - a) * (r - 1.0));
        denominator = (u - 1.0) * (r - 1.0) * (s - 1.0);
      }
      if (numerator > 0) denominator = -denominator;
      numerator = std::abs(numerator);
      const bool shrinks =
          2.0 * numerator < std::min(3.0 * half * denominator - std::abs(resolution * denominator),
                                     std::abs(previous_step * denominator));
      previous_step = shrinks ? step : half;
      step = shrinks ? numerator / denominator : half;
    }
    a = b, fa = fb;
    b += std::abs(step) > resolution ? step : std::copysign(resolution, half);
    fb = f(b);
    if ((fb > 0) == (fc > 0)) {
      c = a, fc = fa;
      step = previous_step = b - a;
    }
  }
  return b;
}

double CubicHermite::value(double s) const {
  const double r = 1.0 - s;
  return r * r * ((1.0 + 2.0 * s) * p0 + s * d0) + s * s * ((3.0 - 2.0 * s) * p1 - r * d1);
}

double CubicHermite::slope(double s) const {
  return 6.0 * s * (1.0 - s) * (p1 - p0) + (1.0 - s) * (1.0 - 3.0 * s) * d0 + s * (3.0 * s - 2.0) * d1;
}

std::optional<double> find_first_downcrossing(const CubicHermite& p, double s_min) {
  // p is monotone between the roots of its slope  a s² + b s + c.
  const double a = 6.0 * (p.p0 - p.p1) + 3.0 * (p.d0 + p.d1);
  const double b = 6.0 * (p.p1 - p.p0) - 4.0 * p.d0 - 2.0 * p.d1;
  const double c = p.d0;
  std::array<double, 4> knots{s_min, 1.0, 1.0, 1.0};
  int count = 1;
  const double discriminant = b * b - 4.0 * a * c;
  if (discriminant > 0) {
    const double k = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
    std::array<double, 2> extrema{a != 0 ? k / a : 2.0, k != 0 ? c / k : 2.0};
    if (extrema[0] > extrema[1]) std::swap(extrema[0], extrema[1]);
    for (double s : extrema)
      if (s > s_min && s < 1.0) knots[count++] = s;
  }
  knots[count++] = 1.0;
  for (int i = 0; i + 1 < count; ++i) {
    const double left = p.value(knots[i]), right = p.value(knots[i + 1]);
    // Written so that values that are not numbers, of motions that blow up, are no roots.
    if (!(right < 0)) continue;
    if (!(left > 0)) return knots[i];  // starts at zero or below and goes down
    return find_root([&](double s) { return p.value(s); }, knots[i], knots[i + 1], left, right);
  }
  return std::nullopt;
}

}  // namespace delassus
