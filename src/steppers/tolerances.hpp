// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// When a contact touches, rests or does not move: the one definition of each, with docs/events.md, "Distances and rest";
// and what a step may leave behind: there, "What a step may leave".
#pragma once
#include <algorithm>
#include <cmath>

#include "delassus/linalg/types.hpp"
#include "delassus/steppers/options.hpp"
#include "delassus/system/dynamics.hpp"

namespace delassus {

// A velocity below this fraction of the largest one is round-off: what has it rests.
inline constexpr double k_rest_tolerance = 1e-12;
// Round-off of a gap that was located, as a fraction of the size of the system [-].
inline constexpr double k_gap_round_off = 1e-13;
// Event capturing: a closed contact that has drifted apart by less, as a fraction of the size of the system, stays as it
// is. One corner of four that closes on its own account makes a problem in which two carry all, and no sweeps solve that.
inline constexpr double k_gap_at_rest = 1e-10;

// Beyond these a step is halved where that can help, or warned of.
// Residuals of momentum, joints and contacts, relative to their largest terms [-].
inline constexpr double k_residual_tolerance = 1e-3;
// Depth of a contact as a fraction of the smaller body; of a stop [-, rad].
inline constexpr double k_depth_tolerance = 1e-3;
// Above these a step is halved, where events are captured and where they are located: most of what gets that deep is a contact
// that was seen too late. Located ones leave round-off otherwise.
inline constexpr double k_halving_depth = 1e-4;
inline constexpr double k_located_halving_depth = 2e-5;
// Energy that a step gains, as a fraction of its kinetic energy and of what its forces do; the second where corrections of positions
// bring most of it, which does not swing to and fro as the error of a scheme may [-].
inline constexpr double k_gain_tolerance = 1e-3;
inline constexpr double k_projected_gain_tolerance = 2e-4;
// Drift of joints as a fraction of the size of the system; of angles [-, rad].
inline constexpr double k_drift_tolerance = 1e-3;

// Largest entry in magnitude; 0 for none.
inline double max_abs(const VectorRef& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

// Inputs, which are entries of q as well, left out.
inline double largest_coordinate(const Dynamics& system, const VectorRef& q) {
  return max_abs(q.head(q.size() - system.num_signals()));
}
// Lengths that are compared with round-off are relative to this: metres, or the largest coordinate [m].
inline double system_size(const Dynamics& system, const VectorRef& q) {
  return 1.0 + largest_coordinate(system, q);
}

// What solvers leave of the energy of bodies at rest, as a share of what the forces k do over the size of the system, forces over
// its lengths and torques over its angles, so that no unit decides; and what positions leave of it that are known to
// k_gap_at_rest [-, J].
inline constexpr double k_energy_round_off = 1e-6;
inline double energy_round_off(const Dynamics& system, const VectorRef& q, const VectorRef& k) {
  double force = 0, torque = 0;
  for (int i = 0; i < static_cast<int>(k.size()); ++i) {
    double& largest = system.velocity_is_angle(i) ? torque : force;
    largest = std::max(largest, std::abs(k[i]));
  }
  const Dynamics::Sizes sizes = system.coordinate_sizes(q);
  constexpr double radian = 1.0;
  return k_energy_round_off * (force * sizes.length + torque * (radian + sizes.angle)) +
         k_gap_at_rest * force * system_size(system, q);
}

// A contact with Φ ≤ max(ε_a, ε_b h³) touches [Potra et al. 2006, 7.1] [m].
inline double touching_gap(const StepperOptions& options, double h) {
  return std::max(options.epsilon_a, options.epsilon_b * h * h * h);
}

}  // namespace delassus
