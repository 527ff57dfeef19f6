// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Events island by island, and events that a step does not resolve.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "delassus/delassus.hpp"
#include "delassus/steppers/island_stepper.hpp"
#include "tests/support/runs.hpp"

namespace delassus::islands_test {
namespace {

using testing::run_with_events;
using testing::simulate;

// All impacts of 36 balls fall into one step, ten times its budget. Each ball has a budget of its own: it bounces as if it
// were alone, y = e²h at the next apex and so on, and nothing is captured.
TEST(Islands, EachBallHasItsOwnEvents) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, repeat: {i: 6, j: 6}, mass: 1, position: [0.5*i, 1.1 + 1e-5*(6*i + j), 0.5*j], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0, restitution: 0.8}
gravity: [0, -10, 0]
stepper: {name: trapezoidal-2, step: 2e-3, max_events: 3}
)");
  const std::vector<Event> events = run_with_events(simulation, 0.6);
  EXPECT_EQ(events.size(), 36U);
  for (const Event& event : events) EXPECT_EQ(event.kind, EventKind::impact);
  EXPECT_TRUE(simulation.report().warnings.empty());
  for (int i = 0; i < 36; ++i) {
    const double height = 1 + 1e-5 * i, fall = std::sqrt(2 * height / 10), up = 0.8 * 10 * fall,
                 t = 0.6 - fall;
    EXPECT_NEAR(simulation.state().q[7 * i + 1], 0.1 + up * t - 5 * t * t, 1e-12);
    EXPECT_NEAR(simulation.state().v[6 * i + 1], up - 10 * t, 1e-12);
  }
}

const char* const k_pendulum = R"(
  - {name: rod, type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 3, 0]}
)";
const char* const k_block = R"(
  - {name: block, type: rigid, mass: 3, position: [5, 0.1, 0], velocity: [1.5, 0, 0.4], shapes: [{type: box, size: [0.4, 0.2, 0.3]}]}
)";
const char* const k_ball = R"(
  - {name: ball, type: rigid, mass: 1, position: [-5, 0.7, 0], velocity: [0.3, 0, 0], angular_velocity: [0, 0, 20], shapes: [{type: sphere, radius: 0.1, restitution: 0.6}]}
)";
const char* const k_hinge = R"(
joints:
  - {name: hinge, type: revolute, between: [world, rod], point: [0, 3, 0], axis: [0, 0, 1]}
limits: [{name: stop, joint: hinge, lower: -1, restitution: 0.5}]
)";

std::string scene_of(const std::string& bodies, const std::string& rest) {
  return "delassus: 1\nbodies:\n  - {name: ground, type: fixed, shapes: [{type: plane}]}\n" + bodies + rest +
         "contact: {friction: 0.3}\nstepper: {name: trapezoidal-2, step: 1e-3}\n";
}

// A pendulum that hits its stop, a block that slides to rest and a spinning ball that bounces: together as each alone.
TEST(Islands, PartsMoveAsAlone) {
  Simulation together = simulate(scene_of(std::string(k_pendulum) + k_block + k_ball, k_hinge));
  Simulation pendulum = simulate(scene_of(k_pendulum, k_hinge)), block = simulate(scene_of(k_block, "")),
             ball = simulate(scene_of(k_ball, ""));
  const std::size_t events = run_with_events(together, 1.2).size();
  const std::size_t alone = run_with_events(pendulum, 1.2).size() + run_with_events(block, 1.2).size() +
                            run_with_events(ball, 1.2).size();
  EXPECT_EQ(events, alone);
  EXPECT_GT(alone, 6U);
  EXPECT_LT((together.state().v.head(6) - pendulum.state().v).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((together.state().v.segment(6, 6) - block.state().v).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((together.state().v.tail(6) - ball.state().v).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((together.state().q.segment(7, 7) - block.state().q).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((together.state().q.segment(14, 7) - ball.state().q).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(together.report().energy.impact,
              pendulum.report().energy.impact + block.report().energy.impact + ball.report().energy.impact,
              1e-9);
}

// Two balls that nothing but a spring ties, each with impacts of its own, while a third one bounces far away: the two move as
// without the third and without islands. A step in which the spring were missing would change their velocities by k x h/m = 0.02 m/s.
TEST(Islands, SpringsTie) {
  const std::string pair = R"(
  - {name: a, type: rigid, mass: 1, position: [0, 0.5, 0], shapes: [{type: sphere, radius: 0.1, restitution: 0.8}]}
  - {name: b, type: rigid, mass: 2, position: [1, 0.6, 0], shapes: [{type: sphere, radius: 0.1, restitution: 0.6}]}
)";
  const std::string spring = R"(
forces: [{name: spring, type: spring, between: [a, b], stiffness: 100, rest_length: 0.85}]
)";
  Simulation alone = simulate(scene_of(pair, spring), {"stepper.islands=false"});
  Simulation together = simulate(scene_of(pair + k_ball, spring));
  const std::size_t events = run_with_events(alone, 1.2).size();
  EXPECT_GE(events, 3U);
  EXPECT_GT(run_with_events(together, 1.2).size(), events);
  // Round-off, which each impact amplifies a little.
  EXPECT_LT((together.state().q.head(14) - alone.state().q).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((together.state().v.head(12) - alone.state().v).cwiseAbs().maxCoeff(), 1e-9);
}

// Two sliders of which one goes up as the other goes down hit the ground in turn and keep their speed; a third body has an impact
// in the step of the first.
TEST(Islands, CouplersTie) {
  for (const bool islands : {true, false}) {
    Simulation simulation = simulate(fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: a, type: rigid, mass: 1, position: [0, 0.3, 0], velocity: [0, -1, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
  - {{name: b, type: rigid, mass: 3, position: [2, 0.4, 0], velocity: [0, 1, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
  - {{name: other, type: rigid, mass: 1, position: [5, 0.7, 0], velocity: [0, -2.999, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
joints:
  - {{name: rail_a, type: prismatic, between: [world, a], point: [0, 0.3, 0], axis: [0, 1, 0]}}
  - {{name: rail_b, type: prismatic, between: [world, b], point: [2, 0.4, 0], axis: [0, 1, 0]}}
  - {{name: rope, type: coupler, terms: [{{joint: rail_a, coordinate: slide, coefficient: 1}}, {{joint: rail_b, coordinate: slide, coefficient: 1}}]}}
contact: {{friction: 0, restitution: 1}}
stepper: {{name: trapezoidal-2, step: 1e-2, islands: {}}}
)",
                                                 islands));
    const std::vector<Event> events = run_with_events(simulation, 1.0);
    // Gaps of 0.2 and 0.3 m at 1 m/s: a at 0.2 s, b when both have gone 0.5 m more.
    ASSERT_EQ(events.size(), 3U) << islands;
    EXPECT_NEAR(events.back().time, 0.7, 1e-10);
    const Vector &q = simulation.state().q, &v = simulation.state().v;
    EXPECT_NEAR(q[1], 0.1 + 0.2, 1e-10) << islands;
    EXPECT_NEAR(q[8], 0.1 + 0.3, 1e-10) << islands;
    EXPECT_NEAR(v[1], -1, 1e-10) << islands;
    EXPECT_NEAR(v[7], 1, 1e-10) << islands;
  }
}

// A ball is turned by a wall onto another one, all within a step: its swept box did not show it. Elastic and of equal masses,
// the second takes all of the speed.
TEST(Islands, ThoseThatMeetMerge) {
  for (const bool islands : {true, false}) {
    Simulation simulation = simulate(fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {{name: wall, type: fixed, rotation: [0, 0, -pi/4], shapes: [{{type: plane}}]}}
  - {{name: first, type: rigid, mass: 1, position: [0, 0.1*sqrt(2) + 0.3, 0], velocity: [0, -10, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
  - {{name: second, type: rigid, mass: 1, position: [0.6, 0.1*sqrt(2), 0], shapes: [{{type: sphere, radius: 0.1}}]}}
contact: {{friction: 0, restitution: 1}}
stepper: {{name: trapezoidal-2, step: 0.1, islands: {}}}
)",
                                                 islands));
    const std::vector<Event> events = run_with_events(simulation, 0.1);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_NEAR(events[0].time, 0.03, 1e-12);
    EXPECT_NEAR(events[1].time, 0.07, 1e-12);
    const Vector& v = simulation.state().v;
    EXPECT_NEAR(v[0], 0, 1e-12);
    EXPECT_NEAR(v[1], 0, 1e-12);
    EXPECT_NEAR(v[6], 10, 1e-12);
    EXPECT_NEAR(simulation.state().q[7], 0.6 + 10 * 0.03, 1e-12);
  }
}

// More islands of different sizes than steppers to share: balls that bounce, blocks that slide to rest and balls that fall
// onto sliding tables. Each moves as alone, and a program that begins anew every 50 steps ends with the same bits: no island leaves
// anything behind in the stepper it had.
TEST(Islands, SharedSteppersRememberNothing) {
  const auto group = [](const char* repeat) {
    return fmt::format(R"(
  - {{name: ball, type: rigid, repeat: {{i: {0}}}, mass: 1, position: [-5, 0.7, 2*i], velocity: [0.3, 0, 0], angular_velocity: [0, 0, 20], shapes: [{{type: sphere, radius: 0.1, restitution: 0.6}}]}}
  - {{name: block, type: rigid, repeat: {{i: {0}}}, mass: 3, position: [5, 0.1, 2*i], velocity: [1.5, 0, 0.4], shapes: [{{type: box, size: [0.4, 0.2, 0.3]}}]}}
  - {{name: table, type: rigid, repeat: {{i: {0}}}, mass: 5, position: [12, 0.15, 2*i], velocity: [0.5, 0, 0], shapes: [{{type: box, size: [0.8, 0.3, 0.6], restitution: 0.3}}]}}
  - {{name: rider, type: rigid, repeat: {{i: {0}}}, mass: 1, position: [12.1, 0.55, 2*i], shapes: [{{type: sphere, radius: 0.1, restitution: 0.5}}]}}
)",
                       repeat);
  };
  constexpr int many = 8;
  const std::string scene = scene_of(group("8"), "");
  Simulation simulation = simulate(scene), alone = simulate(scene_of(group("1"), ""));
  const std::size_t events = run_with_events(simulation, 0.6).size();
  EXPECT_EQ(events, many * run_with_events(alone, 0.6).size());
  EXPECT_GT(events, 100U);
  for (int kind = 0; kind < 4; ++kind)
    for (int i = 0; i < many; ++i) {
      const Eigen::Index body = kind * many + i;
      EXPECT_LT((simulation.state().v.segment(6 * body, 6) - alone.state().v.segment(6 * kind, 6)).norm(),
                1e-9)
          << kind << ' ' << i;
      EXPECT_LT((simulation.state().q.segment(7 * body, 7) - alone.state().q.segment(7 * kind, 7) -
                 2.0 * i * Vector::Unit(7, 2))
                    .norm(),
                1e-9)
          << kind << ' ' << i;
    }
  auto again = std::make_unique<Simulation>(simulate(scene));
  for (int part = 1; part <= 12; ++part) {
    State state = again->state();
    again = std::make_unique<Simulation>(simulate(scene));
    again->set_state(std::move(state));
    ASSERT_TRUE(again->run_until(0.05 * part));
  }
  EXPECT_TRUE(again->state() == simulation.state());
}

// Six limbs on ball joints with stops fall down on a step: what rattles near rest is captured. Few solves a step, and no energy
// from nowhere.
TEST(SmallEvents, ChatterEndsInFewSolves) {
  std::string necks;
  for (int i = 0; i < 5; ++i)
    necks += fmt::format(
        "  - {{name: neck_{}, type: spherical, between: [limb_{}, limb_{}], point: [{}, 0.8, {}]}}\n", i, i,
        i + 1, 0.3 * i - 0.25, 0.02 * i + 0.01);
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - name: ground
    type: fixed
    shapes: [{type: plane}, {type: box, size: [0.6, 0.4, 2]}]
  - {name: limb, type: rigid, repeat: {i: 6}, mass: 1 + i, position: [0.3*i - 0.4, 0.8, 0.02*i], shapes: [{type: capsule, radius: 0.05, length: 0.2, rotation: [0, pi/2, 0]}]}
contact: {friction: 0.5}
joints:
)" + necks);
  double energy = std::numeric_limits<double>::infinity();
  long solves = 0;
  while (simulation.time() < 1) {
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    const EnergyReport& report = simulation.report().energy;
    const double now = report.kinetic + report.potential;
    EXPECT_LT(now, energy + 1e-3);
    energy = now;
    solves += simulation.report().certificate.solves;
    EXPECT_LT(simulation.report().certificate.penetration, 1e-4);
  }
  EXPECT_LT(solves, 3000);  // 4,253 with every event located
}

// Elastic boxes with small gaps between them, one above the other: friction in impacts takes their energy within 0.2 s, and then they
// rattle slower than forces move them in a step. That ends in few solves.
TEST(SmallEvents, ElasticStacksComeToRest) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: box, type: rigid, repeat: {i: 6}, mass: 1, position: [0.05*(i - 2*floor(i/2)), 0.5 + 1.01*i, 0], rotation: [0, 0.1*i, 0], shapes: [{type: box, size: [1, 1, 1]}]}
contact: {restitution: 1}
)");
  double energy_before = std::numeric_limits<double>::infinity();
  long solves = 0;
  while (simulation.time() < 0.3) {
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    const EnergyReport& energy = simulation.report().energy;
    EXPECT_LT(energy.kinetic + energy.potential, energy_before + 1e-4);
    energy_before = energy.kinetic + energy.potential;
    solves += simulation.report().certificate.solves;
  }
  EXPECT_LT(simulation.report().energy.kinetic, 1e-4);
  EXPECT_LT(solves, 4000);
}

// A ball hits a wall of bricks that 30 contacts hold: its steps are captured, with the same bits after a resume, and far away
// another ball bounces with located impacts, which keep all of its energy.
TEST(Crowds, AreCapturedAndOthersAreNot) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: brick, type: rigid, repeat: {i: 3, j: 2}, density: 1800, position: [0, 0.05 + 0.1*i, '0.21*(j + 0.5*mod(i, 2))'], shapes: [{type: box, size: [0.1, 0.1, 0.2], restitution: 0}]}
  - {name: ball, type: rigid, mass: 2, position: [-0.3, 0.2, 0.15], velocity: [5, 0, 0], shapes: [{type: sphere, radius: 0.1, restitution: 0}]}
  - {name: other, type: rigid, mass: 1, position: [9, 0.6, 0], shapes: [{type: sphere, radius: 0.1, restitution: 1}]}
contact: {friction: 0.5}
stepper: {name: trapezoidal-2, step: 1e-3}
)";
  Simulation simulation = simulate(scene);
  std::size_t contacts = 0;
  int others = 0;
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    contacts = std::max(contacts, report.contacts.size());
    for (const Event& event : report.events)
      others += now.system().contact_name(event.contact).find("other") != std::string::npos;
    return true;
  });
  ASSERT_TRUE(simulation.run_until(0.3)) << simulation.report().message;
  Simulation resumed = simulate(scene);
  resumed.set_state(simulation.state());
  ASSERT_TRUE(simulation.run_until(0.36)) << simulation.report().message;
  ASSERT_TRUE(resumed.run_until(0.36)) << resumed.report().message;
  EXPECT_TRUE(simulation.state() == resumed.state());
  EXPECT_GT(contacts, IslandStepper::k_crowded);
  EXPECT_EQ(others, 1);
  const Vector &q = simulation.state().q, &v = simulation.state().v;
  const Eigen::Index last_q = q.size() - 7, last_v = v.size() - 6;
  EXPECT_NEAR(9.81 * q[last_q + 1] + 0.5 * v.segment<3>(last_v).squaredNorm(), 9.81 * 0.6, 1e-10);
  EXPECT_LE(simulation.report().energy.error, 1e-3 * 25);  // of the ball
  EXPECT_LT(simulation.report().certificate.penetration, 1e-5);
}

class FailingStepper final : public Stepper {
 public:
  std::string name() const override { return "failing"; }
  void advance(const System&, State& state, const StepRequest&, StepReport& report) override {
    report.clear();
    report.t_begin = report.t_end = state.t;
    report.ok = false;
    report.message = "nothing can be located";
  }
};

TEST(Crowds, AreNotNeededToFallBack) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: block, type: rigid, mass: 3, position: [0, 0.11, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [0.4, 0.2, 0.3]}]}
contact: {friction: 0.3, restitution: 0}
stepper: {name: trapezoidal-2, step: 1e-3}
)");
  const auto fail = [] { return std::make_unique<FailingStepper>(); };
  const auto capture = [] { return make_stepper({.name = "moreau-jean"}, make_solver(SolverSettings{})); };
  for (const bool falls_back : {true, false}) {
    IslandStepper stepper(fail, falls_back ? IslandStepper::Maker(capture) : IslandStepper::Maker());
    State state = simulation.state();
    StepReport report;
    stepper.advance(simulation.system(), state, {.t_end = 1e-3, .t_next = 2e-3}, report);
    EXPECT_EQ(report.ok, falls_back);
    EXPECT_EQ(state.t, falls_back ? 1e-3 : 0.0);
    if (!falls_back) {
      EXPECT_EQ(report.message, "nothing can be located");
      continue;
    }
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_EQ(report.warnings[0].kind, WarningKind::captured);
    EXPECT_NEAR(state.v[1], -9.81e-3, 1e-12);
  }
}

// What cannot be located and, captured, gets nearly all of its energy from a prescribed motion at once, jams: it is not gone on with.
TEST(Crowds, AreNoWayOutOfAJam) {
  for (const bool prescribed : {true, false}) {
    Simulation simulation = simulate(std::string(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: base, type: rigid, mass: 1000, inertia: [100, 100, 100], position: [-1, 0, 0]}
  - {name: ram, type: rigid, mass: 1e-3, velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
  - {name: block, type: rigid, mass: 10, position: [0.2, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
joints:
  - {name: rail, type: prismatic, between: [base, ram], point: [0, 0, 0], axis: [1, 0, 0]}
)") + (prescribed ? "motors: [{name: drive, type: velocity, joint: rail, coordinate: slide, law: 1}]\n"
                  : ""));
    IslandStepper stepper(
        [] { return std::make_unique<FailingStepper>(); },
        [] { return make_stepper({.name = "moreau-jean"}, make_solver(SolverSettings{})); });
    State state = simulation.state();
    StepReport report;
    stepper.advance(simulation.system(), state, {.t_end = 1e-3, .t_next = 2e-3}, report);
    EXPECT_EQ(report.ok, !prescribed) << report.message;
    EXPECT_EQ(state.t, prescribed ? 0.0 : 1e-3);
  }
}

}  // namespace
}  // namespace delassus::islands_test
