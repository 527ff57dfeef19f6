// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's method for the equations of an implicit step,
//
//   F(x, λ) = 0  (nv),   R(x) = 0  (nj),                                                              (1)
//
// by saddle-point systems for the correction (z, μ) of (x, λ),
//
//   A z − D μ = −F,   rows z = −R,                                                                    (2)
//
// where z is a small displacement and everything is scaled so that A → M for h → 0: the conditioning of (2)
// does not depend on h, although the equations are of index 3 [BDT08].
//
// Convergence and damping are judged in the mass norm ‖z‖² = zᵀ M z, which does not depend on units. A
// correction is damped, s = 1, ½, ¼, …, until the next one, by the same matrix, is shorter: the natural
// monotonicity test [Deuflhard04, ch. 3]. The factorisation is kept as long as each correction is ten times
// shorter than the last one; it is the matrix that may be old, never the residual, so the solution is the same.
#pragma once
#include <string>

#include "delassus/linalg/kkt.hpp"

namespace delassus {

// How much of the derivatives enters A, from all to none: a later one is tried when A has no factorisation.
enum class DerivativeLevel { curvature, forces, rank_one, none };

// The equations (1) of one step. Implementations keep the iterate they were last evaluated at.
class KktEquations {
 public:
  virtual ~KktEquations() = default;
  // F and R at (x, λ); false when they are not finite.
  virtual bool evaluate(const VectorRef& x, const VectorRef& lambda) = 0;
  // A and its symmetry at the iterate of the last evaluation.
  virtual void assemble(DerivativeLevel level) = 0;
  virtual const BlockRows& rows() const = 0;
  // Dᵀ in the layout of the rows; null when it is the same.
  virtual const BlockRows* directions() const { return nullptr; }
  // Moves x by s z.
  virtual void correct(const VectorRef& z, double s, Vector& x) = 0;
  // ‖z‖ below which a correction is negligible, at the iterate of the last evaluation.
  virtual double negligible() const = 0;
  // The size of the coordinates, which the round-off of R goes with.
  virtual double extent() const = 0;
  // The row whose R is largest, against its gradient; -1 without rows.
  int worst_row(double& violation) const;

  Vector F, R;
  double largest_term = 0;  // of the sum F
  BlockMatrix A, M;
  bool symmetric = true;
};

struct NewtonResult {
  bool ok = false;
  int iterations = 0;  // corrections applied
  int factorizations = 0;
  int redundant_rows = 0;
  int linear_iterations = 0;  // of MINRES
  const char* failure = "";
};

class KktNewton {
 public:
  explicit KktNewton(LinearSolver solver) { kkt_.use(solver); }
  // From and to (x, λ). On success the equations are evaluated at the result. `level`: of the first attempt.
  NewtonResult solve(KktEquations& equations, DerivativeLevel level, int max_iterations, Vector& x,
                     Vector& lambda);

 private:
  NewtonResult iterate(KktEquations& equations, DerivativeLevel level, int max_iterations, Vector& x,
                       Vector& lambda);
  bool factorize(KktEquations& equations, DerivativeLevel level);
  double correction(const KktEquations& equations, Vector& z, Vector& mu);
  void apply(KktEquations& equations, double s, Vector& x, Vector& lambda);

  KktFactor kkt_;
  int linear_iterations_ = 0;
  // Of the factorisation; the equations go on to the next iterate.
  BlockMatrix A_;
  BlockRows rows_, directions_;
  Vector C_, z_, mu_, z_next_, mu_next_, x_next_, lambda_next_, minus_F_, minus_R_;
};

}  // namespace delassus
