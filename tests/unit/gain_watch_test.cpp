// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step has gained from nowhere is taken out of the velocities of an island, and nothing else is.
#include <gtest/gtest.h>

#include "delassus/steppers/step_retries.hpp"
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

}  // namespace
}  // namespace delassus::gain_watch_test
