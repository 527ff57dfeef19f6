// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Smooth systems with joints and known motions, and runs of a single stepper without a scene around it.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>

#include "delassus/io/yaml.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/scene/decode.hpp"
#include "delassus/solvers/registry.hpp"
#include "delassus/steppers/registry.hpp"
#include "runs.hpp"

namespace delassus::testing {

inline CompiledScene compile_text(const std::string& yaml) {
  return compile(decode_scene(parse_yaml(yaml, "test")));
}

inline std::unique_ptr<Stepper> stepper_of(const StepperSettings& settings) {
  return make_stepper(settings, make_solver({}));
}

using StepObserver = std::function<void(const State&, const StepReport&)>;

// n steps of T/n; throws when one fails.
inline State advance_to(const System& system, State state, const StepperSettings& settings, double T, int n,
                        const StepObserver& observe = {}) {
  const auto stepper = stepper_of(settings);
  StepReport report;
  const double t0 = state.t;
  for (int i = 1; i <= n; ++i) {
    stepper->advance(system, state, {t0 + T * i / n}, report);
    if (!report.ok) throw std::runtime_error(report.message);
    if (observe) observe(state, report);
  }
  return state;
}

// A bob on a rod of 1 m in Cartesian coordinates, from angle 0 (horizontal) at rest or with a rate.
inline CompiledScene pendulum(double rate = 0) {
  return compile_text(
      "delassus: 1\nlagrangian:\n  coordinates: [x, y]\n  position: [1, 0]\n  velocity: [0, " +
      std::to_string(rate) +
      "]\n  mass: [2, 2]\n  potential: 2*9.81*y\n"
      "  constraints: [{name: rod, equation: \"(x^2 + y^2 - 1)/2\"}]\n");
}
// Angle and its rate at t, by Runge-Kutta; λ of the constraint above, m(−θ̇² + g y) with the sign of G λ = +λ (x, y).
struct PendulumMotion {
  double angle, rate;
  Eigen::Vector2d q() const { return {std::cos(angle), std::sin(angle)}; }
  Eigen::Vector2d v() const { return rate * Eigen::Vector2d(-std::sin(angle), std::cos(angle)); }
  double lambda() const { return 2 * (9.81 * std::sin(angle) - rate * rate); }
};
inline PendulumMotion pendulum_motion(double t, double rate = 0) {
  const Vector x = runge_kutta(
      [](double, const Vector& y) {
        return Vector{{y[1], -9.81 * std::cos(y[0])}};
      },
      Vector{{0.0, rate}}, t, std::max(1, static_cast<int>(t * 10000)));
  return {x[0], x[1]};
}

}  // namespace delassus::testing
