// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Spectral projected gradient of Barzilai-Borwein type with preconditioning and fallback (P-SPG-FB), on
// gradient_solver.hpp (1):
//
//   d   = P_K( r − α D (u + s N) ) − r                                                                (1)
//   r ← r + λ d,  the largest λ ≤ 1 tried with f(r + λ d) ≤ max of the last f's + γ λ ∇fᵀ d             (2)
//   α = ⟨d, d⟩ / dᵀ W d   or   dᵀ W d / Σ ρ_c ‖(W d)_c‖²,  the second when it is much the smaller        (3)
//
// W d is the only product of an iteration: f along d is a parabola, and u ← u + λ W d. Of all iterates the one with the
// smallest error is returned, which makes the method monotone from outside (the fallback). Source: [Tasora 2017, §8,
// §10], spectral projected gradient with diagonal preconditioning and fallback. Differs: the choice in (3) by ratio
// instead of by turns; u computed afresh now and then and before acceptance.
#pragma once
#include "delassus/solvers/cone/gradient_solver.hpp"

namespace delassus {

class SpgSolver final : public GradientSolver {
 public:
  using GradientSolver::GradientSolver;
  std::string name() const override { return "spg"; }

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) override;

 private:
  static constexpr int k_memory = 10;  // values of f that (2) looks back on
  // Length λ of (2) for the slope ∇fᵀd and curvature dᵀWd; remembers the new value.
  double search_line(double slope_d, double curvature);
  void forget_values();

  Vector d_, Wd_, scaled_;
  double values_[k_memory] = {}, value_ = 0;
  int num_values_ = 0;
};

}  // namespace delassus
