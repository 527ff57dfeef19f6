// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Spinning bodies and the symmetry of the step: energies of free tops over many steps, and what makes a problem symmetric.
#include <gtest/gtest.h>

#include "tests/support/runs.hpp"

namespace delassus {
namespace {

using testing::simulate;

// About the axis of the middle moment of inertia, which is unstable: it turns over again and again.
const std::string k_top = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: top, type: rigid, mass: 1, inertia: [1, 2, 2.8], angular_velocity: [0.5, 10, 0.5]}
)";
const Vector3 k_inertia{1, 2, 2.8}, k_spin{0.5, 10, 0.5};

double energy_of(const State& state) {
  return 0.5 * k_inertia.dot(state.v.tail<3>().cwiseAbs2());
}

struct Scheme {
  const char* name;
  std::vector<std::string> settings;
  bool keeps;  // the energy, and does not only bound it
};
std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
  return out << scheme.name;
}

class SpinningTop : public ::testing::TestWithParam<Scheme> {};

INSTANTIATE_TEST_SUITE_P(
    Schemes, SpinningTop,
    ::testing::Values(Scheme{"moreau_jean", {"stepper.name=moreau-jean"}, true},
                      Scheme{"moreau_jean_implicit", {"stepper.name=moreau-jean", "stepper.theta=1"}, false},
                      Scheme{"dvi_euler", {"stepper.name=dvi-euler"}, true},
                      Scheme{"apgd", {"stepper.name=trapezoidal-2", "solver.name=apgd"}, true},
                      Scheme{"spg", {"stepper.name=trapezoidal-2", "solver.name=spg"}, true},
                      Scheme{
                          "rank_one", {"stepper.name=trapezoidal-2", "stepper.derivatives=rank-one"}, true}),
    [](const auto& scheme) { return std::string(scheme.param.name); });

TEST_P(SpinningTop, HasBoundedEnergyOverManySteps) {
  constexpr double h = 0.02;
  constexpr int steps = 100'000;
  Simulation simulation = simulate(k_top, [&] {
    std::vector<std::string> settings = GetParam().settings;
    settings.push_back(cli::setting("stepper.step", h));
    return settings;
  }());
  const double energy = energy_of(simulation.state());
  const double momentum = k_inertia.cwiseProduct(k_spin).norm();
  // Round-off of a step, and its sum should all of it have one sign.
  const double round_off = 1e-15 * steps;
  double highest = 0;
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(simulation.step().ok);
    highest = std::max(highest, energy_of(simulation.state()));
  }
  EXPECT_LE(highest, energy * (1 + round_off));
  if (!GetParam().keeps) return;
  EXPECT_NEAR(energy_of(simulation.state()), energy, round_off * energy);
  EXPECT_NEAR(k_inertia.cwiseProduct(Vector3(simulation.state().v.tail<3>())).norm(), momentum,
              round_off * momentum);
}

bool symmetric_step(const std::string& scene, const std::vector<std::string>& settings = {}) {
  Simulation simulation = simulate(scene, settings);
  EXPECT_TRUE(simulation.step().ok);
  return simulation.last_problem()->symmetric;
}

TEST(SymmetryOfTheStep, IsWhatTheNumbersSay) {
  const auto body = [](const std::string& inertia, const std::string& spin) {
    return "delassus: 1\nbodies:\n  - {name: body, type: rigid, mass: 1, inertia: " + inertia +
           ", angular_velocity: " + spin + "}\n";
  };
  const std::vector<std::string> located{"stepper.name=trapezoidal-2"}, captured{"stepper.name=moreau-jean"};
  EXPECT_TRUE(symmetric_step(body("[1, 2, 2.8]", "[0, 0, 0]"), located)) << "at rest";
  EXPECT_TRUE(symmetric_step(body("[1, 1, 1]", "[1, 2, 3]"), located)) << "a sphere";
  EXPECT_FALSE(symmetric_step(body("[1, 2, 2.8]", "[1, 2, 3]"), located));
  EXPECT_TRUE(symmetric_step(body("[1, 2, 2.8]", "[1, 2, 3]"), captured)) << "beforehand";
  // With a joint the derivative is needed for the order.
  const std::string hinged =
      body("[1, 2, 2.8]", "[1, 2, 3]") +
      "joints: [{name: ball, type: spherical, between: [world, body], point: [0, 0, 0]}]\n";
  EXPECT_FALSE(symmetric_step(hinged, captured));
}

}  // namespace
}  // namespace delassus
