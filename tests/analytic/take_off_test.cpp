// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts that open on curved paths: the rows of a step hold for the normal of one instant and must not hold what leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/runs.hpp"

namespace delassus::take_off_test {
namespace {

using testing::simulate;

// A rod turns about its lower tip, which touches the floor with velocity 0; its centrifugal force lifts it off at once, and it flies.
std::string rod(double spin, double mass, double friction) {
  return fmt::format(R"(
delassus: 1
constants: {{theta: pi/4, w: {}, mu: {}, m: {}, g: 10}}
lagrangian:
  coordinates: [x, y, th]
  position: [0, sin(theta), theta]
  velocity: [-w*sin(theta), w*cos(theta), w]
  mass: [m, m, m/3]
  potential: m*g*y
  contacts:
    - {{name: tip, gap: y - sin(th), tangents: [[1, 0, sin(th)]], friction: mu}}
)",
                     spin, friction, mass);
}

TEST(TakeOff, OfATipThatCentrifugalForceLifts) {
  for (const char* stepper :
       {"alpha-gamma", "anitescu-potra-stiff", "anitescu-potra", "trapezoidal-1", "trapezoidal-2"})
    for (const double spin : {15.909902576697319, -15.909902576697319, 60.0})
      for (const double mass : {1e-3, 1.0, 50.0})
        for (const double friction : {0.0, 0.5})
          for (const double h : {1e-3, 1e-4}) {
            constexpr double t = 0.01;
            Simulation simulation =
                simulate(rod(spin, mass, friction),
                         {fmt::format("stepper.name={}", stepper), cli::setting("stepper.step", h)});
            std::size_t events = 0;
            simulation.observe([&](const Simulation&, const StepReport& report) {
              events += report.events.size();
              return true;
            });
            ASSERT_TRUE(simulation.run_until(t)) << simulation.report().message;
            const Vector& v = simulation.state().v;
            // Free flight with constant acceleration: every scheme is exact but for round-off.
            const double tolerance = 1e-9 * std::abs(spin);
            EXPECT_NEAR(v[0], -spin * std::sin(M_PI / 4), tolerance) << stepper << " " << spin << " " << h;
            EXPECT_NEAR(v[1], spin * std::cos(M_PI / 4) - 10 * t, tolerance)
                << stepper << " " << spin << " " << h;
            EXPECT_NEAR(v[2], spin, tolerance);
            EXPECT_LE(events, 1U) << stepper << " " << spin << " " << h;
          }
}

// A point that slides over a crest y = −x²/2 leaves it at once when v² > g; v² > 2 g where a scheme puts its positions ½ g h² low.
TEST(TakeOff, OverACrest) {
  const std::string scene = R"(
delassus: 1
constants: {g: 10}
lagrangian:
  coordinates: [x, y]
  position: [0, 0]
  velocity: [8, 0]
  mass: [1, 1]
  potential: g*y
  contacts:
    - {name: crest, gap: y + x^2/2, tangents: [[1, -x]], friction: 0}
)";
  for (const char* stepper : {"alpha-gamma", "anitescu-potra-stiff", "trapezoidal-1", "trapezoidal-2"}) {
    Simulation simulation = simulate(scene, {fmt::format("stepper.name={}", stepper), "stepper.step=1e-3"});
    ASSERT_TRUE(simulation.run_until(0.1));
    EXPECT_NEAR(simulation.state().v[0], 8, 1e-10) << stepper;
    EXPECT_NEAR(simulation.state().v[1], -1, 1e-10) << stepper;
  }
}

// A crank drives a slider that has a millimetre of clearance in its guide. Contacts on the velocity at the end of the step are of
// order 1, the joints must not be: they turn by 0.04 rad a step.
TEST(TrapezoidalOne, KeepsTheSpeedOfACrank) {
  const std::string scene = R"(
delassus: 1
constants: {c: 0.001, w: 40}
bodies:
  - {name: guide, type: fixed, shapes: [{type: box, size: [2, 0.1, 1], position: [0, -0.1-c, 0]}, {type: box, size: [2, 0.1, 1], position: [0, 0.1+c, 0]}]}
  - {name: crank, type: rigid, mass: 0.4, inertia: [1e-4, 1e-3, 1e-3], position: [0.075, 0, 0], velocity: [0, 0.075*w, 0], angular_velocity: [0, 0, w]}
  - {name: rod, type: rigid, mass: 0.3, inertia: [1e-4, 2e-3, 2e-3], position: [0.3, 0, 0], velocity: [0, 0.075*w, 0], angular_velocity: [0, 0, -0.5*w]}
  - {name: slider, type: rigid, mass: 0.5, inertia: [1e-3, 1e-3, 1e-3], position: [0.45, 0, 0], shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}
joints:
  - {name: j1, type: revolute, between: [world, crank], point: [0, 0, 0], axis: [0, 0, 1]}
  - {name: j2, type: revolute, between: [crank, rod], point: [0.15, 0, 0], axis: [0, 0, 1]}
  - {name: j3, type: revolute, between: [rod, slider], point: [0.45, 0, 0], axis: [0, 0, 1]}
contact: {friction: 0.05, restitution: 0.4}
)";
  const auto spin = [&](const char* stepper, const char* h) {
    return testing::run_to(scene, 0.06,
                           {fmt::format("stepper.name={}", stepper), fmt::format("stepper.step={}", h)})
        .v[5];
  };
  const double reference = spin("trapezoidal-2", "5e-4");
  EXPECT_NEAR(spin("trapezoidal-1", "1e-3"), reference, 2e-3 * reference);
}

}  // namespace
}  // namespace delassus::take_off_test
