// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/report.hpp"

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
  }
  return "unknown";
}

void StepReport::clear() {
  ok = true;
  message.clear();
  warnings.clear();
  substeps = rejected = 0;
  events.clear();
  contacts.clear();
  joint_impulses.setZero();
  certificate = {};
  energy = {};
}

}  // namespace delassus
