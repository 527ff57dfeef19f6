// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/step_finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "delassus/steppers/contact_memory.hpp"

namespace delassus {

bool reached(double t, double t_end) {
  constexpr double time_resolution = 8 * std::numeric_limits<double>::epsilon();
  return !(t_end - t > time_resolution * std::max(std::abs(t_end), std::abs(t)));
}

SolveStatus worse(SolveStatus a, SolveStatus b) {
  const auto rank = [](SolveStatus status) {
    switch (status) {
      case SolveStatus::not_run:
        return 0;
      case SolveStatus::converged:
        return 1;
      case SolveStatus::inexact:
        return 2;
      case SolveStatus::iteration_limit:
        return 3;
      case SolveStatus::ray:
        return 4;
      case SolveStatus::numerical_failure:
        return 5;
    }
    return 4;
  };
  return rank(a) < rank(b) ? b : a;
}

void fail_step(double t, const std::string& why, StepReport& report) {
  report.ok = false;
  report.message = fmt::format("t = {:.9g} s: {}", t, why);
}

void StepFinisher::start_ledger(const System& system, const Phase& phase, EnergyLedger& ledger) {
  system.mass(phase.t, phase.q, M_);
  ledger.started = true;
  ledger.initial_total = kinetic_energy(M_, phase.v) + system.potential_energy(phase.t, phase.q);
}

std::string StepFinisher::check_joints_only(const System& system, const Phase& phase, double h,
                                            const std::string& name) {
  system.candidates(phase.t, phase.q, phase.v, h, candidates_);
  system.friction_rows(phase.t, phase.q, friction_);
  if (candidates_.empty() && friction_.constant.empty()) return {};
  if (candidates_.empty())
    return fmt::format(
        "the stepper '{}' is for joints without dry friction; take one that handles it, e.g. 'trapezoidal-2'",
        name);
  return fmt::format(
      "contact '{}' could close, but the stepper '{}' is for joints only; take one that handles contacts, "
      "e.g. 'trapezoidal-2', or switch off what shall not touch (contact: {{enabled: false}})",
      system.contact_name(candidates_[0]), name);
}

void StepFinisher::finish_contacts(const System& system, const Phase& phase, std::span<const ContactId> ids,
                                   const History& history, StepReport& report) {
  reported_.clear();
  for (const ContactReport& contact : report.contacts) reported_.push_back(contact.id);
  at_reported_.update(system, phase, reported_);
  others_.clear();
  std::set_difference(ids.begin(), ids.end(), reported_.begin(), reported_.end(),
                      std::back_inserter(others_));
  system.gaps(others_, phase.t, phase.q, gaps_, &margins_);
  double& penetration = report.certificate.penetration;
  for (std::size_t c = 0; c < others_.size(); ++c)
    if (margins_[c] >= 0) penetration = std::max(penetration, -gaps_[c]);
  for (std::size_t c = 0; c < reported_.size(); ++c) {
    // Those that are no candidates any more are far away.
    if (at_reported_.valid(c)) penetration = std::max(penetration, -at_reported_.gap(c));
    report.contacts[c].gap = at_reported_.gap(c);
    report.contacts[c].velocity = at_reported_.velocity(c);
    const ContactMemory* memory = find_memory(history, reported_[c]);
    report.contacts[c].status = memory != nullptr ? memory->status : ContactStatus::open;
  }
}

void StepFinisher::finish(const System& system, const Phase& phase, History& history, StepReport& report,
                          State& state) {
  report.t_end = phase.t;
  Certificate& certificate = report.certificate;
  system.bilateral(phase.t, phase.q, bilateral_);
  for (int i = 0; i < bilateral_.num_holonomic; ++i)
    if (certificate.worst_joint_row < 0 || std::abs(bilateral_.violation[i]) > certificate.joint_drift) {
      certificate.joint_drift = std::abs(bilateral_.violation[i]);
      certificate.worst_joint_row = i;
    }
  bilateral_.rows.multiply(VectorRef(phase.v), joint_velocity_);
  if (joint_velocity_.size() > 0)
    certificate.velocity_drift = (joint_velocity_ - bilateral_.target).cwiseAbs().maxCoeff();
  if (certificate.status == SolveStatus::not_run && report.ok) certificate.status = SolveStatus::converged;

  const EnergyLedger& ledger = history.energy;
  system.mass(phase.t, phase.q, M_);
  EnergyReport& energy = report.energy;
  energy.kinetic = kinetic_energy(M_, phase.v);
  energy.potential = system.potential_energy(phase.t, phase.q);
  energy.work = ledger.nonconservative;
  energy.friction = ledger.friction;
  energy.impact = ledger.impacts;
  energy.constraint = ledger.normal + ledger.joints + ledger.projection;
  energy.defect = energy.kinetic + energy.potential - ledger.initial_total - ledger.sum();

  const double h = report.t_end - report.t_begin;
  if (history.acceleration.joint_forces.size() == report.joint_impulses.size())
    report.joint_forces = history.acceleration.joint_forces;
  else if (h > 0)
    report.joint_forces = report.joint_impulses / h;
  history.num_steps += 1;
  history.joint_impulses = report.joint_impulses;
  state.t = phase.t;
  state.q = phase.q;
  state.v = phase.v;
  state.history = history;
}

}  // namespace delassus
