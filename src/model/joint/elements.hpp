// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What acts on coordinates: couplers, motors, springs, limits and friction of joints; and the constraints on
// velocities that no position equation replaces (Gavrea et al. 2008, 2.1).
//
//   coupler          Σ c_i ξ_i = offset                        gears, racks, pulleys, differentials
//   position motor   ξ = f(t)                                  a rheonomic row
//   velocity motor   ξ̇ = f(t)                                  a row on velocities
//   force motor      force f(t, ξ, ξ̇) on ξ
//   servo            force −k_p (ξ − f(t)) − k_d (ξ̇ − ḟ(t))    implicit: stable for any gains
//   spring           force −k (ξ − ξ₀) − c ξ̇
//   limit            lower ≤ ξ ≤ upper                         unilateral, with restitution
//   friction         |force| ≤ constant + coefficient · |F|    F: the joint's force of the same step
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "delassus/model/joint/joint.hpp"
#include "delassus/model/laws.hpp"

namespace delassus {

// A scalar measured between two frames: a length, or the slide or angle of frame B along or about z of frame A.
struct Measure {
  enum class Kind : std::uint8_t { length, slide, angle };
  std::string name;
  Kind kind = Kind::length;
  Attachment a, b;
};

// Names a coordinate ξ: number `index` of a joint's coordinates, or a measure.
struct CoordinateRef {
  int joint = -1;
  int index = 0;
  int measure = -1;
};

struct Coupler {
  std::string name;
  struct Term {
    CoordinateRef coordinate;
    double coefficient = 1;
  };
  std::vector<Term> terms;
  double offset = 0;
  // Take the offset that the initial configuration has.
  bool offset_from_start = true;
};

// ξ_b = −ratio ξ_a for wheels that mesh outside (ratio = radius a / radius b), + for a belt (negative ratio).
Coupler gear(std::string name, CoordinateRef a, CoordinateRef b, double ratio);
// slide = radius · angle
Coupler rack_and_pinion(std::string name, CoordinateRef pinion, CoordinateRef rack, double radius);
// length_a + ratio · length_b stays.
Coupler pulley(std::string name, CoordinateRef length_a, CoordinateRef length_b, double ratio);

struct Motor {
  enum class Kind : std::uint8_t { position, velocity, force, servo };
  std::string name;
  Kind kind = Kind::position;
  CoordinateRef coordinate;
  TimeLaw target;                     // position, velocity, servo
  CoordinateLaw force;                // force
  double stiffness = 0, damping = 0;  // k_p, k_d of a servo
  // Index in Model::signals: target or force is multiplied by it. Not of position motors: their target may not jump.
  int signal = -1;
};

struct CoordinateSpring {
  std::string name;
  CoordinateRef coordinate;
  double stiffness = 0;  // [N/m] or [N·m/rad]
  double rest = 0;       // ξ₀
  double damping = 0;    // [N·s/m] or [N·m·s/rad]
};

struct CoordinateLimit {
  std::string name;
  CoordinateRef coordinate;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double restitution = 0;  // [-]
};

struct JointFriction {
  std::string name;
  CoordinateRef coordinate;  // of a joint
  double constant = 0;       // [N] or [N·m]
  double coefficient = 0;    // μ of a slide, μ times the pin's radius of an angle [-] or [m]
};

// Rolling without slip of a disk on a fixed plane: the rim touches, and the point that touches rests. One position
// equation and two on velocities.
struct RollingDisk {
  std::string name;
  int body = 0;
  Vector3 center = Vector3::Zero();  // in the body's frame [m]
  Vector3 axis = Vector3::UnitZ();   // in the body's frame
  double radius = 1;                 // [m]
  Vector3 plane_point = Vector3::Zero(), plane_normal = Vector3::UnitY();
};

// A knife edge: the point does not move across the blade, along `across` (in the body's frame).
struct Skate {
  std::string name;
  int body = 0;
  Vector3 point = Vector3::Zero(), across = Vector3::UnitY();
};

// Σ linear·v(point) + angular·ω + Σ c_i ξ̇_i = target(t): any row on velocities.
struct PfaffianRow {
  struct Term {
    int body = 0;
    Vector3 point = Vector3::Zero();  // in the body's frame
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    bool body_axes = false;  // of linear and angular; otherwise world axes
  };
  std::string name;
  std::vector<Term> terms;
  std::vector<Coupler::Term> coordinates;
  TimeLaw target;  // may be empty: 0
};

}  // namespace delassus
