// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/step_retries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// The part of the gain that a halving which helps leaves, at most; and halvings in vain until the cause is another one.
constexpr double k_helped = 0.7;
constexpr int k_vain_halvings = 2;
// A gain that is worth all halvings [-].
constexpr double k_gross = 0.1;
// A gain of so many times what there was is no error of a scheme that still follows the motion [-].
constexpr double k_blown_up = 1;
// Captured steps are of order 1: they gain by O(h²) of what forces do in them [-].
constexpr double k_captured_gain = 1e-2;

// No surface in contact moves by itself, so that friction and impacts only take energy.
bool stands_still(const StepInProgress& step) {
  return !step.system->has_moving_surfaces() && max_abs(step.now.contacts.rows.drift_velocity) == 0;
}

}  // namespace

void GainWatch::begin(const StepInProgress& step) {
  ledger_ = step.history.energy;
  before_ = energies(*step.system, step.now, M_);
  begin_ = step.now.phase;
}

// With the forces before the step: those of a motion that has blown up are as large as it is.
double GainWatch::round_off_before(const System& system) {
  system.configure(begin_.t, begin_.q, at_);
  system.forces(at_, begin_.v, k_);
  return energy_round_off(system, begin_.q, k_);
}

double GainWatch::kinetic_excess(const StepInProgress& step, const Energies& end, bool takes_only) const {
  const EnergyLedger& after = step.history.energy;
  const double released = before_.potential + std::max(0.0, step.lifted) - end.potential;
  const double surfaces = takes_only ? 0.0
                                     : std::max(0.0, after.friction - ledger_.friction) +
                                           std::max(0.0, after.impacts - ledger_.impacts);
  const double had = before_.kinetic + std::max(0.0, released) + surfaces +
                     std::max(0.0, after.nonconservative - ledger_.nonconservative) +
                     std::abs(after.driven - ledger_.driven);
  const double excess = end.kinetic - had;
  return excess > k_blown_up * had ? excess : 0.0;
}

double GainWatch::measure(const StepInProgress& step, const Vector& v_free, bool captured, double& in_play) {
  const System& system = *step.system;
  const Energies end = energies(system, step.now, M_);
  const double free = v_free.size() == step.now.phase.v.size()
                          ? kinetic_energy(system.mass_at(step.now.at, M_), v_free)
                          : 0.0;
  const EnergyLedger& after = step.history.energy;
  const double work = after.nonconservative - ledger_.nonconservative, driven = after.driven - ledger_.driven;
  const double impacts = after.impacts - ledger_.impacts, friction = after.friction - ledger_.friction;
  const double projected = after.projection - ledger_.projection, lifted = captured ? projected : 0.0;
  // Surfaces that move bring energy by friction and by impacts.
  const bool takes_only = stands_still(step);
  // What friction and captured impacts of one solve do to each other is between them.
  const double contacts = !takes_only ? friction + impacts
                          : captured  ? std::min(friction + impacts, 0.0)
                                      : std::min(friction, 0.0) + impacts;
  const double gain = end.total() - before_.total() - work - driven - contacts - lifted;
  // What there was, what forces have brought or springs released.
  const double had = before_.kinetic + std::max(0.0, before_.potential - end.potential) +
                     std::max(0.0, work) + std::abs(driven);
  in_play = std::max({before_.kinetic, end.kinetic, free}) + std::abs(end.potential - before_.potential) +
            std::abs(work) + std::abs(driven);
  const double tolerance = captured                 ? k_captured_gain
                           : projected > 0.5 * gain ? k_projected_gain_tolerance
                                                    : k_gain_tolerance;
  blows_up_ = false;
  if (!std::isfinite(gain)) {
    blows_up_ = true;
    return std::numeric_limits<double>::infinity();
  }
  const double excess = kinetic_excess(step, end, takes_only);
  if (excess > 0 && excess > round_off_before(system)) {
    blows_up_ = true;
    return std::max(gain, excess);
  }
  if (!(gain > tolerance * in_play)) return 0;
  // What projection adds has bounds of its own: it may lift what was deep before the step.
  const double moved = gain - (captured ? 0.0 : std::max(projected, 0.0));
  blows_up_ = moved > k_blown_up * had && moved > round_off_before(system);
  system.forces(step.now.at, step.now.phase.v, k_);
  return blows_up_ || gain > energy_round_off(system, step.now.phase.q, k_) ? gain : 0.0;
}

double GainWatch::gained(const StepInProgress& step, const Vector& v_free, bool captured) {
  double in_play = 0;
  const double gain = measure(step, v_free, captured, in_play);
  if (gain == 0) return 0;
  in_vain_ = gain > k_helped * last_ ? in_vain_ + 1 : 0;
  if (in_vain_ >= k_vain_halvings && gain < k_gross * in_play) return 0;
  last_ = gain;
  return gain;
}

void GainWatch::take_out(StepInProgress& step, const Vector& v_free, bool captured) {
  if (!step.report->ok || step.request.reach == nullptr || !stands_still(step) ||
      max_abs(step.now.joints.target) != 0)
    return;
  double in_play = 0;
  const double gain = measure(step, v_free, captured, in_play);
  Phase& phase = step.now.phase;
  const double kinetic = kinetic_energy(step.system->mass_at(step.now.at, M_), phase.v);
  if (gain == 0 || !(kinetic > 0)) return;
  const double s = std::sqrt(std::max(0.0, 1 - gain / kinetic));  // (1)
  phase.v *= s;
  step.history.weighted_velocity = phase.v;
  step.now.contacts.update_velocities(phase.v);
  const double taken = (1 - s * s) * kinetic;
  step.history.energy.projection -= taken;
  step.report->warn(WarningKind::energy_gain,
                    fmt::format("t = {:.9g} s: {:.3g} J that no shorter step avoids were taken out of the "
                                "velocities; a smaller step may help",
                                phase.t, taken));
}

bool GainWatch::refuses(StepInProgress& step, const Vector& v_free, bool captured) {
  double in_play = 0;
  const double gain = measure(step, v_free, captured, in_play);
  if (!blows_up_) return false;
  if (!step.report->ok) return true;
  step.report->ok = false;
  step.report->message = fmt::format(
      "t = {:.9g} s: the motion blows up: {:.3g} J come from nowhere, more than there was, however short the "
      "step; "
      "dampers and springs that are very stiff for light bodies do that (a smaller step may help)",
      step.report->t_begin, gain);
  return true;
}

void RefusedAttempts::add(const StepReport& report) {
  rejected_ += report.rejected + 1;
  std::copy_if(report.warnings.begin(), report.warnings.end(), std::back_inserter(why_),
               [](const Warning& warning) { return warning.kind == WarningKind::step_halved; });
}

void RefusedAttempts::tell(StepReport& report) const {
  report.rejected += rejected_;
  report.warnings.insert(report.warnings.begin(), why_.begin(), why_.end());
}

int deep_halvings(const StepInProgress& step) {
  constexpr int few = 3;
  return step.report->certificate.relative_depth > k_depth_tolerance ? GainWatch::k_halvings : few;
}

std::string deepened(const StepInProgress& step, const State& begin, double tolerated) {
  const System& system = *step.system;
  const Certificate& certificate = step.report->certificate;
  if (certificate.relative_depth <= tolerated) return {};
  const ContactId ids[] = {certificate.deepest_contact};
  ContactSet before;
  system.evaluate_contacts(ids, system.configuration(begin.t, begin.q), before);
  const double depth = certificate.relative_depth * system.contact_size(ids[0]);
  if (before.valid(0) && -before.gap(0) > 0.5 * depth) return {};
  return fmt::format("contact '{}' got {:.3g} {} deep", system.contact_name(ids[0]), depth,
                     system.gap_is_angle(ids[0]) ? "rad" : "m");
}

bool may_halve(const StepInProgress& step, const State& begin, const StepperOptions& options,
               const Retries& retries, int most) {
  const double half = 0.5 * std::min(step.request.t_end - begin.t, retries.h_limit);
  return retries.halvings < most && half >= options.smallest_step;
}

void halve_step(const StepInProgress& step, const State& begin, const std::string& why, Retries& retries) {
  ++retries.halvings;
  retries.h_limit = 0.5 * std::min(step.request.t_end - begin.t, retries.h_limit);
  step.report->warn(WarningKind::step_halved,
                    fmt::format("t = {:.9g} s: {}; step halved to {:.3g} s", begin.t, why, retries.h_limit));
}

}  // namespace delassus
