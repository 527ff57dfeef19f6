// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be told cheaply of a feature where it stands, and of two of them: most pairs of features near each other's
// supporting planes are too far apart, or turned away, and need no exact answer.
//
//   any two          farther apart than their bounding balls and the envelope
//   point, face      higher than the envelope over the plane of the face
//   point, edge      farther from the line of the edge
//   edge, edge       sharp: e_a × e_b not in both normal cones, or lines farther apart
//   circle, any      farther from the plane of the circle
//
// Each test is a lower bound of the distance (or the exact cone): a pair that is out of reach has no contact within the
// envelope. Of edges and circles only the part in the slab counts: with n the separating direction and s the gap along
// it, points x_a, x_b that touch within the envelope e obey
//
//   nᵀx_a ≥ nᵀx_b − e ≥ σ_a(n) + s − e,   likewise b.                                                          (1)
//
// A ridge or corner of a mesh with arms a_i touches a shape in p = x + g d, where x lies on it, d is the unit normal
// away from the mesh, dᵀa_i ≤ τ, dᵀΣa_i ≤ 0, and −D ≤ g ≤ e. So, of all points of the shape, only those matter with
//
//   g ≥ 0:   −e ≤ a_iᵀ(p − x) ≤ e τ,   Σ a_iᵀ(p − x) ≤ 0                                                         (2)
//   g < 0:   −D τ ≤ a_iᵀ(p − x) ≤ D,   Σ a_iᵀ(p − x) ≥ 0
#pragma once
#include <span>

#include "delassus/collision/bounds.hpp"

namespace delassus {

struct FeatureOutline {
  Feature feature;
  Vector3 center = Vector3::Zero();  // of its bounding ball, world axes
  double radius = 0;                 // of its bounding ball; infinite: none
  double size = 0;                   // half length of an edge, radius of a circle
  Vector3 axis = Vector3::Zero();    // unit: along an edge, normal of a face, axis of a circle
  double rounding = 0;               // largest distance from the core (point, edge) to the surface
  double offset = 0;                 // face: axisᵀx on it
  bool sharp = false;                // an edge with arms
  Vector3 arms[2] = {Vector3::Zero(), Vector3::Zero()};
};

// `direction`: unit, world axes, from the geometry to the other; only what reaches the height `lowest` along it counts.
FeatureOutline outline_of(const Geometry& geometry, const Pose& pose, const Feature& feature,
                          const Vector3& direction, double lowest);

// `tolerance`: by which cones are widened [rad]; `direction`: about the normal, from a to b.
bool out_of_reach(const FeatureOutline& a, const FeatureOutline& b, double envelope, double tolerance,
                  const Vector3& direction);

// The balls at both ends of an edge, and all between them.
struct EndBalls {
  Vector3 x[2];
  double radius[2];
};

// (2) of one ridge or corner, in the frame of the mesh.
struct RidgeRegion {
  struct Reach {
    double envelope = 0, depth = 0;  // e, D [m]
    double tolerance = 0;            // τ
    double slack = 0;                // beyond round-off, also of the normals of nearly parallel edges [m]
  };
  Vector3 x = Vector3::Zero();
  std::span<const Vector3> arms;
  bool one_sided = false;  // its normals obey dᵀΣa_i ≤ 0
  // No point of the box, of the rod, matters.
  bool misses(const Bounds& box, const Reach& reach) const;
  bool misses(const EndBalls& rod, const Reach& reach) const;
};

}  // namespace delassus
