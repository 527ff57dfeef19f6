// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Observed order of every scheme against independent references: smooth forces, curved joints, varying mass, stiff springs, turning
// friction, nonholonomic constraints, and located events.
#include <gtest/gtest.h>

#include "../support/runs.hpp"

namespace delassus::order_test {
namespace {

using testing::observed_order;
using testing::run_to;
using testing::runge_kutta;

std::string step(double h) {
  return cli::setting("stepper.step", h);
}

struct Scheme {
  const char* name;
  std::vector<std::string> settings;
  double smooth_order, curved_order;
};

std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
  return out << scheme.name;
}

const Scheme k_schemes[] = {
    {"trapezoidal_2", {"stepper.name=trapezoidal-2", "stepper.projection=none"}, 2, 2},
    {"trapezoidal_2_projected", {"stepper.name=trapezoidal-2", "stepper.projection=all"}, 2, 2},
    {"trapezoidal_1", {"stepper.name=trapezoidal-1", "stepper.projection=none"}, 2, 1},
    {"trapezoidal_1_rows_at_end",
     {"stepper.name=trapezoidal-1", "stepper.rows_at_end=true", "stepper.projection=none"},
     2,
     2},
    {"alpha_gamma_half_start", {"stepper.name=alpha-gamma", "stepper.projection=none"}, 2, 1},
    {"alpha_gamma_half_middle",
     {"stepper.name=alpha-gamma", "stepper.data=middle", "stepper.projection=none"},
     2,
     2},
    {"alpha_gamma_euler", {"stepper.name=alpha-gamma", "stepper.alpha=1", "stepper.gamma=1"}, 1, 1},
    {"anitescu_potra", {"stepper.name=anitescu-potra"}, 1, 1},
    {"anitescu_potra_stiff", {"stepper.name=anitescu-potra-stiff"}, 1, 1},
    {"moreau_jean", {"stepper.name=moreau-jean"}, 2, 2},
    {"moreau_jean_projected", {"stepper.name=moreau-jean-projected"}, 2, 2},
    {"moreau_jean_plain", {"stepper.name=moreau-jean", "stepper.projection=none"}, 2, 1},
    {"moreau_jean_implicit", {"stepper.name=moreau-jean", "stepper.theta=1"}, 1, 1},
    {"moreau_jean_quarter", {"stepper.name=moreau-jean", "stepper.theta=0.25"}, 1, 1},
    {"moreau_jean_explicit", {"stepper.name=moreau-jean", "stepper.theta=0"}, 1, 1},
    {"nonsmooth_generalized_alpha", {"stepper.name=nonsmooth-generalized-alpha"}, 2, 2},
    {"dvi_euler", {"stepper.name=dvi-euler"}, 1, 1},
    {"schatzman_paoli", {"stepper.name=schatzman-paoli"}, 2, 2},
    {"schatzman_paoli_central", {"stepper.name=schatzman-paoli", "stepper.theta=0"}, 2, 2},
    {"dvi_euler_implicit", {"stepper.name=dvi-euler", "stepper.implicit_forces=true"}, 1, 1},
    // The oscillator has a force that depends on its velocity.
    {"leapfrog", {"stepper.name=leapfrog"}, 1, 2},
    {"leapfrog_plain", {"stepper.name=leapfrog", "stepper.projection=none"}, 1, 2},
    {"trapezoidal_1_stabilised", {"stepper.name=trapezoidal-1", "stepper.stabilisation=1"}, 2, 2},
    {"anitescu_potra_stabilised", {"stepper.name=anitescu-potra", "stepper.stabilisation=1"}, 1, 1},
};

class Order : public ::testing::TestWithParam<Scheme> {
 protected:
  std::vector<std::string> with(std::vector<std::string> more) const {
    std::vector<std::string> all = GetParam().settings;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Schemes, Order, ::testing::ValuesIn(k_schemes),
                         [](const auto& scheme) { return std::string(scheme.param.name); });

TEST_P(Order, NonlinearOscillator) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [q]
  position: [1]
  velocity: [0.5]
  mass: [[1.5]]
  forces: [-2*sin(q) - 0.2*v_q^3 + 0.5*cos(2*t)]
)";
  const Vector exact = runge_kutta(
      [](double t, const Vector& x) {
        return Vector{{x[1], (-2 * std::sin(x[0]) - 0.2 * std::pow(x[1], 3) + 0.5 * std::cos(2 * t)) / 1.5}};
      },
      Vector{{1.0, 0.5}}, 2.0, 20000);
  const double order = observed_order(
      [&](double h) {
        const State s = run_to(scene, 2.0, with({step(h)}));
        return std::hypot(s.q[0] - exact[0], s.v[0] - exact[1]);
      },
      0.02);
  EXPECT_NEAR(order, GetParam().smooth_order, 0.12);
}

// A pendulum in Cartesian coordinates against its angle.
TEST_P(Order, CurvedJoint) {
  const std::string scene = R"(
delassus: 1
bodies: [{name: bob, mass: 2, position: [1, 0, 0]}]
joints: [{name: rod, type: distance, between: [world, bob]}]
)";
  const Vector exact = runge_kutta(
      [](double, const Vector& x) {
        return Vector{{x[1], -9.81 * std::cos(x[0])}};
      },
      Vector{{0.0, 0.0}}, 1.0, 20000);
  const Eigen::Vector2d at(std::cos(exact[0]), std::sin(exact[0]));
  const double order = observed_order(
      [&](double h) {
        const State s = run_to(scene, 1.0, with({step(h)}));
        return (s.q.head<2>() - at).norm();
      },
      0.01);
  EXPECT_NEAR(order, GetParam().curved_order, 0.2);
}

// The double pendulum in its angles: the mass matrix varies, Coriolis terms are automatic.
TEST(OrderOf, VaryingMass) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [a, b]
  position: [1, 0.5]
  mass: [[2, cos(a - b)], [cos(a - b), 1]]
  potential: -9.81*(2*cos(a) + cos(b))
)";
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
  const double order = observed_order(
      [&](double h) { return (run_to(scene, 1.0, {step(h)}).q - exact.head<2>()).norm(); }, 0.01);
  EXPECT_NEAR(order, 2, 0.1);
  // With the mean of the masses of both ends it is another scheme of the same order.
  for (const char* name : {"trapezoidal-2", "trapezoidal-1", "moreau-jean"}) {
    const auto end = [&](double h, const char* mass) {
      return run_to(scene, 1.0,
                    {step(h), std::string("stepper.name=") + name, std::string("stepper.mass=") + mass,
                     "stepper.projection=all"})
          .q;
    };
    EXPECT_NEAR(observed_order([&](double h) { return (end(h, "mean") - exact.head<2>()).norm(); }, 0.01), 2,
                0.1)
        << name;
    EXPECT_GT((end(0.01, "mean") - end(0.01, "middle")).norm(), 1e-6) << name;
  }
}

// Drift of a chain of two rods: stabilised rows keep it at what some steps leave, O(h³), without them it is ten times as large; the order
// of the scheme stays (coarse steps have errors of h² and h³ that cancel).
TEST(OrderOf, StabilisedRows) {
  const std::string chain = R"(
delassus: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 2, position: [1, 0, 0], velocity: [0, 1, 0]}
  - {name: b, mass: 1, position: [1.7, 0, 0.3]}
joints:
  - {name: first, type: distance, between: [world, a]}
  - {name: second, type: distance, between: [a, b]}
stepper: {name: trapezoidal-2, projection: none}
)";
  const auto drift = [&](double h, double T, const char* s) {
    Simulation simulation = testing::simulate(chain, {step(h), std::string("stepper.stabilisation=") + s});
    double largest = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      largest = std::max(largest, report.certificate.joint_drift);
      return true;
    });
    EXPECT_TRUE(simulation.run_until(T));
    return largest;
  };
  const double without = drift(0.01, 40, "0");
  for (const char* s : {"1", "0.5"}) {
    const double early = drift(0.01, 4, s), late = drift(0.01, 40, s);
    EXPECT_LT(late, 2.5 * early) << s;
    EXPECT_NEAR(std::log2(early / drift(0.005, 4, s)), 3, 0.3) << s;
    EXPECT_LT(5 * late, without) << s;
  }

  const std::string pendulum = R"(
delassus: 1
bodies: [{name: bob, mass: 2, position: [1, 0, 0]}]
joints: [{name: rod, type: distance, between: [world, bob]}]
stepper: {name: trapezoidal-2}
)";
  const Vector exact = runge_kutta(
      [](double, const Vector& x) {
        return Vector{{x[1], -9.81 * std::cos(x[0])}};
      },
      Vector{{0.0, 0.0}}, 1.0, 20000);
  const Eigen::Vector2d at(std::cos(exact[0]), std::sin(exact[0]));
  for (const char* s : {"1", "0.5"})
    EXPECT_NEAR(
        observed_order(
            [&](double h) {
              const State state = run_to(pendulum, 1.0, {step(h), std::string("stepper.stabilisation=") + s});
              return (state.q.head<2>() - at).norm();
            },
            0.00125),
        2, 0.1)
        << s;
}

// Closed contacts are pulled back as well, and part steps after events take back no more than their share: a block in a bowl
// that lands, slides and comes to rest.
TEST(OrderOf, StabilisedContacts) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0.8, -0.5]
  mass: [1, 1]
  potential: 9.81*y
  contacts: [{name: bowl, gap: '1 - hypot(x, y)'}]
stepper: {name: trapezoidal-2, projection: none}
)";
  const auto depth = [&](double h, const char* s) {
    Simulation simulation = testing::simulate(scene, {step(h), std::string("stepper.stabilisation=") + s});
    double largest = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      if (report.t_end > 2) largest = std::max(largest, report.certificate.penetration);
      return true;
    });
    EXPECT_TRUE(simulation.run_until(20)) << simulation.report().message;
    EXPECT_LT(simulation.state().v.norm(), 10);
    return largest;
  };
  EXPECT_LT(10 * depth(0.01, "1"), depth(0.01, "0"));
  EXPECT_LT(depth(0.005, "1"), 0.3 * depth(0.01, "1"));
}

// Springs in a row, nothing that depends on velocities: order 2, and the energy swings within bounds that do not grow.
TEST(OrderOf, LeapfrogOnSprings) {
  const std::string scene = R"(
delassus: 1
lagrangian:
  coordinates: [a, b]
  position: [1, 0.3]
  velocity: [0, 1]
  mass: [1, 2]
  potential: 10*a^2 + 4*(b - a)^2 + 0.5*(b - a)^4
stepper: {name: leapfrog}
)";
  const auto f = [](double, const Vector& x) {
    const double d = x[1] - x[0], pull = 8 * d + 2 * d * d * d;
    return Vector{{x[2], x[3], -20 * x[0] + pull, -0.5 * pull}};
  };
  const Vector exact = runge_kutta(f, Vector{{1.0, 0.3, 0.0, 1.0}}, 2.0, 40000);
  const auto error = [&](double h) { return (run_to(scene, 2.0, {step(h)}).q - exact.head<2>()).norm(); };
  EXPECT_NEAR(observed_order(error, 0.02), 2, 0.1);
  const auto swing = [&](double T) {
    Simulation simulation = testing::simulate(scene, {"stepper.step=0.02"});
    double largest = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      largest = std::max(largest, std::abs(report.energy.error));
      return true;
    });
    EXPECT_TRUE(simulation.run_until(T));
    return largest;
  };
  EXPECT_LT(swing(400), 1.3 * swing(20));
}

// An elastic pendulum with damping: the spring turns, so its rank-one derivative is not the exact one.
TEST(OrderOf, TurningSpring) {
  const std::string scene = R"(
delassus: 1
bodies: [{name: bob, mass: 1, position: [1.2, 0, 0]}]
forces: [{name: spring, type: spring, between: [world, bob], stiffness: 50, rest_length: 1, damping: 0.8}]
stepper: {name: trapezoidal-2}
)";
  const auto f = [](double, const Vector& x) {
    const Eigen::Vector2d p(x[0], x[1]), v(x[2], x[3]), n = p.normalized();
    const Eigen::Vector2d a = Eigen::Vector2d(0, -9.81) - (50 * (p.norm() - 1) + 0.8 * n.dot(v)) * n;
    return Vector{{x[2], x[3], a[0], a[1]}};
  };
  const Vector exact = runge_kutta(f, Vector{{1.2, 0.0, 0.0, 0.0}}, 1.0, 20000);
  const auto order = [&](const std::vector<std::string>& settings) {
    return observed_order(
        [&](double h) {
          std::vector<std::string> all = settings;
          all.push_back(step(h));
          return (run_to(scene, 1.0, all).q.head<2>() - exact.head<2>()).norm();
        },
        0.005);
  };
  EXPECT_NEAR(order({"stepper.derivatives=exact"}), 2, 0.1);
  EXPECT_NEAR(order({"stepper.derivatives=rank-one"}), 2, 0.1);
  // Potra et al. 2006, §1 admits it: with the rank-one derivative on both sides the order is lost.
  EXPECT_NEAR(order({"stepper.derivatives=rank-one", "stepper.rank_one_right_side=true"}), 1, 0.2);
}

// Friction that turns with the slip, by the exact law and by a polygon: with a generator on the slip it gives the exact law.
TEST(OrderOf, TurningFriction) {
  const std::string scene = R"(
delassus: 1
gravity: [0, 0, -9.81]
bodies: [{name: puck, mass: 1, velocity: [3, 0, 0]}]
forces: [{name: wind, type: applied, body: puck, force: [0, 2.5, 0]}]
contacts: [{name: table, type: plane, body: puck, normal: [0, 0, 1], friction: 0.3}]
)";
  const auto f = [](double, const Vector& x) {
    const Eigen::Vector2d v(x[2], x[3]), a = Eigen::Vector2d(0, 2.5) - 0.3 * 9.81 * v.normalized();
    return Vector{{x[2], x[3], a[0], a[1]}};
  };
  const Vector exact = runge_kutta(f, Vector{{0.0, 0.0, 3.0, 0.0}}, 1.0, 20000);
  const auto error = [&](double h, const std::vector<std::string>& settings) {
    std::vector<std::string> all = settings;
    all.push_back(step(h));
    return (run_to(scene, 1.0, all).q.head<2>() - exact.head<2>()).norm();
  };
  const std::vector<std::string> polygon{"law.name=coulomb-polyhedral", "law.directions=4"};
  for (const auto& settings : {std::vector<std::string>{}, polygon}) {
    EXPECT_NEAR(observed_order([&](double h) { return error(h, settings); }, 0.02), 2, 0.15);
    EXPECT_LT(error(1e-3, settings), 1e-5);
  }
  // Four fixed directions are a coarse law: the error does not go away with the step.
  EXPECT_GT(error(1e-3, {polygon[0], polygon[1], "law.align=false"}), 1e-2);
}

// A skate on an incline follows a cycloid.
TEST(OrderOf, NonholonomicSkate) {
  const double g = 9.81 * std::sin(0.3), w = 2, T = 3;
  const Eigen::Vector2d exact(g / (2 * w * w) * std::pow(std::sin(w * T), 2),
                              g / (2 * w * w) * (w * T - 0.5 * std::sin(2 * w * T)));
  const double order = observed_order(
      [&](double h) { return (cli::run_scene("skate", {step(h)}).q.head<2>() - exact).norm(); }, 0.02);
  EXPECT_NEAR(order, 2, 0.1);
}

// A particle slides off a frictionless ball: the contact force vanishes at cos θ = (2/3) cos θ0, then it falls freely.
TEST(OrderOf, TakeOffFromABall) {
  const std::string scene = R"(
delassus: 1
constants: {start: 0.3}
lagrangian:
  coordinates: [x, y]
  position: [sin(start), cos(start)]
  mass: [1, 1]
  potential: 9.81*y
  contacts: [{name: ball, gap: "hypot(x, y) - 1"}]
)";
  // Sliding phase by its angle until the take-off, located by bisection on the reference; then a parabola.
  const double g = 9.81, start = 0.3, leave = std::acos(2.0 / 3.0 * std::cos(start));
  const auto slide = [&](double t) {
    return runge_kutta(
        [&](double, const Vector& x) {
          return Vector{{x[1], g * std::sin(x[0])}};
        },
        Vector{{start, 0.0}}, t, 4000);
  };
  double low = 0.1, high = 2;
  for (int i = 0; i < 60; ++i) (slide(0.5 * (low + high))[0] < leave ? low : high) = 0.5 * (low + high);
  const double t_leave = low, speed = slide(t_leave)[1], T = t_leave + 0.2;
  const Eigen::Vector2d exact(std::sin(leave) + speed * std::cos(leave) * 0.2,
                              std::cos(leave) - speed * std::sin(leave) * 0.2 - g / 2 * 0.04);
  const double order =
      observed_order([&](double h) { return (run_to(scene, T, {step(h)}).q - exact).norm(); }, 0.01);
  EXPECT_NEAR(order, 2, 0.2);

  Simulation simulation = testing::simulate(scene, {step(1e-3)});
  double located = 0;
  int events = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    for (const Event& event : report.events) {
      EXPECT_EQ(event.kind, EventKind::take_off);
      located = event.time;
      ++events;
    }
    return true;
  });
  ASSERT_TRUE(simulation.run_until(T));
  EXPECT_EQ(events, 1);
  EXPECT_NEAR(located, t_leave, 1e-5);
}

}  // namespace
}  // namespace delassus::order_test
