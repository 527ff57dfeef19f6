// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Solvers by name. A new name is an entry here; outside of it, programs and tests name them as users do, and only a
// solver's own file repeats its name.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delassus/problems/solver.hpp"

namespace delassus {

struct SolverInfo {
  std::string name;
  std::string summary;
};

const std::vector<SolverInfo>& list_solvers();

// Everything a user may choose about the solver; an optional member without a value is chosen automatically. Keys,
// ranges and texts stand in solvers/setting_keys.cpp.
struct SolverSettings {
  std::string name = "auto";
  std::optional<double>
      tolerance;  // wanted relative residual; automatic: 1e-10, or what the stepper needs [-]
  // The same where a stepper that locates events captures those of a crowd; automatic: `tolerance`, or what capturing needs where
  // that is automatic too [-].
  std::optional<double> captured_tolerance;
  std::optional<int> max_iterations;
  // Relaxation ω of the methods that sweep; automatic: that of the method [-]
  std::optional<double> relaxation;
  bool symmetric_sweeps = false;  // every second sweep in the opposite order
  bool operator==(const SolverSettings&) const = default;
};

// Throws InputError: unknown name (with the nearest known one), values out of range.
std::unique_ptr<Solver> make_solver(const SolverSettings& settings);

}  // namespace delassus
