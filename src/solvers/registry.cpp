// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/registry.hpp"

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"

namespace delassus {

const std::vector<SolverInfo>& list_solvers() {
  static const std::vector<SolverInfo> solvers{
      {"lemke",
       "pivoting with lexicographic ratio test; polyhedral friction, exact up to round-off; also "
       "non-symmetric problems"}};
  return solvers;
}

std::unique_ptr<Solver> make_solver(const SolverSettings& settings) {
  if (settings.name == "lemke")
    return std::make_unique<LemkeSolver>(
        LemkeOptions{.max_pivots = settings.max_iterations, .tolerance = settings.tolerance});
  std::vector<std::string> names;
  for (const SolverInfo& info : list_solvers()) names.push_back(info.name);
  const std::string near = nearest_name(settings.name, names);
  throw InputError("unknown solver '" + settings.name + "'; known: lemke" +
                   (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace delassus
