// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that can be chosen about a run: typed options for C++ programs, the keys of a scene for all of them, and
// one function that chooses what was left automatic. Whoever sets the same options gets the same run, in a scene or in
// a program.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "delassus/base/error.hpp"
#include "delassus/base/setting_key.hpp"
#include "delassus/solvers/registry.hpp"
#include "delassus/steppers/registry.hpp"

namespace delassus {

// What becomes of a start that passes stops or overlaps (simulation/start_check.hpp).
enum class StartPolicy : std::uint8_t {
  stop,     // it is refused: InputError
  resolve,  // bodies are moved apart, as little as possible
  accept,   // the run begins all the same, with a warning
};

struct SimulationOptions {
  double step = 1e-3;  // [s]
  StepperSettings stepper;
  // Put a state that has made no step yet onto its joints first (steppers/consistent_start.hpp).
  bool assemble = true;
  StartPolicy start = StartPolicy::stop;  // of such a state, too
  // Bounds of the energy and pointedness along the run (simulation/bound_watch.hpp): they cost time and change nothing.
  bool monitors = false;
  SolverSettings solver;
  bool operator==(const SimulationOptions&) const = default;
};

// What a scene says about its run.
struct RunSettings {
  SimulationOptions options;
  // Record each n-th step; none: all of them, or fewer where that would be a very large file (front/run_files.hpp).
  std::optional<int> output_every;
  // Of the keys that the scene has, by table and key: "stepper.name".
  std::map<std::string, Place> places = {};
  // Unknown when no file says it.
  Place place(const std::string& key) const { return places.contains(key) ? places.at(key) : Place{}; }
};

// The keys of one map of a scene. Those of the table `scene` stand at its top.
struct SettingTable {
  std::string name, meaning;
  std::vector<SettingKey<RunSettings>> keys;
};

const std::vector<SettingTable>& setting_tables();
// A value as a scene would have it: setting_text(run, "impact", "law").
std::string setting_text(const RunSettings& run, const std::string& table, const std::string& key);

// The options with everything chosen that was automatic: stepper, data point, projection, impact location and tolerance.
// Limits of the solver that are left automatic depend on each problem and stay so. Throws InputError for values out of
// their range. Resolving twice changes nothing.
SimulationOptions resolve_options(SimulationOptions options, const System& system, const State& state);

}  // namespace delassus
