// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {

void FrictionRows::clear(int nv) {
  rows.clear(nv);
  drift_velocity.resize(0);
  constant.clear();
  coefficient.clear();
  first_force.clear();
  num_forces.clear();
}

std::string Dynamics::signal_name(int /*i*/) const {
  return {};
}

Dynamics::Sizes Dynamics::coordinate_sizes(const VectorRef& q) const {
  Sizes out;
  for (Eigen::Index i = 0; i < q.size() - num_signals(); ++i) {
    double& size = velocity_is_angle(static_cast<int>(i)) ? out.angle : out.length;
    size = std::max(size, std::abs(q[i]));
  }
  return out;
}

void Dynamics::rate_from_velocity(const VectorRef& /*w*/, const VectorRef& v, Vector& rate) const {
  rate = v;
}

void Dynamics::velocity_from_rate(const VectorRef& /*w*/, const VectorRef& rate, Vector& v) const {
  v = rate;
}

void Dynamics::configure(double t, const VectorRef& q, Configuration& out) const {
  out.t = t;
  out.q = q;
}

Configuration Dynamics::configuration(double t, const VectorRef& q) const {
  Configuration out;
  configure(t, q, out);
  return out;
}

const BlockMatrix& Dynamics::mass_at(const Configuration& at, BlockMatrix& memory) const {
  if (const BlockMatrix* M = constant_mass()) return *M;
  mass(at, memory);
  return memory;
}

void Dynamics::gyroscopic_step(const VectorRef& /*v*/, const VectorRef& /*impulse*/, double /*h*/,
                               double /*alpha*/, bool /*exact*/, std::span<const char> /*in_matrix*/,
                               GyroscopicStep& out) const {
  out.matrix.clear(nv());
  out.impulse.setZero(nv());
}

void Dynamics::add_inertia_stiffness(const Configuration& /*at*/, const VectorRef& /*a*/, double /*scale*/,
                                     BlockMatrix& /*out*/) const {}

void Dynamics::friction_rows(const Configuration& /*at*/, FrictionRows& out) const {
  out.clear(nv());
}

void Dynamics::mass(double t, const VectorRef& q, BlockMatrix& M) const {
  mass(configuration(t, q), M);
}

void Dynamics::forces(double t, const VectorRef& q, const VectorRef& v, Vector& k) const {
  forces(configuration(t, q), v, k);
}

void Dynamics::force_jacobians(double t, const VectorRef& q, const VectorRef& v,
                               ForceJacobians& jacobians) const {
  force_jacobians(configuration(t, q), v, jacobians);
}

double Dynamics::potential_energy(double t, const VectorRef& q) const {
  return potential_energy(configuration(t, q));
}

double Dynamics::nonconservative_power_along(const Configuration& at, const VectorRef& /*v*/,
                                             const VectorRef& along) const {
  return nonconservative_power(at, along);
}

double Dynamics::nonconservative_power(double t, const VectorRef& q, const VectorRef& v) const {
  return nonconservative_power(configuration(t, q), v);
}

void Dynamics::add_inertia_stiffness(double t, const VectorRef& q, const VectorRef& a, double scale,
                                     BlockMatrix& out) const {
  add_inertia_stiffness(configuration(t, q), a, scale, out);
}

void Dynamics::bilateral(double t, const VectorRef& q, BilateralRows& out) const {
  bilateral(configuration(t, q), out);
}

void Dynamics::bilateral_bias(double t, const VectorRef& q, const VectorRef& v, Vector& bias) const {
  bilateral_bias(configuration(t, q), v, bias);
}

void Dynamics::add_bilateral_stiffness(double t, const VectorRef& q, const VectorRef& lambda, double scale,
                                       BlockMatrix& out) const {
  add_bilateral_stiffness(configuration(t, q), lambda, scale, out);
}

void Dynamics::friction_rows(double t, const VectorRef& q, FrictionRows& out) const {
  friction_rows(configuration(t, q), out);
}

double kinetic_energy(const BlockMatrix& M, const VectorRef& v) {
  double energy = 0;
  for (int b = 0; b < M.num_blocks(); ++b) {
    const auto block = M.block(b);
    if (block.rows() == 3 && block.cols() == 3) {
      const Eigen::Map<const Vector3> left(v.data() + M.block_row(b)), right(v.data() + M.block_column(b));
      energy += 0.5 * left.dot(Eigen::Map<const Matrix3>(block.data()) * right);
      continue;
    }
    energy += 0.5 * v.segment(M.block_row(b), block.rows())
                        .dot(block.lazyProduct(v.segment(M.block_column(b), block.cols())));
  }
  return energy;
}

}  // namespace delassus
