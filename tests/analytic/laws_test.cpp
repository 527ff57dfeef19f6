// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Surface laws with exact answers: rolling and spinning resistance, elliptic friction, static and kinetic friction,
// Stribeck's curve, moving surfaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/runs.hpp"

namespace delassus::laws_test {
namespace {

using testing::observed_order;
using testing::run_to;
using testing::run_with_events;
using testing::runge_kutta;
using testing::simulate;

constexpr double k_g = 9.81;
constexpr int k_warm_iterations = 3;

const Event* find(const std::vector<Event>& events, EventKind kind) {
  for (const Event& event : events)
    if (event.kind == kind) return &event;
  return nullptr;
}

// A ball of radius R on the plane y = 0; what is after the brace goes into the ball's map.
std::string ball(const std::string& more) {
  return R"(
delassus: 1
bodies:
  - {name: floor, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, position: [0, 0.1, 0], density: 1000, shapes: [{type: sphere, radius: 0.1}], )" +
         more + R"(}
contact: {friction: 0.5, rolling_friction: 0.004, spinning_friction: 0.003}
stepper: {step: 0.01}
)";
}

TEST(RollingFriction, BallRollsToRest) {
  // Without slip: (1 + 2/5) m a = m g μ_R / R.
  const double R = 0.1, a = k_g * 0.004 / R / 1.4, v0 = 0.4, t_stop = v0 / a;
  Simulation simulation = simulate(ball("velocity: [0.4, 0, 0], angular_velocity: [0, 0, -4]"));
  ASSERT_TRUE(simulation.run_until(1.0)) << simulation.report().message;
  EXPECT_NEAR(simulation.state().v[0], v0 - a, 1e-9);
  EXPECT_NEAR(simulation.state().q[0], v0 - 0.5 * a, 1e-9);
  const std::vector<Event> events = run_with_events(simulation, t_stop + 1);
  const Event* stop = find(events, EventKind::roll_stop);
  ASSERT_NE(stop, nullptr);
  EXPECT_NEAR(stop->time, t_stop, 1e-8);
  EXPECT_NEAR(simulation.state().q[0], 0.5 * v0 * t_stop, 1e-8);
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(simulation.report().energy.defect, 0, 1e-9);
}

TEST(RollingFriction, HoldsABallOnASlopeUpToItsLever) {
  // It rests while R sin α ≤ μ_R cos α; beyond that it rolls at a = (g sin α − g cos α μ_R / R) / 1.4.
  for (const double slope : {0.03, 0.06}) {
    const double alpha = std::atan(slope);
    Simulation simulation = simulate(ball(""), {"gravity=[" + std::to_string(k_g * std::sin(alpha)) + ", " +
                                                std::to_string(-k_g * std::cos(alpha)) + ", 0]"});
    ASSERT_TRUE(simulation.run_until(1.0)) << simulation.report().message;
    const double a = std::max(0.0, k_g * (std::sin(alpha) - std::cos(alpha) * 0.04) / 1.4);
    EXPECT_NEAR(simulation.state().v[0], a, 1e-5 * k_g) << slope;
    EXPECT_NEAR(simulation.report().contacts.at(0).couple.tail<2>().norm() /
                    simulation.report().contacts.at(0).impulse[0],
                std::min(0.004, 0.1 * slope), 1e-6)
        << slope;
  }
}

TEST(SpinningFriction, BallStopsSpinning) {
  // (2/5) m R² α = μ_S m g
  const double alpha = 0.003 * k_g / (0.4 * 0.01), w0 = 10, t_stop = w0 / alpha;
  Simulation simulation = simulate(ball("angular_velocity: [0, 10, 0]"));
  ASSERT_TRUE(simulation.run_until(1.0));
  EXPECT_NEAR(simulation.state().v[4], w0 - alpha, 1e-9);
  const std::vector<Event> events = run_with_events(simulation, t_stop + 0.5);
  const Event* stop = find(events, EventKind::spin_stop);
  ASSERT_NE(stop, nullptr);
  EXPECT_NEAR(stop->time, t_stop, 1e-9);
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SpinningFriction, SlidingBallRollsSpinsAndStops) {
  Simulation simulation = simulate(ball("velocity: [0.6, 0, 0.3], angular_velocity: [3, 5, 1]"));
  ASSERT_TRUE(simulation.run_until(8)) << simulation.report().message;
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(simulation.report().energy.defect, 0, 1e-4);
}

TEST(RollingFriction, WorksWithoutFriction) {
  // It takes the turning only: (2/5) m R² α = μ_R m g; the ball goes on.
  const double alpha = 0.004 * k_g / (0.4 * 0.01), t_stop = 20 / alpha;
  Simulation simulation =
      simulate(ball("velocity: [0.4, 0, 0], angular_velocity: [0, 0, -20]"), {"contact.friction=0"});
  const std::vector<Event> events = run_with_events(simulation, 3);
  const Event* stop = find(events, EventKind::roll_stop);
  ASSERT_NE(stop, nullptr);
  EXPECT_NEAR(stop->time, t_stop, 1e-9);
  EXPECT_NEAR(simulation.state().v[0], 0.4, 1e-12);
  EXPECT_LT(simulation.state().v.tail(3).cwiseAbs().maxCoeff(), 1e-12);
}

// A flat block on the plane y = 0, low enough not to tip.
std::string block(const std::string& floor, const std::string& more) {
  return R"(
delassus: 1
bodies:
  - {name: floor, type: fixed, shapes: [{type: plane, )" +
         floor + R"(}]}
  - {name: block, type: rigid, position: [0, 0.01, 0], density: 1000, shapes: [{type: box, size: [0.2, 0.02, 0.2]}], )" +
         more + R"(}
stepper: {step: 0.005}
)";
}

TEST(RollingFriction, LeavesASlidingBlockAlone) {
  Simulation simulation = simulate(block("friction: 0.3, rolling_friction: 0.001, spinning_friction: 0.001",
                                         "friction: 0.3, velocity: [1, 0, 0]"));
  ASSERT_TRUE(simulation.run_until(0.2)) << simulation.report().message;
  EXPECT_NEAR(simulation.state().v[0], 1 - 0.3 * k_g * 0.2, 1e-8);
  ASSERT_TRUE(simulation.run_until(0.6)) << simulation.report().message;
  EXPECT_NEAR(simulation.state().q[0], 0.5 / (0.3 * k_g), 1e-8);
  EXPECT_LT(simulation.state().v.cwiseAbs().maxCoeff(), 1e-10);
}

// d/dt (Hᵀ v + w) along a motion with constant v, by differences: all six rows, on a belt that turns and speeds up, with an
// axis of friction that turns with the ellipsoid.
TEST(ContactRows, BiasIsTheRateOfTheRows) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - name: belt
    type: kinematic
    motion: [0.3*t^2, -0.5 + 0.1*sin(t), 0.2*t]
    axis: [0.1, 1, 0.3]
    angle: 0.4*t + 0.7*t^2
    shapes: [{type: box, size: [9, 1, 9], surface_velocity: [1, 0.2, -0.5], rolling_friction: 0.01, spinning_friction: 0.02}]
  - name: egg
    type: rigid
    density: 1000
    position: [0.1, 0.35, 0.2]
    shapes: [{type: ellipsoid, size: [0.8, 0.6, 0.5], friction_axis: [0.3, 0.2, 1], friction_2: 0.2}]
contact: {envelope: 0.2}
)");
  const System& system = simulation.system();
  const Vector q = simulation.state().q;
  Vector v(6);
  v << 0.3, -0.1, 0.7, 1.1, -0.8, 0.6;
  std::vector<ContactId> ids = system.contacts_within(0.1, 0.5, q, v).ids;
  ASSERT_FALSE(ids.empty());
  ids.resize(1);
  const auto velocity = [&](double s) {
    Vector moved;
    system.retract(q, Vector(s * v), moved);
    return system.contacts_of(ids, 0.5 + s, moved, v).u;
  };
  const double step = 1e-5;
  const Vector difference = (velocity(step) - velocity(-step)) / (2 * step);
  Vector bias;
  system.contact_bias(system.contacts_of(ids, 0.5, q, v), system.configuration(0.5, q), v, bias);
  ASSERT_EQ(bias.size(), 6);
  EXPECT_LT((bias - difference).cwiseAbs().maxCoeff(), 1e-7) << bias.transpose() << '\n'
                                                             << difference.transpose();
}

// A puck on one contact: a ball of 1 kg that torques do not turn. The floor is a box, whose frame is that of the world;
// `floor` and `puck` go into their maps.
std::string puck(const std::string& floor, const std::string& puck, const std::string& more = "") {
  return R"(
delassus: 1
bodies:
  - {name: floor, type: fixed, position: [0, -0.5, 0], shapes: [{type: box, size: [50, 1, 50], )" +
         floor + R"(}]}
  - {name: puck, type: rigid, mass: 1, inertia: [1e9, 1e9, 1e9], position: [0, 0.1, 0], shapes: [{type: sphere, radius: 0.1}], )" +
         puck + "}\n" + more;
}

// What friction turns the puck by nevertheless [m/s].
constexpr double k_creep = 1e-8;

// Against a puck of 0.4: geometric means of 0.4 along x and 0.2 along z.
const char* const k_elliptic = "friction: 0.4, friction_2: 0.1, friction_axis: [1, 0, 0]";

TEST(EllipticFriction, StickingLimitInBothAxes) {
  struct Case {
    double x, z;
    bool holds;
  };
  for (const Case& one : {Case{0.39, 0, true}, Case{0.41, 0, false}, Case{0, 0.195, true},
                          Case{0, 0.205, false}, Case{0.28, 0.14, true}, Case{0.29, 0.145, false}}) {
    Simulation simulation = simulate(
        puck(k_elliptic, "friction: 0.4", "stepper: {step: 0.01}"),
        {"gravity=[" + std::to_string(one.x * k_g) + ", -9.81, " + std::to_string(one.z * k_g) + "]"});
    ASSERT_TRUE(simulation.run_until(0.2)) << simulation.report().message;
    EXPECT_EQ(simulation.state().v.norm() < k_creep, one.holds) << one.x << ' ' << one.z;
    // The report has the force, not that of the scaled row.
    const ContactReport& contact = simulation.report().contacts.at(0);
    const double across = std::abs(contact.impulse[2]) / contact.impulse[0];
    if (one.holds) {
      EXPECT_NEAR(across, one.z, 1e-6);
    }
  }
}

TEST(EllipticFriction, LaunchedAtAnAngle) {
  // In scaled components the friction is opposed to the slip: r = −μ₁ N (u₁, κ² u₂)/√(u₁² + κ² u₂²).
  const double mu = 0.4, ratio = 0.5, t_end = 0.4;
  const auto rate = [&](double, const Vector& x) {
    const double size = std::hypot(x[2], ratio * x[3]);
    Vector out(4);
    out << x[2], x[3], -mu * k_g * x[2] / size, -mu * k_g * ratio * ratio * x[3] / size;
    return out;
  };
  Vector start(4);
  start << 0, 0, 2, 1.5;
  const Vector end = runge_kutta(rate, start, t_end, 4000);
  const auto error = [&](double h) {
    const State state = run_to(puck(k_elliptic, "friction: 0.4, velocity: [2, 0, 1.5]"), t_end,
                               {"stepper.step=" + std::to_string(h)});
    return std::hypot(state.q[0] - end[0], state.q[2] - end[1]) +
           std::hypot(state.v[0] - end[2], state.v[2] - end[3]);
  };
  EXPECT_LT(error(0.005), 1e-4);
  EXPECT_GT(observed_order(error, 0.04), 1.8);
}

TEST(MovingSurface, BlockReachesTheSpeedOfABelt) {
  const double mu = 0.4, speed = 1, t_stick = speed / (mu * k_g);
  Simulation simulation =
      simulate(puck("friction: 0.4, surface_velocity: [1, 3, 0]", "friction: 0.4", "stepper: {step: 0.01}"));
  ASSERT_TRUE(simulation.run_until(0.2)) << simulation.report().message;
  EXPECT_NEAR(simulation.state().v[0], mu * k_g * 0.2, 1e-8);
  const std::vector<Event> events = run_with_events(simulation, 1.0);
  const Event* stick = find(events, EventKind::stick);
  ASSERT_NE(stick, nullptr);
  EXPECT_NEAR(stick->time, t_stick, 1e-8);
  EXPECT_NEAR(simulation.state().v[0], speed, 1e-10);
  EXPECT_NEAR(simulation.state().v[1], 0, 1e-10);
  EXPECT_NEAR(simulation.state().q[0], speed * (1 - t_stick / 2), 1e-8);
  // The belt works on the block, and that is all of its energy.
  EXPECT_NEAR(simulation.report().energy.friction, 0.5, 1e-8);
  EXPECT_NEAR(simulation.report().energy.defect, 0, 1e-8);
}

TEST(StaticFriction, RampBreaksTheBlockAway) {
  const double mu_s = 0.5, mu_k = 0.3, t_slip = mu_s * k_g / 2;
  Simulation simulation =
      simulate(puck("friction: 0.5, kinetic_friction: 0.3", "friction: 0.5, kinetic_friction: 0.3", R"(
forces: [{name: pull, type: applied, body: puck, force: [2*t, 0, 0]}]
stepper: {step: 0.01}
)"));
  ASSERT_TRUE(simulation.run_until(2.4)) << simulation.report().message;
  EXPECT_LT(simulation.state().v.norm(), k_creep);
  const std::vector<Event> events = run_with_events(simulation, 3.0);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, EventKind::slip);
  EXPECT_NEAR(events[0].time, t_slip, 1e-8);
  EXPECT_NEAR(simulation.state().v[0], 9 - t_slip * t_slip - mu_k * k_g * (3 - t_slip), 1e-5);
}

TEST(StaticFriction, PeriodOfStickSlipOnABelt) {
  // Stick: with the belt, until k x = μ_s N. Slip: harmonic about μ_k N / k, until the velocity is the belt's again.
  const double mu_s = 0.5, mu_k = 0.3, k = 100, speed = 0.2, w = 10, A = (mu_s - mu_k) * k_g / k;
  const double period = 2 * A / speed + 2 / w * (std::numbers::pi - std::atan(A * w / speed));
  Simulation simulation = simulate(puck("friction: 0.5, kinetic_friction: 0.3, surface_velocity: [0.2, 0, 0]",
                                        "friction: 0.5, kinetic_friction: 0.3, velocity: [0.2, 0, 0]", R"(
forces: [{name: spring, type: spring, between: [world, puck], anchor: [-1, 0.1, 0], stiffness: 100, rest_length: 1}]
stepper: {step: 0.001}
)"));
  std::vector<double> slips;
  for (const Event& event : run_with_events(simulation, 2.5))
    if (event.kind == EventKind::slip) slips.push_back(event.time);
  ASSERT_GE(slips.size(), 3U);
  EXPECT_NEAR(slips[0], mu_s * k_g / k / speed, 1e-6);
  for (std::size_t i = 1; i < slips.size(); ++i) EXPECT_NEAR(slips[i] - slips[i - 1], period, 2e-5);
}

TEST(Stribeck, SlidingBlockKeepsTheOrder) {
  const double t_end = 0.4;
  const auto rate = [](double, const Vector& x) {
    Vector out(2);
    out << x[1], -k_g * (0.2 + (0.5 - 0.2) * std::exp(-std::pow(x[1] / 0.8, 1.5)) + 0.05 * x[1]);
    return out;
  };
  Vector start(2);
  start << 0, 2;
  const Vector end = runge_kutta(rate, start, t_end, 4000);
  const std::string law =
      "friction: 0.5, kinetic_friction: 0.2, stribeck_speed: 0.8, stribeck_exponent: 1.5, viscous_friction: "
      "0.05";
  const auto error = [&](double h) {
    const State state =
        run_to(puck(law, law + ", velocity: [2, 0, 0]"), t_end, {"stepper.step=" + std::to_string(h)});
    return std::abs(state.q[0] - end[0]) + std::abs(state.v[0] - end[1]);
  };
  EXPECT_LT(error(0.005), 1e-4);
  EXPECT_GT(observed_order(error, 0.04), 1.8);
}

// ---- the same laws without located events: order 1 ----

class CapturedLaws : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> at_step(double h) const {
    return {std::string("stepper.name=") + GetParam(), cli::setting("stepper.step", h)};
  }
  State end(const std::string& scene, double t_end, double h) const {
    return run_to(scene, t_end, at_step(h));
  }
  // error(h) ≤ bound · h
  static void expect_first_order(const std::function<double(double)>& error, double bound) {
    for (const double h : {8e-3, 2e-3, 5e-4}) EXPECT_LT(error(h), bound * h) << h;
  }
};

INSTANTIATE_TEST_SUITE_P(Schemes, CapturedLaws,
                         ::testing::Values("moreau-jean", "nonsmooth-generalized-alpha", "dvi-euler"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(CapturedLaws, BallRollsToRest) {
  const double R = 0.1, a = k_g * 0.004 / R / 1.4, v0 = 0.4, t_stop = v0 / a;
  const std::string scene = ball("velocity: [0.4, 0, 0], angular_velocity: [0, 0, -4]");
  expect_first_order(
      [&](double h) {
        const State state = end(scene, t_stop + 0.5, h);
        EXPECT_LT(state.v.cwiseAbs().maxCoeff(), 1e-9) << h;
        return std::abs(state.q[0] - 0.5 * v0 * t_stop);
      },
      v0);
  // On the way the couple is at its bound; warm-started contacts with couples need next to no iterations.
  Simulation simulation = simulate(scene, at_step(2e-3));
  int most = 0;
  simulation.observe([&](const Simulation& s, const StepReport& report) {
    const ContactReport& contact = report.contacts.at(0);
    EXPECT_NEAR(contact.couple.tail<2>().norm(), 0.004 * contact.impulse[0], 1e-6 * contact.impulse[0]);
    if (s.state().t > 0.1) most = std::max(most, report.certificate.iterations);
    return true;
  });
  ASSERT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
  EXPECT_LE(most, k_warm_iterations);
}

TEST_P(CapturedLaws, BallStopsSpinning) {
  const double alpha = 0.003 * k_g / (0.4 * 0.01), w0 = 10, T = 1;
  const std::string scene = ball("angular_velocity: [0, 10, 0]");
  EXPECT_NEAR(end(scene, T, 2e-3).v[4], w0 - alpha * T, 1e-8);
  EXPECT_LT(end(scene, w0 / alpha + 0.2, 2e-3).v.cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(CapturedLaws, EllipticFriction) {
  const double mu = 0.4, ratio = 0.5, T = 0.4;
  const Vector exact = runge_kutta(
      [&](double, const Vector& x) {
        const double size = std::hypot(x[2], ratio * x[3]);
        return Vector{{x[2], x[3], -mu * k_g * x[2] / size, -mu * k_g * ratio * ratio * x[3] / size}};
      },
      Vector{{0.0, 0.0, 2.0, 1.5}}, T, 4000);
  expect_first_order(
      [&](double h) {
        const State state = end(puck(k_elliptic, "friction: 0.4, velocity: [2, 0, 1.5]"), T, h);
        return std::hypot(state.q[0] - exact[0], state.q[2] - exact[1]) +
               std::hypot(state.v[0] - exact[2], state.v[2] - exact[3]);
      },
      4);
}

TEST_P(CapturedLaws, BeltTakesABlockAlong) {
  const double speed = 1, t_stick = speed / (0.4 * k_g);
  expect_first_order(
      [&](double h) {
        const State state = end(puck("friction: 0.4, surface_velocity: [1, 3, 0]", "friction: 0.4"), 1.0, h);
        EXPECT_NEAR(state.v[0], speed, 1e-9) << h;
        return std::abs(state.q[0] - speed * (1 - t_stick / 2));
      },
      speed);
}

TEST_P(CapturedLaws, StaticFrictionBreaksAway) {
  const double mu_s = 0.5, mu_k = 0.3, t_slip = mu_s * k_g / 2, T = 3;
  expect_first_order(
      [&](double h) {
        const State state =
            end(puck("friction: 0.5, kinetic_friction: 0.3", "friction: 0.5, kinetic_friction: 0.3",
                     "forces: [{name: pull, type: applied, body: puck, force: [2*t, 0, 0]}]"),
                T, h);
        return std::abs(state.v[0] - (T * T - t_slip * t_slip - mu_k * k_g * (T - t_slip)));
      },
      (mu_s - mu_k) * k_g * 4);
}

TEST_P(CapturedLaws, StribeckCurve) {
  const double T = 0.4;
  const Vector exact = runge_kutta(
      [](double, const Vector& x) {
        return Vector{
            {x[1], -k_g * (0.2 + (0.5 - 0.2) * std::exp(-std::pow(x[1] / 0.8, 1.5)) + 0.05 * x[1])}};
      },
      Vector{{0.0, 2.0}}, T, 4000);
  const std::string law =
      "friction: 0.5, kinetic_friction: 0.2, stribeck_speed: 0.8, stribeck_exponent: 1.5, viscous_friction: "
      "0.05";
  expect_first_order(
      [&](double h) {
        const State state = end(puck(law, law + ", velocity: [2, 0, 0]"), T, h);
        return std::abs(state.q[0] - exact[0]) + std::abs(state.v[0] - exact[1]);
      },
      4);
}

}  // namespace
}  // namespace delassus::laws_test
