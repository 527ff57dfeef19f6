// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The runs of `delassus convergence`: one scheme over a list of steps or of tolerances, each run against the same motion.
//
//   e_i = q_i ⊟ q(t_i) or v_i − v(t_i) on the grid of the run; its norms: recorder/norms.hpp                       (1)
//   order: slope of log error over log step (or tolerance), between two runs and fitted over all                 (2)
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/cli/trajectory.hpp"

namespace delassus::cli {

// end: |e_N| at the end · L1, L2, max: on the grid · hausdorff: of filled-in graphs
enum class ErrorNorm { end, L1, L2, max, hausdorff };
const char* to_string(ErrorNorm norm);
ErrorNorm parse_norm(const std::string& text);

// A scheme as `--steppers` names it: NAME, NAME:METHOD, NAME:key=value, several of them one after the other.
std::vector<SceneSetting> stepper_settings(const std::string& text, const char* option);

struct ConvergenceRow {
  double value = 0;            // the step or the tolerance
  std::vector<double> errors;  // one a norm
  std::vector<double> orders;  // against the row before; NaN where there is none
  double drift = 0;
  double seconds = 0;  // of computing, the least of all repeats
  WorkCounts work;
  long iterations = 0, steps = 0, substeps = 0, rejected = 0, events = 0;
  double variation = 0,
         weighted_variation = 0;  // total variation of v and of the weighted velocity (9) on the grid
  std::string failure;            // why it could not go on; empty: it did
};

struct ConvergenceSeries {
  std::string name;                    // as asked for
  std::string stepper;                 // that was used
  bool by_tolerance = false;           // rows are tolerances, not steps
  std::vector<SceneSetting> settings;  // of the scene, without the step
  std::vector<ConvergenceRow> rows;
  std::vector<double> fitted;  // orders, one a norm
};

// What is measured, and against what.
struct ConvergenceGoal {
  std::vector<ErrorNorm> norms;
  bool of_velocity = false;
  std::shared_ptr<const Motion> motion;
  std::string reference;  // the motion in words
  bool needs_graphs() const;
};

// The scene with a step or a tolerance.
Scene scene_of(const std::string& name, const std::vector<SceneSetting>& settings, bool by_tolerance,
               double value);

// All rows of a series, and the fitted orders. `repeat`: runs of each; their least time counts.
void run_series(const std::string& scene, const std::vector<double>& values, const ConvergenceGoal& goal,
                int repeat, ConvergenceSeries& series);

}  // namespace delassus::cli
