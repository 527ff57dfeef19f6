// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace delassus::cli {
namespace {

constexpr double k_width = 640, k_height = 440, k_left = 80, k_right = 20, k_top = 40, k_bottom = 55;

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string to_svg(const LogPlot& plot) {
  using Points = std::vector<std::pair<double, double>>;
  std::vector<Points> lines;
  Points points;  // of all series
  for (const LogPlot::Series& series : plot.series) {
    lines.emplace_back();
    for (const auto& [x, y] : series.points)
      if (x > 0 && y > 0) lines.back().emplace_back(std::log10(x), std::log10(y));
    points.insert(points.end(), lines.back().begin(), lines.back().end());
  }
  if (points.empty()) points.emplace_back(0.0, 0.0);
  const auto [left, right] =
      std::minmax_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.first < b.first; });
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.second < b.second; });
  const double x0 = left->first - 0.1, x1 = right->first + 0.1, y0 = low->second - 0.3,
               y1 = high->second + 0.3;
  const auto px = [&](double x) { return k_left + (x - x0) / (x1 - x0) * (k_width - k_left - k_right); };
  const auto py = [&](double y) {
    return k_height - k_bottom - (y - y0) / (y1 - y0) * (k_height - k_top - k_bottom);
  };

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<text x=\"{2}\" y=\"24\" "
      "font-size=\"15\">{3}</text>\n",
      k_width, k_height, k_left, escape(plot.title));
  const auto line = [&](double ax, double ay, double bx, double by, const char* style) {
    out += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", px(ax), py(ay),
                       px(bx), py(by), style);
  };
  const auto text = [&](double x, double y, const char* anchor, const std::string& content) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                       escape(content));
  };
  for (int decade = static_cast<int>(std::ceil(x0)); decade <= x1; ++decade) {
    line(decade, y0, decade, y1, "stroke=\"#ddd\"");
    text(px(decade), k_height - k_bottom + 18, "middle", fmt::format("1e{}", decade));
  }
  for (int decade = static_cast<int>(std::ceil(y0)); decade <= y1; ++decade) {
    line(x0, decade, x1, decade, "stroke=\"#ddd\"");
    text(k_left - 8, py(decade) + 4, "end", fmt::format("1e{}", decade));
  }
  std::vector<double> steps;
  for (const auto& point : points) steps.push_back(point.first);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (double step : steps)
    text(px(step), k_height - k_bottom + 34, "middle", fmt::format("{:.2g}", std::pow(10.0, step)));
  // Slopes to compare with, from the largest step down.
  for (int slope : {1, 2}) {
    const double drop = std::min((y1 - y0), slope * (right->first - left->first)), run = drop / slope;
    const double base = right->second;
    line(right->first, base, right->first - std::min(run, (base - y0) / slope),
         base - std::min(run, (base - y0) / slope) * slope, "stroke=\"#999\" stroke-dasharray=\"5 4\"");
    text(px(right->first - std::min(run, (base - y0) / slope)),
         py(base - std::min(run, (base - y0) / slope) * slope) - 6, "middle", fmt::format("order {}", slope));
  }
  static const char* const colors[] = {"#0b6bcb", "#d1495b", "#2a9d5c", "#8e5bd0",
                                       "#c77f00", "#008c95", "#7a6a53", "#444"};
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const char* const color = colors[k % std::size(colors)];
    const std::string stroke = fmt::format("stroke=\"{}\" stroke-width=\"2\"", color);
    for (std::size_t i = 0; i + 1 < lines[k].size(); ++i)
      line(lines[k][i].first, lines[k][i].second, lines[k][i + 1].first, lines[k][i + 1].second,
           stroke.c_str());
    for (const auto& [x, y] : lines[k])
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", px(x), py(y), color);
    if (lines.size() < 2) continue;
    const double row = k_top + 18 + 17 * static_cast<double>(k);
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", k_left + 10,
                       row - 6, color);
    text(k_left + 30, row, "start", plot.series[k].name);
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
                     k_left, k_top, k_width - k_left - k_right, k_height - k_top - k_bottom);
  text(0.5 * (k_left + k_width - k_right), k_height - 6, "middle", plot.x_label);
  out += fmt::format(
      "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>\n",
      0.5 * (k_top + k_height - k_bottom), escape(plot.y_label));
  return out;
}

}  // namespace delassus::cli
