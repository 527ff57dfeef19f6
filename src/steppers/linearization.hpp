// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes: small motions about a system at rest in equilibrium, on the motions that its joints leave free
// (static_problem.hpp),
//
//   w = Z y,   ÿ + C̃ ẏ + K̃ y = 0                                                                     (1)
//   y = Re(ŷ e^{st}),   (s² I + s C̃ + K̃) ŷ = 0                                                        (2)
//
// Without damping and with a symmetric K̃ by the symmetric eigenvalue problem K̃ ŷ = −s² ŷ, otherwise by the companion
// form [0 I; −K̃ −C̃]. K̃ contains the stiffness of the static reactions, ∂(Gλ)/∂q: it is what makes a pendulum in
// Cartesian coordinates swing. The linearisation is that of the motion only where the forces balance.
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct VibrationMode {
  std::complex<double> eigenvalue;  // s [1/s]; of a pair the one with a positive imaginary part
  double frequency = 0;             // |Im s|/2π [Hz]
  double damping_ratio = 0;         // −Re s/|s|; 0 where s = 0 [-]
  Eigen::VectorXcd shape;           // Z ŷ, nv, its largest component 1
};

struct Linearization {
  bool ok = false;
  std::string message;
  int num_freedoms = 0;              // n
  int rigid_modes = 0;               // motions without stiffness: dimension of the null space of K̃
  double residual = 0;               // largest unbalanced force |k + G λ| [N]
  Vector joint_forces;               // λ [N]
  std::vector<VibrationMode> modes;  // ascending |s|; a pair of complex eigenvalues is one, real ones are two
  bool unstable = false;             // some Re s > 0, beyond round-off
};

// At state.t and state.q, whatever state.v is.
Linearization compute_linearization(const System& system, const State& state);

}  // namespace delassus
