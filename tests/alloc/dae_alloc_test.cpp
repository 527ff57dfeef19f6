// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of the implicit steppers for joints allocates nothing after warm-up. An executable of its own: it replaces malloc.
#include <gtest/gtest.h>

#include "../support/allocation_counter.hpp"
#include "../support/smooth_runs.hpp"

#ifdef DELASSUS_COUNTS_ALLOCATIONS
namespace delassus::dae_alloc_test {
namespace {

class ImplicitAllocations : public ::testing::TestWithParam<const char*> {};

TEST_P(ImplicitAllocations, NoneAfterWarmUp) {
  const auto scene = testing::compile_text(R"(
delassus: 1
bodies:
  - {name: a, mass: 1, position: [1, 0, 0]}
  - {name: b, mass: 0.3, position: [1.8, 0.2, 0.1], velocity: [0, 0, 0.5]}
  - {name: c, mass: 0.5, position: [2.5, 0, 0]}
joints:
  - {name: first, type: distance, between: [world, a]}
  - {name: second, type: distance, between: [a, b]}
forces:
  - {name: spring, type: spring, between: [b, c], stiffness: 2000, damping: 3}
)");
  using Second = DaeOptions::SecondDerivatives;
  for (Second second : {Second::exact, Second::dropped}) {
    StepperSettings settings;
    settings.name = GetParam();
    settings.options.dae.second_derivatives = second;
    const auto stepper = testing::stepper_of(settings);
    State state = scene.state;
    StepReport report;
    constexpr int warm_up = 5;
    long allocations = 0;
    for (int i = 1; i <= 100; ++i) {
      const long before = allocation_count;
      stepper->advance(*scene.system, state, {i * 1e-2}, report);
      const long count = allocation_count - before;
      ASSERT_TRUE(report.ok) << report.message;
      if (i > warm_up) allocations += count;
    }
    EXPECT_EQ(allocations, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Names, ImplicitAllocations,
                         ::testing::Values("euler-implicit", "trapezoidal-implicit", "newmark", "hht",
                                           "generalized-alpha", "energy-midpoint", "trapezoidal-linearized",
                                           "euler-implicit-linearized"));

}  // namespace
}  // namespace delassus::dae_alloc_test
#endif
