// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench lemke: Lemke's method on heaps of contacts, beside Siconos where it is installed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/bench.hpp"
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

// One problem, solved or not.
struct LemkeRun {
  double seconds = 0;  // CPU time, best of the repeats
  double pivots = 0;
  double residual = 0;
  bool solved = false;
};

struct Row {
  std::string name;
  int n = 0;
  std::vector<LemkeRun> ours, warm, siconos;  // one a problem; siconos is empty where it is not installed
};

// Residual up to which a problem counts as solved, the default tolerance of ours.
constexpr double k_solved = 1e-10;

double mean(const std::vector<LemkeRun>& runs, double LemkeRun::*member) {
  double sum = 0;
  for (const LemkeRun& run : runs) sum += run.*member;
  return sum / static_cast<double>(runs.size());
}
double worst_residual(const std::vector<LemkeRun>& runs) {
  double worst = 0;
  for (const LemkeRun& run : runs) worst = run.residual <= worst ? worst : run.residual;  // keeps NaN
  return worst;
}
int num_solved(const std::vector<LemkeRun>& runs) {
  return static_cast<int>(
      std::count_if(runs.begin(), runs.end(), [](const LemkeRun& run) { return run.solved; }));
}
// Seconds of Siconos over ours, of the problems that both solved.
std::optional<double> ratio(const Row& row) {
  double ours = 0, theirs = 0;
  for (std::size_t i = 0; i < row.siconos.size(); ++i)
    if (row.ours[i].solved && row.siconos[i].solved) {
      ours += row.ours[i].seconds;
      theirs += row.siconos[i].seconds;
    }
  return ours > 0 ? std::optional(theirs / ours) : std::nullopt;
}

struct LemkeSize {
  int n, problems, repeats;
};
// Fewer problems and repeats where one solve takes long enough to be measured well.
constexpr LemkeSize k_lemke_sizes[] = {{50, 20, 20}, {100, 20, 10}, {200, 10, 5},
                                       {500, 5, 3},  {1000, 3, 2},  {2000, 2, 2}};

LemkeRun measure(Lemke& lemke, const Lcp& lcp, const LcpBasis* start, LcpBasis& basis, int repeats) {
  Vector z, w;
  SolveStats stats;
  LemkeRun run;
  run.seconds = time_best(repeats, [&] { lemke.solve(lcp, start, z, w, basis, stats); });
  run.pivots = stats.iterations;
  run.residual = compute_residual(lcp, z);
  run.solved = usable(stats.status) && run.residual <= k_solved;
  return run;
}

#ifdef DELASSUS_HAS_SICONOS
// Siconos' Lemke as it comes, but for the limit of pivots, which is ours, and without the check of its
// result: that is what compute_residual is for.
LemkeRun measure_siconos(Lcp lcp, int repeats) {
  const int n = static_cast<int>(lcp.size());
  Vector z(n), w(n);
  NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, n, n, lcp.M.data());
  LinearComplementarityProblem problem{};
  problem.size = n;
  problem.M = matrix;
  problem.q = lcp.q.data();
  SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
  options->filterOn = false;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 50 * n + 500;
  int info = 0;
  LemkeRun run;
  run.seconds = time_best(repeats, [&] {
    z.setZero();
    w.setZero();
    info = linearComplementarity_driver(&problem, z.data(), w.data(), options);
  });
  run.pivots = options->iparam[SICONOS_IPARAM_ITER_DONE];
  run.residual = compute_residual(lcp, z);
  run.solved = info == 0 && run.residual <= k_solved;
  solver_options_delete(options);
  matrix->matrix0 = nullptr;  // belongs to lcp
  NM_free(matrix);
  return run;
}
#endif

Row measure_heaps(const LemkeSize& size) {
  Row row{.name = "heap", .n = size.n};
  Lemke lemke;
#ifdef DELASSUS_HAS_SICONOS
  numerics_set_verbose(0);
#endif
  for (int i = 0; i < size.problems; ++i) {
    const Lcp lcp = make_lcp(make_contact_heap(size.n, i));
    LcpBasis basis, ignored;
    row.ours.push_back(measure(lemke, lcp, nullptr, basis, size.repeats));
    row.warm.push_back(measure(lemke, lcp, &basis, ignored, size.repeats));
#ifdef DELASSUS_HAS_SICONOS
    row.siconos.push_back(measure_siconos(lcp, size.repeats));
#endif
  }
  return row;
}

nlohmann::json to_json(const Row& row) {
  nlohmann::json out{{"name", row.name},
                     {"n", row.n},
                     {"problems", row.ours.size()},
                     {"solved", num_solved(row.ours)},
                     {"seconds", mean(row.ours, &LemkeRun::seconds)},
                     {"pivots", mean(row.ours, &LemkeRun::pivots)},
                     {"residual", worst_residual(row.ours)},
                     {"warm_seconds", mean(row.warm, &LemkeRun::seconds)},
                     {"warm_pivots", mean(row.warm, &LemkeRun::pivots)},
                     {"siconos_solved", nullptr},
                     {"siconos_seconds", nullptr},
                     {"siconos_pivots", nullptr},
                     {"siconos_residual", nullptr},
                     {"ratio", nullptr}};
  if (row.siconos.empty()) return out;
  out["siconos_solved"] = num_solved(row.siconos);
  out["siconos_seconds"] = mean(row.siconos, &LemkeRun::seconds);
  out["siconos_pivots"] = mean(row.siconos, &LemkeRun::pivots);
  out["siconos_residual"] = worst_residual(row.siconos);
  if (const std::optional<double> r = ratio(row)) out["ratio"] = *r;
  return out;
}

}  // namespace

nlohmann::json bench_lemke(int max_size) {
  fmt::print(
      "Lemke's method on heaps of bodies with four friction directions. CPU time and pivots: means a "
      "problem,\n"
      "best of repeats; residual: the worst; solved: residual up to {:g}; warm: from the basis of the "
      "solution.\n",
      k_solved);
#ifdef DELASSUS_HAS_SICONOS
  fmt::print("ratio: time of Siconos over ours, of the problems that both solved.\n");
#endif
  fmt::print("\n{:>6}{:>12}{:>9}{:>10}{:>9}{:>12}", "n", "time", "pivots", "residual", "solved", "warm");
#ifdef DELASSUS_HAS_SICONOS
  fmt::print("  |{:>12}{:>9}{:>10}{:>9}{:>8}", "Siconos", "pivots", "residual", "solved", "ratio");
#endif
  fmt::print("\n");
  nlohmann::json table = nlohmann::json::array();
  for (const LemkeSize& size : k_lemke_sizes) {
    if (size.n > max_size) break;
    const Row row = measure_heaps(size);
    const auto print_runs = [&](const std::vector<LemkeRun>& runs) {
      fmt::print("{}{:>9.1f}{:>10.1e}{:>9}", pad(duration_text(mean(runs, &LemkeRun::seconds)), 12),
                 mean(runs, &LemkeRun::pivots), worst_residual(runs),
                 fmt::format("{}/{}", num_solved(runs), runs.size()));
    };
    fmt::print("{:>6}", row.n);
    print_runs(row.ours);
    fmt::print("{}", pad(duration_text(mean(row.warm, &LemkeRun::seconds)), 12));
    if (!row.siconos.empty()) {
      fmt::print("  |");
      print_runs(row.siconos);
      const std::optional<double> r = ratio(row);
      fmt::print("{:>8}", r ? fmt::format("{:.1f}", *r) : "-");
    }
    fmt::print("\n");
    std::fflush(stdout);
    table.push_back(to_json(row));
  }
  return table;
}

}  // namespace delassus::cli
