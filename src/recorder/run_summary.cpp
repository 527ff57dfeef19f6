// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace delassus {

void RunSummary::add(const StepReport& report) {
  const Certificate& c = report.certificate;
  worst.residual = std::max({worst.residual, c.contact_residual, c.joint_residual, c.momentum_residual});
  worst.joint_drift = std::max(worst.joint_drift, c.joint_drift);
  worst.joint_turn = std::max(worst.joint_turn, c.joint_turn);
  worst.penetration = std::max(worst.penetration, c.penetration);
  worst.stop_excess = std::max(worst.stop_excess, c.stop_excess);
  worst.energy_error = std::max(worst.energy_error, std::abs(report.energy.error));
  worst.energy_defect = std::max(worst.energy_defect, std::abs(report.energy.defect));
  energy = report.energy;
  iterations += c.iterations;
  linear_iterations += c.linear_iterations;
  events += static_cast<long>(report.events.size());
  substeps += report.substeps;
  rejected += report.rejected;
  work += report.work;
  local_errors += report.local_errors;
  if (report.smallest_step > 0)
    smallest_step = smallest_step > 0 ? std::min(smallest_step, report.smallest_step) : report.smallest_step;
  captured_steps += report.captured > 0;
  for (const Warning& warning : report.warnings) warn(warning);
}

void RunSummary::warn(const Warning& warning) {
  constexpr long shown = 5;
  if (++warning_counts[warning.kind] <= shown) warnings.push_back(warning.text);
}

long RunSummary::num_warnings() const {
  long sum = 0;
  for (const auto& [kind, count] : warning_counts) sum += count;
  return sum;
}

std::string RunSummary::warning_text() const {
  std::string out;
  for (const auto& [kind, count] : warning_counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, to_string(kind));
  return out;
}

namespace {

nlohmann::json to_json(const StepStatistics& s) {
  if (s.empty()) return {};
  const auto counts = [](const std::vector<StepStatistics::Count>& all, std::size_t most) {
    nlohmann::json out = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
      out.push_back({{"name", all[i].name}, {"steps", all[i].steps}});
    return out;
  };
  constexpr std::size_t all = 100, shown = 10;
  const StepStatistics::Interval busy = s.busiest();
  return {
      {"taken", s.taken()},
      {"longest", s.longest()},
      {"reasons", counts(s.reasons(), all)},
      {"names", counts(s.names(), shown)},
      {"half_of_them", {busy.begin, busy.end}},
      {"seconds",
       {{"taken", s.seconds().taken}, {"refused", s.seconds().refused}, {"outputs", s.seconds().outputs}}}};
}

}  // namespace

std::string to_json(const RunSummary& s) {
  nlohmann::json bodies = nlohmann::json::array();
  for (const auto& [name, m] : s.bodies)
    bodies.push_back(
        {{"name", name},
         {"position", {m.position.x(), m.position.y(), m.position.z()}},
         {"orientation", {m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]}},
         {"velocity", {m.velocity.x(), m.velocity.y(), m.velocity.z()}}});
  nlohmann::json kinds = nlohmann::json::object();
  for (const auto& [kind, count] : s.warning_counts) kinds[to_string(kind)] = count;
  nlohmann::json profile;
  for (const WorkTime& part : s.profile)
    profile.push_back({{"work", to_string(part.kind)}, {"seconds", part.seconds}, {"calls", part.calls}});
  nlohmann::json estimated;
  if (const auto& estimate = s.estimated_error) {
    estimated = {{"predictable", estimate->predictable}, {"predictable_until", estimate->predictable_until}};
    if (estimate->predictable) {
      estimated["error"] = estimate->error;
      estimated["worst"] = estimate->worst;
    } else {
      estimated["reason"] = estimate->reason;
    }
  }
  nlohmann::json bounds;
  if (const RunBounds& b = s.bounds; b.watched)
    bounds = {{"energy_not_watched", b.why_not},
              {"step_ratio", b.step_ratio},
              {"step_time", b.step_time},
              {"growth_ratio", b.growth_ratio},
              {"growth_time", b.growth_time},
              {"pointedness", b.pointedness},
              {"pointedness_time", b.pointedness_time},
              {"contacts_skipped", b.contacts_skipped}};
  const EnergyReport& e = s.energy;
  const nlohmann::json energy = {
      {"kinetic", e.kinetic},   {"potential", e.potential}, {"work", e.work},
      {"friction", e.friction}, {"impact", e.impact},       {"driven", e.driven},
      {"normal", e.normal},     {"joints", e.joints},       {"projection", e.projection},
      {"defect", e.defect},     {"error", e.error},         {"in_play", s.energy_in_play}};
  const nlohmann::json out = {{"program", s.program},
                              {"scene", s.scene},
                              {"status", s.status},
                              {"message", s.message},
                              {"stepper", s.stepper},
                              {"stepper_reason", s.stepper_reason},
                              {"captured_steps", s.captured_steps},
                              {"step", s.step},
                              {"settings", s.settings},
                              {"time", s.time},
                              {"steps", s.steps},
                              {"substeps", s.substeps},
                              {"rejected", s.rejected},
                              {"smallest_step", s.smallest_step},
                              {"local_errors", s.local_errors},
                              {"error_control", to_json(s.step_statistics)},
                              {"estimated_error", estimated},
                              {"bounds", bounds},
                              {"profile", profile},
                              {"events", s.events},
                              {"iterations", s.iterations},
                              {"work",
                               {{"forces", s.work.forces},
                                {"derivatives", s.work.derivatives},
                                {"factorisations", s.work.factorisations},
                                {"problems", s.work.problems}}},
                              {"linear_iterations", s.linear_iterations},
                              {"seconds", s.seconds},
                              {"worst",
                               {{"residual", s.worst.residual},
                                {"joint_drift", s.worst.joint_drift},
                                {"joint_turn", s.worst.joint_turn},
                                {"penetration", s.worst.penetration},
                                {"stop_excess", s.worst.stop_excess},
                                {"energy_error", s.worst.energy_error},
                                {"energy_defect", s.worst.energy_defect}}},
                              {"energy", energy},
                              {"warnings", s.warnings},
                              {"num_warnings", s.num_warnings()},
                              {"warning_kinds", kinds},
                              {"notes", s.notes},
                              {"redundant_joint_rows", s.redundant_joint_rows},
                              {"reactions_not_unique", s.reactions_not_unique},
                              {"bodies", bodies}};
  // Paths need not be UTF-8; JSON must.
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace delassus
