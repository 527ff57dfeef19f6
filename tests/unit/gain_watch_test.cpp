// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step has gained from nowhere is taken out of the velocities of an island, and nothing else is; what counts as
// round-off of an energy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "delassus/steppers/step_retries.hpp"
#include "delassus/steppers/tolerances.hpp"
#include "tests/support/simulate.hpp"

namespace delassus::gain_watch_test {
namespace {

constexpr const char* k_free_box = R"(
delassus: 1
name: free_box
duration: 1
gravity: [0, 0, 0]
bodies:
  - {name: box, type: rigid, mass: 2, velocity: [3, 0, 0], angular_velocity: [0, 0, 1], shapes: [{type: box, size: [1, 1, 1]}]}
)";

class TakeOut : public ::testing::Test {
 protected:
  // A step that leaves `factor` times the velocity it began with.
  void take(double factor, Reach* reach) {
    const StepRequest request{.t_end = 0.01, .t_next = 0.01, .reach = reach};
    step_.begin(simulation_.system(), simulation_.state(), request, report_);
    report_.ok = true;
    v_ = step_.now.phase.v;
    GainWatch gains;
    gains.restart();
    gains.begin(step_);
    step_.now.phase.v *= factor;
    gains.take_out(step_, v_, false);
  }

  Simulation simulation_ = testing::simulate(k_free_box);
  StepInProgress step_;
  StepReport report_;
  Vector v_;
};

TEST_F(TakeOut, RestoresTheEnergyAndBooksIt) {
  Reach reach;
  take(2, &reach);
  EXPECT_LE((step_.now.phase.v - v_).norm(), 1e-14 * v_.norm());
  // T = ½ · 2 · 9 + ½ · (2/6) · 1 [J], of which three times as much came from nowhere.
  EXPECT_NEAR(step_.history.energy.projection, -3 * (9 + 1.0 / 6), 1e-12);
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_EQ(report_.warnings[0].kind, WarningKind::energy_gain);
}

TEST_F(TakeOut, LeavesWhatGainedNothing) {
  Reach reach;
  take(0.5, &reach);
  EXPECT_EQ(step_.now.phase.v, 0.5 * v_);
  EXPECT_TRUE(report_.warnings.empty());
}

TEST_F(TakeOut, IsForIslandsOnly) {
  take(2, nullptr);
  EXPECT_EQ(step_.now.phase.v, 2 * v_);
}

class Refuses : public ::testing::Test {
 protected:
  // A step that leaves 100 times the velocity it began with, and books that as impacts and projection, partly as lifts, in units of
  // the kinetic energy it began with.
  bool refuses(double impacts, double projection, double lifted) {
    const StepRequest request{.t_end = 0.01, .t_next = 0.01};
    step_.begin(simulation_.system(), simulation_.state(), request, report_);
    report_.ok = true;
    const Vector v = step_.now.phase.v;
    GainWatch gains;
    gains.restart();
    gains.begin(step_);
    const double kinetic = gains.energies_before().kinetic;
    step_.now.phase.v *= 100;
    step_.history.energy.impacts += impacts * kinetic;
    step_.history.energy.projection += projection * kinetic;
    step_.lifted += lifted * kinetic;
    return gains.refuses(step_, v, false);
  }

  Simulation simulation_ = testing::simulate(k_free_box);
  StepInProgress step_;
  StepReport report_;
};

TEST_F(Refuses, WhatHasBlownUpWhateverIsBooked) {
  EXPECT_TRUE(refuses(0, 0, 0));
  EXPECT_FALSE(report_.ok);
  EXPECT_NE(report_.message.find("blows up"), std::string::npos) << report_.message;
  // By the impulses of contacts and what the projection took back of them, and more.
  EXPECT_TRUE(refuses(3e4, -1e4, 0));
  EXPECT_TRUE(refuses(1e4, 0, 0));
  // By a projection of velocities.
  EXPECT_TRUE(refuses(0, 1e4, 0));
}

TEST_F(Refuses, NotWhatWasLiftedAndFell) {
  EXPECT_FALSE(refuses(0, 1e4, 1e4));
  EXPECT_TRUE(report_.ok);
}

// A bushing that holds a box aside from its place, where all lengths are 2^exponent times as large: forces 2^exponent, torques and
// energies 4^exponent.
double round_off_of_bushing(int exponent) {
  const double c = std::ldexp(1.0, exponent);
  Simulation simulation = testing::simulate(fmt::format(R"(
delassus: 1
name: bushing
duration: 1
gravity: [0, 0, 0]
bodies:
  - {{name: box, type: rigid, mass: 2, position: [{0}, 0, 0], rotation: [0, 0, 0.5], shapes: [{{type: box, size: [{0}, {0}, {0}]}}]}}
forces:
  - {{name: hold, type: bushing, between: [world, box], point_a: [0, 0, 0], point_b: [0, 0, 0], stiffness: [{1}, {1}, {1}, {2}, {2}, {2}]}}
)",
                                                        c, 1e6, 3e4 * c * c));
  const State& state = simulation.state();
  Vector k;
  simulation.system().forces(state.t, state.q, state.v, k);
  return energy_round_off(simulation.system(), state.q, k);
}

TEST(EnergyRoundOff, DoesNotDependOnTheUnitOfLength) {
  const double one = round_off_of_bushing(0);
  ASSERT_GT(one, 0);
  // But for positions, which are known to 1e-10 m at best: 1e-4 of it for bodies of 1 m, 64 times as much for those of 1/64 m.
  for (int exponent : {-6, 6})
    EXPECT_NEAR(std::ldexp(round_off_of_bushing(exponent), -2 * exponent), one, 0.02 * one) << exponent;
}

}  // namespace
}  // namespace delassus::gain_watch_test
