// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Events with exact answers: simultaneous and repeated impacts, reversal, stick limits, conveyors, thresholds, energy.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "../support/random_problem.hpp"
#include "../support/runs.hpp"
#include "delassus/base/rotation.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/solvers/registry.hpp"
#include "delassus/steppers/registry.hpp"

namespace delassus::events_test {
namespace {

using testing::run_with_events;
using testing::simulate;

TEST(Events, SimultaneousImpactsOfTwoBodies) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies: [{name: a, mass: 1, position: [0, 1, 0]}, {name: b, mass: 5, position: [3, 1, 0]}]
contacts:
  - {name: floor_a, type: plane, body: a, restitution: 0.5}
  - {name: floor_b, type: plane, body: b, restitution: 0.25}
stepper: {step: 0.01}
)");
  const double t_hit = std::sqrt(2 / 9.81), speed = 9.81 * t_hit;
  const std::vector<Event> events = run_with_events(simulation, 0.5);
  ASSERT_EQ(events.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(events[i].time, t_hit, 1e-13);
    EXPECT_NEAR(events[i].velocity_before[0], -speed, 1e-12);
    EXPECT_NEAR(events[i].velocity_after[0], (i == 0 ? 0.5 : 0.25) * speed, 1e-12);
  }
  EXPECT_NEAR(events[1].impulse[0], 5 * 1.25 * speed, 1e-11);
}

TEST(Events, CornerIsHitOnBothSidesAtOnce) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2, position: [1, 1, 0], velocity: [-1, -1, 0]}]
contacts:
  - {name: wall, type: plane, body: a, normal: [1, 0, 0], restitution: 1}
  - {name: floor, type: plane, body: a, normal: [0, 1, 0], restitution: 1}
stepper: {step: 0.3}
)");
  EXPECT_EQ(run_with_events(simulation, 1.5).size(), 2u);
  EXPECT_NEAR(simulation.state().q[0], 0.5, 1e-14);
  EXPECT_NEAR(simulation.state().v[1], 1, 1e-14);
}

// A ball between two walls: many impacts within one step, exact for every step size.
TEST(Events, ManyImpactsInOneStep) {
  for (const char* step : {"0.01", "0.7", "2"}) {
    Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, position: [0.3, 0, 0], velocity: [5, 0, 0]}]
contacts:
  - {name: left, type: plane, body: a, normal: [1, 0, 0], restitution: 1}
  - {name: right, type: plane, body: a, point: [1, 0, 0], normal: [-1, 0, 0], restitution: 1}
)",
                                     {std::string("stepper.step=") + step});
    const std::vector<Event> events = run_with_events(simulation, 4.0);
    EXPECT_EQ(events.size(), 20u) << step;  // 0.3 + 20 m of path, walls at the whole metres
    EXPECT_NEAR(simulation.state().q[0], 0.3, 1e-12) << step;
    EXPECT_NEAR(simulation.state().v[0], 5, 1e-12) << step;
  }
}

// Newton's law for several contacts (Moreau): the first ball hits two that touch.
TEST(Events, ThreeBallsInARow) {
  Simulation simulation = simulate(load_scene("ball_row", {}).text);
  simulation.run_until(1.0);
  EXPECT_NEAR(simulation.state().v[0], -1.0 / 3, 1e-13);
  EXPECT_NEAR(simulation.state().v[3], 2.0 / 3, 1e-13);
  EXPECT_NEAR(simulation.state().v[6], 2.0 / 3, 1e-13);
}

TEST(Events, ThresholdStopsSlowImpacts) {
  const char* scene = R"(
delassus: 1
bodies: [{name: a, mass: 1, position: [0, 1, 0]}]
contacts: [{name: floor, type: plane, body: a, restitution: 0.5}]
impact: {threshold: 2}
)";
  Simulation simulation = simulate(scene);
  const std::vector<Event> events = run_with_events(simulation, 2.0);
  ASSERT_EQ(events.size(), 3u);  // 4.43, 2.21 rebound; 1.11 m/s does not
  EXPECT_EQ(simulation.state().v[1], 0);
  EXPECT_NEAR(simulation.state().q[1], 0, 1e-14);
}

TEST(Events, SlipReversesWithoutSticking) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies: [{name: a, mass: 1, velocity: [1, 0, 0]}]
forces: [{name: push, type: applied, body: a, force: [-20, 0, 0]}]
contacts: [{name: table, type: plane, body: a, friction: 0.8}]
stepper: {step: 0.01}
)");
  const double brake = 20 + 0.8 * 9.81, back = 20 - 0.8 * 9.81, t_stop = 1 / brake, T = 0.2;
  const std::vector<Event> events = run_with_events(simulation, T);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::reversal);
  EXPECT_NEAR(events[0].time, t_stop, 1e-13);
  EXPECT_NEAR(simulation.state().q[0], 0.5 / brake - 0.5 * back * (T - t_stop) * (T - t_stop), 1e-13);
}

// U1: below the limit nothing moves, above it slips with the exact acceleration.
TEST(Events, StickLimitIsSharp) {
  const char* scene = R"(
delassus: 1
constants: {pull: 4.9}
bodies: [{name: a, mass: 1}]
forces: [{name: pull, type: applied, body: a, force: [pull, 0, 0]}]
contacts: [{name: table, type: plane, body: a, friction: 0.5}]
)";
  Simulation below = simulate(scene);
  run_with_events(below, 1.0);
  EXPECT_EQ(below.state().q[0], 0);
  EXPECT_EQ(below.state().v[0], 0);
  Simulation above = simulate(scene, {"constants.pull=4.906"});
  run_with_events(above, 1.0);
  EXPECT_NEAR(above.state().v[0], 0.001, 1e-12);
}

TEST(Events, ConveyorPicksUpAndItsWorkIsBooked) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies: [{name: a, mass: 3}]
contacts: [{name: belt, type: plane, body: a, friction: 0.4, surface_velocity: [2, 0, 0]}]
stepper: {step: 0.01}
)");
  const double t_grip = 2 / (0.4 * 9.81);
  const std::vector<Event> events = run_with_events(simulation, 1.0);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::stick);
  EXPECT_NEAR(events[0].time, t_grip, 1e-12);
  EXPECT_NEAR(simulation.state().v[0], 2, 1e-14);
  EXPECT_NEAR(simulation.state().q[0], 2 * 1.0 - 0.5 * 2 * t_grip, 1e-12);
  // The friction of the belt has done the kinetic energy's work.
  EXPECT_NEAR(simulation.report().energy.friction, 0.5 * 3 * 4, 1e-10);
  EXPECT_NEAR(simulation.report().energy.defect, 0, 1e-10);
}

// A floor that moves by a formula of time carries a mass and throws it off when it brakes harder than gravity.
TEST(Events, MovingFloorThrowsOff) {
  Simulation simulation = simulate(R"(
delassus: 1
lagrangian:
  coordinates: [y]
  velocity: [2]
  position: [0]
  mass: [[1]]
  potential: 9.81*y
  contacts: [{name: floor, gap: y - 0.2*sin(10*t)}]
stepper: {step: 1e-3}
)");
  // Floor acceleration −20 sin(10 t) reaches −g at sin(10 t) = g/20; then free flight.
  const double t_off = std::asin(9.81 / 20) / 10, T = 0.15;
  const double y = 0.2 * std::sin(10 * t_off) + 2 * std::cos(10 * t_off) * (T - t_off) -
                   9.81 / 2 * (T - t_off) * (T - t_off);
  const std::vector<Event> events = run_with_events(simulation, T);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::take_off);
  EXPECT_NEAR(events[0].time, t_off, 1e-6);
  EXPECT_NEAR(simulation.state().q[0], y, 1e-6);
}

// A puck that slides in a cross wind turns while it stops; it stops once, near the point of the exact law, and the certificate holds.
TEST(Events, TurningSlipComesToRest) {
  const double mu_g = 0.3 * 9.81, wind = 1.5;
  const auto f = [&](double, const Vector& x) {
    const Eigen::Vector2d v(x[2], x[3]);
    const Eigen::Vector2d a = v.norm() > 1e-12
                                  ? Eigen::Vector2d(Eigen::Vector2d(0, wind) - mu_g * v.normalized())
                                  : Eigen::Vector2d(0, 0);
    return Vector{{x[2], x[3], a[0], a[1]}};
  };
  // Integrated until the speed is 1e-4 of its start; the rest, about 1e-8 m, is straight.
  Vector exact{{0.0, 0.0, 2.0, 0.0}};
  while (exact.tail<2>().norm() > 2e-4) exact = testing::runge_kutta(f, exact, 1e-5, 1);
  const double speed = exact.tail<2>().norm(), slowing = -f(0, exact).tail<2>().dot(exact.tail<2>()) / speed;
  exact.head<2>() += exact.tail<2>() * (speed / (2 * slowing));
  double previous = 0;
  for (double h : {2.5e-3, 1.25e-3, 6.25e-4}) {
    Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, -9.81]
bodies: [{name: puck, mass: 1, velocity: [2, 0, 0]}]
forces: [{name: wind, type: applied, body: puck, force: [0, 1.5, 0]}]
contacts: [{name: table, type: plane, body: puck, normal: [0, 0, 1], friction: 0.3}]
)",
                                     {cli::setting("stepper.step", h)});
    double residual = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      residual = std::max(residual, report.certificate.contact_residual);
      return true;
    });
    const std::vector<Event> events = run_with_events(simulation, 3.0);
    ASSERT_EQ(events.size(), 1u) << h;
    EXPECT_EQ(events[0].kind, EventKind::stick);
    EXPECT_EQ(simulation.state().v.norm(), 0) << h;
    EXPECT_LT(residual, 1e-2) << h;
    const double error = (simulation.state().q.head<2>() - exact.head<2>()).norm();
    EXPECT_LT(error, 2 * h * h) << h;
    if (previous > 0) {
      EXPECT_LT(error, 0.3 * previous) << h;
    }
    previous = error;
  }
}

// Facets of a coarse polygon are events of the law without alignment.
TEST(Events, FacetChangesAreLocated) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, -9.81]
bodies: [{name: puck, mass: 1, velocity: [3, 0, 0]}]
forces: [{name: wind, type: applied, body: puck, force: [0, 6, 0]}]
contacts: [{name: table, type: plane, body: puck, normal: [0, 0, 1], friction: 0.3}]
law: {name: coulomb-polyhedral, directions: 4, align: false}
stepper: {step: 0.01}
)");
  // Friction along −x only while v_x > v_y: v = (3 − μ g t, 6 t) meets the diagonal at t = 3 / (6 + μ g).
  const std::vector<Event> events = run_with_events(simulation, 0.5);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].kind, EventKind::facet);
  EXPECT_NEAR(events[0].time, 3 / (6 + 0.3 * 9.81), 1e-10);
}

// A contact that first slips and then takes off, both within one step.
TEST(Events, SlipThenTakeOffInOneStep) {
  Simulation simulation = simulate(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0, 0]
  mass: [1, 1]
  forces: [1, -10 + 20*t]
  contacts: [{name: floor, gap: y, tangents: [[1, 0]], friction: 0.5}]
stepper: {step: 1}
)");
  // N = 10 − 20 t; the friction limit N/2 reaches the push of 1 at t = 0.4, N vanishes at t = 0.5.
  const std::vector<Event> events = run_with_events(simulation, 1.0);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, EventKind::slip);
  EXPECT_NEAR(events[0].time, 0.4, 1e-9);
  EXPECT_EQ(events[1].kind, EventKind::take_off);
  EXPECT_NEAR(events[1].time, 0.5, 1e-9);
}

// A contact within the band ε_b h³ that approaches is hit and does not stall the step.
TEST(Events, WideBandDoesNotStall) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, position: [0, 5e-4, 0], velocity: [0, -1, 0]}]
contacts: [{name: floor, type: plane, body: a, restitution: 1}]
stepper: {step: 0.1, epsilon_b: 1}
)");
  const std::vector<Event> events = run_with_events(simulation, 0.3);
  EXPECT_EQ(events.size(), 1u);
  EXPECT_NEAR(simulation.state().v[1], 1, 1e-12);
}

// Poisson restitutes at every contact that was compressed, also at one that was at rest before (Anitescu and Potra 1997, 3.3).
TEST(Events, PoissonRowOfBalls) {
  Simulation simulation =
      simulate(load_scene("ball_row", {}).text, {"impact.law=poisson", "contacts.ab.restitution=0.5"});
  simulation.run_until(1.0);
  EXPECT_NEAR(simulation.state().v[0], 0, 1e-12);
  EXPECT_NEAR(simulation.state().v[3], 1.0 / 3, 1e-12);
  EXPECT_NEAR(simulation.state().v[6], 2.0 / 3, 1e-12);
}

// The work of an anchor that moves by a formula of time is in the balance.
TEST(Events, MovingAnchorBalancesItsEnergy) {
  Simulation simulation = simulate(R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [0]
  mass: [[1]]
  springs: [{name: s, elongation: x - sin(3*t), stiffness: 4}]
)");
  run_with_events(simulation, 2.0);
  const EnergyReport& energy = simulation.report().energy;
  EXPECT_GT(energy.kinetic + energy.potential, 0.1);
  EXPECT_NEAR(energy.defect, 0, 1e-4);
}

TEST(Events, JointsHoldFarFromTheOrigin) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies: [{name: a, mass: 1, position: [10001, 0, 0]}]
joints: [{name: rod, type: distance, between: [world, a], anchor: [10000, 0, 0]}]
stepper: {step: 0.01}
)");
  double drift = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    drift = std::max(drift, report.certificate.joint_drift);
    EXPECT_TRUE(report.warnings.empty());
    return true;
  });
  ASSERT_TRUE(simulation.run_until(1.0));
  EXPECT_LT(drift, 1e-10);
}

TEST(Events, JointsThatContradictAreRefusedByName) {
  const char* const scene = R"(
delassus: 1
assemble: false
stepper: {name: trapezoidal-2}
lagrangian:
  coordinates: [x]
  position: [0]
  velocity: [1]
  mass: [[1]]
  constraints: [{name: one, equation: x - t}, {name: two, equation: x - 2*t}]
)";
  Simulation simulation = simulate(scene);
  EXPECT_FALSE(simulation.run_until(0.1));
  EXPECT_NE(simulation.report().message.find("contradict"), std::string::npos) << simulation.report().message;
  EXPECT_TRUE(simulation.state().q.allFinite());
  // Assembly finds it out before the first step.
  std::string at_once = scene;
  at_once.replace(at_once.find("false"), 5, "true");
  try {
    simulate(at_once);
    FAIL() << "velocities 1 and 2 at once";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'two'"), std::string::npos) << error.what();
  }
}

// After too many events the rest of the step is captured by the same law: an elastic ball between two walls keeps its
// energy, stays between them, and a warning names the place.
TEST(Events, CapturingKeepsTheLaw) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, position: [0, 0.04, 0], velocity: [0, -1, 0]}]
contacts: [{name: floor, type: plane, body: a, restitution: 1}, {name: lid, type: plane, body: a, point: [0, 0.05, 0], normal: [0, -1, 0], restitution: 1}]
stepper: {step: 1, max_events: 3}
)");
  const std::vector<Event> events = run_with_events(simulation, 1.0);
  EXPECT_EQ(events.back().kind, EventKind::impact);
  EXPECT_NEAR(std::abs(simulation.state().v[1]), 1, 1e-14);
  const double y = simulation.state().q[1];
  EXPECT_GE(y, -1e-12);
  EXPECT_LE(y, 0.05 + 1e-12);
  EXPECT_NEAR(simulation.report().energy.impact, 0, 1e-12);
  ASSERT_EQ(simulation.report().warnings.size(), 1U);
  EXPECT_NE(simulation.report().warnings[0].text.find("more than 3 events"), std::string::npos);
}

// Friction of an oblique impact in space opposes the slip exactly, whatever the polygon.
TEST(Events, ObliqueImpactInSpace) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, position: [0, 0.1, 0], velocity: [3, -1, 1.7]}]
contacts: [{name: floor, type: plane, body: a, friction: 0.25}]
law: {directions: 4}
stepper: {step: 0.2}
)");
  const Vector3 before = simulation.state().v;
  run_with_events(simulation, 0.2);
  const Vector3 slip(before.x(), 0, before.z());
  EXPECT_LT((simulation.state().v.head<3>() - (slip - 0.25 * slip.normalized())).norm(), 1e-12);
}

// A superball: where friction holds, the slip of the point that touches is turned round, u_T⁺ = −e_T u_T⁻. With the slip u⁻ = v⁻ − R ω⁻ × n
// the impulse is −(2/7) m (1 + e_T) u_T⁻, at the centre and at the rim.
TEST(Events, SuperballTurnsItsSlipRound) {
  const double R = 0.1, e_T = 0.8;
  const Vector3 n(0, 1, 0), v(0.6, -2, -0.3), w(4, 9, -7);
  const Vector3 slip = v - R * w.cross(n), u = slip - n.dot(slip) * n,
                turn = 5.0 / 7 / R * (1 + e_T) * n.cross(u);
  // Captured, the impulse is that of the start of a step, within which the ball turns on.
  const double h = 1e-3;
  const std::pair<const char*, double> steppers[] = {{"trapezoidal-2", 1e-9},
                                                     {"moreau-jean", h * (w + turn).norm() * turn.norm()}};
  for (const auto& [stepper, tolerance] : steppers) {
    Simulation simulation =
        simulate(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: floor, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 0.25, 0], velocity: [0.6, -2, -0.3], angular_velocity: [4, 9, -7], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0.9, restitution: 1}
impact: {tangential_restitution: 0.8}
)",
                 {std::string("stepper.name=") + stepper, cli::setting("stepper.step", h)});
    ASSERT_TRUE(simulation.run_until(0.2)) << simulation.report().message;
    const State& state = simulation.state();
    const Vector3 after = rotate(Quaternion(state.q.segment<4>(3)), state.v.tail<3>());
    EXPECT_LT((state.v.head<3>() - (Vector3(v.x(), 2, v.z()) - 2.0 / 7 * (1 + e_T) * u)).norm(), 1e-9)
        << stepper;
    EXPECT_LT((after - (w + turn)).norm(), tolerance) << stepper;
  }
}

// Random frictionless impacts with joints never gain energy: Poisson's law for any coefficients, Newton's for equal ones (with
// different ones it can, a known property of that law); the simplified law not with friction either.
TEST(Events, ImpactsDoNotGainEnergy) {
  testing::Random random(7);
  int impacts = 0;
  for (int i = 0; i < 200; ++i) {
    const auto number = [&](double low, double high) { return random.uniform(low, high); };
    const double e1 = number(0, 1), e2 = i % 4 == 3 ? e1 : number(0, 1), mu = i % 2 == 0 ? number(0, 1) : 0;
    Model model;
    // Both contacts are approached and the velocities suit the rod, as Newton's law assumes.
    const Vector3 rod(1, 1, 0.3), v_a(number(-2, -0.5), number(-2, -0.5), number(-1, 1)),
        turn(number(-2, 2), number(-2, 2), number(-2, 2));
    model.add({"a", number(0.1, 5), {0, 0, 0}, v_a});
    model.add({"b", number(0.1, 5), rod, v_a + turn.cross(rod)});
    model.joints.push_back(distance_joint("rod", {0}, {1}, rod.norm()));
    model.plane_contacts.push_back({.name = "floor", .body = 0, .friction = mu, .restitution = e1});
    model.plane_contacts.push_back({.name = "wall", .body = 0, .normal = {1, 0, 0}, .restitution = e2});
    SimulationOptions options{.step = 1e-4};
    options.stepper.options.impact.kind = i % 2 == 0   ? ImpactKind::simplified
                                          : i % 4 == 1 ? ImpactKind::poisson
                                                       : ImpactKind::newton;
    auto system = std::make_shared<MultibodySystem>(model);
    Simulation simulation(system, system->initial_state(), options);
    simulation.step();
    bool fell_back = false;
    for (const Event& event : simulation.report().events)
      fell_back = fell_back || event.kind == EventKind::fallback;
    for (const Event& event : simulation.report().events) {
      if (event.kind != EventKind::impact || fell_back) continue;
      EXPECT_LE(event.energy_change, 1e-12) << "case " << i;
      ++impacts;
    }
  }
  EXPECT_GT(impacts, 100);
}

// A rail carries a box whose lower face touches the floor. What the rail locks the floor cannot push, and nothing stops the box but
// the friction of a force that there is.
class RailOnTheFloor : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Steppers, RailOnTheFloor,
                         ::testing::Values("trapezoidal-2", "moreau-jean", "nonsmooth-generalized-alpha",
                                           "dvi-euler"));

TEST_P(RailOnTheFloor, KeepsItsMomentum) {
  constexpr double mass = 2, h = 1e-3;
  for (const double yaw : {-2.7, -1.3, 0.4, 1.1, 2.3}) {
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(yaw, Vector3::UnitZ()));
    const Vector3 along = turn * Vector3::UnitX();
    // The frame is no part of the ground: what a joint connects does not touch.
    Body ground, box, frame;
    ground.name = "ground";
    ground.kind = frame.kind = BodyKind::fixed;
    ground.shapes = {{.kind = ShapeKind::plane}};
    frame.name = "frame";
    box.name = "box";
    box.kind = BodyKind::rigid;
    box.mass = mass;
    box.inertia = mass * 0.04 / 6 * Matrix3::Identity();
    box.position = turn * Vector3(1.3, -0.7, 0.1);
    box.orientation = {turn.w(), turn.x(), turn.y(), turn.z()};
    box.velocity = along;
    box.shapes = {{.kind = ShapeKind::box, .size = Vector3(0.2, 0.2, 0.2)}};
    Model model;
    model.gravity = Vector3(0, 0, -9.81);
    model.bodies = {ground, box, frame};
    model.add(model.joint_at(JointKind::prismatic, "rail", 2, 1, box.position, along));
    const auto system = std::make_shared<MultibodySystem>(model);
    SimulationOptions options;
    options.step = h;
    options.stepper.name = GetParam();
    Simulation simulation(system, system->initial_state(), options);
    double friction = 0, largest = 0;
    int solves = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      solves = std::max(solves, report.certificate.solves);
      for (const ContactReport& contact : report.contacts) {
        friction += contact.impulse.tail<2>().norm();
        largest = std::max(largest, contact.impulse.norm());
      }
      return true;
    });
    ASSERT_TRUE(simulation.run_until(0.1)) << simulation.report().message;
    EXPECT_EQ(simulation.report().contacts.size(), 4u);
    const double speed = simulation.state().v.head<3>().norm();
    EXPECT_NEAR(mass * (1 - speed), friction, 1e-9) << yaw;
    EXPECT_GT(speed, 0.5) << yaw;  // of a floor that carries all it would be 0.51
    EXPECT_LE(largest, 10 * mass * 9.81 * h) << yaw;
    EXPECT_LE(solves, 2) << yaw;  // the floor does not press a held box down: no search for a shock
  }
}

// A stepper may be used for one system after the other, also where the next one lies at the address of the last and
// starts where that ended.
TEST(Events, SteppersKnowSystemsApart) {
  const auto speed_after_a_step = [](Stepper& stepper, double mu) {
    Model model;
    model.gravity = Vector3(3, 0, -9.81);
    Shape plane;
    plane.kind = ShapeKind::plane;
    plane.material.friction = mu;
    Shape sphere;
    sphere.kind = ShapeKind::sphere;
    sphere.radius = 0.1;
    sphere.material.friction = mu;
    Body ground, ball;
    ground.name = "ground";
    ground.kind = BodyKind::fixed;
    ground.shapes = {plane};
    ball.name = "ball";
    ball.kind = BodyKind::rigid;
    ball.mass = 1;
    ball.inertia = 0.004 * Matrix3::Identity();
    ball.position = Vector3(0, 0, 0.1);
    ball.shapes = {sphere};
    model.bodies = {ground, ball};
    const MultibodySystem system(model);
    State state = system.initial_state();
    StepReport report;
    stepper.advance(system, state, {.t_end = 1e-3}, report);
    EXPECT_EQ(report.contacts.size(), 1u);
    return state.v[0];
  };
  for (const char* name : {"moreau-jean", "nonsmooth-generalized-alpha", "dvi-euler", "trapezoidal-2"}) {
    StepperSettings settings;
    settings.name = name;
    const auto used = make_stepper(settings, make_solver({})),
               fresh = make_stepper(settings, make_solver({}));
    speed_after_a_step(*used, 0.8);
    EXPECT_EQ(speed_after_a_step(*used, 0.02), speed_after_a_step(*fresh, 0.02)) << name;
  }
}

}  // namespace
}  // namespace delassus::events_test
