// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/simulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "delassus/base/data_tree.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Times closer than this fraction of a step are the same grid point.
constexpr double k_grid_tolerance = 1e-9;

// Starts that are off by no more than the digits of a file are left as they are.
constexpr double k_start_tolerance = 1e-10;

bool joints_hold(const System& system, const State& state) {
  BilateralRows rows;
  Vector u;
  system.bilateral(state.t, state.q, rows);
  rows.rows.multiply(VectorRef(state.v), u);
  const auto below = [](const Vector& x, double size) { return max_abs(x) <= k_start_tolerance * size; };
  return below(rows.violation, system_size(system, state.q)) && below(u - rows.target, 1 + max_abs(state.v));
}

bool takes_law(const Solver& solver, ContactLawKind law) {
  const SolverCapabilities can = solver.capabilities();
  switch (law) {
    case ContactLawKind::coulomb:
      return can.coulomb;
    case ContactLawKind::convex:
      return can.convex;
    case ContactLawKind::polyhedral:
      return can.polyhedral;
    case ContactLawKind::frictionless:
      return can.nonnegative;
  }
  return false;
}

void require_law(const Solver& solver, ContactLawKind law) {
  if (takes_law(solver, law)) return;
  std::string able;
  for (const SolverInfo& info : list_solvers())
    if (takes_law(*make_solver({.name = info.name}), law)) able += (able.empty() ? "" : ", ") + info.name;
  throw InputError(fmt::format("solver '{}' cannot take the contact law '{}'; solvers that can: {}",
                               solver.name(), find_law(law).name, able));
}

Simulation make_from_scene(const Scene& scene, OwnParts parts) {
  CompiledScene compiled = compile(scene.desc);
  if (!parts.stepper) require_stepper_fits(scene.desc, *compiled.system, compiled.state);
  try {
    return Simulation(compiled.system, std::move(compiled.state), scene.desc.run.options, std::move(parts));
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    // Assembly names joints and motors, the worst of them first.
    throw InputError(place_of_message(scene.desc, error.what()), error.what());
  }
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const System> system, State state, SimulationOptions options,
                       OwnParts parts)
    : system_(std::move(system)) {
  if (system_->nv() == 0) throw InputError("the system has no velocities: nothing to integrate");
  if (parts.solver && parts.stepper)
    throw InputError("a stepper of your own has its solver itself; give one of the two");
  set_state(std::move(state));
  options_ = resolve_options(std::move(options), *system_, state_);
  if (parts.stepper) {
    stepper_ = std::move(parts.stepper);
    options_.solver.name = "that of the stepper";
  } else {
    if (parts.solver) options_.solver.name = parts.solver->name();
    std::unique_ptr<Solver> solver = parts.solver ? std::move(parts.solver) : make_solver(options_.solver);
    if (system_->has_contacts()) require_law(*solver, options_.stepper.options.law.kind);
    stepper_ = make_stepper(options_.stepper, std::move(solver));
  }
  start_.ok = true;
  if (options_.assemble && state_.history.num_steps == 0 && !joints_hold(*system_, state_)) {
    start_ = assemble_start(*system_, state_);
    if (!start_.ok) throw InputError(start_.message);
  }
}

Simulation::Simulation(const Scene& scene, OwnParts parts)
    : Simulation(make_from_scene(scene, std::move(parts))) {}

void Simulation::set_state(State state) {
  if (state.q.size() != system_->nq() || state.v.size() != system_->nv())
    throw InputError(fmt::format("the state has {} positions and {} velocities, the system {} and {}",
                                 state.q.size(), state.v.size(), system_->nq(), system_->nv()));
  const auto require_finite = [](bool finite, const char* what) {
    if (!finite) throw InputError(fmt::format("its {} is not finite", what));
  };
  require_finite(std::isfinite(state.t), "time");
  require_finite(state.q.allFinite(), "position");
  require_finite(state.v.allFinite(), "velocity");
  state_ = std::move(state);
  report_ = {};
  snapshot_.clear();
}

// --- bodies, joints, contacts, signals

BodyHandle Simulation::find_body(const std::string& name) const {
  if (name == "world") return k_world_body;
  std::vector<std::string> names;
  for (int i = 0; i < system_->num_bodies(); ++i) {
    names.push_back(system_->body_name(i));
    if (names.back() == name) return BodyHandle(i);
  }
  throw InputError("there is no body " + quote(name) + name_advice(name, names));
}

JointHandle Simulation::find_joint(const std::string& name) const {
  std::vector<std::string> names;
  int reaction = -1, first = 0, count = 0;
  for (int i = 0; i < system_->num_reactions(); ++i) {
    names.push_back(system_->reaction_name(i));
    if (names.back() == name) reaction = i;
  }
  // The coordinates of a joint are JOINT.COORDINATE, that of a measure has its name.
  for (int i = 0; i < system_->num_joint_coordinates(); ++i) {
    const std::string coordinate = system_->joint_coordinate_name(i);
    const bool of_joint = reaction >= 0 && coordinate.substr(0, coordinate.rfind('.')) == name;
    if (of_joint || coordinate == name) {
      if (count++ == 0) first = i;
    }
    names.push_back(coordinate);
  }
  if (reaction < 0 && count == 0)
    throw InputError("there is no joint " + quote(name) + name_advice(name, names));
  return {reaction, first, count};
}

SignalHandle Simulation::find_signal(const std::string& name) const {
  return delassus::find_signal(*system_, name);
}

BodyView Simulation::body(BodyHandle body) const {
  static const BodyMotion world;
  if (body.is_world()) return BodyView(world);
  return BodyView(snapshot_.motions(*system_, state_)[static_cast<std::size_t>(body.index())]);
}

JointView Simulation::joint(JointHandle joint) const {
  snapshot_.update_joints(*system_, state_, report_);
  return {*system_, joint, snapshot_};
}

const std::vector<ContactView>& Simulation::contacts() const {
  return snapshot_.contacts(report_);
}

Vector3 Simulation::contact_force(BodyHandle on, BodyHandle from) const {
  Vector3 sum = Vector3::Zero();
  for (const ContactView& contact : contacts()) {
    if (contact.body_b == on && contact.body_a == from) sum += contact.force;
    if (contact.body_a == on && contact.body_b == from) sum -= contact.force;
  }
  return sum;
}

Signals Simulation::signals() {
  snapshot_.clear();  // forces of motors may change
  return {*system_, state_};
}

double Simulation::signal(SignalHandle signal) const {
  return signal_value(*system_, state_, signal);
}

// --- stepping

const StepReport& Simulation::step(double t_end) {
  Signals inputs(*system_, state_);
  for (const auto& controller : controllers_) controller->before_step(*this, inputs);
  TimeGrid& grid = state_.history.grid;
  // The grid goes on if the state lies on it; otherwise (another step, a stop in between) a new one begins
  // here.
  const double here = grid.origin + static_cast<double>(grid.index) * grid.step;
  if (grid.step != options_.step || std::abs(here - state_.t) > k_grid_tolerance * options_.step)
    grid = {state_.t, options_.step, 0};
  const TimeGrid planned = grid;
  const bool to_grid = planned.next() <= t_end + k_grid_tolerance * options_.step;
  const TimeGrid following{planned.origin, planned.step, planned.index + 1};
  stepper_->advance(*system_, state_, {to_grid ? planned.next() : t_end, to_grid ? following.next() : t_end},
                    report_);
  if (report_.ok && to_grid) state_.history.grid.index = planned.index + 1;
  snapshot_.clear();
  for (const auto& observer : observers_) go_on_ = observer->after_step(*this, report_) && go_on_;
  return report_;
}

bool Simulation::run_until(double t_end) {
  const auto reached_end = [&] { return state_.t >= t_end - k_grid_tolerance * options_.step; };
  go_on_ = true;
  while (!reached_end()) {
    step(t_end);
    if (!report_.ok || !go_on_) return report_.ok && reached_end();
  }
  return true;
}

void require_stepper_fits(const SceneDesc& scene, const System& system, const State& state) {
  const std::optional<std::string>& asked = scene.run.options.stepper.name;
  if (!asked || !is_joints_only(*asked)) return;
  const std::string other = default_stepper(system, state);
  if (is_joints_only(other)) return;
  std::vector<std::string> names;
  for (const ContactDesc& x : scene.contacts) names.push_back("contact " + quote(x.name.name));
  for (const LimitDesc& x : scene.limits) names.push_back("limit " + quote(x.name.name));
  for (const FrictionDesc& x : scene.frictions) names.push_back("friction " + quote(x.name.name));
  if (scene.lagrangian)
    for (const LagrangianDesc::Row& x : scene.lagrangian->contacts)
      names.push_back("contact " + quote(x.name.name));
  // Shapes that might touch are watched as the run goes: they may never come near each other.
  if (names.empty()) return;
  throw InputError(
      scene.run.place("stepper.name"),
      fmt::format(
          "the stepper '{}' is for joints only, but the scene has {}; take one that handles contacts, stops "
          "and dry friction, e.g. '{}'",
          *asked, names[0], other));
}

EnergyReport energy_of(const System& system, const State& state) {
  BlockMatrix M;
  system.mass(state.t, state.q, M);
  EnergyReport energy;
  energy.kinetic = kinetic_energy(M, state.v);
  energy.potential = system.potential_energy(state.t, state.q);
  const EnergyLedger& ledger = state.history.energy;
  energy.work = ledger.nonconservative;
  energy.friction = ledger.friction;
  energy.impact = ledger.impacts;
  energy.constraint = ledger.normal + ledger.joints + ledger.projection;
  if (ledger.started) energy.defect = energy.kinetic + energy.potential - ledger.initial_total - ledger.sum();
  return energy;
}

}  // namespace delassus
