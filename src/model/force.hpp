// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements.
//
//   spring-damper   force −(k (ℓ − L₀) + c ℓ̇) along the line between two points, ℓ its length
//   applied force   force and torque as functions of (t, x, v) of a point, in world or body axes
//   bushing         −Jᵀ(K ξ + C J V),  ξ = (R_Aᵀ(p_B − p_A), log(R_Aᵀ R_B)) in frame A, J = ∂ξ/∂q
//   point gravity   −m μ_g (x − c)/|x − c|³ on every body
//   user element    any function of the motion of a few bodies
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/model/joint/joint.hpp"
#include "delassus/model/laws.hpp"

namespace delassus {

struct SpringDamper {
  std::string name;
  Attachment a, b;
  double stiffness = 0;    // k [N/m]
  double rest_length = 0;  // L₀ [m]
  double damping = 0;      // c [N·s/m]
};

struct AppliedForce {
  std::string name;
  int body = 0;
  ForceFunction force;              // may be empty when there is a torque
  Vector3 point = Vector3::Zero();  // where it acts, in the body's frame [m]
  ForceFunction torque = {};        // rigid bodies only; may be empty
  bool body_axes = false;           // components of force and torque in body axes; otherwise world axes
  int signal = -1;                  // index in Model::signals: force and torque are multiplied by it
};

struct Bushing {
  std::string name;
  Attachment a, b;
  Matrix6 stiffness = Matrix6::Zero();  // K, symmetric: forces first [N/m, N, N·m/rad]
  Matrix6 damping = Matrix6::Zero();    // C, symmetric
};

struct PointGravity {
  std::string name;
  Vector3 center = Vector3::Zero();  // [m]
  double strength = 0;               // μ_g = G M [m³/s²]
};

// A force element of the user's. Functions may be called at any time and for any motion; they do not change it.
class ForceElement {
 public:
  virtual ~ForceElement() = default;
  virtual std::string name() const = 0;
  // Indices of the bodies it acts on; their motions are given in this order.
  virtual std::vector<int> bodies() const = 0;
  // Adds to `wrenches`, one a body: force in world axes at the centre of mass, torque about it in body axes.
  virtual void add_wrenches(double t, std::span<const BodyKinematics> bodies,
                            std::span<Vector6> wrenches) const = 0;
  // Derivatives of the wrenches, where the element knows them; by central differences otherwise, which cost 24 calls of
  // add_wrenches a body. Both matrices have 6 rows a body, as the wrenches, and 6 columns a body: ∂/∂q by a displacement
  // in world axes and a small rotation in body axes, ∂/∂v by velocity and angular velocity, likewise.
  virtual bool has_derivatives() const { return false; }
  virtual void add_derivatives(double /*t*/, std::span<const BodyKinematics> /*bodies*/,
                               Eigen::Ref<Matrix> /*by_q*/, Eigen::Ref<Matrix> /*by_v*/) const {}
  // True only where both matrices are symmetric for every motion: the step then stays symmetric, which is cheaper and what
  // some solvers need. Differences are symmetric to round-off only; they are made so exactly.
  virtual bool symmetric_derivatives() const { return false; }
  // When the element has a potential, it is part of the energy; otherwise its power is booked as work.
  virtual bool has_potential() const { return false; }
  virtual double potential(double /*t*/, std::span<const BodyKinematics> /*bodies*/) const { return 0; }
};

}  // namespace delassus
