// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus compare: one scene with several laws, steppers and solvers; what differs, and by how much.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/plot.hpp"
#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

struct Combination {
  std::string law, stepper, solver;  // empty: as the scene has it
  std::string name;
};

struct Outcome {
  std::string name, stepper;
  bool completed = false;
  std::string message;
  double t_end = 0, seconds = 0;
  double lift = 0;        // largest rise of a body above where it began, along −gravity or y [m]
  double difference = 0;  // of body positions at the end, from the first combination [m]
  double largest_difference = 0;
  double residual = 0, penetration = 0, joint_drift = 0;
  double energy = 0, defect = 0;
  long iterations = 0, solves = 0, steps = 0;
  std::vector<double> times;
  std::vector<std::vector<Vector3>> positions;  // of the bodies, per time
};

std::vector<std::string> or_default(const std::vector<std::string>& names) {
  return names.empty() ? std::vector<std::string>{std::string()} : names;
}

std::vector<Combination> combinations(const CompareArguments& arguments) {
  std::vector<Combination> all;
  for (const std::string& law : or_default(arguments.laws))
    for (const std::string& stepper : or_default(arguments.steppers))
      for (const std::string& solver : or_default(arguments.solvers)) {
        Combination combination{law, stepper, solver, ""};
        for (const std::string* part : {&law, &stepper, &solver})
          if (!part->empty()) combination.name += (combination.name.empty() ? "" : " · ") + *part;
        if (combination.name.empty()) combination.name = "as the scene has it";
        all.push_back(combination);
      }
  return all;
}

Outcome run(const CompareArguments& arguments, const Combination& combination) {
  std::vector<SceneSetting> settings = arguments.settings;
  const auto add = [&](const char* path, const char* option, const std::string& name) {
    if (!name.empty())
      settings.push_back({fmt::format("{}={}", path, name), fmt::format("{} {}", option, name)});
  };
  add("law.name", "--laws", combination.law);
  add("stepper.name", "--steppers", combination.stepper);
  add("solver.name", "--solvers", combination.solver);
  const Scene scene = load_scene(arguments.scene, settings);
  Simulation simulation(scene);
  Outcome outcome{.name = combination.name, .stepper = simulation.stepper_name()};
  std::vector<BodyMotion> motions;
  const auto record = [&](const Simulation& at) {
    at.system().body_motions(at.state().t, at.state().q, at.state().v, motions);
    outcome.times.push_back(at.state().t);
    outcome.positions.emplace_back();
    for (const BodyMotion& motion : motions) outcome.positions.back().push_back(motion.position);
  };
  record(simulation);
  simulation.observe([&](const Simulation& at, const StepReport& report) {
    record(at);
    ++outcome.steps;
    outcome.residual = std::max(outcome.residual, report.certificate.contact_residual);
    outcome.penetration = std::max(outcome.penetration, report.certificate.penetration);
    outcome.joint_drift = std::max(outcome.joint_drift, report.certificate.joint_drift);
    outcome.iterations += report.certificate.iterations;
    outcome.solves += report.certificate.solves;
    outcome.energy = report.energy.kinetic + report.energy.potential;
    outcome.defect = std::max(outcome.defect, std::abs(report.energy.defect));
    return true;
  });
  const auto started = std::chrono::steady_clock::now();
  outcome.completed = simulation.run_until(scene.desc.duration);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  outcome.t_end = simulation.state().t;
  if (!outcome.completed) outcome.message = simulation.report().message;
  return outcome;
}

// Position of the bodies of `outcome` at frame i against the reference at the same time; frames differ only where a run
// has stopped.
double difference_at(const Outcome& outcome, const Outcome& reference, std::size_t i) {
  if (i >= reference.positions.size()) return 0;
  double largest = 0;
  for (std::size_t b = 0; b < outcome.positions[i].size(); ++b)
    largest = std::max(largest, (outcome.positions[i][b] - reference.positions[i][b]).norm());
  return largest;
}

void measure(const Vector3& up, const Outcome& reference, Outcome& outcome) {
  for (std::size_t i = 0; i < outcome.positions.size(); ++i) {
    const double difference = difference_at(outcome, reference, i);
    outcome.largest_difference = std::max(outcome.largest_difference, difference);
    outcome.difference = difference;
    for (std::size_t b = 0; b < outcome.positions[i].size(); ++b)
      outcome.lift = std::max(outcome.lift, up.dot(outcome.positions[i][b] - outcome.positions[0][b]));
  }
}

}  // namespace

int compare_command(const CompareArguments& arguments) {
  require_writable(arguments.json);
  require_writable(arguments.plot);
  const std::vector<Combination> all = combinations(arguments);
  const Scene scene = load_scene(arguments.scene, arguments.settings);
  const Vector3 gravity = scene.desc.gravity;
  const Vector3 up = gravity.norm() > 0 ? Vector3(-gravity.normalized()) : Vector3::UnitY();
  std::vector<Outcome> outcomes;
  for (const Combination& combination : all) outcomes.push_back(run(arguments, combination));
  for (std::size_t i = 0; i < outcomes.size(); ++i) measure(up, outcomes[0], outcomes[i]);

  std::size_t width = 12;
  for (const Outcome& outcome : outcomes) width = std::max(width, outcome.name.size() + 2);
  fmt::print("{}: differences from '{}'\n\n", scene.desc.name, outcomes[0].name);
  fmt::print("{:<{}}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>11}{:>9}\n", "", width, "end [m]", "largest [m]",
             "lift [m]", "residual", "penetr. [m]", "energy [J]", "iterations", "seconds");
  nlohmann::json rows = nlohmann::json::array();
  for (const Outcome& o : outcomes) {
    fmt::print("{:<{}}{:>12.3e}{:>12.3e}{:>12.3e}{:>12.1e}{:>12.1e}{:>12.6g}{:>11}{:>9.3f}{}\n", o.name,
               width, o.difference, o.largest_difference, o.lift, o.residual, o.penetration, o.energy,
               o.iterations, o.seconds,
               o.completed ? "" : fmt::format("  stopped at {:g} s: {}", o.t_end, o.message));
    rows.push_back({{"name", o.name},
                    {"stepper", o.stepper},
                    {"completed", o.completed},
                    {"message", o.message},
                    {"t_end", o.t_end},
                    {"difference_at_end", o.difference},
                    {"largest_difference", o.largest_difference},
                    {"lift", o.lift},
                    {"contact_residual", o.residual},
                    {"penetration", o.penetration},
                    {"joint_drift", o.joint_drift},
                    {"energy", o.energy},
                    {"energy_defect", o.defect},
                    {"steps", o.steps},
                    {"solves", o.solves},
                    {"iterations", o.iterations},
                    {"seconds", o.seconds}});
  }
  if (!arguments.json.empty())
    write_file(
        arguments.json,
        nlohmann::json{{"scene", scene.desc.name}, {"reference", outcomes[0].name}, {"rows", rows}}.dump(2) +
            "\n");
  if (!arguments.plot.empty()) {
    LinePlot plot{.title = fmt::format("{}: positions against '{}'", scene.desc.name, outcomes[0].name),
                  .x_label = "t [s]",
                  .y_label = "largest difference of a body [m]"};
    for (const Outcome& outcome : outcomes) {
      plot.series.push_back({.name = outcome.name});
      // No more points than the picture can show.
      constexpr std::size_t most = 400;
      const std::size_t every = std::max<std::size_t>(1, outcome.times.size() / most);
      for (std::size_t i = 0; i < outcome.times.size(); i += every)
        plot.series.back().points.emplace_back(outcome.times[i], difference_at(outcome, outcomes[0], i));
    }
    write_file(arguments.plot, to_svg(plot));
    fmt::print("plot: {}\n", arguments.plot);
  }
  const bool stopped =
      std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return !o.completed; });
  return stopped ? k_stopped : k_done;
}

}  // namespace delassus::cli
