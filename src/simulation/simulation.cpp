// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/simulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "delassus/base/error.hpp"

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
  const auto below = [](const Vector& x, double scale) {
    return x.size() == 0 || x.cwiseAbs().maxCoeff() <= k_start_tolerance * (1 + scale);
  };
  return below(rows.violation, state.q.size() > 0 ? state.q.cwiseAbs().maxCoeff() : 0) &&
         below(u - rows.target, state.v.size() > 0 ? state.v.cwiseAbs().maxCoeff() : 0);
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

}  // namespace

Simulation::Simulation(std::shared_ptr<const System> system, State state, SimulationOptions options)
    : system_(std::move(system)) {
  if (system_->nv() == 0) throw InputError("the system has no velocities: nothing to integrate");
  set_state(std::move(state));
  options_ = resolve_options(std::move(options), *system_, state_);
  std::unique_ptr<Solver> solver = make_solver(options_.solver);
  if (system_->has_contacts()) require_law(*solver, options_.stepper.options.law.kind);
  stepper_ = make_stepper(options_.stepper, std::move(solver));
  start_.ok = true;
  if (options_.assemble && state_.history.num_steps == 0 && !joints_hold(*system_, state_)) {
    start_ = assemble_start(*system_, state_);
    if (!start_.ok) throw InputError(start_.message);
  }
}

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
}

const StepReport& Simulation::step(double t_end) {
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
  return report_;
}

bool Simulation::run_until(double t_end) {
  while (state_.t < t_end - k_grid_tolerance * options_.step) {
    step(t_end);
    bool go_on = report_.ok;
    for (const Observer& observer : observers_) go_on = observer(*this, report_) && go_on;
    if (!go_on) return report_.ok && state_.t >= t_end - k_grid_tolerance * options_.step;
  }
  return true;
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
