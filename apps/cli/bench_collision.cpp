// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench collision: the broad phase on 100 … 100,000 bodies at constant density, and the distances of pairs of
// shapes beside Bullet and FCL.
//
// The distances are known beforehand. x is a point of A with the outward normal n, y the point of B farthest along −n,
// and B is put so that
//
//   y = x + g n                                                                                               (1)
//
// For g > 0 the planes through x and y prove that the distance is g. For g < 0 the depth is |g| when the ball of radius
// |g| about y lies in A: A is left only by moving y out of it. That is so above the middle of a face, and everywhere on
// a surface whose radii of curvature are larger.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "apps/cli/bench.hpp"
#include "delassus/collision/broad_phase.hpp"
#include "delassus/collision/manifold.hpp"
#include "delassus/collision/separation.hpp"

#if defined(DELASSUS_HAS_BULLET) || defined(DELASSUS_HAS_FCL)
#include "apps/cli/peers/distance_peer.hpp"
#endif

namespace delassus::cli {
namespace {

using GeometryPointer = std::shared_ptr<const Geometry>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int index(std::size_t size) { return static_cast<int>(engine_() % size); }
  Vector3 vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  Vector3 direction() {
    for (;;) {  // in the ball, so that no direction is preferred
      const Vector3 x = vector();
      const double length = x.norm();
      if (length > 0.1 && length < 1) return x / length;
    }
  }
  Matrix3 rotation() {
    return rotation_matrix(quaternion_exponential(std::numbers::pi * uniform(0, 1) * direction()));
  }

 private:
  std::mt19937_64 engine_;
};

// ---- Broad phase.

constexpr int k_collision_sizes[] = {100, 1000, 10000, 100000};
// Each call has other bodies, this many in all where n is smaller: else caches and branch prediction learn small scenes
// by heart, which they cannot do between the steps of a simulation.
constexpr int k_bodies_in_all = 30000;
constexpr int k_repeats = 5;
constexpr double k_fill = 0.25;     // volume of the bodies' boxes over that of the scene
constexpr double k_layer = 2;       // height of the scene with ground [m]
constexpr int k_size_classes = 16;  // sizes of the mixed scene, evenly from 1 to 1/1000 in their logarithm
constexpr double k_size_ratio = 1000;
constexpr int k_field_points = 30;  // along the sides of the height field

struct BroadScene {
  std::vector<Bounds> boxes;
  std::vector<std::uint8_t> moving;
};
struct BroadEntry {
  int n = 0;
  double seconds = 0;      // a call of find_pairs
  double box_seconds = 0;  // the boxes of all bodies
  double pairs = 0;        // a body
  double bytes = 0;        // of boxes, workspace and pairs, a body
};
struct Population {
  const char* name;
  bool mixed;  // sizes 1 : 1000 in a layer over a plane and a height field
};
constexpr Population k_populations[] = {{"one size", false}, {"1:1000, ground", true}};

std::vector<GeometryPointer> make_kinds(double size) {
  std::vector<GeometryPointer> out;
  for (const Shape& shape : {Shape{.kind = ShapeKind::sphere, .radius = 0.5 * size},
                             Shape{.kind = ShapeKind::box, .size = Vector3(0.8, 0.6, 0.4) * size},
                             Shape{.kind = ShapeKind::capsule, .radius = 0.2 * size, .length = 0.6 * size},
                             Shape{.kind = ShapeKind::cylinder, .radius = 0.3 * size, .length = 0.8 * size}})
    out.push_back(make_geometry(shape));
  return out;
}

void add_ground(BroadScene& scene, Random& random, double length) {
  const auto plane = make_geometry({.kind = ShapeKind::plane});
  auto field = std::make_shared<HeightField>();
  field->nx = field->ny = k_field_points;
  field->dx = field->dy = length / (k_field_points - 1);
  for (int i = 0; i < k_field_points * k_field_points; ++i)
    field->heights.push_back(random.uniform(0, 0.2 * k_layer));
  const auto hills = make_geometry({.kind = ShapeKind::height_field, .field = field});
  scene.boxes.push_back(bounds_of(*plane, {}));
  scene.boxes.push_back(bounds_of(*hills, {.p = {0.5 * length, 0.5 * length, 0}}));
  scene.moving.insert(scene.moving.end(), {0, 0});
}

BroadScene make_scene(const Population& population, int n, Random& random, double& box_seconds) {
  std::vector<std::vector<GeometryPointer>> classes;
  const int num_classes = population.mixed ? k_size_classes : 1;
  for (int k = 0; k < num_classes; ++k)
    classes.push_back(make_kinds(std::pow(k_size_ratio, -k / (k_size_classes - 1.0))));
  std::vector<const Geometry*> bodies;
  double volume = 0;
  for (int i = 0; i < n; ++i) {
    const std::vector<GeometryPointer>& kinds = classes[random.index(classes.size())];
    bodies.push_back(kinds[random.index(kinds.size())].get());
    const Bounds box = bounds_of(*bodies.back(), {});
    volume += (box.upper - box.lower).prod();
  }
  volume /= k_fill;
  const double length = population.mixed ? std::sqrt(volume / k_layer) : std::cbrt(volume),
               height = population.mixed ? k_layer : length;
  std::vector<Pose> poses;
  for (int i = 0; i < n; ++i)
    poses.push_back({random.rotation(),
                     {random.uniform(0, length), random.uniform(0, length), random.uniform(0, height)}});
  BroadScene scene;
  scene.moving.assign(n, 1);
  scene.boxes.resize(n);
  box_seconds = time_best(k_repeats, [&] {
    for (int i = 0; i < n; ++i) scene.boxes[i] = bounds_of(*bodies[i], poses[i]);
  });
  if (population.mixed) add_ground(scene, random, length);
  return scene;
}

BroadEntry measure_broad_phase(const Population& population, int n) {
  Random random(n);
  BroadEntry entry{.n = n};
  std::vector<BroadScene> scenes;
  const int count = std::max(1, k_bodies_in_all / n);
  for (int k = 0; k < count; ++k) scenes.push_back(make_scene(population, n, random, entry.box_seconds));
  BroadPhase broad_phase;
  std::vector<BroadPhase::Pair> pairs;
  const auto run = [&] {
    for (const BroadScene& scene : scenes) {
      broad_phase.find_pairs(scene.boxes, scene.moving, pairs);
      entry.pairs = static_cast<double>(pairs.size()) / n;
    }
  };
  run();  // memory grows to its final size
  entry.seconds = time_best(k_repeats, run) / count;
  entry.bytes = static_cast<double>(broad_phase.memory() + pairs.capacity() * sizeof(BroadPhase::Pair)) / n +
                sizeof(Bounds) + 1;
  return entry;
}

nlohmann::json bench_broad_phase(int max_size) {
  fmt::print(
      "Broad phase: all pairs of overlapping boxes of N bodies at constant density. CPU time of a call, and "
      "of "
      "making the boxes;\nbytes of boxes, pairs and workspace. exponent: p of time = c N^p.\n\n"
      "{:<16}{:>7}{:>12}{:>14}{:>10}{:>12}{:>12}\n",
      "sizes", "N", "time", "a body", "pairs", "bytes", "boxes");
  nlohmann::json entries = nlohmann::json::array(), exponents = nlohmann::json::array();
  for (const Population& population : k_populations) {
    std::vector<Timing> timings;
    for (int n : k_collision_sizes) {
      if (n > max_size) break;
      const BroadEntry entry = measure_broad_phase(population, n);
      timings.push_back({n, entry.seconds});
      fmt::print("{:<16}{:>7}{}{}{:>10.2f}{:>12.0f}{}\n", population.name, n,
                 pad(duration_text(entry.seconds), 12),
                 pad(fmt::format("{:.3f} µs", 1e6 * entry.seconds / n), 14), entry.pairs, entry.bytes,
                 pad(duration_text(entry.box_seconds), 12));
      std::fflush(stdout);
      entries.push_back({{"sizes", population.name},
                         {"n", n},
                         {"seconds", entry.seconds},
                         {"pairs_per_body", entry.pairs},
                         {"bytes_per_body", entry.bytes},
                         {"box_seconds", entry.box_seconds}});
    }
    if (const std::optional<double> exponent = fit_exponent(timings)) {
      fmt::print("{:<16}exponent {:.2f}\n", population.name, *exponent);
      exponents.push_back({{"sizes", population.name}, {"exponent", *exponent}});
    }
  }
  return {{"entries", entries}, {"exponents", exponents}};
}

// ---- Narrow phase.

constexpr int k_queries = 1000;  // of each pair, apart and overlapping
constexpr double k_gaps[] = {1e-1, 1e-3, 1e-6};
constexpr double k_depth = 1e-3;  // [m]
constexpr double k_off = 1e-6;    // [m]
constexpr int k_hull_points = 20;

struct Solid {
  const char* name;
  Shape shape;
  GeometryPointer geometry;
};
struct Query {
  Pose a, b;
  double gap = 0;  // what is known [m]
};
// How one of the engines answers for a pair of shapes.
struct CollisionEngine {
  std::string name;
  std::function<bool(const Solid& a, const Solid& b)> take;  // false: it does not know the shapes
  std::function<double(const Query& query)> distance;        // not a number: it gave up
};
struct NarrowEntry {
  double rate = 0;   // queries a second
  double error = 0;  // worst [m]
  int off = 0;       // answers with an error above k_off, or none at all
};

Solid make_solid(const char* name, Shape shape) {
  const GeometryPointer geometry = make_geometry(shape);
  return {name, std::move(shape), geometry};
}

// About 1 m in size.
std::vector<Solid> make_solids() {
  auto points = std::make_shared<Surface>();
  Random random(1);
  for (int i = 0; i < k_hull_points; ++i) points->vertices.emplace_back(0.5 * random.direction());
  return {make_solid("sphere", {.kind = ShapeKind::sphere, .radius = 0.5}),
          make_solid("box", {.kind = ShapeKind::box, .size = {1, 0.8, 0.6}}),
          make_solid("capsule", {.kind = ShapeKind::capsule, .radius = 0.3, .length = 0.8}),
          make_solid("cylinder", {.kind = ShapeKind::cylinder, .radius = 0.4, .length = 1}),
          make_solid("cone", {.kind = ShapeKind::cone, .radius = 0.5, .length = 1}),
          make_solid("ellipsoid", {.kind = ShapeKind::ellipsoid, .size = {1, 0.8, 0.5}}),
          make_solid("hull", {.kind = ShapeKind::hull, .surface = points}),
          make_solid("plane", {.kind = ShapeKind::plane})};
}
constexpr std::pair<const char*, const char*> k_pairs[] = {
    {"sphere", "sphere"},       {"box", "sphere"},    {"box", "box"},           {"capsule", "capsule"},
    {"capsule", "box"},         {"cylinder", "box"},  {"cylinder", "cylinder"}, {"cone", "box"},
    {"ellipsoid", "ellipsoid"}, {"ellipsoid", "box"}, {"hull", "hull"},         {"plane", "box"},
    {"plane", "cylinder"}};

// A point well inside of a face, and its normal; of a shape without faces any point. In the geometry's frame.
void choose_surface_point(Random& random, const Geometry& geometry, bool on_face, Vector3& x,
                          Vector3& normal) {
  if (!on_face || geometry.faces.empty()) {
    normal = random.direction();
    x = support_point(geometry, {}, normal);
    return;
  }
  const GeometryFace& face = geometry.faces[random.index(geometry.faces.size())];
  normal = face.normal;
  if (face.radius > 0) {
    const Vector3 across = normal.cross(random.direction());
    x = face.x + 0.5 * std::min(face.radius, 1.0) * across;
  } else {
    const auto corners = geometry.loop(face);
    x = face.x + 0.5 * (geometry.points[corners[random.index(corners.size())]].x - face.x);
  }
}

// (1); every second one apart is above a face, all that overlap are.
std::vector<Query> make_queries(const Geometry& a, const Geometry& b, bool apart) {
  Random random(apart ? 2 : 3);
  std::vector<Query> out;
  for (int k = 0; k < k_queries; ++k) {
    Query query{.gap = apart ? k_gaps[k % std::size(k_gaps)] : -k_depth};
    query.a = {random.rotation(), random.vector()};
    query.b.R = random.rotation();
    Vector3 x, normal;
    choose_surface_point(random, a, !apart || k % 2 == 0 || a.kind == ShapeKind::plane, x, normal);
    normal = query.a.vector(normal);
    const Vector3 y = support_point(b, query.b, -normal);
    query.b.p = query.a.point(x) + query.gap * normal - y;
    out.push_back(query);
  }
  return out;
}

NarrowEntry measure_queries(const CollisionEngine& engine, const std::vector<Query>& queries) {
  NarrowEntry entry;
  std::vector<double> answers(queries.size());
  const double seconds = time_best(k_repeats, [&] {
    for (std::size_t k = 0; k < queries.size(); ++k) answers[k] = engine.distance(queries[k]);
  });
  entry.rate = static_cast<double>(queries.size()) / seconds;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const double error = std::abs(answers[k] - queries[k].gap);
    if (std::isfinite(error)) entry.error = std::max(entry.error, error);
    if (!(error <= k_off)) ++entry.off;
  }
  return entry;
}

#if defined(DELASSUS_HAS_BULLET) || defined(DELASSUS_HAS_FCL)
constexpr std::pair<ShapeKind, PeerKind> k_peer_kinds[] = {
    {ShapeKind::sphere, PeerKind::sphere},     {ShapeKind::box, PeerKind::box},
    {ShapeKind::cylinder, PeerKind::cylinder}, {ShapeKind::capsule, PeerKind::capsule},
    {ShapeKind::cone, PeerKind::cone},         {ShapeKind::ellipsoid, PeerKind::ellipsoid},
    {ShapeKind::hull, PeerKind::hull}};

std::optional<PeerShape> to_peer(const Solid& solid) {
  for (const auto& [ours, theirs] : k_peer_kinds) {
    if (ours != solid.shape.kind) continue;
    const Vector3& size = solid.shape.size;
    PeerShape out{theirs, solid.shape.radius, solid.shape.length, {size[0], size[1], size[2]}, {}, {}};
    if (ours == ShapeKind::hull) {
      for (const GeometryPoint& point : solid.geometry->points)
        out.vertices.push_back({point.x[0], point.x[1], point.x[2]});
      for (const GeometryFace& face : solid.geometry->faces) {
        const auto corners = solid.geometry->loop(face);
        out.faces.emplace_back(corners.begin(), corners.end());
      }
    }
    return out;
  }
  return std::nullopt;
}

PeerPose to_peer(const Pose& pose) {
  PeerPose out;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(out.rotation.data()) = pose.R;
  Eigen::Map<Vector3>(out.position.data()) = pose.p;
  return out;
}

CollisionEngine make_engine(std::shared_ptr<DistancePeer> peer) {
  return {peer->name(),
          [peer](const Solid& a, const Solid& b) {
            const std::optional<PeerShape> shape_a = to_peer(a), shape_b = to_peer(b);
            return shape_a && shape_b && peer->take(*shape_a, *shape_b);
          },
          [peer](const Query& query) { return peer->distance(to_peer(query.a), to_peer(query.b)); }};
}
#endif

// Ours first: the distance alone, and all contacts, of which the nearest tells the distance.
std::vector<CollisionEngine> list_collision_engines() {
  std::vector<CollisionEngine> out;
  const auto pair = std::make_shared<std::pair<const Geometry*, const Geometry*>>();
  out.push_back({"separation",
                 [pair](const Solid& a, const Solid& b) {
                   *pair = {a.geometry.get(), b.geometry.get()};
                   return true;
                 },
                 [pair](const Query& query) {
                   constexpr double far = 1;  // beyond all gaps here [m]
                   return separation(*pair->first, query.a, *pair->second, query.b, far).gap;
                 }});
  const auto colliders = std::make_shared<std::pair<Collider, Collider>>();
  out.push_back({"contacts",
                 [colliders](const Solid& a, const Solid& b) {
                   *colliders = {{.geometry = a.geometry}, {.geometry = b.geometry}};
                   return true;
                 },
                 [colliders](const Query& query) {
                   // A hundredth of the size beyond the gap, as in a simulation.
                   const double envelope = std::max(query.gap, 0.0) + 0.01;
                   thread_local std::vector<ShapeContact> contacts;
                   find_contacts(colliders->first, query.a, colliders->second, query.b, envelope, 0,
                                 contacts);
                   double gap = std::numeric_limits<double>::infinity();
                   for (const ShapeContact& c : contacts) gap = std::min(gap, c.contact.gap);
                   return gap;
                 }});
#ifdef DELASSUS_HAS_BULLET
  out.push_back(make_engine(make_bullet_peer()));
#endif
#ifdef DELASSUS_HAS_FCL
  out.push_back(make_engine(make_fcl_peer()));
#endif
  return out;
}

nlohmann::json to_json(const NarrowEntry& entry) {
  return {{"queries_per_second", entry.rate}, {"error", entry.error}, {"off", entry.off}};
}

nlohmann::json bench_narrow_phase() {
  fmt::print(
      "\nDistances of two shapes of about 1 m, {} queries each: apart by {:g}, {:g} or {:g} m, overlapping "
      "by {:g} m.\n"
      "error: worst distance to the known gap; off: how many are wrong by more than {:g} m.\n\n"
      "{:<22}{:<12}{:>12}{:>10}{:>6}{:>15}{:>10}{:>6}\n",
      k_queries, k_gaps[0], k_gaps[1], k_gaps[2], k_depth, k_off, "pair", "by", "apart 1/s", "error", "off",
      "overlap 1/s", "error", "off");
  nlohmann::json out = nlohmann::json::array();
  const std::vector<Solid> solids = make_solids();
  const auto find = [&](const std::string& name) -> const Solid& {
    return *std::find_if(solids.begin(), solids.end(),
                         [&](const Solid& solid) { return name == solid.name; });
  };
  std::vector<CollisionEngine> engines = list_collision_engines();
  for (const auto& [name_a, name_b] : k_pairs) {
    const Solid &a = find(name_a), &b = find(name_b);
    const std::vector<Query> apart = make_queries(*a.geometry, *b.geometry, true),
                             overlapping = make_queries(*a.geometry, *b.geometry, false);
    for (const CollisionEngine& engine : engines) {
      if (!engine.take(a, b)) continue;
      const NarrowEntry far = measure_queries(engine, apart), near = measure_queries(engine, overlapping);
      fmt::print("{:<22}{:<12}{:>12.0f}{:>10.1e}{:>6}{:>15.0f}{:>10.1e}{:>6}\n",
                 fmt::format("{}-{}", name_a, name_b), engine.name, far.rate, far.error, far.off, near.rate,
                 near.error, near.off);
      std::fflush(stdout);
      out.push_back({{"a", name_a},
                     {"b", name_b},
                     {"engine", engine.name},
                     {"apart", to_json(far)},
                     {"overlapping", to_json(near)}});
    }
  }
  return out;
}

}  // namespace

nlohmann::json bench_collision(int max_size) {
  nlohmann::json out{{"broad_phase", bench_broad_phase(max_size)}};
  out["narrow_phase"] = bench_narrow_phase();
  return out;
}

}  // namespace delassus::cli
