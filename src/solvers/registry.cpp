// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/registry.hpp"

#include <algorithm>

#include "delassus/solvers/auto_solver.hpp"
#include "delassus/solvers/cone/apgd.hpp"
#include "delassus/solvers/cone/sor.hpp"
#include "delassus/solvers/cone/spg.hpp"
#include "delassus/solvers/friction/admm.hpp"
#include "delassus/solvers/friction/newton.hpp"
#include "delassus/solvers/friction/nsgs.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"
#include "delassus/solvers/setting_keys.hpp"

namespace delassus {
namespace {

using Maker = std::unique_ptr<Solver> (*)(const SolverSettings&);
struct Entry {
  SolverInfo info;
  Maker make;
};

IterativeOptions iterative(const SolverSettings& settings) {
  IterativeOptions out;
  if (settings.tolerance) out.tolerance = *settings.tolerance;
  if (settings.max_iterations) out.max_iterations = *settings.max_iterations;
  if (settings.relaxation) out.relaxation = *settings.relaxation;
  return out;
}

template <typename T>
std::unique_ptr<Solver> make_iterative(const SolverSettings& settings) {
  return std::make_unique<T>(iterative(settings));
}

template <typename T, SweepOrder order>
std::unique_ptr<Solver> make_sweeping(const SolverSettings& settings) {
  return std::make_unique<T>(settings.symmetric_sweeps ? SweepOrder::symmetric : order, iterative(settings));
}

std::unique_ptr<Solver> make_lemke(const SolverSettings& settings) {
  LemkeOptions out;
  if (settings.tolerance) out.tolerance = *settings.tolerance;
  if (settings.max_iterations) out.max_pivots = *settings.max_iterations;
  return std::make_unique<LemkeSolver>(out);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> entries{
      {{"auto",
        "chooses by problem and falls back: lemke for polygons, newton and admm island by island for all "
        "else; "
        "the default"},
       make_iterative<AutoSolver>},
      {{"lemke",
        "pivoting with lexicographic ratio test; polyhedral friction, exact up to round-off; also "
        "non-symmetric problems"},
       make_lemke},
      {{"nsgs",
        "nonsmooth Gauss-Seidel, every contact solved exactly in turn; all round cones, also non-symmetric "
        "problems"},
       make_sweeping<NsgsSolver, SweepOrder::forward>},
      {{"newton",
        "semismooth Newton steps with Gauss-Seidel sweeps to come near; round-off accuracy, redundant "
        "contacts; all round "
        "cones, also non-symmetric problems"},
       make_iterative<NewtonSolver>},
      {{"admm",
        "alternating directions with one factorisation for many iterations, accelerated, Newton steps at the "
        "end; redundant contacts; all round cones, also non-symmetric problems"},
       make_iterative<AdmmSolver>},
      {{"psor",
        "projected over-relaxation, contact by contact; cheap sweeps, low accuracy; also non-symmetric "
        "problems"},
       make_sweeping<SorSolver, SweepOrder::forward>},
      {{"ssor", "psor with every second sweep in the opposite order"},
       make_sweeping<SorSolver, SweepOrder::symmetric>},
      {{"jacobi", "projected relaxation of all contacts at once; slower than psor, the same in any order"},
       make_iterative<JacobiSolver>},
      {{"apgd",
        "accelerated projected gradient with restart; symmetric problems, the exact law by a fixed point on "
        "its "
        "shift"},
       make_iterative<ApgdSolver>},
      {{"spg",
        "spectral (Barzilai-Borwein) projected gradient with fallback; symmetric problems, the exact law as "
        "apgd"},
       make_iterative<SpgSolver>},
  };
  return entries;
}

}  // namespace

const std::vector<SolverInfo>& list_solvers() {
  static const std::vector<SolverInfo> solvers = [] {
    std::vector<SolverInfo> infos;
    for (const Entry& entry : entries()) infos.push_back(entry.info);
    return infos;
  }();
  return solvers;
}

std::unique_ptr<Solver> make_solver(const SolverSettings& settings) {
  require_settings("solver", solver_keys(), settings);
  const auto entry = std::find_if(entries().begin(), entries().end(),
                                  [&](const Entry& x) { return x.info.name == settings.name; });
  return entry->make(settings);
}

}  // namespace delassus
