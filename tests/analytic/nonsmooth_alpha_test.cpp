// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// nonsmooth-generalized-alpha: order 2 on contacts that stay closed and on joints beside them, energy across impacts and of rims
// that roll, joints at position and velocity level at round-off, damping of what is stiff.
#include <gtest/gtest.h>

#include <algorithm>

#include "../support/slipping_ball.hpp"
#include "delassus/front/load_scene.hpp"

namespace delassus::nonsmooth_alpha_test {
namespace {

using testing::distance;
using testing::motion_of;
using testing::run_to;
using testing::runge_kutta;
using testing::simulate;
using testing::SlippingBall;

const std::string k_name = "stepper.name=nonsmooth-generalized-alpha";

std::vector<std::string> at_step(double h, std::vector<std::string> more = {}) {
  more.push_back(k_name);
  more.push_back(cli::setting("stepper.step", h));
  return more;
}

double total_energy(const Simulation& simulation) {
  const State& state = simulation.state();
  const System& system = simulation.system();
  BlockMatrix M;
  system.mass(state.t, state.q, M);
  return kinetic_energy(M, state.v) + system.potential_energy(state.t, state.q);
}

// Position, orientation, velocity and angular velocity of a ball that slips and then rolls, the end of the slip captured: on a
// plane, and on a ball, where the normal and the slip turn.
void expect_order_2(const SlippingBall& slip, double h) {
  std::vector<double> steps;
  std::vector<Eigen::Vector4d> errors;
  for (int i = 0; i < 4; ++i, h /= 2) {
    steps.push_back(h);
    errors.push_back(distance(motion_of(run_to(slip.scene, slip.t_end, at_step(h))), slip.end));
  }
  for (int k = 0; k < 4; ++k) {
    std::vector<double> one;
    for (const Eigen::Vector4d& e : errors) one.push_back(e[k]);
    EXPECT_GT(cli::fitted_order(steps, one), 1.9) << k << ": " << one.front() << " … " << one.back();
    // Order 1 with the constant of a normal that is taken at the beginning of the step would be far above.
    EXPECT_LT(one.back(), 1e-3) << k;
  }
}

TEST(NonsmoothAlpha, BallSlipsAndRollsOnAPlane) {
  expect_order_2(testing::slip_on_a_plane(), 0.01);
}

TEST(NonsmoothAlpha, BallSlipsAndRollsOnABall) {
  expect_order_2(testing::slip_on_a_ball(), 0.005);
}

// A bead that slides with friction in a circular bowl, m R φ̈ = −m g sin φ − μ (m g cos φ + m R φ̇²) sign φ̇: normal forces that turn and
// change hold it all the way. Up to where it comes to rest first.
TEST(NonsmoothAlpha, SlidingInABowl) {
  const double R = 1, mu = 0.2, g = 9.81, start = -1.2, T = 0.8;
  const std::string scene = fmt::format(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [{:.17g}, {:.17g}]
  mass: [2, 2]
  potential: 2*9.81*y
  contacts: [{{name: bowl, gap: 1 - sqrt(x^2 + y^2), tangents: [[-y, x]], friction: 0.2}}]
)",
                                        R * std::sin(start), -R * std::cos(start));
  const Vector exact = runge_kutta(
      [&](double, const Vector& x) {
        return Vector{{x[1], -g / R * std::sin(x[0]) -
                                 mu * (g / R * std::cos(x[0]) + x[1] * x[1]) * (x[1] >= 0 ? 1 : -1)}};
      },
      Vector{{start, 0.0}}, T, 40000);
  ASSERT_GT(exact[1], 0.5) << "it still slides";
  const auto error = [&](double h) {
    const State s = run_to(scene, T, at_step(h));
    const double phi = std::atan2(s.q[0], -s.q[1]);
    const double rate = (s.v[0] * std::cos(phi) + s.v[1] * std::sin(phi)) / R;
    return std::hypot(phi - exact[0], rate - exact[1]);
  };
  EXPECT_NEAR(testing::observed_order(error, 0.01), 2, 0.1);
  EXPECT_LT(error(0.00125), 1e-4);
}

// A rim that rolls: moreau-jean loses 30 % of its energy here, and 3 % with a tenth of the step.
TEST(NonsmoothAlpha, RollingDisksKeepTheirEnergy) {
  const auto error = [](const char* step) {
    Simulation simulation(
        load_scene("coin", std::vector<SceneSetting>{k_name, std::string("stepper.step=") + step}));
    const double first = total_energy(simulation);
    EXPECT_TRUE(simulation.run_until(1)) << simulation.report().message;
    return std::abs(simulation.report().energy.error) / first;
  };
  const double coarse = error("1e-3"), fine = error("2.5e-4");
  EXPECT_LT(coarse, 5e-3);
  // Of order 2.
  EXPECT_LT(fine, coarse / 10);
}

// Elastic impacts keep the energy to round-off, inelastic ones take all that approaches.
TEST(NonsmoothAlpha, BouncesKeepOrTakeTheEnergy) {
  const auto ball = [](double e) {
    return fmt::format(R"(
delassus: 1
gravity: [0, -10, 0]
bodies:
  - {{name: floor, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: ball, type: rigid, mass: 2, position: [0, 1.1, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
contact: {{restitution: {}}}
)",
                       e);
  };
  Simulation elastic = simulate(ball(1), at_step(7e-3));
  const double first = total_energy(elastic);
  double off = 0;
  int impacts = 0;
  elastic.observe([&](const Simulation& s, const StepReport& report) {
    off = std::max(off, std::abs(total_energy(s) - first));
    impacts += static_cast<int>(report.events.size());
    return true;
  });
  ASSERT_TRUE(elastic.run_until(5));
  EXPECT_GT(impacts, 4);
  EXPECT_LT(off, 1e-9 * first);

  Simulation inelastic = simulate(ball(0), at_step(7e-3));
  ASSERT_TRUE(inelastic.run_until(1));
  EXPECT_LT(inelastic.state().v.norm(), 1e-12);
  EXPECT_NEAR(inelastic.state().q[1], 0.1, 1e-9);
  const EnergyReport& energy = inelastic.report().energy;
  EXPECT_NEAR(energy.impact + energy.normal + energy.projection, -20, 1e-6);
}

// A double pendulum with a ball that hits and rests on the ground: joints hold at position and velocity level to round-off in
// every step, whatever the impacts do.
TEST(NonsmoothAlpha, JointsHoldInBothLevelsAcrossImpacts) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, position: [0, -1.5, 0], shapes: [{type: plane}]}
  - {name: upper, type: rigid, mass: 1, position: [0.5, 0, 0], shapes: [{type: box, size: [1, 0.05, 0.05]}]}
  - {name: lower, type: rigid, mass: 1, position: [1.5, 0, 0], angular_velocity: [1, 0.5, 0], velocity: [0, 0, -0.25], shapes: [{type: capsule, radius: 0.1, length: 0.8, rotation: [0, 0, pi/2]}]}
joints:
  - {name: shoulder, type: revolute, between: [world, upper], point: [0, 0, 0], axis: [0, 0, 1]}
  - {name: elbow, type: spherical, between: [upper, lower], point: [1, 0, 0]}
contact: {friction: 0.4, restitution: 0.3}
)",
                                   at_step(2e-3));
  double drift = 0, velocity_drift = 0;
  int impacts = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    drift = std::max(drift, report.certificate.joint_drift);
    velocity_drift = std::max(velocity_drift, report.certificate.velocity_drift);
    impacts += static_cast<int>(report.events.size());
    return true;
  });
  ASSERT_TRUE(simulation.run_until(2)) << simulation.report().message;
  EXPECT_GT(impacts, 2);
  EXPECT_LT(drift, 1e-12);
  EXPECT_LT(velocity_drift, 1e-11);
}

// A mass on a stiff spring above a block on the ground, ω h = 30, that starts without load: what is faster than a step is damped by ρ
// a step, and the ground carries both weights.
TEST(NonsmoothAlpha, StiffSpringOnAContactIsDamped) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0, 1]
  mass: [1, 1]
  potential: 0.5*9e8*(y - x - 1)^2 + 9.81*(x + y)
  contacts: [{name: ground, gap: x}]
)";
  for (const char* rho : {"0", "0.5", "0.9"}) {
    Simulation simulation = simulate(scene, at_step(1e-3, {std::string("stepper.rho=") + rho}));
    double late = 0, force = 0;
    simulation.observe([&](const Simulation& s, const StepReport& report) {
      if (s.state().t < 0.3) return true;
      late = std::max(late, std::abs(s.state().q[1] - s.state().q[0] - 1 + 9.81 / 9e8));
      force = report.contacts.empty() ? 0 : report.contacts[0].impulse[0] / 1e-3;
      return true;
    });
    ASSERT_TRUE(simulation.run_until(0.4)) << simulation.report().message;
    EXPECT_LT(late, 1e-6 * 9.81 / 9e8) << rho;
    EXPECT_NEAR(force, 2 * 9.81, 1e-4) << rho;
  }
}

// A run that is cut and resumed in the middle, joints, contacts and memory of accelerations in its state: the same bits.
TEST(NonsmoothAlpha, ResumesWithTheSameBits) {
  const Scene scene = load_scene("woodpecker", std::vector<SceneSetting>{k_name});
  Simulation whole(scene), first(scene);
  ASSERT_TRUE(whole.run_until(0.2));
  ASSERT_TRUE(first.run_until(0.1));
  EXPECT_GT(first.state().history.acceleration.a.size(), 0);
  std::stringstream text;
  save(first.state(), text);
  Simulation second(scene);
  second.set_state(load_state(text, "text"));
  ASSERT_TRUE(second.run_until(0.2));
  EXPECT_EQ(second.state(), whole.state());
}

}  // namespace
}  // namespace delassus::nonsmooth_alpha_test
