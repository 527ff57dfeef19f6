// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus convergence: errors over a list of steps or tolerances, observed orders, and what they cost, for a list of schemes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "apps/cli/commands.hpp"
#include "apps/cli/convergence_page.hpp"
#include "apps/cli/convergence_runs.hpp"
#include "delassus/base/files.hpp"
#include "delassus/scene/compile.hpp"

namespace delassus::cli {
namespace {

// The reference run could not go on.
struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Descending, each once.
std::vector<double> read_values(const char* option, const std::vector<std::string>& texts) {
  std::vector<double> values;
  for (const std::string& text : texts) values.push_back(parse_positive(option, text));
  std::sort(values.rbegin(), values.rend());
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] == values[i - 1])
      throw InputError(fmt::format("{}: {:g} stands twice; allowed: different ones", option, values[i]));
  if (values.size() == 1)
    throw InputError(fmt::format("{} needs at least two, e.g. {}", option,
                                 option == std::string("--steps") ? "2^-5,2^-6,2^-7" : "1e-4,1e-5,1e-6"));
  return values;
}

struct Lists {
  std::vector<double> steps, tolerances;
  std::vector<ConvergenceSeries> series;
};

Lists read_lists(const ConvergenceArguments& arguments) {
  Lists out{read_values("--steps", arguments.steps), read_values("--tolerances", arguments.tolerances), {}};
  if (out.steps.empty() && out.tolerances.empty())
    throw InputError(
        "delassus: convergence needs --steps, e.g. 2^-5,2^-6,2^-7, or --tolerances, e.g. 1e-4,1e-5,1e-6; see "
        "`delassus help convergence`");
  if (!arguments.controlled.empty() && out.tolerances.empty())
    throw InputError("--controlled lists schemes for --tolerances, which are not given");
  const auto add = [&](const std::vector<std::string>& names, bool by_tolerance, const char* option) {
    std::vector<std::string> all = names;
    if (all.empty()) all.emplace_back();
    for (const std::string& name : all) {
      ConvergenceSeries series{.name = name, .by_tolerance = by_tolerance, .settings = arguments.settings};
      if (!name.empty())
        for (const SceneSetting& setting : stepper_settings(name, option)) series.settings.push_back(setting);
      out.series.push_back(std::move(series));
    }
  };
  if (!out.steps.empty()) add(arguments.steppers, false, "--steppers");
  if (!out.tolerances.empty())
    add(arguments.controlled.empty() ? arguments.steppers : arguments.controlled, true,
        arguments.controlled.empty() ? "--steppers" : "--controlled");
  return out;
}

ConvergenceGoal read_goal(const ConvergenceArguments& arguments) {
  ConvergenceGoal out;
  for (const std::string& text : arguments.norms) {
    out.norms.push_back(parse_norm(text));
    if (std::count(out.norms.begin(), out.norms.end(), out.norms.back()) > 1)
      throw InputError("--norm: " + text + " stands twice; allowed: different ones");
  }
  if (arguments.of != "q" && arguments.of != "v")
    throw InputError("--of " + quote(arguments.of) + " is not allowed; allowed: q, v");
  out.of_velocity = arguments.of == "v";
  return out;
}

// By default the first scheme with an eighth of the smallest step, or with a hundredth of the smallest tolerance.
void run_reference(const ConvergenceArguments& arguments, const Lists& lists, ConvergenceGoal& goal) {
  constexpr double finer_step = 8, finer_tolerance = 100, smallest_tolerance = 1e-13;
  const bool by_tolerance =
      arguments.reference_step.empty() && (!arguments.reference_tolerance.empty() || lists.steps.empty());
  const double value =
      by_tolerance                        ? (!arguments.reference_tolerance.empty()
                                                 ? parse_positive("--reference-tolerance", arguments.reference_tolerance)
                                                 : std::max(lists.tolerances.back() / finer_tolerance, smallest_tolerance))
      : !arguments.reference_step.empty() ? parse_positive("--reference-step", arguments.reference_step)
                                          : lists.steps.back() / finer_step;
  std::vector<SceneSetting> settings = lists.series.front().settings;
  std::string with;
  if (!arguments.reference_stepper.empty()) {
    settings = arguments.settings;
    for (const SceneSetting& setting : stepper_settings(arguments.reference_stepper, "--reference-stepper"))
      settings.push_back(setting);
    with = arguments.reference_stepper + " and ";
  }
  const Scene scene = scene_of(arguments.scene, settings, by_tolerance, value);
  Simulation simulation(scene);
  const auto motion = std::make_shared<RecordedMotion>();
  const std::string with_value = fmt::format("{} {:g}", by_tolerance ? "tolerance" : "step", value);
  const bool with_events = goal.norms != std::vector{ErrorNorm::end};
  if (!motion->record(scene, simulation, with_events))
    throw Stopped(fmt::format("{}: the run with {}{} could not go on: {}", scene.name(), with,
                              by_tolerance ? with_value : with_value + " s", simulation.report().message));
  goal.motion = motion;
  goal.reference = fmt::format("a run with {}{}", with, with_value);
}

void find_reference(const ConvergenceArguments& arguments, const Lists& lists, ConvergenceGoal& goal) {
  const auto system = compile(load_scene(arguments.scene, arguments.settings).desc).system;
  if (goal.needs_graphs() && !goal.of_velocity && system->nq() != system->nv())
    throw InputError(
        "--norm hausdorff of positions with rotations is not defined; allowed: --of v, or another norm: "
        "positions do not jump");
  if (arguments.exact.empty()) return run_reference(arguments, lists, goal);
  const auto motion = std::make_shared<ExactMotion>(arguments.exact, *system);
  if ((goal.of_velocity || goal.norms != std::vector{ErrorNorm::end}) && !motion->known_throughout())
    throw InputError(
        "--exact " + arguments.exact +
        ": says where the motion ends; norms over time and velocities need formulas of t, e.g. [1-t^2]");
  goal.motion = motion;
  goal.reference = motion->known_throughout() ? "given formulas" : "given exact coordinates";
}

// A number that JSON has: null for what is not known.
nlohmann::json known(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json to_json(const ConvergenceSeries& series, const ConvergenceGoal& goal) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ConvergenceRow& row : series.rows) {
    nlohmann::json errors = nlohmann::json::object(), orders = nlohmann::json::object();
    for (std::size_t k = 0; k < goal.norms.size(); ++k) {
      errors[to_string(goal.norms[k])] = known(row.errors[k]);
      orders[to_string(goal.norms[k])] = known(row.orders[k]);
    }
    rows.push_back({{series.by_tolerance ? "tolerance" : "step", row.value},
                    {"error", known(row.errors[0])},
                    {"order", known(row.orders[0])},
                    {"errors", errors},
                    {"orders", orders},
                    {"joint_drift", row.drift},
                    {"solves", row.work.problems},
                    {"pivots", row.iterations},
                    {"forces", row.work.forces},
                    {"derivatives", row.work.derivatives},
                    {"factorisations", row.work.factorisations},
                    {"steps", row.steps},
                    {"substeps", row.substeps},
                    {"rejected", row.rejected},
                    {"events", row.events},
                    {"variation", row.variation},
                    {"weighted_variation", row.weighted_variation},
                    {"failure", row.failure},
                    {"seconds", row.seconds}});
  }
  nlohmann::json fitted = nlohmann::json::object();
  for (std::size_t k = 0; k < goal.norms.size(); ++k)
    fitted[to_string(goal.norms[k])] = known(series.fitted[k]);
  return {{"name", series.name},
          {"stepper", series.stepper},
          {"fitted_order", known(series.fitted[0])},
          {"fitted_orders", fitted},
          {"rows", rows}};
}

void print_table(const ConvergenceSeries& series, const ConvergenceGoal& goal) {
  const bool one = goal.norms.size() == 1;
  fmt::print("{:>14}", series.by_tolerance ? "tolerance" : "step");
  for (const ErrorNorm norm : goal.norms)
    fmt::print("{:>16}{}{:>8}", one ? "error" : to_string(norm), one ? "   ratio" : "", "order");
  fmt::print("{:>12}{:>10}{:>10}{:>9}{:>10}{:>10}\n", "joint drift", "forces", "factored", "solves", "pivots",
             "seconds");
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    const ConvergenceRow& row = series.rows[i];
    fmt::print("{:>14.8g}", row.value);
    for (std::size_t k = 0; k < goal.norms.size(); ++k) {
      fmt::print("{:>16.6e}", row.errors[k]);
      if (one)
        fmt::print("{:>8}", i > 0 ? fmt::format("{:.3f}", series.rows[i - 1].errors[k] / row.errors[k]) : "");
      fmt::print("{:>8}", i > 0 ? fmt::format("{:.2f}", row.orders[k]) : "");
    }
    fmt::print("{:>12.1e}{:>10}{:>10}{:>9}{:>10}{:>10.4f}\n", row.drift, row.work.forces,
               row.work.factorisations, row.work.problems, row.iterations, row.seconds);
  }
  std::string fitted;
  for (std::size_t k = 0; k < goal.norms.size(); ++k)
    fitted += one ? fmt::format("{:.3f}", series.fitted[k])
                  : fmt::format("{}{} {:.3f}", k > 0 ? ", " : "", to_string(goal.norms[k]), series.fitted[k]);
  fmt::print("\nfitted order {}\n", fitted);
}

nlohmann::json to_json(const ConvergenceSeries& series, double target) {
  nlohmann::json out{{"error", target}};
  for (const WorkMeasure measure : k_work_measures) {
    const WorkToTarget needed = work_to_target(series, measure, target);
    out[to_string(measure)] = known(needed.work);
    out["extrapolated"] = needed.extrapolated;
    out["at_most"] = needed.at_most;
  }
  return out;
}

// What each scheme needs for the same error.
void print_targets(const ConvergenceReport& report) {
  fmt::print("\nwork for an error of {:g}\n\n{:>44}", report.target, "");
  for (const WorkMeasure measure : k_work_measures) fmt::print("{:>16}", to_string(measure));
  fmt::print("\n");
  for (const ConvergenceSeries& series : report.series) {
    fmt::print("{:>44}", series.name + (series.by_tolerance ? ", tolerances" : ""));
    WorkToTarget needed;
    for (const WorkMeasure measure : k_work_measures) {
      needed = work_to_target(series, measure, report.target);
      fmt::print("{:>16}", std::isfinite(needed.work) ? fmt::format("{:.3g}", needed.work) : "not reached");
    }
    fmt::print("{}\n", needed.extrapolated ? "  extrapolated" : needed.at_most ? "  at most" : "");
  }
}

int measure_convergence(const ConvergenceArguments& arguments) {
  Lists lists = read_lists(arguments);
  for (const std::string* path : {&arguments.json, &arguments.plot, &arguments.work_plot, &arguments.page})
    require_writable(*path);
  const WorkMeasure cost = parse_cost(arguments.cost);
  ConvergenceGoal goal = read_goal(arguments);
  find_reference(arguments, lists, goal);
  const Scene scene = load_scene(arguments.scene, arguments.settings);
  ConvergenceReport report{
      .scene = scene.name(),
      .description = scene.desc.description,
      .what = describe(goal, scene.duration()),
      .goal = goal,
      .series = {},
      .target = arguments.target.empty() ? 0 : parse_positive("--target", arguments.target)};
  bool all_completed = true;
  for (std::size_t i = 0; i < lists.series.size(); ++i) {
    ConvergenceSeries& series = lists.series[i];
    run_series(arguments.scene, series.by_tolerance ? lists.tolerances : lists.steps, goal, arguments.repeat,
               series);
    if (series.name.empty()) series.name = series.stepper;
    fmt::print("{}{}: {}, {}, against {}\n\n", i > 0 ? "\n" : "", scene.name(), report.what, series.name,
               goal.reference);
    print_table(series, goal);
    for (const ConvergenceRow& row : series.rows) {
      if (row.failure.empty()) continue;
      all_completed = false;
      fmt::print(stderr, "{}: the run of {} with {} {:g} could not go on: {}\n", scene.name(), series.name,
                 series.by_tolerance ? "tolerance" : "step", row.value, row.failure);
    }
    report.series.push_back(series);
  }
  if (report.target > 0) print_targets(report);
  if (!arguments.json.empty()) {
    nlohmann::json out = to_json(report.series[0], goal), all = nlohmann::json::array();
    for (const ConvergenceSeries& series : report.series) {
      all.push_back(to_json(series, goal));
      if (report.target > 0) all.back()["target"] = to_json(series, report.target);
    }
    out["scene"] = scene.name();
    out["error"] = report.what;
    out["reference"] = goal.reference;
    out["series"] = all;
    write_file(arguments.json, out.dump(2) + "\n");
  }
  const auto write_picture = [](const std::string& path, const std::string& content, const char* what) {
    if (path.empty()) return;
    write_file(path, content);
    fmt::print("{}: {}\n", what, path);
  };
  write_picture(arguments.plot, order_plot(report), "plot");
  write_picture(arguments.work_plot, work_plot(report, cost), "plot");
  write_picture(arguments.page, convergence_page(report), "page");
  return all_completed ? k_done : k_stopped;
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
