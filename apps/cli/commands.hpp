// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. Each returns the exit status: 0 done, 1 a check failed, 3 the simulation could not go on; bad input is an
// InputError, which main turns into status 2.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace delassus::cli {

inline constexpr int k_done = 0, k_check_failed = 1, k_bad_input = 2, k_stopped = 3;

struct RunArguments {
  std::string scene;
  std::string out;                    // directory; empty: out/NAME
  std::vector<std::string> settings;  // path=value
  std::vector<std::string> sweeps;    // path=a,b,c
  bool csv = false;
  bool report = true;                 // write report.html
  bool quiet = false;
  std::optional<double> checkpoint_every;
  std::string resume;                 // state file
};

int run_command(const RunArguments& arguments);
int demo_command(const std::string& name, const std::string& out, bool quiet);
int list_command(const std::string& kind);
int check_command(const std::string& scene, const std::vector<std::string>& settings);

struct VerifyArguments {
  std::vector<std::string> ids;
  std::string json;
  bool all = false;
};
int verify_command(const VerifyArguments& arguments);

struct ConvergenceArguments {
  std::string scene;
  std::vector<std::string> steps;
  std::vector<std::string> settings;
  std::string reference_step;  // empty: the smallest step / 8
  std::string exact;           // q(T) as a list of numbers; empty: a run with the reference step
  std::string json, plot;
};
int convergence_command(const ConvergenceArguments& arguments);

struct BenchArguments {
  std::string name, json;
  int max_size = 2000;
};
int bench_command(const BenchArguments& arguments);

std::string version();

}  // namespace delassus::cli
