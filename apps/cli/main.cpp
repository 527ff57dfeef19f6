// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The program: reads the command line and calls the command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <tuple>

#include "apps/cli/commands.hpp"
#include "delassus/base/data_tree.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/base/parallel.hpp"
#include "delassus/base/stop_request.hpp"

namespace {

using namespace delassus::cli;
using delassus::SceneSetting;

// Options that stand for settings of the scene; later ones win.
struct SettingOptions {
  std::optional<std::string> duration, step, tolerance, stepper, solver, law;
  std::vector<std::string> set;

  void add_to(CLI::App* app) {
    app->add_option("--duration", duration, "length of the run [s]");
    app->add_option("--step", step, "time step [s]; formulas such as 2^-7 are allowed");
    app->add_option("--tolerance", tolerance,
                    "error that the steps of a second may make; steps are as long as it allows, --step is "
                    "the interval of outputs");
    app->add_option(
        "--stepper", stepper,
        "time-stepping scheme, see `delassus list steppers`; auto: by the model and the tolerance");
    app->add_option("--solver", solver, "solver of the one-step problems, see `delassus list solvers`");
    app->add_option("--law", law, "contact law, see `delassus list laws`");
    app->add_option("--set", set,
                    "change anything in the scene: path=value, e.g. gravity=[0,-1.6,0] or bodies.m1.mass=2")
        ->allow_extra_args(false);
  }
  std::vector<SceneSetting> settings() const {
    std::vector<SceneSetting> out;
    const std::tuple<const char*, const char*, const std::optional<std::string>*> named[] = {
        {"duration", "--duration", &duration},
        {"stepper.step", "--step", &step},
        {"stepper.tolerance", "--tolerance", &tolerance},
        {"stepper.name", "--stepper", &stepper},
        {"solver.name", "--solver", &solver},
        {"law.name", "--law", &law}};
    for (const auto& [path, option, value] : named)
      if (*value) {
        // Of solvers `auto` is one.
        const bool is_chosen = value == &stepper && **value == "auto";
        const std::string text = is_chosen ? "automatic" : **value;
        out.emplace_back(std::string(path) + "=" + text, std::string(option) + " " + **value);
      }
    for (const std::string& text : set) out.emplace_back(text, "--set " + text);
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

// The command line while it is built. Each command adds its options, which it shares with what it does when it is chosen.
struct CommandLine {
  CLI::App app{
      "Delassus: nonsmooth multibody dynamics. Bodies, joints, contact, Coulomb friction, impacts and stiff "
      "forces.\n"
      "Start with `delassus demo double_pendulum_wall`; `delassus help COMMAND` explains a command.",
      "delassus"};
  ThreadsOption threads;
  std::string overview;  // of all commands; once the line is read, app.help() is that of the chosen one
  std::function<int()> chosen;

  CLI::App* add(const std::string& name, const std::string& what) { return app.add_subcommand(name, what); }
  void when_chosen(CLI::App* command, std::function<int()> act) {
    command->callback([this, act = std::move(act)] { chosen = act; });
  }
};

void add_run(CommandLine& line) {
  struct Options {
    RunArguments run;
    SettingOptions settings;
    std::string checkpoint, start;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* app = line.add("run", "run a scene: a YAML or JSON file, or the name of a built-in one");
  app->add_option("scene", o->run.scene, "file or built-in name")->required();
  app->add_option("--out", o->run.out, "output directory [out/NAME]");
  o->settings.add_to(app);
  line.threads.add_to(app);
  app->add_option("--sweep", o->run.sweeps,
                  "run all values: path=a,b,c; several sweeps give all combinations")
      ->allow_extra_args(false);
  app->add_flag(
      "--estimate-error", o->run.estimate_error,
      "estimate how wrong the positions at the end are, by two finer runs beside this one: 7 times the "
      "work and more");
  app->add_flag(
      "--profile", o->run.profile,
      "print where the time of the run goes: search of contacts, factorisations, solvers by method, "
      "events, projection, certificate, recording; with --threads, the time of the first");
  app->add_flag("--csv", o->run.csv,
                "also write bodies.csv, coordinates.csv, joints.csv, reactions.csv, energy.csv, "
                "events.csv, contacts.csv, pairs.csv, wrenches.csv, "
                "certificate.csv");
  app->add_flag("--no-report{false}", o->run.report, "do not write report.html");
  app->add_flag("--quiet", o->run.quiet, "print errors only");
  app->add_option(
      "--start", o->start,
      "a start that passes stops or overlaps: `stop` [default] with a message, `resolve` by moving "
      "bodies as little as possible, `accept` it");
  const CLI::Option* checkpoint =
      app->add_option("--checkpoint-every", o->checkpoint, "save the state each T seconds of simulated time");
  app->add_option("--resume", o->run.resume,
                  "continue from a saved state (state.txt), into out/NAME_from_TIME; gives the same bits as "
                  "a run without "
                  "stop");
  line.when_chosen(app, [o, checkpoint] {
    o->run.settings = o->settings.settings();
    if (!o->start.empty()) o->run.settings.emplace_back("start=" + o->start, "--start " + o->start);
    if (checkpoint->count() > 0)
      o->run.checkpoint_every = parse_positive("--checkpoint-every", o->checkpoint);
    return run_command(o->run);
  });
}

void add_demo(CommandLine& line) {
  struct Options {
    std::string name, out;
    bool quiet = false;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* app =
      line.add("demo", "run a built-in scene and write its report page; without a name: list them");
  app->add_option("name", o->name, "built-in scene");
  app->add_option("--out", o->out, "output directory [out/NAME]");
  app->add_flag("--quiet", o->quiet, "print errors only");
  line.threads.add_to(app);
  line.when_chosen(app, [o] { return demo_command(o->name, o->out, o->quiet); });
}

void add_verify(CommandLine& line) {
  const auto o = std::make_shared<VerifyArguments>();
  CLI::App* app =
      line.add("verify", "rerun paper tables and analytic cases; ours beside theirs; exit 1 if any fails");
  app->add_option("ids", o->ids, "cases, e.g. A B V1; none: all");
  app->add_option("--json", o->json, "write the table as JSON");
  app->add_option("--plots", o->plots, "write plots of error over step, one SVG a case, into a directory");
  app->add_flag("--all", o->all, "long cases too");
  line.threads.add_to(app);
  line.when_chosen(app, [o] { return verify_command(*o); });
}

// Arguments of a command that works on a scene, together with the settings of it.
template <class Arguments>
struct WithSettings {
  Arguments arguments;
  SettingOptions settings;
  const Arguments& get() {
    arguments.settings = settings.settings();
    return arguments;
  }
};

void add_convergence(CommandLine& line) {
  const auto o = std::make_shared<WithSettings<ConvergenceArguments>>();
  ConvergenceArguments& a = o->arguments;
  CLI::App* app = line.add(
      "convergence",
      "errors, observed orders and work over a list of steps or tolerances, for one or several schemes");
  app->add_option("scene", a.scene, "file or built-in name")->required();
  app->add_option("--steps", a.steps, "time steps, e.g. 2^-5,2^-6,2^-7")->delimiter(',');
  app->add_option("--tolerances", a.tolerances, "tolerances instead, or as well, e.g. 1e-4,1e-5,1e-6")
      ->delimiter(',');
  app->add_option("--steppers", a.steppers,
                  "schemes: NAME, NAME:METHOD or NAME:key=value, e.g. "
                  "trapezoidal-2,event-capturing-rk:radau-5,moreau-jean:theta=1 [that of the scene]")
      ->delimiter(',');
  app->add_option("--controlled", a.controlled,
                  "schemes for --tolerances, where --steps has others [--steppers]")
      ->delimiter(',');
  app->add_option(
         "--norm", a.norms,
         "end: at the end; L1, L2, max: over the grid; hausdorff: of filled-in graphs, where jumps are "
         "vertical lines; several: e.g. L1,hausdorff [end]")
      ->delimiter(',');
  app->add_option("--of", a.of, "what has errors: q, positions (differences on the manifold), or v [q]");
  app->add_option("--reference-stepper", a.reference_stepper, "scheme of the reference run [the first]");
  app->add_option("--reference-step", a.reference_step, "step of the reference run [smallest step / 8]");
  app->add_option("--reference-tolerance", a.reference_tolerance,
                  "tolerance of the reference run, without --reference-step [smallest tolerance / 100]");
  app->add_option(
      "--exact", a.exact,
      "exact coordinates instead of a reference run: q(T), e.g. [2.99130283311503,0,0], or formulas "
      "of t, e.g. [cos(2*t)]");
  app->add_option("--repeat", a.repeat, "runs of each; the least time counts [1]")
      ->check(CLI::Range(1, 1000));
  app->add_option("--cost", a.cost,
                  "what --work-plot counts: seconds, forces, factorisations or solves [seconds]");
  app->add_option(
      "--target", a.target,
      "an error, e.g. 1e-9: what each scheme needs for it, between two of its runs or extrapolated");
  app->add_option("--json", a.json, "write the tables as JSON");
  app->add_option("--plot", a.plot, "write errors over steps as SVG, log-log");
  app->add_option("--work-plot", a.work_plot, "write errors over work as SVG, log-log");
  app->add_option("--page", a.page, "write a page with all diagrams and tables, HTML");
  o->settings.add_to(app);
  line.when_chosen(app, [o] { return convergence_command(o->get()); });
}

void add_compare(CommandLine& line) {
  const auto o = std::make_shared<WithSettings<CompareArguments>>();
  CompareArguments& a = o->arguments;
  CLI::App* app =
      line.add("compare", "one scene with several laws, steppers and solvers: a table of the differences");
  app->add_option("scene", a.scene, "file or built-in name")->required();
  app->add_option("--laws", a.laws, "e.g. coulomb,coulomb-convex")->delimiter(',');
  app->add_option("--steppers", a.steppers, "e.g. trapezoidal-2,moreau-jean")->delimiter(',');
  app->add_option("--solvers", a.solvers, "e.g. auto,nsgs")->delimiter(',');
  app->add_option("--json", a.json, "write the table as JSON");
  app->add_option("--plot", a.plot, "write the differences over time as SVG");
  o->settings.add_to(app);
  line.when_chosen(app, [o] { return compare_command(o->get()); });
}

void add_dump(CommandLine& line) {
  const auto o = std::make_shared<WithSettings<DumpArguments>>();
  DumpArguments& a = o->arguments;
  CLI::App* app = line.add("dump", "write the one-step problem of a scene at a time as a file");
  app->add_option("scene", a.scene, "file or built-in name")->required();
  app->add_option("--time", a.time, "a time within the step [s]")->required();
  app->add_option("--out", a.out,
                  "file to write; its ending says the format: .hdf5 FCLIB, .dat Siconos, .txt ours")
      ->required();
  o->settings.add_to(app);
  line.when_chosen(app, [o] { return dump_command(o->get()); });
}

void add_check(CommandLine& line) {
  struct Options {
    std::string scene, resolve;
    SettingOptions settings;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* app = line.add(
      "check",
      "validate a scene and diagnose it: redundant joints, initial violations and overlaps, mass ratio");
  app->add_option("scene", o->scene, "file or built-in name")->required();
  app->add_option("--resolve", o->resolve,
                  "write the scene to this file with its bodies moved apart, as little as possible, so "
                  "that no shapes overlap at the start");
  o->settings.add_to(app);
  line.when_chosen(app, [o] { return check_command(o->scene, o->settings.settings(), o->resolve); });
}

void add_statics(CommandLine& line) {
  const auto o = std::make_shared<WithSettings<StaticsArguments>>();
  StaticsArguments& a = o->arguments;
  CLI::App* app = line.add("statics", "find an equilibrium: configuration and joint reactions");
  app->add_option("scene", a.scene, "file or built-in name")->required();
  app->add_option("--json", a.json, "write the result as JSON");
  app->add_option("--state", a.state, "write the configuration as a state to resume from");
  o->settings.add_to(app);
  line.when_chosen(app, [o] { return statics_command(o->get()); });
}

void add_modes(CommandLine& line) {
  const auto o = std::make_shared<WithSettings<ModesArguments>>();
  ModesArguments& a = o->arguments;
  CLI::App* app = line.add("modes", "linearise about the equilibrium: frequencies, damping and mode shapes");
  app->add_option("scene", a.scene, "file or built-in name")->required();
  app->add_flag("--at-start", a.at_start, "linearise about the start instead");
  app->add_option("--json", a.json, "write the result as JSON");
  o->settings.add_to(app);
  line.when_chosen(app, [o] { return modes_command(o->get()); });
}

void add_solve(CommandLine& line) {
  struct Options {
    SolveArguments solve;
    std::string tolerance, time_limit;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* app = line.add("solve",
                           "solve stored friction problems (FCLIB, Siconos text, ours): a "
                           "file, or all problem files of a directory; exit "
                           "1 if one did not converge, 2 if one cannot be read");
  app->add_option("path", o->solve.path, "problem file or directory")->required();
  app->add_option("--solver", o->solve.solver, "see `delassus list solvers`");
  app->add_option("--tolerance", o->tolerance, "largest error E_sic and E_v of a solution [1e-8]");
  app->add_option("--time-limit", o->time_limit,
                  "seconds a problem; solvers that do not look at the clock end by their iterations");
  app->add_option("--max-iterations", o->solve.max_iterations, "iterations a problem [automatic]")
      ->check(CLI::Range(1, 1'000'000'000));
  app->add_option("--json", o->solve.json, "write the table as JSON");
  line.when_chosen(app, [o] {
    if (!o->tolerance.empty()) o->solve.tolerance = parse_positive("--tolerance", o->tolerance);
    if (!o->time_limit.empty()) o->solve.time_limit = parse_positive("--time-limit", o->time_limit);
    return solve_command(o->solve);
  });
}

void add_convert(CommandLine& line) {
  struct Options {
    std::string from, to;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* app = line.add(
      "convert",
      "convert a problem file; the ending of OUT says the format: .hdf5 FCLIB, .dat Siconos, .txt ours");
  app->add_option("in", o->from, "problem file of any format")->required();
  app->add_option("out", o->to, "file to write")->required();
  line.when_chosen(app, [o] { return convert_command(o->from, o->to); });
}

void add_bench(CommandLine& line) {
  struct Options {
    BenchArguments bench;
    std::string time_limit;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* app = line.add("bench", "benchmarks: lemke, chains, peers, collision, threads, contact");
  app->add_option("name", o->bench.name, "which one");
  app->add_option("--json", o->bench.json, "write the table as JSON");
  app->add_option("--max-size", o->bench.max_size, "largest problem")->check(CLI::Range(1, 1'000'000));
  app->add_option("--part", o->bench.part, "contact only: scenes, bullet, real_time or growth [all]");
  app->add_option("--time-limit", o->time_limit, "contact only: seconds a solver and scene [2]");
  line.threads.add_to(app);
  line.when_chosen(app, [o] {
    if (!o->time_limit.empty()) o->bench.time_limit = parse_positive("--time-limit", o->time_limit);
    return bench_command(o->bench);
  });
}

void add_list(CommandLine& line) {
  const auto kind = std::make_shared<std::string>();
  CLI::App* app = line.add(
      "list", "what can be chosen: steppers, methods, solvers, laws, scenes, schema, settings, defaults");
  app->add_option("kind", *kind, "steppers, methods, solvers, laws, scenes, schema, settings or defaults")
      ->required();
  line.when_chosen(app, [kind] { return list_command(*kind); });
}

void add_help(CommandLine& line) {
  const auto topic = std::make_shared<std::string>();
  CLI::App* app = line.add("help", "explain a command");
  app->add_option("command", *topic, "which one");
  line.when_chosen(app, [&line, topic] {
    if (topic->empty()) {
      fmt::print("{}", line.overview);
      return k_done;
    }
    for (const CLI::App* command : line.app.get_subcommands({}))
      if (command->get_name() == *topic) {
        fmt::print("{}", command->help(line.app.get_name()));
        return k_done;
      }
    throw delassus::InputError(unknown_command(line.app, *topic));
  });
}

// Reads the line; an exit status where there is nothing more to do.
std::optional<int> parse(CLI::App& app, int argc, char** argv) {
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
  return std::nullopt;
}

int run_program(int argc, char** argv) {
  CommandLine line;
  line.app.set_version_flag("--version", "delassus " + delassus::version());
  line.app.require_subcommand(0, 1);
  for (const auto& add : {add_run, add_demo, add_verify, add_convergence, add_compare, add_dump, add_check,
                          add_statics, add_modes, add_solve, add_convert, add_bench, add_list, add_help})
    add(line);
  line.overview = line.app.help();
  line.chosen = [&line] {
    fmt::print("{}", line.overview);
    return k_done;
  };
  if (const std::optional<int> status = parse(line.app, argc, argv)) return *status;
  line.threads.apply();
  return line.chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const delassus::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return k_bad_input;
  } catch (const delassus::StopRequested&) {
    fmt::print(stderr, "delassus: interrupted before the run began; nothing was written\n");
    return k_stopped;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "delassus: there is not enough memory for this\n");
    return k_stopped;
  } catch (const std::exception& error) {
    fmt::print(stderr, "delassus: internal error: {}; please report this with the scene\n", error.what());
    return k_stopped;
  }
}
