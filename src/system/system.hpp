// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a stepper integrates: the mechanical system
//
//   q̇ ~ v,   M(t,q) v̇ = k(t,q,v) + G λ + H r                                                          (1)
//   Θ(t,q) = 0   with   Gᵀ v + ∂Θ/∂t = 0,   and   A(t,q) v = b(t)  (Pfaffian rows)                    (2)
//   gaps Φ_j(t,q) ≥ 0  with normal and tangential rows Hᵀ and friction law                            (3)
//
// q lives on a manifold (nq may exceed nv) and is moved by the retraction q ⊞ w. All calls are batched: one
// call a step or a stage, never one a body or a contact, so the interface costs nothing for large systems. A
// System holds no mutable state; every function is const and may be called for any (t, q, v), which is what
// event location needs.
//
//   M (nv×nv) [kg] · k (nv) generalised force [N] · G (nv×nj) joints
//   · H (nv×nc·dim) contacts, normal row first
//
// Source: [S0 §2, 5], [S4 §2]; the letters are those of docs/notation.md.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

// Names a contact for its whole life; stable from step to step.
using ContactId = std::uint64_t;

// Derivatives of the forces at (t, q, v).
struct ForceJacobians {
  BlockMatrix k_q;          // ∂k/∂(q ⊞ w) at w = 0, without the rank-one terms below [N/m]
  BlockMatrix k_v;          // ∂k/∂v, without the rank-one terms below [N·s/m]
  BlockRows spring_rows;    // ∇φ_i, one row a group                                    [S0 10.13]
  Vector spring_stiffness;  // γ_i ≥ 0: contributes −γ_i ∇φ_i ∇φ_iᵀ to ∂k/∂q [N/m]
  BlockRows damper_rows;    // ∇ψ_j                                                     [S0 10.14]
  Vector damper_damping;    // δ_j ≥ 0: contributes −δ_j ∇ψ_j ∇ψ_jᵀ to ∂k/∂v [N·s/m]
  // What the rank-one terms leave out of the exact ∂k/∂q (geometric stiffness of springs, turning dampers).
  BlockMatrix k_q_remainder;
  bool symmetric = true;  // k_q, k_v and k_q_remainder are symmetric: A stays symmetric
};

// Bilateral rows (2): holonomic ones first, then Pfaffian ones.
struct BilateralRows {
  BlockRows rows;         // Gᵀ
  Vector violation;       // Θ for holonomic rows, 0 for Pfaffian rows [m]
  Vector target;          // right side of Gᵀ v = target: −∂Θ/∂t, or b(t) [m/s]
  int num_holonomic = 0;  // rows, not groups
};

// How friction depends on the slip speed s: μ(s) = μ_k + (μ − μ_k) exp(−(s/s_0)^n) + c s, with μ = μ(0) the friction
// coefficient of the contact. Stribeck's curve; s_0 = 0 with μ_k < μ is static and kinetic friction.
struct FrictionCurve {
  double kinetic = -1;  // μ_k; negative: as static, a constant coefficient [-]
  double speed = 0;     // s_0 [m/s]
  double exponent = 1;  // n [-]
  double viscous = 0;   // c [s/m]
  bool constant() const { return kinetic < 0 && viscous == 0; }
  // Of a contact that slides, also at the instant it begins to; one that sticks has all of its static friction.
  double at(double static_friction, double slip_speed) const;
  bool operator==(const FrictionCurve&) const = default;
};

// What the surfaces bring into a contact.
struct ContactSurface {
  double friction = 0;     // μ, at rest [-]
  double restitution = 0;  // e [-]
  double rolling = 0;      // levers of the couples that resist rolling and spinning [m]
  double spinning = 0;
  // Elliptic friction: the second tangent row is scaled by this ratio κ = μ₂/μ₁, so that the cone is circular with μ₁;
  // the impulse along the second tangent is κ times that of the row, its velocity 1/κ times. 1: isotropic.
  double tangent_ratio = 1;
  FrictionCurve curve;
  bool resists_turning() const { return rolling > 0 || spinning > 0; }
};

// Rows and data of given contacts (3), one group a contact: normal row first, then the tangent rows; where rolling or
// spinning is resisted two rolling rows and a spinning row after them (relative angular velocity along the two tangents
// and the normal), 6 in all.
struct ContactRows {
  BlockRows rows;         // Hᵀ
  Vector drift_velocity;  // w: relative velocity at v = 0 (∂Φ/∂t; moving surfaces), per row [m/s]
  std::vector<ContactSurface> surfaces;
};

// Dry friction that is not a contact's: |impulse along row i| ≤ h (constant_i + coefficient_i |λ_i|), opposed to the
// velocity of the row; λ_i are the forces of the bilateral rows first_force_i … of the same step.
struct FrictionRows {
  BlockRows rows;                   // one row a group
  Vector drift_velocity;            // velocity of the row at v = 0 (prescribed motions) [m/s]
  std::vector<double> constant;     // [N]
  std::vector<double> coefficient;  // [-]
  std::vector<int> first_force, num_forces;
  void clear(int nv);
};

// Whom a contact acts on: indices of bodies, its normal points from a to b. −1: the world. Two times −1: not known.
struct ContactBodies {
  int a = -1, b = -1;
  bool operator==(const ContactBodies&) const = default;
};

// What a joint transmits, on its second body at its frame there, in axes of its frame on the first body.
struct JointReaction {
  Vector3 force = Vector3::Zero();   // [N]
  Vector3 torque = Vector3::Zero();  // [N·m]
};

// A body as seen from outside: what recordings and pictures show.
struct BodyMotion {
  Vector3 position = Vector3::Zero();
  Eigen::Vector4d orientation{1, 0, 0, 0};  // quaternion (w, x, y, z)
  Vector3 velocity = Vector3::Zero();
  Vector3 angular_velocity = Vector3::Zero();  // in world axes
};

// A number that no other object of the process has or had, copies included.
class SystemNumber {
 public:
  SystemNumber() : value_(next()) {}
  SystemNumber(const SystemNumber& /*other*/) : value_(next()) {}
  SystemNumber& operator=(const SystemNumber& /*other*/) {
    value_ = next();
    return *this;
  }
  ~SystemNumber() = default;
  std::uint64_t value() const { return value_; }

 private:
  static std::uint64_t next();
  std::uint64_t value_;
};

class System {
 public:
  virtual ~System() = default;
  // What a workspace remembers of a system is of the one with this number; addresses are used again.
  std::uint64_t number() const { return number_.value(); }

  // --- sizes and names
  virtual int nq() const = 0;
  virtual int nv() const = 0;
  virtual std::string coordinate_name(int i) const = 0;
  virtual std::string velocity_name(int i) const { return coordinate_name(i); }
  virtual std::string joint_name(int row) const = 0;
  virtual std::string contact_name(ContactId id) const = 0;

  // --- inputs: the last entries of q, which no velocity moves (q ⊞ w keeps them); none is the default
  virtual int num_signals() const { return 0; }
  virtual std::string signal_name(int i) const;

  // --- the configuration manifold
  virtual void retract(const VectorRef& q, const VectorRef& w, Vector& out) const = 0;     // out = q ⊞ w
  virtual void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const = 0;  // q1 = q0 ⊞ w

  // Along q ⊞ w(t) the velocity is not ẇ where q holds rotations: ẇ from v, and back. The default is a vector space.
  virtual void rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const;
  virtual void velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const;

  // --- inertia and forces
  virtual void mass(double t, const VectorRef& q, BlockMatrix& M) const = 0;
  virtual void forces(double t, const VectorRef& q, const VectorRef& v, Vector& k) const = 0;
  virtual void force_jacobians(double t, const VectorRef& q, const VectorRef& v,
                               ForceJacobians& jacobians) const = 0;
  virtual double potential_energy(double t, const VectorRef& q) const = 0;
  // Power of the forces that have no potential: applied forces, dampers [W].
  virtual double nonconservative_power(double t, const VectorRef& q, const VectorRef& v) const = 0;

  // out += scale · ∂(M(t, q ⊞ w) a)/∂w at w = 0; nothing where M is constant, which is the default.
  virtual void add_inertia_stiffness(double t, const VectorRef& q, const VectorRef& a, double scale,
                                     BlockMatrix& out) const;

  // --- joints
  virtual void bilateral(double t, const VectorRef& q, BilateralRows& out) const = 0;
  // d/dt (Gᵀ v − target) with v̇ = 0, so that the acceleration obeys Gᵀ v̇ = −bias [m/s²].
  virtual void bilateral_bias(double t, const VectorRef& q, const VectorRef& v, Vector& bias) const = 0;
  // out += scale · ∂(G(t, q ⊞ w) λ)/∂w at w = 0: how the reactions λ turn with the motion.
  virtual void add_bilateral_stiffness(double t, const VectorRef& q, const VectorRef& lambda, double scale,
                                       BlockMatrix& out) const = 0;

  // Dry friction in joints; none is the default.
  virtual void friction_rows(double t, const VectorRef& q, FrictionRows& out) const;

  // --- contacts
  // Contacts that could touch within a step h from (t, q, v), in ascending order; a superset is allowed.
  virtual void candidates(double t, const VectorRef& q, const VectorRef& v, double h,
                          std::vector<ContactId>& ids) const = 0;
  // False when there are no contacts, wherever the motion goes.
  virtual bool has_contacts() const = 0;
  // Φ per contact. `margins`, when wanted: how far its nearest points are from the borders of the features that touch
  // [m]; negative: it has handed over to a neighbour, its gap is a smooth continuation and means nothing any more.
  // Infinite for contacts without borders.
  virtual void gaps(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps,
                    Vector* margins) const = 0;
  void gaps(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& out) const {
    gaps(ids, t, q, out, nullptr);
  }
  // The longest part of a step h over which the gaps of these open contacts can be followed from their values and rates at
  // both ends; h is the default.
  virtual double contact_step_limit(std::span<const ContactId> ids, double t, const VectorRef& q,
                                    const VectorRef& v, double h) const;
  // The contact that takes over from one with a negative margin; itself when there is none.
  virtual ContactId successor(ContactId id, double t, const VectorRef& q) const;
  virtual void contact_rows(std::span<const ContactId> ids, double t, const VectorRef& q,
                            ContactRows& out) const = 0;
  // gaps() and contact_rows() in one, for systems that can do it at the cost of one.
  virtual void gaps_and_rows(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps,
                             Vector& margins, ContactRows& out) const;
  // False: gaps and rows of all contacts are functions of q alone. True is the default.
  virtual bool has_moving_surfaces() const { return true; }
  // d/dt (Hᵀ v + w) with v̇ = 0, per row of contact_rows [m/s²].
  virtual void contact_bias(std::span<const ContactId> ids, double t, const VectorRef& q, const VectorRef& v,
                            Vector& bias) const = 0;
  // Where the contact touches, and its frame (normal, tangents) in world axes; for output only. NaN where a
  // system in user coordinates has no picture of it.
  virtual void contact_frame(ContactId id, double t, const VectorRef& q, Vector3& point,
                             Matrix3& frame) const = 0;
  // For output only, too; not known is the default.
  virtual ContactBodies contact_bodies(ContactId id) const;

  // --- outputs
  virtual int num_bodies() const = 0;
  virtual std::string body_name(int i) const = 0;
  virtual void body_motions(double t, const VectorRef& q, const VectorRef& v,
                            std::vector<BodyMotion>& out) const = 0;
  // Centre of mass in the body's frame, about which moments are taken; its origin is the default [m].
  virtual Vector3 body_center(int i) const;
  // Coordinates that joints leave free, with their rates; none is the default.
  virtual int num_joint_coordinates() const { return 0; }
  virtual std::string joint_coordinate_name(int i) const;
  virtual bool joint_coordinate_is_angle(int i) const;
  virtual void joint_coordinates(double t, const VectorRef& q, const VectorRef& v, Vector& values,
                                 Vector& rates) const;
  // Reactions of joints to forces λ of the bilateral rows, then what motors do: a force or torque along z. None is the
  // default.
  virtual int num_reactions() const { return 0; }
  virtual std::string reaction_name(int i) const;
  virtual void reactions(double t, const VectorRef& q, const VectorRef& v, const VectorRef& lambda,
                         std::vector<JointReaction>& out) const;

 private:
  SystemNumber number_;
};

// ½ vᵀ M v
double kinetic_energy(const BlockMatrix& M, const VectorRef& v);

}  // namespace delassus
