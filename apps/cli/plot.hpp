// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots as pictures that need nothing else.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace delassus::cli {

struct LogPlot {
  struct Series {
    std::string name;  // shown in the legend when there are several
    std::vector<std::pair<double, double>> points;
  };
  std::string title, x_label, y_label;
  std::vector<Series> series;
};

// Lines over linear axes.
struct LinePlot {
  std::string title, x_label, y_label;
  std::vector<LogPlot::Series> series;
};
std::string to_svg(const LinePlot& plot);

// SVG with decades as grid and dashed lines of slope 1 and 2 through the largest step of the first series.
std::string to_svg(const LogPlot& plot);

}  // namespace delassus::cli
