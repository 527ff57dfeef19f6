// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A shape made ready for collision: its features, in the frame of the shape.
//
//   shape        points            edges                       faces          circles
//   sphere       centre, rounded   –                           –              –
//   capsule      ends, rounded     axis, rounded               –              –
//   box, hull    vertices          edges                       polygons       –
//   cylinder     8 on each rim     the side: its axis, rounded 2 disks        2 rims
//   cone         apex, 8 on a rim  the side: its axis with a   1 disk         1 rim
//                                  radius that varies linearly
//   ellipsoid    (one feature of its own)
//   plane        –                 –                           the half space –
//   mesh,        vertices          edges                       triangles      –
//   height field
//
// "Rounded" features are the points within a radius of the core that is stored. The side of a cone is the envelope of
// balls centred on its axis, with a radius that varies linearly: exactly a rounded edge as well. Where the ball's
// centre would leave the edge, the side hands over to its neighbour (rim, apex). Points on rims make flat contacts of
// disks stable; the lowest point of the rim is found exactly beside them.
//
// Triangles of meshes and height fields are features like the faces of hulls; a cell of a height field takes about 800
// bytes (a point with six arms, three edges, two triangles). The ground is the solid below it. Borders of open meshes and
// height fields, and edges of more than two triangles, are edges with a single arm. Vertices without triangles are none.
//
// Arms are unit vectors from a sharp feature along its neighbours into the solid's surface: a direction d is outward at
// the feature when dᵀ arm ≤ 0 for all of them (the normal cone). Points of polyhedra have one along every edge, points of
// rims −e, the arm into the side and both tangents, the apex eight on the side, at multiples of 45° like those of rims.
// Those of a rounded box or hull are the arms of its core, whose normal cones are the same.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "delassus/collision/support_table.hpp"
#include "delassus/model/shape.hpp"

namespace delassus {

enum class FeatureKind : std::uint8_t { point, edge, face, circle, ellipsoid };

struct GeometryPoint {
  Vector3 x = Vector3::Zero();
  double radius = 0;
  int first_arm = 0, num_arms = 0;  // in Geometry::arms; none: every direction is allowed
};

struct GeometryEdge {
  Vector3 x[2];                                         // ends
  double radius[2] = {0, 0};                            // at the ends
  int point[2] = {-1, -1};                              // the points at the ends; −1: it ends in a circle
  int face[2] = {-1, -1};                               // at both sides of a sharp edge
  Vector3 arm[2] = {Vector3::Zero(), Vector3::Zero()};  // perpendicular to it, into the two faces; zero: none
  bool ridge = true;  // false: flat or concave (of meshes): touches nothing itself
};

struct GeometryFace {
  Vector3 normal = Vector3::UnitZ();  // outward, unit
  Vector3 x = Vector3::Zero();        // centre of a disk; a point of the face
  double radius = 0;                  // > 0: a disk; infinite: a half space; 0: a polygon
  double rounding = 0;                // the face lies this far outside of its corner points
  int first = 0, count = 0;  // polygon: its points in Geometry::loops, counter-clockwise from outside
};

struct GeometryCircle {
  Vector3 center = Vector3::Zero();
  Vector3 axis = Vector3::UnitZ();  // unit, outward of the disk that it bounds
  double radius = 0;
  // Arm into the side at the point in radial direction e:  side_axial · axis + side_radial · e; that into the disk is −e.
  double side_axial = -1, side_radial = 0;
};

// Numbers a feature within its geometry: points, edges, faces, then two for each circle (a line that crosses a disk
// touches its rim twice: where it enters, 0, and where it leaves, 1), then the ellipsoid.
using FeatureIndex = int;

struct Feature {
  FeatureKind kind = FeatureKind::point;
  int index = 0;   // among those of its kind
  int branch = 0;  // of a circle
};

class Geometry {
 public:
  ShapeKind kind = ShapeKind::sphere;
  std::vector<GeometryPoint> points;
  std::vector<GeometryEdge> edges;
  std::vector<GeometryFace> faces;
  std::vector<GeometryCircle> circles;
  std::vector<Vector3> arms;
  std::vector<int> loops;
  Vector3 semi_axes = Vector3::Zero();  // of an ellipsoid
  Vector3 center = Vector3::Zero();     // of its bounding ball; a point inside of a convex shape
  double bound = 0;  // radius of the bounding ball about `center`; infinite for a half space
  // Smallest width, the scale of envelopes: of a closed mesh that of its box, of an open one that of the box without its
  // thickness, of a height field the smaller side of a cell; infinite for a half space.
  double size = 0;
  bool convex = true;    // false: mesh, height field
  SupportTable support;  // of the points of a hull with many of them

  FeatureIndex num_features() const;
  Feature feature(FeatureIndex i) const;
  FeatureIndex index_of(const Feature& feature) const;
  // The first of the points with the greatest dᵀx.
  int farthest_point(const Vector3& d) const;
  std::span<const int> loop(const GeometryFace& face) const {
    return {loops.data() + face.first, static_cast<std::size_t>(face.count)};
  }
};

// Throws InputError that names the shape (and its file) when it is degenerate.
std::shared_ptr<const Geometry> make_geometry(const Shape& shape);

// Where a geometry stands: x_world = R x + p.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();
  Vector3 point(const Vector3& x) const { return R * x + p; }
  Vector3 vector(const Vector3& x) const { return R * x; }
  Vector3 local_point(const Vector3& x) const { return R.transpose() * (x - p); }
  Vector3 local_vector(const Vector3& x) const { return R.transpose() * x; }
};

// The point of a convex geometry farthest in direction d (world axes, any length): σ(d) = max dᵀx is dᵀ times it. A half
// space is bounded along its normal alone: it answers a point of its plane to every d.
Vector3 support_point(const Geometry& geometry, const Pose& pose, const Vector3& d);

}  // namespace delassus
