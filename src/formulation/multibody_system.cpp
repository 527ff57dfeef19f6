// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/formulation/multibody_system.hpp"

#include <cassert>

namespace delassus {
namespace {

Vector3 part(const VectorRef& x, int body) {
  return x.segment<3>(3 * body);
}

Vector3 position(const Attachment& end, const VectorRef& q) {
  return end.body == k_world ? end.point : part(q, end.body);
}

Vector3 velocity(const Attachment& end, const VectorRef& v) {
  return end.body == k_world ? Vector3(Vector3::Zero()) : part(v, end.body);
}

void add_force(const Attachment& end, const Vector3& force, Vector& k) {
  if (end.body != k_world) k.segment<3>(3 * end.body) += force;
}

// One row (−n, n) over the bodies of a line element.
void add_line_row(const Attachment& a, const Attachment& b, const Vector3& n, BlockRows& rows) {
  rows.add_group(1);
  if (a.body != k_world) rows.add_block(3 * a.body, 3) = -n.transpose();
  if (b.body != k_world) rows.add_block(3 * b.body, 3) = n.transpose();
}

// [K −K; −K K] over the bodies of a line element.
void add_line_block(const Attachment& a, const Attachment& b, const Matrix3& K, BlockMatrix& matrix) {
  for (const auto& [row, row_sign] : {std::pair{a.body, -1.0}, std::pair{b.body, 1.0}})
    for (const auto& [column, column_sign] : {std::pair{a.body, -1.0}, std::pair{b.body, 1.0}})
      if (row != k_world && column != k_world)
        matrix.add_block(3 * row, 3 * column, 3, 3) = row_sign * column_sign * K;
}

struct Line {
  Vector3 n;            // unit vector from a to b
  double length, rate;  // |d| and its rate
  Vector3 rate_vector;  // ḋ
};

Line line(const Attachment& a, const Attachment& b, const VectorRef& q, const VectorRef& v) {
  const Vector3 d = position(b, q) - position(a, q);
  Line x;
  x.length = d.norm();
  // Coinciding points have no direction; the spring then pulls along nothing.
  x.n = x.length > 0 ? Vector3(d / x.length) : Vector3(Vector3::Zero());
  x.rate_vector = velocity(b, v) - velocity(a, v);
  x.rate = x.n.dot(x.rate_vector);
  return x;
}

}  // namespace

MultibodySystem::MultibodySystem(Model model) : model_(std::move(model)) {
  require_valid(model_);
  for (const PairContact& contact : model_.pair_contacts) {
    const Vector3 d = model_.particles[contact.body_b].position - model_.particles[contact.body_a].position;
    reference_normals_.push_back(d.norm() > 0 ? Vector3(d.normalized()) : Vector3(Vector3::UnitX()));
  }
}

State MultibodySystem::initial_state() const {
  State state;
  state.q.resize(nq());
  state.v.resize(nv());
  for (int i = 0; i < num_bodies(); ++i) {
    state.q.segment<3>(3 * i) = model_.particles[i].position;
    state.v.segment<3>(3 * i) = model_.particles[i].velocity;
  }
  return state;
}

std::string MultibodySystem::coordinate_name(int i) const {
  static const char* const axes[] = {".x", ".y", ".z"};
  return body_name(i / 3) + axes[i % 3];
}

std::string MultibodySystem::joint_name(int row) const {
  return model_.distance_joints[row].name;
}

std::string MultibodySystem::contact_name(ContactId id) const {
  return is_plane(id) ? model_.plane_contacts[id].name : pair(id).name;
}

void MultibodySystem::mass(double /*t*/, const VectorRef& /*q*/, BlockMatrix& M) const {
  M.clear(nv());
  for (int i = 0; i < num_bodies(); ++i)
    M.add_block(3 * i, 3 * i, 3, 3).diagonal().setConstant(model_.particles[i].mass);
}

void MultibodySystem::forces(double t, const VectorRef& q, const VectorRef& v, Vector& k) const {
  k.resize(nv());
  for (int i = 0; i < num_bodies(); ++i) k.segment<3>(3 * i) = model_.particles[i].mass * model_.gravity;
  for (const SpringDamper& s : model_.springs) {
    const Line x = line(s.a, s.b, q, v);
    const Vector3 force = -(s.stiffness * (x.length - s.rest_length) + s.damping * x.rate) * x.n;
    add_force(s.b, force, k);
    add_force(s.a, -force, k);
  }
  Vector3 force;
  for (const AppliedForce& f : model_.applied_forces) {
    f.force(t, part(q, f.body), part(v, f.body), force, nullptr, nullptr);
    k.segment<3>(3 * f.body) += force;
  }
}

void MultibodySystem::force_jacobians(double t, const VectorRef& q, const VectorRef& v,
                                      ForceJacobians& out) const {
  out.k_q.clear(nv());
  out.k_v.clear(nv());
  out.k_q_remainder.clear(nv());
  out.spring_rows.clear(nv());
  out.damper_rows.clear(nv());
  out.spring_stiffness.resize(static_cast<Eigen::Index>(model_.springs.size()));
  out.damper_damping.resize(static_cast<Eigen::Index>(model_.springs.size()));
  out.symmetric = true;
  Eigen::Index count = 0;
  for (const SpringDamper& s : model_.springs) {
    const Line x = line(s.a, s.b, q, v);
    add_line_row(s.a, s.b, x.n, out.spring_rows);
    add_line_row(s.a, s.b, x.n, out.damper_rows);
    out.spring_stiffness[count] = s.stiffness;
    out.damper_damping[count] = s.damping;
    ++count;
    if (x.length <= 0) continue;
    // Force on b: −f n with f = γ(|d|−L₀) + δ nᵀḋ. Its derivative by d beside −γ n nᵀ:
    // −(f/|d|) P − δ n (P ḋ)ᵀ/|d|.
    const Matrix3 P = Matrix3::Identity() - x.n * x.n.transpose();
    const double f = s.stiffness * (x.length - s.rest_length) + s.damping * x.rate;
    Matrix3 K = -(f / x.length) * P;
    if (s.damping > 0) {
      const Vector3 turning = P * x.rate_vector;
      K -= (s.damping / x.length) * x.n * turning.transpose();
      if (turning.squaredNorm() > 0) out.symmetric = false;
    }
    add_line_block(s.a, s.b, K, out.k_q_remainder);
  }
  Vector3 force;
  Matrix3 df_dx, df_dv;
  for (const AppliedForce& f : model_.applied_forces) {
    f.force(t, part(q, f.body), part(v, f.body), force, &df_dx, &df_dv);
    out.k_q.add_block(3 * f.body, 3 * f.body, 3, 3) = df_dx;
    out.k_v.add_block(3 * f.body, 3 * f.body, 3, 3) = df_dv;
    if (df_dx != df_dx.transpose() || df_dv != df_dv.transpose()) out.symmetric = false;
  }
}

double MultibodySystem::potential_energy(double /*t*/, const VectorRef& q) const {
  double energy = 0;
  for (int i = 0; i < num_bodies(); ++i) energy -= model_.particles[i].mass * model_.gravity.dot(part(q, i));
  for (const SpringDamper& s : model_.springs) {
    const double elongation = (position(s.b, q) - position(s.a, q)).norm() - s.rest_length;
    energy += 0.5 * s.stiffness * elongation * elongation;
  }
  return energy;
}

double MultibodySystem::nonconservative_power(double t, const VectorRef& q, const VectorRef& v) const {
  double power = 0;
  for (const SpringDamper& s : model_.springs) {
    const double rate = line(s.a, s.b, q, v).rate;
    power -= s.damping * rate * rate;
  }
  Vector3 force;
  for (const AppliedForce& f : model_.applied_forces) {
    f.force(t, part(q, f.body), part(v, f.body), force, nullptr, nullptr);
    power += force.dot(part(v, f.body));
  }
  return power;
}

void MultibodySystem::bilateral(double /*t*/, const VectorRef& q, BilateralRows& out) const {
  const auto n = static_cast<Eigen::Index>(model_.distance_joints.size());
  out.rows.clear(nv());
  out.violation.resize(n);
  out.target.setZero(n);
  out.num_holonomic = static_cast<int>(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const DistanceJoint& j = model_.distance_joints[i];
    const Vector3 d = position(j.b, q) - position(j.a, q);
    out.violation[i] = (d.squaredNorm() - j.length * j.length) / (2.0 * j.length);
    add_line_row(j.a, j.b, d / j.length, out.rows);
  }
}

void MultibodySystem::bilateral_bias(double /*t*/, const VectorRef& /*q*/, const VectorRef& v,
                                     Vector& bias) const {
  bias.resize(static_cast<Eigen::Index>(model_.distance_joints.size()));
  for (Eigen::Index i = 0; i < bias.size(); ++i) {
    const DistanceJoint& j = model_.distance_joints[i];
    bias[i] = (velocity(j.b, v) - velocity(j.a, v)).squaredNorm() / j.length;
  }
}

void MultibodySystem::add_bilateral_stiffness(double /*t*/, const VectorRef& /*q*/, const VectorRef& lambda,
                                              double scale, BlockMatrix& out) const {
  for (std::size_t i = 0; i < model_.distance_joints.size(); ++i) {
    const DistanceJoint& j = model_.distance_joints[i];
    add_line_block(j.a, j.b, (scale * lambda[static_cast<Eigen::Index>(i)] / j.length) * Matrix3::Identity(),
                   out);
  }
}

void MultibodySystem::candidates(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/, double /*h*/,
                                 std::vector<ContactId>& ids) const {
  // The pairs are given one by one by the user, so all of them are candidates: none can be missed.
  ids.resize(model_.plane_contacts.size() + model_.pair_contacts.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
}

ContactGeometry MultibodySystem::geometry(ContactId id, const VectorRef& q, const VectorRef* v) const {
  if (is_plane(id)) return plane_geometry(model_.plane_contacts[id], part(q, model_.plane_contacts[id].body));
  const PairContact& c = pair(id);
  const Vector3 rate =
      v != nullptr ? Vector3(part(*v, c.body_b) - part(*v, c.body_a)) : Vector3(Vector3::Zero());
  return pair_geometry(c, reference_normals_[id - model_.plane_contacts.size()], part(q, c.body_a),
                       part(q, c.body_b), rate);
}

void MultibodySystem::gaps(std::span<const ContactId> ids, double /*t*/, const VectorRef& q,
                           Vector& gaps) const {
  gaps.resize(static_cast<Eigen::Index>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) gaps[i] = geometry(ids[i], q, nullptr).gap;
}

void MultibodySystem::contact_rows(std::span<const ContactId> ids, double /*t*/, const VectorRef& q,
                                   ContactRows& out) const {
  out.rows.clear(nv());
  out.friction.clear();
  out.restitution.clear();
  out.drift_velocity.setZero(static_cast<Eigen::Index>(3 * ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const ContactGeometry g = geometry(ids[i], q, nullptr);
    Matrix3 frame;
    frame << g.normal.transpose(), g.tangents[0].transpose(), g.tangents[1].transpose();
    out.rows.add_group(3);
    if (is_plane(ids[i])) {
      const PlaneContact& c = model_.plane_contacts[ids[i]];
      out.rows.add_block(3 * c.body, 3) = frame;
      const Vector3 drift = -(frame * c.surface_velocity);
      out.drift_velocity.segment<2>(static_cast<Eigen::Index>(3 * i + 1)) = drift.tail<2>();
      out.friction.push_back(c.friction);
      out.restitution.push_back(c.restitution);
    } else {
      const PairContact& c = pair(ids[i]);
      out.rows.add_block(3 * c.body_a, 3) = -frame;
      out.rows.add_block(3 * c.body_b, 3) = frame;
      out.friction.push_back(c.friction);
      out.restitution.push_back(c.restitution);
    }
  }
}

void MultibodySystem::contact_bias(std::span<const ContactId> ids, double /*t*/, const VectorRef& q,
                                   const VectorRef& v, Vector& bias) const {
  bias.setZero(static_cast<Eigen::Index>(3 * ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (is_plane(ids[i])) continue;
    const PairContact& c = pair(ids[i]);
    const Vector3 rate = part(v, c.body_b) - part(v, c.body_a);
    const ContactGeometry g = geometry(ids[i], q, &v);
    bias.segment<3>(static_cast<Eigen::Index>(3 * i)) << g.normal_rate.dot(rate),
        g.tangent_rates[0].dot(rate), g.tangent_rates[1].dot(rate);
  }
}

void MultibodySystem::contact_frame(ContactId id, double /*t*/, const VectorRef& q, Vector3& point,
                                    Matrix3& frame) const {
  const ContactGeometry g = geometry(id, q, nullptr);
  point = g.point;
  frame << g.normal, g.tangents[0], g.tangents[1];
}

void MultibodySystem::body_motions(double /*t*/, const VectorRef& q, const VectorRef& v,
                                   std::vector<BodyMotion>& out) const {
  out.resize(num_bodies());
  for (int i = 0; i < num_bodies(); ++i) {
    out[i] = {};
    out[i].position = part(q, i);
    out[i].velocity = part(v, i);
  }
}

}  // namespace delassus
