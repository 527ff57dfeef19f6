// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// All contacts of two shapes: every pair of features that has a nearest point of its own within the envelope.
//
//   convex, convex       features within the envelope of the two supporting planes of the separation
//   convex, half space   features within the envelope of the plane
//   convex, mesh         features of the faces that the tree finds, each against the features of the convex shape that
//                        support it. Edges that are flat or concave touch nothing, nor do points without a ridge, and
//                        normals stay in the normal cone of the mesh's feature: no ghosts at seams
//   mesh, half space     points of the mesh
//   mesh, mesh           corners and ridges that stand out, of the triangles that come near each other (mesh_pair)
//
// A pair is kept when both nearest points lie inside of their features and the normal in both normal cones. The cones
// are widened by a small angle, so that the set is complete when bodies lie on each other and tilt a little: a box on a
// plane has four contacts, not two.
//
// Most pairs are far from that. Features are placed once for all pairs of two shapes (feature_placed), what bounds of
// distances and normal cones rule out is not evaluated (feature_outline), and an evaluation ends where gap or margin are
// out of limits (feature_pairs). Bounds leave out only what an evaluation would, round-off included.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "delassus/collision/feature_contact.hpp"
#include "delassus/collision/separation.hpp"
#include "delassus/collision/triangle_tree.hpp"

namespace delassus {

struct ShapeContact {
  FeatureIndex feature_a = 0, feature_b = 0;
  FeatureContact contact;
};

// What the narrow phase needs of a mesh beside its features.
struct MeshIndex {
  TriangleTree tree;
  std::vector<std::array<int, 3>> face_edges;
  std::vector<char> point_on_ridge;  // the others lie in flat or hollow neighbourhoods and cannot touch
};

// A geometry made ready for the narrow phase.
struct Collider {
  std::shared_ptr<const Geometry> geometry;
  std::shared_ptr<const MeshIndex> mesh = {};  // of meshes and height fields
};
Collider make_collider(const Shape& shape);

// Contacts of a mesh are found down to this fraction of the other shape's width below its surface.
inline constexpr double k_mesh_depth = 0.5;

// Borders of features are soft by this: what lies on a border belongs to both sides [m].
double border_tolerance(const Geometry& a, const Geometry& b);

struct ContactSearch {
  // Without the contacts that carry no force (can_carry), which are only good for distances.
  bool carrying = false;
  // Every pair of features evaluated in full, from its geometry; of convex shapes, every pair whose outlines are in reach.
  // The result is the same bit by bit: tests compare.
  bool exhaustive = false;
  // Of two convex shapes where they are, if it is known already; exact up to the envelope.
  std::optional<Separation> separation = std::nullopt;
};

// The contacts with gap ≤ envelope, in ascending order of their features. `reach`: also those that lie outside of their
// features by less than that, which a motion may bring inside [m].
void find_contacts(const Collider& a, const Pose& pose_a, const Collider& b, const Pose& pose_b,
                   double envelope, double reach, std::vector<ShapeContact>& out,
                   const ContactSearch& search = {});

// Drops contacts of flat patches that change nothing: those whose point lies within the polygon of the others with the
// same normal, and whose gap is not smaller than theirs there (Potra et al. 2006, §10.4). A force there is a sum of forces at the
// corners with the same resultant, so the set of wrenches that the contacts can transmit stays the same. `size` is the
// scale of the shapes [m]. Contacts outside of their features stay.
void reduce_contacts(double size, std::vector<ShapeContact>& contacts);

}  // namespace delassus
