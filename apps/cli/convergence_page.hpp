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
};

// "error of q at t = 2 s", "L1, max of the error of v, T = 5 s"
std::string describe(const ConvergenceGoal& goal, double duration);

// What work is counted in.
enum class WorkMeasure { seconds, forces, factorisations, solves };
WorkMeasure parse_cost(const std::string& text);

// SVG: error over step; over tolerance where there are no steps.
std::string order_plot(const ConvergenceReport& report);
// SVG: error over work, of all series.
std::string work_plot(const ConvergenceReport& report, WorkMeasure measure);
// HTML that needs nothing else.
std::string convergence_page(const ConvergenceReport& report);

}  // namespace delassus::cli
