// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The shapes of a model and their contacts.
//
// Every feature of every shape has a number; an id is a pair of them. It says which bodies, shapes and features touch,
// lives as long as the model, and its gap can be asked for at any configuration: nothing is remembered between calls.
//
//   id = (number of the feature of the first shape) · 2³² + (number of that of the second)                    (1)
//
// Numbers start at 1, so that ids below 2³² are left to contacts of other kinds.
//
// Contacts that could touch within a step: the boxes that bodies sweep are paired (broad phase), pairs that come near
// are searched for contacts where they are now and, when they move by more than the envelope, along their way (by
// conservative advancement: no motion by less than the distance can close a gap). Boxes and pairs are worked on by all
// threads (base/parallel.hpp).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "delassus/collision/broad_phase.hpp"
#include "delassus/collision/manifold.hpp"
#include "delassus/model/model.hpp"

namespace delassus {

// A body in motion: pose of its centre of mass, its velocities in world axes, and of a prescribed motion the accelerations.
struct BodyPlacement {
  Pose pose;
  Vector3 velocity = Vector3::Zero();
  Vector3 angular_velocity = Vector3::Zero();
  Vector3 acceleration = Vector3::Zero();
  Vector3 angular_acceleration = Vector3::Zero();
};

class CollisionWorld {
 public:
  using Id = std::uint64_t;
  static constexpr Id k_first_id = Id{1} << 32;

  CollisionWorld() = default;
  // Throws InputError naming the shape that cannot collide.
  explicit CollisionWorld(const Model& model);

  // False when no two shapes may ever touch.
  bool any_pair() const { return any_pair_; }

  // What an id means.
  struct Ends {
    int shape_a = 0, shape_b = 0;
    int body_a = 0, body_b = 0;
    Feature feature_a, feature_b;
  };
  Ends ends(Id id) const;
  // Whether the features of an id exist, on two shapes: ids may come from the state of another scene.
  bool knows(Id id) const;
  std::string name(Id id) const;
  Material material(const Ends& ends) const;
  // Of a shape alone, with its directions in axes of the body.
  const Material& surface(int shape) const { return shapes_[shape].material; }

  // False when no two shapes resist rolling or spinning.
  bool any_turning() const { return any_turning_; }
  bool any_polygon() const { return !polygons_.empty(); }
  // Of a shape, in the frame of a contact with its axis as the first tangent: what the impulse on the second body may be, where the shape
  // is the second one or the first. None: it has none.
  SharedPolygon friction_polygon(int shape, bool is_second) const {
    const int polygon = shapes_[shape].polygon;
    if (polygon < 0) return {};
    return is_second ? polygons_[polygon].as_second : polygons_[polygon].as_first;
  }

  // A contact that could touch within a step. `here`: it was found where the bodies are, and `contact` is what `contact()`
  // gives there; otherwise it was found on their way and must be evaluated.
  struct Found {
    Id id = 0;
    bool here = false;
    FeatureContact contact;
  };
  // What of the given shapes, in ascending order, could touch within h, likewise. `slack`: by how much a body may move beside
  // its velocity [m].
  void find(std::span<const BodyPlacement> bodies, std::span<const int> shapes, double h, double slack,
            std::vector<Found>& out) const;
  // The box that a shape may touch something in within h.
  Bounds swept_box(int shape, std::span<const BodyPlacement> bodies, double h, double slack) const;
  // Pairs of bodies that forces can move and whose shapes may touch, being where their boxes overlap; one box a shape.
  void meetings(std::span<const Bounds> boxes, std::vector<std::pair<int, int>>& bodies) const;
  int body_of(int shape) const { return shapes_[shape].body; }
  bool is_dynamic(int shape) const { return dynamic_[shape] != 0; }
  // Gap, normal and points of a contact, wherever the bodies are.
  FeatureContact contact(const Ends& ends, const BodyPlacement& a, const BodyPlacement& b) const;
  // The contact that takes over where this one has left its features; itself when there is none.
  Id successor(Id id, const BodyPlacement& body_a, const BodyPlacement& body_b) const;

  // Pairs of shapes that overlap, deepest first within a pair: the smallest gap of each.
  struct Overlap {
    int shape_a = 0, shape_b = 0;
    int body_a = 0, body_b = 0;
    double depth = 0;  // [m]
    Vector3 normal = Vector3::UnitZ();
  };
  void overlaps(std::span<const BodyPlacement> bodies, double tolerance, std::vector<Overlap>& out) const;

  // Width of the smallest shape of two bodies; 1 m where they have none [m].
  double smallest_shape(int body_a, int body_b) const;
  // Width of the smaller shape [m].
  double pair_size(const Ends& ends) const;
  double ball_radius(int shape) const;  // 0 for other shapes

  int num_shapes() const { return static_cast<int>(shapes_.size()); }
  std::string shape_name(int shape) const;

 private:
  struct PlacedShape {
    int body = 0;
    int index = 0;       // among the body's shapes
    Pose local;          // from the centre of mass
    bool turned = true;  // local.R is not the identity
    Collider collider;
    Material material;
    int kind = 0;      // of surface, see combine_materials
    int polygon = -1;  // of friction; −1: none
    std::uint32_t group = 1, touches = ~0U;
    std::uint32_t first_feature = 1;
    std::string name;
  };
  struct Pair {
    int a = 0, b = 0;
    double envelope = 0, travel = 0;
  };
  // The two shapes of a pair on their way, after τ, and how far apart they are there where that is known.
  struct PairPlace {
    double tau = 0;
    Pose a, b;
    std::optional<Separation> separation;
  };

  bool may_touch(int shape_a, int shape_b) const;
  bool find_any_pair() const;
  void combine_materials();
  int add_polygon(const SharedPolygon& polygon);
  Pose shape_pose(const PlacedShape& shape, const BodyPlacement& body, double tau) const;
  double envelope(const PlacedShape& a, const PlacedShape& b) const;
  double travel(const PlacedShape& a, const PlacedShape& b, std::span<const BodyPlacement> bodies,
                double h) const;
  Id id_of(const Pair& pair, const ShapeContact& contact) const;
  PairPlace place_at(const Pair& pair, const BodyPlacement& body_a, const BodyPlacement& body_b,
                     double tau) const;
  void contacts_at(const Pair& pair, const PairPlace& at, double envelope, double reach,
                   std::vector<ShapeContact>& out) const;
  // How far a contact of two features is from handing over, beside the borders of the features themselves.
  void set_margin(int shape_a, const Feature& feature_a, int shape_b, const Feature& feature_b,
                  const BodyPlacement& a, const BodyPlacement& b, FeatureContact& contact) const;
  void add_contacts(const Pair& pair, const PairPlace& at, std::span<const BodyPlacement> bodies,
                    double envelope, double reach, std::vector<Found>& found) const;
  void sweep(const Pair& pair, std::span<const BodyPlacement> bodies, double h,
             std::vector<Found>& found) const;
  void add_candidates(int a, int b, std::span<const BodyPlacement> bodies, double h, double slack,
                      std::vector<Found>& found) const;
  Overlap overlap_of(int a, int b, std::span<const BodyPlacement> bodies) const;
  int shape_of(std::uint32_t feature) const;

  std::vector<PlacedShape> shapes_;
  std::vector<std::uint32_t> first_features_;  // of the shapes, in one piece for the search
  std::vector<std::uint8_t> moving_;           // of each shape
  std::vector<std::uint8_t> dynamic_;          // of each shape's body: forces can move it
  std::vector<std::pair<int, int>> ignored_;   // body pairs, sorted, first < second
  std::vector<std::pair<int, int>> forced_;    // that touch although a joint connects them
  std::vector<PairRule> rules_;                // sorted by bodies, the lower one first
  CollisionSettings settings_;
  std::vector<Material> kinds_;     // of surface
  std::vector<Material> combined_;  // of each pair of kinds; empty where there are too many
  bool any_pair_ = false, any_turning_ = false;
  struct FrictionPolygon {
    SharedPolygon as_first, as_second;
  };
  std::vector<FrictionPolygon> polygons_;
};

}  // namespace delassus
