// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A tolerance instead of a time step: the error of a run goes with it, across impacts and their accumulation.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::error_control_test {
namespace {

using testing::run_with_events;
using testing::simulate;

constexpr const char* k_ball = R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 1.1, 0], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0, restitution: 0.9}
stepper: {name: trapezoidal-2, step: 0.02, tolerance: 1e-8}
)";

// The heights of a ball that bounces, and its rest past the accumulation point at 8.5789 s, are known in closed form.
TEST(ErrorControl, ABallThatBouncesToRest) {
  Simulation simulation = simulate(k_ball);
  const double heights[][2] = {{2, 0.0136843623}, {5, 0.1215486548}, {8, 0.0011926587}, {9, 0}};
  for (const auto& [t, height] : heights) {
    ASSERT_TRUE(simulation.run_until(t)) << simulation.report().message;
    EXPECT_NEAR(simulation.state().q[1] - 0.1, height, 1e-7) << t;
  }
  EXPECT_NEAR(simulation.state().v[1], 0, 1e-7);
}

// Housner's block rocks on its edges; θ of its impacts in closed form (period by an elliptic integral).
TEST(ErrorControl, ARockingBlock) {
  const Scene scene = load_scene("rocking_block", {"stepper.tolerance=1e-7"});
  Simulation simulation(scene);
  const std::vector<Event> events = run_with_events(simulation, 1.3);
  std::vector<double> times;
  for (const Event& event : events)
    if (event.kind == EventKind::impact && (times.empty() || event.time > times.back() + 1e-6))
      times.push_back(event.time);
  const double expected[] = {.3123085751, .8205922291, 1.2518767444};
  ASSERT_GE(times.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(times[static_cast<std::size_t>(i)], expected[i], 1e-6);
}

std::string pendulum(double tolerance, double interval) {
  return fmt::format(R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: bob, type: particle, mass: 1, position: [1, 0, 0]}}
joints:
  - {{name: rod, type: distance, between: [world, bob]}}
contact: {{enabled: false}}
stepper: {{name: trapezoidal-2, step: {}, tolerance: {}}}
)",
                     interval, tolerance);
}

double pendulum_error(double tolerance, double interval, long* steps = nullptr) {
  Simulation simulation = simulate(pendulum(tolerance, interval));
  long taken = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) { taken += report.substeps; });
  EXPECT_TRUE(simulation.run_until(2)) << simulation.report().message;
  if (steps != nullptr) *steps = taken;
  const Vector end = testing::runge_kutta(
      [](double, const Vector& x) { return Vector(Eigen::Vector2d(x[1], -9.81 * std::cos(x[0]))); },
      Eigen::Vector2d(0, 0), 2, 20000);
  // y = sin of the angle from the horizontal, downwards.
  return (simulation.state().q.head(2) - Eigen::Vector2d(std::cos(end[0]), std::sin(end[0]))).norm();
}

// Errors are below the tolerance times a growth of some units, and go with it: order 2, so ten times less takes √10 times the steps.
TEST(ErrorControl, ErrorsGoWithTheTolerance) {
  double last = 0;
  long last_steps = 0;
  for (double tolerance : {1e-4, 1e-5, 1e-6}) {
    long steps = 0;
    const double error = pendulum_error(tolerance, 0.1, &steps);
    EXPECT_LE(error, 10 * tolerance);
    EXPECT_GE(error, 1e-3 * tolerance);  // not by working much more than is asked for
    if (last > 0) {
      EXPECT_LE(error, 0.3 * last);
      EXPECT_NEAR(static_cast<double>(steps) / static_cast<double>(last_steps), std::sqrt(10.0), 1);
    }
    last = error;
    last_steps = steps;
  }
}

// A step that gains energy is cut by the stepper itself, and its halves into the same parts: that is no estimate of 0. The interval
// is so long here that the first step from rest is.
TEST(ErrorControl, StepsThatCutThemselves) {
  const double exact[] = {0.021962117694925, -0.999758803605327, 0, 0.023769486773914, -1.999757170312499, 0};
  for (double tolerance : {1e-5, 1e-7}) {
    Simulation simulation(load_scene("double_pendulum_wall", {"stepper.projection=all", "stepper.step=0.05",
                                                              cli::setting("stepper.tolerance", tolerance)}));
    ASSERT_TRUE(simulation.run_until(2.5));
    for (Eigen::Index i = 0; i < 6; ++i) EXPECT_NEAR(simulation.state().q[i], exact[i], 0.1 * tolerance) << i;
  }
}

// Outputs do not choose the steps, but for those that they cut.
TEST(ErrorControl, TheIntervalOfOutputsMattersLittle) {
  for (double interval : {0.01, 0.05, 0.25}) EXPECT_LE(pendulum_error(1e-6, interval), 1e-5) << interval;
}

// The next step is part of the state.
TEST(ErrorControl, ResumesWithTheSameBits) {
  for (const std::string& scene : {std::string(k_ball), pendulum(1e-7, 0.05)}) {
    Simulation whole = simulate(scene), half = simulate(scene), resumed = simulate(scene);
    ASSERT_TRUE(whole.run_until(1.5));
    ASSERT_TRUE(half.run_until(0.8));
    std::stringstream text;
    save(half.state(), text);
    resumed.set_state(load_state(text, "test"));
    ASSERT_TRUE(resumed.run_until(1.5));
    EXPECT_TRUE(resumed.state() == whole.state());
  }
}

// Event capturing has no velocities to compare: positions, with bounded work, also past the accumulation point.
TEST(ErrorControl, CapturedImpacts) {
  for (double tolerance : {1e-3, 1e-4}) {
    Simulation captured =
        simulate(k_ball, {"stepper.name=moreau-jean", fmt::format("stepper.tolerance={}", tolerance),
                          "contact.restitution=0.5"});
    long steps = 0;
    captured.observe([&](const Simulation&, const StepReport& report) { steps += report.substeps; });
    ASSERT_TRUE(captured.run_until(0.5)) << captured.report().message;
    const double fall = std::sqrt(2 / 9.81), t = 0.5 - fall, up = 0.5 * 9.81 * fall;
    EXPECT_NEAR(captured.state().q[1] - 0.1, up * t - 0.5 * 9.81 * t * t, tolerance);
    ASSERT_TRUE(captured.run_until(3));
    EXPECT_LT(steps, 20000);
    EXPECT_NEAR(captured.state().q[1], 0.1, tolerance);
  }
}

// A vibration of 1e9 rad/s is not followed to 1e-10 by any step that is allowed: the run says so and ends, and at what.
TEST(ErrorControl, SaysWhatItCannotMeet) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: bead, type: particle, mass: 1e-9, position: [0.1, 0, 0], velocity: [1, 0, 0]}
forces:
  - {name: wire, type: spring, between: [world, bead], anchor: [-1, 0, 0], stiffness: 1e9, rest_length: 1.1}
contact: {enabled: false}
stepper: {name: trapezoidal-2, step: 1e-2, tolerance: 1e-10}
)");
  EXPECT_FALSE(simulation.run_until(0.1));
  EXPECT_NE(simulation.report().message.find("tolerance 1e-10 is not met"), std::string::npos)
      << simulation.report().message;
  EXPECT_NE(simulation.report().message.find("bead"), std::string::npos);
  EXPECT_TRUE(simulation.state().q.allFinite());
}

TEST(ErrorControl, RefusesWhatCannotBeControlled) {
  EXPECT_THROW(simulate(k_ball, {"stepper.projection=none"}), InputError);
  EXPECT_THROW(simulate(k_ball, {"stepper.tolerance=0"}), InputError);
  EXPECT_THROW(simulate(k_ball, {"stepper.tolerance=2"}), InputError);
}

}  // namespace
}  // namespace delassus::error_control_test
