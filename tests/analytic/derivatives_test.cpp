// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which derivatives of forces enter the step: exact ones only while the symmetric part of A is positive definite, whatever
// else makes A non-symmetric.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/runs.hpp"

namespace delassus::derivatives_test {
namespace {

using testing::run_to;

// A spring compressed by a fifth of its length pushes sideways with 2.5e5 N/m: A is indefinite for h² k > 5 m.
std::string compressed(const std::string& body, const std::string& attach = "[0, 0, 0]") {
  return fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
constants: {{s: 0.4618802153517006}}
bodies:
  - {{name: b, {}, mass: 1, position: [s, s, s], velocity: [1e-3, -1e-3, 0]}}
forces:
  - {{name: k, type: spring, between: [world, b], anchor: [0, 0, 0], point_b: {}, stiffness: 1e6, rest_length: 1}}
contact: {{enabled: false}}
stepper: {{name: trapezoidal-2, step: 0.1, on_failure: stop}}
)",
                     body, attach);
}

double difference(const std::string& scene, const std::string& derivatives, double h) {
  const std::vector<std::string> step{cli::setting("stepper.step", h)};
  std::vector<std::string> other = step;
  other.push_back("stepper.derivatives=" + derivatives);
  const Vector a = run_to(scene, h, step).v, b = run_to(scene, h, other).v;
  return (a - b).norm() / b.norm();
}

TEST(Derivatives, AreRankOneOnesWhereExactOnesAreIndefinite) {
  const std::string rigid = "type: rigid, inertia: [1, 1, 1]", top = "type: rigid, inertia: [1, 2, 2.8]";
  const std::string spins = top + ", angular_velocity: [0.3, 0.2, 0.5]";
  for (const std::string& scene : {compressed("type: particle"), compressed(rigid), compressed(top),
                                   compressed(spins), compressed(rigid, "[0.1, 0, 0]")}) {
    EXPECT_EQ(difference(scene, "rank-one", 0.1), 0) << scene;
    // Definite: exact.
    EXPECT_EQ(difference(scene, "exact", 1e-4), 0) << scene;
    EXPECT_GT(difference(scene, "rank-one", 1e-3), 1e-9) << scene;
  }
}

// Many bodies, so that each part is factorised for itself; one of them spins on a compressed spring.
TEST(Derivatives, AreJudgedPartByPart) {
  const std::string scene =
      compressed("type: rigid, inertia: [1, 2, 2.8], angular_velocity: [0.3, 0.2, 0.5]");
  const std::size_t at = scene.find("forces:");
  const std::string many = scene.substr(0, at) +
                           "  - {name: other, type: rigid, repeat: {i: 6}, mass: 1, inertia: [1, 1, 1], "
                           "position: [5*i + 5, 0, 0]}\n" +
                           scene.substr(at);
  EXPECT_EQ(difference(many, "rank-one", 0.1), 0);
}

}  // namespace
}  // namespace delassus::derivatives_test
