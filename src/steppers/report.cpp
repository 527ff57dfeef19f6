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
    case WarningKind::start:
      return "start";
    case WarningKind::setting:
      return "setting";
    case WarningKind::other:
      break;
  }
  return "other";
}

void StepReport::clear() {
  ok = true;
  message.clear();
  stopped = false;
  stopped_at_event = false;
  warnings.clear();
  substeps = rejected = captured = 0;
  events.clear();
  contacts.clear();
  joint_impulses.setZero();
  shared_joint_rows.clear();
  certificate = {};
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
