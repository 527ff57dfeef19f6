// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Accelerated projected gradient descent (Nesterov) with backtracking and adaptive restart, on
// gradient_solver.hpp (1):
//
//   y   = r_k + β_k (r_k − r_{k−1}),  u_y by the same combination (u is affine: no product)           (1)
//   r⁺  = P_K( y − D (u_y + s N) / L )                                                                (2)
//   L ← 2 L and again while (r⁺ − y)ᵀ (u⁺ − u_y) > L ‖r⁺ − y‖²;  L ← 0.97 L after every step           (3)
//   ϑ_{k+1}² = (1 − ϑ_{k+1}) ϑ_k²,   β_{k+1} = ϑ_k (1 − ϑ_k) / (ϑ_k² + ϑ_{k+1})                       (4)
//   restart ϑ = 1, β = 0 when ⟨y − r⁺, r⁺ − r_k⟩ > 0: the step goes against the momentum              (5)
//
// (3) is the descent condition f(r⁺) ≤ f(y) + ∇f(y)ᵀ(r⁺ − y) + ½ L ‖r⁺ − y‖², for a quadratic without values
// of f; it need not hold beyond the bound on the eigenvalue, where its two sides are round-off. Source: [Tasora 2017, §8, §10],
// the APGD solver of Chrono. Differs: masses as preconditioner, one product with W an iteration.
#pragma once
#include "delassus/solvers/cone/gradient_solver.hpp"

namespace delassus {

class ApgdSolver final : public GradientSolver {
 public:
  using GradientSolver::GradientSolver;
  std::string name() const override { return "apgd"; }

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) override;

 private:
  Vector y_, u_y_, previous_r_, previous_u_, change_;
};

}  // namespace delassus
