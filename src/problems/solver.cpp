// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/solver.hpp"

namespace delassus {

std::string reason_against(const SolverCapabilities& capabilities, const Problem& problem) {
  if (!capabilities.nonsymmetric && (!problem.symmetric || problem.separate_directions))
    return "it needs a symmetric problem";
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::nonnegative && !capabilities.nonnegative)
      return "it takes no unilateral contacts";
    if (cone.kind == ConeKind::coulomb && !capabilities.coulomb) return "it takes no circular friction cones";
    if (cone.kind == ConeKind::polyhedral && !capabilities.polyhedral)
      return "it takes no polyhedral friction cones";
    if (cone.kind == ConeKind::box && !capabilities.box) return "it takes no friction with a given limit";
  }
  return {};
}

}  // namespace delassus
