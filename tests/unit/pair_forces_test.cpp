// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contact forces summed by pairs of bodies and by bodies: they carry the weight, balance the moments, and come in pairs.
#include "delassus/recorder/pair_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

#include "../support/runs.hpp"

namespace delassus::pair_forces_test {
namespace {

constexpr double k_gravity = 9.81;
// Forces of the step's problem, solved to a residual of 1e-10.
constexpr double k_force_error = 1e-7;

// A box on the ground that carries a smaller one beside its middle; the frame of the large box is not at its centre of mass.
const std::string k_stack = R"(delassus: 1
name: stack
duration: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - name: table
    type: rigid
    mass: 3
    inertia: [0.1, 0.1, 0.1]
    center_of_mass: [0, 0.1, 0]
    position: [0.3, 0, -0.2]
    shapes: [{type: box, size: [0.6, 0.2, 0.4], position: [0, 0.1, 0]}]
  - name: load
    type: rigid
    mass: 2
    inertia: [0.01, 0.01, 0.01]
    position: [0.45, 0.25, -0.15]
    shapes: [{type: box, size: [0.1, 0.1, 0.1]}]
contact: {friction: 0.5}
stepper: {step: 1e-3}
)";

Vector3 up(double force) {
  return {0, force, 0};
}

void expect_near(const Vector3& value, const Vector3& expected) {
  EXPECT_LT((value - expected).norm(), k_force_error)
      << value.transpose() << " is not " << expected.transpose();
}

const PairForce& find(const ContactForces& forces, int a, int b) {
  for (const PairForce& pair : forces.pairs)
    if (pair.bodies == ContactBodies{a, b}) return pair;
  throw std::runtime_error("no such pair");
}

TEST(PairForces, CarryTheWeightAndBalanceTheMoments) {
  Simulation simulation = testing::simulate(k_stack);
  ASSERT_TRUE(simulation.run_until(0.01)) << simulation.report().message;
  const ContactForces forces =
      sum_contact_forces(simulation.system(), simulation.state(), simulation.report());
  ASSERT_EQ(forces.pairs.size(), 2u);
  const PairForce& ground = find(forces, 0, 1);
  expect_near(ground.force, up(5 * k_gravity));
  EXPECT_EQ(ground.contacts, 4);
  const PairForce& load = find(forces, 1, 2);  // on the load by the table
  expect_near(load.force, up(2 * k_gravity));
  expect_near(load.moment, Vector3::Zero());  // its centre of mass is above the middle of what carries it

  // The load acts 0.15 and 0.05 m beside the centre of mass of the table; the ground takes its moment.
  const Vector3 arm(0.15, 0, 0.05);
  expect_near(ground.moment, arm.cross(up(2 * k_gravity)));

  ASSERT_EQ(forces.wrenches.size(), 3u);
  expect_near(forces.wrenches[0].force, up(-5 * k_gravity));
  expect_near(forces.wrenches[1].force, up(3 * k_gravity));
  expect_near(forces.wrenches[1].moment, Vector3::Zero());
  expect_near(forces.wrenches[2].force, up(2 * k_gravity));
  Vector3 sum = Vector3::Zero();
  for (const BodyWrench& wrench : forces.wrenches) sum += wrench.force;
  EXPECT_LT(sum.norm(), 1e-12);
}

TEST(PairForces, TheOrderOfTheBodiesOfAContactDoesNotMatter) {
  Recording recording;
  recording.body_names = {"a", "b"};
  recording.body_centers = {{1, 0, 0}, {0, 0, 0}};
  recording.bodies.assign(2 * k_body_numbers, 0.0);
  recording.bodies[3] = recording.bodies[k_body_numbers + 3] = 1;  // quaternions
  recording.time = {0};
  RecordedContact contact;
  contact.id = 1;
  contact.point = {0, 2, 0};
  contact.force = {3, 4, 5};
  contact.couple = {0.1, 0.2, 0.3};
  RecordedContact turned = contact;
  turned.id = 2;
  turned.force = -contact.force;
  turned.couple = -contact.couple;
  RecordedContact placeless = contact;
  placeless.id = 3;
  recording.contacts = {contact, turned, placeless};
  recording.contact_starts = {0, 3};
  recording.contact_labels = {{1, "one", {0, 1}}, {2, "two", {1, 0}}, {3, "stop", {}}};
  const ContactForces forces = sum_contact_forces(recording, 0);
  ASSERT_EQ(forces.pairs.size(), 1u);
  EXPECT_EQ(forces.pairs[0].contacts, 2);
  expect_near(forces.pairs[0].force, Vector3(6, 8, 10));
  // (0, 2, 0) × (3, 4, 5) = (10, 0, −6)
  expect_near(forces.pairs[0].moment, 2 * Vector3(10.1, 0.2, -5.7));
  // About the centre of a: (−1, 2, 0) × (−3, −4, −5) = (−10, −5, 10)
  expect_near(forces.wrenches[0].moment, 2 * Vector3(-10.1, -5.2, 9.7));
}

}  // namespace
}  // namespace delassus::pair_forces_test
