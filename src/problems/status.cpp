// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/status.hpp"

namespace delassus {

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::not_run:
      return "not run";
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::ray:
      return "ray";
    case SolveStatus::iteration_limit:
      return "iteration limit";
    case SolveStatus::numerical_failure:
      return "numerical failure";
  }
  return "unknown";
}

}  // namespace delassus
