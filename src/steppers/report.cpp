// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/report.hpp"

#include <algorithm>

namespace delassus {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::impact:
      return "impact";
    case EventKind::stick:
      return "stick";
    case EventKind::slip:
      return "slip";
    case EventKind::reversal:
      return "reversal";
    case EventKind::facet:
      return "facet";
    case EventKind::take_off:
      return "take-off";
    case EventKind::zeno:
      return "zeno";
    case EventKind::fallback:
      return "fallback";
    case EventKind::roll_stop:
      return "roll-stop";
    case EventKind::roll_start:
      return "roll-start";
    case EventKind::spin_stop:
      return "spin-stop";
    case EventKind::spin_start:
      return "spin-start";
    case EventKind::reduced:
      return "reduced";
  }
  return "unknown";
}

const char* to_string(StepReason reason) {
  switch (reason) {
    case StepReason::position:
      return "error of positions";
    case StepReason::velocity:
      return "error of velocities";
    case StepReason::event:
      return "events";
    case StepReason::failure:
      return "failures";
    case StepReason::output:
      return "outputs";
    case StepReason::longest:
      return "longest step";
    case StepReason::growth:
      break;
  }
  return "growth";
}

const char* to_string(WarningKind kind) {
  switch (kind) {
    case WarningKind::step_halved:
      return "step halved";
    case WarningKind::captured:
      return "events captured";
    case WarningKind::went_on:
      return "went on after a failure";
    case WarningKind::not_projected:
      return "constraints not projected";
    case WarningKind::residual:
      return "equations not solved";
    case WarningKind::penetration:
      return "penetration";
    case WarningKind::joint_drift:
      return "joint drift";
    case WarningKind::friction_limits:
      return "friction limits of the step before";
    case WarningKind::energy_gain:
      return "energy gained";
    case WarningKind::energy_loss:
      return "energy lost";
    case WarningKind::start:
      return "start";
    case WarningKind::bound:
      return "bound of a monitor";
    case WarningKind::tolerance:
      return "tolerance not met";
    case WarningKind::setting:
      return "setting";
    case WarningKind::other:
      break;
  }
  return "other";
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

void Certificate::add(const Certificate& other) {
  status = worse(status, other.status);
  momentum_residual = std::max(momentum_residual, other.momentum_residual);
  joint_residual = std::max(joint_residual, other.joint_residual);
  if (other.has_worst_contact && !(other.contact_residual < contact_residual && has_worst_contact)) {
    has_worst_contact = true;
    worst_contact = other.worst_contact;
  }
  contact_residual = std::max(contact_residual, other.contact_residual);
  velocity_drift = std::max(velocity_drift, other.velocity_drift);
  penetration = std::max(penetration, other.penetration);
  stop_excess = std::max(stop_excess, other.stop_excess);
  if (other.relative_depth > relative_depth) {
    relative_depth = other.relative_depth;
    deepest_contact = other.deepest_contact;
  }
  iterations += other.iterations;
  linear_iterations += other.linear_iterations;
  solves += other.solves;
  redundant_joint_rows += other.redundant_joint_rows;
}

void StepReport::append(const StepReport& next) {
  t_end = next.t_end;
  warnings.insert(warnings.end(), next.warnings.begin(), next.warnings.end());
  events.insert(events.end(), next.events.begin(), next.events.end());
  substeps += next.substeps;
  rejected += next.rejected;
  work += next.work;
  captured += next.captured;
  missed.length = std::max(missed.length, next.missed.length);
  missed.angle = std::max(missed.angle, next.missed.angle);
  amid_impact = next.amid_impact;
  // Contacts in the order of their ids: impulses add up, the rest is what it is now.
  const std::vector<ContactReport> before = std::move(contacts);
  contacts.clear();
  auto a = before.begin();
  auto b = next.contacts.begin();
  while (a != before.end() || b != next.contacts.end()) {
    const bool from_before = b == next.contacts.end() || (a != before.end() && a->id <= b->id);
    const bool both = a != before.end() && b != next.contacts.end() && a->id == b->id;
    contacts.push_back(both || !from_before ? *b : *a);
    if (both) {
      contacts.back().impulse += a->impulse;
      contacts.back().couple += a->couple;
      contacts.back().shared = a->shared || b->shared;
    }
    if (from_before) ++a;
    if (both || !from_before) ++b;
  }
  const bool same_rows = joint_impulses.size() == next.joint_impulses.size();
  joint_impulses = same_rows ? Vector(joint_impulses + next.joint_impulses) : next.joint_impulses;
  joint_forces = next.joint_forces;
  if (shared_joint_rows.size() != next.shared_joint_rows.size()) {
    if (shared_joint_rows.empty()) shared_joint_rows = next.shared_joint_rows;
  } else {
    for (std::size_t i = 0; i < shared_joint_rows.size(); ++i)
      shared_joint_rows[i] = static_cast<char>(shared_joint_rows[i] | next.shared_joint_rows[i]);
  }
  const int redundant = next.certificate.redundant_joint_rows;
  certificate.add(next.certificate);
  certificate.redundant_joint_rows = redundant;
  certificate.joint_drift = std::max(certificate.joint_drift, next.certificate.joint_drift);
  certificate.joint_turn = std::max(certificate.joint_turn, next.certificate.joint_turn);
  certificate.worst_joint_row = next.certificate.worst_joint_row;
  energy = next.energy;
}

void StepReport::clear() {
  ok = true;
  message.clear();
  stopped = false;
  stopped_at_event = false;
  warnings.clear();
  substeps = rejected = captured = 0;
  missed = {};
  amid_impact = false;
  smallest_step = local_errors = 0;
  controlled.clear();
  seconds = {};
  events.clear();
  contacts.clear();
  joint_impulses.setZero();
  shared_joint_rows.clear();
  certificate = {};
  work = {};
  energy = {};
}

Vector3 contact_impulse(const Cone& cone, double tangent_ratio, const Vector& r, int row) {
  Vector3 out = Vector3::Zero();
  const int n = std::min(cone.dim, 3);
  out.head(n) = r.segment(row, n);
  out[2] *= tangent_ratio;
  return out;
}

Vector3 contact_couple(const Cone& cone, const Vector& r, int row) {
  Vector3 out = Vector3::Zero();
  for (const FrictionPart& part : friction_parts(cone)) {
    if (part.kind == FrictionKind::rolling) out.tail<2>() = r.segment<2>(row + part.first);
    if (part.kind == FrictionKind::spinning) out[0] = r[row + part.first];
  }
  return out;
}

}  // namespace delassus
