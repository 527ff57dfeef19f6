// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench: how long solvers take, beside a peer where one is installed (bench/README.md). Numbers,
// never a verdict: nothing here fails because a machine is slow.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/names.hpp"
#include "delassus/problems/random_contact.hpp"
#include "delassus/solvers/lcp/lemke.hpp"

#ifdef DELASSUS_HAS_SICONOS
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#endif

namespace delassus::cli {
namespace {

// What a solver did with all problems of one size: seconds and pivots are means a problem, the residual is
// the worst.
struct Measurement {
  double seconds = 0, pivots = 0, residual = 0;
  int failures = 0;

  void add(double problem_seconds, int problem_pivots, double problem_residual, bool failed) {
    seconds += problem_seconds;
    pivots += problem_pivots;
    residual = problem_residual <= residual ? residual : problem_residual;  // keeps NaN
    failures += failed;
  }
  void divide(int problems) {
    seconds /= problems;
    pivots /= problems;
  }
};

struct Row {
  std::string name;
  int n = 0, problems = 0;
  Measurement ours;
  double warm_seconds = 0;
  int warm_accepted = 0;
  std::optional<Measurement> siconos;
};

struct Size {
  int n, problems, repeats;
};
// Fewer problems and repeats where one solve takes long enough to be measured well.
constexpr Size k_sizes[] = {{50, 20, 20}, {100, 20, 10}, {200, 10, 5},
                            {500, 5, 3},  {1000, 3, 2},  {2000, 2, 1}};

template <class Function>
double time_best(int repeats, const Function& function) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    const auto started = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  }
  return best;
}

#ifdef DELASSUS_HAS_SICONOS
// Siconos' Lemke with its own defaults but for the limit of pivots, which is ours. The check of the result
// after the solve is off: it is ours that judges.
void measure_siconos(const Lcp& lcp, int repeats, Measurement& measurement) {
  const int n = static_cast<int>(lcp.size());
  Vector q = lcp.q, z = Vector::Zero(n), w = Vector::Zero(n);
  Matrix M;
  int info = 0, pivots = 0;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    M = lcp.M;  // the interface does not promise to leave it alone
    z.setZero();
    w.setZero();
    NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, n, n, M.data());
    LinearComplementarityProblem problem{};
    problem.size = n;
    problem.M = matrix;
    problem.q = q.data();
    SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
    options->filterOn = false;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 50 * n + 500;
    best = std::min(best, time_best(1, [&] {
                      info = linearComplementarity_driver(&problem, z.data(), w.data(), options);
                    }));
    pivots = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    matrix->matrix0 = nullptr;  // ours
    NM_free(matrix);
  }
  measurement.add(best, pivots, compute_residual(lcp, z), info != 0);
}
#endif

Row measure_heaps(const Size& size) {
  Row row{.name = "heap", .n = size.n, .problems = size.problems};
  Lemke lemke;
  Vector z, w;
  LcpBasis basis, start;
  SolveStats stats;
  lemke.solve(make_lcp(make_contact_heap(size.n, size.problems)), nullptr, z, w, basis,
              stats);  // for its memory
#ifdef DELASSUS_HAS_SICONOS
  numerics_set_verbose(0);
  row.siconos.emplace();
#endif
  for (int i = 0; i < size.problems; ++i) {
    const Lcp lcp = make_lcp(make_contact_heap(size.n, i));
    const double seconds = time_best(size.repeats, [&] { lemke.solve(lcp, nullptr, z, w, basis, stats); });
    row.ours.add(seconds, stats.iterations, compute_residual(lcp, z), !usable(stats.status));
    start = basis;
    row.warm_seconds += time_best(size.repeats, [&] { lemke.solve(lcp, &start, z, w, basis, stats); });
    row.warm_accepted += stats.warm_started;
#ifdef DELASSUS_HAS_SICONOS
    measure_siconos(lcp, size.repeats, *row.siconos);
#endif
  }
  row.ours.divide(size.problems);
  row.warm_seconds /= size.problems;
  if (row.siconos) row.siconos->divide(size.problems);
  return row;
}

std::string duration_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} µs", 1e6 * seconds)
         : seconds < 1  ? fmt::format("{:.2f} ms", 1e3 * seconds)
                        : fmt::format("{:.2f} s", seconds);
}

nlohmann::json to_json(const Row& row) {
  nlohmann::json out{{"name", row.name},
                     {"n", row.n},
                     {"problems", row.problems},
                     {"failures", row.ours.failures},
                     {"seconds", row.ours.seconds},
                     {"pivots", row.ours.pivots},
                     {"residual", row.ours.residual},
                     {"warm_seconds", row.warm_seconds},
                     {"warm_accepted", row.warm_accepted},
                     {"siconos_seconds", nullptr},
                     {"siconos_pivots", nullptr},
                     {"siconos_residual", nullptr},
                     {"siconos_failures", nullptr},
                     {"ratio", nullptr}};
  if (row.siconos) {
    out["siconos_seconds"] = row.siconos->seconds;
    out["siconos_pivots"] = row.siconos->pivots;
    out["siconos_residual"] = row.siconos->residual;
    out["siconos_failures"] = row.siconos->failures;
    out["ratio"] = row.siconos->seconds / row.ours.seconds;
  }
  return out;
}

// Lemke's method on heaps of bodies in contact.
nlohmann::json bench_lemke(int max_size) {
  fmt::print(
      "Lemke's method on heaps of bodies, four friction directions. Means a problem, best of repeats; worst "
      "residual.\n"
      "warm: started from the basis of the solution (how many of them were accepted).\n\n");
  fmt::print("{:>6}{:>10}{:>12}{:>9}{:>10}{:>7}{:>12}{:>8}", "n", "problems", "time", "pivots", "residual",
             "failed", "warm", "accepted");
#ifdef DELASSUS_HAS_SICONOS
  fmt::print("{:>15}{:>9}{:>10}{:>7}{:>14}", "Siconos: time", "pivots", "residual", "failed", "Siconos/ours");
#endif
  fmt::print("\n");
  nlohmann::json table = nlohmann::json::array();
  for (const Size& size : k_sizes) {
    if (size.n > max_size) break;
    const Row row = measure_heaps(size);
    // The width counts bytes where the locale is plain: pad by hand around the two bytes of µ.
    const auto pad = [](const std::string& text, std::size_t width) {
      const std::size_t length = text.size() - (text.find("µ") != std::string::npos ? 1 : 0);
      return std::string(width > length ? width - length : 0, ' ') + text;
    };
    fmt::print("{:>6}{:>10}{}{:>9.1f}{:>10.1e}{:>7}{}{:>8}", row.n, row.problems,
               pad(duration_text(row.ours.seconds), 12), row.ours.pivots, row.ours.residual,
               row.ours.failures, pad(duration_text(row.warm_seconds), 12), row.warm_accepted);
    if (row.siconos)
      fmt::print("{}{:>9.1f}{:>10.1e}{:>7}{:>14.2f}", pad(duration_text(row.siconos->seconds), 15),
                 row.siconos->pivots, row.siconos->residual, row.siconos->failures,
                 row.siconos->seconds / row.ours.seconds);
    fmt::print("\n");
    std::fflush(stdout);
    table.push_back(to_json(row));
  }
  return table;
}

struct Bench {
  const char* name;
  const char* meaning;
  nlohmann::json (*run)(int max_size);
};
constexpr Bench k_benches[] = {
    {"lemke", "Lemke's method on heaps of 50 to 2000 LCP variables, beside Siconos where it is installed",
     bench_lemke}};

}  // namespace

int bench_command(const BenchArguments& arguments) {
  if (arguments.name.empty()) {
    for (const Bench& bench : k_benches) fmt::print("{:<12}{}\n", bench.name, bench.meaning);
    return k_done;
  }
  std::vector<std::string> known;
  for (const Bench& bench : k_benches) {
    known.push_back(bench.name);
    if (arguments.name != bench.name) continue;
    const nlohmann::json table = bench.run(arguments.max_size);
    if (!arguments.json.empty()) write_file(arguments.json, table.dump(2) + "\n");
    return k_done;
  }
  const std::string near = nearest_name(arguments.name, known);
  throw InputError(fmt::format("there is no benchmark '{}'; {}allowed: {}", arguments.name,
                               near.empty() ? "" : "did you mean '" + near + "'? ", fmt::join(known, ", ")));
}

}  // namespace delassus::cli
