// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A system in user coordinates q (nq = nv, v = q̇), given by functions in C++ or by formulas
// (system/functions.hpp):
//
//   M(t,q) v̇ = k(t,q,v) − ∂V/∂q + c(q,v) − Σ γ_i φ_i ∇φ_i − Σ δ_j ∇ψ_j ψ̇_j + joints + contacts        (1)
//
//   k forces without potential · V potential · φ_i spring elongations · ψ_j damper elongations
//   c = −Ṁ v + ½ ∂(vᵀMv)/∂q when `automatic_coriolis` (Lagrange's equations); otherwise k must contain these
//   terms
//
// Θ_i(t,q) = 0, Pfaffian rows a(t,q) v = b(t), contacts with gap Φ(t,q) and tangent rows d(t,q). One wide
// block a row.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "delassus/system/functions.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct LagrangianDefinition {
  struct Constraint {
    std::string name;
    ScalarFunction value;  // Θ
  };
  struct VelocityConstraint {
    std::string name;
    RowFunction row;      // a
    TimeFunction target;  // b
  };
  struct Spring {
    std::string name;
    ScalarFunction elongation;  // φ
    double stiffness = 0;       // γ
  };
  struct Damper {
    std::string name;
    ScalarFunction elongation;  // ψ
    double damping = 0;         // δ
  };
  struct Contact {
    std::string name;
    ScalarFunction gap;                            // Φ
    std::vector<RowFunction> tangents;             // 0, 1 or 2
    std::vector<TimeFunction> surface_velocities;  // added to the slip, parallel to tangents; may be empty
    double friction = 0;
    double restitution = 0;
  };
  // A body as pictures and tables show it.
  struct Body {
    std::string name;
    ScalarFunction position[3];
    ScalarFunction angle;  // about z; may be empty
  };

  std::vector<std::string> coordinates;
  std::vector<char> angles;  // parallel to them: those that are angles; empty: none
  Vector q0, v0;
  std::function<void(double t, const VectorRef& q, Matrix& M)> mass;
  bool constant_mass = false;
  // ∂M/∂q_i; by differences of `mass` when empty.
  std::function<void(double t, const VectorRef& q, int i, Matrix& out)> mass_derivative;
  bool automatic_coriolis = false;
  // May be empty: none.
  std::function<void(double t, const VectorRef& q, const VectorRef& v, Vector& k)> forces;
  // Differences when empty.
  std::function<void(double t, const VectorRef& q, const VectorRef& v, Matrix& k_q, Matrix& k_v)>
      force_jacobians;
  ScalarFunction potential;  // may be empty: none
  std::vector<Constraint> constraints;
  std::vector<VelocityConstraint> velocity_constraints;
  std::vector<Spring> springs;
  std::vector<Damper> dampers;
  std::vector<Contact> contacts;
  std::vector<Body> bodies;
};

class LagrangianSystem final : public System {
 public:
  // Throws InputError when sizes do not fit, a required function is missing or M(0, q0) is not positive
  // definite.
  explicit LagrangianSystem(LagrangianDefinition definition);

  const LagrangianDefinition& definition() const { return d_; }
  State initial_state() const;

  int nq() const override { return n_; }
  int nv() const override { return n_; }
  std::string coordinate_name(int i) const override { return d_.coordinates[i]; }
  bool velocity_is_angle(int i) const override {
    return !d_.angles.empty() && d_.angles[static_cast<std::size_t>(i)] != 0;
  }
  std::string joint_name(int row) const override;
  void retract(const VectorRef& q, const VectorRef& w, Vector& out) const override { out = q + w; }
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override { w = q1 - q0; }
  using Dynamics::mass, Dynamics::forces, Dynamics::force_jacobians, Dynamics::potential_energy,
      Dynamics::nonconservative_power, Dynamics::bilateral, Dynamics::bilateral_bias,
      Dynamics::add_bilateral_stiffness, Dynamics::add_inertia_stiffness, Dynamics::friction_rows;
  void mass(const Configuration& at, BlockMatrix& M) const override;
  void forces(const Configuration& at, const VectorRef& v, Vector& k) const override;
  void force_jacobians(const Configuration& at, const VectorRef& v, ForceJacobians& out) const override;
  void add_inertia_stiffness(const Configuration& at, const VectorRef& a, double scale,
                             BlockMatrix& out) const override;
  double potential_energy(const Configuration& at) const override;
  double nonconservative_power(const Configuration& at, const VectorRef& v) const override {
    return nonconservative_power_along(at, v, v);
  }
  double nonconservative_power_along(const Configuration& at, const VectorRef& v,
                                     const VectorRef& along) const override;
  void bilateral(const Configuration& at, BilateralRows& out) const override;
  void bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const override;
  void add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const override;
  bool has_contacts() const override { return !d_.contacts.empty(); }
  std::string contact_name(ContactId id) const override { return d_.contacts[id].name; }
  bool has_contact(ContactId id) const override { return id < d_.contacts.size(); }
  void find_contacts(const Configuration& at, const VectorRef& v, double h, const ContactSet* known,
                     ContactSet& out) const override;
  void evaluate_contacts(std::span<const ContactId> ids, const Configuration& at,
                         ContactSet& out) const override;
  void contact_bias(const ContactSet& contacts, const Configuration& at, const VectorRef& v,
                    Vector& bias) const override;
  GapAt gap_at(ContactId id, double t, const VectorRef& q, const VectorRef& w) const override;
  int num_bodies() const override { return static_cast<int>(d_.bodies.size()); }
  std::string body_name(int i) const override { return d_.bodies[i].name; }
  void body_motions(double t, const VectorRef& q, const VectorRef& v,
                    std::vector<BodyMotion>& out) const override;

 private:
  void add_coriolis(double t, const VectorRef& q, const VectorRef& v, Vector& k) const;
  void mass_derivative(double t, const VectorRef& q, int i, Matrix& out) const;
  void mass_rate(double t, const VectorRef& q, Matrix& out) const;  // ∂M/∂t, by differences

  LagrangianDefinition d_;
  int n_ = 0;
};

}  // namespace delassus
