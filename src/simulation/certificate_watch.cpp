// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/certificate_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {

void CertificateWatch::look(const System& system, const State& state, StepReport& report) {
  const Certificate& c = report.certificate;
  // Above the tolerance, and above twice what was warned of.
  const auto is_new = [](double value, double tolerance, double& warned) {
    if (!(value > std::max(tolerance, 2 * warned))) return false;
    warned = value;
    return true;
  };
  const double residual = std::max({c.momentum_residual, c.joint_residual, c.contact_residual});
  if (is_new(residual, k_residual_tolerance, residual_)) {
    const bool at_contact = c.has_worst_contact && c.contact_residual == residual;
    report.warn(
        WarningKind::residual,
        fmt::format(
            "t = {:.9g} s: the {} of the step are solved to {:.2g} only{}; a smaller step may help",
            report.t_end,
            c.contact_residual == residual ? "contact laws"
            : c.joint_residual == residual ? "joints"
                                           : "equations of motion",
            residual,
            at_contact ? fmt::format(" (worst: contact '{}')", system.contact_name(c.worst_contact)) : ""));
  }
  if (is_new(c.relative_depth, k_depth_tolerance, depth_)) {
    const bool angle = system.gap_is_angle(c.deepest_contact);
    report.warn(
        WarningKind::penetration,
        fmt::format("t = {:.9g} s: contact '{}' is {:.3g} {} deep{}; a smaller step may help", report.t_end,
                    system.contact_name(c.deepest_contact),
                    c.relative_depth * system.contact_size(c.deepest_contact), angle ? "rad" : "m",
                    angle ? "" : fmt::format(", {:.2g} % of the smaller body", 100 * c.relative_depth)));
  }
  const double drift = std::max(c.joint_drift / system_size(system, state.q), c.joint_turn);
  const bool turned = c.joint_turn >= drift;
  if (is_new(drift, k_drift_tolerance, drift_))
    report.warn(WarningKind::joint_drift,
                fmt::format("t = {:.9g} s: joint '{}' is off by {:.3g} {}; a smaller step may help",
                            report.t_end, system.joint_name(c.worst_joint_row),
                            turned ? c.joint_turn : c.joint_drift, turned ? "rad" : "m"));
}

}  // namespace delassus
