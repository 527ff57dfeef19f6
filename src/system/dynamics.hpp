// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The smooth part of a mechanical system:
//
//   q̇ ~ v,   M(t,q) v̇ = k(t,q,v) + G λ                                                                (1)
//   Θ(t,q) = 0   with   Gᵀ v + ∂Θ/∂t = 0,   and   A(t,q) v = b(t)  (Pfaffian rows)                    (2)
//
// q lives on a manifold (nq may exceed nv) and is moved by the retraction q ⊞ w. What the functions of one configuration
// share (rotations of bodies, frames of joints) is computed once, by `configure`, and handed to all of them.
//
//   M (nv×nv) [kg] · k (nv) generalised force [N] · G (nv×nj) joints
//
// Source: [Potra et al. 2006, §2, 5], [Gavrea et al. 2008, §2]; the letters are those of docs/notation.md.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/base/body_kinematics.hpp"
#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

// A point (t, q) and what a system knows there whatever the velocities are. Plain memory of the caller: a system writes
// it in `configure` and only reads it afterwards.
struct Configuration {
  double t = 0;
  Vector q;
  // Of the bodies of a multibody system: poses, and velocities and accelerations that are prescribed (zero otherwise).
  std::vector<BodyKinematics> bodies;
  bool is_at(double t_other, const VectorRef& q_other) const {
    return t == t_other && q.size() == q_other.size() && q == q_other;
  }
};

// Derivatives of the forces at (t, q, v).
struct ForceJacobians {
  BlockMatrix k_q;  // ∂k/∂(q ⊞ w) at w = 0, without the rank-one terms below [N/m]
  BlockMatrix k_v;  // ∂k/∂v, without the rank-one and gyroscopic terms below [N·s/m]
  BlockRows
      spring_rows;  // ∇φ_i, one row a group                                    [Potra et al. 2006, 10.13]
  Vector spring_stiffness;  // γ_i ≥ 0: contributes −γ_i ∇φ_i ∇φ_iᵀ to ∂k/∂q [N/m]
  BlockRows
      damper_rows;  // ∇ψ_j                                                     [Potra et al. 2006, 10.14]
  Vector damper_damping;  // δ_j ≥ 0: contributes −δ_j ∇ψ_j ∇ψ_jᵀ to ∂k/∂v [N·s/m]
  // What the rank-one terms leave out of the exact ∂k/∂q (geometric stiffness of springs, turning dampers).
  BlockMatrix k_q_remainder;
  // ∂(−ω × J ω)/∂ω of bodies, one block each where it is not zero; steps of one problem take Dynamics::gyroscopic_step
  // instead (docs/decisions/008-gyroscopic-terms.md).
  BlockMatrix gyroscopic;
  bool symmetric = true;  // k_q, k_v and k_q_remainder are symmetric: A stays symmetric but for `gyroscopic`
};

// How the gyroscopic forces −ω × J ω of bodies enter a step of h with the weight α of new forces.
struct GyroscopicStep {
  BlockMatrix matrix;  // beside M in A: −α h ∂/∂ω or −θ h F(ω*), one block a turning body
  Vector impulse;      // nv, beside h k with the forces at v [N·m·s]
};

// Bilateral rows (2): holonomic ones first, then Pfaffian ones.
struct BilateralRows {
  BlockRows rows;         // Gᵀ
  Vector violation;       // Θ for holonomic rows, 0 for Pfaffian rows [m]
  Vector target;          // right side of Gᵀ v = target: −∂Θ/∂t, or b(t) [m/s]
  int num_holonomic = 0;  // rows, not groups
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

class Dynamics {
 public:
  virtual ~Dynamics() = default;

  // --- sizes and names
  virtual int nq() const = 0;
  virtual int nv() const = 0;
  virtual std::string coordinate_name(int i) const = 0;
  virtual std::string velocity_name(int i) const { return coordinate_name(i); }
  virtual std::string joint_name(int row) const = 0;
  // Whether Θ of a bilateral row is an angle [rad] or a length [m], which is the default.
  virtual bool joint_row_is_angle(int /*row*/) const { return false; }
  // Inputs: the last entries of q, which no velocity moves (q ⊞ w keeps them); none is the default.
  virtual int num_signals() const { return 0; }
  virtual std::string signal_name(int i) const;

  // Whether a velocity is that of an angle [rad/s] or of a length [m/s], which is the default.
  virtual bool velocity_is_angle(int /*i*/) const { return false; }
  // The largest coordinates of both kinds, inputs and orientations left out. The default is that of a vector space.
  struct Sizes {
    double length = 0, angle = 0;  // [m, rad]
  };
  virtual Sizes coordinate_sizes(const VectorRef& q) const;

  // What is wrong with a position that is finite and of the right size, e.g. a quaternion that is not unit; empty:
  // nothing, which is the default.
  virtual std::string check_position(const VectorRef& /*q*/) const { return {}; }

  // --- the configuration manifold
  virtual void retract(const VectorRef& q, const VectorRef& w, Vector& out) const = 0;     // out = q ⊞ w
  virtual void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const = 0;  // q1 = q0 ⊞ w
  // Along q ⊞ w(t) the velocity is not ẇ where q holds rotations: ẇ from v, and back. The default is a vector space.
  virtual void rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const;
  virtual void velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const;
  // What the functions below share at (t, q). The default knows nothing beside t and q.
  virtual void configure(double t, const VectorRef& q, Configuration& out) const;

  // --- inertia and forces
  // M where it is constant; null otherwise, which is the default.
  virtual const BlockMatrix* constant_mass() const { return nullptr; }
  virtual void mass(const Configuration& at, BlockMatrix& M) const = 0;
  // M at a configuration without a copy where it is constant; `memory` holds it otherwise.
  const BlockMatrix& mass_at(const Configuration& at, BlockMatrix& memory) const;
  // M as if every body had the mass of the heaviest: a metric in which corrections of positions are short, however light the
  // bodies are that they move. M itself is the default.
  virtual void leveled_mass(const Configuration& at, BlockMatrix& M) const { mass(at, M); }
  // False: forces, joints and moving surfaces do not depend on time explicitly. True is the default.
  virtual bool depends_on_time() const { return true; }
  virtual void forces(const Configuration& at, const VectorRef& v, Vector& k) const = 0;
  virtual void force_jacobians(const Configuration& at, const VectorRef& v,
                               ForceJacobians& jacobians) const = 0;
  // `impulse` is that of all forces in the step (h k, with the gyroscopic ones at v). Bodies whose velocities are not marked
  // in `in_matrix` (nv) are solved for beforehand, each for itself; the others have a block in the matrix: the derivative if
  // `exact` and A keeps its symmetric part positive definite, otherwise the skew F at the mean of the body alone. θ = max(α, ½).
  // None is the default.
  virtual void gyroscopic_step(const VectorRef& v, const VectorRef& impulse, double h, double alpha,
                               bool exact, std::span<const char> in_matrix, GyroscopicStep& out) const;
  virtual double potential_energy(const Configuration& at) const = 0;
  // False: nothing but inertia, joints, contacts and forces with a potential. True is the default.
  virtual bool has_nonconservative_forces() const { return true; }
  // Power of the forces that have no potential: applied forces, dampers [W].
  virtual double nonconservative_power(const Configuration& at, const VectorRef& v) const = 0;
  // Of the same forces, as they are at v, but along another velocity: what they do in a step whose forces are those of v
  // while the bodies move with `along`. The default is that of `along` itself, which dampers that are stiff are far from.
  virtual double nonconservative_power_along(const Configuration& at, const VectorRef& v,
                                             const VectorRef& along) const;
  // out += scale · ∂(M(t, q ⊞ w) a)/∂w at w = 0; nothing where M is constant, which is the default.
  virtual void add_inertia_stiffness(const Configuration& at, const VectorRef& a, double scale,
                                     BlockMatrix& out) const;

  // --- joints
  virtual void bilateral(const Configuration& at, BilateralRows& out) const = 0;
  // d/dt (Gᵀ v − target) with v̇ = 0, so that the acceleration obeys Gᵀ v̇ = −bias [m/s²].
  virtual void bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const = 0;
  // out += scale · ∂(G(t, q ⊞ w) λ)/∂w at w = 0: how the reactions λ turn with the motion.
  virtual void add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                                       BlockMatrix& out) const = 0;
  // Dry friction in joints; none is the default.
  virtual void friction_rows(const Configuration& at, FrictionRows& out) const;

  // --- the same at (t, q) for callers that ask for one thing only
  void mass(double t, const VectorRef& q, BlockMatrix& M) const;
  void forces(double t, const VectorRef& q, const VectorRef& v, Vector& k) const;
  void force_jacobians(double t, const VectorRef& q, const VectorRef& v, ForceJacobians& jacobians) const;
  double potential_energy(double t, const VectorRef& q) const;
  double nonconservative_power(double t, const VectorRef& q, const VectorRef& v) const;
  void add_inertia_stiffness(double t, const VectorRef& q, const VectorRef& a, double scale,
                             BlockMatrix& out) const;
  void bilateral(double t, const VectorRef& q, BilateralRows& out) const;
  void bilateral_bias(double t, const VectorRef& q, const VectorRef& v, Vector& bias) const;
  void add_bilateral_stiffness(double t, const VectorRef& q, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const;
  void friction_rows(double t, const VectorRef& q, FrictionRows& out) const;
  Configuration configuration(double t, const VectorRef& q) const;
};

// ½ vᵀ M v
double kinetic_energy(const BlockMatrix& M, const VectorRef& v);

}  // namespace delassus
