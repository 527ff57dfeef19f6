// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/energy_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Steps that gain less, as a share of the energy in play, are not looked at closer [-].
constexpr double k_visible_gain = 1e-6;

bool has_belts(const System& system, const State& state) {
  const ContactSet contacts = system.contacts_within(0.0, state.t, state.q, state.v);
  return max_abs(contacts.rows.drift_velocity) > 0;
}

}  // namespace

void EnergyWatch::begin(const System& system, const State& state, const EnergyReport& energy,
                        bool stops_before_contact) {
  *this = {};
  stops_before_contact_ = stops_before_contact;
  first_loss_ = loss(energy);
  fixed_ = !system.depends_on_time() && !(system.has_contacts() && has_belts(system, state));
  Vector k;
  system.forces(state.t, state.q, state.v, k);
  floor_ = energy_round_off(system, state.q, k);
  first_error_ = energy.error;
  highest_ = energy.kinetic + energy.potential;
  lowest_ = energy.potential;
  least_dissipation_ = energy.friction + energy.impact;
  last_ = energy;
}

EnergyWatch::Culprit EnergyWatch::culprit(const StepReport& report) const {
  const EnergyReport& e = report.energy;
  double best = 0;
  Culprit who;
  const auto look = [&](double gain, const char* part) {
    if (gain > best) {
      best = gain;
      who.part = part;
    }
  };
  look(e.defect - last_.defect, "the scheme itself (step too large for the forces)");
  look(e.normal - last_.normal, "normal contact impulses");
  look(e.joints - last_.joints - (e.driven - last_.driven), "joint impulses");
  look(e.projection - last_.projection, "the projection onto joints and contacts");
  if (fixed_) look(e.friction - last_.friction, "friction");
  if (fixed_) look(e.impact - last_.impact, "impacts");
  const char* const part = who.part;
  who = place_of(report);
  who.part = part;
  return who;
}

EnergyWatch::Culprit EnergyWatch::place_of(const StepReport& report) {
  Culprit who;
  const Event* strongest = nullptr;
  for (const Event& event : report.events)
    if (event.kind == EventKind::impact &&
        (strongest == nullptr || event.energy_change > strongest->energy_change))
      strongest = &event;
  const Certificate& certificate = report.certificate;
  who.contact = strongest != nullptr ? strongest->contact : certificate.worst_contact;
  who.joint_row = certificate.worst_joint_row;
  who.place = strongest != nullptr               ? Culprit::Place::impact
              : certificate.has_worst_contact    ? Culprit::Place::contact
              : certificate.worst_joint_row >= 0 ? Culprit::Place::joint
                                                 : Culprit::Place::none;
  return who;
}

std::string EnergyWatch::Culprit::describe(const System& system) const {
  switch (place) {
    case Place::impact:
      return fmt::format("{}, with an impact of contact '{}'", part, system.contact_name(contact));
    case Place::contact:
      return fmt::format("{}, near contact '{}'", part, system.contact_name(contact));
    case Place::joint:
      return fmt::format("{}, near joint '{}'", part, system.joint_name(joint_row));
    case Place::none:
      break;
  }
  return part;
}

// (3)
double EnergyWatch::loss(const EnergyReport& energy) const {
  return energy.driven - energy.constraint + (stops_before_contact_ ? energy.normal : 0.0);
}

void EnergyWatch::look(const StepReport& report) {
  const EnergyReport& e = report.energy;
  const double lost = loss(e) - first_loss_;
  if (lost - loss_ > std::max(worst_loss_, k_visible_gain * in_play())) {
    worst_loss_ = lost - loss_;
    worst_loss_time_ = report.t_end;
    worst_loser_ = place_of(report);
    worst_loser_.part = last_.projection - e.projection > last_.normal - e.normal
                            ? "the projection onto joints and contacts"
                            : "normal contact impulses";
  }
  loss_ = lost;
  highest_ = std::max(highest_, e.kinetic + e.potential);
  lowest_ = std::min(lowest_, e.potential);
  work_ = std::max(work_, std::abs(e.work));
  driven_ = std::max(driven_, std::abs(e.driven));
  const double dissipation = e.friction + e.impact;
  if (!report.amid_impact) least_dissipation_ = std::min(least_dissipation_, dissipation);
  const double before = gain_;
  gain_ = e.error - first_error_ + (fixed_ ? dissipation - least_dissipation_ : 0.0);
  if (gain_ > largest_) {
    largest_ = gain_;
    largest_time_ = report.t_end;
  }
  if (gain_ - before > std::max(worst_gain_, k_visible_gain * in_play())) {
    worst_gain_ = gain_ - before;
    worst_time_ = report.t_end;
    worst_ = culprit(report);
  }
  last_ = e;
}

std::optional<Warning> EnergyWatch::verdict(const System& system) const {
  if (!(largest_ > k_energy_tolerance * in_play())) return std::nullopt;
  return Warning{
      WarningKind::energy_gain,
      fmt::format("{:.3g} J have come from nowhere by t = {:.9g} s, {:.2g} % of the energy in play; "
                  "most in the step to t = {:.9g} s: {:.3g} J by {}; a smaller step may help",
                  largest_, largest_time_, 100 * largest_ / in_play(), worst_time_, worst_gain_,
                  worst_.describe(system))};
}

std::optional<Warning> EnergyWatch::loss_verdict(const System& system) const {
  if (!(loss_ > k_loss_tolerance * in_play())) return std::nullopt;
  return Warning{WarningKind::energy_loss,
                 fmt::format("{:.3g} J are lost beside what friction and impacts have taken, {:.2g} % of the "
                             "energy in play; most in the step to t = {:.9g} s: {:.3g} J by {}; a smaller "
                             "step, or another scheme, may help",
                             loss_, 100 * loss_ / in_play(), worst_loss_time_, worst_loss_,
                             worst_loser_.describe(system))};
}

}  // namespace delassus
