// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A run: a system, a state and a stepper on a time grid. Step it one by one, or let it run; drive it by controllers,
// watch it by observers, ask it for bodies, joints and contacts by handles; clone it by copying the state.
//
//   Simulation simulation(load_scene("arm.yaml"));
//   const JointHandle hip = simulation.find_joint("hip");
//   simulation.control([&](const Simulation& now, Signals& signals) {
//     signals.set("hip_torque", -20 * now.joint(hip).angle());
//   });
//   simulation.run_until(2.5);
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "delassus/scene/scene.hpp"
#include "delassus/settings/run_settings.hpp"
#include "delassus/simulation/bound_watch.hpp"
#include "delassus/simulation/certificate_watch.hpp"
#include "delassus/simulation/energy_watch.hpp"
#include "delassus/simulation/signals.hpp"
#include "delassus/simulation/snapshot.hpp"
#include "delassus/steppers/consistent_start.hpp"
#include "delassus/system/state.hpp"

namespace delassus {

// Objects of the program in place of those that options name. A stepper has its solver itself: give one of the two.
struct OwnParts {
  std::unique_ptr<Solver> solver;
  std::unique_ptr<Stepper> stepper;
};

class Simulation;

// Called after every step, those that failed among them.
class Observer {
 public:
  virtual ~Observer() = default;
  // False ends run_until.
  virtual bool after_step(const Simulation& simulation, const StepReport& report) = 0;
};

// Called before every step with the state it begins from. What it sets holds for that step and until it is set again:
// inputs are constant over a step (a zero-order hold), whatever events lie within it.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual void before_step(const Simulation& simulation, Signals& signals) = 0;
};

class Simulation {
 public:
  // Throws InputError on options out of range, a state of the wrong size, or joints that cannot be assembled.
  Simulation(std::shared_ptr<const System> system, State state, SimulationOptions options = {},
             OwnParts parts = {});
  // As the scene has it; messages name the place in its file.
  explicit Simulation(const Scene& scene, OwnParts parts = {});

  const System& system() const { return *system_; }
  const State& state() const { return state_; }
  double time() const { return state_.t; }  // [s]
  // Continue from another state: a clone, or one loaded from a file.
  void set_state(State state);
  // As they are used: what was automatic has been chosen.
  const SimulationOptions& options() const { return options_; }
  // Of the stepper and the solver that are used, whether asked for, chosen or given.
  std::string stepper_name() const { return stepper_->name(); }
  const std::string& solver_name() const { return options_.solver.name; }
  // What assembly did to the first state; nothing when its joints held.
  const StartResult& start() const { return start_; }
  // How far the bodies of the first state were moved so that nothing overlaps (StartPolicy::resolve) [m, rad].
  double start_resolved() const { return start_resolved_; }
  // What is wrong with the first state still (StartPolicy::accept, simulation/start_check.hpp), and with the scheme for
  // this system (explicit forces).
  const std::vector<Warning>& start_warnings() const { return start_warnings_; }
  // Whether the next step goes on with the time grid of the state. Otherwise (another step, a state between two grid
  // points) a new grid begins, and the run gives other bits than one without a stop.
  bool continues_grid() const;
  // Of the last step.
  const StepReport& report() const { return report_; }
  // Energy in play, and energy from nowhere, since the run began or was resumed.
  const EnergyWatch& energy_watch() const { return energy_watch_; }
  // What the monitors have seen since then, where they were asked for (SimulationOptions::monitors).
  const BoundWatch& bound_watch() const { return bound_watch_; }
  // The last one-step problem of the stepper; null when it forms none.
  const Problem* last_problem() const { return stepper_->last_problem(); }

  // --- what is where: by name once, by handle afterwards. All throw InputError with the nearest name when there is none.
  BodyHandle find_body(const std::string& name) const;    // "world" among them
  JointHandle find_joint(const std::string& name) const;  // a joint or a measure
  SignalHandle find_signal(const std::string& name) const;

  // --- the present state (snapshot.hpp). A view holds until the next step.
  BodyView body(BodyHandle body) const;
  JointView joint(JointHandle joint) const;
  // Contacts that were closed or hit in the last step; none before the first.
  const std::vector<ContactView>& contacts() const;
  // What all contacts between two bodies do to the first: mean over the last step, world axes [N].
  Vector3 contact_force(BodyHandle on, BodyHandle from) const;
  // Inputs. Part of the state: a clone or a resumed run has them.
  Signals signals();
  double signal(SignalHandle signal) const;

  // --- who drives, who watches. In the order they were given.
  void control(std::shared_ptr<Controller> controller) { controllers_.push_back(std::move(controller)); }
  void observe(std::shared_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }
  // The same as functions: (const Simulation&, Signals&), and (const Simulation&, const StepReport&) that returns false
  // to end run_until, or nothing.
  template <class Function>
  requires std::is_invocable_v<Function, const Simulation&, Signals&>
  void control(Function function);
  template <class Function>
  requires std::is_invocable_v<Function, const Simulation&, const StepReport&>
  void observe(Function function);

  // One step to the next point of the grid, or to t_end if that is nearer. The report says whether it
  // succeeded. After request_stop() (base/stop_request.hpp) it fails with report().stopped and the state is as before.
  const StepReport& step(double t_end = std::numeric_limits<double>::infinity());
  // Steps until t_end, a failure, or an observer that returns false. True when t_end was reached.
  bool run_until(double t_end);

 private:
  void look_at_start();

  std::shared_ptr<const System> system_;
  State state_;
  SimulationOptions options_;
  std::unique_ptr<Stepper> stepper_;
  StartResult start_;
  double start_resolved_ = 0;
  std::vector<Warning> start_warnings_;
  EnergyWatch energy_watch_;
  CertificateWatch certificate_watch_;
  BoundWatch bound_watch_;
  StepReport report_, next_report_;
  std::vector<std::shared_ptr<Controller>> controllers_;
  std::vector<std::shared_ptr<Observer>> observers_;
  bool go_on_ = true;  // no observer has ended the run
  // Of the present state, computed when first asked for. So const functions that read it are not for several threads at once.
  mutable Snapshot snapshot_;
};

// Throws InputError when the scene asks for a stepper that cannot take what it has.
void require_stepper_fits(const SceneDesc& scene, const System& system, const State& state);
// Energies of a state, as a step reports them.
EnergyReport energy_of(const System& system, const State& state);

// --- implementation

template <class Function>
requires std::is_invocable_v<Function, const Simulation&, Signals&>
void Simulation::control(Function function) {
  struct Calls final : Controller {
    explicit Calls(Function f) : call(std::move(f)) {}
    void before_step(const Simulation& simulation, Signals& signals) override { call(simulation, signals); }
    Function call;
  };
  control(std::shared_ptr<Controller>(std::make_shared<Calls>(std::move(function))));
}

template <class Function>
requires std::is_invocable_v<Function, const Simulation&, const StepReport&>
void Simulation::observe(Function function) {
  struct Calls final : Observer {
    explicit Calls(Function f) : call(std::move(f)) {}
    bool after_step(const Simulation& simulation, const StepReport& report) override {
      if constexpr (std::is_void_v<std::invoke_result_t<Function&, const Simulation&, const StepReport&>>) {
        call(simulation, report);
        return true;
      } else {
        return call(simulation, report);
      }
    }
    Function call;
  };
  observe(std::shared_ptr<Observer>(std::make_shared<Calls>(std::move(function))));
}

}  // namespace delassus
