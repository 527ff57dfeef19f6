// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runge-Kutta methods where a slip begins: of a box whose corners share their friction, and under forces that turn meanwhile. A slip begins
// without a velocity, and friction turns it into the direction of the forces ever faster the slower it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"
#include "tests/support/simulate.hpp"

namespace delassus::slip_begins_test {
namespace {

struct Case {
  const char* method;
  double h;
  double error;  // with steps of h, a few times what they leave [m]
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.method;
}

class SlipBegins : public ::testing::TestWithParam<Case> {
 protected:
  // x and z at the end, by steps of h and by a tolerance of 1e-8; nothing is captured.
  static void expect_end(const std::string& scene, double t_end, double x, double z,
                         std::vector<std::string> more) {
    const Case& c = GetParam();
    more.push_back(std::string("stepper.method=") + c.method);
    for (const bool controlled : {false, true}) {
      std::vector<std::string> settings = more;
      settings.push_back("stepper.step=" + std::to_string(c.h));
      if (controlled) settings.emplace_back("stepper.tolerance=1e-8");
      Simulation simulation = testing::simulate(scene, settings);
      long captured = 0;
      simulation.observe([&](const Simulation&, const StepReport& report) { captured += report.captured; });
      ASSERT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
      EXPECT_EQ(captured, 0);
      const double tolerated = controlled ? 1e-8 : c.error;
      EXPECT_NEAR(simulation.state().q[0], x, tolerated);
      EXPECT_NEAR(simulation.state().q[2], z, tolerated);
    }
  }
};

// Slips four times to and fro and a fifth time until the end: x(5) by sums of closed forms between the roots of |F| = μ m g and of v.
// Every corner's friction is one choice of many, whether the box may turn or not.
TEST_P(SlipBegins, BoxOnFourCorners) {
  const std::string box = R"(
delassus: 1
contact: {friction: 0.35}
bodies:
  - {name: table, type: fixed, shapes: [{type: plane}]}
  - {name: box, type: rigid, mass: 1.5, position: [0, 0.1, 0], shapes: [{type: box, size: [0.3, 0.2, 0.2]}]}
joints:
  - {name: guide, type: planar, between: [world, box], point: [0, 0.1, 0], axis: [0, 0, 1]}
forces:
  - {name: push, type: applied, body: box, force: [7*sin(3.1*t) + 2*cos(7*t), 0, 0]}
stepper: {name: event-capturing-rk}
)";
  expect_end(box, 5, 0.2712474561391282, 0, {});
  expect_end(box, 5, 0.2712474561391282, 0, {"joints=[]"});
}

// x(2), z(2) by Radau's method of order 5 on m u̇ = F − μ m g u/|u| with steps that grow in proportion to the time since the slip began, the
// same to 1e-13 with half of them; it slips at 0.38604, sticks at 1.16929 and slips again at 1.19541 s.
TEST_P(SlipBegins, UnderAForceThatTurns) {
  const std::string particle = R"(
delassus: 1
bodies: [{name: p, mass: 1.5}]
contacts: [{name: table, type: plane, body: p, normal: [0, 1, 0], friction: 0.35}]
forces: [{name: push, type: applied, body: p, force: [7*sin(3.1*t) + 2*cos(7*t), 0, 3*sin(2*t)]}]
stepper: {name: event-capturing-rk}
)";
  expect_end(particle, 2, -0.19749651623194, 0.059662630426303, {});
}

// A disk that wobbles while it rolls, and is braked until it slips, at 1.92855 s: frames turn, and accelerations at that time say nothing of where
// the slip goes. Its place after that is that of trapezoidal-2 with steps of 5e-5 s, to their error.
TEST_P(SlipBegins, UnderADiskThatIsBraked) {
  Simulation simulation = testing::simulate(R"(
delassus: 1
contact: {friction: 0.3}
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - name: disk
    type: rigid
    mass: 3
    position: [0, 0.25*cos(0.01) + 0.03*sin(0.01), 0]
    velocity: [2, 0, 0]
    rotation: [0.01, 0, 0]
    angular_velocity: [0.02, 0.05, -8]
    shapes: [{type: cylinder, radius: 0.25, length: 0.06}]
forces: [{name: brake, type: applied, body: disk, force: [0, 0, 0], torque: [0, 0, 0.9*t^2], axes: world}]
stepper: {name: event-capturing-rk, step: 0.01, tolerance: 1e-8}
)",
                                            {std::string("stepper.method=") + GetParam().method});
  long captured = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) { captured += report.captured; });
  ASSERT_TRUE(simulation.run_until(2.2)) << simulation.report().message;
  EXPECT_EQ(captured, 0);
  const Vector& q = simulation.state().q;
  EXPECT_NEAR(q[0], 2.84816200, 2e-7);
  EXPECT_NEAR(q[1], 0.24974191, 2e-7);
  EXPECT_NEAR(q[2], -0.19507948, 2e-7);
}

// Four wheels on two rims each, rim by rim on faces that lie in one plane: loads of the rims are shares, and their slips turn the wheels, so that
// shares without a load have momenta all the same.
TEST_P(SlipBegins, OfWheelsOnTwoRims) {
  Simulation simulation(load_scene("rover", {"stepper.name=event-capturing-rk", "stepper.tolerance=1e-6",
                                             std::string("stepper.method=") + GetParam().method}));
  long captured = 0;
  double residual = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    captured += report.captured;
    residual = std::max(residual, report.certificate.contact_residual);
  });
  ASSERT_TRUE(simulation.run_until(0.01)) << simulation.report().message;
  EXPECT_EQ(captured, 0);
  EXPECT_LT(residual, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Methods, SlipBegins,
                         ::testing::Values(Case{"radau-5", 0.01, 5e-9}, Case{"lobatto-4", 0.01, 2e-7},
                                           Case{"lobatto-6", 0.01, 1e-9}, Case{"rk4", 0.01, 2e-7},
                                           Case{"dopri5", 0.01, 5e-8}),
                         [](const auto& c) {
                           std::string name = c.param.method;
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace delassus::slip_begins_test
