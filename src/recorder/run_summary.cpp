// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace delassus {

void RunSummary::add(const StepReport& report) {
  const Certificate& c = report.certificate;
  worst.residual = std::max({worst.residual, c.contact_residual, c.joint_residual, c.momentum_residual});
  worst.joint_drift = std::max(worst.joint_drift, c.joint_drift);
  worst.penetration = std::max(worst.penetration, c.penetration);
  worst.energy_defect = std::max(worst.energy_defect, std::abs(report.energy.defect));
  iterations += c.iterations;
  events += static_cast<long>(report.events.size());
  substeps += report.substeps;
  rejected += report.rejected;
  for (const std::string& warning : report.warnings) warn(warning);
}

void RunSummary::warn(const std::string& warning) {
  constexpr std::size_t shown = 20;
  ++num_warnings;
  if (warnings.size() < shown) warnings.push_back(warning);
}

std::string to_json(const RunSummary& s) {
  nlohmann::json bodies = nlohmann::json::array();
  for (const auto& [name, m] : s.bodies)
    bodies.push_back(
        {{"name", name},
         {"position", {m.position.x(), m.position.y(), m.position.z()}},
         {"orientation", {m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]}},
         {"velocity", {m.velocity.x(), m.velocity.y(), m.velocity.z()}}});
  const nlohmann::json out = {{"program", s.program},
                              {"scene", s.scene},
                              {"status", s.status},
                              {"message", s.message},
                              {"stepper", s.stepper},
                              {"step", s.step},
                              {"settings", s.settings},
                              {"time", s.time},
                              {"steps", s.steps},
                              {"substeps", s.substeps},
                              {"rejected", s.rejected},
                              {"events", s.events},
                              {"iterations", s.iterations},
                              {"seconds", s.seconds},
                              {"worst",
                               {{"residual", s.worst.residual},
                                {"joint_drift", s.worst.joint_drift},
                                {"penetration", s.worst.penetration},
                                {"energy_defect", s.worst.energy_defect}}},
                              {"warnings", s.warnings},
                              {"num_warnings", s.num_warnings},
                              {"redundant_joint_rows", s.redundant_joint_rows},
                              {"reactions_not_unique", s.reactions_not_unique},
                              {"bodies", bodies}};
  // Paths need not be UTF-8; JSON must.
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace delassus
