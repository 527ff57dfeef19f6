// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Energy of captured impacts, computed from outside: no contact on fixed surfaces may add any.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::captured_energy_test {
namespace {

using testing::simulate;

// Elastic balls above each other fall on the ground. Without projection: what an inelastic impact leaves of a penetration, up to h |u|,
// is not lifted, and all that changes the energy are the contacts.
std::string column(int n, const std::string& restitution) {
  return fmt::format(R"(
delassus: 1
name: column
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: ball, type: rigid, repeat: {{i: {}}}, mass: 1, position: [0, 1.1 + 0.201*i, 0], shapes: [{{type: sphere, radius: 0.1, restitution: {}}}]}}
contact: {{friction: 0}}
stepper: {{name: moreau-jean, step: 1e-3, projection: none}}
)",
                     n, restitution);
}

// ½ Σ m v² + m g y of balls of 1 kg.
double energy_of_balls(const Simulation& simulation) {
  const State& state = simulation.state();
  double sum = 0;
  for (Eigen::Index i = 0; 6 * i < state.v.size(); ++i)
    sum += 0.5 * state.v.segment<3>(6 * i).squaredNorm() + 9.81 * state.q[7 * i + 1];
  return sum;
}

struct Energies {
  double start = 0, end = 0, largest_gain = 0;  // of a step
  double rebound = 0;                           // speed after the last reduced impact
  int reduced = 0;                              // events
};

template <class Energy>
Energies follow(Simulation& simulation, double duration, const Energy& energy) {
  Energies out{.start = energy(simulation)};
  double last = out.start;
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    const double e = energy(now);
    out.largest_gain = std::max(out.largest_gain, e - last);
    last = e;
    for (const Event& event : report.events) {
      if (event.kind != EventKind::reduced) continue;
      ++out.reduced;
      out.rebound = event.velocity_after[0];
    }
    return true;
  });
  EXPECT_TRUE(simulation.run_until(duration)) << simulation.report().message;
  out.end = last;
  return out;
}

TEST(CapturedEnergy, ElasticColumnsKeepIt) {
  for (int n : {2, 3, 6}) {
    Simulation simulation = simulate(column(n, "1"));
    const Energies energies = follow(simulation, 2.0, energy_of_balls);
    EXPECT_NEAR(energies.end, energies.start, 1e-5 * energies.start) << n;
    EXPECT_LE(energies.largest_gain, 1e-5 * energies.start) << n;
    EXPECT_EQ(energies.reduced, 0) << n;
  }
}

TEST(CapturedEnergy, InelasticColumnsLoseIt) {
  for (const char* e : {"0.3", "0.8", "0.95"})
    for (int n : {2, 6}) {
      Simulation simulation = simulate(column(n, e));
      const Energies energies = follow(simulation, 2.0, energy_of_balls);
      EXPECT_LT(energies.end, 0.95 * energies.start) << e;
      // A ball that would rise for less than a step is stopped there: up to m g² h²/8 each.
      EXPECT_LE(energies.largest_gain, n * 9.81 * 9.81 * 1e-6 / 8) << e;
      EXPECT_EQ(energies.reduced, 0) << e;
    }
}

// With projection: what has sunk into others is lifted as far as contacts lose as much in the step, or slowly, by 1e-5 of what they have lost.
TEST(CapturedEnergy, LiftingColumnsGainsNoMoreThanContactsLost) {
  for (const char* e : {"0", "0.3", "0.8", "1"})
    for (int n : {2, 6}) {
      Simulation simulation = simulate(column(n, e), {"stepper.projection=all"});
      const Energies energies = follow(simulation, 1.5, energy_of_balls);
      const double lost = energies.start - energies.end;
      EXPECT_LE(energies.largest_gain, 1e-5 * (1.1 * lost + energies.start) + n * 9.81 * 9.81 * 1e-6 / 8)
          << e;
      EXPECT_GE(lost, -1e-5 * energies.start) << e;
    }
}

// Balls on strings that hit each other in a row lose nothing: joints that turn are not taken for a gain.
TEST(CapturedEnergy, NewtonsCradleKeepsIt) {
  Simulation simulation(load_scene("newtons_cradle", std::vector<SceneSetting>{"stepper.name=moreau-jean"}));
  double start = std::numeric_limits<double>::quiet_NaN(), end = 0, swing = 0;
  int reduced = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    end = report.energy.kinetic + report.energy.potential;
    if (std::isnan(start)) start = end;
    swing = std::max(swing, report.energy.kinetic);
    for (const Event& event : report.events) reduced += event.kind == EventKind::reduced;
    return true;
  });
  EXPECT_TRUE(simulation.run_until(1.5)) << simulation.report().message;
  EXPECT_EQ(reduced, 0);
  EXPECT_NEAR(end, start, 2e-3 * swing);
}

// The tip of a slanting rod hits a rough floor: Newton's law with friction gains energy.
TEST(CapturedEnergy, FrictionThatWouldGainReducesRestitution) {
  const auto energy = [](const Simulation& simulation) {
    const State& state = simulation.state();
    return 0.5 * (state.v.head<2>().squaredNorm() + state.v[2] * state.v[2] / 3) + 9.81 * state.q[1];
  };
  for (double speed : {0.5, 1.0})
    for (double friction : {0.5, 1.2}) {
      const std::vector<SceneSetting> settings = {"stepper.name=moreau-jean",
                                                  "stepper.projection=none",
                                                  "constants.e=0.9",
                                                  "constants.vy=-1",
                                                  fmt::format("constants.vx={}", speed),
                                                  fmt::format("constants.mu={}", friction)};
      std::vector<SceneSetting> unbounded = settings;
      unbounded.emplace_back("impact.bound_energy=false");
      Simulation with(load_scene("falling_rod", settings)), without(load_scene("falling_rod", unbounded));
      const Energies ours = follow(with, 0.05, energy), law = follow(without, 0.05, energy);
      EXPECT_GT(law.largest_gain, 1e-3) << speed << ' ' << friction;
      EXPECT_LE(ours.largest_gain, 1e-5) << speed << ' ' << friction;
      EXPECT_EQ(ours.reduced, 1) << speed << ' ' << friction;
      EXPECT_EQ(law.reduced, 0);
      EXPECT_GT(ours.rebound, 0.05) << "it rebounds all the same";
    }
}

// Between two walls that it overlaps, a ball turns back: v⁺ = −v⁻ from both contacts.
TEST(CapturedEnergy, SqueezedBallTurnsBack) {
  Simulation simulation = simulate(R"(
delassus: 1
name: squeeze
start: accept
gravity: [0, 0, 0]
bodies:
  - {name: left, type: fixed, position: [-0.099, 0, 0], shapes: [{type: plane, normal: [1, 0, 0]}]}
  - {name: right, type: fixed, position: [0.099, 0, 0], shapes: [{type: plane, normal: [-1, 0, 0]}]}
  - {name: ball, type: rigid, density: 1000, velocity: [0.1, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0, restitution: 1}
stepper: {name: moreau-jean, step: 0.01, projection: none}
)");
  for (int i = 0; i < 5; ++i) {
    const double before = simulation.state().v[0];
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    EXPECT_NEAR(simulation.state().v[0], -before, 1e-12);
  }
}

// Walls that come together: the ball goes to and fro ever faster, until they stop where it just fits.
TEST(CapturedEnergy, ConvergingWallsPass) {
  Simulation simulation = simulate(R"(
delassus: 1
name: walls
gravity: [0, 0, 0]
bodies:
  - {name: left, type: kinematic, motion: ["t < 1 ? -1.1 + t : -0.1", 0, 0], shapes: [{type: plane, normal: [1, 0, 0]}]}
  - {name: right, type: kinematic, motion: ["t < 1 ? 1.1 - t : 0.1", 0, 0], shapes: [{type: plane, normal: [-1, 0, 0]}]}
  - {name: ball, type: rigid, density: 1000, velocity: [3, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0, restitution: 1}
stepper: {name: moreau-jean, step: 0.01}
)");
  EXPECT_TRUE(simulation.run_until(1.5)) << simulation.report().message;
}

// A heavy ball crushes a light box on the ground: it rattles between the two until the events of a step are used up, and the
// rest of the step is captured with contacts that are hit, that leave and that are closed.
TEST(CapturedEnergy, NothingIsGainedFromWhatIsCrushed) {
  struct Case {
    double x, z;
    int spin[3], max_events;
  };
  const Case cases[] = {{-0.026, 0.004, {-13, 57, 17}, 10}, {-0.024, -0.027, {31, 0, 9}, 20},
                        {-0.034, 0.046, {-55, -22, 39}, 5}, {0.032, -0.023, {16, 32, 57}, 10},
                        {-0.006, 0.044, {52, -14, -48}, 5}, {0.003, -0.009, {-31, 55, -17}, 20},
                        {0.042, -0.047, {-25, 17, 25}, 20}, {0.01, -0.047, {-35, -8, -23}, 20}};
  int captured = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", c.x, c.z));
    Simulation simulation = simulate(fmt::format(R"(
delassus: 1
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: anvil, type: rigid, mass: 300, position: [{}, 0.37, {}], velocity: [0, -1, 0], shapes: [{{type: sphere, radius: 0.2}}]}}
  - {{name: chip, type: rigid, mass: 0.007, position: [0, 0.09, 0], rotation: [0.3, 0.2, 0.5], angular_velocity: [{}, {}, {}], shapes: [{{type: box, size: [0.07, 0.09, 0.14]}}]}}
contact: {{friction: 0.47, restitution: 0.85}}
stepper: {{step: 1e-3, max_events: {}}}
)",
                                                 c.x, c.z, c.spin[0], c.spin[1], c.spin[2], c.max_events));
    double start = 0;  // after a step of free fall
    simulation.observe([&](const Simulation&, const StepReport& report) {
      if (start == 0) start = report.energy.kinetic + report.energy.potential;
      EXPECT_LE(report.energy.kinetic + report.energy.potential, start * (1 + 1e-9)) << report.t_end;
      for (const Event& event : report.events) {
        EXPECT_LE(event.energy_change, 1e-9 * start) << event.time;
        captured += event.kind == EventKind::zeno ? 1 : 0;
      }
    });
    ASSERT_TRUE(simulation.run_until(0.1)) << simulation.report().message;
  }
  EXPECT_GE(captured, 6);
}

}  // namespace
}  // namespace delassus::captured_energy_test
