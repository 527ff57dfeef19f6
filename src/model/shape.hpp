// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of bodies: what touches, what is weighed, what is drawn. Each stands in its own frame, with z as the axis.
//
//   sphere        radius
//   box           size: full edges
//   cylinder      radius, length along z; its centre is the origin
//   capsule       a cylinder with half spheres on both ends; length is that of the cylinder
//   cone          radius of its base, length from base to apex; the base at z = −length/2, the apex at +length/2
//   ellipsoid     size: full axes
//   hull          convex hull of the vertices of `surface`
//   plane         the half space z ≤ 0; never part of a body's mass
//   height_field  ground under the heights; never part of a body's mass
//   mesh          triangles, outward side counter-clockwise; a solid where it is closed
//
// A compound is a body with several shapes.
//
// Boxes and hulls with a margin are weighed as if they were sharp: rounding takes away less than is known of a density.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "delassus/base/rotation.hpp"
#include "delassus/linalg/types.hpp"
#include "delassus/model/material.hpp"

namespace delassus {

enum class ShapeKind : std::uint8_t {
  sphere,
  box,
  cylinder,
  capsule,
  cone,
  ellipsoid,
  hull,
  plane,
  height_field,
  mesh
};

// Triangles of a mesh, or the points of a hull (then without triangles).
struct Surface {
  std::vector<Vector3> vertices;              // [m]
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise from outside
  std::string file;                           // where it came from; empty when built in code
};

// z = heights[i + nx j] at x = (i − (nx−1)/2) dx, y = (j − (ny−1)/2) dy. Each cell is two triangles, cut by the diagonal
// from (i, j) to (i+1, j+1).
struct HeightField {
  int nx = 0, ny = 0;           // points along x and y, each ≥ 2
  double dx = 1, dy = 1;        // [m]
  std::vector<double> heights;  // [m]
  std::string file;
};

struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0.05;                            // sphere, cylinder, capsule, cone [m]
  double length = 0;                               // cylinder, capsule, cone [m]
  Vector3 size = Vector3::Zero();                  // box, ellipsoid [m]
  Vector3 position = Vector3::Zero();              // of its frame in the body's frame [m]
  Quaternion orientation = identity_quaternion();  // in the body's frame
  std::string name = {};                           // for messages; the kind where it is empty
  std::shared_ptr<const Surface> surface = {};     // hull, mesh
  std::shared_ptr<const HeightField> field = {};   // height_field
  // Contact:
  bool collides = true;
  Material material = {};
  double margin = 0;        // box, hull: edges and corners rounded by this radius, faces where they are [m]
  std::uint32_t group = 1;  // bits of the groups it belongs to
  std::uint32_t touches = ~0U;  // bits of the groups it touches
};

struct MassProperties {
  double mass = 0;                           // [kg]
  Vector3 center_of_mass = Vector3::Zero();  // in the body's frame [m]
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, in axes of the body's frame [kg·m²]
};

const char* to_string(ShapeKind kind);
// How messages call it: kind, name and file.
std::string describe(const Shape& shape);

// Why the shape is none: a size that is zero, negative or not finite, a hull without inside, triangles without area, …
// `solid`: it is weighed or moves, so that a mesh must be closed, with its triangles counter-clockwise from outside, and
// planes and height fields will not do. Begins with describe(shape); empty when it is a good one. O(n log n).
std::string check_shape(const Shape& shape, bool solid);
void require_shape(const Shape& shape, bool solid);

// Both throw InputError where check_shape(shape, true) would complain.
double shape_volume(const Shape& shape);
// Of homogeneous shapes of one density [kg/m³]; shapes that overlap count twice.
MassProperties mass_properties(const std::vector<Shape>& shapes, double density);
// (1), in principal axes at the centre of mass: a picture of a body whose shape is not known. An edge that is zero (a
// thin plate or rod) stays zero.
Shape equivalent_box(const MassProperties& body);

// Reason why no mass distribution has this inertia (not symmetric, not positive definite, triangle inequality);
// empty when it is a good one.
std::string check_inertia(const Matrix3& inertia);

}  // namespace delassus
