// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A log-log plot as a picture that needs nothing else.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace delassus::cli {

struct LogPlot {
  std::string title, x_label, y_label;
  std::vector<std::pair<double, double>> points;
};

// SVG with decades as grid and dashed lines of slope 1 and 2 through the first point.
std::string to_svg(const LogPlot& plot);

}  // namespace delassus::cli
