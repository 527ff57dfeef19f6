// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The features of a convex geometry that reach into the slab below its supporting plane:
//
//   dᵀx ≥ σ(d) − slab   for some point x of the feature, at which a normal lies within k_feature_turn of d      (1)
//
// d: unit direction, world axes; σ(d) = max dᵀx over the geometry [m].
//
// Near a contact with normal n everything that can touch lies in the slab of n of one body and that of −n of the other.
// (1) keeps a neighbour that is about to take over and drops the side walls that only end in the slab.
// Cost: linear in the number of features; allocates only while `out` grows.
#pragma once
#include <vector>

#include "delassus/collision/geometry.hpp"

namespace delassus {

using FeatureList = std::vector<Feature>;

// Cosine of 60°: less than the angle between neighbouring faces of all but the flattest solids, more than any angle by
// which a normal turns within a slab.
constexpr double k_feature_turn = 0.5;

// Replaces `out`. Points, edges, faces, circles (branches 0 and 1), the ellipsoid, in ascending order of their numbers.
// Of a half space, a ball and an ellipsoid: its only feature, whatever the slab (≥ 0). `geometry` is convex.
void collect_features(const Geometry& geometry, const Pose& pose, const Vector3& direction, double slab,
                      FeatureList& out);

}  // namespace delassus
