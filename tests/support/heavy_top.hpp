// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The heavy top as a rigid body held at a point by a joint: q = (x, ρ) with a quaternion, v = (ẋ, ω) with ω in body axes.
//
//   M = diag(m, J),   k = (−m g e_z, −ω × J ω),   Θ = x − R(ρ) r = 0
//
// The smallest system whose configurations are not a vector space (nq = 7, nv = 6), to see that steppers do not take them for one.
#pragma once
#include <Eigen/LU>

#include "delassus/base/rotation.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"
#include "runs.hpp"

namespace delassus::testing {

class HeavyTop final : public System {
 public:
  double m = 1.5, g = 9.81;
  Vector3 J{0.3, 0.35, 0.2},
      r{0.1, 0, 0.8};  // about the centre of mass; from the held point to it, body axes

  State initial_state() const {
    State state;
    const Quaternion rho = quaternion_exponential(Vector3(0.7, 0.2, 0));
    const Vector3 omega(0.5, -0.3, 6);
    state.q.resize(7);
    state.v.resize(6);
    state.q << rotate(rho, r), rho;
    state.v << rotate(rho, omega.cross(r)), omega;
    return state;
  }

  int nq() const override { return 7; }
  int nv() const override { return 6; }
  std::string coordinate_name(int i) const override { return std::to_string(i); }
  std::string joint_name(int) const override { return "tip"; }
  void retract(const VectorRef& q, const VectorRef& w, Vector& out) const override {
    out.resize(7);
    const Quaternion rho = quaternion_retract(q.tail<4>(), w.tail<3>());
    out << q.head<3>() + w.head<3>(), rho;
  }
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override {
    w.resize(6);
    w << q1.head<3>() - q0.head<3>(), quaternion_difference(q1.tail<4>(), q0.tail<4>());
  }
  void rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const override {
    rate.resize(6);
    rate << v.head<3>(), right_jacobian_inverse(w.tail<3>()) * v.tail<3>();
  }
  void velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const override {
    v.resize(6);
    v << rate.head<3>(), right_jacobian(w.tail<3>()) * rate.tail<3>();
  }
  using Dynamics::mass, Dynamics::forces, Dynamics::bilateral;
  void mass(const Configuration&, BlockMatrix& M) const override {
    M.clear(6);
    M.add_block(0, 0, 3, 3).diagonal().setConstant(m);
    M.add_block(3, 3, 3, 3).diagonal() = J;
  }
  void forces(const Configuration&, const VectorRef& v, Vector& k) const override {
    const Vector3 omega = v.tail<3>();
    k.resize(6);
    k << 0, 0, -m * g, -omega.cross(Vector3(J.cwiseProduct(omega)));
  }
  void force_jacobians(const Configuration&, const VectorRef& v, ForceJacobians& out) const override {
    const Vector3 omega = v.tail<3>();
    for (BlockMatrix* matrix : {&out.k_q, &out.k_v, &out.k_q_remainder}) matrix->clear(6);
    out.k_v.add_block(3, 3, 3, 3) = skew(J.cwiseProduct(omega)) - skew(omega) * Matrix3(J.asDiagonal());
    out.spring_rows.clear(6);
    out.damper_rows.clear(6);
    out.spring_stiffness.resize(0);
    out.damper_damping.resize(0);
    out.symmetric = false;
  }
  double potential_energy(const Configuration& at) const override { return m * g * at.q[2]; }
  double nonconservative_power(const Configuration&, const VectorRef&) const override { return 0; }
  void bilateral(const Configuration& at, BilateralRows& out) const override {
    const Vector& q = at.q;
    const Matrix3 R = rotation_matrix(q.tail<4>());
    out.rows.clear(6);
    out.rows.add_group(3);
    out.rows.add_block(0, 3) = Matrix3::Identity();
    out.rows.add_block(3, 3) = R * skew(r);
    out.violation = q.head<3>() - R * r;
    out.target.setZero(3);
    out.num_holonomic = 3;
  }
  void bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const override {
    const Vector& q = at.q;
    const Vector3 omega = v.tail<3>();
    bias = -rotation_matrix(q.tail<4>()) * omega.cross(omega.cross(r));
  }
  void add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const override {
    const Vector& q = at.q;
    const Vector3 in_body = rotation_matrix(q.tail<4>()).transpose() * lambda;
    out.add_block(3, 3, 3, 3) = -scale * skew(r) * skew(in_body);
  }
  // The motion by Euler's equations about the held point, in (ρ, ω), with Runge-Kutta: q, v and the force λ of the joint.
  struct Motion {
    Vector q{7}, v{6};
    Vector3 lambda;
  };
  Motion motion(double t, int steps = 20000) const {
    const State start = initial_state();
    const Matrix3 J_held =
        Matrix3(J.asDiagonal()) + m * (r.squaredNorm() * Matrix3::Identity() - r * r.transpose());
    const Matrix3 inverse = J_held.inverse();
    const auto acceleration = [&](const Vector& y) {
      const Vector3 omega = y.tail<3>(), weight = rotate_back(y.head<4>(), Vector3(0, 0, -m * g));
      return Vector3(inverse * (r.cross(weight) - omega.cross(Vector3(J_held * omega))));
    };
    const auto f = [&](double, const Vector& y) {
      Vector out(7);
      out << 0.5 * quaternion_product(y.head<4>(), Quaternion(0, y[4], y[5], y[6])), acceleration(y);
      return out;
    };
    Vector y(7);
    y << start.q.tail<4>(), start.v.tail<3>();
    y = runge_kutta(f, y, t, steps);
    const Quaternion rho = y.head<4>().normalized();
    const Vector3 omega = y.tail<3>();
    Motion out;
    out.q << rotate(rho, r), rho;
    out.v << rotate(rho, omega.cross(r)), omega;
    out.lambda = m * (rotate(rho, acceleration(y).cross(r) + omega.cross(omega.cross(r))) + Vector3(0, 0, g));
    return out;
  }
};

}  // namespace delassus::testing
