// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest correction that obeys rows, of which many may depend on each other:
//
//   min ½ δᵀ M δ   with   R_e δ = b_e,   R_p δ ≥ b_p                                                   (1)
//
// in the space of the velocities, six a body, however many rows there are (linalg/body_factor.hpp).
//
// Equations are met by the method of multipliers: with Σ as stiff as many masses of its row,
//
//   (M + Rᵀ Σ R) dδ = Rᵀ (λ + Σ (b − R δ)) − M δ,   λ ← λ + Σ (b − R δ)                                   (2)
//
// Every round divides what is left of the rows by the stiffness, and rows that depend on others are no harm as long as b does
// not contradict them. With directions D, M δ = Dᵀ λ, in place of R.
// Rows that push have slacks s = R_p δ − b_p ≥ 0 and multipliers λ_p ≥ 0, s ∘ λ_p → 0, by the predictor and corrector of Mehrotra
// (1992), where Σ is λ_p/s for them: which of them push is found all at once, in a number of steps that hardly grows with theirs.
#pragma once
#include <vector>

#include "delassus/linalg/body_factor.hpp"

namespace delassus {

class LeastCorrection {
 public:
  // False: the system has no small bodies (BodyFactor), or the rows are not met within `tolerance`, in the unit of b, and more
  // rounds do not help; they contradict each other, perhaps.
  bool solve(const BlockMatrix& M, const BlockRows& R, const VectorRef& b, double tolerance, Vector& delta,
             Vector& lambda);
  // The same along directions D.
  bool solve_along(const BlockMatrix& M, const BlockRows& R, const BlockRows& D, const VectorRef& b,
                   double tolerance, Vector& delta, Vector& lambda);
  // Rows from `first_pushing` on are those of R_p.
  bool solve_pushing(const BlockMatrix& M, const BlockRows& R, const VectorRef& b, int first_pushing,
                     double tolerance, Vector& delta, Vector& lambda);
  // Of the last solve with rows that push: what is left of them, also where that is more than the tolerance.
  double violation() const { return violation_; }
  int factorizations() const { return factorizations_; }  // of the last solve

 private:
  bool solve_equations(const BlockMatrix& M, const BlockRows& R, const BlockRows& D, const VectorRef& b,
                       bool symmetric, double tolerance, Vector& delta, Vector& lambda);
  void begin_pushing(const BlockRows& R, const VectorRef& b, double size, Vector& delta, Vector& lambda);
  // momentum_ = Rᵀ λ − M δ and slack_off_ = b + s − R δ, s being zero for equations; the larger of what is left, in the unit of b.
  double find_residuals(const BlockMatrix& M, const BlockRows& R, const VectorRef& b, const Vector& delta,
                        const Vector& lambda);
  // The step to s ∘ λ = s ∘ λ + `products`, by the factors.
  void find_step(const BlockRows& R, const Vector& lambda);
  double longest_step(const Vector& lambda) const;
  double mean_product(const Vector& lambda, double length) const;

  BodyFactor factor_;
  int factorizations_ = 0, first_pushing_ = 0;
  double violation_ = 0;
  Vector weights_, image_, momentum_, step_, pull_;
  Vector slack_, slack_off_, per_slack_, products_, slack_step_, lambda_step_;
};

}  // namespace delassus
