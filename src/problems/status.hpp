// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// How a solve ended and what it cost.
#pragma once

namespace delassus {

enum class SolveStatus {
  not_run,            // no solve was made
  converged,          // the tolerance is met; the numbers may be used
  ray,                // Lemke ended on a secondary ray, certified: no solution was found (none may exist)
  iteration_limit,    // stopped by the iteration limit; the numbers are the last iterate
  numerical_failure,  // the independent residual stayed above the tolerance; the numbers may not be used
  inexact,  // every method ended above the tolerance, but below k_certified; the numbers may be used
};

const char* to_string(SolveStatus status);
inline bool usable(SolveStatus status) {
  return status == SolveStatus::converged || status == SolveStatus::inexact;
}

// Relative residual that a solution must have whatever becomes of it. Contacts that are redundant but for the sixth digit,
// such as edges that lie on each other, can leave no more than this to any method.
inline constexpr double k_certified = 1e-8;

// One method that a solver tried on its way.
struct SolveAttempt {
  const char* method = "";
  int count = 0;       // tries: independent parts (islands), twice where it was tried again
  int iterations = 0;  // in all of them
  int failures = 0;    // of the parts, left to the next method
};

struct SolveStats {
  SolveStatus status = SolveStatus::not_run;
  int iterations = 0;         // pivots or sweeps, all phases and retries counted
  bool warm_started = false;  // the warm start alone gave the solution
  int factorizations = 0;     // factorisations from scratch
  int retries = 0;            // restarts with another covering vector
  double residual = 0;        // relative residual of the result, see problems/residual.hpp [-]
  // What was tried, in the order of the first use; of solvers that choose among methods.
  static constexpr int k_max_attempts = 8;
  SolveAttempt attempts[k_max_attempts];
  int num_attempts = 0;
  void add_attempt(const char* method, int more_iterations, bool failed);
  void add(const SolveAttempt& attempt);
};

}  // namespace delassus
