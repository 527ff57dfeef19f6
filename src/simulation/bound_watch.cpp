// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/bound_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Of order 2 the forces of a step are those of its ends up to O(h²) only [-].
constexpr double k_allowed = 1e-4;
// Contacts with a smaller gap are closed [m].
constexpr double k_band = 1e-6;

}  // namespace

void BoundWatch::begin(const System& system, const State& state) {
  *this = {};
  bounds_.watched = true;
  mass_ = std::make_unique<StepMatrixFactor>();
  system.mass(state.t, state.q, M_);
  if (!mass_->compute(M_, true)) {
    bounds_.why_not = "the mass matrix is not positive definite";
    return;
  }
  start_ = std::sqrt(2 * kinetic_energy(M_, state.v));
  find_forces(system, state, k_, rate_, norm_);
  floor_ = energy_round_off(system, state.q, k_);
}

bool BoundWatch::mass_is_constant(const System& system, const State& state) {
  if (system.constant_mass() != nullptr) return true;
  system.mass(state.t, state.q, M_now_);
  return M_now_ == M_;
}

// M⁻¹ k and ‖k‖.
void BoundWatch::find_forces(const System& system, const State& state, Vector& k, Vector& rate,
                             double& norm) {
  system.forces(state.t, state.q, state.v, k);
  mass_->solve(k, rate);
  norm = std::sqrt(std::max(0.0, k.dot(rate)));
}

void BoundWatch::before_step(const System& system, const State& state) {
  if (!bounds_.why_not.empty()) return;
  v_ = state.v;
  find_forces(system, state, k_, rate_, norm_);
}

void BoundWatch::look(const System& system, const StepperOptions& options, const State& state,
                      StepReport& report) {
  if (bounds_.why_not.empty()) look_at_energy(system, state, report);
  look_at_contacts(system, options, state, report);
}

void BoundWatch::look_at_energy(const System& system, const State& state, StepReport& report) {
  const EnergyReport& e = report.energy;
  if (std::abs(e.driven - driven_) > floor_ || e.friction > floor_) {
    bounds_.why_not =
        fmt::format("motions are prescribed or surfaces move (from t = {:.9g} s on)", report.t_begin);
    return;
  }
  if (!mass_is_constant(system, state)) {
    bounds_.why_not = "masses vary";
    return;
  }
  const double h = report.t_end - report.t_begin;
  double norm_end = 0;
  find_forces(system, state, k_end_, rate_end_, norm_end);
  double free = 0;
  for (const Vector* rate : {&rate_, &rate_end_}) {
    free_ = v_ + h * *rate;
    free = std::max(free, kinetic_energy(M_, free_));
  }
  growth_ += h * std::max(norm_, norm_end);
  const double kinetic = kinetic_energy(M_, state.v);
  if (kinetic <= floor_) return;
  const auto look = [&](double ratio, double& worst, double& time, double& warned, const std::string& what) {
    if (ratio > worst) {
      worst = ratio;
      time = report.t_end;
    }
    if (!(ratio - 1 > std::max(k_allowed, 2 * warned))) return;
    warned = ratio - 1;
    report.warn(
        WarningKind::bound,
        fmt::format("t = {:.9g} s: {} by {:.2g} %; the impact law, the step or the scheme give energy",
                    report.t_end, what, 100 * warned));
  };
  // (1), (2)
  look(kinetic / std::max(free, floor_), bounds_.step_ratio, bounds_.step_time, warned_step_,
       "the kinetic energy is above that of the same step without constraints");
  look(std::sqrt(2 * kinetic) / (start_ + growth_), bounds_.growth_ratio, bounds_.growth_time, warned_growth_,
       "the velocities are above what the forces since the start can have made them");
}

// (3)
void BoundWatch::look_at_contacts(const System& system, const StepperOptions& options, const State& state,
                                  StepReport& report) {
  if (!system.has_contacts() || report.contacts.empty()) return;
  const ContactDiagnosis diagnosis = diagnose_contacts(system, options, state, k_band);
  bool wedged = false;
  for (const ContactDiagnosis::Island& island : diagnosis.islands) {
    if (!island.examined) {
      bounds_.contacts_skipped = true;
      continue;
    }
    if (island.friction.lower < bounds_.pointedness) {
      bounds_.pointedness = std::max(island.friction.lower, 0.0);
      bounds_.pointedness_time = report.t_end;
    }
    wedged = wedged || island.friction.answer == Pointed::no;
  }
  if (!wedged || warned_contacts_) return;
  warned_contacts_ = true;
  const std::string mark = "warning: ";
  for (const std::string& line : describe(system, diagnosis))
    if (line.starts_with(mark))
      report.warn(WarningKind::bound,
                  fmt::format("t = {:.9g} s: {}", report.t_end, line.substr(mark.size())));
}

}  // namespace delassus
