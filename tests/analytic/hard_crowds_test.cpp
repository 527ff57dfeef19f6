// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Crowds of contacts whose laws no solver satisfies to its tolerance: what is passable is taken with a warning, and nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/runs.hpp"

namespace delassus::hard_crowds_test {
namespace {

using testing::simulate;

// A wall of bricks without gaps, hit by a heavy ball.
std::string wall(int layers) {
  return fmt::format(R"yaml(
delassus: 1
constants: {{n: {}}}
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - name: brick
    type: rigid
    repeat: {{i: n, j: n}}
    density: 1800
    position: ["0.25*(j - n/2 + 0.5*mod(i, 2))", 0.05 + 0.1*i, 0]
    shapes: [{{type: box, size: [0.25, 0.1, 0.12]}}]
  - {{name: ball, type: rigid, mass: 400, position: [0.05, 0.3, 0.5], velocity: [0, 0, -6], shapes: [{{type: sphere, radius: 0.3}}]}}
contact: {{friction: 0.6}}
stepper: {{step: 1/60}}
)yaml",
                     layers);
}

struct Outcome {
  bool completed = false;
  long passed = 0;      // steps taken with a warning
  double residual = 0;  // largest of the certificates [-]
  std::string message;
};

// With a solver that cannot do it: a few sweeps.
Outcome run_with_few_sweeps(int layers, int sweeps, const std::string& policy) {
  Simulation simulation = simulate(
      wall(layers), {"solver.name=nsgs", "solver.tolerance=1e-10",
                     fmt::format("solver.max_iterations={}", sweeps), "stepper.on_failure=" + policy});
  Outcome out;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    out.passed += std::count_if(report.warnings.begin(), report.warnings.end(),
                                [](const Warning& warning) { return warning.kind == WarningKind::residual; });
    out.residual = std::max(out.residual, report.certificate.contact_residual);
    return true;
  });
  out.completed = simulation.run_until(0.1);
  out.message = simulation.report().message;
  return out;
}

TEST(HardCrowds, WhatIsPassableIsTakenWithAWarning) {
  const Outcome outcome = run_with_few_sweeps(4, 4000, "retry");
  EXPECT_TRUE(outcome.completed) << outcome.message;
  EXPECT_GT(outcome.passed, 0);
  EXPECT_GT(outcome.residual, 1e-9);
  EXPECT_LE(outcome.residual, 1e-3);
}

TEST(HardCrowds, WhatIsNotPassableStops) {
  for (const int sweeps : {3, 30, 100, 300}) {
    const Outcome outcome = run_with_few_sweeps(4, sweeps, "retry");
    EXPECT_FALSE(outcome.completed) << sweeps;
    EXPECT_NE(outcome.message.find("iteration limit"), std::string::npos) << outcome.message;
    EXPECT_LE(outcome.residual, 1e-3) << sweeps;
  }
}

// The step that fails is one of all bodies, also where one island of them is to blame: nothing of the island alone is reported.
TEST(HardCrowds, WhatFailsLeavesTheStateBefore) {
  const std::string apart = R"yaml(
  - {name: rod, type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [50, 20, 0]}
joints:
  - {name: hinge, type: revolute, between: [world, rod], point: [49, 20, 0], axis: [0, 0, 1]}
contact: {friction: 0.6}
)yaml";
  std::string scene = wall(4);
  const std::string last = "contact: {friction: 0.6}\n";
  scene.replace(scene.find(last), last.size(), apart.substr(1));
  Simulation simulation =
      simulate(scene, {"solver.name=nsgs", "solver.tolerance=1e-10", "solver.max_iterations=3"});
  double before = simulation.time();
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    EXPECT_EQ(report.joint_impulses.size(), 5);
    if (!report.ok) {
      EXPECT_EQ(report.substeps, 0);
      EXPECT_EQ(now.time(), before);
    }
    before = now.time();
    return true;
  });
  EXPECT_FALSE(simulation.run_until(0.1));
}

TEST(HardCrowds, NothingIsPassedWhereFailuresAreToStop) {
  const Outcome outcome = run_with_few_sweeps(4, 400, "stop");
  EXPECT_FALSE(outcome.completed);
  EXPECT_EQ(outcome.passed, 0);
}

// Two layers have fewer contacts than a crowd: what is passed there is within what certificates allow.
TEST(HardCrowds, FewContactsAreNoCrowd) {
  const Outcome outcome = run_with_few_sweeps(2, 20, "retry");
  EXPECT_FALSE(outcome.completed);
  EXPECT_EQ(outcome.passed, 0);
}

}  // namespace
}  // namespace delassus::hard_crowds_test
