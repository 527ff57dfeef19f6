// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Simple solids, for mass properties and pictures.
//
//   sphere    radius                 m = ρ 4/3 π r³            J = 2/5 m r²
//   box       edges (x, y, z)        m = ρ x y z               J_x = m (y² + z²)/12, …
//   cylinder  radius, length along z m = ρ π r² l              J_z = m r²/2,  J_x = m (3r² + l²)/12
//   capsule   a cylinder with half spheres on both ends; length is that of the cylinder
//
// Backwards, the box that has mass m and principal moments J_i:  edge_i = √(6 (J_j + J_k − J_i)/m)        (1)
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "delassus/base/rotation.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

enum class ShapeKind : std::uint8_t { sphere, box, cylinder, capsule };

struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0.05;                            // sphere, cylinder, capsule [m]
  double length = 0;                               // cylinder, capsule [m]
  Vector3 size = Vector3::Zero();                  // box: full edges [m]
  Vector3 position = Vector3::Zero();              // of its centre in the body's frame [m]
  Quaternion orientation = identity_quaternion();  // in the body's frame
};

struct MassProperties {
  double mass = 0;                           // [kg]
  Vector3 center_of_mass = Vector3::Zero();  // in the body's frame [m]
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, in axes of the body's frame [kg·m²]
};

double volume(const Shape& shape);
// Of homogeneous shapes of one density [kg/m³]; shapes that overlap count twice.
MassProperties mass_properties(const std::vector<Shape>& shapes, double density);
// (1), in principal axes at the centre of mass: a picture of a body whose shape is not known. An edge that is zero (a
// thin plate or rod) stays zero.
Shape equivalent_box(const MassProperties& body);

// Reason why no mass distribution has this inertia (not symmetric, not positive definite, triangle inequality);
// empty when it is a good one.
std::string check_inertia(const Matrix3& inertia);

}  // namespace delassus
