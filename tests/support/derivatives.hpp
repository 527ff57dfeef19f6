// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything a System says about derivatives, against central differences of its values. Errors are relative to the
// size of what is compared.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "delassus/system/system.hpp"

namespace delassus::testing {

inline constexpr double k_step = 1e-5;

inline Vector moved(const System& system, const Vector& q, const Vector& w) {
  Vector out;
  system.retract(q, w, out);
  return out;
}

// Columns ∂f(q ⊞ w)/∂w.
inline Matrix difference_by_q(const System& system, const Vector& q,
                              const std::function<Vector(const Vector&)>& f) {
  Matrix out(f(q).size(), system.nv());
  for (int i = 0; i < system.nv(); ++i) {
    const Vector w = k_step * Vector::Unit(system.nv(), i);
    out.col(i) = (f(moved(system, q, w)) - f(moved(system, q, -w))) / (2 * k_step);
  }
  return out;
}

inline double relative_error(const Matrix& a, const Matrix& b) {
  return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

inline void expect_joint_derivatives(const System& system, double t, const Vector& q, const Vector& v,
                                     double tolerance = 2e-8) {
  BilateralRows rows, other;
  system.bilateral(t, q, rows);
  Matrix G;
  rows.rows.to_dense_transposed(G);
  const int n = rows.num_holonomic;
  const auto violation = [&](double at, const Vector& x) {
    system.bilateral(at, x, other);
    return Vector(other.violation);
  };
  const Matrix by_q = difference_by_q(system, q, [&](const Vector& x) { return violation(t, x); });
  EXPECT_LT(relative_error(G.leftCols(n).transpose(), by_q.topRows(n)), tolerance) << "gradient";
  const Vector by_t = (violation(t + k_step, q) - violation(t - k_step, q)) / (2 * k_step);
  EXPECT_LT(relative_error(rows.target.head(n), -by_t.head(n)), tolerance) << "target";

  // d/dt (Gᵀv − target) along q ⊞ τ v.
  const auto velocity = [&](double tau) {
    system.bilateral(t + tau, moved(system, q, tau * v), other);
    Vector u;
    other.rows.multiply(VectorRef(v), u);
    return Vector(u - other.target);
  };
  Vector bias;
  system.bilateral_bias(t, q, v, bias);
  EXPECT_LT(relative_error(bias, (velocity(k_step) - velocity(-k_step)) / (2 * k_step)), tolerance) << "bias";

  const Vector lambda = Vector::LinSpaced(rows.rows.rows(), 0.7, -1.3);
  const auto reaction = [&](const Vector& x) {
    system.bilateral(t, x, other);
    Vector out = Vector::Zero(system.nv());
    other.rows.add_transposed_product(lambda, out);
    return out;
  };
  BlockMatrix K;
  K.clear(system.nv());
  system.add_bilateral_stiffness(t, q, lambda, 1.0, K);
  Matrix stiffness;
  K.to_dense(stiffness);
  EXPECT_LT(relative_error(stiffness, difference_by_q(system, q, reaction)), tolerance)
      << "stiffness of reactions";
}

inline void expect_force_derivatives(const System& system, double t, const Vector& q, const Vector& v,
                                     double tolerance = 2e-8) {
  ForceJacobians J;
  system.force_jacobians(t, q, v, J);
  const auto total = [&](const BlockMatrix& a, const BlockMatrix* b, const BlockRows& rows,
                         const Vector& coefficients) {
    BlockMatrix sum = a;
    if (b != nullptr) sum.add(*b, 1.0);
    for (int i = 0; i < rows.num_groups(); ++i) {
      EXPECT_GE(coefficients[i], 0) << "the rank-one terms pull back";
      add_rank_one(rows, i, -coefficients[i], sum);
    }
    Matrix dense;
    sum.to_dense(dense);
    return dense;
  };
  Vector k;
  const auto force = [&](const Vector& x, const Vector& y) {
    system.forces(t, x, y, k);
    return k;
  };
  const Matrix k_q = total(J.k_q, &J.k_q_remainder, J.spring_rows, J.spring_stiffness);
  EXPECT_LT(relative_error(k_q, difference_by_q(system, q, [&](const Vector& x) { return force(x, v); })),
            tolerance);
  Matrix k_v(system.nv(), system.nv());
  for (int i = 0; i < system.nv(); ++i) {
    const Vector dv = k_step * Vector::Unit(system.nv(), i);
    k_v.col(i) = (force(q, v + dv) - force(q, v - dv)) / (2 * k_step);
  }
  EXPECT_LT(relative_error(total(J.k_v, &J.gyroscopic, J.damper_rows, J.damper_damping), k_v), tolerance);
  if (J.symmetric) {
    EXPECT_LT(relative_error(k_q, k_q.transpose()), 1e-12);
  }

  // The power of all forces is what the potential loses and what has no potential does.
  const auto potential = [&](double tau) {
    return system.potential_energy(t + tau, moved(system, q, tau * v));
  };
  const double change = (potential(k_step) - potential(-k_step)) / (2 * k_step);
  const double power = force(q, v).dot(v), work = system.nonconservative_power(t, q, v);
  EXPECT_NEAR(power + change, work, tolerance * (1 + std::abs(power) + std::abs(change))) << "power";
}

inline void expect_contact_derivatives(const System& system, double t, const Vector& q, const Vector& v,
                                       double tolerance = 2e-8) {
  const ContactSet contacts = system.contacts_within(0, t, q, v);
  const std::vector<ContactId>& ids = contacts.ids;
  const ContactRows& rows = contacts.rows;
  const auto gaps = [&](double at, const Vector& x) { return system.contacts_of(ids, at, x, v).gaps; };
  // One contact at a place that is not moved to is the same.
  for (ContactId id : ids) {
    const Vector w = 0.01 * v;
    const ContactId one[] = {id};
    const ContactSet there = system.contacts_of(one, t, moved(system, q, w), v);
    const GapAt gap = system.gap_at(id, t, q, w);
    EXPECT_EQ(gap.gap, there.gap(0));
    EXPECT_EQ(gap.margin, there.margins[0]);
  }
  Matrix H;
  rows.rows.to_dense_transposed(H);
  const Matrix by_q = difference_by_q(system, q, [&](const Vector& x) { return gaps(t, x); });
  const Vector by_t = (gaps(t + k_step, q) - gaps(t - k_step, q)) / (2 * k_step);
  for (std::size_t c = 0; c < ids.size(); ++c) {
    const int row = rows.rows.first_row(static_cast<int>(c));
    EXPECT_LT(relative_error(H.col(row).transpose(), by_q.row(static_cast<Eigen::Index>(c))), tolerance);
    EXPECT_NEAR(rows.drift_velocity[row], by_t[static_cast<Eigen::Index>(c)], tolerance);
  }
  const auto velocity = [&](double tau) {
    return system.contacts_of(ids, t + tau, moved(system, q, tau * v), v).u;
  };
  Vector bias;
  system.contact_bias(contacts, system.configuration(t, q), v, bias);
  EXPECT_LT(relative_error(bias, (velocity(k_step) - velocity(-k_step)) / (2 * k_step)), tolerance);
}

}  // namespace delassus::testing
