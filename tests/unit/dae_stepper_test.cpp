// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The implicit steppers for joints by their contract: same solution whatever the options of Newton's method, resumed runs, reports,
// failures.
#include <gtest/gtest.h>

#include <sstream>

#include "../support/smooth_runs.hpp"
#include "delassus/base/error.hpp"

namespace delassus::dae_stepper_test {
namespace {

using testing::advance_to;
using testing::compile_text;
using testing::pendulum;
using testing::pendulum_motion;
using testing::stepper_of;

const char* const k_names[] = {"euler-implicit", "trapezoidal-implicit", "newmark", "hht",
                               "generalized-alpha"};

StepperSettings named(const char* name) {
  StepperSettings settings;
  settings.name = name;
  return settings;
}

// A driven four-bar like chain: two rods, a stiff spring with damping, a varying force.
CompiledScene chain() {
  return compile_text(R"(
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
  - {name: push, type: applied, body: c, force: [sin(5*t), 0, 0.3 - 0.1*vz]}
)");
}

class Dae : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Names, Dae, ::testing::ValuesIn(k_names), [](const auto& name) {
  std::string out = name.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
});

TEST(EnergyMidpoint, ContractOfAStepper) {
  const auto scene = chain();
  StepperSettings settings = named("energy-midpoint");
  State whole = scene.state, resumed = scene.state;
  const auto stepper = stepper_of(settings);
  StepReport report;
  double iterations = 0;
  for (int i = 1; i <= 50; ++i) {
    stepper->advance(*scene.system, whole, {i * 0.01}, report);
    ASSERT_TRUE(report.ok) << report.message;
    iterations += report.certificate.iterations;
    std::stringstream file;
    save(resumed, file);
    resumed = load_state(file, "state");
    stepper_of(settings)->advance(*scene.system, resumed, {i * 0.01}, report);
    ASSERT_TRUE(whole == resumed) << "step " << i;
  }
  EXPECT_LT(iterations / 50, 8);
  settings.options.dae.second_derivatives = DaeOptions::SecondDerivatives::dropped;
  const State dropped = advance_to(*scene.system, scene.state, settings, 0.5, 50);
  EXPECT_LT((dropped.q - whole.q).norm(), 1e-10);

  const auto contact = compile_text(
      "delassus: 1\nlagrangian: {coordinates: [y], position: [1], mass: [1], "
      "contacts: [{name: floor, gap: y}]}\n");
  State state = contact.state;
  stepper->advance(*contact.system, state, {0.1}, report);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.message.find("joints only"), std::string::npos) << report.message;
}

TEST_P(Dae, OptionsOfNewtonGiveTheSameSolution) {
  const auto scene = chain();
  using Second = DaeOptions::SecondDerivatives;
  using Unknowns = DaeOptions::Unknowns;
  const int n = 100;
  const State reference = advance_to(*scene.system, scene.state, named(GetParam()), 1.0, n);
  for (Second second : {Second::exact, Second::dropped})
    for (Unknowns unknowns : {Unknowns::acceleration, Unknowns::velocity, Unknowns::position})
      for (ForceDerivatives derivatives : {ForceDerivatives::automatic, ForceDerivatives::rank_one}) {
        StepperSettings settings = named(GetParam());
        settings.options.dae.second_derivatives = second;
        settings.options.dae.unknowns = unknowns;
        settings.options.derivatives = derivatives;
        double iterations = 0;
        const State state = advance_to(*scene.system, scene.state, settings, 1.0, n,
                                       [&](const State&, const StepReport& report) {
                                         iterations += report.certificate.iterations;
                                         EXPECT_EQ(report.rejected, 0);
                                         EXPECT_LT(report.certificate.momentum_residual, 1e-10);
                                       });
        // Newton's tolerance 1e-12, amplified by the motion over a hundred steps.
        EXPECT_LT((state.q - reference.q).norm(), 1e-9);
        EXPECT_LT((state.v - reference.v).norm(), 1e-8);
        EXPECT_LT(
            (state.history.acceleration.joint_forces - reference.history.acceleration.joint_forces).norm(),
            1e-6);
        EXPECT_LT(iterations / n, 10);
      }
}

TEST_P(Dae, ResumedRunContinuesBitForBit) {
  const auto scene = chain();
  const StepperSettings settings = named(GetParam());
  std::unique_ptr<Stepper> stepper = stepper_of(settings);
  State whole = scene.state, resumed = scene.state;
  StepReport report;
  for (int i = 1; i <= 30; ++i) {
    stepper->advance(*scene.system, whole, {i * 0.01}, report);
    ASSERT_TRUE(report.ok) << report.message;
    // Another stepper and a state from a file every time.
    std::stringstream file;
    save(resumed, file);
    resumed = load_state(file, "state");
    stepper_of(settings)->advance(*scene.system, resumed, {i * 0.01}, report);
    ASSERT_TRUE(report.ok) << report.message;
    ASSERT_TRUE(whole == resumed) << "step " << i;
  }
}

TEST_P(Dae, ReportsWhatTheJointsDo) {
  const auto scene = pendulum(1.0);
  double impulse = 0, exact = 0;
  const int n = 200;
  const double T = 0.5;
  advance_to(*scene.system, scene.state, named(GetParam()), T, n,
             [&](const State& state, const StepReport& report) {
               EXPECT_EQ(report.substeps, 1);
               EXPECT_EQ(report.certificate.solves, 1);
               EXPECT_EQ(report.certificate.status, SolveStatus::converged);
               EXPECT_LE(report.certificate.iterations, 4);
               EXPECT_GE(report.certificate.iterations, 1);
               EXPECT_EQ(report.certificate.worst_joint_row, 0);
               EXPECT_EQ(report.joint_impulses, state.history.joint_impulses);
               EXPECT_NEAR(report.energy.kinetic, state.v.squaredNorm(), 1e-12);
               impulse += report.joint_impulses[0];
             });
  // ∫λ dt by Simpson's rule.
  for (int i = 0; i <= n; ++i)
    exact += pendulum_motion(T * i / n, 1.0).lambda() * T / n / 3 *
             (i == 0 || i == n ? 1
              : i % 2 == 1     ? 4
                               : 2);
  EXPECT_NEAR(impulse / exact, 1, std::string(GetParam()) == "euler-implicit" ? 2e-2 : 1e-4);
}

TEST_P(Dae, RedundantJointsShareTheLoad) {
  // The same rod twice.
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [1, 0]
  mass: [2, 2]
  potential: 2*9.81*y
  constraints:
    - {name: rod, equation: "(x^2 + y^2 - 1)/2"}
    - {name: twin, equation: "(x^2 + y^2 - 1)/2"}
)");
  int redundant = 0;
  const State state = advance_to(
      *scene.system, scene.state, named(GetParam()), 0.5, 100,
      [&](const State&, const StepReport& report) { redundant = report.certificate.redundant_joint_rows; });
  EXPECT_EQ(redundant, 1);
  const auto single = pendulum();
  const State one = advance_to(*single.system, single.state, named(GetParam()), 0.5, 100);
  EXPECT_LT((state.q - one.q).norm(), 1e-10);
  const Vector& forces = state.history.acceleration.joint_forces;
  EXPECT_NEAR(forces[0], forces[1], 1e-8);
  EXPECT_NEAR(forces.sum(), one.history.acceleration.joint_forces[0], 1e-8);
}

// A change of the step in the middle of a run keeps order 2: the memory is moved to the new step.
TEST_P(Dae, StepsOfDifferentLength) {
  const auto scene = pendulum(1.0);
  const auto exact = pendulum_motion(1.0, 1.0);
  const auto error = [&](int n) {
    auto stepper = stepper_of(named(GetParam()));
    State state = scene.state;
    StepReport report;
    // Long and short ones in turn, 2 : 1.
    for (int i = 0; i < n; ++i)
      for (double end : {(i + 2.0 / 3) / n, (i + 1.0) / n}) {
        stepper->advance(*scene.system, state, {end}, report);
        if (!report.ok) throw std::runtime_error(report.message);
      }
    return (state.q - exact.q()).norm() + (state.v - exact.v()).norm();
  };
  const double order = std::string(GetParam()) == "euler-implicit" ? 1 : 2;
  EXPECT_NEAR(std::log2(error(400) / error(800)), order, 0.1);
}

TEST_P(Dae, ContactsAreRefused) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [y]
  position: [1]
  mass: [1]
  contacts: [{name: floor, gap: y}]
)");
  State state = scene.state;
  StepReport report;
  stepper_of(named(GetParam()))->advance(*scene.system, state, {0.1}, report);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.message.find("'floor'"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("joints only"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("trapezoidal-2"), std::string::npos) << report.message;
  EXPECT_EQ(state.t, 0);
  EXPECT_EQ(state.q, scene.state.q);
}

// Rods that drive apart: possible until 1 s, impossible after.
CompiledScene torn() {
  return compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0.5, 0.8660254037844386]
  mass: [1, 1]
  constraints:
    - {name: left, equation: "hypot(x, y) - 1"}
    - {name: right, equation: "hypot(x - 1 - t, y) - 1"}
)");
}

TEST_P(Dae, ContradictingJointsAreNamed) {
  const auto scene = torn();
  for (FailurePolicy policy : {FailurePolicy::retry, FailurePolicy::stop}) {
    StepperSettings settings = named(GetParam());
    settings.options.policy = policy;
    settings.options.max_halvings = 3;
    const auto stepper = stepper_of(settings);
    State state = scene.state;
    StepReport report;
    while (state.t < 1.2 && report.ok) stepper->advance(*scene.system, state, {state.t + 0.05}, report);
    EXPECT_FALSE(report.ok);
    EXPECT_GT(state.t, 0.9);
    EXPECT_LT(state.t, 1.01);
    EXPECT_NE(report.message.find("worst joint '"), std::string::npos) << report.message;
    EXPECT_EQ(report.rejected, policy == FailurePolicy::retry ? 4 : 1);
    EXPECT_EQ(report.certificate.status, SolveStatus::numerical_failure);
    EXPECT_TRUE(state.q.allFinite());
    // The last good state still obeys its joints.
    BilateralRows rows;
    scene.system->bilateral(state.t, state.q, rows);
    EXPECT_LT(rows.violation.cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST_P(Dae, PolicyWarnGoesOn) {
  const auto scene = torn();
  StepperSettings settings = named(GetParam());
  settings.options.policy = FailurePolicy::warn;
  const auto stepper = stepper_of(settings);
  State state = scene.state;
  StepReport report;
  while (state.t < 1.2 && report.ok && report.warnings.empty())
    stepper->advance(*scene.system, state, {state.t + 0.03}, report);
  ASSERT_TRUE(report.ok) << report.message;
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings[0].text.find("went on as asked"), std::string::npos) << report.warnings[0].text;
  EXPECT_EQ(report.certificate.status, SolveStatus::iteration_limit);
  // The certificate does not hide it.
  EXPECT_GT(report.certificate.joint_drift, 1e-3);
  EXPECT_GT(report.certificate.joint_residual, 1e-4);
}

// A start off the joints is pulled onto them without a kick.
TEST_P(Dae, InconsistentStart) {
  const auto scene = pendulum(1.0);
  State state = scene.state;
  state.q[0] += 1e-3;
  state = advance_to(*scene.system, state, named(GetParam()), 0.5, 100);
  const auto exact = pendulum_motion(0.5, 1.0);
  EXPECT_LT((state.q - exact.q()).norm(), 0.05);
  EXPECT_LT((state.v - exact.v()).norm(), 0.1);
}

TEST(LinearizedStepper, ContactsAreRefused) {
  const auto scene = compile_text(
      "delassus: 1\nlagrangian: {coordinates: [y], position: [1], mass: [1], "
      "contacts: [{name: floor, gap: y}]}\n");
  for (const char* name : {"euler-implicit-linearized", "trapezoidal-linearized"}) {
    State state = scene.state;
    StepReport report;
    stepper_of(named(name))->advance(*scene.system, state, {0.1}, report);
    EXPECT_FALSE(report.ok);
    EXPECT_NE(report.message.find("joints only"), std::string::npos) << report.message;
    EXPECT_EQ(state.t, 0);
  }
}

TEST(DaeStepper, EventSteppersForgetTheMemory) {
  const auto scene = pendulum(1.0);
  State state = advance_to(*scene.system, scene.state, named("generalized-alpha"), 0.1, 10);
  EXPECT_EQ(state.history.acceleration.a.size(), 2);
  state = advance_to(*scene.system, state, named("trapezoidal-2"), 0.1, 10);
  EXPECT_EQ(state.history.acceleration, AccelerationMemory{});
  state = advance_to(*scene.system, state, named("generalized-alpha"), 0.1, 10);
  const auto exact = pendulum_motion(0.3, 1.0);
  EXPECT_LT((state.q - exact.q()).norm(), 1e-3);
}

TEST(DaeStepper, ValuesOutOfRange) {
  const auto expect_refused = [](const char* part, const auto& change) {
    StepperSettings settings = named("generalized-alpha");
    change(settings);
    try {
      stepper_of(settings);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_refused("'rho' of stepper is 1.1; allowed: 0 … 1", [](StepperSettings& s) { s.rho = 1.1; });
  expect_refused("'hht_alpha' of stepper is -0.5; allowed: -0.333333 … 0",
                 [](StepperSettings& s) { s.hht_alpha = -0.5; });
  expect_refused("'newmark_beta' of stepper is 0", [](StepperSettings& s) { s.newmark_beta = 0; });
  expect_refused("'newmark_gamma' of stepper is 0.4", [](StepperSettings& s) { s.newmark_gamma = 0.4; });
  expect_refused("tolerance", [](StepperSettings& s) { s.options.dae.tolerance = 0; });
  expect_refused("iterations", [](StepperSettings& s) { s.options.dae.max_iterations = 0; });
  expect_refused("did you mean 'newmark'?", [](StepperSettings& s) { s.name = "newmrk"; });
}

}  // namespace
}  // namespace delassus::dae_stepper_test
