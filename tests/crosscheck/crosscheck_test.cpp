// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The same motion by two ways must be the same.
#include <gtest/gtest.h>

#include <numbers>

#include "../support/runs.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/system/lagrangian.hpp"

namespace delassus::crosscheck_test {
namespace {

using cli::run_scene;
using testing::run_to;

TEST(CrossCheck, SpringsInTheMatrixOrAsRows) {
  for (const char* scene : {"two_carts", "spring_chain"}) {
    const State matrix =
        run_scene(scene, {"stepper.springs_as_rows=false", "stepper.derivatives=rank-one", "duration=1"});
    const State rows =
        run_scene(scene, {"stepper.springs_as_rows=true", "stepper.derivatives=rank-one", "duration=1"});
    EXPECT_LT((matrix.q - rows.q).norm(), 1e-9) << scene;
    EXPECT_LT((matrix.v - rows.v).norm(), 1e-7) << scene;
  }
}

const char* const k_pendulum_in_coordinates = R"(
delassus: 1
lagrangian:
  coordinates: [x1, y1, x2, y2]
  position: [sin(pi/3), -cos(pi/3), sin(pi/3) + sin(pi/5), -cos(pi/3) - cos(pi/5)]
  mass: [1, 1, 1, 1]
  potential: 9.8*(y1 + y2)
  constraints:
    - {name: rod1, equation: (x1^2 + y1^2 - 1)/2}
    - {name: rod2, equation: ((x1 - x2)^2 + (y1 - y2)^2 - 1)/2}
  contacts:
    - {name: wall1, gap: x1, restitution: 0.1}
    - {name: wall2, gap: x2, restitution: 0.1}
stepper: {step: 2^-8, projection: none, keep_active_after_impact: true}
impact: {law: poisson}
)";

TEST(CrossCheck, ParticlesOrUserCoordinates) {
  const State particles = run_scene("double_pendulum_wall", {"stepper.step=2^-8"});
  const State formulas = run_to(k_pendulum_in_coordinates, 2.5);
  const Eigen::Vector4d q(particles.q[0], particles.q[1], particles.q[3], particles.q[4]);
  EXPECT_LT((q - formulas.q).norm(), 1e-11);
}

TEST(CrossCheck, FileOrCode) {
  const double pi = std::numbers::pi;
  Model model;
  model.gravity = {0, -9.8, 0};
  const Vector3 x1(std::sin(pi / 3), -std::cos(pi / 3), 0),
      x2(std::sin(pi / 3) + std::sin(pi / 5), -std::cos(pi / 3) - std::cos(pi / 5), 0);
  model.add({"m1", 1, x1});
  model.add({"m2", 1, x2});
  model.joints.push_back(distance_joint("rod1", {}, {0}, 1));
  model.joints.push_back(distance_joint("rod2", {0}, {1}, 1));
  for (int i = 0; i < 2; ++i)
    model.plane_contacts.push_back(
        {.name = "wall" + std::to_string(i + 1), .body = i, .normal = {1, 0, 0}, .restitution = 0.1});
  auto system = std::make_shared<MultibodySystem>(model);
  SimulationOptions options;
  options.stepper.options.projection = Projection::none;
  options.stepper.options.keep_active_after_impact = true;
  options.stepper.options.location = ImpactLocation::interpolant;
  options.stepper.options.impact.kind = ImpactKind::poisson;
  Simulation simulation(system, system->initial_state(), options);
  ASSERT_TRUE(simulation.run_until(2.5));
  const State file = run_scene("double_pendulum_wall", {});
  EXPECT_EQ(simulation.state().q, file.q);
  EXPECT_EQ(simulation.state().v, file.v);
}

// A Lagrangian system by C++ functions, its derivatives taken by differences, against formulas.
TEST(CrossCheck, FunctionsOrFormulas) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0, 0.5]
  velocity: [1, 0]
  mass: [1 + x^2/4, 1]
  potential: 9.81*y
  forces: [-0.3*v_x, 0]
  springs: [{name: s, elongation: "hypot(x - 1, y - 1) - 0.5", stiffness: 30}]
  contacts: [{name: floor, gap: y - 0.1*sin(3*x), tangents: [[1, 0.3*cos(3*x)]], friction: 0.2, restitution: 0.5}]
)";
  LagrangianDefinition d;
  d.coordinates = {"x", "y"};
  d.q0 = Eigen::Vector2d(0, 0.5);
  d.v0 = Eigen::Vector2d(1, 0);
  d.mass = [](double, const VectorRef& q, Matrix& M) {
    M = Eigen::Vector2d(1 + q[0] * q[0] / 4, 1).asDiagonal();
  };
  d.automatic_coriolis = true;
  d.potential = scalar_from_value([](double, const VectorRef& q) { return 9.81 * q[1]; });
  d.forces = [](double, const VectorRef&, const VectorRef& v, Vector& k) { k[0] = -0.3 * v[0]; };
  d.springs.push_back({"s", scalar_from_value([](double, const VectorRef& q) {
                         return std::hypot(q[0] - 1, q[1] - 1) - 0.5;
                       }),
                       30});
  LagrangianDefinition::Contact floor;
  floor.name = "floor";
  floor.gap = scalar_from_value([](double, const VectorRef& q) { return q[1] - 0.1 * std::sin(3 * q[0]); });
  floor.tangents.push_back(row_from_values(
      [](double, const VectorRef& q, Vector& row) { row = Eigen::Vector2d(1, 0.3 * std::cos(3 * q[0])); }));
  floor.friction = 0.2;
  floor.restitution = 0.5;
  d.contacts.push_back(floor);
  auto system = std::make_shared<LagrangianSystem>(d);
  Simulation simulation(system, system->initial_state(), {.step = 1e-3});
  ASSERT_TRUE(simulation.run_until(1.0));
  const State formulas = run_to(scene, 1.0, {"stepper.step=1e-3"});
  EXPECT_LT((simulation.state().q - formulas.q).norm(), 1e-6);
  EXPECT_GT(formulas.history.num_steps, 0u);
}

TEST(CrossCheck, ImpactLawsAgreeOnOneFrictionlessContact) {
  const auto end = [](const char* law) {
    return run_scene("double_pendulum_wall",
                     {std::string("impact.law=") + law, "stepper.step=2^-7", "stepper.projection=all"})
        .q;
  };
  EXPECT_LT((end("newton") - end("poisson")).norm(), 1e-12);
}

TEST(CrossCheck, FrictionlessLawIgnoresTheCoefficient) {
  const State law = run_scene("block_on_table", {"law.name=frictionless", "duration=2"});
  const State coefficient = run_scene("block_on_table", {"contacts.table.friction=0", "duration=2"});
  EXPECT_EQ(law.q, coefficient.q);
  // Free motion: x = 3 + 8 (1 − cos t), up to the trapezoidal rule's error.
  EXPECT_NEAR(law.q[0], 3 + 8 * (1 - std::cos(2.0)), 2e-4);
}

// One step against the formula of the scheme, by hand: Potra et al. 2006, 6.10 for a damped spring in one dimension.
TEST(CrossCheck, TrapezoidalStepByHand) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [q]
  position: [0.3]
  velocity: [-0.7]
  mass: [[2]]
  forces: [cos(t) - 0.5*v_q]
  springs: [{name: s, elongation: q - 0.1, stiffness: 40}]
stepper: {name: trapezoidal-2}
)";
  const double h = 0.05, m = 2, k = 40, c = 0.5, q = 0.3, v = -0.7;
  const auto force = [&](double t) { return std::cos(t) - c * v - k * (q - 0.1); };
  const double A = m + h / 2 * c + h * h / 4 * k;
  const double v1 = v + h / 2 * (force(0) + force(h) - h * k * v) / A;
  const State s = run_to(scene, h, {"stepper.step=0.05"});
  EXPECT_NEAR(s.v[0], v1, 1e-15);
  EXPECT_NEAR(s.q[0], q + h / 2 * (v + v1), 1e-15);
}

// Anitescu and Potra 1997, §4 by hand: data at the new position, explicit forces, constraint on the new velocity.
TEST(CrossCheck, AnitescuPotraStepByHand) {
  const std::string scene = R"(
delassus: 1
bodies: [{name: bob, mass: 2, position: [1, 0, 0], velocity: [0, -1, 0]}]
joints: [{name: rod, type: distance, between: [world, bob], length: 1}]
stepper: {name: anitescu-potra, step: 0.01, projection: none}
)";
  const double h = 0.01;
  const Eigen::Vector2d q1(1, -h), n = q1 / 1.0;  // Gᵀ = d/L at q⁺
  const Eigen::Vector2d free(0, -1 - 9.81 * h);
  const Eigen::Vector2d v1 = free - n * n.dot(free) / n.squaredNorm();
  const State s = run_to(scene, h);
  EXPECT_NEAR((s.q.head<2>() - q1).norm(), 0, 1e-16);
  EXPECT_NEAR((s.v.head<2>() - v1).norm(), 0, 1e-15);
}

}  // namespace
}  // namespace delassus::crosscheck_test
