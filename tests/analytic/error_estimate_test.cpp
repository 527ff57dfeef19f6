// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// How wrong a run is, by finer ones beside it: against exact ends, and never a number where motions diverge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/error_estimate.hpp"
#include "tests/support/runs.hpp"

namespace delassus::error_estimate_test {
namespace {

struct Estimated {
  ErrorEstimate estimate;
  Vector q;
};

Estimated run(const std::string& name, const std::vector<std::string>& settings, double t_end) {
  const Scene scene = load_scene(name, {settings.begin(), settings.end()});
  Simulation simulation(scene);
  ErrorEstimator estimator(scene, simulation);
  simulation.observe([&](const Simulation& now, const StepReport&) { estimator.compare(now); });
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  return {estimator.at_end(simulation), simulation.state().q};
}

struct Case {
  const char *name, *scene;
  std::vector<std::string> settings;
  double end;
  std::vector<double> exact;  // the first coordinates there
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class ErrorEstimateOf : public ::testing::TestWithParam<Case> {};

// Estimated and true error: at most ten times too large, at most three times too small.
TEST_P(ErrorEstimateOf, IsTheError) {
  const Case& c = GetParam();
  const Estimated run_of = run(c.scene, c.settings, c.end);
  ASSERT_TRUE(run_of.estimate.predictable) << run_of.estimate.reason;
  double error = 0;
  for (std::size_t i = 0; i < c.exact.size(); ++i)
    error = std::max(error, std::abs(run_of.q[static_cast<Eigen::Index>(i)] - c.exact[i]));
  EXPECT_GT(run_of.estimate.error, 0.3 * error) << error;
  EXPECT_LT(run_of.estimate.error, 10 * error) << error;
  EXPECT_EQ(run_of.estimate.predictable_until, c.end);
  EXPECT_FALSE(run_of.estimate.worst.empty());
}

const std::vector<double> k_pendulums{0.021962117694925, -0.999758803605327, 0,
                                      0.023769486773914, -1.999757170312499, 0};
const Case k_cases[] = {
    // Five impacts of a double pendulum [Potra et al. 2006, 10.1]
    {"double_pendulum", "double_pendulum_wall", {"stepper.projection=all"}, 2.5, k_pendulums},
    {"double_pendulum_tolerance",
     "double_pendulum_wall",
     {"stepper.projection=all", "stepper.tolerance=1e-5", "stepper.step=0.05"},
     2.5,
     k_pendulums},
    {"double_pendulum_radau",
     "double_pendulum_wall",
     {"stepper.projection=all", "stepper.name=event-capturing-rk", "stepper.step=0.0125"},
     2.5,
     k_pendulums},
    // Seven transitions of a block [Potra et al. 2006, 10.2]
    {"block", "block_on_table", {"stepper.step=0.01"}, 10, {2.991302833115031519391}},
    // Captured impacts [Acary 2009]
    {"oscillator", "oscillator_and_stop", {"stepper.step=0.002"}, 5, {0.0661511023633774727}},
    {"oscillator_located",
     "oscillator_and_stop",
     {"stepper.name=trapezoidal-2", "stepper.step=0.01"},
     5,
     {0.0661511023633774727}},
    // Errors that go with the tolerance by leaps
    {"double_pendulum_radau_tolerance",
     "double_pendulum_wall",
     {"stepper.projection=all", "stepper.name=event-capturing-rk", "stepper.tolerance=1e-5",
      "stepper.step=0.05"},
     2.5,
     k_pendulums},
    // Outputs within steps, that are as far off as the tolerance allows
    {"double_pendulum_radau_outputs",
     "double_pendulum_wall",
     {"stepper.projection=all", "stepper.name=event-capturing-rk", "stepper.tolerance=1e-4"},
     2.5,
     k_pendulums},
    // Steps that the interval of outputs bounds, not the tolerance
    {"block_of_short_steps",
     "block_on_table",
     {"stepper.name=event-capturing-rk", "stepper.method=dopri5", "stepper.tolerance=1e-5"},
     10,
     {2.991302833115031519391}},
    {"block_captured_tolerance",
     "block_on_table",
     {"stepper.name=moreau-jean", "stepper.tolerance=1e-4", "stepper.step=0.1"},
     10,
     {2.991302833115031519391}},
    {"oscillator_captured_tolerance",
     "oscillator_and_stop",
     {"stepper.name=nonsmooth-generalized-alpha", "stepper.tolerance=1e-4", "stepper.step=0.1"},
     5,
     {0.0661511023633774727}},
};

INSTANTIATE_TEST_SUITE_P(Cases, ErrorEstimateOf, ::testing::ValuesIn(k_cases),
                         [](const auto& c) { return std::string(c.param.name); });

// Impacts and transitions that are captured by steps of one length come late by any part of a step: whatever the length is, most runs have an
// estimate, and each is of the error.
TEST(ErrorEstimate, OfCapturedEvents) {
  struct Captured {
    const char* scene;
    double end;
    std::vector<double> exact;
  };
  int runs = 0, predicted = 0;
  for (const Captured& c : {Captured{"block_on_table", 10, {2.991302833115031519391}},
                            Captured{"double_pendulum_wall", 2.5, k_pendulums}})
    for (int i = 0; i < 12; ++i) {
      // 0.05 … 0.0037 s
      const double steps = std::round(c.end / 0.05 * std::exp2(i / 3.2));
      const Estimated found = run(
          c.scene,
          {"stepper.name=moreau-jean", "stepper.projection=all", cli::setting("stepper.step", c.end / steps)},
          c.end);
      ++runs;
      if (!found.estimate.predictable) continue;
      ++predicted;
      double error = 0;
      for (std::size_t k = 0; k < c.exact.size(); ++k)
        error = std::max(error, std::abs(found.q[static_cast<Eigen::Index>(k)] - c.exact[k]));
      EXPECT_GT(found.estimate.error, 0.3 * error) << c.scene << " " << steps;
      EXPECT_LT(found.estimate.error, 10 * error) << c.scene << " " << steps;
    }
  EXPECT_GE(predicted, 0.8 * runs);
}

// A motion that a scheme follows exactly has errors of round-off.
TEST(ErrorEstimate, RoundOff) {
  const Estimated ball = run("bouncing_ball", {"stepper.step=0.01"}, 5);
  EXPECT_TRUE(ball.estimate.predictable) << ball.estimate.reason;
  EXPECT_LT(ball.estimate.error, 1e-11);
}

// Boxes that tumble over each other: which corner hits first depends on the step, and nothing is said of the end.
TEST(ErrorEstimate, SaysWhereMotionsDiverge) {
  const Estimated boxes = run("falling_boxes", {}, 0.45);
  EXPECT_FALSE(boxes.estimate.predictable);
  EXPECT_GT(boxes.estimate.predictable_until, 0.1);  // nothing has landed before
  EXPECT_LT(boxes.estimate.predictable_until, 0.45);
  EXPECT_NE(boxes.estimate.reason.find("do not converge"), std::string::npos);
}

// Errors of steps that are too short for their differences to matter are told all the same.
TEST(ErrorEstimate, ShortStepsHaveErrors) {
  Simulation block(load_scene("rocking_block", {"stepper.name=trapezoidal-2", "stepper.tolerance=1e-8"}));
  double sum = 0;
  block.observe([&](const Simulation&, const StepReport& report) { sum += report.local_errors; });
  ASSERT_TRUE(block.run_until(0.05)) << block.report().message;
  EXPECT_GT(sum, 1e-13);
  EXPECT_LT(sum, 1e-8);
}

// The woodpecker starts 0.9 µm within its sleeve: what takes off there does not hit it at once, and the errors of a period go with h².
TEST(ErrorEstimate, TakingOffFromAnOverlapIsNoImpact) {
  const Scene scene = load_scene("woodpecker", {});
  Simulation simulation(scene);
  ErrorEstimator estimator(scene, simulation);
  simulation.observe([&](const Simulation& now, const StepReport&) { estimator.compare(now); });
  ASSERT_TRUE(simulation.run_until(0.15));
  EXPECT_TRUE(estimator.at_end(simulation).predictable);
  const auto& all = estimator.comparisons();
  EXPECT_NEAR(all.back().d2 / all.back().d1, 0.25, 0.02);
}

}  // namespace
}  // namespace delassus::error_estimate_test
