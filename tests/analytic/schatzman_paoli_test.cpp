// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// schatzman-paoli: impacts in positions against the recursion of the paper, several contacts, friction, rotations, and states.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::schatzman_paoli_test {
namespace {

using testing::simulate;

constexpr double k_g = 9.81;

std::string ball(double e, double h) {
  return fmt::format(R"(
delassus: 1
bodies: [{{name: ball, mass: 2, position: [0, 0.5, 0], velocity: [0, -1, 0]}}]
contacts: [{{name: floor, type: plane, body: ball, normal: [0, 1, 0], restitution: {}}}]
stepper: {{name: schatzman-paoli, step: {}}}
)",
                     e, h);
}

// For one coordinate (27) of Acary 2009 can be written down: q_{k+1} = max(2 q_k − q_{k−1} − h² g, −e q_{k−1}).
TEST(SchatzmanPaoli, IsTheRecursionOfThePaper) {
  constexpr double h = 1e-2;
  for (double e : {0.0, 0.5, 1.0}) {
    Simulation simulation = simulate(ball(e, h));
    // The start: half of the force, and q_{−1} by the velocity.
    double last = 0.5 + h, now = 0.5, next = std::max(now - h - 0.5 * h * h * k_g, -e * last);
    for (int k = 1; k <= 200; ++k) {
      last = now;
      now = next;
      ASSERT_TRUE(simulation.run_until(k * h)) << simulation.report().message;
      EXPECT_NEAR(simulation.state().q[1], now, 1e-12) << e << " at step " << k;
      next = std::max(2 * now - last - h * h * k_g, -e * last);
    }
  }
}

// Newton's law holds two steps after an impact, wherever in a step it falls: v⁺ = −e v⁻ but for what gravity does in two steps.
TEST(SchatzmanPaoli, NewtonsLawHoldsAfterTwoSteps) {
  for (double h : {7e-3, 3.3e-3, 1.1e-3}) {
    for (double e : {0.2, 0.7}) {
      Simulation simulation = simulate(ball(e, h));
      double before = 0, after = 0;
      int since = -1;
      simulation.observe([&](const Simulation& s, const StepReport& report) {
        if (since < 0 && report.events.empty()) before = s.state().v[1];
        if (since < 0 && !report.events.empty()) since = 0;
        if (since >= 0 && since++ == 2) after = s.state().v[1];
      });
      ASSERT_TRUE(simulation.run_until(0.35));
      ASSERT_GT(since, 2);
      EXPECT_NEAR(after, -e * before, 4 * h * k_g) << h << " " << e;
    }
  }
}

// Without restitution nothing is below a surface at a grid point, whatever is hit; with it no more than e h |u_N|.
TEST(SchatzmanPaoli, PenetratesByRestitutionOnly) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: a, type: rigid, mass: 1, position: [0, 0.6, 0], rotation: [0.3, 0.2, 0.5], angular_velocity: [3, 1, -2], shapes: [{type: box, size: [0.3, 0.2, 0.4]}]}
  - {name: b, type: rigid, mass: 3, position: [0.05, 1.1, 0], velocity: [0, -2, 0], shapes: [{type: sphere, radius: 0.15}]}
contact: {friction: 0.4}
stepper: {name: schatzman-paoli, step: 2e-3}
)";
  for (double e : {0.0, 0.6}) {
    Simulation simulation = simulate(scene, {cli::setting("contact.restitution", e)});
    double deepest = 0, fastest = 0;
    simulation.observe([&](const Simulation& s, const StepReport& report) {
      deepest = std::max(deepest, report.certificate.penetration);
      fastest = std::max(fastest, s.state().v.cwiseAbs().maxCoeff());
    });
    ASSERT_TRUE(simulation.run_until(1.5)) << simulation.report().message;
    EXPECT_LE(deepest, 1e-11 + e * 2e-3 * fastest) << e;
  }
}

// A sled that slides with friction through the impulse of a landing stops where Coulomb's law has it, to O(h).
TEST(SchatzmanPaoli, FrictionOfALanding) {
  constexpr double mu = 0.3, v0 = 2, height = 0.2;
  const double fall = std::sqrt(2 * height / k_g),
               after = v0 - mu * k_g * fall;  // e = 0: μ times the speed of the fall
  const double x = v0 * fall + after * after / (2 * mu * k_g);
  double last = 0;
  for (double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    Simulation simulation = simulate(fmt::format(R"(
delassus: 1
bodies: [{{name: sled, mass: 2, position: [0, {}, 0], velocity: [{}, 0, 0]}}]
contacts: [{{name: floor, type: plane, body: sled, normal: [0, 1, 0], friction: {}}}]
stepper: {{name: schatzman-paoli, step: {}}}
)",
                                                 height, v0, mu, h));
    ASSERT_TRUE(simulation.run_until(1.2));
    EXPECT_LT(std::abs(simulation.state().v[0]), 1e-12);
    const double error = std::abs(simulation.state().q[0] - x);
    EXPECT_LT(error, 2 * h);
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

// At the end of the slip nothing turns round, and what sticks stays.
TEST(SchatzmanPaoli, StacksRestAndTopsKeepTheirEnergy) {
  Simulation stack(load_scene("box_stack", {"stepper.name=schatzman-paoli", "duration=1"}));
  const Vector start = stack.state().q;
  ASSERT_TRUE(stack.run_until(1));
  EXPECT_LT((stack.state().q - start).norm(), 1e-9);
  // A free top, 20 rad/s about no axis of its own: central differences of rotations neither gain nor lose in the long run.
  Simulation top = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: top, type: rigid, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [20, 0.5, 0.3], shapes: []}]
stepper: {name: schatzman-paoli, step: 1e-3}
)");
  ASSERT_TRUE(top.run_until(0.5));
  const double energy = top.report().energy.kinetic;
  double worst = 0;
  top.observe([&](const Simulation&, const StepReport& report) {
    worst = std::max(worst, std::abs(report.energy.kinetic - energy));
  });
  ASSERT_TRUE(top.run_until(20));
  EXPECT_LT(worst, 1e-4 * energy);
}

TEST(SchatzmanPaoli, ResumesWithTheSameBits) {
  const auto scene = [] {
    return Simulation(load_scene("falling_boxes", {"stepper.name=schatzman-paoli", "duration=0.5"}));
  };
  Simulation whole = scene(), half = scene(), resumed = scene();
  ASSERT_TRUE(whole.run_until(0.4));
  ASSERT_TRUE(half.run_until(0.25));
  std::stringstream text;
  save(half.state(), text);
  resumed.set_state(load_state(text, "test"));
  ASSERT_TRUE(resumed.run_until(0.4));
  EXPECT_TRUE(resumed.state() == whole.state());
}

// A velocity that the user sets is the one that counts.
TEST(SchatzmanPaoli, ANewVelocityIsAStart) {
  Simulation simulation = simulate(ball(0.5, 1e-3));
  ASSERT_TRUE(simulation.run_until(0.1));
  State state = simulation.state();
  const double height = state.q[1];
  state.v[1] = 3;
  simulation.set_state(state);
  ASSERT_TRUE(simulation.run_until(0.2));
  EXPECT_NEAR(simulation.state().q[1], height + 0.3 - 0.5 * k_g * 0.01, 1e-12);
}

TEST(SchatzmanPaoli, RefusesWhatItHasNot) {
  EXPECT_THROW(simulate(ball(0.5, 1e-3), {"impact.threshold=0.1"}), InputError);
  EXPECT_THROW(simulate(ball(0.5, 1e-3), {"impact.tangential_restitution=0.5"}), InputError);
}

}  // namespace
}  // namespace delassus::schatzman_paoli_test
