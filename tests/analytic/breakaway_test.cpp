// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes on four corners, whose forces are shared in many ways: when they break away, that they slide straight, and that at rest
// nothing is said to happen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "delassus/front/load_scene.hpp"
#include "tests/support/runs.hpp"

namespace delassus::breakaway_test {
namespace {

using testing::simulate;

// A box of 16 kg that a growing force pulls: F = 200 t at `point`.
std::string pulled_box(const std::string& point, const std::string& kinetic) {
  return fmt::format(R"(
delassus: 1
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: box, type: rigid, mass: 16, position: [0, 0.1, 0], shapes: [{{type: box, size: [0.4, 0.2, 0.2]}}]}}
forces:
  - {{name: f, type: applied, body: box, force: [200*t*cos(0.3), 0, 200*t*sin(0.3)], point: {}}}
contact: {{friction: 0.5{}}}
stepper: {{name: trapezoidal-2, step: 0.01}}
)",
                     point, kinetic);
}

TEST(Breakaway, IsLocatedWithinTheStep) {
  constexpr double m = 16, g = 9.81, rate = 200, t_break = 0.5 * m * g / rate, t_end = 0.8;
  for (const double kinetic : {0.5, 0.3, 0.1})
    for (const char* point : {"[0, -0.1, 0]", "[0, 0, 0]", "[0, -0.03, 0]"})
      for (const double h : {0.01, 0.007, 0.05, 0.003}) {
        Simulation simulation = simulate(pulled_box(point, fmt::format(", kinetic_friction: {}", kinetic)),
                                         {cli::setting("stepper.step", h)});
        double first = t_end;
        simulation.observe([&](const Simulation&, const StepReport& report) {
          for (const Event& event : report.events)
            if (event.kind == EventKind::slip) first = std::min(first, event.time);
          return true;
        });
        ASSERT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
        const std::string which = fmt::format("{} {} {}", kinetic, point, h);
        EXPECT_NEAR(first, t_break, 1e-6) << which;
        // From there m v̇ = 200 t − μ_k m g.
        const double v =
            rate * (t_end * t_end - t_break * t_break) / (2 * m) - kinetic * g * (t_end - t_break);
        EXPECT_NEAR(simulation.state().v.head<3>().norm(), v, 1e-5) << which;
        EXPECT_LT(simulation.state().v.tail<3>().norm(), 1e-7) << which;
      }
}

// Friction at all corners is opposed to one velocity, and the centre of pressure lies on the line of motion: no torque about the vertical.
TEST(RollingFriction, DoesNotTurnABoxThatSlides) {
  for (const char* velocity : {"[2, 0, 0]", "[0, 0, 2]", "[2, 0, 0.7]", "[-1, 0, 1.3]"})
    for (const char* stepper : {"trapezoidal-2", "moreau-jean", "nonsmooth-generalized-alpha"})
      for (const char* rolling : {"0.001", "0.01", "0.05"}) {
        Simulation simulation = simulate(fmt::format(R"(
delassus: 1
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: box, type: rigid, mass: 16, position: [0, 0.1, 0], velocity: {}, rolling_friction: {}, friction: 0.3, shapes: [{{type: box, size: [0.4, 0.2, 0.2]}}]}}
contact: {{friction: 0.3}}
stepper: {{name: {}, step: 0.01}}
)",
                                                     velocity, rolling, stepper));
        ASSERT_TRUE(simulation.run_until(1.0));
        // y component of the quaternion: half of the angle.
        EXPECT_LT(std::abs(simulation.state().q[5]), 1e-6) << velocity << " " << stepper << " " << rolling;
      }
}

// A ball still has its rolling resistance: v̇ = −(5/7) g μ_R/R while it rolls.
TEST(RollingFriction, BrakesABall) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, density: 1000, position: [0, 0.1, 0], velocity: [1, 0, 0], angular_velocity: [0, 0, -10], rolling_friction: 0.002, friction: 0.5, shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0.5}
stepper: {name: trapezoidal-2, step: 0.01}
)");
  ASSERT_TRUE(simulation.run_until(1.0));
  EXPECT_NEAR(simulation.state().v[0], 1 - 5.0 / 7 * 9.81 * 0.02, 1e-6);
}

TEST(RestingArch, ListsNoSlips) {
  const Scene scene = load_scene("arch");
  CompiledScene compiled = compile(scene.desc);
  Simulation simulation(compiled.system, std::move(compiled.state), scene.desc.run.options);
  std::size_t events = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    events += report.events.size();
    return true;
  });
  ASSERT_TRUE(simulation.run_until(0.5));
  EXPECT_EQ(events, 0U);
}

}  // namespace
}  // namespace delassus::breakaway_test
