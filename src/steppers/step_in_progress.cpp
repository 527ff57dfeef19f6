// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/step_in_progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace delassus {

Energies energies(const System& system, const PhasePoint& point, BlockMatrix& M) {
  return {kinetic_energy(system.mass_at(point.at, M), point.phase.v), system.potential_energy(point.at)};
}

void StepInProgress::begin(const System& the_system, const State& state, const StepRequest& the_request,
                           StepReport& the_report) {
  system = &the_system;
  request = the_request;
  report = &the_report;
  report->clear();
  report->t_begin = state.t;
  history = state.history;
  history.ahead.reset();
  lifted = 0;
  now.phase.t = state.t;
  now.phase.q = state.q;
  now.phase.v = state.v;
  now.place(*system);
  if (history.energy.started) return;
  history.energy.started = true;
  BlockMatrix M;
  history.energy.initial_total = energies(*system, now, M).total();
}

bool StepInProgress::goes_on() const {
  // A rest of a step below this fraction of the time itself is round-off of the grid.
  constexpr double time_resolution = 8 * std::numeric_limits<double>::epsilon();
  const double t = now.phase.t, t_end = request.t_end;
  return report->ok && t_end - t > time_resolution * std::max(std::abs(t_end), std::abs(t));
}

void StepInProgress::snap_to_end() {
  if (!report->ok) return;
  now.phase.t = request.t_end;
  if (now.at.t != now.phase.t) now.place(*system);
}

void StepInProgress::find_last_joint_forces(Vector& out) const {
  out = history.joint_impulses / (request.t_end - report->t_begin);
}

void StepInProgress::fail(const std::string& why) const {
  report->ok = false;
  report->message = fmt::format("t = {:.9g} s: {}", now.phase.t, why);
}

std::string smallest_step_note(double smallest_step, double h) {
  if (0.5 * h >= smallest_step) return {};
  return fmt::format(
      " (in a step of {:.3g} s; a half of it is below the smallest step, stepper.smallest_step = {:g} s)", h,
      smallest_step);
}

bool follows_too_fast(double smallest_step, double last, double t) {
  constexpr double same_instant = 1e-6;  // of the smallest step [-]
  return t - last < smallest_step && t - last > same_instant * smallest_step;
}

}  // namespace delassus
