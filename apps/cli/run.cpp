// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus run, demo: scene → recording, tables, report.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/load.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/report_page.hpp"
#include "delassus/base/files.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/io/csv.hpp"
#include "delassus/recorder/recorder.hpp"
#include "delassus/steppers/redundancy.hpp"

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
  nlohmann::json summary;
};

// Paths need not be UTF-8; JSON must.
std::string to_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Worst values of the run, for the summary.
struct Worst {
  double residual = 0, drift = 0, penetration = 0, energy_defect = 0;
  int iterations = 0;
  long events = 0, substeps = 0, rejected = 0;
  std::vector<std::string> warnings;
  long num_warnings = 0;

  void add(const StepReport& report) {
    const Certificate& c = report.certificate;
    residual = std::max({residual, c.contact_residual, c.joint_residual, c.momentum_residual});
    drift = std::max(drift, c.joint_drift);
    penetration = std::max(penetration, c.penetration);
    energy_defect = std::max(energy_defect, std::abs(report.energy.defect));
    iterations += c.iterations;
    events += static_cast<long>(report.events.size());
    substeps += report.substeps;
    rejected += report.rejected;
    for (const std::string& warning : report.warnings) warn(warning);
  }

  void warn(const std::string& warning) {
    constexpr std::size_t shown = 20;
    ++num_warnings;
    if (warnings.size() < shown) warnings.push_back(warning);
  }
};

// Shapes that overlap at the start are pushed apart in the first step: as far as they overlap, at once.
std::vector<std::string> start_warnings(const Simulation& simulation) {
  constexpr double visible = 1e-6;  // [m]
  std::vector<std::string> out;
  const auto* system = dynamic_cast<const MultibodySystem*>(&simulation.system());
  if (system == nullptr) return out;
  for (const CollisionWorld::Overlap& overlap :
       system->overlaps(simulation.state().t, simulation.state().q, visible))
    out.push_back(
        fmt::format("shapes '{}' and '{}' overlap by {:.3g} m at the start; `delassus check SCENE --resolve "
                    "FILE` moves them apart",
                    system->shape_name(overlap.shape_a), system->shape_name(overlap.shape_b), overlap.depth));
  return out;
}

RunInfo make_info(const LoadedScene& scene, const Simulation& simulation) {
  const SimulationOptions& options = simulation.options();
  RunInfo info{.title = scene.desc.name,
               .description = scene.desc.description,
               .program = "delassus " + version(),
               .scene_text = scene.text};
  info.settings = {{"stepper", simulation.stepper_name()},
                   {"step", fmt::format("{}", options.step)},
                   {"duration", fmt::format("{}", scene.desc.duration)},
                   {"solver", options.solver.name},
                   {"impact law", setting_text({.options = options}, "impact", "law")},
                   {"projection", setting_text({.options = options}, "stepper", "projection")}};
  for (const std::string& setting : scene.settings) info.settings.emplace_back("set", setting);
  return info;
}

nlohmann::json final_bodies(const System& system, const State& state) {
  std::vector<BodyMotion> motions;
  system.body_motions(state.t, state.q, state.v, motions);
  nlohmann::json out = nlohmann::json::array();
  for (int i = 0; i < system.num_bodies(); ++i) {
    const BodyMotion& m = motions[i];
    out.push_back({{"name", system.body_name(i)},
                   {"position", {m.position.x(), m.position.y(), m.position.z()}},
                   {"orientation", {m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]}},
                   {"velocity", {m.velocity.x(), m.velocity.y(), m.velocity.z()}}});
  }
  return out;
}

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
  LoadedScene scene;
  Simulation simulation;
};

// Everything that can be wrong with the input is found here, before anything is written.
PreparedRun prepare(const RunArguments& arguments, const std::vector<Setting>& settings) {
  LoadedScene scene = load_scene(arguments.scene, settings);
  Simulation simulation = make_simulation(scene);
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

RunOutcome run_once(const RunArguments& arguments, const std::vector<Setting>& settings,
                    const std::string& directory) {
  PreparedRun prepared = prepare(arguments, settings);
  const LoadedScene& scene = prepared.scene;
  Simulation& simulation = prepared.simulation;
  const double t_end = scene.desc.duration;

  const Redundancy redundancy = find_redundancy(simulation.system(), simulation.state());
  if (redundancy.num_redundant > 0 && !arguments.quiet)
    fmt::print(
        "{}: {} of {} joint rows depend on others; the reactions of {} are not unique, the least-norm ones "
        "are reported\n",
        scene.desc.name, redundancy.num_redundant, redundancy.num_rows, listed(redundancy.not_unique()));
  Recorder recorder(directory, simulation.system(), make_info(scene, simulation),
                    {.every = scene.desc.run.output_every});
  recorder.record_initial(simulation.state(), energy_of(simulation.system(), simulation.state()));
  Worst worst;
  for (const std::string& warning : start_warnings(simulation)) worst.warn(warning);
  Progress progress(scene.desc.name, t_end - simulation.state().t, arguments.quiet);
  const double t_begin = simulation.state().t;
  double next_checkpoint = arguments.checkpoint_every ? t_begin + *arguments.checkpoint_every : INFINITY;
  simulation.observe([&](const Simulation& s, const StepReport& report) {
    const bool last = !report.ok || g_interrupted != 0 || s.state().t >= t_end * (1 - 1e-14);
    if (report.ok || report.substeps > 0) recorder.record(s.state(), report, last);
    worst.add(report);
    if (s.state().t >= next_checkpoint - 1e-12 * std::abs(next_checkpoint)) {
      save_file(s.state(), fmt::format("{}/state_{:.6f}.txt", directory, s.state().t));
      next_checkpoint += *arguments.checkpoint_every;
    }
    progress.update(s.state().t - t_begin, fmt::format("t = {:.3f} s, {} events", s.state().t, worst.events));
    return g_interrupted == 0;
  });
  const auto started = std::chrono::steady_clock::now();
  const bool reached = simulation.run_until(t_end);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  progress.finish();

  RunOutcome outcome;
  std::string status = "completed", message;
  if (!reached) {
    status = g_interrupted != 0 ? "interrupted" : "stopped";
    message = g_interrupted != 0 ? "interrupted by the user" : simulation.report().message;
    outcome.status = k_stopped;
  }
  recorder.finish(status, message);
  save_file(simulation.state(), directory + "/state.txt");
  outcome.summary = {{"program", "delassus " + version()},
                     {"scene", scene.desc.name},
                     {"status", status},
                     {"message", message},
                     {"stepper", simulation.stepper_name()},
                     {"step", simulation.options().step},
                     {"settings", scene.settings},
                     {"time", simulation.state().t},
                     {"steps", simulation.state().history.num_steps},
                     {"substeps", worst.substeps},
                     {"rejected", worst.rejected},
                     {"events", worst.events},
                     {"iterations", worst.iterations},
                     {"seconds", seconds},
                     {"worst",
                      {{"residual", worst.residual},
                       {"joint_drift", worst.drift},
                       {"penetration", worst.penetration},
                       {"energy_defect", worst.energy_defect}}},
                     {"warnings", worst.warnings},
                     {"num_warnings", worst.num_warnings},
                     {"redundant_joint_rows", redundancy.num_redundant},
                     {"reactions_not_unique", redundancy.not_unique()},
                     {"bodies", final_bodies(simulation.system(), simulation.state())}};
  write_file(directory + "/summary.json", to_text(outcome.summary));
  if (arguments.csv || arguments.report) {
    const Recording recording = read_recording(directory);
    if (arguments.csv) write_csv(recording, directory);
    if (arguments.report)
      write_file(directory + "/report.html", make_report_page(recording, scene.desc, outcome.summary));
  }
  if (!arguments.quiet) {
    for (const std::string& warning : worst.warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (worst.num_warnings > static_cast<long>(worst.warnings.size()))
      fmt::print(stderr, "warning: and {} more\n",
                 worst.num_warnings - static_cast<long>(worst.warnings.size()));
    fmt::print("{}: {} at t = {:g} s, {} steps, {} events, {:.2f} s\n", scene.desc.name, status,
               simulation.state().t, simulation.state().history.num_steps, worst.events, seconds);
    fmt::print(
        "  certificate: residual {:.1e}, joint drift {:.1e} m, penetration {:.1e} m, energy defect {:.1e} "
        "J\n",
        worst.residual, worst.drift, worst.penetration, worst.energy_defect);
    fmt::print("  written to {}: recording.h5, summary.json, state.txt{}{}\n", directory,
               arguments.csv ? ", *.csv" : "", arguments.report ? ", report.html" : "");
  }
  if (!reached)
    fmt::print(stderr, "{}: {}; the last good state is in {}/state.txt\n", scene.desc.name, message,
               directory);
  return outcome;
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
std::vector<std::vector<Setting>> expand_sweeps(const std::vector<std::string>& sweeps) {
  std::vector<std::vector<Setting>> combinations{{}};
  for (const std::string& sweep : sweeps) {
    const Place place{"--sweep " + sweep, 0, 0};
    const std::size_t equals = sweep.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == sweep.size())
      throw InputError(place, "a sweep has the form path=a,b,c, e.g. --sweep stepper.step=1e-2,1e-3");
    std::vector<std::vector<Setting>> next;
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
  const auto settings_of = [&](const std::vector<Setting>& combination) {
    std::vector<Setting> settings = arguments.settings;
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
    for (const Setting& setting : combinations[i]) texts.push_back(setting.text);
    if (!arguments.quiet) fmt::print("{}\n", fmt::join(texts, " "));
    RunOutcome outcome = run_once(arguments, settings_of(combinations[i]), where);
    outcome.summary["sweep"] = texts;
    outcome.summary["directory"] = where;
    table.push_back(outcome.summary);
    status = std::max(status, outcome.status);
  }
  write_file(directory + "/sweep.json", to_text(table));
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

std::string version() {
  return DELASSUS_VERSION;
}

}  // namespace delassus::cli
