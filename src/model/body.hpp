// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies. The body's frame is where the user puts it: all points of joints, forces and shapes are given in it; the
// centre of mass may lie elsewhere.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "delassus/base/rotation.hpp"
#include "delassus/model/laws.hpp"
#include "delassus/model/shape.hpp"

namespace delassus {

enum class BodyKind : std::uint8_t {
  particle,   // a point mass: 3 degrees of freedom
  rigid,      // 6 degrees of freedom
  fixed,      // does not move
  kinematic,  // moves as prescribed
};

// A prescribed motion: x(t) of the frame's origin, and a turn by angle(t) about a fixed world axis from the initial
// orientation.
struct PrescribedMotion {
  TimeLaw position[3];
  Vector3 axis = Vector3::UnitZ();
  TimeLaw angle;  // may be empty: no turn
};

struct Body {
  std::string name;
  double mass = 1;                     // [kg]
  Vector3 position = Vector3::Zero();  // initial, of the frame's origin [m]
  Vector3 velocity = Vector3::Zero();  // initial, of the frame's origin, in world axes [m/s]
  BodyKind kind = BodyKind::particle;
  // Of rigid bodies (orientation of fixed and kinematic ones too):
  Matrix3 inertia = Matrix3::Identity();  // about the centre of mass, in axes of the body's frame [kg·m²]
  Quaternion orientation = identity_quaternion();  // initial
  Vector3 angular_velocity = Vector3::Zero();      // initial, in body axes [rad/s]
  Vector3 center_of_mass = Vector3::Zero();        // in the body's frame [m]
  PrescribedMotion motion = {};                    // kinematic bodies
  std::vector<Shape> shapes = {};                  // what touches and is drawn

  bool dynamic() const { return kind == BodyKind::particle || kind == BodyKind::rigid; }
};

// Reason why a body of this kind cannot have the shape, with value and allowed range; empty when it can. Planes and
// height fields have no mass, so they are of bodies that forces do not move; of a mesh that moves the inside must be
// known. Begins with describe(shape).
std::string check_shape(const Shape& shape, BodyKind kind);

}  // namespace delassus
