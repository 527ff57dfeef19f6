// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Energy of forces that are stiff for the step, and of motions that are too fast for it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::stiff_energy_test {
namespace {

using testing::simulate;

// A damper that stops its particle within 5e-5 s, in steps of 1e-3 s.
constexpr const char* k_damper = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, type: particle, mass: 0.004, position: [0.1, 0, 0], velocity: [2, 0, 0]}
forces:
  - {name: d, type: spring, between: [world, b], anchor: [-1, 0, 0], stiffness: 0, damping: 75}
contact: {enabled: false}
)";

class StiffDamper : public ::testing::TestWithParam<const char*> {};

// It takes what the particle has, not what it would at the velocity before the step.
TEST_P(StiffDamper, TakesWhatThereIs) {
  constexpr double kinetic = 0.5 * 0.004 * 2 * 2;
  Simulation simulation =
      simulate(k_damper, {std::string("stepper.name=") + GetParam(), "stepper.step=1e-3"});
  double error = 0;
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    const double v = now.state().v[0];
    error = std::max(error, std::abs(0.5 * 0.004 * v * v - kinetic - report.energy.work));
  });
  ASSERT_TRUE(simulation.run_until(0.02));
  EXPECT_LE(error, 1e-12 * kinetic);
}

INSTANTIATE_TEST_SUITE_P(Schemes, StiffDamper,
                         ::testing::Values("trapezoidal-2", "moreau-jean", "alpha-gamma",
                                           "euler-implicit-linearized", "trapezoidal-linearized"));

// A light body on a stiff servo turns by 0.7 rad a step: linearised forces are far off. The slow twin shows that its
// step is not halved without need.
std::string light_servo(double speed) {
  return R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: light, type: rigid, mass: 0.004, inertia: [2.5e-7, 2.5e-7, 2.5e-7], position: [0.0256, 0.0143, 0.0404], angular_velocity: [0.3*W, 0.5*W, -0.4*W]}
  - {name: heavy, type: rigid, mass: 0.8, inertia: [8e-5, 6e-5, 5e-5], angular_velocity: [0, 0, 0.04*W]}
joints:
  - {name: line, type: point_on_line, between: [light, heavy], point: [0.0128, 0.0072, 0.0202], axis: [-0.711987, 0.616772, -0.335659]}
motors:
  - {name: servo, type: servo, joint: line, coordinate: slide, law: "0", stiffness: 6400, damping: 75}
contact: {enabled: false}
stepper: {name: trapezoidal-2, step: 1e-3}
constants: {W: )" +
         std::to_string(speed) + "}\n";
}

TEST(FastTurns, TakeShorterSteps) {
  Simulation simulation = simulate(light_servo(1000));
  double largest = 0;
  int halved = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    largest = std::max(largest, report.energy.error);
    halved += report.rejected;
  });
  ASSERT_TRUE(simulation.run_until(0.1));
  EXPECT_LE(largest, 5e-3 * simulation.report().energy.kinetic);
  EXPECT_GT(halved, 0);

  Simulation slow = simulate(light_servo(1));
  halved = 0;
  slow.observe([&](const Simulation&, const StepReport& report) { halved += report.rejected; });
  ASSERT_TRUE(slow.run_until(0.1));
  EXPECT_EQ(halved, 0);
}

// A rod of 1.6 g that whirls about a heavy hub, on a servo whose damper is 2,000 times too stiff for the step. Whatever becomes of it, no
// step leaves more than twice the energy there was: the run ends before a step that does, with what it was then.
TEST(FastTurns, WhatBlowsUpEndsBeforeIt) {
  for (const char* stepper : {"trapezoidal-2", "moreau-jean", "nonsmooth-generalized-alpha"}) {
    Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: hub, type: rigid, mass: 130, inertia: [0.1, 0.1, 0.1], angular_velocity: [3.3, 6.5, -14]}
  - {name: rod, type: rigid, mass: 0.00156, position: [0.06, 0.04, 0.07], angular_velocity: [73, 176, -718], shapes: [{type: cylinder, radius: 0.02, length: 0.08}]}
joints:
  - {name: line, type: point_on_line, between: [rod, hub], point: [0.03, 0.02, 0.03], axis: [0.46, -0.68, -0.57]}
motors:
  - {name: servo, type: servo, joint: line, coordinate: slide, law: "0.01", stiffness: 37979, damping: 3380}
limits:
  - {name: stop, joint: line, coordinate: slide, lower: -0.5, upper: 0.5}
stepper: {step: 1e-3}
)",
                                     {std::string("stepper.name=") + stepper});
    double kinetic = energy_of(simulation.system(), simulation.state()).kinetic;
    simulation.observe([&](const Simulation& now, const StepReport& report) {
      if (!report.ok) return;
      EXPECT_LE(report.energy.kinetic, 2 * kinetic + 130.01 * 9.81 * 9.81 * report.t_end * 1e-3)
          << stepper << ' ' << now.time();
      kinetic = report.energy.kinetic;
    });
    const bool completed = simulation.run_until(0.3);
    if (!completed) {
      EXPECT_NE(simulation.report().message.find("blows up"), std::string::npos)
          << simulation.report().message;
      EXPECT_TRUE(simulation.state().v.allFinite());
      EXPECT_LE(energy_of(simulation.system(), simulation.state()).kinetic, 2 * kinetic);
    }
  }
}

// As asked: the scheme and the step as they are.
TEST(FastTurns, AreLeftAloneWhenAsked) {
  Simulation simulation = simulate(light_servo(1000), {"stepper.on_failure=stop"});
  simulation.run_until(0.01);
  EXPECT_EQ(simulation.report().rejected, 0);
}

}  // namespace
}  // namespace delassus::stiff_energy_test
