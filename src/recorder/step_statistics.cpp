// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/step_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace delassus {
namespace {

std::vector<StepStatistics::Count> sorted(std::vector<StepStatistics::Count> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.steps > b.steps; });
  return counts;
}

}  // namespace

void StepStatistics::add(const System& system, const StepReport& report) {
  for (const ControlledStep& step : report.controlled) {
    steps_.push_back(step.t);
    longest_ = std::max(longest_, step.length);
    ++reasons_[step.reason];
    if (step.has_contact && step.reason == StepReason::event) {
      ++names_[system.contact_name(step.contact)];
    } else if (step.velocity >= 0) {
      std::string& name = velocity_names_[step.velocity];
      if (name.empty()) name = system.velocity_name(step.velocity);
      ++names_[name];
    }
  }
  seconds_.taken += report.seconds.taken;
  seconds_.refused += report.seconds.refused;
  seconds_.outputs += report.seconds.outputs;
}

std::vector<StepStatistics::Count> StepStatistics::reasons() const {
  std::vector<Count> out;
  for (const auto& [reason, steps] : reasons_) out.push_back({to_string(reason), steps});
  return sorted(std::move(out));
}

std::vector<StepStatistics::Count> StepStatistics::names() const {
  std::vector<Count> out;
  for (const auto& [name, steps] : names_) out.push_back({name, steps});
  return sorted(std::move(out));
}

StepStatistics::Interval StepStatistics::busiest() const {
  if (steps_.empty()) return {};
  const std::size_t half = (steps_.size() + 1) / 2;
  Interval out{steps_.front(), steps_[half - 1]};
  for (std::size_t i = half; i < steps_.size(); ++i)
    if (const Interval next{steps_[i - half + 1], steps_[i]}; next.end - next.begin < out.end - out.begin)
      out = next;
  return out;
}

std::string StepStatistics::text() const {
  if (empty()) return {};
  const auto percent = [&](long steps) {
    return fmt::format("{:.0f} %", 100.0 * static_cast<double>(steps) / static_cast<double>(taken()));
  };
  const Interval busy = busiest();
  std::string out = fmt::format("half of the steps begin in t = {:.4g} … {:.4g} s; as long as they are for",
                                busy.begin, busy.end);
  constexpr std::size_t shown = 3;
  const std::vector<Count> why = reasons(), who = names();
  for (std::size_t i = 0; i < std::min(why.size(), shown); ++i)
    out += fmt::format("{} {} {}", i == 0 ? "" : ",", why[i].name, percent(why[i].steps));
  if (!who.empty()) out += fmt::format("; most by '{}', {}", who.front().name, percent(who.front().steps));
  return out;
}

}  // namespace delassus
