// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/collision_world.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/error.hpp"
#include "delassus/base/parallel.hpp"
#include "delassus/collision/separation.hpp"

namespace delassus {
namespace {

// Contacts enter at this fraction of the smaller shape's width where the model does not say.
constexpr double k_relative_envelope = 0.01;
// Places along a fast motion at which contacts are looked for at most.
constexpr int k_max_places = 64;
// As far as this many of the shortest way between places, shapes that touch alike before and after do so between [-].
constexpr double k_seen = 8;
// A body may speed up within a step: its way is taken to be longer by this fraction.
constexpr double k_travel_reserve = 0.1;
// Items of a chunk of parallel_for: a box takes about 0.1 µs, a pair 5 µs and more.
constexpr std::size_t k_box_grain = 256, k_pair_grain = 8;

struct Scratch {
  BroadPhase broad_phase;
  std::vector<Bounds> boxes;
  std::vector<std::uint8_t> dynamic;
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::vector<CollisionWorld::Found>> found;  // of each chunk of pairs
  std::vector<const CollisionWorld::Found*> sorted;
  std::vector<ShapeContact> contacts;  // of one pair; never kept across a loop
};

// A place of a pair on its way.
struct SweptPlace {
  double way = 0, gap = 0;
  std::size_t first = 0, last = 0;  // its contacts, among those found
};

Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

// How far outside of its features a contact may be and still come inside when the shapes move by `way`. The lowest point
// of a rim that lies nearly flat may be anywhere a moment later.
double reach_of(const Geometry& a, const Geometry& b, double way) {
  const bool rims = !a.circles.empty() || !b.circles.empty();
  return rims && way > 0 ? std::max(way, 2 * std::min(a.bound, b.bound)) : way;
}

// ½h² |a + α × arm| at most, for arms up to `arm`.
double accelerated_way(const BodyPlacement& body, double arm, double h) {
  const double turning = body.angular_acceleration.norm();
  // No turn of a half space, whose arms are infinite, is none of 0 · ∞.
  return 0.5 * h * h * (body.acceleration.norm() + (turning > 0 ? turning * arm : 0.0));
}

std::pair<int, int> ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

const char* kind_word(ShapeKind kind) {
  static const char* const words[] = {"sphere",    "box",  "cylinder", "capsule",      "cone",
                                      "ellipsoid", "hull", "plane",    "height field", "mesh"};
  return words[static_cast<int>(kind)];
}

std::string feature_name(const Geometry& geometry, const Feature& feature) {
  const bool round = geometry.kind == ShapeKind::cylinder || geometry.kind == ShapeKind::cone;
  switch (feature.kind) {
    case FeatureKind::point:
      if (geometry.kind == ShapeKind::sphere) return "surface";
      if (geometry.kind == ShapeKind::capsule) return fmt::format("end {}", feature.index);
      if (geometry.kind == ShapeKind::cone && feature.index + 1 == static_cast<int>(geometry.points.size()))
        return "apex";
      return fmt::format("{} {}", round ? "rim point" : "corner", feature.index);
    case FeatureKind::edge:
      return round || geometry.kind == ShapeKind::capsule ? "side" : fmt::format("edge {}", feature.index);
    case FeatureKind::face:
      return geometry.kind == ShapeKind::plane ? "surface"
                                               : fmt::format("{} {}", round ? "cap" : "face", feature.index);
    case FeatureKind::circle:
      return fmt::format("rim {}{}", feature.index, feature.branch == 0 ? "" : "'");
    case FeatureKind::ellipsoid:
      return "surface";
  }
  return {};
}

}  // namespace

CollisionWorld::CollisionWorld(const Model& model) : settings_(model.collision) {
  if (!settings_.enabled) return;
  std::uint64_t next_feature = 1;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    for (std::size_t k = 0; k < body.shapes.size(); ++k) {
      const Shape& shape = body.shapes[k];
      if (!shape.collides) continue;
      PlacedShape placed;
      placed.body = static_cast<int>(i);
      placed.index = static_cast<int>(k);
      placed.local = {rotation_matrix(shape.orientation), shape.position - body.center_of_mass};
      placed.turned = !placed.local.R.isIdentity(0);
      placed.collider = make_collider(shape);
      placed.material = shape.material;
      if (!shape.material.friction_axis.isZero(0))
        placed.material.friction_axis = placed.local.R * shape.material.friction_axis.normalized();
      placed.polygon = add_polygon(shape.material.friction_polygon);
      placed.material.surface_velocity = placed.local.R * shape.material.surface_velocity;
      placed.group = shape.group;
      placed.touches = shape.touches;
      placed.first_feature = static_cast<std::uint32_t>(next_feature);
      first_features_.push_back(placed.first_feature);
      placed.name = body.name;
      if (!shape.name.empty())
        placed.name += "." + shape.name;
      else if (body.shapes.size() > 1)
        placed.name += fmt::format(".{} {}", kind_word(shape.kind), k);
      next_feature += static_cast<std::uint64_t>(placed.collider.geometry->num_features());
      shapes_.push_back(std::move(placed));
      moving_.push_back(body.kind == BodyKind::fixed ? 0 : 1);
      dynamic_.push_back(body.dynamic() ? 1 : 0);
    }
  }
  if (next_feature > std::numeric_limits<std::uint32_t>::max())
    throw InputError({}, fmt::format("the shapes have {} features together; allowed: up to {}", next_feature,
                                     std::numeric_limits<std::uint32_t>::max()));
  for (const PairRule& rule : settings_.pairs) {
    const std::pair<int, int> bodies = ordered(rule.body_a, rule.body_b);
    if (rule.touch) (*rule.touch ? forced_ : ignored_).push_back(bodies);
    rules_.push_back(rule);
    rules_.back().body_a = bodies.first;
    rules_.back().body_b = bodies.second;
  }
  std::sort(forced_.begin(), forced_.end());
  if (!settings_.joined_bodies)
    for (const Joint& joint : model.joints)
      if (joint.a.body != k_world && joint.b.body != k_world) {
        const auto bodies = ordered(joint.a.body, joint.b.body);
        if (!std::binary_search(forced_.begin(), forced_.end(), bodies)) ignored_.push_back(bodies);
      }
  std::sort(ignored_.begin(), ignored_.end());
  std::stable_sort(rules_.begin(), rules_.end(), [](const PairRule& x, const PairRule& y) {
    return std::pair(x.body_a, x.body_b) < std::pair(y.body_a, y.body_b);
  });
  combine_materials();
  any_pair_ = find_any_pair();
  any_turning_ = std::any_of(shapes_.begin(), shapes_.end(),
                             [](const PlacedShape& shape) { return shape.material.resists_turning(); }) ||
                 std::any_of(rules_.begin(), rules_.end(), [](const PairRule& rule) {
                   return rule.rolling_friction.value_or(0) > 0 || rule.spinning_friction.value_or(0) > 0;
                 });
}

// Shapes that touch have group bits i and j, each of which the other one touches. For each such pair of bits the bodies of
// both sides are tried until one pair of them may touch: all before it are one body with itself or ignored, so the work
// grows with the number of shapes and of ignored pairs, not with that of all pairs.
bool CollisionWorld::find_any_pair() const {
  std::uint32_t groups = 0;
  for (const PlacedShape& shape : shapes_) groups |= shape.group;
  const auto shapes_with = [&](int group, int touches) {
    std::vector<int> out;  // one of each body: their shapes follow each other
    for (int s = 0; s < num_shapes(); ++s) {
      const PlacedShape& shape = shapes_[s];
      const bool fits = (shape.group >> group & 1U) != 0 && (shape.touches >> touches & 1U) != 0;
      if (fits && (out.empty() || shapes_[out.back()].body != shape.body)) out.push_back(s);
    }
    // Forces move one of the two: those that they move come first, and pairs of two others are at the end.
    std::stable_partition(out.begin(), out.end(), [&](int s) { return dynamic_[s] != 0; });
    return out;
  };
  for (int i = 0; i < 32; ++i) {
    if ((groups >> i & 1U) == 0) continue;
    for (int j = i; j < 32; ++j) {
      if ((groups >> j & 1U) == 0) continue;
      const std::vector<int> first = shapes_with(i, j), second = shapes_with(j, i);
      for (int a : first)
        for (int b : second) {
          if (dynamic_[a] == 0 && dynamic_[b] == 0) break;
          if (may_touch(a, b)) return true;
        }
    }
  }
  return false;
}

bool CollisionWorld::may_touch(int shape_a, int shape_b) const {
  const PlacedShape &a = shapes_[shape_a], &b = shapes_[shape_b];
  if (a.body == b.body || (dynamic_[shape_a] == 0 && dynamic_[shape_b] == 0)) return false;
  if ((a.group & b.touches) == 0 || (b.group & a.touches) == 0) return false;
  return !std::binary_search(ignored_.begin(), ignored_.end(), ordered(a.body, b.body));
}

// --- ids

int CollisionWorld::shape_of(std::uint32_t feature) const {
  const auto after = std::upper_bound(first_features_.begin(), first_features_.end(), feature);
  return static_cast<int>(after - first_features_.begin()) - 1;
}

bool CollisionWorld::knows(Id id) const {
  const auto exists = [&](std::uint32_t number) {
    const int shape = shape_of(number);
    return shape >= 0 && number - shapes_[shape].first_feature <
                             static_cast<std::uint32_t>(shapes_[shape].collider.geometry->num_features());
  };
  const auto number_a = static_cast<std::uint32_t>(id >> 32), number_b = static_cast<std::uint32_t>(id);
  return exists(number_a) && exists(number_b) && shape_of(number_a) != shape_of(number_b);
}

CollisionWorld::Ends CollisionWorld::ends(Id id) const {
  const auto number_a = static_cast<std::uint32_t>(id >> 32), number_b = static_cast<std::uint32_t>(id);
  Ends out;
  out.shape_a = shape_of(number_a);
  out.shape_b = shape_of(number_b);
  const PlacedShape &a = shapes_[out.shape_a], &b = shapes_[out.shape_b];
  out.body_a = a.body;
  out.body_b = b.body;
  out.feature_a = a.collider.geometry->feature(static_cast<int>(number_a - a.first_feature));
  out.feature_b = b.collider.geometry->feature(static_cast<int>(number_b - b.first_feature));
  return out;
}

std::string CollisionWorld::name(Id id) const {
  const Ends e = ends(id);
  return fmt::format("{} {} / {} {}", shape_name(e.shape_a),
                     feature_name(*shapes_[e.shape_a].collider.geometry, e.feature_a), shape_name(e.shape_b),
                     feature_name(*shapes_[e.shape_b].collider.geometry, e.feature_b));
}

double CollisionWorld::pair_size(const Ends& ends) const {
  return std::min(shapes_[ends.shape_a].collider.geometry->size,
                  shapes_[ends.shape_b].collider.geometry->size);
}

double CollisionWorld::smallest_shape(int body_a, int body_b) const {
  double size = std::numeric_limits<double>::infinity();
  for (const PlacedShape& shape : shapes_)
    if (shape.body == body_a || shape.body == body_b) size = std::min(size, shape.collider.geometry->size);
  return std::isfinite(size) ? size : 1.0;
}

double CollisionWorld::ball_radius(int shape) const {
  const Geometry& geometry = *shapes_[shape].collider.geometry;
  return geometry.kind == ShapeKind::sphere ? geometry.points[0].radius : 0.0;
}

// The normal of a contact points out of its first shape, on which the impulse acts turned round; into its second one.
int CollisionWorld::add_polygon(const SharedPolygon& polygon) {
  if (!polygon) return -1;
  polygons_.push_back({{std::make_shared<const ConvexPolygon>(polygon->turned())},
                       {std::make_shared<const ConvexPolygon>(polygon->mirrored())}});
  return static_cast<int>(polygons_.size()) - 1;
}

std::string CollisionWorld::shape_name(int shape) const {
  return shapes_[shape].name;
}

Material CollisionWorld::material(const Ends& ends) const {
  const PlacedShape &a = shapes_[ends.shape_a], &b = shapes_[ends.shape_b];
  const Material combined = combined_.empty()
                                ? delassus::combine_materials(settings_.rules, a.material, b.material)
                                : combined_[a.kind * static_cast<int>(kinds_.size()) + b.kind];
  if (rules_.empty()) return combined;
  const std::pair<int, int> bodies = ordered(ends.body_a, ends.body_b);
  const auto rule =
      std::lower_bound(rules_.begin(), rules_.end(), bodies,
                       [](const PairRule& x, const auto& y) { return std::pair(x.body_a, x.body_b) < y; });
  const bool found = rule != rules_.end() && std::pair(rule->body_a, rule->body_b) == bodies;
  return found ? rule->apply(combined) : combined;
}

// Few kinds of surface make up most models: what each pair of them has is combined once.
void CollisionWorld::combine_materials() {
  constexpr std::size_t most_kinds = 32;
  for (PlacedShape& shape : shapes_) {
    const auto at = std::find(kinds_.begin(), kinds_.end(), shape.material);
    shape.kind = static_cast<int>(at - kinds_.begin());
    if (at == kinds_.end()) kinds_.push_back(shape.material);
    if (kinds_.size() > most_kinds) return;
  }
  for (const Material& a : kinds_)
    for (const Material& b : kinds_) combined_.push_back(delassus::combine_materials(settings_.rules, a, b));
}

// --- where shapes are

Pose CollisionWorld::shape_pose(const PlacedShape& shape, const BodyPlacement& body, double tau) const {
  Pose at = body.pose;
  if (tau != 0) {
    at.p += tau * body.velocity + 0.5 * tau * tau * body.acceleration;
    const Vector3 turn = tau * body.angular_velocity + 0.5 * tau * tau * body.angular_acceleration;
    at.R = rotation_matrix(quaternion_exponential(turn)) * at.R;
  }
  return {shape.turned ? Matrix3(at.R * shape.local.R) : at.R, at.point(shape.local.p)};
}

double CollisionWorld::envelope(const PlacedShape& a, const PlacedShape& b) const {
  if (settings_.envelope > 0) return settings_.envelope;
  return k_relative_envelope * std::min(a.collider.geometry->size, b.collider.geometry->size);
}

// No two points of the shapes come nearer by more than this within h.
double CollisionWorld::travel(const PlacedShape& a, const PlacedShape& b,
                              std::span<const BodyPlacement> bodies, double h) const {
  // A half space turns about the other shape, as far as that can tell.
  const bool a_infinite = std::isinf(a.collider.geometry->bound),
             b_infinite = std::isinf(b.collider.geometry->bound);
  const BodyPlacement &body_a = bodies[a.body], &body_b = bodies[b.body];
  const auto center = [&](const PlacedShape& s) {
    return shape_pose(s, bodies[s.body], 0).point(s.collider.geometry->center);
  };
  const Vector3 x_a = center(a_infinite ? b : a), x_b = center(b_infinite ? a : b);
  const double r_a = (a_infinite ? b : a).collider.geometry->bound,
               r_b = (b_infinite ? a : b).collider.geometry->bound;
  const Vector3 v_a = body_a.velocity + body_a.angular_velocity.cross(x_a - body_a.pose.p),
                v_b = body_b.velocity + body_b.angular_velocity.cross(x_b - body_b.pose.p);
  // Centres do not move straight when their bodies turn: another |ω|² |arm| h²/2, bounded by the way itself.
  const auto bend = [&](const BodyPlacement& body, const Vector3& x) {
    const double angle = h * body.angular_velocity.norm();
    return std::min(angle, 2.0) * angle * (x - body.pose.p).norm();
  };
  const double way =
      h * ((v_b - v_a).norm() + r_a * body_a.angular_velocity.norm() + r_b * body_b.angular_velocity.norm()) +
      bend(body_a, x_a) + bend(body_b, x_b) + accelerated_way(body_a, (x_a - body_a.pose.p).norm() + r_a, h) +
      accelerated_way(body_b, (x_b - body_b.pose.p).norm() + r_b, h);
  return (1 + k_travel_reserve) * way;
}

// --- contacts

CollisionWorld::PairPlace CollisionWorld::place_at(const Pair& pair, const BodyPlacement& body_a,
                                                   const BodyPlacement& body_b, double tau) const {
  return {tau, shape_pose(shapes_[pair.a], body_a, tau), shape_pose(shapes_[pair.b], body_b, tau), {}};
}

void CollisionWorld::contacts_at(const Pair& pair, const PairPlace& at, double envelope, double reach,
                                 std::vector<ShapeContact>& out) const {
  const PlacedShape &a = shapes_[pair.a], &b = shapes_[pair.b];
  delassus::find_contacts(a.collider, at.a, b.collider, at.b, envelope, reach, out,
                          {.carrying = true, .separation = at.separation});
  if (settings_.reduce) reduce_contacts(std::min(a.collider.geometry->size, b.collider.geometry->size), out);
}

void CollisionWorld::add_contacts(const Pair& pair, const PairPlace& at,
                                  std::span<const BodyPlacement> bodies, double envelope, double reach,
                                  std::vector<Found>& found) const {
  std::vector<ShapeContact>& contacts = scratch().contacts;
  const PlacedShape &a = shapes_[pair.a], &b = shapes_[pair.b];
  const BodyPlacement &body_a = bodies[a.body], &body_b = bodies[b.body];
  contacts_at(pair, at, envelope, reach, contacts);
  const bool here = at.tau == 0;
  for (ShapeContact& c : contacts) {
    if (here)
      set_margin(pair.a, a.collider.geometry->feature(static_cast<int>(c.feature_a)), pair.b,
                 b.collider.geometry->feature(static_cast<int>(c.feature_b)), body_a, body_b, c.contact);
    found.push_back({id_of(pair, c), here, c.contact});
  }
}

CollisionWorld::Id CollisionWorld::id_of(const Pair& pair, const ShapeContact& c) const {
  return (Id{shapes_[pair.a].first_feature} + static_cast<Id>(c.feature_a)) << 32 |
         (Id{shapes_[pair.b].first_feature} + static_cast<Id>(c.feature_b));
}

// Along a motion by more than the envelope features change on the way: contacts are looked for wherever the shapes come
// within the envelope. Between two places that have the same ones there is nothing new to find.
void CollisionWorld::sweep(const Pair& pair, std::span<const BodyPlacement> bodies, double h,
                           std::vector<Found>& found) const {
  const PlacedShape &a = shapes_[pair.a], &b = shapes_[pair.b];
  const Geometry &ga = *a.collider.geometry, &gb = *b.collider.geometry;
  const bool mesh = a.collider.mesh != nullptr || b.collider.mesh != nullptr;
  // Of the shape that must not pass: a mesh is entered as deep as the other one is wide.
  const double narrow = ga.convex ? ga.size : gb.convex ? gb.size : std::min(ga.size, gb.size);
  const double shortest =
      std::max(mesh ? 0.5 * k_mesh_depth * narrow : pair.envelope, pair.travel / k_max_places);
  const double near = pair.envelope + shortest, reach = reach_of(ga, gb, shortest);
  const auto look = [&](double way) {
    SweptPlace at{.way = way, .first = found.size()};
    PairPlace place = place_at(pair, bodies[a.body], bodies[b.body], std::min(h * way / pair.travel, h));
    if (!mesh) {
      place.separation = separation(ga, place.a, gb, place.b, std::max(pair.travel, near));
      at.gap = place.separation->gap;
    }
    if (at.gap <= near) add_contacts(pair, place, bodies, near, reach, found);
    at.last = found.size();
    return at;
  };
  const auto same_contacts = [&](const SweptPlace& x, const SweptPlace& y) {
    return x.last > x.first && std::equal(found.begin() + static_cast<std::ptrdiff_t>(x.first),
                                          found.begin() + static_cast<std::ptrdiff_t>(x.last),
                                          found.begin() + static_cast<std::ptrdiff_t>(y.first),
                                          found.begin() + static_cast<std::ptrdiff_t>(y.last),
                                          [](const Found& c, const Found& d) { return c.id == d.id; });
  };
  const auto refine = [&](const auto& self, const SweptPlace& x, const SweptPlace& y) -> void {
    const double way = y.way - x.way;
    // No two points come nearer by more than the way.
    if (!(way > shortest) || x.gap + y.gap > way + 2 * pair.envelope) return;
    if (!mesh && way <= k_seen * shortest && same_contacts(x, y)) return;
    const SweptPlace middle = look(x.way + 0.5 * way);
    self(self, x, middle);
    self(self, middle, y);
  };
  const SweptPlace begin = look(0);
  // What is farther away than the whole way does not meet.
  if (!mesh && begin.gap > pair.envelope + pair.travel) return;
  refine(refine, begin, look(pair.travel));
}

// The box that a shape sweeps within h, with what it may move beside its velocity and half of its envelope.
Bounds CollisionWorld::swept_box(int s, std::span<const BodyPlacement> bodies, double h, double slack) const {
  const PlacedShape& shape = shapes_[s];
  const Geometry& geometry = *shape.collider.geometry;
  const BodyPlacement& body = bodies[shape.body];
  const double size = std::isfinite(geometry.size) ? geometry.size : 0.0;
  double reserve = settings_.envelope > 0 ? settings_.envelope : k_relative_envelope * size;
  const Pose begin = shape_pose(shape, body, 0);
  if (moving_[s] == 0) return inflate(bounds_of(geometry, begin), reserve);
  reserve += slack;
  if (!(h > 0)) return inflate(bounds_of(geometry, begin), reserve);
  const double reach = (1 + k_travel_reserve) * h;
  const Vector3 pivot = shape.local.R.transpose() * -shape.local.p;
  const double arm = (geometry.center - pivot).norm() + geometry.bound;
  const Bounds box = swept_bounds(geometry, begin, shape_pose(shape, body, reach),
                                  reach * body.angular_velocity.norm(), pivot);
  return inflate(box, reserve + accelerated_way(body, arm, reach));
}

void CollisionWorld::add_candidates(int a, int b, std::span<const BodyPlacement> bodies, double h,
                                    double slack, std::vector<Found>& found) const {
  const PlacedShape &shape_a = shapes_[a], &shape_b = shapes_[b];
  const Geometry &ga = *shape_a.collider.geometry, &gb = *shape_b.collider.geometry;
  const Pair pair{a, b, envelope(shape_a, shape_b), travel(shape_a, shape_b, bodies, h) + 2 * slack};
  const auto has_all_in_sight = [](const Geometry& g) {
    return g.kind == ShapeKind::sphere || g.kind == ShapeKind::ellipsoid;
  };
  // Against a half space, and of shapes of one feature, the contacts are the same wherever they are.
  const bool same_anywhere = ga.kind == ShapeKind::plane || gb.kind == ShapeKind::plane ||
                             (has_all_in_sight(ga) && has_all_in_sight(gb));
  if (!(pair.travel > pair.envelope) || same_anywhere)
    add_contacts(pair, place_at(pair, bodies[shape_a.body], bodies[shape_b.body], 0), bodies,
                 pair.envelope + pair.travel, reach_of(ga, gb, pair.travel), found);
  else
    sweep(pair, bodies, h, found);
}

void CollisionWorld::meetings(std::span<const Bounds> boxes, std::vector<std::pair<int, int>>& bodies) const {
  Scratch& memory = scratch();
  memory.broad_phase.find_pairs(
      boxes, dynamic_, [this](int a, int b) { return may_touch(a, b); }, memory.pairs);
  bodies.clear();
  for (const auto& [a, b] : memory.pairs)
    if (is_dynamic(a) && is_dynamic(b)) bodies.emplace_back(shapes_[a].body, shapes_[b].body);
}

void CollisionWorld::find(std::span<const BodyPlacement> bodies, std::span<const int> shapes, double h,
                          double slack, std::vector<Found>& out) const {
  out.clear();
  if (!any_pair_) return;
  Scratch& memory = scratch();
  memory.boxes.resize(shapes.size());
  memory.dynamic.resize(shapes.size());
  parallel_for(shapes.size(), k_box_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      memory.boxes[i] = swept_box(shapes[i], bodies, h, slack);
      memory.dynamic[i] = dynamic_[shapes[i]];
    }
  });
  memory.broad_phase.find_pairs(
      memory.boxes, memory.dynamic, [&](int a, int b) { return may_touch(shapes[a], shapes[b]); },
      memory.pairs);
  for (auto& [a, b] : memory.pairs) {
    a = shapes[a];
    b = shapes[b];
  }
  const std::size_t chunks = num_chunks(memory.pairs.size(), k_pair_grain);
  if (memory.found.size() < chunks) memory.found.resize(chunks);
  for (std::size_t c = 0; c < chunks; ++c) memory.found[c].clear();
  parallel_for(memory.pairs.size(), k_pair_grain, [&](std::size_t begin, std::size_t end) {
    std::vector<Found>& found = memory.found[begin / k_pair_grain];
    for (std::size_t p = begin; p < end; ++p)
      add_candidates(memory.pairs[p].first, memory.pairs[p].second, bodies, h, slack, found);
  });
  memory.sorted.clear();
  for (std::size_t c = 0; c < chunks; ++c)
    for (const Found& found : memory.found[c]) memory.sorted.push_back(&found);
  // Of a contact that is found at several places of the way the one here comes first.
  std::sort(memory.sorted.begin(), memory.sorted.end(), [](const Found* x, const Found* y) {
    return x->id != y->id ? x->id < y->id : x->here && !y->here;
  });
  for (const Found* found : memory.sorted)
    if (out.empty() || out.back().id != found->id) out.push_back(*found);
}

FeatureContact CollisionWorld::contact(const Ends& ends, const BodyPlacement& a,
                                       const BodyPlacement& b) const {
  const PlacedShape &shape_a = shapes_[ends.shape_a], &shape_b = shapes_[ends.shape_b];
  FeatureContact out = feature_contact(*shape_a.collider.geometry, shape_pose(shape_a, a, 0), ends.feature_a,
                                       *shape_b.collider.geometry, shape_pose(shape_b, b, 0), ends.feature_b,
                                       Extent::continued);
  set_margin(ends.shape_a, ends.feature_a, ends.shape_b, ends.feature_b, a, b, out);
  return out;
}

void CollisionWorld::set_margin(int index_a, const Feature& feature_a, int index_b, const Feature& feature_b,
                                const BodyPlacement& a, const BodyPlacement& b, FeatureContact& out) const {
  const PlacedShape &shape_a = shapes_[index_a], &shape_b = shapes_[index_b];
  // What touches at one point hands over where the normal leaves the cone of the other feature: of a ball this is how far
  // its centre is from the next face's prism.
  const auto add_cone = [&](const PlacedShape& one, const Feature& f, const PlacedShape& other,
                            const BodyPlacement& body, const Feature& g, const Vector3& x, const Vector3& d) {
    const Geometry &geometry = *one.collider.geometry, &other_geometry = *other.collider.geometry;
    if (!has_one_contact(geometry, f) || g.kind == FeatureKind::face) return;
    const double radius =
        f.kind == FeatureKind::point ? geometry.points[f.index].radius : 0.5 * geometry.size;
    const double sine = normal_cone_margin(other_geometry, shape_pose(other, body, 0), g, x, d);
    if (std::isfinite(sine)) out.margin = std::min(out.margin, sine * (radius + std::max(out.gap, 0.0)));
  };
  add_cone(shape_a, feature_a, shape_b, b, feature_b, out.point_b, -out.normal);
  add_cone(shape_b, feature_b, shape_a, a, feature_a, out.point_a, out.normal);
  const double crossing = crossing_margin(out, feature_a, feature_b);
  if (std::isfinite(crossing))
    out.margin = std::min(
        out.margin, crossing * std::min(shape_a.collider.geometry->size, shape_b.collider.geometry->size));
  // What the manifold still takes as inside is inside.
  const double border = border_tolerance(*shape_a.collider.geometry, *shape_b.collider.geometry);
  if (out.margin < 0 && out.margin >= -border) out.margin = 0;
}

CollisionWorld::Id CollisionWorld::successor(Id id, const BodyPlacement& body_a,
                                             const BodyPlacement& body_b) const {
  const Ends e = ends(id);
  const FeatureContact old = contact(e, body_a, body_b);
  const PlacedShape &a = shapes_[e.shape_a], &b = shapes_[e.shape_b];
  const Pair pair{e.shape_a, e.shape_b, envelope(a, b), 0};
  // The caller may hold on to what is found while it asks again.
  std::vector<ShapeContact> contacts;
  contacts_at(pair, place_at(pair, body_a, body_b, 0), std::max(pair.envelope, 2 * std::abs(old.gap)), 0,
              contacts);
  Id best = id;
  double nearest = std::numeric_limits<double>::infinity();
  for (const ShapeContact& c : contacts) {
    const Id other = id_of(pair, c);
    if (other == id) return id;
    const double distance =
        (c.contact.point_a - old.point_a).norm() + (c.contact.point_b - old.point_b).norm();
    if (distance < nearest) {
      nearest = distance;
      best = other;
    }
  }
  return best;
}

CollisionWorld::Overlap CollisionWorld::overlap_of(int a, int b,
                                                   std::span<const BodyPlacement> bodies) const {
  const PlacedShape &shape_a = shapes_[a], &shape_b = shapes_[b];
  const Pair pair{a, b, 0, 0};
  const PairPlace here = place_at(pair, bodies[shape_a.body], bodies[shape_b.body], 0);
  Overlap out{a, b, shape_a.body, shape_b.body, -std::numeric_limits<double>::infinity(), Vector3::UnitZ()};
  if (shape_a.collider.mesh == nullptr && shape_b.collider.mesh == nullptr) {
    const Separation s =
        separation(*shape_a.collider.geometry, here.a, *shape_b.collider.geometry, here.b, 0);
    out.depth = -s.gap;
    out.normal = s.normal;
    return out;
  }
  std::vector<ShapeContact>& contacts = scratch().contacts;
  contacts_at(pair, here, 0, 0, contacts);
  for (const ShapeContact& c : contacts)
    if (-c.contact.gap > out.depth) out.depth = -c.contact.gap, out.normal = c.contact.normal;
  return out;
}

void CollisionWorld::overlaps(std::span<const BodyPlacement> bodies, double tolerance,
                              std::vector<Overlap>& out) const {
  out.clear();
  if (!any_pair_) return;
  Scratch& memory = scratch();
  memory.boxes.resize(shapes_.size());
  for (std::size_t s = 0; s < shapes_.size(); ++s)
    memory.boxes[s] =
        bounds_of(*shapes_[s].collider.geometry, shape_pose(shapes_[s], bodies[shapes_[s].body], 0));
  memory.broad_phase.find_pairs(
      memory.boxes, dynamic_, [this](int a, int b) { return may_touch(a, b); }, memory.pairs);
  out.resize(memory.pairs.size());
  parallel_for(memory.pairs.size(), k_pair_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p)
      out[p] = overlap_of(memory.pairs[p].first, memory.pairs[p].second, bodies);
  });
  std::erase_if(out, [&](const Overlap& overlap) { return !(overlap.depth > tolerance); });
}

}  // namespace delassus
