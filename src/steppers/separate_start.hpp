// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes back the overlaps of a start: the smallest motion, measured by the mass matrix, that closes the joints and opens
// the gaps,
//
//   min ½ δᵀ M δ   with   Θ + Gᵀ δ = 0,   Φ + H_Nᵀ δ ≥ 0                                                        (1)
//
// repeated with the contacts found at q ⊞ δ until nothing overlaps. (1) is a one-step problem without friction.
#pragma once
#include <string>
#include <vector>

#include "delassus/problems/solver.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct SeparateOptions {
  int max_iterations = 100;
  double tolerance = 1e-10;  // overlap that is left [m]
};

struct SeparateResult {
  bool ok = false;
  std::string message;     // empty when ok
  double penetration = 0;  // that is left [m]
  double moved = 0;        // largest component of the displacement [m, rad]
  int iterations = 0;
};

// Moves state.q; on failure the state is unchanged.
SeparateResult separate_start(const System& system, Solver& solver, State& state,
                              const SeparateOptions& options = {});

}  // namespace delassus
