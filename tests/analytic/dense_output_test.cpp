// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Outputs that are denser than the steps of a run with a tolerance: against exact motions, across resuming, with inputs and events.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::dense_output_test {
namespace {

using testing::simulate;

constexpr const char* k_pendulum = R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: bob, type: particle, mass: 2, position: [1, 0, 0]}
joints:
  - {name: rod, type: distance, between: [world, bob]}
contact: {enabled: false}
stepper: {name: radau-5, step: 1e-3, tolerance: 1e-6}
)";

// The angle from the horizontal, and its rate, at each of `count` times up to t_end.
std::vector<Vector> exact_pendulum(double t_end, int count) {
  const auto f = [](double, const Vector& x) {
    return Vector(Eigen::Vector2d(x[1], -9.81 * std::cos(x[0])));
  };
  std::vector<Vector> out{Eigen::Vector2d(0, 0)};
  for (int i = 0; i < count; ++i) out.push_back(testing::runge_kutta(f, out.back(), t_end / count, 20));
  return out;
}

struct Outcome {
  double position = 0, velocity = 0, force = 0;  // largest errors of all outputs
  double drift = 0, energy = 0;                  // largest of all outputs
  long outputs = 0, steps = 0;
};

// `first`: the first step, if not as long as an interval of outputs [s].
Outcome run_pendulum(const std::vector<std::string>& settings, double t_end, int outputs, double first = 0) {
  const std::vector<Vector> exact = exact_pendulum(t_end, outputs);
  std::vector<std::string> all = settings;
  all.push_back(cli::setting("stepper.step", t_end / outputs));
  Simulation simulation = simulate(k_pendulum, {all.begin(), all.end()});
  State start = simulation.state();
  start.history.controlled_step = first;
  simulation.set_state(start);
  Outcome out;
  const JointHandle rod = simulation.find_joint("rod");
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    const Vector& x = exact[static_cast<std::size_t>(++out.outputs)];
    const double c = std::cos(x[0]), s = std::sin(x[0]);
    const State& state = now.state();
    out.position = std::max(out.position, (state.q.head(2) - Eigen::Vector2d(c, s)).norm());
    out.velocity = std::max(out.velocity, (state.v.head(2) - x[1] * Eigen::Vector2d(-s, c)).norm());
    // Of the rod: m (g sin + θ̇² l), towards the pivot.
    const double tension = 2 * (x[1] * x[1] - 9.81 * s);
    if (out.outputs > 2)
      out.force = std::max(out.force, std::abs(now.joint(rod).force().norm() - std::abs(tension)));
    out.drift = std::max(out.drift, report.certificate.joint_drift);
    out.energy = std::max(out.energy, std::abs(report.energy.error));
    out.steps += static_cast<long>(report.controlled.size());
  });
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  return out;
}

// Errors of all outputs go with the tolerance, also of those between the ends of steps, and there are far fewer steps than outputs.
TEST(DenseOutput, ErrorsGoWithTheTolerance) {
  for (const char* stepper : {"radau-5", "lobatto-4", "trapezoidal-2"}) {
    double first = 0;
    for (double tolerance : {1e-3, 1e-5, 1e-7}) {
      const Outcome run = run_pendulum(
          {std::string("stepper.name=") + stepper, cli::setting("stepper.tolerance", tolerance)}, 2, 2000);
      EXPECT_EQ(run.outputs, 2000);
      EXPECT_LE(run.position, 20 * tolerance) << stepper;
      EXPECT_LE(run.velocity, 60 * tolerance) << stepper;
      EXPECT_GE(run.position, 1e-3 * tolerance) << stepper;
      if (tolerance == 1e-3) first = run.position;
      if (tolerance == 1e-7) {
        EXPECT_LE(run.position, 0.05 * first) << stepper;
      }
      EXPECT_LE(run.drift, 1e-12) << stepper;
      EXPECT_LE(run.energy, 100 * tolerance) << stepper;
      if (tolerance == 1e-3) {
        EXPECT_LE(run.steps, 300) << stepper;
      }
    }
  }
}

// A loose tolerance and a longest step are a run with steps of one length: outputs between them have the order of the method.
TEST(DenseOutput, HasTheOrderOfTheScheme) {
  struct Case {
    const char* stepper;
    double order, velocity_order, first;
  };
  for (const Case& c :
       {Case{"trapezoidal-2", 2, 2, 0.02}, Case{"kutta-3", 3, 3, 0.05}, Case{"lobatto-4", 4, 4, 0.06},
        Case{"radau-5", 5, 5, 0.06}, Case{"lobatto-6", 6, 5, 0.06}}) {
    std::vector<double> steps, positions, velocities;
    for (double h = c.first; steps.size() < 3; h /= 1.5) {
      const Outcome run = run_pendulum({std::string("stepper.name=") + c.stepper, "stepper.tolerance=0.1",
                                        cli::setting("stepper.longest_step", h)},
                                       1.6, 1000, h);
      steps.push_back(h);
      positions.push_back(run.position);
      velocities.push_back(run.velocity);
      EXPECT_LT(static_cast<double>(run.steps), 1.6 / h + 3);
    }
    EXPECT_GT(cli::fitted_order(steps, positions), c.order - 0.5) << c.stepper;
    EXPECT_GT(cli::fitted_order(steps, velocities), c.velocity_order - 0.6) << c.stepper;
  }
}

// Means of halves of a step, linear between: of order 2.
TEST(DenseOutput, ForcesOfJoints) {
  std::vector<double> steps, forces;
  for (double h : {0.06, 0.04, 0.02}) {
    steps.push_back(h);
    forces.push_back(
        run_pendulum({"stepper.tolerance=0.1", cli::setting("stepper.longest_step", h)}, 1.6, 1000, h).force);
  }
  EXPECT_GT(cli::fitted_order(steps, forces), 1.7);
  EXPECT_LT(forces.back(), 0.05);
}

// On rotations: a top with three moments of inertia, free.
TEST(DenseOutput, Rotations) {
  const auto top = [](const std::string& more) {
    return R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: top, type: rigid, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0], angular_velocity: [1, 4, 0.5], velocity: [1, 0, 0]}
contact: {enabled: false}
stepper: {step: 0.01, )" +
           more + "}\n";
  };
  Simulation fine = simulate(top("name: radau-5, tolerance: 1e-12"));
  std::vector<State> exact;
  fine.observe([&](const Simulation& now, const StepReport&) { exact.push_back(now.state()); });
  ASSERT_TRUE(fine.run_until(2));
  std::vector<double> steps, errors, turning;
  for (double h : {0.2, 0.1, 0.05}) {
    Simulation run = simulate(top(fmt::format("name: radau-5, tolerance: 0.1, longest_step: {}", h)));
    double worst = 0, worst_velocity = 0;
    std::size_t i = 0;
    run.observe([&](const Simulation& now, const StepReport&) {
      Vector difference;
      now.system().difference(now.state().q, exact[i].q, difference);
      worst = std::max(worst, difference.cwiseAbs().maxCoeff());
      worst_velocity = std::max(worst_velocity, (now.state().v - exact[i].v).cwiseAbs().maxCoeff());
      ++i;
    });
    ASSERT_TRUE(run.run_until(2));
    steps.push_back(h);
    errors.push_back(worst);
    turning.push_back(worst_velocity);
  }
  EXPECT_GT(cli::fitted_order(steps, errors), 4.4);
  EXPECT_GT(cli::fitted_order(steps, turning), 4.4);
}

// A run that is stopped between the ends of a step has the rest of it in its state.
TEST(DenseOutput, ResumesWithTheSameBits) {
  const std::string swinging = k_pendulum;
  const std::string rolling = R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 0.1, 0], velocity: [1, 0, 0.3], angular_velocity: [2, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0.3}
stepper: {name: trapezoidal-2, step: 1e-3, tolerance: 1e-4}
)";
  const std::string damped = R"(
delassus: 1
bodies:
  - {name: bob, type: particle, mass: 1, position: [1.3, 0, 0]}
forces:
  - {name: wire, type: spring, between: [world, bob], anchor: [0, 0, 0], stiffness: 50, damping: 1, rest_length: 1}
contact: {enabled: false}
stepper: {name: generalized-alpha, step: 1e-3, tolerance: 1e-4}
)";
  for (const std::string& scene : {swinging, rolling, damped}) {
    int between = 0;
    for (double stop : {0.4, 0.403, 0.417, 0.45}) {
      Simulation whole = simulate(scene), half = simulate(scene), resumed = simulate(scene);
      ASSERT_TRUE(whole.run_until(0.9)) << whole.report().message;
      ASSERT_TRUE(half.run_until(stop));
      between += half.state().history.ahead.has_value() ? 1 : 0;
      std::stringstream text;
      save(half.state(), text);
      resumed.set_state(load_state(text, "test"));
      EXPECT_TRUE(resumed.state() == half.state());
      ASSERT_TRUE(resumed.run_until(0.9));
      EXPECT_TRUE(resumed.state() == whole.state());
    }
    EXPECT_GE(between, 2);
  }
}

TEST(DenseOutput, StatesWithADamagedStepAheadAreRefused) {
  Simulation half = simulate(k_pendulum);
  ASSERT_TRUE(half.run_until(0.4));
  ASSERT_TRUE(half.state().history.ahead);
  State state = half.state();
  state.history.ahead->knots[1].v.resize(1);
  std::stringstream text;
  save(state, text);
  EXPECT_THROW(load_state(text, "test"), InputError);
  state = half.state();
  state.history.ahead->knots[2].t = 0.1;
  std::stringstream late;
  save(state, late);
  EXPECT_THROW(load_state(late, "test"), InputError);
}

// What is changed between two outputs holds from there on: the step ahead is void.
TEST(DenseOutput, AChangedStateIsTaken) {
  Simulation simulation = simulate(k_pendulum);
  ASSERT_TRUE(simulation.run_until(0.4));
  ASSERT_TRUE(simulation.state().history.ahead);
  State state = simulation.state();
  state.v = -state.v;
  simulation.set_state(state);
  // Back to where it came from.
  ASSERT_TRUE(simulation.run_until(0.8));
  EXPECT_NEAR(simulation.state().q[0], 1, 1e-5);
  EXPECT_NEAR(simulation.state().q[1], 0, 1e-5);
}

constexpr const char* k_cart = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: cart, type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}
joints:
  - {name: rail, type: prismatic, between: [world, cart], point: [0, 0, 0], axis: [1, 0, 0]}
motors:
  - {name: drive, type: force, joint: rail, law: 1, signal: push}
contact: {enabled: false}
stepper: {name: trapezoidal-2, step: 1e-2, tolerance: 1e-6}
)";

// Inputs are sampled at outputs: no step goes past one when there is a controller, and signals that are set without one count at once.
TEST(DenseOutput, InputsAreSampledAtOutputs) {
  Simulation controlled = simulate(k_cart), by_hand = simulate(k_cart);
  const SignalHandle push = controlled.find_signal("push");
  controlled.control(
      [&](const Simulation& now, Signals& signals) { signals.set(push, now.time() < 0.495 ? 1.0 : -1.0); });
  double longest = 0;
  controlled.observe([&](const Simulation&, const StepReport& report) {
    for (const ControlledStep& step : report.controlled) longest = std::max(longest, step.length);
  });
  ASSERT_TRUE(controlled.run_until(1));
  EXPECT_LE(longest, 1.0001e-2);
  // Half a second forwards, half a second back: ¼ m in all.
  EXPECT_NEAR(controlled.state().q[0], 0.25, 1e-9);
  EXPECT_NEAR(controlled.state().v[0], 0, 1e-9);

  by_hand.signals().set(push, 1.0);
  ASSERT_TRUE(by_hand.run_until(0.5));
  by_hand.signals().set(push, -1.0);
  ASSERT_TRUE(by_hand.run_until(1));
  EXPECT_NEAR(by_hand.state().q[0], 0.25, 1e-9);
  EXPECT_NEAR(by_hand.state().v[0], 0, 1e-9);
}

// No output is interpolated across an impact, and impacts are where they are without any: every height in closed form.
TEST(DenseOutput, ImpactsAreNotSmoothedAway) {
  for (const char* stepper : {"trapezoidal-2", "event-capturing-rk"}) {
    Simulation ball = simulate(R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: ball, mass: 1, position: [0, 1, 0]}
contacts:
  - {name: floor, type: plane, body: ball, normal: [0, 1, 0], restitution: 0.8}
stepper: {step: 1e-2, tolerance: 1e-3}
)",
                               {std::string("stepper.name=") + stepper});
    double worst = 0;
    long steps = 0;
    ball.observe([&](const Simulation& now, const StepReport& report) {
      steps += static_cast<long>(report.controlled.size());
      double t = now.time(), flight = std::sqrt(2 / 9.81), speed = 9.81 * flight;
      double height = 1 - 0.5 * 9.81 * t * t;
      if (t > flight) {
        t -= flight;
        for (speed *= 0.8; t > 2 * speed / 9.81; speed *= 0.8) t -= 2 * speed / 9.81;
        height = speed * t - 0.5 * 9.81 * t * t;
      }
      worst = std::max(worst, std::abs(now.state().q[1] - height));
    });
    ASSERT_TRUE(ball.run_until(3)) << ball.report().message;
    EXPECT_LE(worst, 1e-9) << stepper;
    EXPECT_LE(steps, 120) << stepper;  // 300 outputs, 7 impacts
  }
}

// What springs and dampers have done is in the balance of every output: x = exp(−t/10) … of m = 1, c = 0.2, k = 4.
TEST(DenseOutput, EnergiesBalance) {
  Simulation simulation = simulate(R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [1]
  velocity: [0]
  mass: [1]
  potential: 2*x^2
  forces: [-0.2*v_x]
stepper: {name: radau-5, step: 1e-2, tolerance: 1e-5, longest_step: 10}
)");
  double worst = 0, lowest = 0, position = 0, longest = 0;
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    worst = std::max(worst, std::abs(report.energy.error));
    lowest = std::min(lowest, report.energy.work);
    const double w = std::sqrt(4 - 0.01), t = now.time();
    position = std::max(
        position,
        std::abs(now.state().q[0] - std::exp(-0.1 * t) * (std::cos(w * t) + 0.1 / w * std::sin(w * t))));
    for (const ControlledStep& step : report.controlled) longest = std::max(longest, step.length);
  });
  ASSERT_TRUE(simulation.run_until(5));
  EXPECT_GT(longest, 0.1);
  EXPECT_LE(position, 1e-4);
  EXPECT_LE(worst, 2e-4);
  EXPECT_NEAR(lowest, 2 * (std::exp(-1.0) - 1), 0.1);
}

// Where forces depend on time, a pulse between two outputs could be jumped over: ten outputs are the longest step there.
TEST(DenseOutput, ForcesOfTime) {
  Simulation simulation = simulate(R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [0]
  velocity: [0]
  mass: [1]
  forces: [100*exp(-((t - 2)/0.03)^2)]
stepper: {name: radau-5, step: 1e-2, tolerance: 1e-6}
)");
  ASSERT_TRUE(simulation.run_until(4));
  EXPECT_NEAR(simulation.state().v[0], 100 * 0.03 * std::sqrt(std::acos(-1.0)), 1e-4);
}

}  // namespace
}  // namespace delassus::dense_output_test
