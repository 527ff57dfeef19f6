// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `energy-midpoint`: the energy balance is exact whatever the step, the step is symmetric in time, and drift is bounded.
#include <gtest/gtest.h>

#include "../support/heavy_top.hpp"
#include "../support/smooth_runs.hpp"

namespace delassus::energy_midpoint_test {
namespace {

using testing::advance_to;
using testing::compile_text;
using testing::pendulum;

StepperSettings energy_midpoint() {
  StepperSettings settings;
  settings.name = "energy-midpoint";
  return settings;
}

// Two rods and a stiff nonlinear spring between free ends, in space: chaotic.
const char* const k_chain = R"(
delassus: 1
bodies:
  - {name: a, mass: 1, position: [1, 0, 0]}
  - {name: b, mass: 0.3, position: [1.8, 0.2, 0.1], velocity: [0, 0, 0.5]}
  - {name: c, mass: 0.5, position: [2.5, 0, 0]}
joints:
  - {name: first, type: distance, between: [world, a]}
  - {name: second, type: distance, between: [a, b]}
forces:
  - {name: spring, type: spring, between: [b, c], stiffness: 500}
)";

const char* const k_angles = R"(
delassus: 1
lagrangian:
  coordinates: [a, b]
  position: [2, 0.5]
  mass: [[2, cos(a - b)], [cos(a - b), 1]]
  potential: -9.81*(2*cos(a) + cos(b))
)";

// Largest |E(t) − E(0)| and violations of a run.
struct Extremes {
  double energy = 0, joints = 0, velocities = 0, defect = 0;
};

Extremes run(const CompiledScene& scene, double T, int n, double initial) {
  Extremes out;
  advance_to(*scene.system, scene.state, energy_midpoint(), T, n,
             [&](const State&, const StepReport& report) {
               out.energy =
                   std::max(out.energy, std::abs(report.energy.kinetic + report.energy.potential - initial));
               out.joints = std::max(out.joints, report.certificate.joint_drift);
               out.velocities = std::max(out.velocities, report.certificate.velocity_drift);
               out.defect = std::max(out.defect, std::abs(report.energy.defect));
             });
  return out;
}

TEST(EnergyMidpoint, EnergyIsConstantToRoundOff) {
  // Terms of 20 J, some ten of them a step at 1e-16, and the tolerance of Newton's method 1e-12 of each step's change.
  const int n = 20000;
  const Extremes swings = run(pendulum(), 200, n, 0);
  EXPECT_LT(swings.energy, 1e-15 * 20 * n);
  EXPECT_LT(swings.joints, 1e-12);

  const auto chain = compile_text(k_chain);
  const double initial = 0.5 * 0.3 * 0.25 + 9.81 * 0.3 * 0.2;
  const Extremes tumbling = run(chain, 50, 5000, initial);
  EXPECT_LT(tumbling.energy, 1e-15 * 30 * 5000);
  EXPECT_LT(tumbling.joints, 1e-12);

  const Extremes angles = run(compile_text(k_angles), 50, 5000, -9.81 * (2 * std::cos(2.0) + std::cos(0.5)));
  EXPECT_LT(angles.energy, 1e-15 * 30 * 5000);
}

// Rotations: the same balance on a curved space, and the same symmetry.
TEST(EnergyMidpoint, HeavyTop) {
  const testing::HeavyTop top;
  const State start = top.initial_state();
  double energy = 0, initial = 0;
  const int n = 2000;
  advance_to(top, start, energy_midpoint(), 20, n, [&](const State& state, const StepReport& report) {
    if (state.history.num_steps == 1) initial = state.history.energy.initial_total;
    energy = std::max(energy, std::abs(report.energy.kinetic + report.energy.potential - initial));
    EXPECT_LT(report.certificate.joint_drift, 1e-12);
  });
  EXPECT_LT(energy, 1e-15 * 30 * n);
  State there = advance_to(top, start, energy_midpoint(), 0.5, 50);
  there.v = -there.v;
  const State back = advance_to(top, there, energy_midpoint(), 0.5, 50);
  Vector w;
  top.difference(back.q, start.q, w);
  EXPECT_LT(w.norm(), 1e-10);
  EXPECT_LT((back.v + start.v).norm(), 1e-9);
}

// The velocities leave their constraint by O(h²), and by no more after a long time.
TEST(EnergyMidpoint, VelocityDriftIsBounded) {
  const double first = run(pendulum(), 4, 400, 0).velocities,
               late = run(pendulum(), 400, 40000, 0).velocities;
  EXPECT_LT(late, 1.5 * first);
  const double fine = run(pendulum(), 4, 800, 0).velocities;
  EXPECT_NEAR(std::log2(first / fine), 2, 0.2);
}

// Power of dampers, forces and driven joints stands in the balance; nothing is missing.
TEST(EnergyMidpoint, BalanceOfDrivenAndDampedMotions) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0, -1]
  velocity: [0.6, 0]
  mass: [1.5, 1.5]
  potential: 1.5*9.81*y
  forces: [-0.3*v_x + sin(4*t), -0.3*v_y]
  constraints: [{name: rod, equation: "((x - 0.2*sin(3*t))^2 + y^2 - 1)/2"}]
)");
  const Extremes out = run(scene, 20, 2000, -1.5 * 9.81 + 0.5 * 1.5 * 0.36);
  EXPECT_GT(out.energy, 0.5);  // it is not conserved
  EXPECT_LT(out.defect, 1e-15 * 20 * 2000);
}

// There and back: the step of −v from the end is the step reversed.
TEST(EnergyMidpoint, IsSymmetricInTime) {
  for (const char* text : {k_chain, k_angles}) {
    const auto scene = compile_text(text);
    State there = advance_to(*scene.system, scene.state, energy_midpoint(), 0.5, 50);
    there.v = -there.v;
    const State back = advance_to(*scene.system, there, energy_midpoint(), 0.5, 50);
    EXPECT_LT((back.q - scene.state.q).norm(), 1e-9);
    EXPECT_LT((back.v + scene.state.v).norm(), 1e-8);
  }
}

// At rest in equilibrium nothing moves, and a free particle goes straight: (4) and (5) have nothing to divide.
TEST(EnergyMidpoint, NoMotion) {
  const auto hanging = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0, -1]
  mass: [1.5, 1.5]
  potential: 1.5*9.81*y
  constraints: [{name: rod, equation: "(x^2 + y^2 - 1)/2"}]
)");
  double impulse = 0;
  const State state =
      advance_to(*hanging.system, hanging.state, energy_midpoint(), 1.0, 100,
                 [&](const State&, const StepReport& report) { impulse = report.joint_impulses[0]; });
  EXPECT_LT((state.q - hanging.state.q).norm(), 1e-14);
  EXPECT_LT(state.v.norm(), 1e-13);
  EXPECT_NEAR(impulse, -1.5 * 9.81 * 0.01, 1e-12);
  const auto free =
      compile_text("delassus: 1\nlagrangian: {coordinates: [x], position: [0], velocity: [3], mass: [1]}\n");
  EXPECT_NEAR(advance_to(*free.system, free.state, energy_midpoint(), 1.0, 10).q[0], 3, 1e-14);
}

}  // namespace
}  // namespace delassus::energy_midpoint_test
