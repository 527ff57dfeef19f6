// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Observed order of the implicit schemes for joints, in positions, velocities and joint forces, against independent references.
#include <gtest/gtest.h>

#include "../support/heavy_top.hpp"
#include "../support/smooth_runs.hpp"

namespace delassus::dae_order_test {
namespace {

using testing::advance_to;
using testing::compile_text;
using testing::pendulum;
using testing::pendulum_motion;
using testing::runge_kutta;

struct Scheme {
  const char* label;
  StepperSettings settings;
  double order;
  bool damped;  // its joint forces converge without the velocity constraint too
};

std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
  return out << scheme.label;
}

StepperSettings named(const char* name) {
  StepperSettings settings;
  settings.name = name;
  return settings;
}
StepperSettings generalized_alpha(double rho) {
  StepperSettings settings = named("generalized-alpha");
  settings.rho = rho;
  return settings;
}
StepperSettings hht(double alpha) {
  StepperSettings settings = named("hht");
  settings.hht_alpha = alpha;
  return settings;
}
StepperSettings newmark(double beta, double gamma) {
  StepperSettings settings = named("newmark");
  settings.newmark_beta = beta;
  settings.newmark_gamma = gamma;
  return settings;
}

const Scheme k_schemes[] = {
    {"euler_implicit", named("euler-implicit"), 1, true},
    {"trapezoidal_implicit", named("trapezoidal-implicit"), 2, false},
    {"newmark_constant", newmark(0.25, 0.5), 2, false},
    {"newmark_linear", newmark(1.0 / 6, 0.5), 2, false},
    {"newmark_damped", newmark(0.3025, 0.6), 1, true},
    {"hht_undamped", hht(0), 2, false},
    {"hht", hht(-0.1), 2, true},
    {"hht_most", hht(-1.0 / 3), 2, true},
    {"generalized_alpha_0", generalized_alpha(0), 2, true},
    {"generalized_alpha_05", generalized_alpha(0.5), 2, true},
    {"generalized_alpha_09", generalized_alpha(0.9), 2, true},
    {"generalized_alpha_1", generalized_alpha(1), 2, false},
    {"nonsmooth_generalized_alpha", named("nonsmooth-generalized-alpha"), 2, true},
    {"energy_midpoint", named("energy-midpoint"), 2, false},
};

// Of the schemes that have them: the others know impulses only.
double joint_force(const State& state) {
  return state.history.acceleration.joint_forces[0];
}

// Order between n and 2n steps.
double order_at(const std::function<double(int)>& error, int n) {
  return std::log2(error(n) / error(2 * n));
}

class DaeOrder : public ::testing::TestWithParam<Scheme> {
 protected:
  static bool knows_forces() { return GetParam().settings.name != "energy-midpoint"; }
};

INSTANTIATE_TEST_SUITE_P(Schemes, DaeOrder, ::testing::ValuesIn(k_schemes),
                         [](const auto& scheme) { return std::string(scheme.param.label); });

// q, v and λ of a pendulum; Θ = 0 to round-off, and joint forces without alternation.
TEST_P(DaeOrder, Pendulum) {
  if (!knows_forces()) GTEST_SKIP() << "knows impulses only";
  const double T = 1, rate = 1;
  const auto scene = pendulum(rate);
  const auto exact = pendulum_motion(T, rate);
  double variation = 0, drift = 0, velocity_drift = 0;
  const auto run = [&](int n) {
    double last = pendulum_motion(0, rate).lambda();
    variation = drift = velocity_drift = 0;
    return advance_to(*scene.system, scene.state, GetParam().settings, T, n,
                      [&](const State& state, const StepReport& report) {
                        variation += std::abs(joint_force(state) - last);
                        last = joint_force(state);
                        drift = std::max(drift, report.certificate.joint_drift);
                        velocity_drift = std::max(velocity_drift, report.certificate.velocity_drift);
                      });
  };
  const auto order = [&](const auto& error) { return order_at([&](int n) { return error(run(n)); }, 800); };
  const double p = GetParam().order, tolerance = p == 1 ? 0.1 : 0.05;
  EXPECT_NEAR(order([&](const State& s) { return (s.q - exact.q()).norm(); }), p, tolerance);
  EXPECT_NEAR(order([&](const State& s) { return (s.v - exact.v()).norm(); }), p, tolerance);
  EXPECT_NEAR(order([&](const State& s) { return std::abs(joint_force(s) - exact.lambda()); }), p, tolerance);
  EXPECT_LT(drift, 1e-12);
  EXPECT_LT(velocity_drift, 1e-12);
  // λ falls from g y to its lowest value, where the rod hangs straight, and rises again.
  double lowest = 0, exact_variation = 0, last = pendulum_motion(0, rate).lambda();
  for (int i = 1; i <= 400; ++i) {
    const double now = pendulum_motion(T * i / 400, rate).lambda();
    exact_variation += std::abs(now - last);
    lowest = std::min(lowest, now);
    last = now;
  }
  EXPECT_LT(lowest, -20);
  EXPECT_NEAR(variation / exact_variation, 1, p == 1 ? 0.05 : 1e-3);
}

// Without the velocity constraint: order 2 all the same for damped members; λ of undamped ones never converges (contrary to Tasora 2017, §9).
TEST_P(DaeOrder, PendulumByPositionsAlone) {
  if (!knows_forces()) GTEST_SKIP() << "knows impulses only";
  const double T = 0.8, rate = 1;
  if (GetParam().settings.newmark_beta < 0.25) GTEST_SKIP() << "amplifies the error of the joint forces";
  const auto scene = pendulum(rate);
  const auto exact = pendulum_motion(T, rate);
  StepperSettings settings = GetParam().settings;
  settings.options.projection = Projection::none;
  const auto order = [&](const auto& error) {
    return order_at([&](int n) { return error(advance_to(*scene.system, scene.state, settings, T, n)); },
                    800);
  };
  const double p = GetParam().order, tolerance = p == 1 ? 0.1 : 0.05;
  EXPECT_NEAR(order([&](const State& s) { return (s.q - exact.q()).norm(); }), p, tolerance);
  EXPECT_NEAR(order([&](const State& s) { return (s.v - exact.v()).norm(); }), p, tolerance);
  EXPECT_NEAR(order([&](const State& s) { return std::abs(joint_force(s) - exact.lambda()); }),
              GetParam().damped ? p : 0, 0.1);
}

// The double pendulum in its angles: the mass matrix varies.
TEST_P(DaeOrder, VaryingMass) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [a, b]
  position: [1, 0.5]
  mass: [[2, cos(a - b)], [cos(a - b), 1]]
  potential: -9.81*(2*cos(a) + cos(b))
)");
  const auto f = [](double, const Vector& x) {
    const double d = x[0] - x[1];
    Eigen::Matrix2d M;
    M << 2, std::cos(d), std::cos(d), 1;
    const Eigen::Vector2d k(-std::sin(d) * x[3] * x[3] - 2 * 9.81 * std::sin(x[0]),
                            std::sin(d) * x[2] * x[2] - 9.81 * std::sin(x[1]));
    const Eigen::Vector2d a = M.inverse() * k;
    return Vector{{x[2], x[3], a[0], a[1]}};
  };
  const Vector exact = runge_kutta(f, Vector{{1.0, 0.5, 0.0, 0.0}}, 1.0, 20000);
  const auto error = [&](int n) {
    const State s = advance_to(*scene.system, scene.state, GetParam().settings, 1.0, n);
    return (s.q - exact.head<2>()).norm() + (s.v - exact.tail<2>()).norm();
  };
  EXPECT_NEAR(order_at(error, 400), GetParam().order, GetParam().order == 1 ? 0.15 : 0.05);
}

// A pendulum whose pivot is driven: a rheonomic joint that does work.
TEST_P(DaeOrder, MovingPivot) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0, -1]
  velocity: [0.6, 0]
  mass: [1.5, 1.5]
  potential: 1.5*9.81*y
  constraints: [{name: rod, equation: "((x - 0.2*sin(3*t))^2 + y^2 - 1)/2"}]
)");
  // With the angle from the lowest point θ̈ = −g sin θ − ẍ_p cos θ; the pivot starts with 0.6 m/s.
  const auto f = [](double t, const Vector& x) {
    return Vector{{x[1], -9.81 * std::sin(x[0]) + 1.8 * std::sin(3 * t) * std::cos(x[0])}};
  };
  const double T = 1;
  const Vector exact = runge_kutta(f, Vector{{0.0, 0.0}}, T, 20000);
  const Eigen::Vector2d q(0.2 * std::sin(3 * T) + std::sin(exact[0]), -std::cos(exact[0]));
  // The rod carries m(θ̇² + g cos θ − ẍ_p sin θ).
  const double force =
      1.5 * (exact[1] * exact[1] + 9.81 * std::cos(exact[0]) + 1.8 * std::sin(3 * T) * std::sin(exact[0]));
  double defect = 0;
  const auto run = [&](int n) {
    return advance_to(*scene.system, scene.state, GetParam().settings, T, n,
                      [&](const State&, const StepReport& report) { defect = report.energy.defect; });
  };
  const double p = GetParam().order, tolerance = p == 1 ? 0.15 : 0.05;
  EXPECT_NEAR(order_at([&](int n) { return (run(n).q - q).norm(); }, 400), p, tolerance);
  if (!knows_forces()) return;
  EXPECT_NEAR(order_at([&](int n) { return std::abs(joint_force(run(n)) + force); }, 400), p, tolerance);
  // The work of the joint is in the balance.
  EXPECT_NEAR(order_at(
                  [&](int n) {
                    run(n);
                    return std::abs(defect);
                  },
                  400),
              p, p == 1 ? 0.15 : 0.2);
}

// A skate on an incline follows a cycloid: a nonholonomic constraint.
TEST_P(DaeOrder, Skate) {
  const double g = 9.81 * std::sin(0.3), w = 2, T = 1.5;
  const Eigen::Vector2d exact(g / (2 * w * w) * std::pow(std::sin(w * T), 2),
                              g / (2 * w * w) * (w * T - 0.5 * std::sin(2 * w * T)));
  const auto scene = compile_text(R"(
delassus: 1
constants: {g: 9.81, slope: 0.3}
lagrangian:
  coordinates: [x, y, phi]
  velocity: [0, 0, 2]
  position: [0, 0, 0]
  mass: [1, 1, 0.1]
  potential: -g*sin(slope)*x
  velocity_constraints: [{name: edge, coefficients: [sin(phi), -cos(phi), 0]}]
)");
  const auto error = [&](int n) {
    return (advance_to(*scene.system, scene.state, GetParam().settings, T, n).q.head<2>() - exact).norm();
  };
  EXPECT_NEAR(order_at(error, 200), GetParam().order, 0.1);
}

// An elastic pendulum with damping: forces whose derivatives turn.
TEST_P(DaeOrder, TurningSpring) {
  const auto scene = compile_text(R"(
delassus: 1
bodies: [{name: bob, mass: 1, position: [1.2, 0, 0]}]
forces: [{name: spring, type: spring, between: [world, bob], stiffness: 50, rest_length: 1, damping: 0.8}]
)");
  const auto f = [](double, const Vector& x) {
    const Eigen::Vector2d p(x[0], x[1]), v(x[2], x[3]), n = p.normalized();
    const Eigen::Vector2d a = Eigen::Vector2d(0, -9.81) - (50 * (p.norm() - 1) + 0.8 * n.dot(v)) * n;
    return Vector{{x[2], x[3], a[0], a[1]}};
  };
  const Vector exact = runge_kutta(f, Vector{{1.2, 0.0, 0.0, 0.0}}, 1.0, 20000);
  const auto error = [&](int n) {
    return (advance_to(*scene.system, scene.state, GetParam().settings, 1.0, n).q.head<2>() - exact.head<2>())
        .norm();
  };
  EXPECT_NEAR(order_at(error, 400), GetParam().order, 0.1);
}

// A spinning top held at its tip: rotations, where q ⊞ w is not q + w.
TEST_P(DaeOrder, HeavyTop) {
  const testing::HeavyTop top;
  const double T = 0.5;
  const auto exact = top.motion(T);
  double drift = 0, iterations = 0;
  const auto run = [&](int n) {
    drift = iterations = 0;
    return advance_to(top, top.initial_state(), GetParam().settings, T, n,
                      [&](const State&, const StepReport& report) {
                        drift = std::max(drift, report.certificate.joint_drift);
                        iterations += report.certificate.iterations / static_cast<double>(n);
                      });
  };
  const auto position_error = [&](int n) {
    Vector w;
    top.difference(run(n).q, exact.q, w);
    return w.norm();
  };
  const double p = GetParam().order, tolerance = p == 1 ? 0.15 : 0.1;
  EXPECT_NEAR(order_at(position_error, 400), p, tolerance);
  EXPECT_LT(drift, 1e-12);
  EXPECT_LT(iterations, 6);
  EXPECT_NEAR(order_at([&](int n) { return (run(n).v - exact.v).norm(); }, 400), p, tolerance);
  if (!knows_forces()) return;
  EXPECT_NEAR(
      order_at([&](int n) { return (run(n).history.acceleration.joint_forces - exact.lambda).norm(); }, 400),
      p, tolerance);
}

struct Linearized {
  const char* name;
  Projection projection;
  double order_q, order_v;
  bool rows_at_start = false;
};

// One linear problem a step: q, v and the impulses of the joint.
TEST(LinearizedOrder, Pendulum) {
  const double T = 1, rate = 1;
  const auto scene = pendulum(rate);
  const auto exact = pendulum_motion(T, rate);
  double exact_impulse = 0;
  for (int i = 0; i <= 400; ++i)
    exact_impulse += pendulum_motion(T * i / 400, rate).lambda() * T / 1200 *
                     (i % 400 == 0 ? 1
                      : i % 2 == 1 ? 4
                                   : 2);
  // Without projection the normal part of v alternates by O(h).
  for (const Linearized& scheme : {Linearized{"trapezoidal-linearized", Projection::all, 2, 2},
                                   Linearized{"trapezoidal-linearized", Projection::none, 2, 1},
                                   Linearized{"trapezoidal-linearized", Projection::all, 1, 1, true},
                                   Linearized{"trapezoidal-linearized", Projection::none, 1, 1, true},
                                   Linearized{"euler-implicit-linearized", Projection::all, 1, 1},
                                   Linearized{"euler-implicit-linearized", Projection::none, 1, 1}}) {
    SCOPED_TRACE(std::string(scheme.name) + (scheme.projection == Projection::all ? " projected" : ""));
    StepperSettings settings = named(scheme.name);
    settings.options.projection = scheme.projection;
    settings.rows_at_start = scheme.rows_at_start;
    double impulse = 0, drift = 0;
    const auto run = [&](int n) {
      impulse = drift = 0;
      return advance_to(*scene.system, scene.state, settings, T, n,
                        [&](const State&, const StepReport& report) {
                          impulse += report.joint_impulses[0];
                          drift = std::max(drift, report.certificate.joint_drift);
                        });
    };
    EXPECT_NEAR(order_at([&](int n) { return (run(n).q - exact.q()).norm(); }, 800), scheme.order_q, 0.1);
    EXPECT_NEAR(order_at([&](int n) { return (run(n).v - exact.v()).norm(); }, 800), scheme.order_v, 0.1);
    // Alternating ones have no order.
    const auto impulse_error = [&](int n) {
      run(n);
      return std::abs(impulse - exact_impulse);
    };
    if (scheme.projection == Projection::all) {
      EXPECT_NEAR(order_at(impulse_error, 800), scheme.order_v, 0.1);
    }
    // h = 1/1600: O(h²) of the violation that a step leaves, or round-off.
    EXPECT_LT(drift, scheme.projection == Projection::all ? 1e-14 : 1e-5);
  }
}

// Order 2 in q and v; its impulses are those of a whole step.
TEST(EnergyMidpointOrder, Pendulum) {
  const double T = 1, rate = 1;
  const auto scene = pendulum(rate);
  const auto exact = pendulum_motion(T, rate);
  const auto run = [&](int n) {
    return advance_to(*scene.system, scene.state, named("energy-midpoint"), T, n);
  };
  EXPECT_NEAR(order_at([&](int n) { return (run(n).q - exact.q()).norm(); }, 400), 2, 0.05);
  EXPECT_NEAR(order_at([&](int n) { return (run(n).v - exact.v()).norm(); }, 400), 2, 0.05);
}

}  // namespace
}  // namespace delassus::dae_order_test
