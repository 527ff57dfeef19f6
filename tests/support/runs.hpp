// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Running scenes given as text, an independent integrator, observed orders.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/verify/checks.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/scene/decode.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::testing {

// A simulation of a scene given as YAML text, with settings path=value.
inline Simulation simulate(const std::string& yaml, const std::vector<std::string>& settings = {}) {
  Value values = parse_yaml(yaml, "test");
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    set_path(values, setting.substr(0, equals), parse_yaml(setting.substr(equals + 1), setting));
  }
  const SceneDesc desc = decode_scene(values);
  CompiledScene compiled = compile(desc);
  return Simulation(compiled.system, std::move(compiled.state), simulation_options(desc.run));
}

inline State run_to(const std::string& yaml, double t_end, const std::vector<std::string>& settings = {}) {
  Simulation simulation = simulate(yaml, settings);
  if (!simulation.run_until(t_end)) throw InputError("run stopped: " + simulation.report().message);
  return simulation.state();
}

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
