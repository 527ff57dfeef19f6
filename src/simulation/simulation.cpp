// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "delassus/base/data_tree.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/base/stop_request.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/start_check.hpp"
#include "delassus/steppers/step_finish.hpp"
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

void require_polygons_fit(const System& system, ContactLawKind law) {
  if (!system.has_friction_polygons() || law == ContactLawKind::polyhedral ||
      law == ContactLawKind::frictionless)
    return;
  throw InputError(fmt::format(
      "a shape has a friction_polygon, which the law '{}' cannot take; allowed: {}, {}", find_law(law).name,
      find_law(ContactLawKind::polyhedral).name, find_law(ContactLawKind::frictionless).name));
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
  const bool own_stepper = parts.stepper != nullptr;
  if (own_stepper) {
    stepper_ = std::move(parts.stepper);
    options_.solver.name = "that of the stepper";
  } else {
    if (parts.solver) options_.solver.name = parts.solver->name();
    std::unique_ptr<Solver> captured;
    if (!parts.solver) {
      SolverSettings settings = options_.solver;
      settings.tolerance = settings.captured_tolerance;
      captured = make_solver(settings);
    }
    std::unique_ptr<Solver> solver = parts.solver ? std::move(parts.solver) : make_solver(options_.solver);
    if (system_->has_contacts()) require_law(*solver, options_.stepper.options.law.kind);
    require_polygons_fit(*system_, options_.stepper.options.law.kind);
    stepper_ = make_stepper(options_.stepper, std::move(solver), std::move(captured));
  }
  start_.ok = true;
  if (options_.assemble && state_.history.num_steps == 0 && !joints_hold(*system_, state_)) {
    start_ = assemble_start(*system_, state_);
    if (!start_.ok) throw InputError(start_.message);
  }
  if (state_.history.num_steps == 0) look_at_start();
  if (!own_stepper)
    if (const std::string caution = stepper_caution(options_.stepper, *system_, state_); !caution.empty())
      start_warnings_.push_back({WarningKind::setting, caution});
  energy_watch_.begin(*system_, state_, energy_of(*system_, state_), stepper_->stops_before_contact());
  if (options_.monitors) bound_watch_.begin(*system_, state_);
}

void Simulation::look_at_start() {
  if (!system_->has_contacts()) return;
  const std::vector<std::string> problems = find_start_problems(*system_, state_);
  if (problems.empty()) return;
  switch (options_.start) {
    case StartPolicy::stop:
      throw InputError(refused_start(problems));
    case StartPolicy::resolve:
      start_resolved_ = resolve_start(*system_, state_);
      break;
    case StartPolicy::accept:
      for (const std::string& problem : problems) start_warnings_.push_back({WarningKind::start, problem});
      break;
  }
}

Simulation::Simulation(const Scene& scene, OwnParts parts)
    : Simulation(make_from_scene(scene, std::move(parts))) {}

void Simulation::set_state(State state) {
  if (state.q.size() != system_->nq() || state.v.size() != system_->nv())
    throw InputError(fmt::format("the state has {} positions and {} velocities, the system {} and {}",
                                 state.q.size(), state.v.size(), system_->nq(), system_->nv()));
  const auto require_finite = [](double x, const char* what, const std::string& name) {
    if (!std::isfinite(x)) throw InputError(fmt::format("its {}{} is {}; it must be finite", what, name, x));
  };
  require_finite(state.t, "time", "");
  for (int i = 0; i < state.q.size(); ++i)
    require_finite(state.q[i], "position ", quote(system_->coordinate_name(i)));
  for (int i = 0; i < state.v.size(); ++i)
    require_finite(state.v[i], "velocity ", quote(system_->velocity_name(i)));
  if (const std::string wrong = system_->check_position(state.q); !wrong.empty()) throw InputError(wrong);
  FrictionRows friction;
  system_->friction_rows(state.t, state.q, friction);
  const int rows = static_cast<int>(friction.constant.size());
  for (int row : state.history.held_frictions)
    if (row < 0 || row >= rows)
      throw InputError(
          fmt::format("it has a friction that sticks of number {}; the system has {}", row, rows));
  // A state may come from another scene: what it knows of contacts that are not here is of no use.
  std::erase_if(state.history.contacts, [&](const ContactMemory& c) { return !system_->has_contact(c.id); });
  std::erase_if(start_warnings_, [](const Warning& x) { return x.kind == WarningKind::start; });
  state_ = std::move(state);
  energy_watch_.begin(*system_, state_, energy_of(*system_, state_),
                      stepper_ && stepper_->stops_before_contact());
  if (options_.monitors) bound_watch_.begin(*system_, state_);
  certificate_watch_ = {};
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

bool Simulation::continues_grid() const {
  const TimeGrid& grid = state_.history.grid;
  const double here = grid.origin + static_cast<double>(grid.index) * grid.step;
  return grid.step == options_.step && std::abs(here - state_.t) <= k_grid_tolerance * options_.step;
}

const StepReport& Simulation::step(double t_end) {
  Signals inputs(*system_, state_);
  for (const auto& controller : controllers_) controller->before_step(*this, inputs);
  TimeGrid& grid = state_.history.grid;
  const TimeGrid before = grid;
  if (!continues_grid()) grid = {state_.t, options_.step, 0};
  const TimeGrid planned = grid;
  const bool to_grid = planned.next() <= t_end + k_grid_tolerance * options_.step;
  if (options_.monitors) bound_watch_.before_step(*system_, state_);
  const TimeGrid following{planned.origin, planned.step, planned.index + 1};
  const WorkCounts before_step = work_counts();
  try {
    throw_if_stop_requested();
    // Inputs may change where controllers are asked: a step that goes past that would not know.
    stepper_->advance(*system_, state_,
                      {.t_end = to_grid ? planned.next() : t_end,
                       .t_next = to_grid ? following.next() : t_end,
                       .may_pass = controllers_.empty()},
                      next_report_);
    next_report_.work = work_counts() - before_step;
    std::swap(report_, next_report_);
  } catch (const StopRequested& stop) {
    // Steppers write the state at the end of a step: it is the one before. So is the report, but for what was told.
    report_.ok = false;
    report_.stopped = true;
    report_.message = fmt::format("t = {:.9g} s: {}", state_.t, stop.what());
    report_.events.clear();
    report_.warnings.clear();
  }
  if (report_.ok && to_grid) state_.history.grid.index = planned.index + 1;
  if (report_.stopped) state_.history.grid = before;
  if (!report_.stopped && (report_.ok || report_.substeps > 0)) {
    energy_watch_.look(report_);
    certificate_watch_.look(*system_, state_, report_);
    if (options_.monitors && report_.ok)
      bound_watch_.look(*system_, options_.stepper.options, state_, report_);
  }
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
  return make_energy_report(kinetic_energy(M, state.v), system.potential_energy(state.t, state.q),
                            state.history.energy);
}

}  // namespace delassus
