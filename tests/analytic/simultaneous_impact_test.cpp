// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts that close together are one impact, also where joints have drifted on the way there.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::simultaneous_impact_test {
namespace {

using testing::simulate;

// A box hinged at its centre to a swinging arm: nothing turns it, so that it comes down flat. All is turned by `tilt`. With `second`
// the arm carries another one beside it.
std::string swinging_box(const char* wrist, double step, double tilt, bool second) {
  return fmt::format(
      R"(
delassus: 1
name: swinging_box
constants: {{c: cos({0}), s: sin({0})}}
gravity: [9.81*s, -9.81*c, 0]
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane, position: [0.8*s, -0.8*c, 0], normal: [-s, c, 0]}}]}}
  - {{name: arm, type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5*c, 0.5*s, 0], rotation: [0, 0, {0}]}}
  - {{name: box, type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [c, s, 0], rotation: [0, 0, {0}], shapes: [{{type: box, size: [0.4, 0.2, 0.2]}}]}}
{3}
joints:
  - {{name: shoulder, type: revolute, between: [world, arm], point: [0, 0, 0]}}
  - {{name: wrist, type: {1}, between: [arm, box], point: [c, s, 0]}}
{4}
contact: {{friction: 0.01, restitution: 0.4}}
stepper: {{name: trapezoidal-2, step: {2}}}
)",
      tilt, wrist, step,
      second ? "  - {name: other, type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [c, s, 0.5], "
               "rotation: [0, 0, " +
                   fmt::format("{}", tilt) + "], shapes: [{type: box, size: [0.4, 0.2, 0.2]}]}"
             : "",
      second ? "  - {name: other_wrist, type: revolute, between: [arm, other], point: [c, s, 0.5]}" : "");
}

// Arm of 1 kg with its centre at half of its length 1, boxes as points at its end: E = ½ J φ̇² with
// J = 0.1 + ¼ + boxes, driven by (½ + boxes) g; the arm alone turns.
double height_at_half_second(int boxes) {
  const double J = 0.35 + boxes, torque = (0.5 + boxes) * 9.81;
  double phi = 0, omega = 0;  // downwards
  const int steps = 200000;
  const double h = 0.5 / steps;
  bool hit = false;
  for (int i = 0; i < steps; ++i) {
    const double k = torque / J;
    const double middle = omega + 0.5 * h * k * std::cos(phi);
    const double centre = phi + 0.5 * h * omega;
    phi += h * middle;
    omega += h * k * std::cos(centre);
    // The lower side lies on the ground when the centre is 0.7 below the shoulder; the wrist moves along the ground as it likes.
    if (!hit && std::sin(phi) >= 0.7) {
      omega *= -0.4;
      hit = true;
    }
  }
  return -std::sin(phi);
}

struct Landing {
  int hits = 0;  // contacts of the first impact
  double first = -1, spin = 0, height = 0;
};

Landing land(const std::string& scene, double tilt) {
  Simulation simulation = simulate(scene);
  Landing out;
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    for (const Event& event : report.events) {
      if (event.kind != EventKind::impact) continue;
      if (out.first < 0) out.first = event.time;
      out.hits += event.time == out.first;
    }
    out.spin = std::max(out.spin, now.state().v.segment<3>(9).cwiseAbs().maxCoeff());
    return true;
  });
  EXPECT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
  const Vector& q = simulation.state().q;
  out.height = -std::sin(tilt) * q[7] + std::cos(tilt) * q[8];
  return out;
}

TEST(SimultaneousImpacts, HingedBoxLandsOnAllItsCorners) {
  const double expected = height_at_half_second(1);
  EXPECT_NEAR(expected, -0.60306, 1e-5);
  for (const char* wrist : {"revolute", "spherical"})
    for (double tilt : {0.0, 0.3})
      for (double step : {1e-2, 3e-3, 1e-3}) {
        const Landing out = land(swinging_box(wrist, step, tilt, false), tilt);
        EXPECT_EQ(out.hits, 4) << wrist << ' ' << step << ' ' << tilt;
        EXPECT_LE(out.spin, 1e-9) << wrist << ' ' << step << ' ' << tilt;
        EXPECT_NEAR(out.height, expected, 1e-5 + step * step) << wrist << ' ' << step << ' ' << tilt;
      }
}

TEST(SimultaneousImpacts, TwoHingedBoxesLandTogether) {
  const Landing out = land(swinging_box("revolute", 1e-3, 0.0, true), 0.0);
  EXPECT_EQ(out.hits, 8);
  EXPECT_LE(out.spin, 1e-9);
  EXPECT_NEAR(out.height, height_at_half_second(2), 1e-5);
}

}  // namespace
}  // namespace delassus::simultaneous_impact_test
