// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/settings/run_settings.hpp"

#include <stdexcept>

#include "delassus/solvers/setting_keys.hpp"
#include "delassus/steppers/setting_keys.hpp"

namespace delassus {
namespace {

constexpr auto k_options = &RunSettings::options;

template <typename Owner, typename Member>
SettingTable lift_table(std::string name, std::string meaning, const std::vector<SettingKey<Owner>>& keys,
                        Member member) {
  SettingTable out{std::move(name), std::move(meaning), {}};
  for (const SettingKey<Owner>& key : keys) out.keys.push_back(lift_key<RunSettings>(key, k_options, member));
  return out;
}

std::vector<SettingTable> make_tables() {
  std::vector<SettingTable> out{
      {"scene",
       "",
       {flag_key("assemble", "put the start onto the joints, positions and velocities, if it is not there",
                 k_options, &SimulationOptions::assemble),
        choice_key<StartPolicy>(
            "start",
            {{"stop", StartPolicy::stop}, {"resolve", StartPolicy::resolve}, {"accept", StartPolicy::accept}},
            "a start that passes stops or overlaps: end with a message, move the bodies "
            "apart as little as possible, or go on all the same",
            k_options, &SimulationOptions::start),
        flag_key("monitors",
                 "watch the bounds of the energy (Anitescu and Potra 1997, 2.22, 5.3-5.4) and whether "
                 "contact forces can "
                 "cancel (pointedness) in every step; costs time",
                 k_options, &SimulationOptions::monitors)}},
      lift_table("stepper", "Time stepping; see `delassus list steppers`.", stepper_keys(),
                 &SimulationOptions::stepper),
      lift_table("law", "Contact law; see `delassus list laws` and docs/laws.md.", law_keys(),
                 &SimulationOptions::stepper),
      lift_table("impact", "Impact law; see docs/impacts.md.", impact_keys(), &SimulationOptions::stepper),
      lift_table("solver", "Solver of the one-step problems; see `delassus list solvers`.", solver_keys(),
                 &SimulationOptions::solver),
      {"output",
       "What is recorded.",
       {number_key("every", "-", number_between(1, 1e9),
                   "record each n-th step; automatic: all, or as many as keep the recording below about 100 "
                   "MB; events are all recorded",
                   &RunSettings::output_every)}}};
  std::vector<SettingKey<RunSettings>>& stepper = out[1].keys;
  stepper.insert(stepper.begin() + 1,
                 number_key("step", "s", number_above(0), "time step", k_options, &SimulationOptions::step));
  return out;
}

}  // namespace

const std::vector<SettingTable>& setting_tables() {
  static const std::vector<SettingTable> tables = make_tables();
  return tables;
}

std::string setting_text(const RunSettings& run, const std::string& table, const std::string& key) {
  for (const SettingTable& candidate : setting_tables())
    for (const SettingKey<RunSettings>& entry : candidate.keys)
      if (candidate.name == table && entry.key == key) return to_text(entry.get(run));
  throw std::logic_error("there is no setting '" + table + "." + key + "'");
}

SimulationOptions resolve_options(SimulationOptions options, const System& system, const State& state) {
  const RunSettings asked{.options = options};
  for (const SettingTable& table : setting_tables()) require_settings(table.name, table.keys, asked);
  if (!options.stepper.name) options.stepper.name = default_stepper(system, state, options.stepper);
  options.stepper = resolve_settings(std::move(options.stepper));
  SolverSettings& solver = options.solver;
  if (!solver.captured_tolerance)
    solver.captured_tolerance = solver.tolerance.value_or(default_tolerance(k_captured_stepper));
  if (!solver.tolerance) solver.tolerance = default_tolerance(*options.stepper.name);
  return options;
}

}  // namespace delassus
