// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus run, demo: scene → recording, tables, report.
#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/progress.hpp"
#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/front/run_files.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

volatile std::sig_atomic_t g_interrupted =
    0;  // set by the signal handler, the only way it can speak to the loop

// The first one ends the run after the step at hand; a second one does not wait for it.
extern "C" void on_interrupt(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

struct RunOutcome {
  int status = k_done;
  std::string summary;  // JSON
};

// The first few names of a list.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
    out += (i == 0 ? "'" : ", '") + names[i] + "'";
  if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
  return out;
}

// The directory of runs of a scene with this title: part of a path, never a path itself.
std::string directory_name(const std::string& title) {
  std::string name = title;
  for (char& c : name)
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '_';
  if (name.front() == '.') name.front() = '_';
  return name;
}

struct PreparedRun {
  Scene scene;
  Simulation simulation;
};

// Everything that can be wrong with the input is found here, before anything is written.
PreparedRun prepare(const RunArguments& arguments, const std::vector<SceneSetting>& settings) {
  Scene scene = load_scene(arguments.scene, settings);
  Simulation simulation(scene);
  if (!arguments.resume.empty()) {
    State state = load_state_file(arguments.resume);
    try {
      simulation.set_state(std::move(state));
    } catch (const InputError& error) {
      throw InputError(Place{arguments.resume, 0, 0},
                       fmt::format("the state does not fit {}: {}", scene.desc.name, error.what()));
    }
    if (simulation.state().t >= scene.desc.duration)
      throw InputError(Place{arguments.resume, 0, 0},
                       fmt::format("the state is at t = {} s, the run ends at {} s; give a longer --duration",
                                   simulation.state().t, scene.desc.duration));
  }
  if (const StartResult& start = simulation.start();
      !arguments.quiet && (start.moved > 0 || start.velocity_change > 0))
    fmt::print(
        "{}: the start was put onto its joints: positions moved by up to {:.2g} m, velocities by {:.2g} "
        "m/s\n",
        scene.desc.name, start.moved, start.velocity_change);
  return {std::move(scene), std::move(simulation)};
}

void print_redundancy(const std::string& name, const Redundancy& redundancy) {
  if (redundancy.num_redundant > 0)
    fmt::print(
        "{}: {} of {} joint rows depend on others; the reactions of {} are not unique, the least-norm ones "
        "are reported\n",
        name, redundancy.num_redundant, redundancy.num_rows, listed(redundancy.not_unique()));
}

void print_outcome(const RunSummary& summary, const RunArguments& arguments, const std::string& directory) {
  for (const std::string& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", warning);
  const long hidden = summary.num_warnings - static_cast<long>(summary.warnings.size());
  if (hidden > 0) fmt::print(stderr, "warning: and {} more\n", hidden);
  fmt::print("{}: {} at t = {:g} s, {} steps, {} events, {:.2f} s\n", summary.scene, summary.status,
             summary.time, summary.steps, summary.events, summary.seconds);
  fmt::print(
      "  certificate: residual {:.1e}, joint drift {:.1e} m, penetration {:.1e} m, energy defect {:.1e} "
      "J\n",
      summary.worst.residual, summary.worst.joint_drift, summary.worst.penetration,
      summary.worst.energy_defect);
  fmt::print("  written to {}: recording.h5, summary.json, state.txt{}{}\n", directory,
             arguments.csv ? ", *.csv" : "", arguments.report ? ", report.html" : "");
}

// Saves states on the way, shows how far the run is, and ends it when the user interrupts.
void watch(Simulation& simulation, const RunArguments& arguments, const std::string& directory,
           const RunFiles& files, Progress& progress) {
  const double t_begin = simulation.time(), interval = arguments.checkpoint_every.value_or(INFINITY);
  simulation.observe([&, directory, t_begin, interval, next = t_begin + interval](const Simulation& now,
                                                                                  const StepReport&) mutable {
    if (now.time() >= next - 1e-12 * std::abs(next)) {
      save_file(now.state(), fmt::format("{}/state_{:.6f}.txt", directory, now.time()));
      next += interval;
    }
    progress.update(now.time() - t_begin,
                    fmt::format("t = {:.3f} s, {} events", now.time(), files.summary().events));
    return g_interrupted == 0;
  });
}

RunOutcome run_once(const RunArguments& arguments, const std::vector<SceneSetting>& settings,
                    const std::string& directory) {
  PreparedRun prepared = prepare(arguments, settings);
  const Scene& scene = prepared.scene;
  Simulation& simulation = prepared.simulation;
  const double t_end = scene.duration();
  RunFiles files(directory, scene, simulation);
  if (!arguments.quiet) print_redundancy(scene.name(), files.redundancy());
  Progress progress(scene.name(), t_end - simulation.time(), arguments.quiet);
  watch(simulation, arguments, directory, files, progress);
  const bool reached = simulation.run_until(t_end);
  progress.finish();

  std::string status = "completed", message;
  if (!reached) {
    status = g_interrupted != 0 ? "interrupted" : "stopped";
    message = g_interrupted != 0 ? "interrupted by the user" : simulation.report().message;
  }
  files.finish(simulation, status, message);
  if (arguments.csv) files.write_tables();
  if (arguments.report) files.write_page();
  if (!arguments.quiet) print_outcome(files.summary(), arguments, directory);
  if (!reached)
    fmt::print(stderr, "{}: {}; the last good state is in {}/state.txt\n", scene.name(), message, directory);
  return {reached ? k_done : k_stopped, to_json(files.summary())};
}

// The values of path=a,b,c; commas within brackets, braces and quotes belong to a value.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else
      depth += c == '[' || c == '{' || c == '(' ? 1 : c == ']' || c == '}' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0 && quote == 0)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

// All combinations of the sweeps, as lists of path=value.
std::vector<std::vector<SceneSetting>> expand_sweeps(const std::vector<std::string>& sweeps) {
  std::vector<std::vector<SceneSetting>> combinations{{}};
  for (const std::string& sweep : sweeps) {
    const Place place{"--sweep " + sweep, 0, 0};
    const std::size_t equals = sweep.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == sweep.size())
      throw InputError(place, "a sweep has the form path=a,b,c, e.g. --sweep stepper.step=1e-2,1e-3");
    std::vector<std::vector<SceneSetting>> next;
    for (const auto& combination : combinations)
      for (const std::string& value : split_values(sweep.substr(equals + 1))) {
        if (value.empty())
          throw InputError(place, "a value is empty; allowed: values with one comma between them");
        next.push_back(combination);
        next.back().emplace_back(sweep.substr(0, equals + 1) + value, place.file);
      }
    combinations = std::move(next);
    constexpr std::size_t max_combinations = 100'000;
    if (combinations.size() > max_combinations)
      throw InputError(place, fmt::format("the sweeps have {} combinations; allowed: up to {}",
                                          combinations.size(), max_combinations));
  }
  return combinations;
}

}  // namespace

int run_command(const RunArguments& arguments) {
  g_interrupted = 0;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  const std::string title = load_scene(arguments.scene, arguments.settings).desc.name;
  const std::string directory = arguments.out.empty() ? "out/" + directory_name(title) : arguments.out;
  if (arguments.sweeps.empty()) return run_once(arguments, arguments.settings, directory).status;

  const auto combinations = expand_sweeps(arguments.sweeps);
  const auto settings_of = [&](const std::vector<SceneSetting>& combination) {
    std::vector<SceneSetting> settings = arguments.settings;
    settings.insert(settings.end(), combination.begin(), combination.end());
    return settings;
  };
  // A mistake in the last combination must not cost the runs before it.
  for (const auto& combination : combinations) prepare(arguments, settings_of(combination));
  int status = k_done;
  nlohmann::json table = nlohmann::json::array();
  for (std::size_t i = 0; i < combinations.size() && g_interrupted == 0; ++i) {
    const std::string where = fmt::format("{}/{:03d}", directory, i);
    std::vector<std::string> texts;
    for (const SceneSetting& setting : combinations[i]) texts.push_back(setting.text);
    if (!arguments.quiet) fmt::print("{}\n", fmt::join(texts, " "));
    const RunOutcome outcome = run_once(arguments, settings_of(combinations[i]), where);
    nlohmann::json row = nlohmann::json::parse(outcome.summary);
    row["sweep"] = texts;
    row["directory"] = where;
    table.push_back(std::move(row));
    status = std::max(status, outcome.status);
  }
  // Paths need not be UTF-8; JSON must.
  write_file(directory + "/sweep.json",
             table.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return status;
}

int demo_command(const std::string& name, const std::string& out, bool quiet) {
  if (name.empty()) {
    fmt::print("Built-in scenes; run one with `delassus demo NAME`:\n\n");
    return list_command("scenes");
  }
  RunArguments arguments;
  arguments.scene = name;
  arguments.out = out.empty() ? "out/" + name : out;
  arguments.quiet = quiet;
  const int status = run_command(arguments);
  if (!quiet) fmt::print("Open {}/report.html in a browser.\n", arguments.out);
  return status;
}

}  // namespace delassus::cli
