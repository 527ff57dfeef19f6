// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What `delassus convergence` draws: errors over steps and tolerances, errors over work, and a page with both and the tables.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/convergence_runs.hpp"

namespace delassus::cli {

struct ConvergenceReport {
  std::string scene, description;
  std::string what;  // is measured, describe()
  ConvergenceGoal goal;
  std::vector<ConvergenceSeries> series;
  double target = 0;  // an error whose work is asked for; 0: none
};

// "error of q at t = 2 s", "L1, max of the error of v, T = 5 s"
std::string describe(const ConvergenceGoal& goal, double duration);

// What work is counted in.
enum class WorkMeasure { seconds, forces, factorisations, solves };
WorkMeasure parse_cost(const std::string& text);

const char* to_string(WorkMeasure measure);
inline constexpr WorkMeasure k_work_measures[] = {WorkMeasure::seconds, WorkMeasure::forces,
                                                  WorkMeasure::factorisations, WorkMeasure::solves};

// What a series needs for an error of `target` in the first norm: between two of its runs, log work is linear in log error; beyond
// its most exact run the work goes with 1/step (over tolerances: it is not known), and that with the error as the middle one of the observed orders says.
struct WorkToTarget {
  double work = 0;            // NaN: it does not get there
  bool extrapolated = false;  // no run of the series is as exact
  bool at_most = false;       // the coarsest run is as exact already
};
WorkToTarget work_to_target(const ConvergenceSeries& series, WorkMeasure measure, double target);

// SVG: error over step; over tolerance where there are no steps.
std::string order_plot(const ConvergenceReport& report);
// SVG: error over work, of all series.
std::string work_plot(const ConvergenceReport& report, WorkMeasure measure);
// HTML that needs nothing else.
std::string convergence_page(const ConvergenceReport& report);

}  // namespace delassus::cli
