// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Solvers by name: the only place where their names stand.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "delassus/problems/solver.hpp"

namespace delassus {

struct SolverInfo {
  std::string name;
  std::string summary;
};

const std::vector<SolverInfo>& list_solvers();

struct SolverSettings {
  std::string name = "auto";
  double tolerance = 0;    // wanted relative residual; 0: 1e-10, or what the stepper asks for [-]
  int max_iterations = 0;  // 0: automatic
  double time_limit = 0;   // for solvers that look at the clock; 0: none [s]
  // Relaxation ω of the methods that sweep; 0: that of the method [-]
  double relaxation = 0;
  bool symmetric_sweeps = false;  // every second sweep in the opposite order
};

// Throws InputError with the known names when there is no such solver.
std::unique_ptr<Solver> make_solver(const SolverSettings& settings);

}  // namespace delassus
