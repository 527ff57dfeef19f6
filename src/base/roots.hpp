// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Roots of scalar functions on an interval, and the cubic Hermite interpolant whose roots locate events.
#pragma once
#include <functional>
#include <optional>

namespace delassus {

// Brent's method [Brent73] for a continuous f with f(a) f(b) ≤ 0; stops when the bracket is below
// 4 ε max(|a|, |b|) + tolerance or f is exactly 0. Returns the end of the final bracket with the smaller |f|.
double find_root(const std::function<double(double)>& f, double a, double b, double fa, double fb,
                 double tolerance = 0.0);

// p(s) on [0, 1] with p(0) = p0, p'(0) = d0, p(1) = p1, p'(1) = d1 (derivatives with respect to s).
struct CubicHermite {
  double p0, d0, p1, d1;
  double value(double s) const;
  double slope(double s) const;
};

// Smallest s in (s_min, 1] where p passes from positive to negative: the first s past which p < 0. Dips below
// zero that return within the interval are found as well. Empty when p ≥ 0 on the interval.
std::optional<double> find_first_downcrossing(const CubicHermite& p, double s_min = 0.0);

}  // namespace delassus
