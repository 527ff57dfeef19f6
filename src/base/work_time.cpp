// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/work_time.hpp"

#include <algorithm>
#include <utility>

namespace delassus {

const char* to_string(WorkKind kind) {
  switch (kind) {
    case WorkKind::other:
      return "other";
    case WorkKind::collision:
      return "search of contacts";
    case WorkKind::contacts:
      return "contact rows";
    case WorkKind::joints:
      return "bodies and joints";
    case WorkKind::forces:
      return "forces";
    case WorkKind::assembly:
      return "assembly";
    case WorkKind::elimination:
      return "elimination";
    case WorkKind::newton:
      return "solver: newton";
    case WorkKind::interior_point:
      return "solver: interior-point";
    case WorkKind::admm:
      return "solver: admm";
    case WorkKind::sweeps:
      return "solver: sweeps";
    case WorkKind::other_solvers:
      return "solver: other";
    case WorkKind::shared_forces:
      return "shared forces";
    case WorkKind::events:
      return "events";
    case WorkKind::projection:
      return "projection";
    case WorkKind::certificate:
      return "certificate";
    case WorkKind::recording:
      return "recording";
  }
  return "";
}

void WorkClock::start() {
  *this = {};
  running_ = true;
  since_ = std::chrono::steady_clock::now();
}

WorkKind WorkClock::change_to(WorkKind kind) {
  const Time now = std::chrono::steady_clock::now();
  seconds_[static_cast<std::size_t>(kind_)] += std::chrono::duration<double>(now - since_).count();
  since_ = now;
  return std::exchange(kind_, kind);
}

std::vector<WorkTime> WorkClock::stop() {
  change_to(WorkKind::other);
  running_ = false;
  std::vector<WorkTime> out;
  for (std::size_t k = 0; k < k_num_work_kinds; ++k)
    if (seconds_[k] > 0) out.push_back({static_cast<WorkKind>(k), seconds_[k], calls_[k]});
  std::stable_sort(out.begin(), out.end(),
                   [](const WorkTime& a, const WorkTime& b) { return a.seconds > b.seconds; });
  return out;
}

}  // namespace delassus
