// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Equilibria and modes against closed forms.
#include <gtest/gtest.h>

#include "../support/heavy_top.hpp"
#include "../support/smooth_runs.hpp"
#include "delassus/steppers/equilibrium.hpp"
#include "delassus/steppers/linearization.hpp"

namespace delassus::statics_test {
namespace {

using testing::compile_text;

std::string pendulum_at(double angle, const std::string& more = "") {
  return fmt::format(
      "delassus: 1\nlagrangian:\n  coordinates: [x, y]\n  position: [{:.17g}, {:.17g}]\n  mass: [2, 2]\n"
      "  potential: 2*9.81*y\n  constraints: [{{name: rod, equation: \"(x^2 + y^2 - 0.25)/2\"}}]\n{}",
      0.5 * std::sin(angle), -0.5 * std::cos(angle), more);
}

TEST(Equilibrium, PendulumHangsDownFromAnywhere) {
  for (double angle : {0.3, 2.0, 3.0, 3.14, -3.1415}) {
    const auto scene = compile_text(pendulum_at(angle));
    State state = scene.state;
    const EquilibriumResult result = find_equilibrium(*scene.system, state);
    ASSERT_TRUE(result.ok) << result.message;
    EXPECT_NEAR(state.q[0], 0, 1e-10) << angle;
    EXPECT_NEAR(state.q[1], -0.5, 1e-12) << angle;
    // Gλ = λ (x, y) carries the weight upwards.
    EXPECT_NEAR(result.joint_forces[0], -2 * 9.81 / 0.5, 1e-8);
    EXPECT_LT(result.joint_drift, 1e-13);
    EXPECT_NEAR(result.least_stiffness, 9.81 / 0.5, 1e-7);
    EXPECT_LT(result.iterations, 40) << angle;
  }
}

TEST(Equilibrium, LeavesTheUnstableOne) {
  const auto scene = compile_text(pendulum_at(std::numbers::pi));
  State state = scene.state;
  const EquilibriumResult result = find_equilibrium(*scene.system, state);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(state.q[1], -0.5, 1e-12);
}

// Stays where it is; a guess off the joints is put together first.
TEST(Equilibrium, NothingToDoAndAssembly) {
  const auto scene = compile_text(pendulum_at(0));
  State state = scene.state;
  EXPECT_EQ(find_equilibrium(*scene.system, state).iterations, 0);
  EXPECT_EQ(state.q, scene.state.q);
  state.q << 3, -4;
  state.v << 1, 1;
  ASSERT_TRUE(find_equilibrium(*scene.system, state).ok);
  EXPECT_NEAR(state.q[1], -0.5, 1e-12);
  EXPECT_EQ(state.v.norm(), 0);
}

// Two springs of stiffness 1000 carry 3 kg and 2 kg: 5 g/k and 2 g/k.
TEST(Equilibrium, StiffSpringsInARow) {
  const auto scene = compile_text(R"(
delassus: 1
bodies:
  - {name: a, mass: 3, position: [0, -1, 0]}
  - {name: b, mass: 2, position: [0.001, -2, 0]}
forces:
  - {name: s1, type: spring, between: [world, a], stiffness: 1000, rest_length: 1, damping: 2}
  - {name: s2, type: spring, between: [a, b], stiffness: 1000, rest_length: 1}
)");
  State state = scene.state;
  const EquilibriumResult result = find_equilibrium(*scene.system, state);
  ASSERT_TRUE(result.ok) << result.message;
  const double first = 5 * 9.81 / 1000, second = 2 * 9.81 / 1000;
  EXPECT_NEAR(state.q[1], -1 - first, 1e-9);
  EXPECT_NEAR(state.q[4], -2 - first - second, 1e-9);
  EXPECT_NEAR(state.q[3], 0, 1e-8);
}

// Von Mises truss: two springs at a slant snap through; started above, the load takes it to the far side.
TEST(Equilibrium, SnapThrough) {
  const auto text = [](double load) {
    return fmt::format(
        "delassus: 1\nlagrangian:\n  coordinates: [y]\n  position: [0.3]\n  mass: [1]\n  potential: {}*y\n"
        "  springs: [{{name: bars, elongation: \"hypot(1, y) - hypot(1, 0.3)\", stiffness: 2000}}]\n",
        load);
  };
  const auto force = [](double y) {
    const double length = std::hypot(1, y);
    return 2000 * (length - std::hypot(1, 0.3)) * y / length;
  };
  for (double load : {5.0, 100.0}) {
    const auto scene = compile_text(text(load));
    State state = scene.state;
    const EquilibriumResult result = find_equilibrium(*scene.system, state);
    ASSERT_TRUE(result.ok) << result.message;
    EXPECT_NEAR(force(state.q[0]), -load, 1e-7);
    EXPECT_GT(result.least_stiffness, 0);
    if (load == 5.0)
      EXPECT_GT(state.q[0], 0.2);
    else
      EXPECT_LT(state.q[0], -0.3);
  }
}

// Two rods hold a bob: no motion is left, the forces follow from the directions.
TEST(Equilibrium, Truss) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0.1, -0.9]
  mass: [2, 2]
  potential: 2*9.81*y
  constraints:
    - {name: left, equation: "hypot(x + 1, y) - 2^0.5"}
    - {name: right, equation: "hypot(x - 1, y) - 2^0.5"}
)");
  State state = scene.state;
  const EquilibriumResult result = find_equilibrium(*scene.system, state);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(state.q[1], -1, 1e-13);
  for (double force : result.joint_forces) EXPECT_NEAR(force, -9.81 * std::sqrt(2.0), 1e-11);
  const Linearization out = compute_linearization(*scene.system, state);
  EXPECT_TRUE(out.ok);
  EXPECT_EQ(out.num_freedoms, 0);
  EXPECT_TRUE(out.modes.empty());
}

TEST(Equilibrium, FreeFallHasNone) {
  const auto scene = compile_text("delassus: 1\nbodies: [{name: stone, mass: 1}]\n");
  State state = scene.state;
  const EquilibriumResult result = find_equilibrium(*scene.system, state, {.max_iterations = 20});
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("9.81 N"), std::string::npos) << result.message;
  EXPECT_EQ(state.q, scene.state.q);
}

TEST(Equilibrium, HeavyTopHangs) {
  const testing::HeavyTop top;
  State state = top.initial_state();
  const EquilibriumResult result = find_equilibrium(top, state);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(state.q[2], -top.r.norm(), 1e-12);
  EXPECT_NEAR(result.joint_forces[2], top.m * top.g, 1e-9);
  // One rotation about the vertical is free.
  EXPECT_NEAR(result.least_stiffness, 0, 1e-6);
}

TEST(Modes, Pendulum) {
  const auto scene = compile_text(pendulum_at(0));
  const Linearization modes = compute_linearization(*scene.system, scene.state);
  ASSERT_TRUE(modes.ok);
  EXPECT_EQ(modes.num_freedoms, 1);
  EXPECT_EQ(modes.rigid_modes, 0);
  ASSERT_EQ(modes.modes.size(), 1u);
  EXPECT_NEAR(modes.modes[0].frequency, std::sqrt(9.81 / 0.5) / (2 * std::numbers::pi), 1e-12);
  EXPECT_EQ(modes.modes[0].damping_ratio, 0);
  EXPECT_NEAR(std::abs(modes.modes[0].shape[0] - 1.0), 0, 1e-12);
  EXPECT_NEAR(std::abs(modes.modes[0].shape[1]), 0, 1e-12);
  EXPECT_LT(modes.residual, 1e-12);
  EXPECT_FALSE(modes.unstable);
  // Upright it falls with the rate √(g/L).
  const auto upright = compile_text(pendulum_at(std::numbers::pi));
  const Linearization falling = compute_linearization(*upright.system, upright.state);
  EXPECT_TRUE(falling.unstable);
  ASSERT_EQ(falling.modes.size(), 2u);
  EXPECT_NEAR(std::abs(falling.modes[1].eigenvalue.real()), std::sqrt(9.81 / 0.5), 1e-12);
}

// Two equal masses, three equal springs: √(k/m) in phase, √(3k/m) against each other.
TEST(Modes, CoupledOscillators) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [a, b]
  position: [0, 0]
  mass: [2, 2]
  springs:
    - {name: left, elongation: a, stiffness: 50}
    - {name: middle, elongation: b - a, stiffness: 50}
    - {name: right, elongation: b, stiffness: 50}
)");
  const Linearization out = compute_linearization(*scene.system, scene.state);
  ASSERT_EQ(out.modes.size(), 2u);
  EXPECT_NEAR(out.modes[0].eigenvalue.imag(), 5, 1e-12);
  EXPECT_NEAR(out.modes[1].eigenvalue.imag(), std::sqrt(75.0), 1e-12);
  EXPECT_NEAR(std::abs(out.modes[0].shape[0] - out.modes[0].shape[1]), 0, 1e-12);
  EXPECT_NEAR(std::abs(out.modes[1].shape[0] + out.modes[1].shape[1]), 0, 1e-12);
}

TEST(Modes, DampedOscillators) {
  // Underdamped: s = −0.5 ± i√(9 − 0.25); overdamped beside it: s² + 10 s + 9 = 0.
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [a, b]
  position: [0, 0]
  mass: [2, 1]
  springs: [{name: one, elongation: a, stiffness: 18}, {name: two, elongation: b, stiffness: 9}]
  dampers: [{name: slow, elongation: a, damping: 2}, {name: thick, elongation: b, damping: 10}]
)");
  const Linearization out = compute_linearization(*scene.system, scene.state);
  ASSERT_EQ(out.modes.size(), 3u);
  EXPECT_NEAR(std::abs(out.modes[0].eigenvalue - std::complex<double>(-1, 0)), 0, 1e-12);
  EXPECT_NEAR(std::abs(out.modes[1].eigenvalue - std::complex<double>(-0.5, std::sqrt(8.75))), 0, 1e-12);
  EXPECT_NEAR(std::abs(out.modes[2].eigenvalue - std::complex<double>(-9, 0)), 0, 1e-11);
  EXPECT_NEAR(out.modes[1].damping_ratio, 0.5 / 3, 1e-12);
  EXPECT_NEAR(out.modes[1].frequency, std::sqrt(8.75) / (2 * std::numbers::pi), 1e-12);
  EXPECT_EQ(out.modes[0].damping_ratio, 1);
  EXPECT_FALSE(out.unstable);
}

// A free pair of masses on a spring: three rigid motions in space are translations, two turn the spring, one stretches it.
TEST(Modes, RigidMotions) {
  const auto scene = compile_text(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, position: [0, 0, 0]}
  - {name: b, mass: 3, position: [1, 0, 0]}
forces: [{name: spring, type: spring, between: [a, b], stiffness: 75, rest_length: 1}]
)");
  const Linearization out = compute_linearization(*scene.system, scene.state);
  EXPECT_EQ(out.num_freedoms, 6);
  EXPECT_EQ(out.rigid_modes, 5);
  // Reduced mass 3/4.
  EXPECT_NEAR(out.modes.back().eigenvalue.imag(), 10, 1e-10);
}

// A compound pendulum about its tip, found by statics: one motion about the vertical is free, two swing.
TEST(Modes, HangingTop) {
  testing::HeavyTop top;
  top.r = {0, 0, 0.8};
  State state = top.initial_state();
  ASSERT_TRUE(find_equilibrium(top, state).ok);
  const Linearization out = compute_linearization(top, state);
  EXPECT_EQ(out.num_freedoms, 3);
  EXPECT_EQ(out.rigid_modes, 1);
  ASSERT_EQ(out.modes.size(), 3u);
  const double torque = top.m * top.g * 0.8, inertia = top.m * 0.64;
  EXPECT_NEAR(out.modes[1].eigenvalue.imag(), std::sqrt(torque / (inertia + 0.35)), 1e-8);
  EXPECT_NEAR(out.modes[2].eigenvalue.imag(), std::sqrt(torque / (inertia + 0.3)), 1e-8);
}

}  // namespace
}  // namespace delassus::statics_test
