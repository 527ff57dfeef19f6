// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What the searches of manifold share: the features of two shapes in their poses, and which pairs of them are contacts.
// Internal to manifold.
#pragma once
#include <algorithm>
#include <vector>

#include "delassus/collision/feature_placed.hpp"
#include "delassus/collision/manifold.hpp"

namespace delassus {

// By how much normal cones are widened [rad]: bodies that lie on each other tilt less.
inline constexpr double k_cone_tolerance = 0.05;
// Borders of features are soft by this fraction of the size.
inline constexpr double k_border_tolerance = 2e-11;
// Contacts of convex shapes have normals within 60° of the separating direction; others belong to the far side.
inline constexpr double k_normal_agreement = 0.5;
// Round-off of positions, relative to the coordinates: a bound must be exceeded by more.
inline constexpr double k_distance_slack = 1e-9;

// The features of a shape, placed when they are first asked for.
class PlacedShape {
 public:
  void reset(const Geometry& geometry, const Pose& pose) {
    geometry_ = &geometry;
    pose_ = &pose;
    features_.clear();
    places_.assign(static_cast<std::size_t>(geometry.num_features()), -1);
  }
  // Until the next one is asked for.
  const feature_pairs::PlacedFeature& at(const Feature& feature) {
    int& place = places_[static_cast<std::size_t>(geometry_->index_of(feature))];
    if (place < 0) {
      place = static_cast<int>(features_.size());
      features_.emplace_back(*geometry_, *pose_, feature, Extent::continued);
    }
    return features_[static_cast<std::size_t>(place)];
  }

 private:
  const Geometry* geometry_ = nullptr;
  const Pose* pose_ = nullptr;
  std::vector<feature_pairs::PlacedFeature> features_;
  std::vector<int> places_;
};

struct Side {
  const Geometry& geometry;
  const Pose& pose;
};

class PairContacts {
 public:
  PairContacts(const Side& a, const Side& b, double envelope, double reach, bool exhaustive,
               std::vector<ShapeContact>& out)
      : a_(a),
        b_(b),
        envelope_(envelope),
        border_(border_tolerance(a.geometry, b.geometry)),
        reach_(std::max(reach, border_)),
        exhaustive_(exhaustive),
        hint_(feature_pairs::hint_of(a.geometry, a.pose, b.geometry, b.pose)),
        scale_(a.pose.p.lpNorm<1>() + b.pose.p.lpNorm<1>() + hint_.lpNorm<1>() + reach_ + std::abs(envelope)),
        limits_{.gap = envelope, .margin = -reach_, .slack = k_distance_slack * scale_},
        out_(out) {}

  // How wide normal cones are taken.
  void set_cone_tolerance(double tolerance) { cone_tolerance_ = tolerance; }
  double cone_tolerance() const { return cone_tolerance_; }
  // Of balls and ellipsoids, which have one contact.
  double single_tolerance() const { return std::min(k_border_tolerance * reach_ / border_, 1.0); }
  double border() const { return border_; }
  double reach() const { return reach_; }
  double scale() const { return scale_; }  // of the coordinates, beside the sizes of the shapes
  bool exhaustive() const { return exhaustive_; }

  // Adds the pair of features when it touches; `lowest`: a gap below it belongs to the far side of a shape.
  void add(const feature_pairs::PlacedFeature& placed_a, const feature_pairs::PlacedFeature& placed_b,
           double lowest, const Vector3* direction) {
    const Feature &fa = placed_a.feature, &fb = placed_b.feature;
    if (!feature_pairs::has_nearest_point(fa, fb)) return;
    const FeatureContact c =
        exhaustive_ ? feature_contact(a_.geometry, a_.pose, fa, b_.geometry, b_.pose, fb, Extent::continued)
                    : feature_pairs::contact_of(placed_a, placed_b, hint_, limits_);
    if (!(c.gap <= envelope_) || c.margin < -reach_) return;
    if (c.gap <= border_ && crossing_margin(c, fa, fb) < 0) return;
    // Of shapes that overlap, faces that are tilted against each other lie a little deeper along their own normals than
    // the shapes along the best one; in other directions a deeper contact is no way out. Beside its features a gap may be
    // anything: it acts only once it is inside.
    double floor = lowest;
    if (direction != nullptr && (c.normal - *direction).norm() <= k_cone_tolerance)
      floor -= std::max(-lowest, 0.0);
    if (c.margin < -border_) floor -= envelope_ + reach_;
    if (c.gap < floor) return;
    if (direction != nullptr && c.normal.dot(*direction) < k_normal_agreement) return;
    const double tolerance = has_one_contact(a_.geometry, fa) || has_one_contact(b_.geometry, fb)
                                 ? single_tolerance()
                                 : cone_tolerance_;
    if (!in_normal_cone(a_.geometry, a_.pose, fa, c.point_a, c.normal, tolerance)) return;
    if (!in_normal_cone(b_.geometry, b_.pose, fb, c.point_b, -c.normal, tolerance)) return;
    out_.push_back({a_.geometry.index_of(fa), b_.geometry.index_of(fb), c});
  }

 private:
  const Side &a_, &b_;
  double envelope_, border_, reach_, cone_tolerance_ = k_cone_tolerance;
  bool exhaustive_;
  Vector3 hint_;
  double scale_;
  feature_pairs::Limits limits_;
  std::vector<ShapeContact>& out_;
};

}  // namespace delassus
