// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Gaps at grid points of the schemes that promise that nothing penetrates, and the limits of what they take back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/runs.hpp"

namespace delassus::captured_gaps_test {
namespace {

using testing::simulate;

std::string ball_above(double height, double speed, double restitution, const std::string& envelope) {
  return fmt::format(R"(
delassus: 1
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: ball, type: rigid, density: 1000, position: [0, 0.1 + {}, 0], velocity: [0.4, {}, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
contact: {{friction: 0, restitution: {}{}}}
)",
                     height, -speed, restitution, envelope);
}

// Deepest penetration at a grid point.
double deepest(const std::string& scene, const std::vector<std::string>& settings, double duration) {
  Simulation simulation = simulate(scene, settings);
  double depth = 0;
  simulation.observe([&](const Simulation& now, const StepReport&) {
    depth = std::max(depth, 0.1 - now.state().q[1]);
    return true;
  });
  EXPECT_TRUE(simulation.run_until(duration)) << simulation.report().message;
  return depth;
}

TEST(DviEuler, TakesEveryContactWithinTheEnvelope) {
  for (const double height : {5e-4, 1e-5, 9e-3, 0.02})
    for (const double speed : {0.0, 0.01, 0.3})
      for (const double restitution : {0.0, 0.5})
        for (const double h : {0.01, 0.003})
          EXPECT_LE(deepest(ball_above(height, speed, restitution, ", envelope: 0.05"),
                            {"stepper.name=dvi-euler", cli::setting("stepper.step", h)}, 0.3),
                    1e-12)
              << height << " " << speed << " " << restitution << " " << h;
}

TEST(DviEuler, ReboundsWithTheSpeedOfTheImpact) {
  Simulation simulation =
      simulate(ball_above(0.5, 0, 0.5, ""), {"stepper.name=dvi-euler", "stepper.step=1e-3"});
  double fastest = 0;
  simulation.observe([&](const Simulation& now, const StepReport&) {
    fastest = std::max(fastest, now.state().v[1]);
    return true;
  });
  ASSERT_TRUE(simulation.run_until(0.5));
  // Half of √(2 g 0.5), up to what gravity adds in a step.
  EXPECT_NEAR(fastest, 0.5 * std::sqrt(9.81), 2 * 9.81e-3);
}

TEST(ProjectedMoreauJean, PenetratesAtNoGridPoint) {
  for (const double height : {1.0, 0.3, 0.0123})
    for (const double speed : {0.0, 3.0})
      for (const double restitution : {0.0, 0.5, 1.0})
        for (const double h : {0.0137, 0.005, 0.02})
          EXPECT_LE(deepest(ball_above(height, speed, restitution, ""),
                            {"stepper.name=moreau-jean-projected", cli::setting("stepper.step", h)}, 0.8),
                    1e-10)
              << height << " " << speed << " " << restitution << " " << h;
}

// A joint that is driven: its positions at the end of the step are the rows of trapezoidal-linearized, which a limit of how fast errors
// are taken back must not touch.
TEST(JointRecoverySpeed, IsOfDviEulerOnly) {
  const std::string scene = R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: bob, mass: 1, position: [1, 0, 0], velocity: [0, -2, 0]}
joints:
  - {name: rod, type: distance, between: [world, bob], length: 1}
)";
  for (const char* stepper : {"trapezoidal-linearized", "euler-implicit-linearized"}) {
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> settings{fmt::format("stepper.name={}", stepper), "stepper.step=0.01"};
      settings.insert(settings.end(), more.begin(), more.end());
      return testing::run_to(scene, 1.0, settings).q;
    };
    EXPECT_EQ(run({}), run({"stepper.joint_recovery_speed=1e-4"})) << stepper;
  }
}

// A snapped impact ends its step: the weighted velocity there is the velocity after it.
TEST(WeightedVelocity, IsThatAfterASnappedImpact) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: a, mass: 1, position: [0, 1, 0], velocity: [0.5, 0, 0]}
contacts:
  - {name: floor, type: plane, body: a, point: [0, 0, 0], normal: [0, 1, 0], restitution: 0, friction: 0.1}
stepper: {name: alpha-gamma, alpha: 0.5, gamma: 0.5, step: 0.01, snap_to_grid: true, projection: none, detect_transitions: false}
)";
  for (const char* restitution : {"0", "0.7"}) {
    Simulation simulation = simulate(scene, {fmt::format("contacts[0].restitution={}", restitution)});
    int impacts = 0;
    while (simulation.state().t < 0.6) {
      ASSERT_TRUE(simulation.step().ok);
      const State& state = simulation.state();
      ASSERT_EQ(state.history.weighted_velocity.size(), state.v.size()) << state.t;
      for (const Event& event : simulation.report().events) {
        if (event.kind != EventKind::impact) continue;
        ++impacts;
        EXPECT_EQ(state.history.weighted_velocity, state.v);
      }
    }
    EXPECT_GT(impacts, 0);
  }
}

// Stops of joints are kept as shapes are: what is on its way to one within the step does not pass it.
TEST(MoreauJean, StopsAreNotPassed) {
  for (const double gap : {2.0e-3, 1.5e-3, 2.6e-3, 0.4e-3})
    for (const double restitution : {0.0, 0.4, 1.0}) {
      Simulation simulation = simulate(fmt::format(R"(
delassus: 1
bodies:
  - {{name: slider, type: rigid, density: 1000, position: [{}, 0, 0], velocity: [-2.64, 0, 0], shapes: [{{type: box, size: [0.1, 0.1, 0.1]}}]}}
joints:
  - {{name: rail, type: prismatic, between: [world, slider], point: [0, 0, 0], axis: [1, 0, 0]}}
limits:
  - {{name: stop, joint: rail, lower: {}, restitution: {}}}
)",
                                                   gap, -gap, restitution),
                                       {"stepper.name=moreau-jean", "stepper.step=1e-3"});
      SCOPED_TRACE(fmt::format("{} {}", gap, restitution));
      double deepest = 0;
      simulation.observe([&](const Simulation&, const StepReport& report) {
        deepest = std::max(deepest, report.certificate.penetration);
      });
      ASSERT_TRUE(simulation.run_until(0.02)) << simulation.report().message;
      EXPECT_LE(deepest, 1e-10);
      EXPECT_NEAR(simulation.state().v[0], 2.64 * restitution, 1e-12);
    }
}

// In a crowd contacts are pushed onto the next ones. Those that are near enter at once: without that a step was solved 1.8 times on
// average, beside the lifting (2.77 problems a step).
TEST(MoreauJean, CrowdsAreRarelySolvedAgain) {
  constexpr int steps = 100;
  constexpr double h = 4e-3, radius = 0.02;
  std::vector<SceneSetting> settings;
  for (const std::string& text : {std::string("constants.n=6"), fmt::format("stepper.step={}", h)})
    settings.emplace_back(text);
  Simulation simulation(load_scene("granular_column", settings));
  int solves = 0;
  double deepest = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    solves += report.certificate.solves;
    deepest = std::max(deepest, report.certificate.penetration);
  });
  ASSERT_TRUE(simulation.run_until(steps * h)) << simulation.report().message;
  EXPECT_LE(solves, 2.4 * steps);
  EXPECT_LE(deepest, 1e-3 * radius);
}

// Spheres that rebound, poured into a narrow tray. Where they have nearly settled their weight presses them against the walls through each
// other, and no force of their own along those normals: these approaches are no impacts to cut a step for.
TEST(CapturedPiles, AreNotCutIntoPartsForWhatTheirWeightDoes) {
  std::string scene = R"(
delassus: 1
bodies:
  - {name: tray, type: fixed, shapes: [
      {type: box, size: [0.36, 0.05, 0.36], position: [0, -0.025, 0]},
      {type: box, size: [0.05, 0.6, 0.36], position: [-0.155, 0.3, 0]}, {type: box, size: [0.05, 0.6, 0.36], position: [0.155, 0.3, 0]},
      {type: box, size: [0.26, 0.6, 0.05], position: [0, 0.3, -0.155]}, {type: box, size: [0.26, 0.6, 0.05], position: [0, 0.3, 0.155]}]}
contact: {friction: 0.4, restitution: 0.6}
stepper: {name: moreau-jean, step: 1e-3}
)";
  const char* places[] = {"-0.06085, 0.1, -0.04944", "0.05922, 0.1, -0.05892",  "-0.05507, 0.1, 0.05419",
                          "0.05743, 0.1, 0.05962",   "-0.0615, 0.23, -0.06255", "0.06037, 0.23, -0.05608",
                          "-0.0508, 0.23, 0.04703",  "0.05413, 0.23, 0.05854",  "-0.05934, 0.36, -0.04788",
                          "0.06142, 0.36, -0.06251"};
  std::string spheres;
  int count = 0;
  for (const char* place : places)
    spheres += fmt::format(
        "  - {{name: s{}, type: rigid, mass: 0.5, position: [{}], shapes: [{{type: sphere, radius: "
        "0.05}}]}}\n",
        count++, place);
  scene.insert(scene.find("contact:"), spheres);
  Simulation simulation = simulate(scene);
  int parts = 0, steps = 0;
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    if (now.time() <= 0.4) return;  // before that they fall
    parts += report.substeps;
    ++steps;
  });
  ASSERT_TRUE(simulation.run_until(0.6)) << simulation.report().message;
  EXPECT_LE(parts, 4 * steps);
}

}  // namespace
}  // namespace delassus::captured_gaps_test
