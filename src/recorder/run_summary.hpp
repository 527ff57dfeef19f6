// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A run in a few numbers: counts, the worst values of its certificates, warnings, where it ended.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "delassus/base/work_time.hpp"
#include "delassus/recorder/step_statistics.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// How wrong the positions at the end are (simulation/error_estimate.hpp).
struct ErrorEstimate {
  bool predictable = false;
  double error = 0;              // the largest [m, rad]
  std::string worst;             // the velocity it belongs to
  double predictable_until = 0;  // [s]
  std::string reason;            // why it is not predictable from then on
};

// What monitors saw of the energy bounds and of the contacts (simulation/bound_watch.hpp).
struct RunBounds {
  bool watched = false;
  std::string why_not;  // why the energy is not watched (any more)
  // Largest kinetic energy over what (1) allows, and largest √(2T) over what (2) allows: above 1 a bound does not hold [-]; when [s].
  double step_ratio = 0, step_time = 0, growth_ratio = 0, growth_time = 0;
  double pointedness = 1,
         pointedness_time = 0;    // smallest κ of (3): 0 where contact forces can cancel [-]; when [s]
  bool contacts_skipped = false;  // some groups of contacts were too large to be looked at
};

struct RunSummary {
  std::string program, scene, stepper, stepper_reason;
  std::vector<std::string> settings;
  std::string status, message;  // how it ended: "completed", "stopped", "interrupted"; why
  double step = 0;              // [s]
  double time = 0;              // where it ended [s]
  double seconds = 0;           // of computing [s]
  std::uint64_t steps = 0;
  long substeps = 0, rejected = 0, events = 0, iterations = 0;
  WorkCounts work;             // of all steps
  long linear_iterations = 0;  // of MINRES, where it was asked for
  // With a tolerance: the shortest step, and the sum of the estimated errors of all [s; m, rad].
  double smallest_step = 0, local_errors = 0;
  StepStatistics step_statistics;                // likewise: where they went
  std::optional<ErrorEstimate> estimated_error;  // where it was asked for
  RunBounds bounds;                              // likewise
  std::vector<WorkTime> profile;                 // likewise: where the time went
  long captured_steps = 0;  // of a scheme that locates events: where crowds of contacts were captured
  struct Worst {
    double residual = 0;       // of contacts, joints and momentum: how well equations were solved [-]
    double joint_drift = 0;    // [m]
    double joint_turn = 0;     // [rad]
    double penetration = 0;    // [m]
    double stop_excess = 0;    // [rad]
    double energy_error = 0;   // of the physics: steppers/report.hpp (1) [J]
    double energy_defect = 0;  // of the bookkeeping [J]
  } worst;
  EnergyReport energy;        // at the end
  double energy_in_play = 0;  // simulation/energy_watch.hpp [J]
  // Warnings: the first few of each kind, and how many there were.
  std::vector<std::string> warnings;
  std::map<WarningKind, long> warning_counts;
  long num_warnings() const;
  // "3 step halved, 1 energy gained"; empty: none.
  std::string warning_text() const;
  std::vector<std::string> notes;  // what is as it should be but may not be expected
  int redundant_joint_rows = 0;
  std::vector<std::string> reactions_not_unique;
  struct Body {
    std::string name;
    BodyMotion motion;
  };
  std::vector<Body> bodies;  // at the end

  // Counts a step.
  void add(const StepReport& report);
  void warn(const Warning& warning);
};

// The text of summary.json (docs/recordings.md).
std::string to_json(const RunSummary& summary);

}  // namespace delassus
