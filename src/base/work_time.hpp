// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a run goes, by kinds of work. A WorkScope charges what passes until its end to its kind, less what scopes within
// it charge to theirs: the parts add up to the whole.
//
// Of the thread that has started its clock, and only there: what other threads do meanwhile is charged to what this one does or waits
// for. A scope costs two readings of the clock while it runs, and a look at a flag while it does not.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace delassus {

enum class WorkKind : std::uint8_t {
  other,
  collision,       // which contacts there are: broad and narrow phase
  contacts,        // gaps, points, frames and rows of known contacts
  joints,          // configurations and rows of joints
  forces,          // and their derivatives
  assembly,        // of one-step problems
  elimination,     // of velocities and joints: factorisation, W
  newton,          // contact problems by method
  interior_point,  //
  admm,            //
  sweeps,          //
  other_solvers,   //
  shared_forces,   // least forces where they are not unique
  events,          // search for collisions and transitions
  projection,      // onto joints and contacts
  certificate,     // residuals, energies, drift
  recording,       // files and pages
};
inline constexpr std::size_t k_num_work_kinds = static_cast<std::size_t>(WorkKind::recording) + 1;
const char* to_string(WorkKind kind);

struct WorkTime {
  WorkKind kind = WorkKind::other;
  double seconds = 0;
  long calls = 0;
};

class WorkClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Of this thread.
  static WorkClock& here() {
    thread_local WorkClock clock;
    return clock;
  }
  bool running() const { return running_; }
  // From nothing.
  void start();
  // Since the start, the most expensive kinds first; kinds without time are left out.
  std::vector<WorkTime> stop();
  // Charges to `kind` from now on; the kind before.
  WorkKind change_to(WorkKind kind);
  void count(WorkKind kind) { ++calls_[static_cast<std::size_t>(kind)]; }

 private:
  bool running_ = false;
  WorkKind kind_ = WorkKind::other;
  Time since_;
  std::array<double, k_num_work_kinds> seconds_{};
  std::array<long, k_num_work_kinds> calls_{};
};

class WorkScope {
 public:
  explicit WorkScope(WorkKind kind) : clock_(WorkClock::here()), active_(clock_.running()) {
    if (!active_) return;
    before_ = clock_.change_to(kind);
    clock_.count(kind);
  }
  ~WorkScope() {
    if (active_) clock_.change_to(before_);
  }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  WorkClock& clock_;
  bool active_;
  WorkKind before_ = WorkKind::other;
};

}  // namespace delassus
