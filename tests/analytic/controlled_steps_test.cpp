// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step and its halves do not show by their difference: forces that rise and fall between the points that are looked at, and events
// that cut both alike. Whatever the interval of outputs, the tolerance is met.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"
#include "tests/support/simulate.hpp"

namespace delassus::controlled_steps_test {
namespace {

// Slips and sticks seven times under 8 cos t [Potra et al. 2006, 10.2]; it slips for 0.6 s in three.
class ControlledBlock : public ::testing::TestWithParam<const char*> {};

TEST_P(ControlledBlock, MeetsTheToleranceWhateverTheOutputs) {
  constexpr double exact = 2.991302833115031519391;
  const bool captures =
      std::string(GetParam()) == "moreau-jean" || std::string(GetParam()) == "nonsmooth-generalized-alpha";
  for (double tolerance : {1e-3, 1e-4, 1e-6})
    for (double step : {0.1, 0.3, 0.7, 1.0}) {
      Simulation block(load_scene(
          "block_on_table", {std::string("stepper.name=") + GetParam(), fmt::format("stepper.step={}", step),
                             fmt::format("stepper.tolerance={}", tolerance), "duration=10.5"}));
      ASSERT_TRUE(block.run_until(10.5)) << block.report().message;
      // Captured transitions may come late by a part of a step each; they are of order 1, and tolerances in their positions.
      EXPECT_NEAR(block.state().q[0], exact, (captures ? 20 : 1) * tolerance) << tolerance << ' ' << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Steppers, ControlledBlock,
                         ::testing::Values("trapezoidal-2", "event-capturing-rk", "moreau-jean",
                                           "nonsmooth-generalized-alpha"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A push of a fifth of a second in which nothing else happens.
TEST(ControlledSteps, ShortPushesAreSeen) {
  for (const char* stepper : {"trapezoidal-2", "dopri5", "generalized-alpha"}) {
    Simulation cart = testing::simulate(R"yaml(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: cart, mass: 1}]
forces: [{name: push, type: applied, body: cart, force: ["20*exp(-((t - 0.613)/0.1)^2)", 0, 0]}]
stepper: {step: 0.2, tolerance: 1e-6}
)yaml",
                                        {std::string("stepper.name=") + stepper});
    ASSERT_TRUE(cart.run_until(2)) << cart.report().message;
    EXPECT_NEAR(cart.state().v[0], 20 * 0.1 * std::sqrt(M_PI), 1e-5) << stepper;
  }
}

}  // namespace
}  // namespace delassus::controlled_steps_test
