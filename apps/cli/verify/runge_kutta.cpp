// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Algorithm 1 of Acary 2009: Runge-Kutta methods keep their order across impacts, down to round-off, and through their accumulation;
// Radau IIA follows stiff springs and dampers that the trapezoidal rule only bounds.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"
#include "delassus/steppers/runge_kutta/tableau.hpp"

namespace delassus::cli {
namespace {

std::vector<std::string> method_settings(const Tableau& method) {
  return {"stepper.name=event-capturing-rk", "stepper.method=" + method.name};
}

// Fitted order over N = 64 … 512 steps, errors above round-off.
double oscillator_order(const Tableau& method, double critical_step, double exact) {
  constexpr double T = 5, round_off = 1e-14;
  std::vector<double> steps, errors;
  for (int n = 64; n <= 512; n *= 2) {
    std::vector<std::string> settings = method_settings(method);
    settings.push_back(setting("stepper.step", T / n));
    settings.push_back(setting("stepper.critical_step", critical_step));
    const double error = std::abs(run_scene("oscillator_and_stop", settings).q[0] - exact);
    if (error < round_off) break;
    steps.push_back(T / n);
    errors.push_back(error);
  }
  return fitted_order(steps, errors);
}

}  // namespace

void verify_runge_kutta(Checks& checks) {
  constexpr double near_order = 0.3, coarse = 0.1;
  const double exact = number_at(*paper("analytic").find("E"), "q_5");
  for (const Tableau& method : list_tableaux()) {
    const double p = method.order;
    for (double critical_step : {0.0, coarse})
      checks.between(fmt::format("oscillator, order, {}, C = {:g}", method.name, critical_step),
                     oscillator_order(method, critical_step, exact), p - near_order, p + near_order);
    // Order 1 does not follow a parabola: explicit Euler gives the ball energy, and it bounces on.
    if (method.order == 1) continue;
    std::vector<std::string> settings = method_settings(method);
    settings.insert(settings.end(), {"gravity=[0,-2,0]", "contacts.floor.restitution=0.5",
                                     "stepper.step=0.02", "duration=4.7"});
    const State end = run_scene("bouncing_ball", settings);
    checks.within("ball, at rest past the accumulation, " + method.name,
                  std::max(std::abs(end.q[1]), std::abs(end.v[1])), 0, Source::exact, 1e-13);
  }
}

void verify_stiff_carts(Checks& checks) {
  // Errors of the trapezoidal rule there: 8e-4 and 9e-7.
  constexpr double close = 2e-5;
  for (const DataTree& row : paper("s0_carts").find("rows")->list) {
    const State state = run_scene(
        "two_carts",
        {"stepper.name=event-capturing-rk", "stepper.method=radau-5",
         setting("constants.delta", number_at(row, "delta")),
         setting("constants.gamma", number_at(row, "gamma")), setting("constants.x0", number_at(row, "x0")),
         setting("constants.v0", number_at(row, "v0")), setting("duration", number_at(row, "duration"))});
    checks.near(fmt::format("distance, radau-5, delta = {:g}, gamma = {:g}", number_at(row, "delta"),
                            number_at(row, "gamma")),
                state.q[3] - state.q[0], number_at(row, "exact"), Source::exact, close);
  }
}

}  // namespace delassus::cli
