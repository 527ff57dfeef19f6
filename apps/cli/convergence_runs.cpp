// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/convergence_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "delassus/base/error.hpp"

namespace delassus::cli {
namespace {

constexpr std::pair<const char*, ErrorNorm> k_norms[] = {{"end", ErrorNorm::end},
                                                         {"L1", ErrorNorm::L1},
                                                         {"L2", ErrorNorm::L2},
                                                         {"max", ErrorNorm::max},
                                                         {"hausdorff", ErrorNorm::hausdorff}};

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Sizes of (1) at the nodes of a run.
std::vector<double> sizes_of_errors(const System& system, const RecordedMotion& run,
                                    const ConvergenceGoal& goal, bool all) {
  std::vector<double> out;
  Vector e;
  const auto& nodes = run.nodes();
  for (std::size_t i = all ? 0 : nodes.size() - 1; i < nodes.size(); ++i) {
    if (goal.of_velocity)
      goal.motion->velocity_difference(system, nodes[i].t, nodes[i].v, e);
    else
      goal.motion->difference(system, nodes[i].t, nodes[i].q, e);
    out.push_back(e.norm());
  }
  return out;
}

std::vector<double> times_of(const RecordedMotion& run) {
  std::vector<double> out;
  for (const RecordedMotion::Node& node : run.nodes()) out.push_back(node.t);
  return out;
}

void measure(const Scene& scene, const System& system, const RecordedMotion& run, const ConvergenceGoal& goal,
             ConvergenceRow& row) {
  const std::vector<double> times = times_of(run);
  const bool all = goal.motion->known_throughout();
  const std::vector<double> errors = sizes_of_errors(system, run, goal, all);
  RecordedMotion with_events;
  if (goal.needs_graphs()) {
    Simulation again(scene);
    with_events.record(scene, again, true);
  }
  for (const ErrorNorm norm : goal.norms) switch (norm) {
      case ErrorNorm::end:
        row.errors.push_back(errors.back());
        break;
      case ErrorNorm::L1:
        row.errors.push_back(grid_norm(times, errors, 1));
        break;
      case ErrorNorm::L2:
        row.errors.push_back(grid_norm(times, errors, 2));
        break;
      case ErrorNorm::max:
        row.errors.push_back(grid_norm(times, errors, std::numeric_limits<double>::infinity()));
        break;
      case ErrorNorm::hausdorff:
        row.errors.push_back(
            hausdorff_distance(with_events.graph(system, goal.of_velocity, {}),
                               goal.motion->graph(system, goal.of_velocity, times_of(with_events))));
        break;
    }
}

ConvergenceRow run_once(const Scene& scene, const ConvergenceGoal& goal, ConvergenceSeries& series,
                        double value) {
  ConvergenceRow row{.value = value};
  Simulation simulation(scene);
  series.stepper = simulation.stepper_name();
  Vector weighted;
  const auto watch = [&](const Simulation& now, const StepReport& report) {
    row.work += report.work;
    row.iterations += report.certificate.iterations;
    row.drift = std::max(row.drift, report.certificate.joint_drift);
    row.events += static_cast<long>(report.events.size());
    row.substeps += report.substeps;
    row.rejected += report.rejected;
    ++row.steps;
    const Vector& next = now.state().history.weighted_velocity;
    if (weighted.size() == next.size()) row.weighted_variation += (next - weighted).norm();
    weighted = next;
  };
  RecordedMotion run;
  const double started = now_in_seconds();
  const bool completed = run.record(scene, simulation, false, watch);
  row.seconds = now_in_seconds() - started;
  if (!completed) {
    row.failure = simulation.report().message;
    row.errors.assign(goal.norms.size(), NAN);
    return row;
  }
  row.variation = total_variation(run.graph(simulation.system(), true, {}));
  measure(scene, simulation.system(), run, goal, row);
  return row;
}

// (2) over all rows.
double fit_order(const std::vector<ConvergenceRow>& rows, std::size_t norm) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (const ConvergenceRow& row : rows) {
    if (!(row.errors[norm] > 0)) continue;
    const double x = std::log(row.value), y = std::log(row.errors[norm]);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

const char* to_string(ErrorNorm norm) {
  for (const auto& [name, value] : k_norms)
    if (value == norm) return name;
  return "unknown";
}

ErrorNorm parse_norm(const std::string& text) {
  for (const auto& [name, value] : k_norms)
    if (text == name) return value;
  throw InputError("--norm " + quote(text) + " is not allowed; allowed: end, L1, L2, max, hausdorff");
}

bool ConvergenceGoal::needs_graphs() const {
  return std::find(norms.begin(), norms.end(), ErrorNorm::hausdorff) != norms.end();
}

std::vector<SceneSetting> stepper_settings(const std::string& text, const char* option) {
  const std::string origin = std::string(option) + " " + text;
  std::vector<SceneSetting> out;
  std::size_t begin = 0;
  for (bool first = true; begin <= text.size(); first = false) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (part.empty() || equals == 0)
      throw InputError(origin +
                       ": allowed: NAME, NAME:METHOD or NAME:key=value, e.g. event-capturing-rk:radau-5 or "
                       "moreau-jean:theta=1");
    if (equals == std::string::npos)
      out.emplace_back(std::string(first ? "stepper.name=" : "stepper.method=") + part, origin);
    else if (part.substr(0, equals).find('.') == std::string::npos)
      out.emplace_back("stepper." + part, origin);
    else
      out.emplace_back(part, origin);
    begin = end + 1;
  }
  return out;
}

Scene scene_of(const std::string& name, const std::vector<SceneSetting>& settings, bool by_tolerance,
               double value) {
  std::vector<SceneSetting> all = settings;
  const char *path = by_tolerance ? "stepper.tolerance" : "stepper.step",
             *option = by_tolerance ? "--tolerances" : "--steps";
  all.push_back({fmt::format("{}={:.17g}", path, value), fmt::format("{} {:g}", option, value)});
  return load_scene(name, all);
}

void run_series(const std::string& scene_name, const std::vector<double>& values, const ConvergenceGoal& goal,
                int repeat, ConvergenceSeries& series) {
  for (const double value : values) {
    const Scene scene = scene_of(scene_name, series.settings, series.by_tolerance, value);
    ConvergenceRow row = run_once(scene, goal, series, value);
    for (int i = 1; i < repeat && row.failure.empty(); ++i) {
      Simulation again(scene);
      RecordedMotion run;
      const double started = now_in_seconds();
      run.record(scene, again, false);
      row.seconds = std::min(row.seconds, now_in_seconds() - started);
    }
    row.orders.assign(goal.norms.size(), NAN);
    if (!series.rows.empty())
      for (std::size_t k = 0; k < goal.norms.size(); ++k) {
        const ConvergenceRow& last = series.rows.back();
        if (row.errors[k] > 0 && last.errors[k] > 0)
          row.orders[k] = std::log(last.errors[k] / row.errors[k]) / std::log(last.value / value);
      }
    series.rows.push_back(std::move(row));
  }
  for (std::size_t k = 0; k < goal.norms.size(); ++k) series.fitted.push_back(fit_order(series.rows, k));
}

}  // namespace delassus::cli
