// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Mechanisms put together from guesses: near, far, folded, and impossible.
#include "delassus/steppers/consistent_start.hpp"

#include <gtest/gtest.h>

#include "../support/random_problem.hpp"
#include "../support/smooth_runs.hpp"

namespace delassus::consistent_start_test {
namespace {

using testing::compile_text;
using testing::Random;

double violation(const System& system, const State& state) {
  BilateralRows rows;
  system.bilateral(state.t, state.q, rows);
  return rows.violation.size() > 0 ? rows.violation.cwiseAbs().maxCoeff() : 0.0;
}

double velocity_violation(const System& system, const State& state) {
  BilateralRows rows;
  system.bilateral(state.t, state.q, rows);
  Vector u;
  rows.rows.multiply(VectorRef(state.v), u);
  return (u - rows.target).cwiseAbs().maxCoeff();
}

// The nearest point of the circle lies on the ray through the guess, with equal masses.
TEST(ConsistentStart, NearestPointOfACircle) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [3, 4]
  velocity: [1, 2]
  mass: [2, 2]
  constraints: [{name: rod, equation: "hypot(x, y) - 1"}]
)");
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(state.q[0], 0.6, 1e-14);
  EXPECT_NEAR(state.q[1], 0.8, 1e-14);
  EXPECT_NEAR(result.moved, 3.2, 1e-13);
  // v without its part along the rod: (1, 2) − 2.2 (0.6, 0.8).
  EXPECT_NEAR(state.v[0], -0.32, 1e-14);
  EXPECT_NEAR(state.v[1], 0.24, 1e-14);
  EXPECT_NEAR(result.velocity_change, 1.76, 1e-13);
  EXPECT_LE(result.iterations, 3);
}

TEST(ConsistentStart, NothingToDo) {
  const auto scene = testing::pendulum(1.0);
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.moved, 0);
  EXPECT_EQ(state.q, scene.state.q);
  EXPECT_EQ(state.v, scene.state.v);
}

// A driven joint and a nonholonomic one: velocities go to their targets.
TEST(ConsistentStart, Targets) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y, z]
  position: [0.1, 0.2, 5]
  mass: [1, 2, 3]
  constraints: [{name: drive, equation: "x - 2*t"}]
  velocity_constraints: [{name: roll, coefficients: [1, -1, 0], target: 0.5}]
)");
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(state.q[0], 0, 1e-15);
  EXPECT_NEAR(state.v[0], 2, 1e-14);
  EXPECT_NEAR(state.v[1], 1.5, 1e-14);
  EXPECT_EQ(state.q[2], 5);
}

// A closed loop of four rods from random points far away.
CompiledScene four_bar(double length) {
  return compile_text(fmt::format(R"(
delassus: 1
constants: {{long: {}}}
lagrangian:
  coordinates: [xa, ya, xb, yb]
  position: [0, 1, 2, 1]
  mass: [1, 1, 3, 3]
  constraints:
    - {{name: crank, equation: "hypot(xa, ya) - 1"}}
    - {{name: coupler, equation: "hypot(xb - xa, yb - ya) - 2"}}
    - {{name: rocker, equation: "hypot(xb - long, yb) - 1.5"}}
)",
                                  length));
}

TEST(ConsistentStart, FromFarAway) {
  const auto scene = four_bar(2.5);
  Random random(1);
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    State state = scene.state;
    for (double& x : state.q) x = random.uniform(-10, 10);
    for (double& x : state.v) x = random.uniform(-1, 1);
    const StartResult result = assemble_start(*scene.system, state);
    if (!result.ok) continue;
    ++solved;
    EXPECT_LT(violation(*scene.system, state), 1e-11);
    EXPECT_LT(velocity_violation(*scene.system, state), 1e-9);
  }
  EXPECT_EQ(solved, 200);
}

TEST(ConsistentStart, ImpossibleMechanismNamesItsJoints) {
  // The rods reach 4.5 m at most; the least violation shares what is missing among the three.
  const auto scene = four_bar(5.0);
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(state.q, scene.state.q);
  EXPECT_EQ(result.worst_joints.size(), 3u);
  for (const char* name : {"crank", "coupler", "rocker"})
    EXPECT_NE(result.message.find(std::string("'") + name + "'"), std::string::npos) << result.message;
  // A third of half a metre, approached slowly.
  EXPECT_GE(result.violation, 0.5 / 3);
  EXPECT_LT(result.violation, 0.2);
}

TEST(ConsistentStart, OnlyTheContradictingJointIsNamed) {
  // Two of three coordinates are held twice, differently; the third is fine.
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [3, 7]
  mass: [1, 1]
  constraints:
    - {name: low, equation: x}
    - {name: high, equation: x - 1}
    - {name: fine, equation: y}
)");
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.worst_joints.size(), 2u);
  EXPECT_EQ(result.message.find("fine"), std::string::npos) << result.message;
}

TEST(ConsistentStart, AtMostFiveNames) {
  std::string text =
      "delassus: 1\nlagrangian:\n  coordinates: [x]\n  position: [0]\n  mass: [1]\n  constraints:\n";
  for (int i = 0; i < 9; ++i) text += fmt::format("    - {{name: j{}, equation: x - {}}}\n", i, i * i);
  const auto scene = compile_text(text);
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.worst_joints.size(), 5u);
  EXPECT_EQ(result.worst_joints[0], "j8");
}

TEST(ConsistentStart, ContradictingVelocities) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [0]
  mass: [1]
  velocity_constraints:
    - {name: stand, coefficients: [1]}
    - {name: walk, coefficients: [1], target: 1}
)");
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("velocities"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("'walk'"), std::string::npos) << result.message;
}

// Collapsed onto one point, where the rods have no direction of their own.
TEST(ConsistentStart, FoldedMechanism) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [xa, ya, xb, yb]
  position: [1, 0, 0.001, 0.001]
  mass: [1, 1, 1, 1]
  constraints:
    - {name: crank, equation: "xa^2 + ya^2 - 1"}
    - {name: rod, equation: "(xb - xa)^2 + (yb - ya)^2 - 1"}
    - {name: pin, equation: "xb^2 + yb^2 - 2"}
)");
  State state = scene.state;
  const StartResult result = assemble_start(*scene.system, state);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_LT(violation(*scene.system, state), 1e-11);
}

}  // namespace
}  // namespace delassus::consistent_start_test
