// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace delassus::cli {
namespace {

constexpr double k_width = 640, k_height = 440, k_left = 80, k_right = 20, k_top = 40, k_bottom = 55,
                 k_legend_width = 250;

using Points = std::vector<std::pair<double, double>>;

// A frame with axes in which lines, texts and legends are put; coordinates are those of the axes.
class Canvas {
 public:
  Canvas(const std::string& title, double x0, double x1, double y0, double y1)
      : x0_(x0), x1_(x1), y0_(y0), y1_(y1) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
        "font-size=\"13\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<text x=\"{2}\" y=\"24\" "
        "font-size=\"15\">{3}</text>\n",
        k_width, k_height, k_left, escape_xml(title));
  }
  double px(double x) const { return k_left + (x - x0_) / (x1_ - x0_) * (k_width - k_left - k_right); }
  double py(double y) const {
    return k_height - k_bottom - (y - y0_) / (y1_ - y0_) * (k_height - k_top - k_bottom);
  }
  void line(double ax, double ay, double bx, double by, const std::string& style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", px(ax),
                        py(ay), px(bx), py(by), style);
  }
  void text(double x, double y, const char* anchor, const std::string& content) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                        escape_xml(content));
  }
  // One line a series, in its own colour, and the legend where there are several.
  void series(const std::vector<Points>& lines, const std::vector<LogPlot::Series>& names, bool dots,
              bool legend_right = false) {
    static const char* const colors[] = {"#0b6bcb", "#d1495b", "#2a9d5c", "#8e5bd0",
                                         "#c77f00", "#008c95", "#7a6a53", "#444"};
    const double legend = legend_right ? k_width - k_right - k_legend_width : k_left + 10;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const char* const color = colors[k % std::size(colors)];
      // Colours that come again are dashed.
      out_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} points=\"", color,
                          k < std::size(colors) ? "" : " stroke-dasharray=\"6 3\"");
      for (const auto& [x, y] : lines[k]) out_ += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
      out_ += "\"/>\n";
      for (const auto& [x, y] : lines[k])
        if (dots)
          out_ +=
              fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", px(x), py(y), color);
      if (lines.size() < 2) continue;
      const double row = k_top + 18 + 17 * static_cast<double>(k);
      out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", legend,
                          row - 6, color);
      text(legend + 20, row, "start", names[k].name);
    }
  }
  std::string finish(const std::string& x_label, const std::string& y_label) {
    out_ +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
                    k_left, k_top, k_width - k_left - k_right, k_height - k_top - k_bottom);
    text(0.5 * (k_left + k_width - k_right), k_height - 6, "middle", x_label);
    out_ += fmt::format(
        "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>\n",
        0.5 * (k_top + k_height - k_bottom), escape_xml(y_label));
    return std::move(out_);
  }

 private:
  double x0_, x1_, y0_, y1_;
  std::string out_;
};

// A round distance between grid lines that gives about five of them.
double grid_distance(double range) {
  const double rough = range / 5, decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * decade) return factor * decade;
  return 10 * decade;
}

}  // namespace

std::string escape_xml(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string to_svg(const LinePlot& plot) {
  std::vector<Points> lines;
  double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
  for (const LogPlot::Series& series : plot.series) {
    lines.push_back(series.points);
    for (const auto& [x, y] : series.points) {
      x0 = std::min(x0, x), x1 = std::max(x1, x);
      y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
  }
  if (!(x1 > x0)) x0 = 0, x1 = 1;
  if (!(y1 > y0)) {
    if (!std::isfinite(y0)) y0 = 0;
    const double around = std::max(std::abs(y0), 1e-12);
    y1 = y0 + around, y0 -= around;
  }
  // Room above for the legend.
  y1 += (y1 - y0) * (0.05 + 0.05 * static_cast<double>(lines.size()));
  Canvas canvas(plot.title, x0, x1, y0, y1);
  for (double step = grid_distance(x1 - x0), x = std::ceil(x0 / step) * step; x <= x1; x += step) {
    canvas.line(x, y0, x, y1, "stroke=\"#ddd\"");
    canvas.text(canvas.px(x), k_height - k_bottom + 18, "middle", fmt::format("{:.4g}", x));
  }
  for (double step = grid_distance(y1 - y0), y = std::ceil(y0 / step) * step; y <= y1; y += step) {
    canvas.line(x0, y, x1, y, "stroke=\"#ddd\"");
    canvas.text(k_left - 8, canvas.py(y) + 4, "end",
                fmt::format("{:.3g}", std::abs(y) < 1e-9 * step ? 0.0 : y));
  }
  canvas.series(lines, plot.series, false);
  return canvas.finish(plot.x_label, plot.y_label);
}

std::string to_svg(const LogPlot& plot) {
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
  // Room above for the legend.
  const double legend = lines.size() < 2 ? 0 : 0.05 * static_cast<double>(lines.size());
  const double x0 = left->first - 0.1, x1 = right->first + 0.1, y0 = low->second - 0.3,
               y1 = high->second + 0.3 + legend * (high->second - low->second + 0.6);
  Canvas canvas(plot.title, x0, x1, y0, y1);
  for (int decade = static_cast<int>(std::ceil(x0)); decade <= x1; ++decade) {
    canvas.line(decade, y0, decade, y1, "stroke=\"#ddd\"");
    canvas.text(canvas.px(decade), k_height - k_bottom + 18, "middle", fmt::format("1e{}", decade));
  }
  // Less than two decades have other numbers between them.
  if (x1 - x0 < 2 && plot.slopes.empty())
    for (int decade = static_cast<int>(std::floor(x0)); decade <= x1; ++decade)
      for (const int digit : {2, 5})
        if (const double x = decade + std::log10(digit); x > x0 && x < x1) {
          canvas.line(x, y0, x, y1, "stroke=\"#eee\"");
          canvas.text(canvas.px(x), k_height - k_bottom + 18, "middle", fmt::format("{}e{}", digit, decade));
        }
  for (int decade = static_cast<int>(std::ceil(y0)); decade <= y1; ++decade) {
    canvas.line(x0, decade, x1, decade, "stroke=\"#ddd\"");
    canvas.text(k_left - 8, canvas.py(decade) + 4, "end", fmt::format("1e{}", decade));
  }
  std::vector<double> steps;
  for (const auto& point : points) steps.push_back(point.first);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  // As many as have room.
  constexpr std::size_t most_ticks = 10;
  if (plot.slopes.empty() || steps.size() > most_ticks) steps.clear();
  for (double step : steps)
    canvas.text(canvas.px(step), k_height - k_bottom + 34, "middle",
                fmt::format("{:.2g}", std::pow(10.0, step)));
  // Slopes to compare with, from the largest step down.
  for (int slope : plot.slopes) {
    const double drop = std::min((y1 - y0), slope * (right->first - left->first)), run = drop / slope;
    const double base = right->second;
    canvas.line(right->first, base, right->first - std::min(run, (base - y0) / slope),
                base - std::min(run, (base - y0) / slope) * slope,
                "stroke=\"#999\" stroke-dasharray=\"5 4\"");
    canvas.text(canvas.px(right->first - std::min(run, (base - y0) / slope)),
                canvas.py(base - std::min(run, (base - y0) / slope) * slope) - 6, "middle",
                fmt::format("order {}", slope));
  }
  canvas.series(lines, plot.series, true, plot.legend_right);
  return canvas.finish(plot.x_label, plot.y_label);
}

}  // namespace delassus::cli
