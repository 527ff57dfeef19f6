// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The implicit schemes for joints against closed forms: damping of fast motions, long runs.
#include <gtest/gtest.h>

#include "../support/smooth_runs.hpp"

namespace delassus::dae_test {
namespace {

using testing::advance_to;
using testing::compile_text;
using testing::pendulum;

StepperSettings named(const char* name) {
  StepperSettings settings;
  settings.name = name;
  return settings;
}

// A spring infinitely fast against h: after the start a step multiplies the motion by ρ∞, with and without a joint.
TEST(Dae, SpectralRadiusAtInfinity) {
  const char* const free = R"(
delassus: 1
lagrangian:
  coordinates: [q]
  position: [1]
  mass: [1]
  springs: [{name: stiff, elongation: q, stiffness: 1e16}]
)";
  // The same motion along a slanted line.
  const char* const constrained = R"(
delassus: 1
lagrangian:
  coordinates: [x, y]
  position: [0.6, 0.8]
  mass: [1, 1]
  constraints: [{name: line, equation: 0.8*x - 0.6*y}]
  springs: [{name: stiff, elongation: 0.6*x + 0.8*y, stiffness: 1e16}]
)";
  for (const char* text : {free, constrained}) {
    const auto scene = compile_text(text);
    for (double rho : {0.3, 0.5, 0.8}) {
      StepperSettings settings = named("generalized-alpha");
      settings.rho = rho;
      std::vector<double> energies;
      advance_to(
          *scene.system, scene.state, settings, 40e-2, 40,
          [&](const State&, const StepReport& report) { energies.push_back(report.energy.potential); });
      // Three roots −ρ∞ coincide, so the ratio of amplitudes n²ρⁿ nears ρ∞ as 1 + 2/n.
      const int n = 40;
      const double ratio = std::sqrt(energies[n - 1] / energies[n - 2]);
      EXPECT_NEAR(ratio, rho * (1 + 2.0 / n), rho * 0.05) << rho;
    }
    // Backward Euler forgets at once.
    advance_to(*scene.system, scene.state, named("euler-implicit"), 1e-2, 1,
               [&](const State& state, const StepReport&) { EXPECT_LT(state.q.norm(), 1e-11); });
  }
}

// HHT with α damps fast motions by (1+α)/(1−α).
TEST(Dae, SpectralRadiusOfHht) {
  const auto scene = compile_text(R"(
delassus: 1
lagrangian:
  coordinates: [q]
  position: [1]
  mass: [1]
  springs: [{name: stiff, elongation: q, stiffness: 1e16}]
)");
  StepperSettings settings = named("hht");
  settings.hht_alpha = -0.2;
  double last = 0, ratio = 0;
  advance_to(*scene.system, scene.state, settings, 1.0, 100, [&](const State& state, const StepReport&) {
    ratio = std::abs(state.q[0] / last);
    last = state.q[0];
  });
  // A double root −(1−0.2)/(1+0.2), so 1 + 1/n as above.
  EXPECT_NEAR(ratio, 0.8 / 1.2 * 1.01, 0.005);
}

// A hundred swings: undamped schemes keep the energy of a pendulum within O(h²) without a trend, damped ones lose it.
TEST(Dae, EnergyOfALongRun) {
  const auto scene = pendulum();
  const auto run = [&](const StepperSettings& settings) {
    std::vector<double> energies;
    advance_to(*scene.system, scene.state, settings, 200.0, 20000,
               [&](const State&, const StepReport& report) {
                 energies.push_back(report.energy.kinetic + report.energy.potential);
               });
    return energies;
  };
  for (const char* name : {"trapezoidal-implicit", "newmark"}) {
    const auto energies = run(named(name));
    const auto [low, high] = std::minmax_element(energies.begin(), energies.end());
    // Of m g L = 19.6 J; h² g/L = 1e-3.
    EXPECT_LT(*high - *low, 0.2) << name;
    EXPECT_NEAR(energies.back(), 0, 0.2) << name;
  }
  StepperSettings damped = named("generalized-alpha");
  damped.rho = 0.5;
  EXPECT_LT(run(damped).back(), -0.01);
}

}  // namespace
}  // namespace delassus::dae_test
