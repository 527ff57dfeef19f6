// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies whose shapes touch, against closed forms.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "delassus/formulation/multibody_system.hpp"
#include "tests/support/runs.hpp"

namespace delassus::shapes_test {
namespace {

using testing::run_to;
using testing::simulate;

constexpr double k_g = 9.81;

// On a slope of angle a in the x-y plane: where a body rests, and the run.
std::string on_slope(double a, double height, const std::string& shape, double friction,
                     const std::string& ground = "{type: box, size: [20, 1, 4], position: [0, -0.5, 0]}") {
  return fmt::format(R"(
delassus: 1
gravity: [0, -9.81, 0]
contact: {{friction: {3}}}
bodies:
  - {{name: slope, type: fixed, rotation: [0, 0, {0}], shapes: [{5}]}}
  - {{name: body, type: rigid, mass: 2, position: [{1}, {2}, 0], rotation: [0, 0, {0}], shapes: [{4}]}}
stepper: {{step: 1e-3}}
)",
                     a, -height * std::sin(a), height * std::cos(a), friction, shape, ground);
}

TEST(Shapes, BoxSlidesDownASlope) {
  const double a = 0.4, mu = 0.2;
  const State state = run_to(on_slope(a, 0.1, "{type: box, size: [0.4, 0.2, 0.3]}", mu), 1.0);
  const double speed = k_g * (std::sin(a) - mu * std::cos(a));
  EXPECT_NEAR(state.v.head<3>().dot(Vector3(-std::cos(a), -std::sin(a), 0)), speed, 1e-9);
  EXPECT_LT(state.v.tail<3>().norm(), 1e-9);
}

TEST(Shapes, BoxStaysOnASlope) {
  const double a = 0.3;
  const State state = run_to(on_slope(a, 0.1, "{type: box, size: [0.4, 0.2, 0.3]}", 0.5), 0.5);
  EXPECT_LT(state.v.norm(), 1e-12);
  EXPECT_LT((state.q.head<3>() - Vector3(-0.1 * std::sin(a), 0.1 * std::cos(a), 0)).norm(), 1e-11);
}

TEST(Shapes, BallsAndCylindersRollDownASlope) {
  const double a = 0.3, r = 0.15;
  struct Case {
    const char* shape;
    double factor;  // of g sin a
  };
  const std::string mesh =
      "{type: mesh, vertices: [[-10, 0, -2], [10, 0, -2], [10, 0, 2], [-10, 0, 2], [0.3, 0, 0.1]], "
      "triangles: [[0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]]}";
  for (const Case& c : {Case{"{type: sphere, radius: 0.15}", 5.0 / 7},
                        Case{"{type: cylinder, radius: 0.15, length: 0.4}", 2.0 / 3}})
    for (const std::string& ground : {std::string("{type: plane}"), mesh,
                                      std::string("{type: box, size: [20, 1, 4], position: [0, -0.5, 0]}")}) {
      const State state = run_to(on_slope(a, r, c.shape, 0.6, ground), 1.0);
      const double speed = c.factor * k_g * std::sin(a);
      EXPECT_NEAR(state.v.head<3>().norm(), speed, 1e-6) << c.shape << ground;
      EXPECT_NEAR(state.v.tail<3>().norm(), speed / r, 1e-5) << c.shape << ground;
    }
}

TEST(Shapes, BallSlidesOverAnEdgeAndLeavesIt) {
  // Without friction, from a face round its edge: v² = v₀² + 2 g r (1 − cos θ); it leaves where g r cos θ = v².
  const double r = 0.2, v0 = 0.3;
  const std::string scene = fmt::format(R"(
delassus: 1
gravity: [0, -9.81, 0]
contact: {{friction: 0}}
bodies:
  - {{name: block, type: fixed, shapes: [{{type: box, size: [2, 1, 1], position: [-1, -0.5, 0]}}]}}
  - {{name: ball, type: rigid, mass: 1, position: [-0.1, {0}, 0.05], velocity: [{1}, 0, 0], shapes: [{{type: sphere, radius: {0}}}]}}
stepper: {{step: 1e-3}}
)",
                                        r, v0);
  Simulation simulation = simulate(scene);
  double left_at = -1;
  for (int i = 0; i < 1500 && left_at < 0; ++i) {
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    const Vector3 x = simulation.state().q.head<3>();
    const double theta = std::atan2(x.x(), x.y());
    const double distance = std::hypot(x.x(), x.y()) - r;
    const auto& contacts = simulation.report().contacts;
    const bool held = std::any_of(contacts.begin(), contacts.end(),
                                  [](const ContactReport& c) { return c.status != ContactStatus::open; });
    if (!held) {
      left_at = theta;
    } else if (x.x() > 0.02) {
      EXPECT_NEAR(distance, 0, 1e-12);
      EXPECT_NEAR(simulation.state().v.head<3>().squaredNorm(), v0 * v0 + 2 * k_g * r * (1 - std::cos(theta)),
                  1e-4);
    }
  }
  const double expected = std::acos((2 + v0 * v0 / (k_g * r)) / 3);
  EXPECT_NEAR(left_at, expected, 0.01);  // steps turn it by 0.008
}

TEST(Shapes, ABulletDoesNotPassAThinPlate) {
  for (const char* plate :
       {"{type: box, size: [1, 0.01, 1]}",
        "{type: mesh, vertices: [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], triangles: "
        "[[0, 2, 1], [0, 3, 2]]}"}) {
    const std::string scene = fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
contact: {{friction: 0, restitution: 0.5}}
bodies:
  - {{name: plate, type: fixed, shapes: [{}]}}
  - {{name: bullet, type: rigid, mass: 0.01, position: [0.1, 0.73, 0], velocity: [0, -100, 0], shapes: [{{type: sphere, radius: 0.02}}]}}
stepper: {{step: 1e-2}}
)",
                                          plate);
    const State state = run_to(scene, 0.03);
    EXPECT_NEAR(state.v[1], 50, 1e-9) << plate;
    const bool thick = plate[7] == 'b';
    const double surface = (thick ? 0.005 : 0.0) + 0.02, hit = (0.73 - surface) / 100;
    EXPECT_NEAR(state.q[1], surface + 50 * (0.03 - hit), 1e-9) << plate;
  }
}

TEST(Shapes, FastBodiesDoNotPassEachOther) {
  // Two balls that pass each other within one step otherwise: they exchange their velocities where they meet.
  const State state = run_to(R"(
delassus: 1
gravity: [0, 0, 0]
contact: {friction: 0, restitution: 1}
bodies:
  - {name: left, type: rigid, mass: 1, position: [0, 0, 0], velocity: [100, 0, 0], shapes: [{type: sphere, radius: 0.02}]}
  - {name: right, type: rigid, mass: 1, position: [3.1, 0, 0], velocity: [-100, 0, 0], shapes: [{type: sphere, radius: 0.02}]}
stepper: {step: 1e-2}
)",
                             0.05);
  const double met = (3.1 - 0.04) / 200;
  EXPECT_NEAR(state.v[0], -100, 1e-9);
  EXPECT_NEAR(state.q[0], 100 * met - 100 * (0.05 - met), 1e-8);
}

TEST(Shapes, ATurningRodMeetsAPeg) {
  // Up to three radians a step: the rod bounces off the peg without loss, and differently long steps agree.
  const char* const scene = R"(
delassus: 1
gravity: [0, 0, 0]
contact: {friction: 0, restitution: 1}
bodies:
  - {name: rod, type: rigid, mass: 0.01, angular_velocity: [0, 0, 300], shapes: [{type: box, size: [1, 0.01, 0.01]}]}
  - {name: peg, type: fixed, position: [0.3, 0.35, 0], shapes: [{type: cylinder, radius: 0.004, length: 0.1}]}
stepper: {step: 1e-2}
)";
  const State coarse = run_to(scene, 0.01), fine = run_to(scene, 0.01, {"stepper.step=1e-4"});
  const double inertia = 0.01 * (1 + 1e-4) / 12, energy = 0.5 * inertia * 300 * 300;
  for (const State& state : {coarse, fine}) {
    EXPECT_LT(state.v[5], 0);
    EXPECT_NEAR(0.5 * 0.01 * state.v.head<3>().squaredNorm() + 0.5 * inertia * state.v[5] * state.v[5],
                energy, 1e-6 * energy);
  }
  EXPECT_NEAR(coarse.v[5], fine.v[5], 0.05);
}

TEST(Shapes, ACornerSlidesOverAnEdge) {
  // Corner on edge has no normal of its own; the step must go on with the face or the crossing of edges.
  EXPECT_NO_THROW(run_to(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: box, size: [6, 1, 6], position: [0, -0.5, 0], rotation: [0.1, 0, 0.15]}]}
  - {name: thing, type: rigid, mass: 1, position: [-0.014, 1, 0.2], rotation: [0.491, 0.041, 0.235], velocity: [0.97, 0, 0.43], angular_velocity: [-7.48, -0.69, 4.05], shapes: [{type: hull, points: [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [0.1, -0.1, 0.1], [-0.1, -0.1, 0.1], [0, 0.15, 0]]}]}
contact: {friction: 0, restitution: 0}
stepper: {step: 2e-3}
)",
                         2.5));
}

TEST(Shapes, EveryShapeComesToRestOnEveryGround) {
  // Dropped from a hair above, without rebound: after a fifth of a second it stands still and has not sunk.
  const char* const grounds[] = {"{type: plane}", "{type: box, size: [4, 1, 4], position: [0, -0.5, 0]}",
                                 "{type: mesh, vertices: [[-2, 0, -2], [2, 0, -2], [2, 0, 2], [-2, 0, 2], "
                                 "[0.13, 0, 0.07]], triangles: [[0, 4, 1], "
                                 "[1, 4, 2], [2, 4, 3], [3, 4, 0]]}",
                                 "{type: height_field, spacing: [0.7, 0.7], heights: [[0, 0, 0, 0, 0], [0, "
                                 "0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, "
                                 "0, 0]]}"};
  struct Case {
    const char* shape;
    double height;
  };
  const Case cases[] = {
      {"{type: box, size: [0.4, 0.2, 0.3]}", 0.1},
      {"{type: cylinder, radius: 0.2, length: 0.3, rotation: [1.5707963267948966, 0, 0]}", 0.15},
      {"{type: cone, radius: 0.2, length: 0.4, rotation: [-1.5707963267948966, 0, 0]}", 0.2},
      {"{type: sphere, radius: 0.2}", 0.2},
      {"{type: hull, points: [[-0.2, -0.1, -0.2], [0.2, -0.1, -0.2], [0.15, -0.1, 0.3], [0, 0.3, "
       "0]]}",
       0.1},
      {"{type: box, size: [0.4, 0.2, 0.3], margin: 0.03}", 0.1}};
  for (const char* ground : grounds)
    for (const Case& c : cases) {
      const std::string scene = fmt::format(R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: ground, type: fixed, shapes: [{}]}}
  - {{name: body, type: rigid, density: 500, position: [0.05, {}, 0.04], shapes: [{}]}}
stepper: {{step: 2e-3}}
)",
                                            ground, c.height + 1e-4, c.shape);
      Simulation simulation = simulate(scene);
      ASSERT_TRUE(simulation.run_until(0.2)) << ground << c.shape << simulation.report().message;
      std::vector<BodyMotion> motions;
      simulation.system().body_motions(0.2, simulation.state().q, simulation.state().v, motions);
      EXPECT_NEAR(motions[1].position.y(), c.height, 1e-9) << ground << c.shape;
      EXPECT_LT(simulation.state().v.norm(), 1e-6) << ground << c.shape;
    }
}

}  // namespace
}  // namespace delassus::shapes_test
