// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces that are not unique: the least of them, the same whatever the solver; and motions that must not depend on them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/steppers/redundancy.hpp"

namespace delassus::shared_forces_test {
namespace {

// Force of a contact in world axes, mean over the last step [N].
Vector3 force(const StepReport& report, const ContactReport& contact) {
  return contact.place.frame * contact.impulse / (report.t_end - report.t_begin);
}

double largest_sideways(Simulation& s, double until) {
  double largest = 0;
  while (s.time() < until - 1e-9) {
    if (!s.step().ok) {
      ADD_FAILURE() << s.report().message;
      break;
    }
    for (const ContactReport& contact : s.report().contacts)
      if (contact.place.frame.allFinite())
        largest = std::max(largest, std::abs(force(s.report(), contact).z()));
  }
  return largest;
}

struct Way {
  const char *solver, *stepper;
};
const std::vector<Way> k_ways = {{"auto", "trapezoidal-2"},
                                 {"nsgs", "trapezoidal-2"},
                                 {"admm", "trapezoidal-2"},
                                 {"auto", "moreau-jean"},
                                 {"nsgs", "alpha-gamma"}};

std::vector<SceneSetting> settings(const Way& way) {
  return {std::string("solver.name=") + way.solver, std::string("stepper.name=") + way.stepper};
}

// A ball in a vertical plane, pushed along the floor: it rolls with 2/7 of the push as friction, and neither its planar
// joint nor the floor has anything to hold sideways.
constexpr const char* k_foot = R"(
delassus: 1
name: foot
duration: 0.02
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: foot, type: rigid, mass: 1, position: [0, 0.1, 0], velocity: [0, -1, 0], shapes: [{type: sphere, radius: 0.1}]}
joints:
  - {name: plane, type: planar, between: [world, foot], point: [0, 0.1, 0], axis: [0, 0, 1]}
forces:
  - {name: push, type: applied, body: foot, force: [3, -20, 0]}
)";

TEST(SharedForces, PlanarMechanismHasNoLateralForce) {
  for (const Way& way : k_ways)
    for (const char* axis : {"joints.plane.axis=[0, 0, 1]", "joints.plane.axis=[0, 0, -2]"}) {
      SCOPED_TRACE(std::string(way.solver) + ", " + way.stepper + ", " + axis);
      std::vector<SceneSetting> set = settings(way);
      set.emplace_back(axis);
      Simulation s(parse_scene(k_foot, "foot", set));
      // The weight and the push are 30 N; round-off of the projection of an impact counts by h.
      EXPECT_LT(largest_sideways(s, 0.02), 1e-9);
      ASSERT_EQ(s.report().contacts.size(), 1U);
      const Vector3 f = force(s.report(), s.report().contacts[0]);
      EXPECT_NEAR(f.x(), -6.0 / 7, 1e-9);
      EXPECT_NEAR(f.y(), 29.81, 1e-9);
      EXPECT_TRUE(s.report().contacts[0].shared) << "the joint could hold it as well";
      EXPECT_FALSE(s.report().shared_joint_rows.empty());
    }
}

// Four corners share the weight and a push that they hold; the least share is linear in their places: a quarter each of the
// push, and of the weight with what its moment h F about z needs.
TEST(SharedForces, CornersOfABoxShareEvenly) {
  const std::string scene = R"(
delassus: 1
name: box
duration: 0.01
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: box, type: rigid, mass: 1, position: [0, 0.1, 0], shapes: [{type: box, size: [0.4, 0.2, 0.3]}]}
forces:
  - {name: push, type: applied, body: box, force: [2, 0, 0]}
contact: {friction: 0.6}
)";
  for (const Way& way : k_ways) {
    SCOPED_TRACE(std::string(way.solver) + ", " + way.stepper);
    Simulation s(parse_scene(scene, "box", settings(way)));
    ASSERT_TRUE(s.run_until(0.01));
    ASSERT_EQ(s.report().contacts.size(), 4U);
    for (const ContactReport& contact : s.report().contacts) {
      const Vector3 f = force(s.report(), contact);
      const double side = contact.place.point().x() > 0 ? 1 : -1;
      EXPECT_NEAR(f.x(), -0.5, 1e-9);
      EXPECT_NEAR(f.z(), 0, 1e-9);
      // 2 N at 0.1 m above the floor, arms of 0.2 m
      EXPECT_NEAR(f.y(), (9.81 + side * 2 * 0.1 / 0.2) / 4, 1e-8);
      EXPECT_TRUE(contact.shared);
    }
  }
}

// One body on one point: nothing else could hold it.
TEST(SharedForces, UniqueForcesAreNotMarked) {
  Simulation s(parse_scene(k_foot, "foot", {"joints=[]"}));
  ASSERT_TRUE(s.run_until(0.01));
  ASSERT_EQ(s.report().contacts.size(), 1U);
  EXPECT_FALSE(s.report().contacts[0].shared);
  EXPECT_TRUE(s.report().shared_joint_rows.empty());
}

const std::string k_leg = R"(
delassus: 1
name: leg
constants: {l1: 0.2, l2: 0.2, hip0: 0.6, knee0: -1.2}
duration: 0.5
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: trunk, type: rigid, mass: 3, position: [0, 0.45, 0], shapes: [{type: box, size: [0.2, 0.08, 0.12]}]}
  - {name: thigh, type: rigid, mass: 0.5, position: [0, 0.45, 0], rotation: [0, 0, hip0], shapes: [{type: capsule, radius: 0.02, length: l1, position: [0, -l1/2, 0], rotation: [pi/2, 0, 0]}]}
  - {name: shank, type: rigid, mass: 0.2, position: [l1*sin(hip0), 0.45 - l1*cos(hip0), 0], rotation: [0, 0, hip0 + knee0], shapes: [{type: capsule, radius: 0.015, length: l2, position: [0, -l2/2, 0], rotation: [pi/2, 0, 0]}]}
joints:
  - {name: boom, type: prismatic, between: [world, trunk], point: [0, 0.45, 0], axis: [0, 1, 0]}
  - {name: hip, type: revolute, between: [trunk, thigh], point: [0, 0.45, 0]}
  - {name: knee, type: revolute, between: [thigh, shank], point: [l1*sin(hip0), 0.45 - l1*cos(hip0), 0]}
motors:
  - {name: hip_servo, type: servo, joint: hip, law: "0.25*sin(2*pi*2*t)^2", stiffness: 80, damping: 2}
  - {name: knee_servo, type: servo, joint: knee, law: "-0.5*sin(2*pi*2*t)^2", stiffness: 80, damping: 2}
limits:
  - {name: knee_stop, joint: knee, lower: -1.2, upper: 1.1}
contact: {friction: 0.8}
)";
const std::string k_rub = R"(
frictions:
  - {name: hip_rub, joint: hip, coefficient: 0.3, radius: 0.02}
  - {name: boom_rub, joint: boom, coefficient: 0.2}
)";

TEST(SharedForces, LegOnABoomHasNoLateralForce) {
  for (const char* solver : {"auto", "nsgs"}) {
    SCOPED_TRACE(solver);
    Simulation s(parse_scene(k_leg, "leg", {std::string("solver.name=") + solver}));
    // Impacts are some hundred newtons.
    EXPECT_LT(largest_sideways(s, 0.5), 1e-7);
  }
}

// Friction in joints reads the forces: with those of a solver's choice it jams at 0.19 s.
TEST(SharedForces, FrictionInJointsOfALegSettles) {
  Simulation s(parse_scene(k_leg + k_rub, "leg", {}));
  EXPECT_LT(largest_sideways(s, 0.5), 1e-7);
  EXPECT_TRUE(s.report().warnings.empty());
}

// In free fall joints carry nothing but round-off, which limits friction and never settles.
TEST(SharedForces, FrictionInJointsSettlesInFreeFall) {
  const std::string scene = R"(
delassus: 1
name: fall
duration: 0.2
bodies:
  - {name: a, type: rigid, mass: 0.0142, position: [0.8, 0.432, 0.01], rotation: [2.763, 1.079, 1.259], shapes: [{type: sphere, radius: 0.104}]}
  - {name: b, type: rigid, mass: 0.7796, position: [1.2, 0.432, 0.007], rotation: [-1.6, -0.267, 1.764], shapes: [{type: cylinder, radius: 0.06, length: 0.241}]}
joints:
  - {name: rail, type: prismatic, between: [a, b], point: [1, 0.432, 0], axis: [0.891, 2.069, 0.121]}
frictions:
  - {name: rub, joint: rail, coefficient: 0.349}
)";
  Simulation s(parse_scene(scene, "fall", {}));
  while (s.time() < 0.2 - 1e-9) {
    ASSERT_TRUE(s.step().ok) << s.report().message;
    ASSERT_TRUE(s.report().warnings.empty()) << s.report().warnings[0].text;
  }
}

// The light body lies under the heavy one: round-off of the forces on it moves it by 1e-9 of what each of them would.
TEST(SharedForces, MassRatiosUpToABillionRest) {
  for (const char* mass : {"1e-4", "1e-5"}) {
    SCOPED_TRACE(mass);
    const std::string scene = std::string(R"(
delassus: 1
name: ratio
duration: 0.05
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: a, type: rigid, mass: )") +
                              mass + R"(, position: [0, 0.5, 0], shapes: [{type: box, size: [1, 1, 1]}]}
  - {name: b, type: rigid, mass: 1e4, position: [0, 1.5, 0], shapes: [{type: box, size: [1, 1, 1]}]}
)";
    Simulation s(parse_scene(scene, "ratio", {}));
    while (s.time() < 0.05 - 1e-9) {
      ASSERT_TRUE(s.step().ok) << s.report().message;
      ASSERT_TRUE(s.report().warnings.empty()) << s.report().warnings[0].text;
    }
    EXPECT_NEAR(s.body(s.find_body("a")).position().y(), 0.5, 1e-9);
    EXPECT_NEAR(s.body(s.find_body("b")).position().y(), 1.5, 1e-9);
  }
}

// A gripper lifts a box with 1.6 times the force that friction needs. Its eight contacts share their forces in many ways,
// in some of which one of them is at its limit and the box turns about the others: sticking is feasible and wins.
TEST(SharedForces, AGripHolds) {
  const std::string scene = R"scene(
delassus: 1
name: gripper
constants: {F: 7.4452, w: 0.06, gap: 0.01}
duration: 1.5
bodies:
  - {name: floor, type: fixed, shapes: [{type: plane}]}
  - name: palm
    type: kinematic
    motion: [0, "0.2 + 0.2*(3*clamp(t - 0.5, 0, 1)^2 - 2*clamp(t - 0.5, 0, 1)^3)", 0]
    shapes: [{type: box, size: [0.3, 0.02, 0.06]}]
  - {name: left, type: rigid, mass: 0.2, position: [-w/2 - gap - 0.01, 0.1, 0], shapes: [{type: box, size: [0.02, 0.18, 0.04]}]}
  - {name: right, type: rigid, mass: 0.2, position: [w/2 + gap + 0.01, 0.1, 0], shapes: [{type: box, size: [0.02, 0.18, 0.04]}]}
  - {name: box, type: rigid, mass: 0.4205, position: [0, w/2, 0], shapes: [{type: box, size: [w, w, w]}]}
joints:
  - {name: slide_left, type: prismatic, between: [palm, left], point: [-w/2 - gap - 0.01, 0.2, 0], axis: [1, 0, 0]}
  - {name: slide_right, type: prismatic, between: [palm, right], point: [w/2 + gap + 0.01, 0.2, 0], axis: [1, 0, 0]}
motors:
  - {name: close_left, type: force, joint: slide_left, law: F*(1 - exp(-t/0.05))}
  - {name: close_right, type: force, joint: slide_right, law: -F*(1 - exp(-t/0.05))}
contact: {friction: 0.5186}
stepper: {step: 0.003}
)scene";
  for (const char* variant : {"constants.F=7.4452", "contact.friction=0.55"}) {
    SCOPED_TRACE(variant);
    Simulation s(parse_scene(scene, "gripper", {variant}));
    ASSERT_TRUE(s.run_until(1.5)) << s.report().message;
    // The box goes with the palm.
    EXPECT_NEAR(s.body(s.find_body("box")).position().y(), 0.23, 1e-5);
    EXPECT_NEAR(std::abs(s.body(s.find_body("box")).orientation()[0]), 1, 1e-9);
  }
}

// Rolling friction has rows in two units, here a velocity of 1e-4 m/s beside one of 38 rad/s.
TEST(SharedForces, RollingFrictionOfALightBodyIsSolved) {
  const std::string scene = R"(
delassus: 1
name: rolling
duration: 0.3
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: b1, type: rigid, mass: 6.57927357, position: [0.680312525, 0.288297977, 0.503858796], rotation: [-0.200792029, -0.633746942, 1.4472568], velocity: [-0.77405637, 0.493079215, 0.890151632], angular_velocity: [2.83093422, 4.96175863, 2.1498557], friction: 0.94949112, rolling_friction: 0.000832546246, shapes: [{type: compound, shapes: [{type: cylinder, radius: 0.0713403911, length: 0.113788994, position: [0.0707760898, -0.00975918319, 0.0115941348], rotation: [0.446208405, -2.07636781, -1.67483911]}, {type: capsule, radius: 0.0247124223, length: 0.112200093, position: [-0.013913648, -0.0109105735, -0.0542454276], rotation: [1.06337653, 2.17684635, -2.61964301]}, {type: capsule, radius: 0.0665453798, length: 0.308152956, position: [0.00598371317, -0.0438755125, -0.0299026884], rotation: [-1.7305588, -0.555366174, 2.03631155]}]}]}
  - {name: b6, type: rigid, mass: 0.0075299782, position: [0.529207278, 0.208017137, 0.871060599], rotation: [-1.34346298, 1.07019954, -1.40297228], friction: 1.59436974, shapes: [{type: ellipsoid, size: [0.138253217, 0.147194425, 0.168355893]}]}
  - {name: b14, type: rigid, mass: 4.6286083, position: [0.12953835, 0.266918498, -0.505782177], rotation: [-0.0382412993, 0.185396341, 0.764172912], friction: 0.0, restitution: 0.600654836, shapes: [{type: ellipsoid, size: [0.175320763, 0.2909919, 0.22895447]}]}
)";
  Simulation s(parse_scene(scene, "rolling", {}));
  while (s.time() < 0.3 - 1e-9) {
    ASSERT_TRUE(s.step().ok) << s.report().message;
    ASSERT_TRUE(s.report().warnings.empty()) << s.report().warnings[0].text;
    ASSERT_LT(s.report().certificate.contact_residual, 1e-8);
  }
}

// The hinges of a long chain hold their axes as the elements of a beam do: softly, but all of them.
TEST(SharedForces, AChainOfAThousandHingesIsNotRedundant) {
  const double bend = 0.5;
  std::string bodies, joints, last = "world";
  double x = 0, y = 0;
  for (int i = 0; i < 1000; ++i) {
    const double angle = bend * std::sin(0.37 * i), dx = 0.05 * std::cos(angle), dy = 0.05 * std::sin(angle);
    bodies += fmt::format(
        "  - {{name: l{}, type: rigid, mass: 0.1, position: [{}, {}, 0], rotation: [0, 0, {}], inertia: "
        "[1e-5, 1e-4, "
        "1e-4]}}\n",
        i, x + dx, y + dy, angle);
    joints += fmt::format(
        "  - {{name: j{}, type: revolute, between: [{}, l{}], point: [{}, {}, 0], axis: [0, 0, 1]}}\n", i,
        last, i, x, y);
    last = fmt::format("l{}", i);
    x += 2 * dx;
    y += 2 * dy;
  }
  Simulation s(parse_scene(
      "delassus: 1\nname: chain\nduration: 0.01\nbodies:\n" + bodies + "joints:\n" + joints, "chain", {}));
  EXPECT_EQ(find_redundancy(s.system(), s.state()).num_redundant, 0);
  ASSERT_TRUE(s.step().ok) << s.report().message;
  EXPECT_EQ(s.report().certificate.redundant_joint_rows, 0);
}

// The same with 1.6 and with 1.3 times the force that friction needs: with the first the box turned by 32° and slid by 2 cm, with
// the second it held. The lift begins at 0.5 s.
TEST(SharedForces, AGripHoldsAtTheDefaultStep) {
  const std::string scene = R"scene(
delassus: 1
name: gripper
constants: {F: 5, w: 0.06, gap: 0.01}
bodies:
  - {name: floor, type: fixed, shapes: [{type: plane}]}
  - name: palm
    type: kinematic
    motion: [0, "0.2 + 0.2*(3*clamp(t - 0.5, 0, 1)^2 - 2*clamp(t - 0.5, 0, 1)^3)", 0]
    shapes: [{type: box, size: [0.3, 0.02, 0.06]}]
  - {name: left, type: rigid, mass: 0.2, position: [-w/2 - gap - 0.01, 0.1, 0], shapes: [{type: box, size: [0.02, 0.18, 0.04]}]}
  - {name: right, type: rigid, mass: 0.2, position: [w/2 + gap + 0.01, 0.1, 0], shapes: [{type: box, size: [0.02, 0.18, 0.04]}]}
  - {name: box, type: rigid, mass: 0.5, position: [0, w/2, 0], shapes: [{type: box, size: [w, w, w]}]}
joints:
  - {name: slide_left, type: prismatic, between: [palm, left], point: [-w/2 - gap - 0.01, 0.2, 0], axis: [1, 0, 0]}
  - {name: slide_right, type: prismatic, between: [palm, right], point: [w/2 + gap + 0.01, 0.2, 0], axis: [1, 0, 0]}
motors:
  - {name: close_left, type: force, joint: slide_left, law: F*(1 - exp(-t/0.05))}
  - {name: close_right, type: force, joint: slide_right, law: -F*(1 - exp(-t/0.05))}
contact: {friction: 0.8}
)scene";
  for (const char* force : {"constants.F=5", "constants.F=4"}) {
    SCOPED_TRACE(force);
    Simulation s(parse_scene(scene, "gripper", {force}));
    double turn = 0, slide = 0;
    s.observe([&](const Simulation& now, const StepReport&) {
      const BodyView box = now.body(now.find_body("box")), left = now.body(now.find_body("left"));
      turn = std::max(turn, 2 * box.orientation().tail<3>().norm());  // small angles
      // The fingers go with the palm; the box began 0.07 m below the middle of a finger.
      slide = std::max(
          {slide, std::abs(box.position().y() - left.position().y() + 0.07), std::abs(box.position().z())});
    });
    ASSERT_TRUE(s.run_until(0.65)) << s.report().message;
    EXPECT_GT(s.body(s.find_body("box")).position().y(), 0.03 + 0.01) << "it is lifted";
    EXPECT_LT(turn, 0.5 * std::numbers::pi / 180);
    EXPECT_LT(slide, 1e-4);
  }
}

}  // namespace
}  // namespace delassus::shared_forces_test
