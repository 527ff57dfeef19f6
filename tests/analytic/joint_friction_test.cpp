// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Dry friction and stops in joints against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "delassus/formulation/multibody_system.hpp"
#include "delassus/simulation/simulation.hpp"
#include "tests/support/simulate.hpp"

namespace delassus::joint_friction_test {
namespace {

constexpr double k_g = 9.81;

Body block(const std::string& name, double mass) {
  Body body{.name = name, .mass = mass};
  body.kind = BodyKind::rigid;
  body.inertia = Vector3(0.02, 0.03, 0.025).asDiagonal();
  return body;
}

Simulation simulate(const Model& model, double step = 1e-3) {
  auto system = std::make_shared<MultibodySystem>(model);
  return Simulation(system, system->initial_state(), {.step = step});
}

double coordinate(const Simulation& s, int i, bool rate = false) {
  Vector values, rates;
  s.system().joint_coordinates(s.state().t, s.state().q, s.state().v, values, rates);
  return rate ? rates[i] : values[i];
}

// Friction that does not depend on the load has nothing to settle, and nothing to warn of.
TEST(JointFriction, ConstantFrictionIsNoJam) {
  Model model;
  Body body = block("slider", 1);
  body.velocity = {2, 0, 0};
  model.add(body);
  model.add(model.joint_at(JointKind::prismatic, "rail", k_world, 0, Vector3::Zero(), Vector3::UnitX()));
  model.frictions.push_back({"friction", {.joint = 0}, 3, 0});
  Simulation s = simulate(model);
  s.observe([](const Simulation&, const StepReport& report) { EXPECT_TRUE(report.warnings.empty()); });
  ASSERT_TRUE(s.run_until(0.2));
  EXPECT_NEAR(coordinate(s, 0, true), 2 - 3 * 0.2, 1e-12);
}

// A slider on a horizontal rail: the reaction is its weight, so it stops after v/(μg) at v²/(2μg) and stays.
TEST(JointFriction, SliderStopsWhereItsWeightStopsIt) {
  const double v0 = 2, mu = 0.3, a = mu * k_g;
  Model model;
  Body body = block("slider", 2);
  body.velocity = {v0, 0, 0};
  model.add(body);
  model.add(model.joint_at(JointKind::prismatic, "rail", k_world, 0, Vector3::Zero(), Vector3::UnitX()));
  model.frictions.push_back({"friction", {.joint = 0}, 0, mu});
  Simulation s = simulate(model);
  ASSERT_TRUE(s.run_until(0.5));
  EXPECT_NEAR(coordinate(s, 0), v0 * 0.5 - 0.5 * a * 0.25, 1e-12);
  EXPECT_NEAR(coordinate(s, 0, true), v0 - a * 0.5, 1e-12);
  ASSERT_TRUE(s.run_until(1.0));
  // The step in which it stops is not cut: its length limits the place.
  EXPECT_NEAR(coordinate(s, 0), v0 * v0 / (2 * a), 2e-6);
  const double rest = coordinate(s, 0);
  ASSERT_TRUE(s.run_until(2.0));
  EXPECT_LT(std::abs(coordinate(s, 0, true)), 1e-14);
  EXPECT_LT(std::abs(coordinate(s, 0) - rest), 1e-13) << "it stays";
  EXPECT_LT(s.report().certificate.contact_residual, 1e-10);
}

// A pulled slider: the threshold is sharp.
TEST(JointFriction, ThresholdIsSharp) {
  for (const double pull : {0.999999, 1.000001}) {
    Model model;
    model.add(block("slider", 2));
    model.add(model.joint_at(JointKind::prismatic, "rail", k_world, 0, Vector3::Zero(), Vector3::UnitX()));
    model.frictions.push_back({"friction", {.joint = 0}, 0, 0.3});
    const double force = pull * 0.3 * 2 * k_g;
    model.applied_forces.push_back(
        {"pull", 0, force_from_function([force](double, const Vector3&, const Vector3&) {
           return Vector3(force, 0, 0);
         })});
    Simulation s = simulate(model);
    ASSERT_TRUE(s.run_until(1.0));
    if (pull < 1)
      EXPECT_LT(std::abs(coordinate(s, 0)), 1e-14);
    else
      EXPECT_NEAR(coordinate(s, 0), 0.5 * (pull - 1) * 0.3 * k_g, 1e-10);
  }
}

// A wheel on a loaded pin: torque μ r |F| with F its weight.
TEST(JointFriction, PinTorqueIsTheReactionTimesTheRadius) {
  const double mu_r = 0.2 * 0.05, mass = 3, omega0 = 20;
  Model model;
  Body wheel = block("wheel", mass);
  wheel.angular_velocity = {0, 0, omega0};
  model.add(wheel);
  model.add(model.joint_at(JointKind::revolute, "pin", k_world, 0, Vector3::Zero(), Vector3::UnitZ()));
  model.frictions.push_back({"friction", {.joint = 0}, 0.01, mu_r});
  const double torque = 0.01 + mu_r * mass * k_g, slow = torque / 0.025;
  Simulation s = simulate(model);
  ASSERT_TRUE(s.run_until(0.5));
  EXPECT_NEAR(coordinate(s, 0, true), omega0 - slow * 0.5, 1e-11);
  EXPECT_NEAR(coordinate(s, 0), omega0 * 0.5 - 0.5 * slow * 0.25, 1e-11) << "turns are counted";
  // Work of friction is what the wheel lost.
  EXPECT_NEAR(s.report().energy.friction, 0.5 * 0.025 * (std::pow(omega0 - slow * 0.5, 2) - omega0 * omega0),
              1e-10);
  EXPECT_LT(std::abs(s.report().energy.defect), 1e-10);
}

// A pendulum with friction in its pin and a heavy reaction: it comes to rest where gravity's torque is below the limit.
TEST(JointFriction, PendulumHangsInTheFrictionBand) {
  Model model;
  Body bob = block("bob", 1);
  bob.position = {1, 0, 0};
  model.add(bob);
  model.add(model.joint_at(JointKind::revolute, "pin", k_world, 0, Vector3::Zero(), Vector3::UnitZ()));
  const double mu_r = 0.05;
  model.frictions.push_back({"friction", {.joint = 0}, 0, mu_r});
  Simulation s = simulate(model);
  ASSERT_TRUE(s.run_until(25));
  EXPECT_LT(std::abs(coordinate(s, 0, true)), 1e-13);
  // At rest: m g sin φ ≤ μ r m g, φ from the vertical.
  const double phi = coordinate(s, 0) + std::numbers::pi / 2;
  EXPECT_LE(std::abs(std::sin(phi)), mu_r * (1 + 1e-9));
  EXPECT_GT(std::abs(phi), 1e-6) << "it does not stop exactly at the bottom";
}

// A stop with restitution: a bouncing slider, Φ = ξ − lower.
// A hinge that a motor turns to and fro as prescribed, φ = 1 − cos 5t: dry friction changes no motion, but the motor feels it,
// τ = I φ̈ + 3 sign φ̇, also where the motion turns round, and it takes 3 N·m times the way.
void expect_motor_feels(const std::string& friction, double torque_of_friction) {
  for (const char* stepper : {"trapezoidal-2", "moreau-jean", "nonsmooth-generalized-alpha", "dvi-euler"}) {
    Simulation s = testing::simulate(R"(
delassus: 1
bodies:
  - {name: arm, type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  - {name: hinge, type: revolute, between: [world, arm], point: [0, 0, 0], axis: [0, 0, 1]}
frictions:
  - {name: rub, joint: hinge, )" + friction +
                                         R"(}
motors:
  - {name: drive, type: position, joint: hinge, law: 1 - cos(5*t)}
stepper: {step: 1e-3}
)",
                                     {std::string("stepper.name=") + stepper});
    const bool second_order = std::string(stepper) == "trapezoidal-2";
    for (const double t : {0.1, 0.5, 0.75, 1.1}) {
      ASSERT_TRUE(s.run_until(t)) << stepper << " " << s.report().message;
      const double way = t < std::numbers::pi / 5 ? 1 - std::cos(5 * t) : 3 + std::cos(5 * t);
      EXPECT_NEAR(s.report().energy.friction, -torque_of_friction * way,
                  (second_order ? 1e-4 : 0.01) * torque_of_friction)
          << stepper << " " << t;
      const double middle = t - 0.5e-3, sign = std::sin(5 * middle) > 0 ? 1 : -1;
      const double torque = 0.25 * std::cos(5 * middle) + torque_of_friction * sign;
      EXPECT_NEAR(std::abs(s.report().joint_impulses[5]) / 1e-3, std::abs(torque), 1e-2)
          << stepper << " " << t;
    }
  }
}

TEST(JointFriction, MotorsFeelIt) {
  expect_motor_feels("constant: 3", 3);
}

// The bearing carries the weight.
TEST(JointFriction, MotorsFeelThatOfTheLoad) {
  expect_motor_feels("coefficient: 0.3, radius: 0.1", 0.3 * 0.1 * 9.81);
}

// A beam in a wide bearing: the radius of friction is nearly, or more than, the distance of its centre of mass. At rest, level,
//   (k² + l²) α = g l − μR |g − l α|,   friction adds μR l / (k² + l²) of itself to the force that limits it.
Simulation wide_bearing(double radius, double spin, double step) {
  constexpr double l = 0.5, k = 0.05;
  Model model;
  Body beam = block("beam", 2);
  beam.inertia = Vector3(0.01, 0.01, 2 * k * k).asDiagonal();
  beam.position = {l, 0, 0};
  beam.velocity = {0, spin * l, 0};
  beam.angular_velocity = {0, 0, spin};
  model.add(beam);
  model.add(model.joint_at(JointKind::revolute, "bearing", k_world, 0, Vector3::Zero(), Vector3::UnitZ()));
  model.frictions.push_back({"friction", {.joint = 0}, 0, radius});
  return simulate(model, step);
}

TEST(JointFriction, SettlesWhereItAddsAlmostAllOfItself) {
  const double l = 0.5, k = 0.05, radius = 0.98 * l, h = 1e-6;
  Simulation s = wide_bearing(radius, 0, h);
  ASSERT_TRUE(s.run_until(h)) << s.report().message;
  const double alpha = -k_g * (l - radius) / (k * k + l * l - radius * l);
  EXPECT_NEAR(coordinate(s, 0, true), alpha * h, 1e-8 * std::abs(alpha) * h);
}

// It adds more than itself: the beam stops at once and stays.
TEST(JointFriction, JamsWhereItAddsMoreThanItself) {
  Simulation s = wide_bearing(1.0, -2.0, 1e-3);
  ASSERT_TRUE(s.run_until(1e-3)) << s.report().message;
  EXPECT_LT(std::abs(coordinate(s, 0, true)), 1e-12);
  ASSERT_TRUE(s.run_until(0.1)) << s.report().message;
  EXPECT_LT(std::abs(coordinate(s, 0, true)), 1e-12);
  EXPECT_LE(s.report().energy.error, 1e-9);
}

// A lift on a mast that stands on a cart on a slope, both light: the friction of the slope adds more than itself to the force that
// limits it. That is told of with the name of the joint, whether the run ends there or goes on with the forces of the step before.
TEST(JointFriction, LimitsThatDoNotSettleNameTheJoint) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: cart, type: rigid, mass: 0.01236, inertia: [0.01, 0.01, 2.21e-05], position: [0.4119, 0.103, 0], velocity: [0, 1.47, 0], angular_velocity: [0, 0, 4.04]}
  - {name: lift, type: rigid, mass: 0.01663, inertia: [0.01, 0.01, 0.00588], position: [1.407, 0.0224, 0], velocity: [0, -0.0302, 0], angular_velocity: [0, 0, -1.51]}
joints:
  - {name: slope, type: prismatic, between: [world, cart], point: [0, 0, 0], axis: [1, 1, 0]}
  - {name: mast, type: prismatic, between: [cart, lift], point: [0.8238, 0, 0], axis: [0, 1, 0]}
frictions:
  - {name: slope_rub, joint: slope, coefficient: 1.64}
  - {name: mast_rub, joint: mast, coefficient: 0.299}
)";
  const std::string words = "the friction in joint 'slope' and the joint forces that limit it do not settle";
  for (const char* stepper : {"trapezoidal-2", "moreau-jean", "nonsmooth-generalized-alpha"}) {
    SCOPED_TRACE(stepper);
    const std::string name = std::string("stepper.name=") + stepper;
    Simulation stopped = testing::simulate(scene, {name, "stepper.on_failure=stop"});
    EXPECT_FALSE(stopped.step().ok);
    EXPECT_NE(stopped.report().message.find(words), std::string::npos) << stopped.report().message;
    Simulation goes_on = testing::simulate(scene, {name});
    ASSERT_TRUE(goes_on.step().ok) << goes_on.report().message;
    bool limited = false;
    for (const Warning& warning : goes_on.report().warnings) {
      EXPECT_NE(warning.text.find(words), std::string::npos) << warning.text;
      limited = limited || warning.kind == WarningKind::friction_limits;
    }
    EXPECT_TRUE(limited);
  }
}

TEST(JointLimit, StopIsAnImpactWithRestitution) {
  Model model;
  Body body = block("slider", 1.5);
  body.position = {0, 1, 0};
  model.add(body);
  model.add(model.joint_at(JointKind::prismatic, "rail", k_world, 0, Vector3(0, 1, 0), Vector3::UnitY()));
  model.limits.push_back({"stop", {.joint = 0}, -1.0, std::numeric_limits<double>::infinity(), 0.5});
  Simulation s = simulate(model);
  const double fall = std::sqrt(2 / k_g), v = k_g * fall;
  ASSERT_TRUE(s.run_until(0.8));
  const double tau = 0.8 - fall;
  EXPECT_NEAR(coordinate(s, 0), -1 + 0.5 * v * tau - 0.5 * k_g * tau * tau, 1e-10);
  EXPECT_NEAR(coordinate(s, 0, true), 0.5 * v - k_g * tau, 1e-9);
  // At rest in the end, on the stop.
  ASSERT_TRUE(s.run_until(3));
  EXPECT_NEAR(coordinate(s, 0), -1, 1e-10);
  EXPECT_NEAR(coordinate(s, 0, true), 0, 1e-10);
}

// A swinging gate against a stop of its hinge: energy after the impact is e² of that before.
TEST(JointLimit, HingeStop) {
  Model model;
  Body gate = block("gate", 1);
  gate.position = {0, -1, 0};
  gate.velocity = {2, 0, 0};
  gate.angular_velocity = {0, 0, 2};
  model.gravity.setZero();
  model.add(gate);
  model.add(model.joint_at(JointKind::revolute, "hinge", k_world, 0, Vector3::Zero(), Vector3::UnitZ()));
  model.limits.push_back({"stop", {.joint = 0}, -3, 1.0, 0.8});
  Simulation s = simulate(model);
  ASSERT_TRUE(s.run_until(1.0));
  // The arc of the centre of mass is followed to second order.
  EXPECT_NEAR(coordinate(s, 0, true), -1.6, 1e-10);
  EXPECT_NEAR(coordinate(s, 0), 1.0 - 1.6 * 0.5, 1e-6);
}

}  // namespace
}  // namespace delassus::joint_friction_test
