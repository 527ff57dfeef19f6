// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Rigid bodies, couplings and drives against closed forms: tops, rolling, knife edges, screws, gears, racks, pulleys, servos and
// joint springs, for every scheme of order 2.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../support/free_top.hpp"
#include "../support/runs.hpp"
#include "delassus/base/rotation.hpp"

namespace delassus::rigid_order_test {
namespace {

using testing::k_top;
using testing::observed_order;
using testing::run_to;
using testing::runge_kutta;

struct Scheme {
  const char* name;
  std::vector<std::string> settings;
};
std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
  return out << scheme.name;
}

const Scheme k_schemes[] = {
    {"trapezoidal_2", {"stepper.name=trapezoidal-2"}},
    {"alpha_gamma",
     {"stepper.name=alpha-gamma", "stepper.alpha=0.5", "stepper.gamma=0.5", "stepper.data=middle"}},
    {"trapezoidal_implicit", {"stepper.name=trapezoidal-implicit"}},
    {"trapezoidal_linearized", {"stepper.name=trapezoidal-linearized"}},
    {"newmark", {"stepper.name=newmark"}},
    {"hht", {"stepper.name=hht"}},
    {"energy_midpoint", {"stepper.name=energy-midpoint"}},
    {"generalized_alpha", {"stepper.name=generalized-alpha"}},
    // Gyroscopic terms beforehand, or in the step matrix where there are joints.
    {"moreau_jean", {"stepper.name=moreau-jean"}},
    {"schatzman_paoli", {"stepper.name=schatzman-paoli"}},
    {"nonsmooth_generalized_alpha", {"stepper.name=nonsmooth-generalized-alpha"}},
};

constexpr double k_order_tolerance = 0.1;
// Constant accelerations are exact for a scheme of order 2, but for round-off and the solver's tolerance.
constexpr double k_exact = 1e-9;

class RigidOrder : public ::testing::TestWithParam<Scheme> {
 protected:
  std::vector<std::string> at_step(double h) const {
    std::vector<std::string> all = GetParam().settings;
    all.push_back(cli::setting("stepper.step", h));
    return all;
  }
  State run(const std::string& scene, double t_end, double h) const {
    return run_to(scene, t_end, at_step(h));
  }
  // Value and rate of the first joint coordinate.
  Eigen::Vector2d coordinate(const std::string& scene, double t_end, double h) const {
    Simulation simulation = testing::simulate(scene, at_step(h));
    EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
    const State& s = simulation.state();
    Vector values, rates;
    simulation.system().joint_coordinates(s.t, s.q, s.v, values, rates);
    return {values[0], rates[0]};
  }
  // x(t) = a t²/2 of the first joint coordinate.
  void expect_constant_acceleration(const std::string& scene, double acceleration) const {
    constexpr double T = 1;
    const Eigen::Vector2d end = coordinate(scene, T, 1e-2);
    EXPECT_NEAR(end[0], acceleration * T * T / 2, k_exact);
    EXPECT_NEAR(end[1], acceleration * T, k_exact);
  }
};

INSTANTIATE_TEST_SUITE_P(Schemes, RigidOrder, ::testing::ValuesIn(k_schemes),
                         [](const auto& scheme) { return std::string(scheme.param.name); });

// ---- the free top ----

TEST(FreeTop, ReferenceIsRight) {
  // ω against Euler's equations, the attitude against the angular momentum, which does not turn.
  constexpr double T = 6;
  const Vector3& J = k_top.J;
  const Vector euler = runge_kutta(
      [&](double, const Vector& w) {
        return Vector{{(J[1] - J[2]) / J[0] * w[1] * w[2], (J[2] - J[0]) / J[1] * w[2] * w[0],
                       (J[0] - J[1]) / J[2] * w[0] * w[1]}};
      },
      Vector(k_top.start), T, 20000);
  EXPECT_LT((k_top.omega(T) - euler).norm(), 1e-10);
  const Vector3 momentum = rotate(k_top.orientation(T), J.cwiseProduct(k_top.omega(T)));
  EXPECT_LT((momentum - J.cwiseProduct(k_top.start)).norm(), 1e-10);
}

TEST_P(RigidOrder, FreeAsymmetricTop) {
  const std::string scene = fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {{name: top, type: rigid, mass: 1, inertia: [1, 2, 3], angular_velocity: [{:.17g}, 0, {:.17g}]}}
)",
                                        k_top.start[0], k_top.start[2]);
  constexpr double T = 6, h = 0.02;
  const Vector3 omega = k_top.omega(T);
  const Quaternion orientation = k_top.orientation(T);
  const Vector3 momentum = k_top.J.cwiseProduct(k_top.start);
  const double energy = 0.5 * momentum.dot(k_top.start);
  EXPECT_NEAR(observed_order(
                  [&](double step) {
                    const Quaternion rho = run(scene, T, step).q.segment<4>(3);
                    return quaternion_difference(rho, orientation).norm();
                  },
                  h),
              2, k_order_tolerance);
  EXPECT_NEAR(
      observed_order([&](double step) { return (run(scene, T, step).v.tail<3>() - omega).norm(); }, h), 2,
      k_order_tolerance);
  // What is conserved is kept to the order of the scheme, or better.
  const auto energy_error = [&](double step) {
    const Vector3 w = run(scene, T, step).v.tail<3>();
    return std::abs(0.5 * k_top.J.dot(w.cwiseAbs2()) - energy);
  };
  constexpr double round_off = 1e-12;  // of a scheme that keeps it exactly
  if (energy_error(h) > round_off * energy) {
    EXPECT_GT(observed_order(energy_error, h), 2 - k_order_tolerance);
  }
  EXPECT_GT(observed_order(
                [&](double step) {
                  const State s = run(scene, T, step);
                  const Vector3 w = s.v.tail<3>();
                  return (rotate(Quaternion(s.q.segment<4>(3)), k_top.J.cwiseProduct(w)) - momentum).norm();
                },
                h),
            2 - k_order_tolerance);
}

// ---- heavy tops and driven pendulums ----

// The centre of mass of the built-in gyroscope goes round at constant height with the rate W of its comment.
TEST_P(RigidOrder, SteadyPrecession) {
  constexpr double m = 1, l = 0.3, radius = 0.15, width = 0.03, g = 9.81, tilt = 1.1, spin = 120, T = 1;
  constexpr double axial = m * radius * radius / 2,
                   transverse = m * (3 * radius * radius + width * width) / 12 + m * l * l;
  const double p = axial * spin, c = std::cos(tilt),
               W = (p - std::sqrt(p * p - 4 * transverse * c * m * g * l)) / (2 * transverse * c);
  const Vector3 exact = l * Vector3(std::sin(tilt) * std::cos(W * T), c, -std::sin(tilt) * std::sin(W * T));
  const auto error = [&](double h) {
    std::vector<std::string> settings = at_step(h);
    settings.push_back("duration=1");
    return (cli::run_scene("gyroscope", settings).q.head<3>() - exact).norm();
  };
  EXPECT_NEAR(observed_order(error, 2e-3), 2, k_order_tolerance);
  EXPECT_LT(error(2.5e-4), 2e-4);
}

// A rod on a pivot that is moved as prescribed: θ̈ = −(3/2L)(g sin θ + ẍ_pivot cos θ), θ from the vertical.
TEST_P(RigidOrder, KinematicPivot) {
  const std::string scene = R"(
delassus: 1
constants: {A: 0.2, w: 3}
bodies:
  - {name: pivot, type: kinematic, motion: [A*sin(w*t), 0, 0]}
  - {name: rod, type: rigid, mass: 2, position: [0, -0.5, 0], velocity: [A*w, 0, 0], inertia: [1/6, 1/6, 1/6]}
joints: [{name: hinge, type: revolute, between: [pivot, rod], point: [0, 0, 0]}]
)";
  constexpr double A = 0.2, w = 3, g = 9.81, T = 2;
  const Vector exact = runge_kutta(
      [](double t, const Vector& x) {
        return Vector{{x[1], -1.5 * (g * std::sin(x[0]) - A * w * w * std::sin(w * t) * std::cos(x[0]))}};
      },
      Vector{{0.0, 0.0}}, T, 20000);
  EXPECT_NEAR(observed_order([&](double h) { return std::abs(coordinate(scene, T, h)[0] - exact[0]); }, 0.01),
              2, k_order_tolerance);
}

// ---- couplings: constant accelerations ----

TEST_P(RigidOrder, ScrewUnderGravity) {
  const std::string scene = R"(
delassus: 1
bodies: [{name: nut, type: rigid, mass: 3, inertia: [0.1, 0.02, 0.1]}]
joints: [{name: thread, type: screw, between: [world, nut], point: [0, 0, 0], axis: [0, 1, 0], pitch: 0.5}]
)";
  const double turn = 2 * M_PI / 0.5;
  expect_constant_acceleration(scene, -3 * 9.81 / (3 + 0.02 * turn * turn));
}

TEST_P(RigidOrder, GearPairUnderTorque) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: a, type: rigid, mass: 1, inertia: [0.1, 0.1, 0.2]}
  - {name: b, type: rigid, mass: 1, inertia: [0.1, 0.1, 0.05], position: [1, 0, 0]}
joints:
  - {name: hinge_a, type: revolute, between: [world, a], point: [0, 0, 0]}
  - {name: hinge_b, type: revolute, between: [world, b], point: [1, 0, 0]}
  - {name: mesh, type: gear, joints: [hinge_a, hinge_b], ratio: 2.5}
motors: [{name: drive, type: force, joint: hinge_a, law: 1.7}]
)";
  expect_constant_acceleration(scene, 1.7 / (0.2 + 2.5 * 2.5 * 0.05));
  // The other wheel turns the other way, 2.5 times as far, also after several turns.
  Simulation simulation = testing::simulate(scene, at_step(1e-2));
  ASSERT_TRUE(simulation.run_until(2));
  Vector values, rates;
  simulation.system().joint_coordinates(2, simulation.state().q, simulation.state().v, values, rates);
  EXPECT_NEAR(values[1], -2.5 * values[0], 1e-10);
  EXPECT_GT(values[0], 2 * M_PI / 2.5);
}

TEST_P(RigidOrder, RackUnderGravity) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: rack, type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 0]}
  - {name: pinion, type: rigid, mass: 1, inertia: [0.1, 0.1, 0.045]}
joints:
  - {name: slide, type: prismatic, between: [world, rack], point: [0.3, 0, 0], axis: [0, 1, 0]}
  - {name: hinge, type: revolute, between: [world, pinion], point: [0, 0, 0]}
  - {name: mesh, type: rack_and_pinion, pinion: hinge, rack: slide, radius: 0.3}
)";
  expect_constant_acceleration(scene, -2 * 9.81 / (2 + 0.045 / 0.09));
}

// A rope with a tackle: the second mass moves at half the speed. (m_a + m_b/4) a = (m_a − m_b/2) g.
TEST_P(RigidOrder, AtwoodMachine) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: a, mass: 3, position: [-0.5, -1, 0]}
  - {name: b, mass: 2, position: [0.5, -3, 0]}
joints:
  - {name: rope, type: pulley, between: [a, b], guide_a: [-0.5, 0, 0], guide_b: [0.5, 0, 0], ratio: RATIO}
)";
  for (double ratio : {1.0, 2.0}) {
    std::string with_ratio = scene;
    with_ratio.replace(with_ratio.find("RATIO"), 5, fmt::format("{}", ratio));
    const State end = run(with_ratio, 0.5, 1e-2);
    const double fall = (3 - 2 / ratio) / (3 + 2 / (ratio * ratio)) * 9.81;
    EXPECT_NEAR(end.q[1], -1 - fall / 8, k_exact) << ratio;
    EXPECT_NEAR(end.q[4], -3 + fall / 8 / ratio, k_exact) << ratio;
  }
}

// ---- rolling and skating ----

// A skate on an incline goes along a cycloid: Gavrea et al. 2008, 2.1.
TEST_P(RigidOrder, SkateOnAnIncline) {
  const std::string scene = R"(
delassus: 1
gravity: [9.81*sin(0.3), 0, -9.81*cos(0.3)]
bodies: [{name: skate, type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 2]}]
joints:
  - {name: plane, type: planar, between: [world, skate], point: [0, 0, 0]}
  - {name: edge, type: skate, body: skate}
)";
  const double g = 9.81 * std::sin(0.3), w = 2, T = 3;
  const Eigen::Vector2d exact(g / (2 * w * w) * std::pow(std::sin(w * T), 2),
                              g / (2 * w * w) * (w * T - 0.5 * std::sin(2 * w * T)));
  EXPECT_NEAR(observed_order([&](double h) { return (run(scene, T, h).q.head<2>() - exact).norm(); }, 0.02),
              2, k_order_tolerance);
}

// A disk that leans by λ and rolls in a circle. With the axis a, the direction r from the touching point to the centre, both in
// the turning frame, y = −sin λ a + cos λ r, ω = ω₃ a + W cos λ r, moments of inertia C about a and A across:
//   L̇ = W y × L = −R r × (m v̇ + m g y)   ⇒   (C + m R²) W ω₃ cos λ + A W² sin λ cos λ = m g R sin λ
// and the centre moves with −R ω₃ along x, turning at the rate W about y.
TEST_P(RigidOrder, DiskRollsInACircle) {
  constexpr double m = 0.7, R = 0.4, lean = 0.3, W = 0.9, g = 9.81, T = 2;
  constexpr double C = m * R * R / 2, A = m * R * R / 4;
  const double s = std::sin(lean), c = std::cos(lean);
  const double w3 = (m * g * R * s - A * W * W * s * c) / ((C + m * R * R) * W * c), own = w3 + W * s;
  const std::string scene = fmt::format(
      R"(
delassus: 1
bodies:
  - name: disk
    type: rigid
    mass: {m}
    inertia: [{A:.17g}, {A:.17g}, {C:.17g}]
    position: [0, {y:.17g}, {z:.17g}]
    rotation: [{lean}, 0, 0]
    velocity: [{v:.17g}, 0, 0]
    angular_velocity: [0, {wy:.17g}, {wz:.17g}]
joints: [{{name: rolling, type: rolling_disk, body: disk, radius: {R}}}]
)",
      fmt::arg("m", m), fmt::arg("A", A), fmt::arg("C", C), fmt::arg("y", R * c), fmt::arg("z", R * s),
      fmt::arg("lean", lean), fmt::arg("v", -R * w3), fmt::arg("wy", W - own * s), fmt::arg("wz", own * c),
      fmt::arg("R", R));
  const double rho = -R * w3 / W;  // along z at the start
  const Vector3 exact(rho * std::sin(W * T), R * c, R * s - rho + rho * std::cos(W * T));
  const auto error = [&](double h) { return (run(scene, T, h).q.head<3>() - exact).norm(); };
  EXPECT_NEAR(observed_order(error, 0.01), 2, k_order_tolerance);
  EXPECT_LT(error(1e-3), 1e-3);
}

// ---- drives and springs ----

// A servo whose reference jumps: m ẍ = −k (x − 1) − d ẋ.
TEST_P(RigidOrder, ServoStepResponse) {
  const std::string scene = R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: carriage, type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1]}]
joints: [{name: slide, type: prismatic, between: [world, carriage], point: [0, 0, 0], axis: [1, 0, 0]}]
motors: [{name: servo, type: servo, joint: slide, law: 1, stiffness: 50, damping: 4}]
)";
  constexpr double m = 2, k = 50, d = 4, T = 1.3;
  const double decay = d / (2 * m), w = std::sqrt(k / m - decay * decay);
  const double exact = 1 - std::exp(-decay * T) * (std::cos(w * T) + decay / w * std::sin(w * T));
  EXPECT_NEAR(observed_order([&](double h) { return std::abs(coordinate(scene, T, h)[0] - exact); }, 0.02), 2,
              k_order_tolerance);
}

// A body on a hinge with a spring, off its centre of mass: θ = θ₀ (1 − cos ωt), ω² = k/(J + m l²).
TEST_P(RigidOrder, JointSpringFrequency) {
  const std::string scene = R"(
delassus: 1
gravity: [0, 0, 0]
bodies: [{name: arm, type: rigid, mass: 2, inertia: [0.2, 0.2, 0.3], position: [0.5, 0, 0]}]
joints: [{name: hinge, type: revolute, between: [world, arm], point: [0, 0, 0]}]
forces: [{name: spring, type: joint_spring, joint: hinge, stiffness: 20, rest: 0.6}]
)";
  constexpr double T = 2;
  const double w = std::sqrt(20 / (0.3 + 2 * 0.25));
  const auto error = [&](double h) {
    return std::abs(coordinate(scene, T, h)[0] - 0.6 * (1 - std::cos(w * T)));
  };
  EXPECT_NEAR(observed_order(error, 0.02), 2, k_order_tolerance);
}

}  // namespace
}  // namespace delassus::rigid_order_test
