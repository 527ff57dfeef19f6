// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which frictions of joints stick is part of the state: a contact that stops at the beginning of a step is stopped together with
// what they hold.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/simulate.hpp"

namespace delassus::held_friction_test {
namespace {

// A block that slides to rest, with an arm whose hinge sticks by its friction.
constexpr const char* k_scene = R"(
delassus: 1
name: arm_on_block
duration: 0.3
gravity: [0, -10, 0]
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: block, type: rigid, mass: 3, position: [0, 0.1, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [0.6, 0.2, 0.6]}]}
  - {name: arm, type: rigid, mass: 0.5, position: [0.1, 0.35, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [0.3, 0.05, 0.05]}]}
joints:
  - {name: hinge, type: revolute, between: [block, arm], point: [0, 0.35, 0]}
frictions:
  - {name: rub, joint: hinge, constant: 20}
contact: {friction: 0.5}
stepper: {name: trapezoidal-2, step: 0.01}
)";

// The block comes to rest on a grid point: the step after it begins with a stop, and stops the arm with the block. The law has
// facets, so that what is left of the slip, some round-off, need not point along the friction of the step before.
constexpr const char* k_stop_on_the_grid = R"(
delassus: 1
name: stop_on_the_grid
duration: 0.2
gravity: [0, -10, 0]
bodies:
  - {name: ground, type: kinematic, motion: ['0.5*t + 1.5*max(0, t - 0.1)', 0, 0], shapes: [{type: plane}]}
  - {name: block, type: rigid, mass: 3, position: [0, 0.1, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [0.6, 0.2, 0.6]}]}
  - {name: arm, type: rigid, mass: 0.5, position: [0, 0.5, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [0.05, 0.3, 0.05]}]}
joints:
  - {name: hinge, type: revolute, between: [block, arm], point: [0, 0.35, 0]}
frictions:
  - {name: rub, joint: hinge, constant: 20}
contact: {friction: 1}
law: {name: coulomb-polyhedral, align: false}
stepper: {name: trapezoidal-2, step: 0.01}
)";

// A step from `state` by a simulation that knows nothing else.
State stepped(const State& state, const char* scene = k_scene) {
  Simulation simulation = testing::simulate(scene);
  simulation.set_state(state);
  EXPECT_TRUE(simulation.step().ok) << simulation.report().message;
  return simulation.state();
}

TEST(HeldFriction, AResumedRunKnowsWhatSticks) {
  Simulation simulation = testing::simulate(k_scene);
  std::size_t most = 0;
  for (int i = 0; i < 30; ++i) {
    const State before = simulation.state();
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    most = std::max(most, before.history.held_frictions.size());
    std::stringstream file;
    save(before, file);
    const State loaded = load_state(file, "state");
    EXPECT_EQ(loaded.history.held_frictions, before.history.held_frictions);
    EXPECT_TRUE(stepped(loaded) == simulation.state()) << "step " << i;
  }
  EXPECT_EQ(most, 1u);
}

// Steppers that kept what stuck to themselves gave a run resumed at t = 0.05 s other bits.
TEST(HeldFriction, AStopAtTheBeginningOfAStepIsThatOfTheRunWithoutAStop) {
  Simulation simulation = testing::simulate(k_stop_on_the_grid);
  for (int i = 0; i < 20; ++i) {
    const State before = simulation.state();
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    EXPECT_TRUE(stepped(before, k_stop_on_the_grid) == simulation.state()) << "step " << i;
  }
}

}  // namespace
}  // namespace delassus::held_friction_test
