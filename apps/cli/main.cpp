// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The program: reads the command line and calls the command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <new>
#include <optional>
#include <tuple>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/base/parallel.hpp"
#include "delassus/base/value.hpp"

namespace {

using namespace delassus::cli;

// Options that stand for settings of the scene; later ones win.
struct SettingOptions {
  std::optional<std::string> duration, step, stepper, solver, law;
  std::vector<std::string> set;

  void add_to(CLI::App* app) {
    app->add_option("--duration", duration, "length of the run [s]");
    app->add_option("--step", step, "time step [s]; formulas such as 2^-7 are allowed");
    app->add_option("--stepper", stepper, "time-stepping scheme, see `delassus list steppers`");
    app->add_option("--solver", solver, "solver of the one-step problems, see `delassus list solvers`");
    app->add_option("--law", law, "contact law, see `delassus list laws`");
    app->add_option("--set", set,
                    "change anything in the scene: path=value, e.g. gravity=[0,-1.6,0] or bodies.m1.mass=2")
        ->allow_extra_args(false);
  }
  std::vector<Setting> settings() const {
    std::vector<Setting> out;
    const std::tuple<const char*, const char*, const std::optional<std::string>*> named[] = {
        {"duration", "--duration", &duration},
        {"stepper.step", "--step", &step},
        {"stepper.name", "--stepper", &stepper},
        {"solver.name", "--solver", &solver},
        {"law.name", "--law", &law}};
    for (const auto& [path, option, value] : named)
      if (*value) out.emplace_back(std::string(path) + "=" + **value, std::string(option) + " " + **value);
    out.insert(out.end(), set.begin(), set.end());
    return out;
  }
};

// Of the commands that compute; one thread where it is not given.
struct ThreadsOption {
  std::optional<std::string> text;

  void add_to(CLI::App* app) {
    app->add_option("--threads", text,
                    "threads to work on large scenes [1]; results have the same bits for any number");
  }
  void apply() const {
    if (!text) return;
    int n = 0;
    const char *begin = text->data(), *end = begin + text->size();
    const auto [stop, error] = std::from_chars(begin, end, n);
    if (error != std::errc() || stop != end || n < 1 || n > delassus::k_max_threads)
      throw delassus::InputError(fmt::format("--threads {}: allowed: 1 to {}; this machine runs {} at once",
                                             *text, delassus::k_max_threads, delassus::hardware_threads()));
    delassus::set_num_threads(n);
  }
};

std::string advice(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = delassus::nearest_name(name, known);
  return near.empty() ? "; " : "; did you mean '" + near + "'? ";
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  return "there is no command " + delassus::quote(name) + advice(name, known) + "`delassus help` lists them";
}

// `extras`: what the command line has too much, in any order.
std::string unexpected_argument(const CLI::App& command, const std::vector<std::string>& extras) {
  const std::string help =
      "see `delassus help" + (command.get_parent() == nullptr ? "" : " " + command.get_name()) + "`";
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& argument : extras)
    if (argument.size() > 1 && argument[0] == '-') {
      const std::string name = argument.substr(0, argument.find('='));
      return "unknown option " + delassus::quote(name) + advice(name, known) + help;
    }
  return "the argument " + delassus::quote(extras.empty() ? "" : extras.front()) + " is one too many; " +
         help;
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "Delassus: nonsmooth multibody dynamics. Bodies, joints, contact, Coulomb friction, impacts and stiff "
      "forces.\n"
      "Start with `delassus demo double_pendulum_wall`; `delassus help COMMAND` explains a command.",
      "delassus"};
  app.set_version_flag("--version", "delassus " + version());
  app.require_subcommand(0, 1);
  std::string overview;  // of all commands; later, app.help() is that of the chosen one
  std::function<int()> command = [&] {
    fmt::print("{}", overview);
    return k_done;
  };

  ThreadsOption threads;
  RunArguments run;
  SettingOptions run_settings;
  std::string checkpoint;
  CLI::App* run_app =
      app.add_subcommand("run", "run a scene: a YAML or JSON file, or the name of a built-in one");
  run_app->add_option("scene", run.scene, "file or built-in name")->required();
  run_app->add_option("--out", run.out, "output directory [out/NAME]");
  run_settings.add_to(run_app);
  threads.add_to(run_app);
  run_app
      ->add_option("--sweep", run.sweeps, "run all values: path=a,b,c; several sweeps give all combinations")
      ->allow_extra_args(false);
  run_app->add_flag("--csv", run.csv,
                    "also write bodies.csv, coordinates.csv, joints.csv, reactions.csv, energy.csv, "
                    "events.csv, contacts.csv, pairs.csv, wrenches.csv, "
                    "certificate.csv");
  run_app->add_flag("--no-report{false}", run.report, "do not write report.html");
  run_app->add_flag("--quiet", run.quiet, "print errors only");
  CLI::Option* checkpoint_option = run_app->add_option("--checkpoint-every", checkpoint,
                                                       "save the state each T seconds of simulated time");
  run_app->add_option("--resume", run.resume,
                      "continue from a saved state (state.txt); gives the same bits as a run without stop");
  run_app->callback([&] {
    command = [&] {
      run.settings = run_settings.settings();
      if (checkpoint_option->count() > 0)
        run.checkpoint_every = parse_positive("--checkpoint-every", checkpoint);
      return run_command(run);
    };
  });

  std::string demo_name, demo_out;
  bool demo_quiet = false;
  CLI::App* demo_app =
      app.add_subcommand("demo", "run a built-in scene and write its report page; without a name: list them");
  demo_app->add_option("name", demo_name, "built-in scene");
  demo_app->add_option("--out", demo_out, "output directory [out/NAME]");
  demo_app->add_flag("--quiet", demo_quiet, "print errors only");
  threads.add_to(demo_app);
  demo_app->callback([&] { command = [&] { return demo_command(demo_name, demo_out, demo_quiet); }; });

  VerifyArguments verify;
  CLI::App* verify_app = app.add_subcommand(
      "verify", "rerun paper tables and analytic cases; ours beside theirs; exit 1 if any fails");
  verify_app->add_option("ids", verify.ids, "cases, e.g. A B V1; none: all");
  verify_app->add_option("--json", verify.json, "write the table as JSON");
  verify_app->add_option("--plots", verify.plots,
                         "write plots of error over step, one SVG a case, into a directory");
  verify_app->add_flag("--all", verify.all, "long cases too");
  threads.add_to(verify_app);
  verify_app->callback([&] { command = [&] { return verify_command(verify); }; });

  ConvergenceArguments convergence;
  SettingOptions convergence_settings;
  CLI::App* convergence_app =
      app.add_subcommand("convergence", "errors and observed order over a list of steps");
  convergence_app->add_option("scene", convergence.scene, "file or built-in name")->required();
  convergence_app->add_option("--steps", convergence.steps, "time steps, e.g. 2^-5,2^-6,2^-7")
      ->delimiter(',')
      ->required();
  convergence_app->add_option("--reference-step", convergence.reference_step,
                              "step of the reference run [smallest step / 8]");
  convergence_app->add_option(
      "--exact", convergence.exact,
      "exact coordinates q(T), e.g. [2.99130283311503,0,0], instead of a reference run");
  convergence_app->add_option("--json", convergence.json, "write the table as JSON");
  convergence_app->add_option("--plot", convergence.plot, "write a log-log plot as SVG");
  convergence_settings.add_to(convergence_app);
  convergence_app->callback([&] {
    command = [&] {
      convergence.settings = convergence_settings.settings();
      return convergence_command(convergence);
    };
  });

  CompareArguments compare;
  SettingOptions compare_settings;
  CLI::App* compare_app = app.add_subcommand(
      "compare", "one scene with several laws, steppers and solvers: a table of the differences");
  compare_app->add_option("scene", compare.scene, "file or built-in name")->required();
  compare_app->add_option("--laws", compare.laws, "e.g. coulomb,coulomb-convex")->delimiter(',');
  compare_app->add_option("--steppers", compare.steppers, "e.g. trapezoidal-2,moreau-jean")->delimiter(',');
  compare_app->add_option("--solvers", compare.solvers, "e.g. auto,nsgs")->delimiter(',');
  compare_app->add_option("--json", compare.json, "write the table as JSON");
  compare_app->add_option("--plot", compare.plot, "write the differences over time as SVG");
  compare_settings.add_to(compare_app);
  compare_app->callback([&] {
    command = [&] {
      compare.settings = compare_settings.settings();
      return compare_command(compare);
    };
  });

  DumpArguments dump;
  SettingOptions dump_settings;
  CLI::App* dump_app =
      app.add_subcommand("dump", "write the one-step problem of a scene at a time as a file");
  dump_app->add_option("scene", dump.scene, "file or built-in name")->required();
  dump_app->add_option("--time", dump.time, "a time within the step [s]")->required();
  dump_app
      ->add_option("--out", dump.out,
                   "file to write; its ending says the format: .hdf5 FCLIB, .dat Siconos, .txt ours")
      ->required();
  dump_settings.add_to(dump_app);
  dump_app->callback([&] {
    command = [&] {
      dump.settings = dump_settings.settings();
      return dump_command(dump);
    };
  });

  std::string check_scene;
  SettingOptions check_settings;
  CLI::App* check_app = app.add_subcommand(
      "check",
      "validate a scene and diagnose it: redundant joints, initial violations and overlaps, mass ratio");
  check_app->add_option("scene", check_scene, "file or built-in name")->required();
  std::string check_resolve;
  check_app->add_option("--resolve", check_resolve,
                        "write the scene to this file with its bodies moved apart, as little as possible, so "
                        "that no shapes overlap at the start");
  check_settings.add_to(check_app);
  check_app->callback([&] {
    command = [&] { return check_command(check_scene, check_settings.settings(), check_resolve); };
  });

  BenchArguments bench;
  StaticsArguments statics;
  SettingOptions statics_settings;
  CLI::App* statics_app =
      app.add_subcommand("statics", "find an equilibrium: configuration and joint reactions");
  statics_app->add_option("scene", statics.scene, "file or built-in name")->required();
  statics_app->add_option("--json", statics.json, "write the result as JSON");
  statics_app->add_option("--state", statics.state, "write the configuration as a state to resume from");
  statics_settings.add_to(statics_app);
  statics_app->callback([&] {
    command = [&] {
      statics.settings = statics_settings.settings();
      return statics_command(statics);
    };
  });

  ModesArguments modes;
  SettingOptions modes_settings;
  CLI::App* modes_app =
      app.add_subcommand("modes", "linearise about the equilibrium: frequencies, damping and mode shapes");
  modes_app->add_option("scene", modes.scene, "file or built-in name")->required();
  modes_app->add_flag("--at-start", modes.at_start, "linearise about the start instead");
  modes_app->add_option("--json", modes.json, "write the result as JSON");
  modes_settings.add_to(modes_app);
  modes_app->callback([&] {
    command = [&] {
      modes.settings = modes_settings.settings();
      return modes_command(modes);
    };
  });

  SolveArguments solve;
  std::string solve_tolerance, solve_time_limit;
  CLI::App* solve_app = app.add_subcommand("solve",
                                           "solve stored friction problems (FCLIB, Siconos text, ours): a "
                                           "file, or all problem files of a directory; exit "
                                           "1 if one did not converge, 2 if one cannot be read");
  solve_app->add_option("path", solve.path, "problem file or directory")->required();
  solve_app->add_option("--solver", solve.solver, "see `delassus list solvers`");
  solve_app->add_option("--tolerance", solve_tolerance, "largest error E_sic and E_v of a solution [1e-8]");
  solve_app->add_option("--time-limit", solve_time_limit,
                        "seconds a problem; solvers that do not look at the clock end by their iterations");
  solve_app->add_option("--max-iterations", solve.max_iterations, "iterations a problem [automatic]")
      ->check(CLI::Range(1, 1'000'000'000));
  solve_app->add_option("--json", solve.json, "write the table as JSON");
  solve_app->callback([&] {
    command = [&] {
      if (!solve_tolerance.empty()) solve.tolerance = parse_positive("--tolerance", solve_tolerance);
      if (!solve_time_limit.empty()) solve.time_limit = parse_positive("--time-limit", solve_time_limit);
      return solve_command(solve);
    };
  });

  std::string convert_from, convert_to;
  CLI::App* convert_app = app.add_subcommand(
      "convert",
      "convert a problem file; the ending of OUT says the format: .hdf5 FCLIB, .dat Siconos, .txt ours");
  convert_app->add_option("in", convert_from, "problem file of any format")->required();
  convert_app->add_option("out", convert_to, "file to write")->required();
  convert_app->callback([&] { command = [&] { return convert_command(convert_from, convert_to); }; });

  CLI::App* bench_app =
      app.add_subcommand("bench", "benchmarks: lemke, chains, peers, collision, threads, contact");
  bench_app->add_option("name", bench.name, "which one");
  bench_app->add_option("--json", bench.json, "write the table as JSON");
  bench_app->add_option("--max-size", bench.max_size, "largest problem")->check(CLI::Range(1, 1'000'000));
  bench_app->add_option("--part", bench.part, "contact only: scenes, bullet, real_time or growth [all]");
  std::string bench_time_limit;
  bench_app->add_option("--time-limit", bench_time_limit, "contact only: seconds a solver and scene [2]");
  threads.add_to(bench_app);
  bench_app->callback([&] {
    command = [&] {
      if (!bench_time_limit.empty()) bench.time_limit = parse_positive("--time-limit", bench_time_limit);
      return bench_command(bench);
    };
  });

  std::string list_kind;
  CLI::App* list_app = app.add_subcommand(
      "list", "what can be chosen: steppers, solvers, laws, scenes, schema, settings, defaults");
  list_app->add_option("kind", list_kind, "steppers, solvers, laws, scenes, schema, settings or defaults")
      ->required();
  list_app->callback([&] { command = [&] { return list_command(list_kind); }; });

  std::string help_topic;
  CLI::App* help_app = app.add_subcommand("help", "explain a command");
  help_app->add_option("command", help_topic, "which one");
  help_app->callback([&] {
    command = [&] {
      if (help_topic.empty()) {
        fmt::print("{}", overview);
        return k_done;
      }
      for (const CLI::App* sub : app.get_subcommands({}))
        if (sub->get_name() == help_topic) {
          fmt::print("{}", sub->help(app.get_name()));
          return k_done;
        }
      throw delassus::InputError(unknown_command(app, help_topic));
    };
  });

  overview = app.help();
  const std::vector<CLI::App*> commands = app.get_subcommands({});
  const auto is_first = [&](const CLI::App* sub) { return sub->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_first))
    throw delassus::InputError("delassus: " + unknown_command(app, argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& at = chosen.empty() ? app : *chosen.front();
    throw delassus::InputError("delassus: " + unexpected_argument(at, app.remaining(true)));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    throw delassus::InputError(fmt::format("delassus: {}; see `delassus help{}`", error.what(),
                                           chosen.empty() ? "" : " " + chosen.front()->get_name()));
  }
  threads.apply();
  return command();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const delassus::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return k_bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "delassus: there is not enough memory for this\n");
    return k_stopped;
  } catch (const std::exception& error) {
    fmt::print(stderr, "delassus: internal error: {}; please report this with the scene\n", error.what());
    return k_stopped;
  }
}
