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
    case SolveStatus::inexact:
      return "inexact";
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
  add({.method = method, .count = 1, .iterations = more_iterations, .failures = failed ? 1 : 0});
}

void SolveStats::add(const SolveAttempt& attempt) {
  int i = 0;
  while (i < num_attempts && std::string_view(attempts[i].method) != attempt.method) ++i;
  if (i == k_max_attempts) --i;  // the last place collects the rest
  if (i == num_attempts) attempts[num_attempts++] = {.method = attempt.method};
  attempts[i].count += attempt.count;
  attempts[i].iterations += attempt.iterations;
  attempts[i].failures += attempt.failures;
}

}  // namespace delassus
