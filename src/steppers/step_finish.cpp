// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/step_finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/work_time.hpp"
#include "delassus/steppers/contact_memory.hpp"

namespace delassus {
namespace {

// Gaps that are negative by less are those of contacts that touch; how large their bodies are is not asked [m, rad].
constexpr double k_touching_depth = 1e-9;

}  // namespace

EnergyReport make_energy_report(double kinetic, double potential, const EnergyLedger& ledger) {
  EnergyReport energy{.kinetic = kinetic,
                      .potential = potential,
                      .work = ledger.nonconservative,
                      .friction = ledger.friction,
                      .impact = ledger.impacts,
                      .driven = ledger.driven,
                      .normal = ledger.normal,
                      .joints = ledger.joints,
                      .projection = ledger.projection,
                      .constraint = ledger.normal + ledger.joints + ledger.projection};
  if (!ledger.started) return energy;
  energy.defect = kinetic + potential - ledger.initial_total - ledger.sum();
  energy.error = energy.constraint - energy.driven + energy.defect;
  return energy;
}

std::string StepFinisher::check_joints_only(const StepInProgress& step, const std::string& name) {
  const System& system = *step.system;
  if (system.has_contacts())
    system.find_contacts(step.now.at, step.now.phase.v, step.rest(), nullptr, searched_);
  else
    searched_.ids.clear();
  system.friction_rows(step.now.at, friction_);
  if (searched_.empty() && friction_.constant.empty()) return {};
  if (searched_.empty())
    return fmt::format(
        "the stepper '{}' is for joints without dry friction; take one that handles it, e.g. 'trapezoidal-2'",
        name);
  return fmt::format(
      "contact '{}' could close, but the stepper '{}' is for joints only; take one that handles contacts, "
      "e.g. 'trapezoidal-2', or switch off what shall not touch (contact: {{enabled: false}})",
      system.contact_name(searched_.ids[0]), name);
}

void StepFinisher::find_contacts(StepInProgress& step, double h) {
  PhasePoint& now = step.now;
  if (found_.system == step.system->number() && found_.h == h &&
      found_.contacts.is_at(now.phase.t, now.phase.q) && found_.v == now.phase.v) {
    std::swap(now.contacts, found_.contacts);
    found_.system = 0;
    return;
  }
  const bool known = now.contacts.is_at(now.phase.t, now.phase.q);
  step.system->find_contacts(now.at, now.phase.v, h, known ? &now.contacts : nullptr, searched_);
  std::swap(now.contacts, searched_);
}

void StepFinisher::finish_contacts(StepInProgress& step, const ContactSet& known) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  StepReport& report = *step.report;
  found_.h = std::max(step.request.t_next - now.phase.t, 0.0);
  const bool here = known.is_at(now.phase.t, now.phase.q);
  system.find_contacts(now.at, now.phase.v, found_.h, here ? &known : nullptr, found_.contacts);
  found_.system = system.number();
  found_.v = now.phase.v;
  report.certificate.penetration = report.certificate.stop_excess = report.certificate.relative_depth = 0;
  const auto judge_gap = [&](const ContactSet& set, std::size_t c) {
    if (!set.valid(c) || set.gap(c) >= 0) return;
    Certificate& certificate = report.certificate;
    double& depth = system.gap_is_angle(set.ids[c]) ? certificate.stop_excess : certificate.penetration;
    depth = std::max(depth, -set.gap(c));
    if (-set.gap(c) <= k_touching_depth) return;
    const double relative = -set.gap(c) / system.contact_size(set.ids[c]);
    if (relative <= certificate.relative_depth) return;
    certificate.relative_depth = relative;
    certificate.deepest_contact = set.ids[c];
  };
  for (std::size_t c = 0; c < found_.contacts.size(); ++c) judge_gap(found_.contacts, c);
  // Of those reported some may be far away by now.
  far_.clear();
  for (const ContactReport& contact : report.contacts)
    if (found_.contacts.find(contact.id) == found_.contacts.size()) far_.push_back(contact.id);
  if (!far_.empty()) {
    system.evaluate_contacts(far_, now.at, at_far_);
    at_far_.update_velocities(now.phase.v);
  }
  for (std::size_t i = 0, f = 0; i < report.contacts.size(); ++i) {
    ContactReport& contact = report.contacts[i];
    const std::size_t c = found_.contacts.find(contact.id);
    const bool near = c < found_.contacts.size();
    const ContactSet& set = near ? found_.contacts : at_far_;
    const std::size_t at = near ? c : f++;
    if (!near) judge_gap(set, at);
    contact.gap = set.gap(at);
    contact.velocity = set.velocity(at);
    contact.place = set.places[at];
    const ContactMemory* memory = find_memory(step.history, contact.id);
    contact.status = memory != nullptr ? memory->status : ContactStatus::open;
  }
}

void StepFinisher::finish(StepInProgress& step, State& state) {
  const WorkScope scope(WorkKind::certificate);
  const System& system = *step.system;
  const PhasePoint& now = step.now;
  const Phase& phase = now.phase;
  History& history = step.history;
  StepReport& report = *step.report;
  report.t_end = phase.t;
  Certificate& certificate = report.certificate;
  const BilateralRows& joints = now.joints;
  double worst = -1;
  for (int i = 0; i < joints.num_holonomic; ++i) {
    const double off = std::abs(joints.violation[i]);
    double& drift = system.joint_row_is_angle(i) ? certificate.joint_turn : certificate.joint_drift;
    drift = std::max(drift, off);
    if (off > worst) certificate.worst_joint_row = i;
    worst = std::max(worst, off);
  }
  joints.rows.multiply(VectorRef(phase.v), joint_velocity_);
  if (joint_velocity_.size() > 0)
    certificate.velocity_drift = (joint_velocity_ - joints.target).cwiseAbs().maxCoeff();
  if (certificate.status == SolveStatus::not_run && report.ok) certificate.status = SolveStatus::converged;

  report.energy = make_energy_report(kinetic_energy(system.mass_at(now.at, M_), phase.v),
                                     system.potential_energy(now.at), history.energy);

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
