// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A run: a system, a state and a stepper on a time grid. Step it one by one, or let it run; watch it by
// observers; clone it by copying the state.
//
//   Simulation simulation(system, system->initial_state(), {.step = 1e-3});
//   simulation.run_until(2.5);
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "delassus/settings/run_settings.hpp"
#include "delassus/steppers/consistent_start.hpp"
#include "delassus/system/state.hpp"

namespace delassus {

class Simulation {
 public:
  // Called after every step; returning false ends the run.
  using Observer = std::function<bool(const Simulation& simulation, const StepReport& report)>;

  // Throws InputError on options out of range, a state of the wrong size, or joints that cannot be assembled.
  Simulation(std::shared_ptr<const System> system, State state, SimulationOptions options = {});

  const System& system() const { return *system_; }
  const State& state() const { return state_; }
  // Continue from another state: a clone, or one loaded from a file.
  void set_state(State state);
  // As they are used: what was automatic has been chosen.
  const SimulationOptions& options() const { return options_; }
  std::string stepper_name() const { return stepper_->name(); }
  // What assembly did to the first state; nothing when its joints held.
  const StartResult& start() const { return start_; }
  // Of the last step.
  const StepReport& report() const { return report_; }
  // The last one-step problem of the stepper; null when it forms none.
  const Problem* last_problem() const { return stepper_->last_problem(); }

  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  // One step to the next point of the grid, or to t_end if that is nearer. The report says whether it
  // succeeded.
  const StepReport& step(double t_end = std::numeric_limits<double>::infinity());
  // Steps until t_end, a failure, or an observer that returns false. True when t_end was reached.
  bool run_until(double t_end);

 private:
  std::shared_ptr<const System> system_;
  State state_;
  SimulationOptions options_;
  std::unique_ptr<Stepper> stepper_;
  StartResult start_;
  StepReport report_;
  std::vector<Observer> observers_;
};

// Energies of a state, as a step reports them.
EnergyReport energy_of(const System& system, const State& state);

}  // namespace delassus
