// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/minres.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "delassus/linalg/kkt.hpp"

namespace delassus {
namespace {

// A Lanczos vector shorter than this part of the largest coefficient so far is round-off: the Krylov space is
// exhausted.
constexpr double k_exhausted = 10 * std::numeric_limits<double>::epsilon();
// ‖K r‖ below this part of ‖K‖ ‖r‖, the round-off of that estimate: r is outside the range of K, no iterate
// can lower it. Systems with a condition up to its inverse are not mistaken for singular ones.
constexpr double k_least_squares = 1e-8;
// A and Aᵀ may differ by the rounding of sums.
constexpr double k_asymmetry = 1e-13;

// The system and what all runs on it share.
struct Iteration {
  const LinearOperator& K;
  const LinearOperator& preconditioner;
  int iterations_left;
  double largest = 0;  // Lanczos coefficient so far: about ‖K‖
  Vector r1, r2, v, y, w, w1, w2;

  void precondition(const Vector& r, Vector& out) const {
    if (preconditioner)
      preconditioner(r, out);
    else
      out = r;
  }

  // ‖r‖ in the norm of P, NaN when P is not positive definite; y = P r.
  double norm(const Vector& r) {
    precondition(r, y);
    return std::sqrt(r.dot(y));
  }

  // x += the solution of K x = r1 to an absolute residual; one run of the Lanczos process.
  void run(double goal, Vector& x);
};

void Iteration::run(double goal, Vector& x) {
  double beta = norm(r1), previous_beta = 1, residual = beta;
  double cosine = -1, sine = 0, d_bar = 0, epsilon = 0;
  r2 = r1;
  w.setZero(x.size());
  w2.setZero(x.size());
  for (bool first = true; iterations_left > 0 && residual > goal; first = false) {
    // Lanczos: the next column (β_k, α_k, β_k+1) of the tridiagonal matrix.
    v = y / beta;
    K(v, y);
    if (!first) y -= (beta / previous_beta) * r1;
    const double alpha = v.dot(y);
    y -= (alpha / beta) * r2;
    std::swap(r1, r2);
    r2 = y;
    previous_beta = beta;
    beta = norm(r2);
    --iterations_left;
    largest = std::max({largest, std::abs(alpha), beta});
    const bool exhausted = beta <= k_exhausted * largest;
    if (exhausted) beta = 0;
    // Its QR decomposition by one more rotation.
    const double previous_epsilon = epsilon;
    const double delta = cosine * d_bar + sine * alpha, g_bar = sine * d_bar - cosine * alpha;
    epsilon = sine * beta;
    d_bar = -cosine * beta;
    // ‖K r‖ / ‖r‖ of the iterate so far.
    if (!(std::hypot(g_bar, d_bar) > k_least_squares * largest)) return;
    const double gamma = std::hypot(g_bar, beta);
    cosine = g_bar / gamma;
    sine = beta / gamma;
    std::swap(w1, w2);
    std::swap(w2, w);
    w = (v - previous_epsilon * w1 - delta * w2) / gamma;
    x += (cosine * residual) * w;
    residual *= sine;
    if (exhausted) return;
  }
}

bool is_symmetric(const SparseMatrix& A) {
  const SparseMatrix transposed = A.transpose();
  return (A - transposed).norm() <= k_asymmetry * A.norm();
}

}  // namespace

MinresResult solve_minres(const LinearOperator& K, const VectorRef& b, Vector& x,
                          const MinresOptions& options, const LinearOperator& preconditioner) {
  MinresResult result;
  Iteration iteration{.K = K, .preconditioner = preconditioner, .iterations_left = options.max_iterations};
  const Eigen::Index n = b.size();
  for (Vector* scratch : {&iteration.v, &iteration.y, &iteration.w1}) scratch->setZero(n);
  x.setZero(n);
  Vector best = x, residual = b, Kx(n);
  const double size = iteration.norm(residual);
  double error = size;
  if (size == 0) {
    result.status = MinresStatus::converged;
    result.relative_residual = 0;
    return result;
  }
  // The recurrence loses the residual to round-off; a new run on the true one takes the rest.
  bool improved = true;
  while (error > options.tolerance * size && improved && iteration.iterations_left > 0) {
    iteration.r1 = residual;
    iteration.run(options.tolerance * size, x);
    K(x, Kx);
    residual = b - Kx;
    const double previous = error;
    error = iteration.norm(residual);
    if (!std::isfinite(error)) break;
    improved = error < 0.5 * previous;
    if (error < previous)
      best = x;
    else
      error = previous;
  }
  x = best;
  result.iterations = options.max_iterations - iteration.iterations_left;
  result.relative_residual = error / size;
  if (!std::isfinite(result.relative_residual) || !x.allFinite())
    result.status = MinresStatus::not_finite;
  else if (result.relative_residual <= options.tolerance)
    result.status = MinresStatus::converged;
  else if (iteration.iterations_left > 0)
    result.status = MinresStatus::stalled;
  return result;
}

bool solve_kkt_minres(const BlockMatrix& A, const BlockRows& rows, const VectorRef& C, const VectorRef& p,
                      const VectorRef& g, Vector& v, Vector& lambda, MinresResult& result,
                      const MinresOptions& options) {
  const int nv = A.size(), nj = rows.rows();
  assert(C.size() == nj && p.size() == nv && g.size() == nj);
  const SparseMatrix A_sparse = A.to_sparse();
  StepMatrixFactor A_factor;
  if (!is_symmetric(A_sparse) || !A_factor.compute(A, true)) return false;
  const SparseMatrix Rt = rows.to_sparse_transposed();
  const Vector inverse_mass = A_sparse.diagonal().cwiseInverse();
  Vector w = C;
  for (int i = 0; i < nj; ++i)
    for (SparseMatrix::InnerIterator entry(Rt, i); entry; ++entry)
      w[i] += entry.value() * entry.value() * inverse_mass[entry.row()];
  w = (w.array() > 0).select(w, 1.0);

  Vector part(nv);
  const LinearOperator K = [&](const Vector& x, Vector& out) {
    out.head(nv).noalias() = A_sparse * x.head(nv) - Rt * x.tail(nj);
    out.tail(nj).noalias() = -(Rt.transpose() * x.head(nv));
    out.tail(nj) -= C.cwiseProduct(x.tail(nj));
  };
  const LinearOperator preconditioner = [&](const Vector& r, Vector& out) {
    out.resize(nv + nj);
    A_factor.solve(r.head(nv), part);
    out.head(nv) = part;
    out.tail(nj) = r.tail(nj).cwiseQuotient(w);
  };
  Vector b(nv + nj), x;
  b << p, -g;
  result = solve_minres(K, b, x, options, preconditioner);
  v = x.head(nv);
  lambda = x.tail(nj);
  return true;
}

}  // namespace delassus
