// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Statics: a configuration where forces and joints balance,
//
//   k(t, q, 0) + G λ = 0,   Θ(t, q) = 0                                                               (1)
//
// by Newton's method on the free motions (static_problem.hpp) with pseudo-transient damping,
//
//   (K̃ + I/δ²) y = f,   q ← (q ⊞ Z y) put back onto Θ = 0                                             (2)
//
// In the coordinates y the mass matrix is the identity, so I/δ² is mass/δ²: for a small δ the step follows the forces
// downhill, as a heavily damped motion of that system would; for δ → ∞ it is Newton's method. δ is kept so small that
// K̃ + I/δ² is positive definite and that the forces do work on the way; it grows with each step. So the result is an
// equilibrium that is stable, and a pendulum started near its highest point hangs down. Exactly on an unstable
// equilibrium the step begins along the softest motion.
#pragma once
#include <string>

#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct EquilibriumOptions {
  int max_iterations = 500;
  double tolerance = 1e-11;  // of the unbalanced force relative to all forces, in M⁻¹ [-]
  // Largest move of one step, as a share of the size of the coordinates: further away another equilibrium may be.
  double largest_move = 0.2;
};

struct EquilibriumResult {
  bool ok = false;
  std::string message;  // empty when ok
  int iterations = 0;
  double residual = 0;     // largest component of k + G λ [N]
  double joint_drift = 0;  // largest |Θ| [m]
  int num_freedoms = 0;    // degrees of freedom that the joints leave
  Vector joint_forces;     // λ [N]
  double least_stiffness =
      0;  // smallest eigenvalue of the symmetric part of K̃: ω² of the softest motion [1/s²]
};

// Moves state.q there and sets state.v to zero; on failure the state is unchanged. Contacts take no part.
EquilibriumResult find_equilibrium(const System& system, State& state,
                                   const EquilibriumOptions& options = {});

}  // namespace delassus
