// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction by a given polygon against closed forms: a sled that slides easier along than across, and one that slides easier forward than
// backward. Friction is constant as long as the slip stays between two sides of the polygon.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../support/simulate.hpp"

namespace delassus::friction_polygon_test {
namespace {

using testing::run_to;
using testing::simulate;

constexpr double k_g = 9.81;

// A puck that does not turn; the polygon belongs to it, or to the floor.
std::string sled(const std::string& polygon, const std::string& start, bool on_floor = false) {
  const std::string surface = "friction_axis: [1, 0, 0], friction_polygon: " + polygon;
  return "delassus: 1\nbodies:\n"
         "  - {name: sled, type: rigid, mass: 2, inertia: [1e9, 1e9, 1e9], position: [0, 0.1, 0], " +
         start + ", shapes: [{type: sphere, radius: 0.1" + (on_floor ? "" : ", " + surface) +
         "}]}\n"
         "  - {name: floor, type: fixed, shapes: [{type: plane, normal: [0, 1, 0]" +
         (on_floor ? ", " + surface : "") +
         "}]}\n"
         "law: {name: coulomb-polyhedral}\nstepper: {name: moreau-jean, step: 1e-3}\n";
}

const char* const k_runners = "[[0.1, 0.4], [-0.1, 0.4], [-0.1, -0.4], [0.1, -0.4]]";

std::string pull(double x, double z) {
  return fmt::format("gravity=[{}, {}, {}]", x * k_g, -k_g, z * k_g);
}

TEST(FrictionPolygon, StickingLimitOfARectangle) {
  struct Case {
    double x, z;
    bool holds;
  };
  for (const char* stepper : {"moreau-jean", "trapezoidal-1", "dvi-euler", "anitescu-potra-stiff"})
    for (const Case& one :
         {Case{0.099, 0, true}, Case{0.101, 0, false}, Case{0, 0.395, true}, Case{0, 0.405, false},
          // Both at once: a corner, where an ellipse would give way.
          Case{0.099, 0.395, true}, Case{-0.099, 0.395, true}, Case{0.08, -0.41, false}}) {
      SCOPED_TRACE(fmt::format("{} {} {}", stepper, one.x, one.z));
      const State state = run_to(sled(k_runners, "velocity: [0, 0, 0]"), 0.2,
                                 {pull(one.x, one.z), std::string("stepper.name=") + stepper});
      EXPECT_EQ(state.v.norm() < 1e-9, one.holds) << state.v.norm();
      if (one.holds) {
        EXPECT_LT(std::hypot(state.q[0], state.q[2]), 1e-9);
      }
    }
}

// It slides along and sticks across, although it is pulled across by three quarters of what holds it there: the force lies on a side
// of the polygon. A circular or elliptic law would let it drift.
TEST(FrictionPolygon, SticksAcrossWhileItSlidesAlong) {
  const double v = 2, t = 1;
  Simulation simulation = simulate(sled(k_runners, "velocity: [2, 0, 0]"), {pull(0, 0.3)});
  ASSERT_TRUE(simulation.run_until(t)) << simulation.report().message;
  const State& state = simulation.state();
  EXPECT_NEAR(state.v[0], v - 0.1 * k_g * t, 1e-9);
  EXPECT_NEAR(state.q[0], v * t - 0.05 * k_g * t * t, 1e-9);
  EXPECT_NEAR(state.v[2], 0, 1e-9);
  EXPECT_NEAR(state.q[2], 0, 1e-9);
  const ContactReport& contact = simulation.report().contacts.at(0);
  EXPECT_NEAR(std::abs(contact.impulse[1]), 0.1 * contact.impulse[0], 1e-9);
  EXPECT_NEAR(std::abs(contact.impulse[2]), 0.3 * contact.impulse[0], 1e-9);
}

// Launched at an angle both components fall at their own rate until they are zero: corner, then side.
TEST(FrictionPolygon, LaunchedAtAnAngle) {
  const double v = 1.5, w = 2, t = 1.2, t_stop = w / (0.4 * k_g);
  ASSERT_LT(t_stop, t);
  const auto error = [&](double h, const char* stepper) {
    Simulation simulation =
        simulate(sled(k_runners, "velocity: [1.5, 0, 2]"),
                 {fmt::format("stepper.step={}", h), std::string("stepper.name=") + stepper});
    double last = 1e9;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      // Friction takes energy in every step.
      EXPECT_LE(report.energy.kinetic, last + 1e-12);
      last = report.energy.kinetic;
      return true;
    });
    EXPECT_TRUE(simulation.run_until(t)) << simulation.report().message;
    const State& state = simulation.state();
    EXPECT_NEAR(simulation.report().energy.error, 0, 1e-9);
    EXPECT_NEAR(state.v[2], 0, 1e-9);
    return std::hypot(state.q[0] - (v * t - 0.05 * k_g * t * t), state.q[2] - 0.5 * w * t_stop);
  };
  for (const char* stepper : {"moreau-jean", "trapezoidal-1"}) {
    // Only the end of the slip across is not resolved.
    EXPECT_LT(error(1e-3, stepper), 1e-5) << stepper;
    EXPECT_LT(error(1e-4, stepper), 1e-6) << stepper;
  }
}

// Of the sled 0.1 against forward motion, 0.5 against backward motion, 0.3 and 0.2 against those to the sides. A floor of the same
// kind has the reaction along its axis; across, the other side of the surface turns the second axis round as well.
TEST(FrictionPolygon, NeedNotBeSymmetric) {
  const char* const own = "[[-0.1, 0.2], [-0.1, -0.3], [0.5, -0.3], [0.5, 0.2]]";
  const char* const of_floor = "[[0.1, 0.2], [0.1, -0.3], [-0.5, -0.3], [-0.5, 0.2]]";
  struct Case {
    const char* velocity;
    int component;
    double start, force;
  };
  const double t = 0.1;
  for (const Case& one :
       {Case{"velocity: [1, 0, 0]", 0, 1, -0.1}, Case{"velocity: [-1, 0, 0]", 0, -1, 0.5},
        Case{"velocity: [0, 0, 1]", 2, 1, -0.3}, Case{"velocity: [0, 0, -1]", 2, -1, 0.2}}) {
    SCOPED_TRACE(one.velocity);
    const double end = one.start + one.force * k_g * t;
    EXPECT_NEAR(run_to(sled(own, one.velocity), t).v[one.component], end, 1e-9);
    EXPECT_NEAR(run_to(sled(of_floor, one.velocity, true), t).v[one.component], end, 1e-9);
  }
}

// A box on four corners with runners: it stops after v²/(2 μ g) each way, and is not turned.
TEST(FrictionPolygon, BoxOnFourCorners) {
  const auto box = [](const std::string& velocity) {
    return "delassus: 1\nbodies:\n  - {name: sled, type: rigid, density: 500, position: [0, 0.1, 0], "
           "velocity: " +
           velocity +
           ", shapes: [{type: box, size: [0.8, 0.2, 0.4], friction_axis: [1, 0, 0], friction_polygon: " +
           k_runners +
           "}]}\n  - {name: floor, type: fixed, shapes: [{type: plane, normal: [0, 1, 0]}]}\n"
           "law: {name: coulomb-polyhedral}\nstepper: {name: moreau-jean, step: 1e-3}\n";
  };
  const State along = run_to(box("[0.5, 0, 0]"), 1), across = run_to(box("[0, 0, 0.5]"), 1);
  EXPECT_NEAR(along.q[0], 0.125 / (0.1 * k_g), 1e-3);
  EXPECT_NEAR(across.q[2], 0.125 / (0.4 * k_g), 1e-3);
  for (const State* state : {&along, &across}) {
    EXPECT_LT(state->v.norm(), 1e-9);
    EXPECT_NEAR(std::abs(state->q[3]), 1, 1e-6);
  }
}

TEST(FrictionPolygon, WhereItIsRefused) {
  const auto refused = [](const std::string& scene, const std::vector<std::string>& settings,
                          const char* part) {
    try {
      simulate(scene, settings);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const std::string start = "velocity: [1, 0, 0]";
  refused(sled(k_runners, start), {"law.name=coulomb"}, "coulomb-polyhedral");
  refused(sled("[[0.1, 0.4], [-0.1, 0.4]]", start), {}, "3 or more");
  refused(sled("[[0.1, 0.4], [0.3, 0.4], [0.3, -0.4]]", start), {}, "origin is not inside");
  refused(sled("[[0.1, 0.4, 1], [-0.1, 0.4, 1], [0, -1, 0]]", start), {}, "friction_polygon");
  refused(sled(std::string(k_runners) + ", friction_2: 0.3", start), {}, "without friction_2");
  EXPECT_NO_THROW(simulate(sled(k_runners, start), {"law.name=frictionless"}));
}

}  // namespace
}  // namespace delassus::friction_polygon_test
