// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What users may choose about a step: the smallest one, stiffness in the matrix of dvi-euler, impulses of friction that come back.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support/simulate.hpp"

namespace delassus::step_choices_test {
namespace {

using testing::run_to;
using testing::run_with_events;
using testing::simulate;

// ---- the smallest step ----

const char* const k_ball = R"(
delassus: 1
bodies: [{name: ball, mass: 1, position: [0, 1, 0]}]
contacts: [{name: floor, type: plane, body: ball, normal: [0, 1, 0], restitution: 0.5}]
)";

// A ball that bounces ever faster: flights of T₀ 2^-k, T₀ = 2 √(2/g). Those that are longer than the smallest step have their
// ends located, and the first one that is not ends the search.
TEST(SmallestStep, EndsAnAccumulationOfImpacts) {
  const double smallest = 1e-3, g = 9.81, flight = 2 * std::sqrt(2 / g);
  // Impacts at √(2/g) + T₀ (½ + ¼ + …); the last ones are in one step, so that they follow each other there.
  const auto longer = static_cast<int>(std::floor(std::log2(flight / smallest)));
  for (const char* name : {"trapezoidal-2", "event-capturing-rk"}) {
    SCOPED_TRACE(name);
    Simulation simulation = simulate(k_ball, {std::string("stepper.name=") + name, "stepper.step=0.1",
                                              "stepper.capture_slow=false", "stepper.smallest_step=1e-3"});
    bool said = false;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      for (const Warning& warning : report.warnings)
        said = said || (warning.kind == WarningKind::captured &&
                        warning.text.find("faster than the smallest step of 0.001 s") != std::string::npos);
    });
    const std::vector<Event> events = run_with_events(simulation, 2);
    int located = 0;
    double last = 0, shortest = 1;
    for (const Event& event : events) {
      if (event.kind == EventKind::zeno) break;
      if (event.kind != EventKind::impact) continue;
      if (located > 0) shortest = std::min(shortest, event.time - last);
      last = event.time;
      ++located;
    }
    const bool captures = std::string(name) == "trapezoidal-2";
    // The first impact, those after flights that are long enough, and where the rest is captured the one that shows that they are
    // not. Runge-Kutta methods know how long the next flight would be, and do not let it begin.
    EXPECT_EQ(located, 1 + longer + (captures ? 1 : 0));
    EXPECT_EQ(shortest < smallest, captures);
    EXPECT_GT(2 * shortest, smallest);
    EXPECT_NEAR(simulation.state().q[1], 0, 1e-9);
    EXPECT_LT(simulation.state().v.norm(), 1e-6);
    EXPECT_EQ(said, captures);
  }
}

// Impacts at one instant do not follow each other.
TEST(SmallestStep, ImpactsAtOnceAreLocated) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: a, mass: 1, position: [0, 1, 0]}
  - {name: b, mass: 1, position: [1, 1, 0]}
joints: [{name: rod, type: distance, between: [a, b]}]
contacts:
  - {name: floor_a, type: plane, body: a, normal: [0, 1, 0], restitution: 0.9}
  - {name: floor_b, type: plane, body: b, normal: [0, 1, 0], restitution: 0.9}
stepper: {step: 0.1, smallest_step: 0.01}
)";
  Simulation simulation = simulate(scene);
  for (const Event& event : run_with_events(simulation, 1))
    EXPECT_NE(event.kind, EventKind::zeno) << event.time;
  const double fall = std::sqrt(2 / 9.81), t = 1 - fall, v = 0.9 * 9.81 * fall;
  EXPECT_NEAR(simulation.state().q[1], v * t - 0.5 * 9.81 * t * t, 1e-9);
}

// A step that cannot be solved is halved down to the smallest one, and the message says why no further.
TEST(SmallestStep, EndsHalving) {
  const std::string pendulum = R"(
delassus: 1
bodies: [{name: bob, mass: 2, position: [1, 0, 0], velocity: [0, 5, 0]}]
joints: [{name: rod, type: distance, between: [world, bob]}]
stepper: {name: generalized-alpha, newton_iterations: 1, step: 0.08, max_halvings: 20}
)";
  // Four balls on each other, and a solver that stops too soon.
  const std::string stack = R"(
delassus: 1
bodies:
  - {name: a, type: rigid, mass: 1, position: [0, 0.1, 0], shapes: [{type: sphere, radius: 0.1}]}
  - {name: b, type: rigid, mass: 1, position: [0, 0.3, 0], shapes: [{type: sphere, radius: 0.1}]}
  - {name: c, type: rigid, mass: 1, position: [0, 0.5, 0], shapes: [{type: sphere, radius: 0.1}]}
  - {name: floor, type: fixed, shapes: [{type: plane, normal: [0, 1, 0]}]}
solver: {name: psor, max_iterations: 1}
stepper: {step: 0.08, max_halvings: 20}
)";
  const auto halvings = [](const std::string& scene, const std::vector<std::string>& settings,
                           std::string& message) {
    Simulation simulation = simulate(scene, settings);
    EXPECT_FALSE(simulation.run_until(1));
    message = simulation.report().message;
    int count = 0;
    for (const Warning& warning : simulation.report().warnings)
      count += warning.kind == WarningKind::step_halved;
    return count;
  };
  for (const auto& [scene, name] : {std::pair(pendulum, "generalized-alpha"),
                                    std::pair(stack, "trapezoidal-2"), std::pair(stack, "moreau-jean")}) {
    SCOPED_TRACE(name);
    const std::string stepper = std::string("stepper.name=") + name;
    std::string message;
    EXPECT_EQ(halvings(scene, {stepper, "stepper.smallest_step=0.015"}, message), 2) << message;
    EXPECT_NE(message.find("stepper.smallest_step = 0.015 s"), std::string::npos) << message;
    EXPECT_EQ(halvings(scene, {stepper, "stepper.max_halvings=5"}, message), 5) << message;
    EXPECT_EQ(message.find("smallest"), std::string::npos) << message;
  }
}

TEST(SmallestStep, IsThatOfATolerance) {
  const std::string scene = R"(
delassus: 1
lagrangian: {coordinates: [q], position: [1], mass: [1], forces: ["-1e4*q"]}
stepper: {name: trapezoidal-2, step: 0.1, tolerance: 1e-8}
)";
  Simulation fine = simulate(scene, {"stepper.smallest_step=1e-7"});
  EXPECT_TRUE(fine.run_until(0.1)) << fine.report().message;
  Simulation coarse = simulate(scene, {"stepper.smallest_step=1e-2"});
  EXPECT_FALSE(coarse.run_until(0.1));
  EXPECT_NE(coarse.report().message.find("is not met by a step of 0.0"), std::string::npos)
      << coarse.report().message;
}

// ---- dvi-euler with the stiffness in its matrix ----

const char* const k_stiff = R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [0.01]
  mass: [1]
  forces: ["-1e6*x - 10*v_x - 9.81"]
stepper: {name: dvi-euler, step: 0.01, on_failure: warn}
)";

TEST(DviEuler, StiffSpringNeedsItsStiffnessInTheMatrix) {
  // h ω = 10: explicit forces multiply the motion in every step.
  EXPECT_GT(std::abs(run_to(k_stiff, 0.1).q[0]), 1e3);
  // Backward Euler takes it to its rest position: factor 1/√(1 + h δ/m + h² γ/m) ≈ 0.1 a step.
  const State rest = run_to(k_stiff, 0.4, {"stepper.implicit_forces=true"});
  EXPECT_NEAR(rest.q[0], -9.81e-6, 1e-15);
  EXPECT_NEAR(rest.v[0], 0, 1e-12);
}

// One step is the linear backward Euler step, with h² k_q v on the right side.
TEST(DviEuler, ImplicitStepIsBackwardEuler) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [0.3]
  velocity: [2]
  mass: [1.5]
  forces: ["-40*x - 3*v_x"]
stepper: {name: dvi-euler, step: 0.1, implicit_forces: true}
)";
  const double h = 0.1, m = 1.5, k = 40, d = 3, x = 0.3, v = 2;
  const double next = (m * v - h * k * x) / (m + h * d + h * h * k);
  const State state = run_to(scene, 0.1);
  EXPECT_NEAR(state.v[0], next, 1e-13);
  EXPECT_NEAR(state.q[0], x + h * next, 1e-14);
}

// A mass on a stiff spring between stops: contacts and implicit forces together.
TEST(DviEuler, ImplicitForcesWithAContact) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [0.5]
  mass: [1]
  forces: ['-1e6*(x + 0.1)']
  contacts: [{name: floor, gap: x}]
stepper: {name: dvi-euler, step: 0.01, implicit_forces: true}
)";
  Simulation simulation = simulate(scene);
  ASSERT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
  EXPECT_NEAR(simulation.state().q[0], 0, 1e-9);
  // It holds what the spring pulls: 1e5 N over a step.
  ASSERT_EQ(simulation.report().contacts.size(), 1U);
  EXPECT_NEAR(simulation.report().contacts[0].impulse[0], 1e3, 1);
}

// ---- impulses of friction that come back ----

struct Bounce {
  double e, e_T, mu;
};

class Superball : public ::testing::TestWithParam<Bounce> {};

// A ball of radius R and inertia 2/5 m R² with spin: friction acts on u_T = v_x + R ω with the mass 2/7 m. Sticking, it takes all of u_T
// in compression, and e e_T times as much again in decompression; sliding, μ times the normal impulse of each phase.
TEST_P(Superball, ClosedForm) {
  const auto [e, e_T, mu] = GetParam();
  const double R = 0.1, v_x = 1, v_y = -2, spin = 12;
  const std::string scene = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: ball, type: rigid, mass: 0.5, position: [0, 0.2, 0], velocity: [1, -2, 0], angular_velocity: [0, 0, 12], shapes: [{type: sphere, radius: 0.1}]}
  - {name: floor, type: fixed, shapes: [{type: plane, normal: [0, 1, 0]}]}
impact: {law: poisson}
)";
  const auto text = [](double x) { return std::to_string(x); };
  const State end = run_to(scene, 0.1,
                           {"contact.friction=" + text(mu), "contact.restitution=" + text(e),
                            "impact.tangential_impulse_restitution=" + text(e_T)});
  const double slip = v_x + R * spin, sticking = 2.0 / 7 * slip, sliding = mu * -v_y;
  const double change = -(1 + e * e_T) * std::min(sticking, sliding);  // of v_x
  EXPECT_NEAR(end.v[0], v_x + change, 1e-12);
  EXPECT_NEAR(end.v[1], -e * v_y, 1e-12);
  EXPECT_NEAR(end.v[5], spin + 2.5 / R * change, 1e-10);
  const auto energy = [&](double x, double y, double w) { return x * x + y * y + 0.4 * R * R * w * w; };
  const double before = energy(v_x, v_y, spin), after = energy(end.v[0], end.v[1], end.v[5]);
  if (e == 1 && e_T == 1 && sticking <= sliding)
    EXPECT_NEAR(after, before, 1e-12);
  else
    EXPECT_LT(after, before);
}

INSTANTIATE_TEST_SUITE_P(Bounces, Superball,
                         ::testing::Values(Bounce{1, 1, 2}, Bounce{0.8, 0.7, 2}, Bounce{0.8, 0, 2},
                                           Bounce{0, 1, 2}, Bounce{0.5, 0.5, 0.1}));

// With friction bounded by the impulses of both phases what has come back counts: a ball that sticks in compression keeps its energy
// at e = e_T = 1, too.
TEST(Superball, BoundByTheTotalImpulse) {
  const std::string scene = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: ball, type: rigid, mass: 0.5, position: [0, 0.2, 0], velocity: [1, -2, 0.3], angular_velocity: [3, 1, 12], shapes: [{type: sphere, radius: 0.1}]}
  - {name: floor, type: fixed, shapes: [{type: plane, normal: [0, 1, 0]}]}
impact: {law: poisson, bound_by_total_impulse: true, tangential_impulse_restitution: 1}
contact: {friction: 2, restitution: 1}
)";
  Simulation simulation = simulate(scene);
  const auto kinetic = [&] { return simulation.report().energy.kinetic; };
  ASSERT_TRUE(simulation.run_until(0.01));
  const double before = kinetic();
  ASSERT_TRUE(simulation.run_until(0.1));
  EXPECT_NEAR(kinetic(), before, 1e-12);
  EXPECT_NEAR(simulation.state().v[0], 1 - 4.0 / 7 * 2.2, 1e-12);
}

}  // namespace
}  // namespace delassus::step_choices_test
