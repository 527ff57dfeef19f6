// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// MINRES: symmetric systems, definite or not, by products with the matrix alone [Paige & Saunders 1975].
//
//   x_k = argmin ‖b − K x‖ over the k-th Krylov space of K and b                      (1)
//
// With a preconditioner P ≈ K⁻¹, symmetric positive definite, the norm is that of P. A singular K is allowed
// when b lies in its range; started from zero the result then has no part in the null space when P = 1.
//
//   Source: [S2, §10] for saddle points without inequalities. Differs: preconditioned, and the residual is
//   computed anew at the end and the rest of it solved for, instead of trusting the recurrence.
//   Cost: one product with K and one with P an iteration, 10 vectors. Allocates.
#pragma once
#include <functional>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"

namespace delassus {

struct MinresOptions {
  double tolerance = 1e-12;  // of ‖b − K x‖ / ‖b‖ in the norm of P [-]
  int max_iterations = 1000;
};

enum class MinresStatus {
  converged,
  max_iterations,  // x is the best iterate
  stalled,         // no further progress: b is not in the range of K, or the tolerance is below round-off
  not_finite,      // in the data, or P is not positive definite
};

struct MinresResult {
  MinresStatus status = MinresStatus::max_iterations;
  int iterations = 0;
  double relative_residual = 1;  // ‖b − K x‖ / ‖b‖ in the norm of P, from the final x [-]
};

// out = K v; `out` has the size of v.
using LinearOperator = std::function<void(const Vector& v, Vector& out)>;

// Solves K x = b; x is overwritten. An empty preconditioner is the identity.
MinresResult solve_minres(const LinearOperator& K, const VectorRef& b, Vector& x,
                          const MinresOptions& options = {}, const LinearOperator& preconditioner = {});

// The saddle point of linalg/kkt.hpp with D = Rᵀ and symmetric A, made symmetric,
//
//   [ A  −Rᵀ ] [v]   [ p]
//   [−R  −C  ] [λ] = [−g]                                                             (2)
//
// preconditioned by A⁻¹ and 1/w_i, w_i = R_i diag(A)⁻¹ R_iᵀ + C_i. Redundant rows are allowed when g is
// consistent. False, with the outputs untouched, when A is not symmetric positive definite; whether (2) has
// been solved says the result.
bool solve_kkt_minres(const BlockMatrix& A, const BlockRows& rows, const VectorRef& C, const VectorRef& p,
                      const VectorRef& g, Vector& v, Vector& lambda, MinresResult& result,
                      const MinresOptions& options = {});

}  // namespace delassus
