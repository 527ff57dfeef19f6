// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/status.hpp"

#include <string_view>

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

void SolveStats::add_attempt(const char* method, int more_iterations, bool failed) {
  int i = 0;
  while (i < num_attempts && std::string_view(attempts[i].method) != method) ++i;
  if (i == k_max_attempts) --i;  // the last place collects the rest
  if (i == num_attempts) attempts[num_attempts++] = {.method = method};
  ++attempts[i].count;
  attempts[i].iterations += more_iterations;
  attempts[i].failures += failed ? 1 : 0;
}

}  // namespace delassus
