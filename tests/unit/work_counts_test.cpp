// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run computes is counted, whatever becomes of it.
#include "delassus/base/work_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "delassus/base/parallel.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/recorder/run_summary.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/system/lagrangian.hpp"

namespace delassus::work_counts_test {
namespace {

// A pendulum in its angle that counts how often it is asked for its forces.
Simulation make_pendulum(long& asked, const std::string& stepper) {
  LagrangianDefinition d;
  d.coordinates = {"angle"};
  d.mass = [](double, const VectorRef&, Matrix& M) { M.setIdentity(1, 1); };
  d.constant_mass = true;
  d.forces = [&asked](double, const VectorRef& q, const VectorRef&, Vector& k) {
    ++asked;
    k[0] = -9.81 * std::sin(q[0]);
  };
  d.force_jacobians = [](double, const VectorRef& q, const VectorRef&, Matrix& k_q, Matrix& k_v) {
    k_q(0, 0) = -9.81 * std::cos(q[0]);
    k_v.setZero();
  };
  d.q0 = Vector::Constant(1, 1.0);
  d.v0 = Vector::Zero(1);
  const auto system = std::make_shared<LagrangianSystem>(d);
  SimulationOptions options;
  options.step = 0.01;
  options.stepper.name = stepper;
  return Simulation(system, system->initial_state(), options);
}

WorkCounts work_of(Simulation& simulation, double t_end) {
  RunSummary summary;
  simulation.observe([&](const Simulation&, const StepReport& report) { summary.add(report); });
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  return summary.work;
}

WorkCounts work_of(const std::string& scene, const std::vector<SceneSetting>& settings, double t_end) {
  Simulation simulation(load_scene(scene, settings));
  return work_of(simulation, t_end);
}

TEST(WorkCounts, OfOneStep) {
  struct Case {
    const char* stepper;
    int least_forces, most_forces, derivatives, factorisations;
  };
  // trapezoidal-2 takes forces at both ends of the step in time and their derivatives once, and may look at them once more for its energy;
  // rk4 has four stages, the first of which may be that of the end of the step before, each with a factorisation; generalised-α takes
  // two or more corrections.
  for (const Case& c : {Case{"trapezoidal-2", 2, 3, 1, 1}, Case{"rk4", 4, 6, 0, 4}}) {
    long asked = 0;
    constexpr int steps = 50;
    Simulation simulation = make_pendulum(asked, c.stepper);
    asked = 0;
    const WorkCounts work = work_of(simulation, 0.01 * steps);
    EXPECT_GE(work.forces, c.least_forces * steps) << c.stepper;
    EXPECT_LE(work.forces, c.most_forces * steps) << c.stepper;
    EXPECT_EQ(work.derivatives, c.derivatives * steps) << c.stepper;
    EXPECT_GE(work.factorisations, c.factorisations * steps) << c.stepper;
    EXPECT_LE(work.factorisations, (c.factorisations + 2) * steps) << c.stepper;
    EXPECT_EQ(work.problems, steps) << c.stepper;
    // The user's function is also asked for powers, which the balance of energy needs.
    EXPECT_GE(asked, work.forces) << c.stepper;
  }
  long asked = 0;
  Simulation simulation = make_pendulum(asked, "generalized-alpha");
  const WorkCounts work = work_of(simulation, 0.5);
  EXPECT_GE(work.forces, 2 * 50);
  EXPECT_EQ(work.problems, 50);
}

TEST(WorkCounts, StepsThatEstimateErrorsAreWork) {
  Simulation simulation(load_scene("double_pendulum_wall",
                                   {"stepper.projection=all", "stepper.tolerance=1e-5", "stepper.step=0.1"}));
  RunSummary summary;
  simulation.observe([&](const Simulation&, const StepReport& report) { summary.add(report); });
  ASSERT_TRUE(simulation.run_until(0.5));
  // Three steps for two that are kept, and those that were refused.
  EXPECT_GE(2 * summary.work.problems, 3 * summary.substeps);
}

TEST(WorkCounts, ThreadsDoNotChangeThem) {
  const auto count = [](int threads) {
    set_num_threads(threads);
    const WorkCounts work = work_of("falling_boxes", {"constants.n=4", "stepper.step=5e-3"}, 0.3);
    set_num_threads(1);
    return work;
  };
  const WorkCounts one = count(1);
  EXPECT_GT(one.forces, 0);
  EXPECT_EQ(count(3), one);
}

}  // namespace
}  // namespace delassus::work_counts_test
