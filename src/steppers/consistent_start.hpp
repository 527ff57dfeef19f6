// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Putting a mechanism together: from a guess, positions and velocities that obey the joints.
//
//   positions:   q ← q ⊞ s δ,  min ½ δᵀ M δ + ½ ‖Gᵀ δ + Θ‖²/ν  with the damping ν ≥ 0               (1)
//   velocities:  v ← v + δ,    min ½ δᵀ M δ  with  Gᵀ v = target                                      (2)
//
// (1) with ν = 0 and s = 1 is Newton's method for the nearest mechanism in the metric of kinetic energy; s is halved
// until ‖Θ‖ falls, and where that does not help (the rods of a folded mechanism) ν > 0 turns the step towards the
// steepest descent (Levenberg, Marquardt). So it works from far away, and where the joints contradict each
// other it ends where they do so least, which tells who is to blame.
#pragma once
#include <string>
#include <vector>

#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct StartOptions {
  bool velocities = true;  // false: positions only
  int max_iterations = 200;
  double tolerance =
      1e-13;  // of |Θ|, relative to the size of the coordinates and to the gradient of the row [-]
};

struct StartResult {
  bool ok = false;
  std::string message;         // empty when ok
  double moved = 0;            // largest component of the displacement q ⊟ q_guess [m]
  double velocity_change = 0;  // largest component [m/s]
  double violation = 0;  // largest |Θ| that is left, against the gradient of its row where that exceeds 1 [m]
  int iterations = 0;    // of the positions
  // When it failed: joints with the largest remaining violation, worst first, at most 5.
  std::vector<std::string> worst_joints;
};

// Moves state.q and state.v; on failure the state is unchanged. Contacts take no part.
StartResult assemble_start(const System& system, State& state, const StartOptions& options = {});

}  // namespace delassus
