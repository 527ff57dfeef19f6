// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runge-Kutta methods have their order p on joints, rotations, lasting contact and across events, down to errors near round-off,
// against closed forms and independent integrations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "../support/free_top.hpp"
#include "../support/heavy_top.hpp"
#include "../support/runs.hpp"
#include "../support/slipping_ball.hpp"
#include "../support/smooth_runs.hpp"
#include "delassus/steppers/runge_kutta/tableau.hpp"

namespace delassus::runge_kutta_test {
namespace {

using testing::distance;
using testing::k_top;
using testing::run_to;
using testing::run_with_events;
using testing::simulate;

// Errors below it are round-off of the run or of the reference.
constexpr double k_round_off = 2e-12;
// Fitted orders lie within that of p.
constexpr double k_order_tolerance = 0.3;

class RungeKutta : public ::testing::TestWithParam<Tableau> {
 protected:
  int order() const { return GetParam().order; }
  // Of event-capturing-rk.
  std::vector<std::string> located(double h) const {
    return {"stepper.name=event-capturing-rk", "stepper.method=" + GetParam().name,
            cli::setting("stepper.step", h)};
  }
  // Longer steps for methods of higher order, so that errors are far above round-off.
  double step(double h) const { return order() > 3 ? 2 * h : h; }
  // Dormand's and Prince's method does better than its order at first.
  double above() const { return GetParam().name == "dopri5" ? 0.6 : k_order_tolerance; }

  // Errors at h, h/2, h/4, h/8 as long as they are above round-off; two at least, or all of them are round-off. The order may be above p
  // by `highest` where the motion is simpler than what limits a method, below it by `lowest`.
  void expect_order(const std::function<double(double)>& error, double h, double round_off = k_round_off,
                    double highest = k_order_tolerance, double lowest = k_order_tolerance) const {
    std::vector<double> steps, errors;
    std::string list;
    for (int i = 0; i < 4; ++i, h /= 2) {
      const double e = error(h);
      list += fmt::format(" {:.3g}", e);
      if (e < round_off) break;
      steps.push_back(h);
      errors.push_back(e);
    }
    if (errors.size() < 2) {
      EXPECT_TRUE(errors.empty() || errors[0] < std::exp2(order() + 1) * round_off) << list;
      return;
    }
    const double fitted = cli::fitted_order(steps, errors);
    EXPECT_GT(fitted, order() - lowest) << list;
    EXPECT_LT(fitted, order() + highest) << list;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, RungeKutta, ::testing::ValuesIn(list_tableaux()), [](const auto& method) {
  std::string name = method.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- smooth motions ----

TEST_P(RungeKutta, ConditionsOfOrder) {
  const Tableau& t = GetParam();
  const Vector one = Vector::Ones(t.num_stages());
  EXPECT_LT((t.a * one - t.c).cwiseAbs().maxCoeff(), 1e-15);
  // Quadrature: Σ b c^k = 1/(k+1) for k < p, and not beyond.
  for (int k = 0; k < t.order; ++k)
    EXPECT_NEAR(t.b.dot(Vector(t.c.array().pow(k))), 1.0 / (k + 1), 1e-15) << k;
  // Σ b_i a_ij c_j^k = 1/((k+1)(k+2)), Σ b_i c_i a_ij c_j^k = 1/((k+1)(k+3))
  for (int k = 0; k + 2 <= t.order; ++k) {
    const Vector inner = t.a * Vector(t.c.array().pow(k));
    EXPECT_NEAR(t.b.dot(inner), 1.0 / ((k + 1) * (k + 2)), 1e-15) << k;
    if (k + 3 <= t.order) {
      EXPECT_NEAR(t.b.dot(Vector(t.c.cwiseProduct(inner))), 1.0 / ((k + 1) * (k + 3)), 1e-15) << k;
    }
  }
}

TEST_P(RungeKutta, PendulumOnAJoint) {
  constexpr double T = 0.64;
  const CompiledScene scene = testing::pendulum(2);
  const testing::PendulumMotion exact = testing::pendulum_motion(T, 2);
  expect_order(
      [&](double h) {
        const State end = testing::advance_to(*scene.system, scene.state, {.name = GetParam().name}, T,
                                              static_cast<int>(std::lround(T / h)));
        return (end.q - exact.q()).norm() + (end.v - exact.v()).norm();
      },
      step(0.01), k_round_off, above());
}

TEST_P(RungeKutta, HeavyTopHeldAtAPoint) {
  constexpr double T = 0.64;
  const testing::HeavyTop top;
  const auto exact = top.motion(T);
  expect_order(
      [&](double h) {
        const State end = testing::advance_to(top, top.initial_state(), {.name = GetParam().name}, T,
                                              static_cast<int>(std::lround(T / h)));
        return (end.q - exact.q).norm() + (end.v - exact.v).norm();
      },
      step(0.01), k_round_off, above());
}

TEST_P(RungeKutta, FreeAsymmetricTop) {
  const std::string scene = fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {{name: top, type: rigid, mass: 1, inertia: [1, 2, 3], angular_velocity: [{:.17g}, 0, {:.17g}]}}
)",
                                        k_top.start[0], k_top.start[2]);
  constexpr double T = 3.2;
  const Quaternion attitude = k_top.orientation(T);
  const Vector3 omega = k_top.omega(T);
  expect_order(
      [&](double h) {
        const State end =
            run_to(scene, T, {"stepper.name=" + GetParam().name, cli::setting("stepper.step", h)});
        return quaternion_difference(end.q.segment<4>(3), attitude).norm() + (end.v.tail<3>() - omega).norm();
      },
      step(0.05), 1e-11);
}

// A knife edge turns steadily under a force f along y; it glides along its edge only (a nonholonomic constraint).
TEST_P(RungeKutta, KnifeEdge) {
  constexpr double w = 2, f = 3, T = 0.8;
  const std::string scene = fmt::format(R"(
delassus: 1
lagrangian:
  coordinates: [x, y, a]
  position: [0, 0, 0]
  velocity: [0, 0, {0}]
  mass: [1, 1, 1]
  potential: -{1}*y
  velocity_constraints: [{{name: edge, coefficients: [sin(a), -cos(a), 0]}}]
)",
                                        w, f);
  // Along the edge: v̇ = f sin ωt, so v = (f/ω)(1 − cos ωt); ẋ = v cos ωt, ẏ = v sin ωt.
  const double x = f / w * (std::sin(w * T) / w - T / 2 - std::sin(2 * w * T) / (4 * w));
  const double y = f / w * ((1 - std::cos(w * T)) / w - std::pow(std::sin(w * T), 2) / (2 * w));
  expect_order(
      [&](double h) {
        const State end =
            run_to(scene, T, {"stepper.name=" + GetParam().name, cli::setting("stepper.step", h)});
        return std::hypot(end.q[0] - x, end.q[1] - y);
      },
      step(0.05), k_round_off, above());
}

// A bob on a rod whose end is moved by a drive: the joint depends on time.
TEST_P(RungeKutta, RodWhoseLengthIsDriven) {
  constexpr double T = 0.8;
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [1, 0]
  velocity: [0.3, 0]
  mass: [1, 1]
  potential: 9.81*y
  constraints: [{name: rod, equation: "(x^2 + y^2 - (1 + 0.3*sin(t))^2)/2"}]
)";
  // r θ̈ + 2 ṙ θ̇ = −g cos θ with r = 1 + 0.3 sin t
  const Vector end = testing::runge_kutta(
      [](double t, const Vector& y) {
        const double r = 1 + 0.3 * std::sin(t), rate = 0.3 * std::cos(t);
        return Vector{{y[1], (-9.81 * std::cos(y[0]) - 2 * rate * y[1]) / r}};
      },
      Vector{{0.0, 0.0}}, T, 20000);
  const double r = 1 + 0.3 * std::sin(T);
  const Eigen::Vector2d exact(r * std::cos(end[0]), r * std::sin(end[0]));
  expect_order(
      [&](double h) {
        const State at =
            run_to(scene, T, {"stepper.name=" + GetParam().name, cli::setting("stepper.step", h)});
        return (at.q - exact).norm();
      },
      step(0.02));
}

// ---- across events ----

Simulation built_in(const std::string& name, const std::vector<std::string>& settings) {
  return Simulation(load_scene(name, {settings.begin(), settings.end()}));
}

// The first impact after 0.8114 s, then every 1.5728 s with 0.4272 times the speed [Acary 2009, section 5].
TEST_P(RungeKutta, OscillatorAgainstAStop) {
  constexpr double exact = 0.0661511023633774727;
  for (double critical_step : {0.0, 0.1})
    expect_order(
        [&](double h) {
          std::vector<std::string> settings = located(h);
          settings.push_back(cli::setting("stepper.critical_step", critical_step));
          Simulation simulation = built_in("oscillator_and_stop", settings);
          EXPECT_TRUE(simulation.run_until(5)) << simulation.report().message;
          return std::abs(simulation.state().q[0] - exact);
        },
        5.0 / 64, 1e-14);
}

// Constant acceleration is exact for p ≥ 2; impacts at 3 − 2^(1−n) accumulate, from 3 on it is at rest.
TEST_P(RungeKutta, BallBouncesToRest) {
  if (order() == 1) GTEST_SKIP() << "gives the ball energy";
  for (double h : {0.05, 0.02}) {
    std::vector<std::string> settings = located(h);
    settings.insert(settings.end(), {"gravity=[0,-2,0]", "contacts.floor.restitution=0.5"});
    Simulation simulation = built_in("bouncing_ball", settings);
    ASSERT_TRUE(simulation.run_until(2.9));
    const double n = std::floor(-std::log2(0.05)), s = 2.9 - (3 - std::exp2(1 - n));
    EXPECT_NEAR(simulation.state().q[1], std::exp2(-n) * s - s * s, 1e-13);
    ASSERT_TRUE(simulation.run_until(4.7));
    EXPECT_EQ(simulation.state().v[1], 0);
    EXPECT_NEAR(simulation.state().q[1], 0, 1e-14);
  }
}

// Slip, stick and slip again under a force 8 cos t [Potra et al. 2006, 10.2]. The force is a function of time alone: methods are as
// good as their quadrature, Kutta's third like Simpson's rule of order 4.
TEST_P(RungeKutta, BlockThatSlipsAndSticks) {
  constexpr double exact = 2.991302833115031519391;
  expect_order(
      [&](double h) {
        Simulation simulation = built_in("block_on_table", located(h));
        EXPECT_TRUE(simulation.run_until(10));
        return std::abs(simulation.state().q[0] - exact);
      },
      step(0.04), 1e-13, 1.3);
}

// A ball slips on a plane, straight on, until it rolls; its spin turns it about an axis that changes. Methods lose up to an order
// where the slip ends, explicit ones a half more: their stages are of lower order, and friction turns fast with what slip is left.
TEST_P(RungeKutta, BallSlipsAndRollsOnAPlane) {
  const testing::SlippingBall slip = testing::slip_on_a_plane(40000);
  expect_order(
      [&](double h) {
        Simulation simulation = simulate(slip.scene, located(h));
        const std::vector<Event> events = run_with_events(simulation, slip.t_end);
        EXPECT_EQ(events.size(), 1U);
        const Eigen::Vector4d off = distance(testing::motion_of(simulation.state()), slip.end);
        return off[0] + off[1] + off[2] + std::abs(events.at(0).time - slip.slip_end);
      },
      0.025, k_round_off, 0.7, GetParam().is_explicit ? 1.5 : 0.9);
}

// Four corners share the load of a box that slides and spins; friction has other directions at each, so that the motion depends on the
// shares: they are the least ones at every stage. The reference has steps in which explicit stages find them one by one.
TEST_P(RungeKutta, BoxThatSlidesAndSpins) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: box, type: rigid, mass: 1, position: [0, 0.1, 0], velocity: [2, 0, 2], angular_velocity: [0, 6, 0],
     shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}
contact: {friction: 0.5}
)";
  constexpr double T = 0.32;
  const auto end = [&](const std::vector<std::string>& settings) {
    return testing::motion_of(run_to(scene, T, settings));
  };
  const auto exact =
      end({"stepper.name=event-capturing-rk", "stepper.method=dopri5", "stepper.step=1.25e-3"});
  expect_order(
      [&](double h) {
        const Eigen::Vector4d off = distance(end(located(h)), exact);
        return off[0] + off[1] + off[2] + off[3];
      },
      step(0.02), k_round_off, 1.0, 0.4);
}

// On another ball the normal turns, and the slip turns into the direction of the forces across it while it ends, like a power of
// the time that is left: no method has its order there, but the end is found, no step fails, and little is lost.
TEST_P(RungeKutta, BallSlipsAndRollsOnABall) {
  const testing::SlippingBall slip = testing::slip_on_a_ball(40000);
  const auto error = [&](double h) {
    Simulation simulation = simulate(slip.scene, located(h));
    const std::vector<Event> events = run_with_events(simulation, slip.t_end);
    EXPECT_EQ(events.size(), 1U);
    EXPECT_EQ(events.at(0).kind, EventKind::stick);
    EXPECT_NEAR(events.at(0).time, slip.slip_end, 10 * h * h);
    EXPECT_EQ(simulation.report().rejected, 0);
    const Eigen::Vector4d off = distance(testing::motion_of(simulation.state()), slip.end);
    return off[0] + off[1] + off[2];
  };
  const double fine = error(0.005);
  EXPECT_LT(fine, order() == 1 ? 0.1 : order() == 2 ? 2e-3 : order() <= 4 ? 5e-5 : 1e-7);
  EXPECT_LT(fine, std::max((order() == 1 ? 0.6 : 0.3) * error(0.01), k_round_off));
}

// What a step needs to know is in the state.
TEST_P(RungeKutta, ResumesWithTheSameBits) {
  const std::string scene = testing::slip_on_a_ball().scene;
  Simulation whole = simulate(scene, located(0.01)), half = simulate(scene, located(0.01)),
             resumed = simulate(scene, located(0.01));
  ASSERT_TRUE(whole.run_until(0.4));
  for (double t : {0.1, 0.21}) {  // while it slips, and after
    ASSERT_TRUE(half.run_until(t));
    std::stringstream text;
    save(half.state(), text);
    resumed.set_state(load_state(text, "test"));
    ASSERT_TRUE(resumed.run_until(0.4));
    EXPECT_TRUE(resumed.state() == whole.state()) << t;
  }
}

// Stacked boxes at rest share their forces in many ways; everything counts as nothing beside the forces, and stays where it is.
TEST_P(RungeKutta, BoxesAtRest) {
  Simulation simulation = built_in("box_stack", located(0.01));
  const Vector start = simulation.state().q;
  ASSERT_TRUE(simulation.run_until(0.1)) << simulation.report().message;
  EXPECT_LT((simulation.state().q - start).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_TRUE(simulation.report().warnings.empty());
}

}  // namespace
}  // namespace delassus::runge_kutta_test
