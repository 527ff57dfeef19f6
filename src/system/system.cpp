// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/system.hpp"

#include <atomic>
#include <cmath>

namespace delassus {

std::uint64_t SystemNumber::next() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void System::rate_from_velocity(const VectorRef& /*w*/, const VectorRef& v, Vector& rate) const {
  rate = v;
}

void System::velocity_from_rate(const VectorRef& /*w*/, const VectorRef& rate, Vector& v) const {
  v = rate;
}

void System::add_inertia_stiffness(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*a*/,
                                   double /*scale*/, BlockMatrix& /*out*/) const {}

double kinetic_energy(const BlockMatrix& M, const VectorRef& v) {
  double energy = 0;
  for (int b = 0; b < M.num_blocks(); ++b) {
    const auto block = M.block(b);
    energy += 0.5 * v.segment(M.block_row(b), block.rows())
                        .dot(block.lazyProduct(v.segment(M.block_column(b), block.cols())));
  }
  return energy;
}

double FrictionCurve::at(double static_friction, double slip_speed) const {
  if (constant()) return static_friction;
  const double lowest = kinetic < 0 ? static_friction : kinetic;
  const double fading = speed > 0 ? std::exp(-std::pow(slip_speed / speed, exponent)) : 0.0;
  return lowest + (static_friction - lowest) * fading + viscous * slip_speed;
}

void FrictionRows::clear(int nv) {
  rows.clear(nv);
  drift_velocity.resize(0);
  constant.clear();
  coefficient.clear();
  first_force.clear();
  num_forces.clear();
}

double System::contact_step_limit(std::span<const ContactId> /*ids*/, double /*t*/, const VectorRef& /*q*/,
                                  const VectorRef& /*v*/, double h) const {
  return h;
}

void System::gaps_and_rows(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps,
                           Vector& margins, ContactRows& out) const {
  this->gaps(ids, t, q, gaps, &margins);
  contact_rows(ids, t, q, out);
}

ContactId System::successor(ContactId id, double /*t*/, const VectorRef& /*q*/) const {
  return id;
}

void System::friction_rows(double /*t*/, const VectorRef& /*q*/, FrictionRows& out) const {
  out.clear(nv());
}

ContactBodies System::contact_bodies(ContactId /*id*/) const {
  return {};
}

Vector3 System::body_center(int) const {
  return Vector3::Zero();
}

std::string System::signal_name(int /*i*/) const {
  return {};
}

std::string System::joint_coordinate_name(int /*i*/) const {
  return {};
}

bool System::joint_coordinate_is_angle(int /*i*/) const {
  return false;
}

void System::joint_coordinates(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/, Vector& values,
                               Vector& rates) const {
  values.resize(0);
  rates.resize(0);
}

std::string System::reaction_name(int /*i*/) const {
  return {};
}

void System::reactions(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/,
                       const VectorRef& /*lambda*/, std::vector<JointReaction>& out) const {
  out.clear();
}

}  // namespace delassus
