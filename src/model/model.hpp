// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The mechanical model: bodies, joints, force elements and contact pairs, in words and SI units. Build it in
// code or let scene/ compile it from a file; it does not change once a system is made of it. Bodies are
// referred to by index; k_world is the fixed world.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "delassus/model/body.hpp"
#include "delassus/model/collision_settings.hpp"
#include "delassus/model/force.hpp"
#include "delassus/model/joint/elements.hpp"

namespace delassus {

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

// An input: a number that is set from outside while a simulation runs, 0 at the start. Motors and applied forces that name
// it are multiplied by it.
struct Signal {
  std::string name;
};

struct Model {
  Vector3 gravity{0, -9.81, 0};  // [m/s²]
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Measure> measures;
  std::vector<Coupler> couplers;
  std::vector<Motor> motors;
  std::vector<CoordinateSpring> coordinate_springs;
  std::vector<CoordinateLimit> limits;
  std::vector<JointFriction> frictions;
  std::vector<RollingDisk> rolling_disks;
  std::vector<Skate> skates;
  std::vector<PfaffianRow> pfaffian_rows;
  std::vector<SpringDamper> springs;
  std::vector<AppliedForce> applied_forces;
  std::vector<Bushing> bushings;
  std::vector<PointGravity> point_gravities;
  std::vector<std::shared_ptr<const ForceElement>> elements;
  std::vector<PlaneContact> plane_contacts;
  std::vector<PairContact> pair_contacts;
  std::vector<Signal> signals;
  CollisionSettings collision;  // of the bodies' shapes

  // Convenience for models built in code; each returns the index of the new element.
  int add(Body body);
  int add(Joint joint);
  int find_body(const std::string& name) const;  // -1 when there is none

  // The frame at a world point and with a world orientation, in the body's frame in its initial pose.
  Attachment attach(int body, const Vector3& world_point,
                    const Quaternion& world_orientation = identity_quaternion()) const;
  // A joint of the bodies as they lie now: frames A and B coincide, at a world point, z along the world axis. For a
  // universal joint `second` is the axis fixed in body b.
  Joint joint_at(JointKind kind, std::string name, int body_a, int body_b, const Vector3& point,
                 const Vector3& axis = Vector3::UnitZ(), const Vector3& second = Vector3::UnitX()) const;
};

// Throws InputError naming the element, the value and the allowed range.
void require_valid(const Model& model);

}  // namespace delassus
