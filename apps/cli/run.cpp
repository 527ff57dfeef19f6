// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus run, demo: scene → recording, tables, report.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/progress.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/stop_request.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/front/run_files.hpp"
#include "delassus/simulation/error_estimate.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/simulation/start_check.hpp"

namespace delassus::cli {
namespace {

// Signals that asked the run to end. Set by the handler, the only way it can speak to the program.
volatile std::sig_atomic_t g_interrupts = 0;

// The first one ends the step at hand and the run; whatever has been computed is written. Further ones only leave out what
// can be made from the recording later: tables and page.
extern "C" void on_interrupt(int /*signal*/) {
  g_interrupts = g_interrupts + 1;
  request_stop();
}

void take_signals() {
  g_interrupts = 0;
  clear_stop_request();
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, on_interrupt);
  // A file that may not grow is an error that can be told.
  std::signal(SIGXFSZ, SIG_IGN);
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

// A given state that has made no step, as `statics --state` writes it, is a start like that of a scene.
void judge_given_start(Simulation& simulation, StartPolicy policy) {
  const std::vector<std::string> problems = find_start_problems(simulation.system(), simulation.state());
  if (problems.empty() || policy == StartPolicy::accept) return;
  if (policy == StartPolicy::stop) throw InputError(refused_start(problems));
  State state = simulation.state();
  resolve_start(simulation.system(), state);
  simulation.set_state(std::move(state));
}

// Everything that can be wrong with the input is found here, before anything is written.
PreparedRun prepare(const RunArguments& arguments, const std::vector<SceneSetting>& settings) {
  Scene scene = load_scene(arguments.scene, settings);
  const StartPolicy start_policy = scene.desc.run.options.start;
  // Where a state is given, the scene's own start does not matter.
  if (!arguments.resume.empty()) scene.desc.run.options.start = StartPolicy::accept;
  Simulation simulation(scene);
  if (!arguments.resume.empty()) {
    State state = load_state_file(arguments.resume);
    try {
      simulation.set_state(std::move(state));
      if (simulation.state().history.num_steps == 0) judge_given_start(simulation, start_policy);
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
  if (!arguments.quiet && simulation.start_resolved() > 0)
    fmt::print("{}: the start was moved by up to {:.2g} m or rad, so that nothing overlaps\n",
               scene.desc.name, simulation.start_resolved());
  return {std::move(scene), std::move(simulation)};
}

void print_redundancy(const std::string& name, const Redundancy& redundancy) {
  if (redundancy.num_redundant > 0)
    fmt::print(
        "{}: {} of {} joint rows depend on others; the reactions of {} are not unique, the least-norm ones "
        "are reported\n",
        name, redundancy.num_redundant, redundancy.num_rows, listed(redundancy.not_unique()));
}

// With the unit of angles where there are any: "1.2e-13 m, 3.1e-14 rad".
std::string lengths_and_angles(double length, double angle) {
  return angle > 0 ? fmt::format("{:.1e} m, {:.1e} rad", length, angle) : fmt::format("{:.1e} m", length);
}

void print_energy(const RunSummary& summary) {
  // Below this share of the energy in play the parts of the error are not worth a line [-].
  constexpr double visible = 1e-6;
  const EnergyReport& e = summary.energy;
  fmt::print("  energy error {:+.1e} J at the end, {:.1e} J at most, {:.2g} % of the {:.3g} J in play\n",
             e.error, summary.worst.energy_error,
             summary.energy_in_play > 0 ? 100 * summary.worst.energy_error / summary.energy_in_play : 0.0,
             summary.energy_in_play);
  if (summary.worst.energy_error > visible * summary.energy_in_play)
    fmt::print(
        "    of which contacts {:+.1e}, joints {:+.1e} (less {:+.1e} of prescribed motions), projection "
        "{:+.1e}, "
        "bookkeeping {:+.1e} J\n",
        e.normal, e.joints, e.driven, e.projection, e.defect);
}

void print_bounds(const RunBounds& bounds) {
  fmt::print(
      "  monitors: kinetic energy at most {:.4g} times that of a step without constraints (t = {:g} s), "
      "velocities at most "
      "{:.4g} times what forces can make (t = {:g} s){}\n",
      bounds.step_ratio, bounds.step_time, bounds.growth_ratio, bounds.growth_time,
      bounds.why_not.empty() ? "" : "; not watched: " + bounds.why_not);
  fmt::print("    contact impulses: a part of {:.2g} at least cannot cancel (t = {:g} s){}\n",
             bounds.pointedness, bounds.pointedness_time,
             bounds.contacts_skipped ? "; some groups were too large to be looked at" : "");
}

void print_profile(const std::vector<WorkTime>& profile) {
  double whole = 0;
  for (const WorkTime& part : profile) whole += part.seconds;
  fmt::print("  where {:.3g} s of steps went:\n", whole);
  for (const WorkTime& part : profile)
    fmt::print("    {:<24}{:>9.3f} s {:>5.1f} %{}\n", to_string(part.kind), part.seconds,
               100 * part.seconds / whole,
               part.kind == WorkKind::other ? "" : fmt::format("  {:>9} calls", part.calls));
}

void print_outcome(const RunSummary& summary, const std::string& directory, bool tables, bool page) {
  for (const std::string& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", warning);
  for (const std::string& note : summary.notes) fmt::print("note: {}\n", note);
  fmt::print("{}: {} at t = {:g} s, {} steps, {} events, {:.2f} s\n", summary.scene, summary.status,
             summary.time, summary.steps, summary.events, summary.seconds);
  fmt::print("  stepper {}, {}{}\n", summary.stepper, summary.stepper_reason,
             summary.captured_steps > 0 ? fmt::format(" ({} steps)", summary.captured_steps) : "");
  if (summary.smallest_step > 0)
    fmt::print(
        "  error control: {} steps, {} refused, {:.2g} … {:.2g} s long; their estimated errors sum up to "
        "{:.1e} m or rad\n    {}\n",
        summary.step_statistics.taken(), summary.rejected, summary.smallest_step,
        summary.step_statistics.longest(), summary.local_errors, summary.step_statistics.text());
  if (const auto& estimate = summary.estimated_error)
    fmt::print("  {}\n", estimate->predictable
                             ? fmt::format("estimated error at the end: {:.1e} m or rad (of '{}')",
                                           estimate->error, estimate->worst)
                             : fmt::format("the error is not predictable after t = {:.4g} s: {}",
                                           estimate->predictable_until, estimate->reason));
  if (const long warnings = summary.num_warnings(); warnings > 0)
    fmt::print("  {} warning{}: {}\n", warnings, warnings == 1 ? "" : "s", summary.warning_text());
  fmt::print("  certificate: equations solved to {:.1e}, joint drift {}, penetration {}\n",
             summary.worst.residual, lengths_and_angles(summary.worst.joint_drift, summary.worst.joint_turn),
             lengths_and_angles(summary.worst.penetration, summary.worst.stop_excess));
  print_energy(summary);
  if (summary.bounds.watched) print_bounds(summary.bounds);
  if (!summary.profile.empty()) print_profile(summary.profile);
  fmt::print("  written to {}: recording.h5, summary.json, state.txt{}{}\n", directory,
             tables ? ", *.csv" : "", page ? ", report.html" : "");
}

// Saves states on the way, shows how far the run is, and ends it when the user interrupts.
void watch(Simulation& simulation, const RunArguments& arguments, const std::string& directory,
           const RunFiles& files, Progress& progress) {
  const double t_begin = simulation.time(), interval = arguments.checkpoint_every.value_or(INFINITY);
  // Enough digits that no two steps have the same name.
  const int digits =
      std::clamp(1 - static_cast<int>(std::floor(std::log10(simulation.options().step))), 6, 17);
  simulation.observe([&, directory, t_begin, interval, digits, num_saved = 0.0](
                         const Simulation& now, const StepReport& report) mutable {
    const double next = t_begin + (num_saved + 1) * interval;
    if (now.time() >= next - 1e-12 * std::abs(next) && !report.stopped) {
      save_file(now.state(), fmt::format("{}/state_{:.{}f}.txt", directory, now.time(), digits));
      num_saved = std::max(num_saved + 1, std::floor((now.time() - t_begin) / interval * (1 + 1e-12)));
    }
    progress.update(now.time() - t_begin,
                    fmt::format("t = {:.3f} s, {} events", now.time(), files.summary().events));
    return g_interrupts == 0;
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
  std::shared_ptr<ErrorEstimator> estimator;
  if (arguments.estimate_error) {
    estimator = std::make_shared<ErrorEstimator>(scene, simulation);
    simulation.observe([estimator](const Simulation& now, const StepReport& report) {
      if (report.ok) estimator->compare(now);
    });
  }
  if (arguments.profile) WorkClock::here().start();
  const bool reached = simulation.run_until(t_end);
  if (arguments.profile) files.set_profile(WorkClock::here().stop());
  progress.finish();

  std::string status = "completed", message;
  if (!reached) {
    status = g_interrupts != 0 ? "interrupted" : "stopped";
    message = g_interrupts != 0 ? "interrupted by the user" : simulation.report().message;
  }
  if (estimator) files.set_estimated_error(estimator->at_end(simulation));
  files.finish(simulation, status, message);
  const bool tables = arguments.csv && g_interrupts < 2;
  if (tables) files.write_tables();
  const bool page = arguments.report && g_interrupts < 2;
  if (page) files.write_page();
  if (!arguments.quiet) print_outcome(files.summary(), directory, tables, page);
  if (!reached)
    fmt::print(stderr, "{}: {}; the last good state is in {}/state.txt\n", scene.name(), message, directory);
  return {reached ? k_done : k_stopped, to_json(files.summary())};
}

// out/NAME, or out/NAME_from_TIME for a run that is resumed: the results of its first part must not be overwritten.
std::string output_directory(const RunArguments& arguments) {
  std::string directory = arguments.out;
  if (directory.empty()) {
    directory = "out/" + directory_name(load_scene(arguments.scene, arguments.settings).desc.name);
    if (!arguments.resume.empty())
      directory += fmt::format("_from_{:.9g}", load_state_file(arguments.resume).t);
  }
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!arguments.resume.empty() &&
      fs::equivalent(directory, fs::absolute(arguments.resume, ignored).parent_path(), ignored))
    throw InputError(fmt::format(
        "{} holds the state to resume from and the first part of its run, which would be overwritten; "
        "give another --out",
        directory));
  return directory;
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
  take_signals();
  const std::string directory = output_directory(arguments);
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
  for (std::size_t i = 0; i < combinations.size() && g_interrupts == 0; ++i) {
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
