// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Projected relaxation, contact by contact:
//
//   r_c ← P_K( r_c − ω τ_c (u_c + shift_c N) ),   u_c = Σ_b W_cb r_b + u_free,c                      (1)
//
//   psor     u_c with the newest r, contacts in their order
//   ssor     the same, every second sweep in the opposite order
//   jacobi   u_c with the r of the last sweep, and ω divided by an estimate of the largest eigenvalue of
//            T^½ W T^½, T = diag(τ_c), by power iteration
//
// τ_c is 1/λ_max(W_cc), and not the ρ_c = dim/tr W_cc of the source: with the latter a contact that is
// softer in one direction than in the others (λ_max > 2/ρ_c) diverges alone. For symmetric W and convex laws every step
// with 0 < ω < 2 decreases ½ rᵀ W r + u_freeᵀ r [Tasora 2017, 122], so that psor and ssor converge; jacobi does while
// the estimate is right. For the exact law the shift is that of the current u: its fixed points are the solutions, its
// convergence is experience. Source: [Tasora 2017, §8, §10], the projected fixed-point methods.
// Cost: one product with W a sweep, row by row: u kept up to date instead needs symmetric W, drifts, and gained little
// (docs/solvers.md).
#pragma once
#include "delassus/solvers/cone/sweep_solver.hpp"

namespace delassus {

enum class SweepOrder { forward, symmetric };

class SorSolver final : public SweepSolver {
 public:
  SorSolver(SweepOrder order, const IterativeOptions& options) : SweepSolver(options), order_(order) {}
  std::string name() const override { return alternates() ? "ssor" : "psor"; }

 protected:
  void begin(const LocalProblem&) override {}
  double sweep(const LocalProblem& problem, bool backward, double omega) override;
  bool alternates() const override { return order_ == SweepOrder::symmetric; }
  double default_relaxation() const override { return 1.3; }
  bool measures_couples() const override { return false; }

 private:
  SweepOrder order_;
};

class JacobiSolver final : public SweepSolver {
 public:
  using SweepSolver::SweepSolver;
  std::string name() const override { return "jacobi"; }

 protected:
  void begin(const LocalProblem& problem) override;
  double sweep(const LocalProblem& problem, bool backward, double omega) override;
  bool measures_couples() const override { return false; }

 private:
  double safe_step_ = 1;
  Vector direction_, image_;
};

}  // namespace delassus
