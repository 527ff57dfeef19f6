// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A system at rest, (t, q, v = 0), on the motions that its joints leave free:
//
//   ZᵀG = 0,  Zᵀ M Z = I                                                                              (1)
//   λ: the joint forces of least ‖k + G λ‖ (in M⁻¹),   f = Zᵀ k                                       (2)
//   K = −(∂k/∂q + ∂(Gλ)/∂q),   C = −∂k/∂v,   K̃ = Zᵀ K Z,   C̃ = Zᵀ C Z                                (3)
//
//   Z (nv×n) basis of the free motions, n degrees of freedom · f (n) unbalanced force
//   ∂k/∂q is all of it: k_q + k_q_remainder − Σ γ∇φ∇φᵀ; ∂k/∂v = k_v + gyroscopic − Σ δ∇ψ∇ψᵀ
//
// Shared by statics (equilibrium.hpp) and modes (linearization.hpp). Pfaffian rows count among the joints. Dense:
// O(nv³) operations, allocates.
#pragma once
#include "delassus/system/system.hpp"

namespace delassus {

struct StaticProblem {
  BilateralRows bilateral;
  Vector k;             // forces at v = 0 [N]
  Vector lambda;        // of (2) [N]
  Matrix Z;             // of (1)
  Vector f;             // of (2)
  Matrix K, C;          // of (3), reduced to the free motions
  double force = 0;     // ‖k‖ in M⁻¹, the measure of f
  double residual = 0;  // largest component of k + G λ [N]
  int num_freedoms() const { return static_cast<int>(Z.cols()); }
};

// False when the mass matrix is not positive definite or something is not finite.
bool update_static_problem(const System& system, double t, const VectorRef& q, StaticProblem& problem);

}  // namespace delassus
