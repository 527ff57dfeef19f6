// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// moreau-adaptive: the published step control of Moreau's scheme. Errors go with the tolerance, work with its root where the motion is
// smooth, and guesses of the order save steps.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::moreau_adaptive_test {
namespace {

using testing::simulate;

struct Work {
  double error = 0;  // ‖q − q(t)‖₁ over the grid [m·s]
  long steps = 0, refused = 0;
};

// m = 1, c = 0.2, k = 4, e = ½ from (1, 0): free until the stop, then half periods.
double oscillator(double t) {
  const double decay = 0.1, w = std::sqrt(4 - decay * decay), half = M_PI / w;
  const double first = (M_PI - std::atan2(w, decay)) / w;
  const auto free = [&](double x0, double v0, double s) {
    const double b = (v0 + decay * x0) / w, d = std::exp(-decay * s);
    const double x = d * (x0 * std::cos(w * s) + b * std::sin(w * s));
    return std::pair{x, -decay * x + d * w * (b * std::cos(w * s) - x0 * std::sin(w * s))};
  };
  if (t < first) return free(1, 0, t).first;
  double up = -0.5 * free(1, 0, first).second, s = t - first;
  for (; s >= half; s -= half) up *= 0.5 * std::exp(-decay * half);
  return free(0, up, s).first;
}

Work run(double tolerance, const std::string& guess) {
  Simulation simulation(load_scene(
      "oscillator_and_stop", {"stepper.name=moreau-adaptive", cli::setting("stepper.tolerance", tolerance),
                              "stepper.step=0.05", "stepper.order_guess=" + guess, "duration=5"}));
  Work work;
  simulation.observe([&](const Simulation& s, const StepReport& report) {
    work.steps += report.substeps;
    work.refused += report.rejected;
    work.error += 0.05 * std::abs(s.state().q[0] - oscillator(s.state().t));
  });
  EXPECT_TRUE(simulation.run_until(5)) << simulation.report().message;
  return work;
}

TEST(MoreauAdaptive, ErrorsGoWithTheTolerance) {
  for (const std::string guess : {"none", "status", "events"}) {
    double last = 0;
    for (double tolerance : {1e-2, 1e-3, 1e-4, 1e-5}) {
      const Work work = run(tolerance, guess);
      EXPECT_LT(work.error, 5 * std::sqrt(tolerance)) << guess << " " << tolerance;
      if (last > 0) {
        EXPECT_LT(work.error, last) << guess << " " << tolerance;
      }
      last = work.error;
      EXPECT_LT(work.steps, 3000);
    }
    EXPECT_LT(last, 1e-2);
  }
}

// Where the order is guessed to be 1 the next step is longer by the root of what is left, and no longer by all of it: that overshoots
// less, and fewer steps are refused.
TEST(MoreauAdaptive, GuessesOfTheOrderSaveSteps) {
  long without = 0, with = 0;
  for (double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    const Work none = run(tolerance, "none"), status = run(tolerance, "status");
    without += none.steps + none.refused;
    with += status.steps + status.refused;
  }
  EXPECT_LT(with, without);
}

// A step may be off by atol + rtol |q|: far from the origin the second one counts, and without it the first.
TEST(MoreauAdaptive, AbsoluteAndRelativeTolerance) {
  const auto steps = [](double offset, double relative, double absolute) {
    Simulation simulation = simulate(fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{{name: bob, mass: 1, position: [{}, 0, 0], velocity: [1, 0, 0]}}]
forces: [{{name: spring, type: spring, between: [world, bob], anchor: [{}, 0, 0], stiffness: 100, rest_length: 1}}]
stepper: {{name: moreau-adaptive, step: 0.1, tolerance: {}, absolute_tolerance: {}}}
)",
                                                 offset, offset - 1, relative, absolute));
    long taken = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) { taken += report.substeps; });
    EXPECT_TRUE(simulation.run_until(2)) << simulation.report().message;
    return static_cast<double>(taken);
  };
  EXPECT_GT(steps(0, 1e-7, 1e-5), 2 * steps(1000, 1e-5, 1e-5));
  EXPECT_NEAR(steps(0, 1e-7, 1e-4) / steps(0, 1e-7, 1e-5), std::pow(10, -1.0 / 3), 0.25);
}

TEST(MoreauAdaptive, ResumesWithTheSameBits) {
  const auto scene = [] {
    return Simulation(load_scene("bouncing_ball", {"stepper.name=moreau-adaptive", "stepper.step=0.02"}));
  };
  Simulation whole = scene(), half = scene(), resumed = scene();
  ASSERT_TRUE(whole.run_until(2));
  ASSERT_TRUE(half.run_until(1.2));
  std::stringstream text;
  save(half.state(), text);
  resumed.set_state(load_state(text, "test"));
  ASSERT_TRUE(resumed.run_until(2));
  EXPECT_TRUE(resumed.state() == whole.state());
}

}  // namespace
}  // namespace delassus::moreau_adaptive_test
