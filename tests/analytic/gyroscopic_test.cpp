// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Spinning bodies and the symmetry of the step: energies of free tops over many steps, and what makes a problem symmetric.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/runs.hpp"

namespace delassus::gyroscopic_test {
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

// Tops of several inertias and spins, at steps in which they turn by up to two radians, free, held at a point beside their centre of
// mass, hinged about an axis that is none of their own, and turning on a table. Nothing drives them, so that the energy may not grow.
enum class Held { free, ball, hinge, table };

std::string make_top(Held held, const std::string& inertia, const std::string& spin) {
  const bool table = held == Held::table;
  std::string text = fmt::format(R"(
delassus: 1
gravity: [0, {}, 0]
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane, position: [0, {}, 0]}}]}}
  - {{name: top, type: rigid, mass: 1, position: [0, 0.4, 0], inertia: {}, angular_velocity: {}{}}}
contact: {{friction: 0.3}}
)",
                                 table ? -9.81 : 0.0, table ? 0 : -100, inertia, spin,
                                 table ? ", shapes: [{type: ellipsoid, size: [1, 0.8, 0.6]}]" : "");
  if (held == Held::ball)
    text += "joints: [{name: j, type: spherical, between: [world, top], point: [0.3, 0.6, 0.1]}]\n";
  if (held == Held::hinge)
    text +=
        "joints: [{name: j, type: revolute, between: [world, top], point: [0, 0.4, 0], axis: [0.6, 0.64, "
        "0.48]}]\n";
  return text;
}

// Largest and last energy over those at the start.
Eigen::Vector2d follow_energy(const std::string& scene, const std::vector<std::string>& settings, int steps) {
  Simulation simulation = simulate(scene, settings);
  const auto energy = [&] {
    const EnergyReport now = energy_of(simulation.system(), simulation.state());
    return now.kinetic + now.potential;
  };
  double start = 0, highest = 0;
  for (int i = 0; i < steps && simulation.step().ok; ++i) {
    // The first step puts velocities onto the joints.
    if (i == 0) start = energy();
    highest = std::max(highest, energy());
  }
  EXPECT_TRUE(simulation.report().ok) << simulation.report().message;
  return {highest / start, energy() / start};
}

struct TopScheme {
  const char* name;
  std::vector<std::string> settings;
  double free = 1 + 1e-9;  // the derivative keeps another energy, which differs by (h ω)²
  double table = 1.25;     // bound with contacts: gravity works on what is off the table by O(h)
};
std::ostream& operator<<(std::ostream& out, const TopScheme& scheme) {
  return out << scheme.name;
}

class HeldTop : public ::testing::TestWithParam<TopScheme> {};

INSTANTIATE_TEST_SUITE_P(
    Schemes, HeldTop,
    ::testing::Values(TopScheme{"trapezoidal_2", {"stepper.name=trapezoidal-2"}, 1.05},
                      TopScheme{"rank_one", {"stepper.name=trapezoidal-2", "stepper.derivatives=rank-one"}},
                      TopScheme{"explicit_forces",
                                {"stepper.name=trapezoidal-2", "stepper.derivatives=none"}},
                      TopScheme{"apgd", {"stepper.name=trapezoidal-2", "solver.name=apgd"}},
                      TopScheme{"anitescu_potra_stiff", {"stepper.name=anitescu-potra-stiff"}},
                      TopScheme{"anitescu_potra", {"stepper.name=anitescu-potra"}},
                      TopScheme{"moreau_jean", {"stepper.name=moreau-jean"}},
                      TopScheme{"moreau_jean_spg", {"stepper.name=moreau-jean", "solver.name=spg"}},
                      TopScheme{"dvi_euler", {"stepper.name=dvi-euler"}}),
    [](const auto& scheme) { return std::string(scheme.param.name); });

TEST_P(HeldTop, GainsNoEnergyAtLargeSteps) {
  for (const Held held : {Held::free, Held::ball, Held::hinge, Held::table})
    for (const char* inertia : {"[1, 2, 2.8]", "[0.02, 1, 1.0]"})
      for (const double h : {0.03, 0.2}) {
        std::vector<std::string> settings = GetParam().settings;
        settings.push_back(cli::setting("stepper.step", h));
        const Eigen::Vector2d energy =
            follow_energy(make_top(held, inertia, "[0.5, 10, 0.5]"), settings, 100);
        // A ball joint at h ω = 2 is followed as a polygon; the projection onto it costs or gives some hundredths.
        const double bound = held == Held::table  ? GetParam().table
                             : held == Held::ball ? 1.1
                                                  : GetParam().free;
        EXPECT_LE(energy[0], bound) << static_cast<int>(held) << " " << inertia << " " << h;
      }
}

// A flywheel on a hinge that is none of its principal axes goes on, also where a solver takes the torque from the right side.
TEST(HingedFlywheel, KeepsItsSpin) {
  const std::string wheel = make_top(Held::hinge, "[1, 2, 2.8]", "[6, 6.4, 4.8]");
  for (const char* solver : {"auto", "apgd"})
    for (const char* stepper : {"trapezoidal-2", "moreau-jean", "nonsmooth-generalized-alpha", "dvi-euler"})
      EXPECT_NEAR(follow_energy(wheel,
                                {fmt::format("stepper.name={}", stepper),
                                 fmt::format("solver.name={}", solver), "stepper.step=0.02"},
                                500)[1],
                  1, 1e-9)
          << solver << " " << stepper;
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
}  // namespace delassus::gyroscopic_test
