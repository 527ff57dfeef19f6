// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `delassus solve` and `delassus convert`: problem files.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/problem_file.hpp"
#include "delassus/problems/natural_map.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/solvers/registry.hpp"

namespace delassus::cli {
namespace {

using nlohmann::json;

// One file, solved or not.
struct Entry {
  std::string file, status;
  std::string message;  // of files that were not solved
  std::string method;   // of solvers that choose: what they did
  NaturalMapError error;
  int contacts = 0, iterations = 0;
  double seconds = 0;  // of the solver alone
  bool bad_input = false, solved = false;
};

// Solvers that can take the problem.
std::vector<std::string> find_fitting(const LocalProblem& problem) {
  std::vector<std::string> names;
  for (const SolverInfo& info : list_solvers())
    if (reason_against(make_solver({.name = info.name})->capabilities(), problem).empty())
      names.push_back(info.name);
  return names;
}

std::string describe_attempts(const SolveStats& stats, const std::string& solver) {
  std::string text;
  for (int k = 0; k < stats.num_attempts; ++k) {
    const SolveAttempt& attempt = stats.attempts[k];
    text += fmt::format("{}{}", k == 0 ? "" : ", ", attempt.method);
    if (attempt.count > 1) text += fmt::format(" ×{}", attempt.count);
    if (attempt.failures > 0) text += fmt::format(" ({} failed)", attempt.failures);
  }
  return text.empty() ? solver : text;
}

void solve_problem(const LocalProblem& problem, const SolverSettings& settings, double time_limit,
                   Entry& entry) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<Solver> solver = make_solver(settings);
  Solution solution;
  SolveStats stats;
  const Clock::time_point begin = Clock::now();
  solver->solve(problem, WarmStart{}, solution, stats);
  entry.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  entry.iterations = stats.iterations;
  entry.method = describe_attempts(stats, solver->name());
  // Judged by what r does to the problem as it stands in the file, whatever the solver says of itself.
  if (solution.r.size() == problem.W.rows()) {
    entry.error = compute_natural_map_error(problem, solution.r, problem.W * solution.r + problem.u_free);
    entry.solved = true;
  }
  if (entry.solved && entry.error.largest() <= *settings.tolerance)
    entry.status = "converged";
  else if (time_limit > 0 && entry.seconds >= time_limit)
    entry.status = "time limit";
  else if (stats.status == SolveStatus::converged)  // by a measure of its own
    entry.status = to_string(SolveStatus::numerical_failure);
  else
    entry.status = to_string(stats.status);
}

Entry solve_file(const std::string& path, const SolverSettings& settings, double time_limit) {
  Entry entry;
  entry.file = path;
  LocalProblem problem;
  try {
    problem = to_local(read_problem_file(path), path);
  } catch (const InputError& error) {
    entry.status = "unreadable";
    entry.message = error.what();
    entry.bad_input = true;
    return entry;
  }
  entry.contacts =
      static_cast<int>(std::count_if(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
        return cone.kind != ConeKind::equality && cone.kind != ConeKind::box;
      }));
  const std::string reason = reason_against(make_solver(settings)->capabilities(), problem);
  if (!reason.empty()) {
    const std::vector<std::string> fitting = find_fitting(problem);
    entry.status = "refused";
    entry.message = fmt::format("{}: solver '{}' cannot take it: {}; {}", path, settings.name, reason,
                                fitting.empty() ? "no solver of `delassus list solvers` can"
                                                : fmt::format("allowed: {}", fmt::join(fitting, ", ")));
    entry.bad_input = true;
    return entry;
  }
  solve_problem(problem, settings, time_limit, entry);
  return entry;
}

json to_json(const Entry& entry, const std::string& solver) {
  json out{{"file", entry.file},           {"solver", solver},   {"status", entry.status},
           {"natural_map_error", nullptr}, {"e_sic", nullptr},   {"e_v", nullptr},
           {"iterations", nullptr},        {"seconds", nullptr}, {"contacts", entry.contacts},
           {"method", entry.method}};
  if (entry.solved) {
    out["natural_map_error"] = entry.error.largest();
    out["e_sic"] = entry.error.e_sic;
    out["e_v"] = entry.error.e_v;
    out["iterations"] = entry.iterations;
    out["seconds"] = entry.seconds;
  }
  if (!entry.message.empty()) out["message"] = entry.message;
  return out;
}

void print_row(const Entry& entry, std::size_t width) {
  const std::string name = std::filesystem::path(entry.file).filename().string();
  if (!entry.solved) {
    fmt::print("{:<{}}{:>9}  {}\n", name, width, entry.contacts, entry.status);
    return;
  }
  fmt::print("{:<{}}{:>9}  {:<18}{:>10.2e}{:>10.2e}{:>12}{:>11.3e}  {}\n", name, width, entry.contacts,
             entry.status, entry.error.e_sic, entry.error.e_v, entry.iterations, entry.seconds, entry.method);
}

std::vector<std::string> find_files(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files = list_problem_files(path);
  if (files.empty())
    throw InputError(
        path +
        ": there are no problem files in this directory; looked for: .hdf5, .h5, .dat, and .txt of "
        "`delassus convert`");
  return files;
}

}  // namespace

int solve_command(const SolveArguments& arguments) {
  require_writable(arguments.json);
  SolverSettings settings;
  if (!arguments.solver.empty()) settings.name = arguments.solver;
  settings.tolerance = arguments.tolerance;
  if (arguments.max_iterations > 0) settings.max_iterations = arguments.max_iterations;
  make_solver(settings);  // an unknown name is told before any work
  const std::vector<std::string> files = find_files(arguments.path);
  std::size_t width = 6;
  for (const std::string& file : files)
    width = std::max(width, std::filesystem::path(file).filename().string().size() + 2);

  fmt::print("{:<{}}{:>9}  {:<18}{:>10}{:>10}{:>12}{:>11}  {}\n", "file", width, "contacts", "status",
             "E_sic", "E_v", "iterations", "time [s]", "method");
  json list = json::array();
  std::size_t converged = 0;
  bool bad_input = false;
  for (const std::string& file : files) {
    const Entry entry = solve_file(file, settings, arguments.time_limit);
    print_row(entry, width);
    if (!entry.message.empty()) fmt::print(stderr, "{}\n", entry.message);
    std::fflush(stdout);
    list.push_back(to_json(entry, settings.name));
    if (entry.status == "converged") ++converged;
    bad_input = bad_input || entry.bad_input;
  }
  fmt::print("{} of {} converged: E_sic and E_v at most {:g}, solver {}\n", converged, files.size(),
             arguments.tolerance, settings.name);
  if (!arguments.json.empty()) write_file(arguments.json, list.dump(2) + "\n");
  if (bad_input) return k_bad_input;
  return converged == files.size() ? k_done : k_check_failed;
}

int convert_command(const std::string& from, const std::string& to) {
  write_problem_file(to, read_problem_file(from));
  fmt::print("{} written\n", to);
  return k_done;
}

}  // namespace delassus::cli
