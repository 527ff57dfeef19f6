// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// An independent integrator and observed orders, beside the runs of scenes given as text (simulate.hpp).
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/verify/checks.hpp"
#include "delassus/front/load_scene.hpp"
#include "tests/support/simulate.hpp"

namespace delassus::testing {

// Classical Runge-Kutta of order 4: the independent reference for smooth motions.
inline Vector runge_kutta(const std::function<Vector(double, const Vector&)>& f, Vector x, double t_end,
                          int steps) {
  const double h = t_end / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const Vector k1 = f(t, x), k2 = f(t + h / 2, x + h / 2 * k1), k3 = f(t + h / 2, x + h / 2 * k2),
                 k4 = f(t + h, x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}

// Fitted order of error(h) over h, h/2, h/4, h/8.
inline double observed_order(const std::function<double(double)>& error, double h) {
  std::vector<double> steps, errors;
  for (int i = 0; i < 4; ++i, h /= 2) {
    steps.push_back(h);
    errors.push_back(error(h));
  }
  return cli::fitted_order(steps, errors);
}

}  // namespace delassus::testing
