// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Features in world axes, placed once for all the pairs that they are in. Internal to feature_contact and manifold.
#pragma once
#include <variant>

#include "delassus/collision/feature_pairs.hpp"

namespace delassus::feature_pairs {

// Refers to the geometry and its pose.
struct PlacedFeature {
  PlacedFeature(const Geometry& geometry, const Pose& pose, const Feature& which, Extent extent);
  Feature feature;
  std::variant<Ball, Rod, Face, Rim, Ellipsoid> form;  // in the order of FeatureKind
};

// Circles have one contact with what does not cross their disk: branch 1 is never used.
inline bool is_unused_branch(const Feature& circle, FeatureKind other) {
  return circle.branch != 0 && other != FeatureKind::edge && other != FeatureKind::circle;
}

// False for pairs of kinds that cannot touch, and for branches that are not used.
inline bool has_nearest_point(const Feature& a, const Feature& b) {
  return can_touch(a.kind, b.kind) && !is_unused_branch(a, b.kind) && !is_unused_branch(b, a.kind);
}

// From the centre of a to that of b.
Vector3 hint_of(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b);

// Of a pair that has a nearest point.
FeatureContact contact_of(const PlacedFeature& a, const PlacedFeature& b, const Vector3& hint,
                          const Limits& limits = {});

}  // namespace delassus::feature_pairs
