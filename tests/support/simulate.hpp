// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Running scenes given as text. Needs the library only, not the program.
#pragma once
#include <string>
#include <vector>

#include "delassus/base/error.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/scene/decode.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::testing {

// A simulation of a scene given as YAML text, with settings path=value.
inline Simulation simulate(const std::string& yaml, const std::vector<std::string>& settings = {}) {
  DataTree values = parse_yaml(yaml, "test");
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    set_path(values, setting.substr(0, equals), parse_yaml(setting.substr(equals + 1), setting));
  }
  const SceneDesc desc = decode_scene(values);
  CompiledScene compiled = compile(desc);
  return Simulation(compiled.system, std::move(compiled.state), desc.run.options);
}

inline State run_to(const std::string& yaml, double t_end, const std::vector<std::string>& settings = {}) {
  Simulation simulation = simulate(yaml, settings);
  if (!simulation.run_until(t_end)) throw InputError("run stopped: " + simulation.report().message);
  return simulation.state();
}

// Runs on to t_end; all events on the way.
inline std::vector<Event> run_with_events(Simulation& simulation, double t_end) {
  std::vector<Event> events;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    events.insert(events.end(), report.events.begin(), report.events.end());
    return true;
  });
  if (!simulation.run_until(t_end)) throw InputError("run stopped: " + simulation.report().message);
  return events;
}

}  // namespace delassus::testing
