// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Monitors of a run: bounds of the energy that hold for schemes that are always solvable and are broken by laws and steps that give
// energy, and contacts that can wedge.
#include "delassus/simulation/bound_watch.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/simulate.hpp"
#include "delassus/front/load_scene.hpp"

namespace delassus::bound_watch_test {
namespace {

using testing::simulate;

long count_bounds(Simulation& simulation, double t_end, std::string* text = nullptr) {
  long count = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    for (const Warning& warning : report.warnings)
      if (warning.kind == WarningKind::bound) {
        ++count;
        if (text != nullptr) *text = warning.text;
      }
    return true;
  });
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  return count;
}

// A block thrown onto a floor that slides to rest, under gravity only: every scheme keeps the bounds, and one contact is pointed.
TEST(BoundWatch, HoldsForSlidingAndFalling) {
  const std::string scene = R"(
delassus: 1
bodies: [{name: puck, mass: 2, position: [0, 0.5, 0], velocity: [2, 1, 0]}]
contacts: [{name: floor, type: plane, body: puck, normal: [0, 1, 0], friction: 0.5, restitution: 0.6}]
monitors: true
)";
  for (const char* name :
       {"trapezoidal-2", "trapezoidal-1", "anitescu-potra", "anitescu-potra-stiff", "moreau-jean"})
    for (const char* law : {"newton", "poisson", "simplified"}) {
      SCOPED_TRACE(std::string(name) + " " + law);
      Simulation simulation = simulate(scene, {std::string("stepper.name=") + name,
                                               std::string("impact.law=") + law, "stepper.step=0.01"});
      EXPECT_EQ(count_bounds(simulation, 2), 0);
      const RunBounds& bounds = simulation.bound_watch().bounds();
      EXPECT_TRUE(bounds.watched);
      EXPECT_EQ(bounds.why_not, "");
      EXPECT_LE(bounds.step_ratio, 1 + 1e-9);
      EXPECT_GT(bounds.step_ratio, 0.99);  // free fall reaches it
      EXPECT_LE(bounds.growth_ratio, 1 + 1e-9);
      EXPECT_GT(bounds.pointedness, 0.8);  // of one contact: its friction does nothing for the normal
    }
}

// Poisson's law with friction gives a falling rod energy: 0.5 J become 0.653 J (docs/impacts.md). The others do not.
TEST(BoundWatch, PoissonsLawBreaksIt) {
  const auto run = [](const std::vector<std::string>& more, std::string* text) {
    std::vector<std::string> settings{"constants.mu=1.2", "constants.e=1", "constants.vx=0",
                                      "constants.vy=-1",  "monitors=true", "stepper.step=1e-5"};
    settings.insert(settings.end(), more.begin(), more.end());
    Simulation simulation(load_scene("falling_rod", {settings.begin(), settings.end()}));
    const long count = count_bounds(simulation, 1e-3, text);
    return std::pair(count, simulation.bound_watch().bounds());
  };
  std::string text;
  const auto [given, bounds] = run({"impact.law=poisson"}, &text);
  EXPECT_GE(given, 1);
  EXPECT_NEAR(bounds.step_ratio, 1.306, 2e-3);
  EXPECT_GT(bounds.growth_ratio, 1.05);
  EXPECT_NE(text.find("since the start"), std::string::npos) << text;
  EXPECT_EQ(run({"impact.law=simplified"}, nullptr).first, 0);
  EXPECT_EQ(run({"impact.law=newton"}, nullptr).first, 0);
  EXPECT_EQ(run({"impact.law=poisson", "impact.bound_by_total_impulse=true"}, nullptr).first, 0);
}

// Stiffness in the matrix takes energy, which is within the bounds.
TEST(BoundWatch, HoldsForImplicitForces) {
  const std::string scene = R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: bob, mass: 1, position: [1.1, 0, 0]}]
forces: [{name: spring, type: spring, between: [world, bob], stiffness: 1000, rest_length: 1}]
stepper: {name: dvi-euler, step: 0.01}
monitors: true
)";
  Simulation stiff = simulate(scene, {"stepper.implicit_forces=true"});
  EXPECT_EQ(count_bounds(stiff, 2), 0);
  EXPECT_LE(stiff.bound_watch().bounds().growth_ratio, 1);
}

// Between two slanting walls a wedge: with little friction it is pushed out, with much it can be held by its own forces alone.
TEST(BoundWatch, ContactsThatCanWedge) {
  const auto wedge = [](double friction) {
    return "delassus: 1\nbodies: [{name: puck, mass: 1, position: [0, 0, 0]}]\ncontacts:\n"
           "  - {name: left, type: plane, body: puck, normal: [0.98, 0.199, 0], friction: " +
           std::to_string(friction) +
           "}\n  - {name: right, type: plane, body: puck, normal: [-0.98, 0.199, 0], friction: " +
           std::to_string(friction) + "}\nstepper: {step: 0.01}\nmonitors: true\n";
  };
  Simulation slippery = simulate(wedge(0.1));
  EXPECT_EQ(count_bounds(slippery, 0.05), 0);
  EXPECT_GT(slippery.bound_watch().bounds().pointedness, 0.05);
  std::string text;
  Simulation rough = simulate(wedge(0.5));
  EXPECT_EQ(count_bounds(rough, 0.05, &text), 1);
  EXPECT_NE(text.find("wedged by friction"), std::string::npos) << text;
  EXPECT_NE(text.find("'left'"), std::string::npos) << text;
  EXPECT_LT(rough.bound_watch().bounds().pointedness, 1e-6);
}

// Where they do not apply they say so; and they are off unless asked for.
TEST(BoundWatch, WhereItDoesNotApply) {
  const std::string varying = R"(
delassus: 1
lagrangian: {coordinates: [r, a], position: [1, 0], velocity: [0, 1], mass: [1, 'r^2']}
stepper: {step: 0.01}
)";
  Simulation off = simulate(varying);
  EXPECT_EQ(count_bounds(off, 0.1), 0);
  EXPECT_FALSE(off.bound_watch().bounds().watched);
  Simulation on = simulate(varying, {"monitors=true"});
  EXPECT_EQ(count_bounds(on, 0.1), 0);
  EXPECT_EQ(on.bound_watch().bounds().why_not, "masses vary");
  Simulation driven = simulate(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  mass: [1, 1]
  position: [0, 0]
  velocity: [0, 1]
  constraints: [{name: motor, equation: y - t}]
  forces: [0, 'x']
monitors: true
stepper: {step: 0.01}
)",
                               {"lagrangian.forces=[0, -3]"});
  EXPECT_EQ(count_bounds(driven, 0.1), 0);
  EXPECT_NE(driven.bound_watch().bounds().why_not.find("prescribed"), std::string::npos);
}

}  // namespace
}  // namespace delassus::bound_watch_test
