// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The mechanical model: bodies, joints, force elements and contact pairs, in words and SI units. Build it in
// code or let scene/ compile it from a file; it does not change once a system is made of it. Bodies are
// referred to by index; k_world is the fixed world.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "delassus/base/expression.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

inline constexpr int k_world = -1;

// A point mass with three degrees of freedom.
struct Particle {
  std::string name;
  double mass = 1;                     // [kg]
  Vector3 position = Vector3::Zero();  // initial [m]
  Vector3 velocity = Vector3::Zero();  // initial [m/s]
};

// Where a joint or force element is attached: a particle, or a point fixed in the world.
struct Attachment {
  int body = k_world;
  Vector3 point = Vector3::Zero();  // in the world when body is k_world; zero otherwise [m]
};

// Holds two points at a distance:  Θ = (|d|² − L²) / (2 L),  d = x_b − x_a.  Θ is the elongation to first
// order [m].
struct DistanceJoint {
  std::string name;
  Attachment a, b;
  double length = 1;  // L [m]
};

// Spring and damper along the line between two points: force −(k (|d| − L₀) + c d/dt|d|) along d.
struct SpringDamper {
  std::string name;
  Attachment a, b;
  double stiffness = 0;    // k [N/m]
  double rest_length = 0;  // L₀ [m]
  double damping = 0;      // c [N·s/m]
};

// A force on a particle as a function of (t, x, v), with its derivatives when they are asked for (non-null).
using ForceFunction = std::function<void(double t, const Vector3& x, const Vector3& v, Vector3& force,
                                         Matrix3* df_dx, Matrix3* df_dv)>;

struct AppliedForce {
  std::string name;
  int body = 0;
  ForceFunction force;
};

// Three formulas in t, x, y, z, vx, vy, vz, differentiated exactly.
ForceFunction force_from_expressions(const Expression (&components)[3]);
// Names of the variables of such formulas, in order.
const std::vector<std::string>& force_variables();
// A plain function without derivatives: they are taken by central differences.
ForceFunction force_from_function(
    std::function<Vector3(double t, const Vector3& x, const Vector3& v)> function);

// A particle against a fixed plane:  Φ = nᵀ (x − point) − radius.
struct PlaneContact {
  std::string name;
  int body = 0;
  Vector3 point = Vector3::Zero();             // of the plane [m]
  Vector3 normal = Vector3::UnitY();           // away from the solid side
  Vector3 surface_velocity = Vector3::Zero();  // of the plane's surface, tangential (a conveyor) [m/s]
  double radius = 0;                           // [m]
  double friction = 0;                         // [-]
  double restitution = 0;                      // [-]
};

// Two particles that keep a distance:  Φ = |x_b − x_a| − distance.
struct PairContact {
  std::string name;
  int body_a = 0, body_b = 0;
  double distance = 0;  // sum of the radii [m]
  double friction = 0;
  double restitution = 0;
};

struct Model {
  Vector3 gravity{0, -9.81, 0};  // [m/s²]
  std::vector<Particle> particles;
  std::vector<DistanceJoint> distance_joints;
  std::vector<SpringDamper> springs;
  std::vector<AppliedForce> applied_forces;
  std::vector<PlaneContact> plane_contacts;
  std::vector<PairContact> pair_contacts;

  // Convenience for models built in code; each returns the index of the new element.
  int add(Particle particle);
  int find_body(const std::string& name) const;  // -1 when there is none
};

// Throws InputError naming the element, the value and the allowed range.
void require_valid(const Model& model);

}  // namespace delassus
