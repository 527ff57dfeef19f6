// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus convergence: errors at the end time over a list of steps, observed order, work.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "apps/cli/commands.hpp"
#include "apps/cli/plot.hpp"
#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

struct Row {
  double step, error, order, seconds, drift;
  long solves, iterations;
};

// The simulation could not go on.
struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs to the end; the state there. Throws Stopped.
State run_to_end(const ConvergenceArguments& arguments, double step, Row* row) {
  std::vector<SceneSetting> settings = arguments.settings;
  settings.push_back({fmt::format("stepper.step={:.17g}", step), fmt::format("--steps {:g}", step)});
  const Scene scene = load_scene(arguments.scene, settings);
  Simulation simulation(scene);
  if (row != nullptr)
    simulation.observe([row](const Simulation&, const StepReport& report) {
      row->solves += report.certificate.solves;
      row->iterations += report.certificate.iterations;
      row->drift = std::max(row->drift, report.certificate.joint_drift);
      return true;
    });
  const auto started = std::chrono::steady_clock::now();
  if (!simulation.run_until(scene.desc.duration))
    throw Stopped(fmt::format("{}: the run with step {:g} s could not go on: {}", scene.desc.name, step,
                              simulation.report().message));
  if (row != nullptr)
    row->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return simulation.state();
}

Vector parse_exact(const std::string& text) {
  const DataTree value = parse_yaml(text, "--exact");
  if (value.kind != DataTree::Kind::list)
    throw InputError("--exact " + text + ": allowed: a list of numbers, e.g. [1.0,2.0]");
  Vector q(static_cast<Eigen::Index>(value.list.size()));
  for (std::size_t i = 0; i < value.list.size(); ++i) {
    if (value.list[i].kind != DataTree::Kind::number || !std::isfinite(value.list[i].number))
      throw InputError("--exact " + text + ": " + quote(value.list[i].text) + " is not a finite number");
    q[static_cast<Eigen::Index>(i)] = value.list[i].number;
  }
  return q;
}

std::vector<double> read_steps(const ConvergenceArguments& arguments) {
  std::vector<double> steps;
  for (const std::string& text : arguments.steps) steps.push_back(parse_positive("--steps", text));
  std::sort(steps.rbegin(), steps.rend());
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (steps[i] == steps[i - 1])
      throw InputError(fmt::format("--steps: {:g} stands twice; allowed: different steps", steps[i]));
  require_writable(arguments.json);
  require_writable(arguments.plot);
  if (steps.size() < 2) throw InputError("--steps needs at least two steps, e.g. 2^-5,2^-6,2^-7");
  return steps;
}

// What the runs are compared with.
struct Reference {
  Vector q;
  std::string text;
};

Reference find_reference(const ConvergenceArguments& arguments, double smallest_step) {
  if (!arguments.exact.empty()) {
    Reference out{parse_exact(arguments.exact), "given exact coordinates"};
    const int nq = compile(load_scene(arguments.scene, arguments.settings).desc).system->nq();
    if (out.q.size() != nq)
      throw InputError(
          fmt::format("--exact has {} numbers; allowed: {}, one a coordinate", out.q.size(), nq));
    return out;
  }
  const double step = arguments.reference_step.empty()
                          ? smallest_step / 8
                          : parse_positive("--reference-step", arguments.reference_step);
  return {run_to_end(arguments, step, nullptr).q, fmt::format("a run with step {:g}", step)};
}

// Least-squares slope of log error over log step.
double fit_order(const std::vector<Row>& rows) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (const Row& row : rows) {
    if (!(row.error > 0)) continue;
    const double x = std::log(row.step), y = std::log(row.error);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// Prints the table and gives it back as JSON.
nlohmann::json print_table(const std::vector<Row>& rows) {
  fmt::print("{:>14}{:>16}{:>8}{:>8}{:>12}{:>10}{:>10}{:>10}\n", "step", "error", "ratio", "order",
             "joint drift", "solves", "pivots", "seconds");
  nlohmann::json table = nlohmann::json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const std::string ratio = i > 0 ? fmt::format("{:.3f}", rows[i - 1].error / row.error) : "";
    fmt::print("{:>14.8g}{:>16.6e}{:>8}{:>8}{:>12.1e}{:>10}{:>10}{:>10.3f}\n", row.step, row.error, ratio,
               i > 0 ? fmt::format("{:.2f}", row.order) : "", row.drift, row.solves, row.iterations,
               row.seconds);
    table.push_back({{"step", row.step},
                     {"error", row.error},
                     {"order", i > 0 ? nlohmann::json(row.order) : nlohmann::json()},
                     {"joint_drift", row.drift},
                     {"solves", row.solves},
                     {"pivots", row.iterations},
                     {"seconds", row.seconds}});
  }
  return table;
}

void write_plot(const std::vector<Row>& rows, const std::string& stepper, const std::string& title,
                const std::string& path) {
  LogPlot plot{.title = title, .x_label = "step [s]", .y_label = "error of q(T)"};
  plot.series.push_back({.name = stepper});
  for (const Row& row : rows) plot.series[0].points.emplace_back(row.step, row.error);
  write_file(path, to_svg(plot));
  fmt::print("plot: {}\n", path);
}

int measure_convergence(const ConvergenceArguments& arguments) {
  const std::vector<double> steps = read_steps(arguments);
  const Reference reference = find_reference(arguments, steps.back());
  std::vector<Row> rows;
  for (double step : steps) {
    Row row{.step = step, .order = NAN};
    const State state = run_to_end(arguments, step, &row);
    row.error = (state.q - reference.q).norm();
    if (!rows.empty() && row.error > 0)
      row.order = std::log(rows.back().error / row.error) / std::log(rows.back().step / row.step);
    rows.push_back(row);
  }
  const double fitted = fit_order(rows);
  const Scene scene = load_scene(arguments.scene, arguments.settings);
  const std::string stepper = Simulation(scene).stepper_name();
  fmt::print("{}: error of q at t = {:g} s, {}, against {}\n\n", scene.name(), scene.duration(), stepper,
             reference.text);
  const nlohmann::json table = print_table(rows);
  fmt::print("\nfitted order {:.3f}\n", fitted);
  if (!arguments.json.empty())
    write_file(arguments.json, nlohmann::json{{"scene", scene.name()},
                                              {"stepper", stepper},
                                              {"reference", reference.text},
                                              {"fitted_order", fitted},
                                              {"rows", table}}
                                       .dump(2) +
                                   "\n");
  if (!arguments.plot.empty())
    write_plot(rows, stepper, fmt::format("{}: {}, fitted order {:.2f}", scene.name(), stepper, fitted),
               arguments.plot);
  return k_done;
}

}  // namespace

double parse_positive(const std::string& option, const std::string& text) {
  double value = NAN;
  try {
    value = Expression::parse(text, {}).evaluate({});
  } catch (const ExpressionError& error) {
    throw InputError(fmt::format("{} {}: {}; allowed: a number > 0", option, text, error.message()));
  }
  if (!std::isfinite(value) || !(value > 0))
    throw InputError(fmt::format("{} {}: {} is not allowed; allowed: a number > 0", option, text,
                                 std::isnan(value) ? NAN : value));
  return value;
}

int convergence_command(const ConvergenceArguments& arguments) {
  try {
    return measure_convergence(arguments);
  } catch (const Stopped& stop) {
    fmt::print(stderr, "{}\n", stop.what());
    return k_stopped;
  }
}

}  // namespace delassus::cli
