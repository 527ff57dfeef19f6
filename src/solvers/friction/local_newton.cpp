// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/local_newton.hpp"

#include <Eigen/LU>
#include <limits>

namespace delassus {
namespace {

constexpr double k_round_off = 16 * std::numeric_limits<double>::epsilon();
constexpr int k_max_newton_steps = 60;
constexpr int k_max_newton_halvings = 6;  // of a Newton step
constexpr double k_decrease = 0.1;        // share of the predicted decrease that a step must bring
constexpr int k_projected_steps = 8;      // between two Newton attempts

struct Evaluation {
  ContactVector u, x, F;
  double norm = 0;
};

struct LocalProblemOfContact {
  const PreparedContact& contact;
  Eigen::Map<const ContactMatrix::RowMajor> A;
  Eigen::Map<const Vector> q;

  void evaluate(const ContactVector& r, Evaluation& at) const {
    at.u = q;
    at.u.noalias() += A * r;
    at.x = r - contact.tau * at.u;
    at.x[0] -= contact.tau * cone_shift(*contact.cone, at.u);
    at.F = r - project_onto_cone(*contact.cone, at.x);
    at.norm = at.F.norm();
  }
};

}  // namespace

void project_with_derivative(const Cone& cone, const ContactVector& x, ContactVector& projected,
                             ContactBlock& derivative) {
  projected = project_onto_cone(cone, x);
  derivative.setIdentity(x.size(), x.size());
  const FrictionParts parts = friction_parts(cone);
  const double normal = projected[0] + cone.extra_normal;
  // Row of the normal: dn = (dx_N + Σ μ_i ŷ_iᵀ dy_i) / (1 + Σ μ_i²) over the parts that bind.
  ContactVector dn = ContactVector::Zero(x.size());
  double weight = 1;
  dn[0] = 1;
  for (int i = 0; i < parts.count; ++i) {
    const auto [kind, first, size, mu] = parts.part[i];
    const double norm = x.segment(first, size).norm();
    if (norm <= mu * normal) continue;
    weight += mu * mu;
    dn.segment(first, size) = mu * x.segment(first, size) / norm;
  }
  dn /= weight;
  if (projected[0] <= 0) dn.setZero();
  derivative.row(0) = dn.transpose();
  for (int i = 0; i < parts.count; ++i) {
    const auto [kind, first, size, mu] = parts.part[i];
    const double norm = x.segment(first, size).norm();
    if (norm <= mu * normal) continue;
    const ContactVector y = x.segment(first, size) / norm;
    derivative.middleRows(first, size) = mu * y * dn.transpose();
    derivative.block(first, first, size, size) +=
        (mu * normal / norm) * (ContactBlock::Identity(size, size) - y * y.transpose());
  }
}

bool solve_local_newton(const PreparedContact& contact, const double* A, const double* q, double* r) {
  const int n = contact.dim;
  const LocalProblemOfContact local{contact, {A, n, n}, {q, n}};
  const FrictionParts parts = friction_parts(*contact.cone);
  ContactVector point = Eigen::Map<const Vector>(r, n), trial(n), projected(n), best;
  ContactBlock derivative(n, n), jacobian(n, n), moved(n, n);
  Evaluation at, next;
  local.evaluate(point, at);
  best = point;
  double best_norm = at.norm;
  const auto is_root = [&] { return at.norm <= k_round_off * (point.norm() + contact.tau * local.q.norm()); };
  for (int step = 0; step < k_max_newton_steps && !is_root(); ++step) {
    project_with_derivative(*contact.cone, at.x, projected, derivative);
    moved = local.A;  // (I + N gᵀ) A
    if (contact.coulomb)
      for (int i = 0; i < parts.count; ++i) {
        const auto [kind, first, size, mu] = parts.part[i];
        const double speed = at.u.segment(first, size).norm();
        for (int k = first; k < first + size && speed > 0; ++k)
          moved.row(0) += (mu * at.u[k] / speed) * local.A.row(k);
      }
    jacobian.setIdentity(n, n);
    jacobian -= derivative;
    jacobian.noalias() += contact.tau * derivative * moved;  // (2)
    const ContactVector delta = -Eigen::PartialPivLU<ContactBlock>(jacobian).solve(at.F);
    double length = 1;
    bool descends = false;
    for (int halving = 0; halving < k_max_newton_halvings && delta.allFinite() && !descends; ++halving) {
      trial = point + length * delta;
      local.evaluate(trial, next);
      descends = next.norm <= (1 - k_decrease * length) * at.norm;
      length *= 0.5;
    }
    if (!descends) {
      trial = point;
      next = at;
      for (int i = 0; i < k_projected_steps; ++i) {
        trial -= next.F;
        local.evaluate(trial, next);
      }
    }
    point = trial;
    at = next;
    if (at.norm < best_norm) {
      best_norm = at.norm;
      best = point;
    }
  }
  const bool found = is_root();
  Eigen::Map<Vector>(r, n) = project_onto_cone(*contact.cone, best);
  return found;
}

}  // namespace delassus
