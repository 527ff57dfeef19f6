// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Every ordered pair of shapes that flies, slides and rests against each other, judged from outside: the depth by the signed
// distance of convex pieces that make up the shapes, impacts by it, too, and the energy.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "delassus/collision/separation.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "tests/support/simulate.hpp"

namespace delassus::shape_pairs_test {
namespace {

using testing::simulate;

// Depths are allowed up to this part of the smaller shape: hits beside a feature that was passed are found a step late.
constexpr double k_depth = 1.5e-3;
// Gains of a step, of the energy in play: projection puts contacts that hand over back onto their surface.
constexpr double k_gain = 2e-3;
constexpr double k_h = 1e-3;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  Vector3 vector(double size) {
    const double x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return {x, y, z};
  }

 private:
  std::mt19937_64 random_;
};

std::string text_of(const Vector3& v) {
  return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z());
}

using Triangles = std::vector<std::array<int, 3>>;

std::string mesh_text(const std::vector<Vector3>& vertices, const Triangles& triangles) {
  std::string corners, faces;
  for (const Vector3& x : vertices) corners += (corners.empty() ? "" : ", ") + text_of(x);
  for (const auto& t : triangles)
    faces += (faces.empty() ? "" : ", ") + fmt::format("[{}, {}, {}]", t[0], t[1], t[2]);
  return "{type: mesh, vertices: [" + corners + "], triangles: [" + faces + "]}";
}

// A shape as scenes have it, and the convex pieces that it is made of.
struct Subject {
  std::string text;
  std::vector<Shape> pieces;
  double size = 0;      // smallest width
  bool ground = false;  // has no mass
  bool mesh = false;
};

Shape hull_of_points(std::vector<Vector3> points) {
  auto surface = std::make_shared<Surface>();
  surface->vertices = std::move(points);
  return {.kind = ShapeKind::hull, .surface = surface};
}

Subject round_subject(const std::string& kind, Draw& draw, double s) {
  const double radius = s * draw.between(0.4, 1), length = s * draw.between(0.5, 2);
  if (kind == "sphere")
    return {fmt::format("{{type: sphere, radius: {}}}", radius),
            {{.kind = ShapeKind::sphere, .radius = radius}},
            2 * radius};
  if (kind == "ellipsoid") {
    const Vector3 size = s * Vector3(draw.between(0.5, 2), draw.between(0.5, 2), draw.between(0.5, 2));
    return {fmt::format("{{type: ellipsoid, size: {}}}", text_of(size)),
            {{.kind = ShapeKind::ellipsoid, .size = size}},
            size.minCoeff()};
  }
  const ShapeKind shape = kind == "cylinder"  ? ShapeKind::cylinder
                          : kind == "capsule" ? ShapeKind::capsule
                                              : ShapeKind::cone;
  return {fmt::format("{{type: {}, radius: {}, length: {}}}", kind, radius, length),
          {{.kind = shape, .radius = radius, .length = length}},
          shape == ShapeKind::capsule ? 2 * radius : std::min(2 * radius, length)};
}

Subject flat_subject(const std::string& kind, Draw& draw, double s) {
  if (kind == "hull") {
    std::vector<Vector3> points;
    std::string list;
    for (int i = 0; i < 12; ++i) {
      points.push_back(s * draw.between(0.7, 1) * draw.vector(1).normalized());
      list += (i > 0 ? ", " : "") + text_of(points.back());
    }
    return {"{type: hull, points: [" + list + "]}", {hull_of_points(points)}, s};
  }
  const Vector3 size = s * Vector3(draw.between(0.5, 2), draw.between(0.5, 2), draw.between(0.5, 2));
  const double margin = kind == "rounded" ? 0.1 * s : 0.0;
  return {fmt::format("{{type: box, size: {}, margin: {}}}", text_of(size), margin),
          {{.kind = ShapeKind::box, .size = size, .margin = margin}},
          size.minCoeff()};
}

Subject octahedron(double s) {
  const std::vector<Vector3> x = {{s, 0, 0}, {-s, 0, 0}, {0, s, 0}, {0, -s, 0}, {0, 0, s}, {0, 0, -s}};
  return {
      mesh_text(x, {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}),
      {hull_of_points(x)},
      s,
      false,
      true};
}

// An L, cut along its diagonal into two convex pieces.
Subject angle(double s) {
  const std::vector<Vector3> base = {{-0.9, -0.9, 0}, {1.1, -0.9, 0}, {1.1, -0.1, 0},
                                     {-0.1, -0.1, 0}, {-0.1, 1.1, 0}, {-0.9, 1.1, 0}};
  std::vector<Vector3> x;
  for (double z : {-0.4, 0.4})
    for (const Vector3& b : base) x.emplace_back(s * (b + Vector3(0, 0, z)));
  const auto piece = [&](std::initializer_list<int> corners) {
    std::vector<Vector3> points;
    for (int i : corners) points.insert(points.end(), {x[i], x[i + 6]});
    return hull_of_points(points);
  };
  return {mesh_text(x, {{6, 7, 8},  {6, 8, 9},  {6, 9, 11}, {9, 10, 11}, {2, 1, 0}, {3, 2, 0}, {5, 3, 0},
                        {5, 4, 3},  {0, 1, 7},  {0, 7, 6},  {1, 2, 8},   {1, 8, 7}, {2, 3, 9}, {2, 9, 8},
                        {3, 4, 10}, {3, 10, 9}, {4, 5, 11}, {4, 11, 10}, {5, 0, 6}, {5, 6, 11}}),
          {piece({0, 1, 2, 3}), piece({0, 3, 4, 5})},
          0.8 * s,
          false,
          true};
}

// z = ∓|y|/2: a roof, or a valley.
Subject two_slopes(double rise) {
  const std::vector<Vector3> x = {{-2, -2, rise}, {2, -2, rise}, {2, 0, 0},
                                  {-2, 0, 0},     {2, 2, rise},  {-2, 2, rise}};
  const auto half = [&](double y) {
    return hull_of_points({{-2, y, rise},
                           {2, y, rise},
                           {2, 0, 0},
                           {-2, 0, 0},
                           {-2, y, -9},
                           {2, y, -9},
                           {2, 0, -9},
                           {-2, 0, -9}});
  };
  return {mesh_text(x, {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}, {3, 4, 5}}), {half(-2), half(2)}, 4, true, true};
}

Subject make_subject(const std::string& kind, Draw& draw) {
  const double s = draw.between(0.05, 0.2);
  const Shape ground{.kind = ShapeKind::box, .size = {20, 20, 20}, .position = {0, 0, -10}};
  if (kind == "octahedron") return octahedron(s);
  if (kind == "angle") return angle(s);
  if (kind == "roof") return two_slopes(-1);
  if (kind == "valley") return two_slopes(1);
  if (kind == "plane") return {"{type: plane, normal: [0, 0, 1]}", {ground}, 20, true};
  if (kind == "field") {
    std::string rows;
    for (int i = 0; i < 12; ++i) rows += std::string(i > 0 ? ", " : "") + "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]";
    return {"{type: height_field, normal: [0, 0, 1], spacing: [0.31, 0.27], heights: [" + rows + "]}",
            {ground},
            20,
            true,
            true};
  }
  if (kind == "box" || kind == "rounded" || kind == "hull") return flat_subject(kind, draw, s);
  return round_subject(kind, draw, s);
}

// Two subjects with the geometries of their pieces: how far apart they are.
class Judge {
 public:
  Judge(const Subject& a, const Subject& b) {
    for (const Subject* subject : {&a, &b})
      for (const Shape& piece : subject->pieces)
        pieces_[subject == &a ? 0 : 1].push_back({make_geometry(piece), piece.position});
  }
  double gap(const Pose& a, const Pose& b) const {
    double out = std::numeric_limits<double>::infinity();
    for (const Piece& x : pieces_[0])
      for (const Piece& y : pieces_[1])
        out = std::min(out, separation(*x.geometry, {a.R, a.point(x.position)}, *y.geometry,
                                       {b.R, b.point(y.position)}, 10)
                                .gap);
    return out;
  }

 private:
  struct Piece {
    std::shared_ptr<const Geometry> geometry;
    Vector3 position;
  };
  std::vector<Piece> pieces_[2];
};

enum class Play { flies, slides, rests };

// The first subject stands still, unless the second one is ground; what moves starts above it, `play` decides how.
struct Encounter {
  std::string scene;
  double size = 0;
};

Encounter make_encounter(const Subject& a, const Subject& b, Play play, Draw& draw) {
  const Subject &fixed = b.ground ? b : a, &moving = b.ground ? a : b;
  const Vector3 turn_fixed = fixed.ground ? Vector3(0, 0, 0) : draw.vector(1.8), turn = draw.vector(1.8);
  Pose at_fixed{rotation_matrix(quaternion_exponential(turn_fixed)), Vector3::Zero()},
      at{rotation_matrix(quaternion_exponential(turn)), Vector3::Zero()};
  const Vector3 up = Vector3(draw.between(-0.2, 0.2), draw.between(-0.2, 0.2), 1).normalized();
  const Vector3 beside = draw.vector(0.03);
  const double start = play == Play::flies ? 0.05 : play == Play::slides ? 1e-6 : 5e-3;
  const Judge judge(fixed, moving);
  double low = 0, high = 3;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    at.p = beside + middle * up;
    (judge.gap(at_fixed, at) > start ? high : low) = middle;
  }
  at.p = beside + high * up;
  const Vector3 along = up.cross(draw.vector(1)).normalized();
  const Vector3 velocity = play == Play::flies    ? Vector3(-draw.between(1, 3) * up + draw.vector(0.3))
                           : play == Play::slides ? Vector3(draw.between(0.2, 1) * along)
                                                  : Vector3(0, 0, 0);
  const Vector3 spin = play == Play::flies ? draw.vector(5) : Vector3(0, 0, 0);
  const std::string still =
      fmt::format("type: fixed, rotation: {}, shapes: [{}]", text_of(turn_fixed), fixed.text);
  const std::string moves = fmt::format(
      "type: rigid, mass: {}, position: {}, rotation: {}, velocity: {}, angular_velocity: {}, shapes: [{}]",
      std::pow(10, draw.between(-2, 2)), text_of(at.p), text_of(turn), text_of(velocity), text_of(spin),
      moving.text);
  // With friction and restitution at once Newton's law itself may gain.
  const bool flies = play == Play::flies;
  return {
      fmt::format("delassus: 1\ngravity: [0, 0, {}]\ncontact: {{friction: {}, restitution: {}}}\nbodies:\n"
                  "  - {{name: a, {}}}\n  - {{name: b, {}}}\nstepper: {{step: {}}}\n",
                  flies ? 0.0 : -9.81, flies ? 0.0 : draw.between(0, 1), flies ? 0.5 : 0.0,
                  b.ground ? moves : still, b.ground ? still : moves, k_h),
      std::min(a.size, b.size)};
}

struct Outcome {
  double depth = 0;         // [m]
  double false_impact = 0;  // distance at an impact, beyond what the motion of a step can be [m]
  double gain = 0;          // of energy in a step, of the largest kinetic energy [-]
  std::string message;
};

Outcome run_encounter(const Encounter& encounter, const Judge& judge, double duration,
                      const std::vector<std::string>& settings) {
  Outcome out;
  Simulation simulation = simulate(encounter.scene, settings);
  const auto& system = dynamic_cast<const MultibodySystem&>(simulation.system());
  std::vector<BodyMotion> motions;
  double energy = std::numeric_limits<double>::infinity(), largest = 0;
  while (simulation.state().t < duration - 1e-9) {
    const StepReport& report = simulation.step();
    if (!report.ok) {
      out.message = report.message;
      return out;
    }
    const State& state = simulation.state();
    system.body_motions(state.t, state.q, state.v, motions);
    const double gap = judge.gap({rotation_matrix(motions[0].orientation), motions[0].position},
                                 {rotation_matrix(motions[1].orientation), motions[1].position});
    out.depth = std::max(out.depth, -gap);
    const double now = report.energy.kinetic + report.energy.potential;
    largest = std::max(largest, report.energy.kinetic);
    out.gain = std::max(out.gain, now - energy);
    energy = now;
    for (const Event& event : report.events) {
      const double way =
          k_h * (event.velocity_before.norm() + event.velocity_after.norm() + state.v.cwiseAbs().maxCoeff());
      if (event.kind == EventKind::impact)
        out.false_impact = std::max(out.false_impact, gap - 2 * way - 1e-6);
    }
  }
  out.gain /= largest;
  return out;
}

const std::vector<std::string>& all_kinds() {
  static const std::vector<std::string> kinds = {"sphere", "box",       "rounded", "cylinder",   "capsule",
                                                 "cone",   "ellipsoid", "hull",    "octahedron", "angle",
                                                 "plane",  "field",     "roof",    "valley"};
  return kinds;
}

class ShapePairs : public ::testing::TestWithParam<std::string> {};

// All that the shape `first` can meet, in all ways; seeds of their own.
void meet_all(const std::string& first, int variants, double duration, double depth, double gain,
              const std::vector<std::string>& settings) {
  const auto number = [](const std::string& kind) {
    return static_cast<std::uint64_t>(std::find(all_kinds().begin(), all_kinds().end(), kind) -
                                      all_kinds().begin());
  };
  for (const std::string& second : all_kinds())
    for (const Play play : {Play::flies, Play::slides, Play::rests})
      for (int i = 0; i < variants; ++i) {
        Draw draw(1 + number(first) + 100 * number(second) + 10000 * static_cast<std::uint64_t>(play) +
                  1000000 * static_cast<std::uint64_t>(i));
        const Subject a = make_subject(first, draw), b = make_subject(second, draw);
        if (a.ground && b.ground) continue;
        const Encounter encounter = make_encounter(a, b, play, draw);
        const Outcome outcome = run_encounter(encounter, Judge(a, b), duration, settings);
        EXPECT_TRUE(outcome.message.empty()) << outcome.message << encounter.scene;
        EXPECT_LE(outcome.depth, depth * encounter.size) << encounter.scene;
        EXPECT_LE(outcome.false_impact, 0) << encounter.scene;
        EXPECT_LE(outcome.gain, gain) << encounter.scene;
      }
}

TEST_P(ShapePairs, FlySlideAndRest) {
  meet_all(GetParam(), 1, 0.12, k_depth, k_gain, {});
}

// Captured steps leave what one step's motion makes of curved surfaces: a few times as much.
TEST_P(ShapePairs, FlySlideAndRestCaptured) {
  for (const char* name : {"moreau-jean", "nonsmooth-generalized-alpha"}) {
    SCOPED_TRACE(name);
    meet_all(GetParam(), 1, 0.12, 10 * k_depth, 5 * k_gain, {std::string("stepper.name=") + name});
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShapePairs, ::testing::ValuesIn(all_kinds()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace delassus::shape_pairs_test
