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
  std::vector<int> slopes{1, 2};  // dashed lines to compare with; none: no ticks at the points either
  bool legend_right = false;
};

// Lines over linear axes.
struct LinePlot {
  std::string title, x_label, y_label;
  std::vector<LogPlot::Series> series;
};
std::string to_svg(const LinePlot& plot);

// SVG with decades as grid and dashed lines of the slopes through the largest step.
std::string to_svg(const LogPlot& plot);

// Text as XML and HTML may hold it.
std::string escape_xml(const std::string& text);

}  // namespace delassus::cli
