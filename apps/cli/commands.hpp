// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. Each returns the exit status: 0 done, 1 a check failed, 3 the simulation could
// not go on; bad input is an InputError, which main turns into status 2.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "delassus/front/load_scene.hpp"

namespace delassus::cli {

inline constexpr int k_done = 0, k_check_failed = 1, k_bad_input = 2, k_stopped = 3;

struct RunArguments {
  std::string scene;
  std::string out;  // directory; empty: out/NAME
  std::vector<SceneSetting> settings;
  std::vector<std::string> sweeps;  // path=a,b,c
  bool csv = false;
  bool report = true;  // write report.html
  bool quiet = false;
  bool estimate_error = false;  // by finer runs beside it
  bool profile = false;         // where the time goes
  std::optional<double> checkpoint_every;
  std::string resume;  // state file
};

int run_command(const RunArguments& arguments);
int demo_command(const std::string& name, const std::string& out, bool quiet);
int list_command(const std::string& kind);
// `resolve`: where to write the scene without the overlaps of its start; empty: nowhere.
int check_command(const std::string& scene, const std::vector<SceneSetting>& settings,
                  const std::string& resolve);

struct StaticsArguments {
  std::string scene;
  std::vector<SceneSetting> settings;
  std::string json, state;  // files to write; empty: none
};
int statics_command(const StaticsArguments& arguments);

struct ModesArguments {
  std::string scene;
  std::vector<SceneSetting> settings;
  bool at_start = false;  // linearise there, without looking for an equilibrium
  std::string json;
};
int modes_command(const ModesArguments& arguments);

struct SolveArguments {
  std::string path;         // a problem file, or a directory of them
  std::string solver;       // empty: the default one
  double tolerance = 1e-8;  // of both natural-map errors [-]
  double time_limit = 0;    // of a problem, for solvers that look at the clock; 0: none [s]
  int max_iterations = 0;   // 0: automatic
  std::string json;
};
int solve_command(const SolveArguments& arguments);
struct DumpArguments {
  std::string scene;
  std::vector<SceneSetting> settings;
  double time = 0;  // of the step whose problem is written [s]
  std::string out;  // the ending says the format
};
int dump_command(const DumpArguments& arguments);
// Problem files; the format of `to` follows from its ending.
int convert_command(const std::string& from, const std::string& to);

struct VerifyArguments {
  std::vector<std::string> ids;
  std::string json;
  std::string plots;  // directory for plots of error over step; empty: none
  bool all = false;
};
int verify_command(const VerifyArguments& arguments);

struct CompareArguments {
  std::string scene;
  std::vector<SceneSetting> settings;
  std::vector<std::string> laws, steppers, solvers;  // empty: as the scene has it
  std::string json, plot;
};
int compare_command(const CompareArguments& arguments);

struct ConvergenceArguments {
  std::string scene;
  std::vector<std::string> steps, tolerances;
  std::vector<std::string> steppers;    // empty: as the scene has it
  std::vector<std::string> controlled;  // those for the tolerances; empty: the same
  std::vector<std::string> norms{"end"};
  std::string of = "q";  // or v
  std::vector<SceneSetting> settings;
  std::string reference_stepper;  // empty: the first
  std::string reference_step,
      reference_tolerance;  // empty: the smallest step / 8, the smallest tolerance / 100
  std::string exact;        // q(T) or q(t) as a list of numbers or formulas; empty: a reference run
  int repeat = 1;           // runs of each; the least time counts
  std::string cost = "seconds";
  std::string target;  // an error whose work is asked for; empty: none
  std::string json, plot, work_plot, page;
};
int convergence_command(const ConvergenceArguments& arguments);

struct BenchArguments {
  std::string name, json;
  int max_size = 1'000'000;  // larger problems are left out
  // Of `contact`:
  std::string part;       // empty: all
  double time_limit = 2;  // of a run that compares solvers [s]
};
int bench_command(const BenchArguments& arguments);

// A positive number or formula of numbers, given as `option`. Throws InputError.
double parse_positive(const std::string& option, const std::string& text);

// Throws InputError when a file cannot be written there; better before the work than after it. Empty: nothing to write.
void require_writable(const std::string& path);

}  // namespace delassus::cli
