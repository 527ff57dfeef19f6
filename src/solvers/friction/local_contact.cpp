// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/local_contact.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <limits>

#include "delassus/solvers/friction/local_newton.hpp"

namespace delassus {
namespace {

// Problems come in units in which squares neither overflow nor vanish; std::hypot, which looks after that, takes a tenth of a sweep.
double length_of(double x, double y) {
  return std::sqrt(x * x + y * y);
}

constexpr double k_unit_round_off = std::numeric_limits<double>::epsilon();
// Newton with bisection: bisection alone would need about 100 halvings for any bracket of doubles.
constexpr int k_max_steps = 120;
// A root is found when the function, of order one, or the step is round-off.
constexpr double k_root_tolerance = 4 * k_unit_round_off;
// First step from a bracket that starts at zero, as a share of its end.
constexpr double k_first_share = 1e-3;
// Convex law: a Cholesky factor with a smaller ratio of pivots is no basis for (3).
constexpr double k_pivot_ratio = 1e-14;
// Error of (3), relative to the velocities it is made of, that is taken for round-off.
constexpr double k_polish_tolerance = 1e-14;

// Root of an increasing-through-zero function on (low, high) by Newton steps, bisected geometrically where they leave
// the bracket. function(x, derivative) → value.
template <typename Function>
double find_root_between(double low, double high, double x, const Function& function) {
  if (!(x > low && x < high)) x = low > 0 ? low : k_first_share * high;
  for (int i = 0; i < k_max_steps; ++i) {
    double derivative = 0;
    const double value = function(x, derivative);
    if (std::abs(value) <= k_root_tolerance) return x;
    (value < 0 ? low : high) = x;
    double next = x - value / derivative;
    if (std::abs(next - x) <= k_root_tolerance * x) return x;
    if (!(next > low && next < high))
      next = low > 0 ? low * std::sqrt(high / low)
                     : k_first_share * high;  // a ratio: the same bits in any units
    if (!(next > low && next < high)) return x;
    x = next;
  }
  return x;
}

}  // namespace

void LocalContact::prepare(const PreparedContact& contact, const double* block) {
  contact_ = contact;
  A_ = block;
  nu_ = 0;
  method_ = Method::none;
  if (contact.rho == 0) return;
  const Cone& cone = *contact.cone;
  switch (cone.kind) {
    case ConeKind::nonnegative:
      method_ = Method::unilateral;
      return;
    case ConeKind::box:
      method_ = Method::box;
      return;
    case ConeKind::equality:
      prepare_equality();
      return;
    default:
      break;
  }
  // What pushes along the normal to no effect has nothing to bound friction with.
  if (!(block[0] > 0)) {
    if (cone.extra_normal > 0) method_ = Method::newton;
    return;
  }
  const bool exact = cone.kind == ConeKind::coulomb;
  method_ = Method::newton;
  if (cone.extra_normal > 0) return;
  if (cone.dim == 1) method_ = Method::unilateral;
  if (cone.dim == 2) method_ = exact ? Method::planar : Method::convex_planar;
  if (cone.dim == 3) {
    if (exact || cone.mu == 0)
      prepare_spatial();
    else
      prepare_convex();
  }
}

void LocalContact::prepare_spatial() {
  method_ = Method::spatial;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) S_[2 * i + j] = a(i + 1, j + 1) - a(i + 1, 0) * a(0, j + 1) / a(0, 0);
  det_S_ = S_[0] * S_[3] - S_[1] * S_[2];
}

void LocalContact::prepare_convex() {
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> A(A_);
  const Eigen::Vector3d scale(1, contact_.mu, contact_.mu);
  const Eigen::Matrix3d scaled = scale.asDiagonal() * (0.5 * (A + A.transpose())) * scale.asDiagonal();
  const Eigen::LLT<Eigen::Matrix3d> llt(scaled);
  const Eigen::Vector3d pivots = llt.matrixLLT().diagonal().cwiseAbs2();
  if (llt.info() != Eigen::Success || !(pivots.minCoeff() > k_pivot_ratio * pivots.maxCoeff())) return;
  Eigen::Matrix3d J = Eigen::Vector3d(-1, 1, 1).asDiagonal();
  llt.matrixL().solveInPlace(J);
  J.transposeInPlace();
  llt.matrixL().solveInPlace(J);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(J);
  lambda_ = eigen.eigenvalues();
  X_ = eigen.eigenvectors();
  llt.matrixU().solveInPlace(X_);
  if (!(lambda_[0] < 0 && lambda_[1] > 0)) return;
  if (X_(0, 0) < 0) X_.col(0) *= -1;  // so that y_0 > 0 is the nappe of K
  method_ = Method::convex_spatial;
}

void LocalContact::prepare_equality() {
  method_ = Method::equality;
  const Eigen::Map<const ContactMatrix::RowMajor> A(A_, contact_.dim, contact_.dim);
  const Eigen::CompleteOrthogonalDecomposition<ContactBlock> decomposition{ContactBlock(A)};
  inverse_ = decomposition.pseudoInverse();
}

void LocalContact::solve(const double* q, double* r) {
  switch (method_) {
    case Method::none:
      std::fill(r, r + contact_.dim, 0.0);
      return;
    case Method::unilateral:
      r[0] = std::max(-q[0] / A_[0], 0.0);
      return;
    case Method::box:
      r[0] = std::clamp(-q[0] / A_[0], -contact_.cone->bound, contact_.cone->bound);
      return;
    case Method::equality:
      Eigen::Map<Vector>(r, contact_.dim).noalias() = -inverse_ * Eigen::Map<const Vector>(q, contact_.dim);
      return;
    case Method::planar:
      return solve_planar(q, r);
    case Method::spatial:
      return solve_spatial(q, r);
    case Method::convex_planar:
      return solve_convex_planar(q, r);
    case Method::convex_spatial:
      return solve_convex_spatial(q, r);
    case Method::newton:
      solve_local_newton(contact_, A_, q, r);
  }
}

void LocalContact::solve_planar(const double* q, double* r) const {
  r[0] = r[1] = 0;
  if (q[0] >= 0) return;
  const double mu = contact_.mu;
  const double S = a(1, 1) - a(1, 0) * a(0, 1) / a(0, 0), p = q[1] - a(1, 0) * q[0] / a(0, 0);
  if (S > 0) {
    r[1] = -p / S;
    r[0] = -(q[0] + a(0, 1) * r[1]) / a(0, 0);
    if (std::abs(r[1]) <= mu * r[0]) return;
  }
  // r_T has the sign of −p for every ν of (1).
  const double d = p > 0 ? 1.0 : p < 0 ? -1.0 : 0.0;
  r[0] = -q[0] / (a(0, 0) - mu * a(0, 1) * d);
  r[1] = -mu * r[0] * d;
}

void LocalContact::solve_spatial(const double* q, double* r) {
  r[0] = r[1] = r[2] = 0;
  if (q[0] >= 0) return;
  const double mu = contact_.mu;
  const double p[2] = {q[1] - a(1, 0) * q[0] / a(0, 0), q[2] - a(2, 0) * q[0] / a(0, 0)};
  if (mu == 0) {
    r[0] = -q[0] / a(0, 0);
    return;
  }
  const double trace = S_[0] + S_[3];
  // (1) at ν, and x = −(S + ν I)⁻¹ r_T = dr_T/dν.
  const auto evaluate = [&](double nu, double* x) {
    const double det = det_S_ + nu * (trace + nu);
    const double s0 = S_[0] + nu, s3 = S_[3] + nu;
    r[1] = (-s3 * p[0] + S_[1] * p[1]) / det;
    r[2] = (S_[2] * p[0] - s0 * p[1]) / det;
    r[0] = -(q[0] + a(0, 1) * r[1] + a(0, 2) * r[2]) / a(0, 0);
    x[0] = (-s3 * r[1] + S_[1] * r[2]) / det;
    x[1] = (S_[2] * r[1] - s0 * r[2]) / det;
  };
  double x[2];
  // A singular S has no inverse; a ν of round-off leaves a slip of round-off.
  const double least = det_S_ > k_unit_round_off * trace * trace ? 0.0 : 2 * k_unit_round_off * trace;
  if (trace > 0) {
    evaluate(least, x);
    if (length_of(r[1], r[2]) <= mu * r[0]) return;
  }
  const double p_norm = length_of(p[0], p[1]);
  const double highest = p_norm * (a(0, 0) + mu * length_of(a(0, 1), a(0, 2))) / (mu * -q[0]);
  if (!(trace > 0) || !(highest > least)) {
    // Nothing moves along the tangents, or does only by round-off: the slip is given.
    const double share = p_norm > 0 ? 1.0 / p_norm : 0.0;
    r[0] = -q[0] / (a(0, 0) - mu * share * (a(0, 1) * p[0] + a(0, 2) * p[1]));
    r[1] = -mu * r[0] * share * p[0];
    r[2] = -mu * r[0] * share * p[1];
    return;
  }
  nu_ = find_root_between(least, highest, nu_, [&](double nu, double& derivative) {
    evaluate(nu, x);
    const double norm = length_of(r[1], r[2]);
    const double normal_rate = -(a(0, 1) * x[0] + a(0, 2) * x[1]) / a(0, 0);
    const double ratio = mu * r[0] / norm;
    derivative = mu * normal_rate / norm - ratio * (r[1] * x[0] + r[2] * x[1]) / (norm * norm);
    return ratio - 1.0;  // (2)
  });
  const double norm = length_of(r[1], r[2]);
  if (!(r[0] > 0) || !(norm > 0)) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  const double share = mu * r[0] / norm;
  r[1] *= share;
  r[2] *= share;
}

void LocalContact::solve_convex_planar(const double* q, double* r) const {
  r[0] = r[1] = 0;
  const double mu = contact_.mu;
  if (q[0] >= mu * std::abs(q[1])) return;
  const double det = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  if (det > k_unit_round_off * a(0, 0) * a(1, 1)) {
    r[0] = (-a(1, 1) * q[0] + a(0, 1) * q[1]) / det;
    r[1] = (a(1, 0) * q[0] - a(0, 0) * q[1]) / det;
    if (std::abs(r[1]) <= mu * r[0]) return;
  }
  // On one of the two edges (1, ±μ): the one with the lower ½ rᵀ A r + qᵀ r.
  double lowest = 0;
  r[0] = r[1] = 0;
  for (const double tangent : {mu, -mu}) {
    const double slope = q[0] + tangent * q[1];
    const double curvature = a(0, 0) + tangent * (a(0, 1) + a(1, 0)) + tangent * tangent * a(1, 1);
    if (slope >= 0 || !(curvature > 0) || -slope * slope / curvature >= lowest) continue;
    lowest = -slope * slope / curvature;
    r[0] = -slope / curvature;
    r[1] = tangent * r[0];
  }
}

void LocalContact::solve_convex_spatial(const double* q, double* r) const {
  r[0] = r[1] = r[2] = 0;
  const double mu = contact_.mu;
  const Eigen::Vector3d scaled(q[0], mu * q[1], mu * q[2]);
  if (scaled[0] >= length_of(scaled[1], scaled[2])) return;
  const Eigen::Vector3d p = X_.transpose() * scaled;
  Eigen::Vector3d y = -p;
  const double l0 = -lambda_[0], l1 = lambda_[1], l2 = lambda_[2];
  const auto spread = [&] { return std::sqrt(l1 * y[1] * y[1] + l2 * y[2] * y[2]); };
  const double root0 = std::sqrt(l0);
  if (!(spread() <= root0 * y[0])) {
    const double low = std::max(0.0, -p[0]), high = spread() / root0;
    if (high > low) {
      y[0] = find_root_between(low, high, 0.5 * (low + high), [&](double y0, double& derivative) {
        const double nu = (1.0 + p[0] / y0) / l0, nu_rate = -p[0] / (y0 * y0 * l0);
        const double d1 = 1.0 + nu * l1, d2 = 1.0 + nu * l2;
        y[1] = -p[1] / d1;
        y[2] = -p[2] / d2;
        const double length = spread();
        const double rate = -nu_rate * (l1 * l1 * y[1] * y[1] / d1 + l2 * l2 * y[2] * y[2] / d2) / length;
        derivative = root0 * (1.0 - y0 * rate / length) / length;
        return root0 * y0 / length - 1.0;
      });
    } else {
      y[0] = high;
    }
  }
  const Eigen::Vector3d result = X_ * y;
  r[0] = result[0];
  r[1] = mu * result[1];
  r[2] = mu * result[2];
  project(contact_, r);
  // X of a badly conditioned A costs digits; Newton from here brings them back.
  double u[3];
  for (int i = 0; i < 3; ++i) u[i] = q[i] + a(i, 0) * r[0] + a(i, 1) * r[1] + a(i, 2) * r[2];
  const double r_norm = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]),
               q_norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  const double accepted = k_polish_tolerance * (r_norm / contact_.tau + q_norm);
  if (!(squared_error(contact_, r, u, 0.0) <= accepted * accepted)) solve_local_newton(contact_, A_, q, r);
}

}  // namespace delassus
