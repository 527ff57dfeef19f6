// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/convergence_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/cli/plot.hpp"
#include "delassus/base/error.hpp"

namespace delassus::cli {
namespace {

struct MeasureWords {
  WorkMeasure measure;
  const char *name, *label;
};
constexpr MeasureWords k_measures[] = {
    {WorkMeasure::seconds, "seconds", "computing time [s]"},
    {WorkMeasure::forces, "forces", "right-hand sides (evaluations of forces)"},
    {WorkMeasure::factorisations, "factorisations", "factorisations"},
    {WorkMeasure::solves, "solves", "one-step problems"}};

double cost_of(const ConvergenceRow& row, WorkMeasure measure) {
  switch (measure) {
    case WorkMeasure::seconds:
      return row.seconds;
    case WorkMeasure::forces:
      return static_cast<double>(row.work.forces);
    case WorkMeasure::factorisations:
      return static_cast<double>(row.work.factorisations);
    case WorkMeasure::solves:
      break;
  }
  return static_cast<double>(row.work.problems);
}

// Points of the series for which `wanted`, one line a norm.
void add_lines(const ConvergenceReport& report, const std::function<bool(const ConvergenceSeries&)>& wanted,
               const std::function<double(const ConvergenceRow&)>& x, bool with_order, LogPlot& plot) {
  for (const ConvergenceSeries& series : report.series) {
    if (!wanted(series)) continue;
    for (std::size_t k = 0; k < report.goal.norms.size(); ++k) {
      LogPlot::Series line{.name = series.name, .points = {}};
      if (report.goal.norms.size() > 1) line.name += fmt::format(", {}", to_string(report.goal.norms[k]));
      if (with_order && std::isfinite(series.fitted[k]))
        line.name += fmt::format(": {:.2f}", series.fitted[k]);
      if (!with_order && series.by_tolerance) line.name += ", tolerances";
      for (const ConvergenceRow& row : series.rows)
        if (std::isfinite(row.errors[k])) line.points.emplace_back(x(row), row.errors[k]);
      plot.series.push_back(std::move(line));
    }
  }
}

std::string over_values(const ConvergenceReport& report, bool by_tolerance) {
  LogPlot plot{.title = report.scene + ": " + report.what,
               .x_label = by_tolerance ? "tolerance" : "step [s]",
               .y_label = "error",
               .series = {},
               .slopes = by_tolerance ? std::vector<int>{1} : std::vector<int>{1, 2}};
  add_lines(
      report, [&](const ConvergenceSeries& s) { return s.by_tolerance == by_tolerance; },
      [](const ConvergenceRow& row) { return row.value; }, true, plot);
  if (plot.series.size() == 1 && std::isfinite(report.series[0].fitted[0]))
    plot.title = fmt::format("{}: {}, fitted order {:.2f}", report.scene, report.series[0].name,
                             report.series[0].fitted[0]);
  return to_svg(plot);
}

bool has(const ConvergenceReport& report, bool by_tolerance) {
  return std::any_of(report.series.begin(), report.series.end(),
                     [&](const ConvergenceSeries& s) { return s.by_tolerance == by_tolerance; });
}

std::string table_of(const ConvergenceReport& report, const ConvergenceSeries& series) {
  std::string out = fmt::format("<h3>{}</h3>\n<table><tr><th>{}</th>", escape_xml(series.name),
                                series.by_tolerance ? "tolerance" : "step [s]");
  for (const ErrorNorm norm : report.goal.norms)
    out += fmt::format("<th>{}</th><th>order</th>", to_string(norm));
  for (const char* head : {"forces", "factorisations", "one-step problems", "seconds", "steps", "rejected",
                           "events", "variation of v"})
    out += fmt::format("<th>{}</th>", head);
  out += "</tr>\n";
  for (const ConvergenceRow& row : series.rows) {
    out += fmt::format("<tr><td>{:g}</td>", row.value);
    for (std::size_t k = 0; k < row.errors.size(); ++k)
      out += fmt::format("<td>{:.3e}</td><td>{}</td>", row.errors[k],
                         std::isfinite(row.orders[k]) ? fmt::format("{:.2f}", row.orders[k]) : "");
    out += fmt::format(
        "<td>{}</td><td>{}</td><td>{}</td><td>{:.4g}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{:.4g}</td></tr>\n",
        row.work.forces, row.work.factorisations, row.work.problems, row.seconds, row.substeps, row.rejected,
        row.events, row.variation);
    if (!row.failure.empty())
      out += fmt::format("<tr><td colspan=\"20\">{}</td></tr>\n", escape_xml(row.failure));
  }
  return out + "</table>\n";
}

}  // namespace

std::string describe(const ConvergenceGoal& goal, double duration) {
  const char* of = goal.of_velocity ? "v" : "q";
  if (goal.norms == std::vector{ErrorNorm::end})
    return fmt::format("error of {} at t = {:g} s", of, duration);
  std::string norms;
  for (const ErrorNorm norm : goal.norms) norms += (norms.empty() ? "" : ", ") + std::string(to_string(norm));
  return fmt::format("{} of the error of {}, T = {:g} s", norms, of, duration);
}

WorkMeasure parse_cost(const std::string& text) {
  for (const MeasureWords& words : k_measures)
    if (text == words.name) return words.measure;
  throw InputError("--cost " + quote(text) +
                   " is not allowed; allowed: seconds, forces, factorisations, solves");
}

const char* to_string(WorkMeasure measure) {
  for (const MeasureWords& words : k_measures)
    if (words.measure == measure) return words.name;
  return "unknown";
}

WorkToTarget work_to_target(const ConvergenceSeries& series, WorkMeasure measure, double target) {
  std::vector<const ConvergenceRow*> rows;
  for (const ConvergenceRow& row : series.rows)
    if (row.errors[0] > 0) rows.push_back(&row);
  if (rows.empty()) return {NAN};
  if (rows[0]->errors[0] <= target) return {.work = cost_of(*rows[0], measure), .at_most = true};
  const auto between = [&](const ConvergenceRow& a, const ConvergenceRow& b) {
    const double share = std::log(target / a.errors[0]) / std::log(b.errors[0] / a.errors[0]);
    return cost_of(a, measure) * std::pow(cost_of(b, measure) / cost_of(a, measure), share);
  };
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i]->errors[0] <= target) return {between(*rows[i - 1], *rows[i])};
  if (series.by_tolerance) return {NAN};
  const ConvergenceRow& b = *rows.back();
  // The step goes with the middle one of the observed orders: of a scheme whose impacts fall anywhere in a step two errors alone say little.
  std::vector<double> orders;
  for (const ConvergenceRow* row : rows)
    if (std::isfinite(row->orders[0])) orders.push_back(row->orders[0]);
  const auto middle = orders.begin() + static_cast<std::ptrdiff_t>(orders.size() / 2);
  std::nth_element(orders.begin(), middle, orders.end());
  const double order = orders.empty() ? NAN : *middle;
  if (!(order > 0)) return {NAN};
  return {.work = cost_of(b, measure) * std::pow(b.errors[0] / target, 1 / order), .extrapolated = true};
}

std::string order_plot(const ConvergenceReport& report) {
  return over_values(report, !has(report, false));
}

std::string work_plot(const ConvergenceReport& report, WorkMeasure measure) {
  const auto words = std::find_if(std::begin(k_measures), std::end(k_measures),
                                  [&](const MeasureWords& w) { return w.measure == measure; });
  LogPlot plot{.title = report.scene + ": " + report.what,
               .x_label = words->label,
               .y_label = "error",
               .series = {},
               .slopes = {},
               .legend_right = true};
  add_lines(
      report, [](const ConvergenceSeries&) { return true; },
      [&](const ConvergenceRow& row) { return cost_of(row, measure); }, false, plot);
  return to_svg(plot);
}

std::string convergence_page(const ConvergenceReport& report) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>body{{font-family:sans-serif;margin:2em auto;max-width:1340px}}svg{{width:640px;margin:4px}}"
      "table{{border-collapse:collapse;font-size:13px}}th,td{{padding:2px 10px;text-align:right;"
      "border-bottom:1px solid #ddd}}</style></head><body>\n<h1>{0}: order and work</h1>\n<p>{1}</p>\n"
      "<p>{2}, against {3}.</p>\n",
      escape_xml(report.scene), escape_xml(report.description), escape_xml(report.what),
      escape_xml(report.goal.reference));
  out += "<h2>Orders</h2>\n<p>Behind the names: the fitted orders.</p>\n";
  for (const bool by_tolerance : {false, true})
    if (has(report, by_tolerance)) out += over_values(report, by_tolerance);
  out += "<h2>Work and precision</h2>\n";
  for (const MeasureWords& words : k_measures) out += work_plot(report, words.measure);
  out += "<h2>Numbers</h2>\n";
  for (const ConvergenceSeries& series : report.series) out += table_of(report, series);
  return out + "</body></html>\n";
}

}  // namespace delassus::cli
