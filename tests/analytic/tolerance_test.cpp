// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Tolerances by kind of coordinate, the same model in other units of length, and bounded work where nothing is smooth.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::tolerance_test {
namespace {

using testing::simulate;

struct Outcome {
  long taken = 0, refused = 0;
  double shortest = 1e9;
  std::vector<double> begins;
  State end;
};

Outcome run(const std::string& scene, const std::vector<std::string>& settings, double t_end) {
  Simulation simulation = simulate(scene, {settings.begin(), settings.end()});
  Outcome out;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    out.refused += report.rejected;
    for (const ControlledStep& step : report.controlled) {
      ++out.taken;
      out.shortest = std::min(out.shortest, step.length);
      out.begins.push_back(step.t);
    }
  });
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  out.end = simulation.state();
  return out;
}

// A ball with spin that falls, bounces, slips and rolls; a pendulum of two rods, on springs; lengths times c.
const char* const k_scaled[] = {R"(
delassus: 1
constants: {c: 1}
gravity: [0, -9.81*c, 0]
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 0.5*c, 0], velocity: [1*c, 0, 0.2*c], angular_velocity: [3, 1, 20], shapes: [{type: sphere, radius: 0.1*c}]}
contact: {friction: 0.3, restitution: 0.4}
stepper: {step: 1e-2}
)",
                                R"(
delassus: 1
constants: {c: 1}
gravity: [0, -9.81*c, 0]
bodies:
  - {name: first, type: rigid, mass: 1, inertia: [0.01*c^2, 0.1*c^2, 0.1*c^2], position: [0.5*c, 0, 0], angular_velocity: [0, 1, 0], velocity: [0, 0, -0.5*c]}
  - {name: second, mass: 0.5, position: [1.8*c, 0, 0]}
joints:
  - {name: hinge, type: spherical, between: [world, first], point: [0, 0, 0]}
forces:
  - {name: band, type: spring, between: [first, second], point_a: [0.5*c, 0, 0], stiffness: 100, rest_length: 0.7*c}
contact: {enabled: false}
stepper: {step: 1e-2}
)"};

// A thousand times smaller, and larger, with tolerances of lengths and speeds likewise: the same steps. By powers of two, so that
// round-off is the same, too.
TEST(Tolerance, OtherUnitsOfLength) {
  for (const char* scene : k_scaled)
    for (const char* stepper : {"trapezoidal-2", "event-capturing-rk", "moreau-jean"}) {
      const auto twin = [&](double c) {
        return run(scene,
                   {std::string("stepper.name=") + stepper, cli::setting("constants.c", c),
                    "stepper.tolerance=1e-5", cli::setting("stepper.length_tolerance", 1e-5 * c),
                    cli::setting("stepper.speed_tolerance", 1e-5 * c)},
                   0.8);
      };
      const Outcome one = twin(1);
      EXPECT_GT(one.taken, 10);
      for (double c : {1.0 / 1024, 1024.0}) {
        const Outcome other = twin(c);
        if (stepper != std::string("trapezoidal-2")) {
          // What counts as closed in captured steps is a length, 1e-10 m and more, and Newton's method of the stages is judged by the
          // largest velocity of whatever kind: a step or two more or less.
          EXPECT_NEAR(static_cast<double>(other.taken), static_cast<double>(one.taken),
                      0.15 * static_cast<double>(one.taken));
          continue;
        }
        EXPECT_EQ(other.taken, one.taken) << stepper << ' ' << c;
        EXPECT_EQ(other.refused, one.refused) << stepper << ' ' << c;
        for (std::size_t i = 0; i < std::min(one.begins.size(), other.begins.size()); ++i)
          ASSERT_NEAR(other.begins[i], one.begins[i], 1e-6) << stepper << ' ' << c << ' ' << i;
        EXPECT_NEAR(other.end.q[0] / c, one.end.q[0], 1e-6) << stepper << ' ' << c;
      }
    }
}

constexpr const char* k_wheel = R"(
delassus: 1
lagrangian:
  coordinates: [x, turn]
  angles: [turn]
  position: [1, 0]
  velocity: [0, 0]
  mass: [1, 1]
  potential: 8*x^2 + 200*turn^2/2 - turn
stepper: {name: trapezoidal-2, step: 1e-2, tolerance: 1e-6}
)";

// Each kind of coordinate has its own tolerance: a loose one of what turns, which is faster here, lengthens the steps.
TEST(Tolerance, ByKindOfCoordinate) {
  const Outcome all = run(k_wheel, {}, 2),
                turns =
                    run(k_wheel, {"stepper.angle_tolerance=1e-2", "stepper.angular_speed_tolerance=1e-1"}, 2),
                tight = run(k_wheel, {"stepper.length_tolerance=1e-9", "stepper.speed_tolerance=1e-9"}, 2),
                absolute = run(k_wheel, {"stepper.absolute_tolerance=1e-3"}, 2);
  EXPECT_LT(turns.taken, all.taken);
  EXPECT_GE(tight.taken, all.taken);
  EXPECT_LT(absolute.taken, 0.2 * static_cast<double>(all.taken));
  EXPECT_NEAR(all.end.q[0], std::cos(8.0), 1e-5);
  EXPECT_NEAR(turns.end.q[0], std::cos(8.0), 1e-5);
}

TEST(Tolerance, MoreauAdaptiveHasTheSameOnes) {
  const std::string ball = R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: ball, mass: 1, position: [0, 1, 0], velocity: [1, 0, 0]}
contacts:
  - {name: floor, type: plane, body: ball, normal: [0, 1, 0], restitution: 0.5}
stepper: {name: moreau-adaptive, step: 1e-2}
)";
  const Outcome plain = run(ball, {}, 1), loose = run(ball, {"stepper.length_tolerance=1e-2"}, 1),
                tight = run(ball, {"stepper.tolerance=1e-6"}, 1);
  EXPECT_LT(loose.taken, plain.taken);
  EXPECT_GT(tight.taken, plain.taken);
}

TEST(Tolerance, RefusesWhatHasNoMeaning) {
  for (const char* wrong :
       {"stepper.length_tolerance=1e-6", "stepper.longest_step=0.1", "stepper.absolute_tolerance=1"})
    EXPECT_THROW(simulate(k_scaled[0], {wrong}), InputError) << wrong;
  for (const char* wrong : {"stepper.length_tolerance=0", "stepper.longest_step=-1", "lagrangian.angles=[z]"})
    EXPECT_THROW(simulate(k_wheel, {wrong}), InputError) << wrong;
}

// --- bounded work

// A ball passes another one that it just touches, just misses, just hits.
TEST(Tolerance, GrazingImpacts) {
  for (const char* stepper : {"trapezoidal-2", "event-capturing-rk", "moreau-jean"})
    for (double miss : {0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, -1e-6}) {
      const Outcome grazes = run(fmt::format(R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {{name: post, type: fixed, shapes: [{{type: sphere, radius: 0.1}}]}}
  - {{name: ball, type: rigid, mass: 1, position: [-1, 0.2 + {:.17g}, 0], velocity: [1, 0, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
contact: {{friction: 0.3, restitution: 0.5}}
stepper: {{name: {}, step: 1e-2, tolerance: 1e-6}}
)",
                                             miss, stepper),
                                 {}, 2);
      EXPECT_LT(grazes.taken + grazes.refused, 3000) << stepper << ' ' << miss;
      EXPECT_NEAR(grazes.end.q[0], 1, 5e-3) << stepper << ' ' << miss;
      EXPECT_NEAR(grazes.end.q[1], 0.2, 5e-3) << stepper << ' ' << miss;
    }
}

// It turns back where the stop is, with no speed left.
TEST(Tolerance, AStopThatIsJustReached) {
  for (const char* stepper : {"trapezoidal-2", "event-capturing-rk"})
    for (double short_by : {0.0, 1e-14, -1e-14, 1e-10, -1e-10, -1e-7}) {
      const Outcome swings = run(fmt::format(R"(
delassus: 1
lagrangian:
  coordinates: [x]
  position: [1]
  velocity: [0]
  mass: [1]
  potential: x^2/2
  contacts: [{{name: stop, gap: x + 1 + {:.17g}, restitution: 0.5}}]
stepper: {{name: {}, step: 1e-2, tolerance: 1e-7}}
)",
                                             short_by, stepper),
                                 {}, 7);
      EXPECT_LT(swings.taken + swings.refused, 40000) << stepper << ' ' << short_by;
      EXPECT_NEAR(swings.end.q[0], std::cos(7.0), 1e-3) << stepper << ' ' << short_by;
    }
}

// A block that is pulled with what friction takes at most, and a slope as steep as friction holds: neither moves, nor do their runs hang.
TEST(Tolerance, AtTheLimitOfSticking) {
  for (const char* stepper : {"trapezoidal-2", "event-capturing-rk", "moreau-jean"}) {
    const std::vector<std::string> settings{std::string("stepper.name=") + stepper, "stepper.tolerance=1e-6"};
    for (const auto& [scene, limit] : {std::pair{"pulled_box", "constants.pull=4.905"},
                                       std::pair{"box_on_incline", "constants.excess=0"}}) {
      std::vector<std::string> all = settings;
      all.emplace_back(limit);
      const Scene at_limit = load_scene(scene, {all.begin(), all.end()});
      Simulation simulation(at_limit);
      const Vector start = simulation.state().q;
      long work = 0;
      simulation.observe([&](const Simulation&, const StepReport& report) {
        work += static_cast<long>(report.controlled.size()) + report.rejected;
      });
      ASSERT_TRUE(simulation.run_until(1)) << stepper << ' ' << scene << simulation.report().message;
      EXPECT_LT(work, 6000) << stepper << ' ' << scene;
      EXPECT_LE((simulation.state().q - start).cwiseAbs().maxCoeff(), 1e-6) << stepper << ' ' << scene;
    }
  }
}

// Impacts that accumulate: a ball on a floor, with friction and spin, and a box that rocks to rest.
// The wheels of a rover begin to slip by their motors: forces that contradict the modes of the law are captured, and the run goes on.
TEST(Tolerance, ForcesThatContradictTheirModes) {
  Simulation rover(load_scene("rover", {"stepper.name=event-capturing-rk", "stepper.tolerance=1e-6"}));
  long work = 0;
  rover.observe([&](const Simulation&, const StepReport& report) {
    work += static_cast<long>(report.controlled.size()) + report.rejected;
  });
  ASSERT_TRUE(rover.run_until(0.02)) << rover.report().message;
  EXPECT_LT(work, 1000);
}

TEST(Tolerance, Accumulation) {
  for (const char* stepper : {"trapezoidal-2", "event-capturing-rk", "moreau-jean"}) {
    const Outcome ball =
        run(k_scaled[0], {std::string("stepper.name=") + stepper, "stepper.tolerance=1e-5"}, 2);
    EXPECT_LT(ball.taken + ball.refused, 20000) << stepper;
    EXPECT_NEAR(ball.end.q[1], 0.1, 1e-5) << stepper;
    EXPECT_NEAR(ball.end.v[1], 0, 1e-4) << stepper;
    const Scene rocking = load_scene(
        "rocking_block", {std::string("stepper.name=") + stepper, "stepper.tolerance=1e-5", "duration=6"});
    Simulation block(rocking);
    long work = 0;
    block.observe([&](const Simulation&, const StepReport& report) {
      work += static_cast<long>(report.controlled.size()) + report.rejected;
    });
    ASSERT_TRUE(block.run_until(6)) << stepper << block.report().message;
    EXPECT_LT(work, 120000) << stepper;
    EXPECT_LE(block.state().v.cwiseAbs().maxCoeff(), 0.3) << stepper;
  }
}

constexpr const char* k_elastic_ball = R"(
delassus: 1
gravity: [0, -9.81, 0]
bodies: [{name: ball, mass: 1, position: [0, 1, 0]}]
contacts: [{name: floor, type: plane, body: ball, normal: [0, 1, 0], restitution: 1}]
stepper: {step: 0.25}
)";

// A particle that bounces off a plane, with outputs far apart: captured contacts of no size are seen neither by a
// long step nor by its halves, and both of them are below the surface at its end. That is an error, too.
TEST(Tolerance, CapturedContactsAreNotPassedByLongSteps) {
  const double g = 9.81, fall = std::sqrt(2 / g);
  for (const char* stepper : {"moreau-jean", "moreau-jean-projected", "nonsmooth-generalized-alpha"})
    for (const char* step : {"0.25", "0.7"}) {
      constexpr double end = 2.8, tolerance = 1e-4;
      const Outcome ball =
          run(k_elastic_ball,
              {std::string("stepper.name=") + stepper, cli::setting("stepper.tolerance", tolerance),
               std::string("stepper.step=") + step},
              end);
      const double since = std::fmod(end - fall, 2 * fall), up = g * fall;
      // Each of three impacts comes up to a tenth of the tolerance too late, and speeds go with it.
      EXPECT_NEAR(ball.end.q[1], up * since - 0.5 * g * since * since, 10 * tolerance)
          << stepper << ' ' << step;
    }
}

// Restitution of Schatzman and Paoli's scheme needs two steps of the same length: with others it would throw bodies out of the gap
// that it leaves for a step.
TEST(Tolerance, IsRefusedBySchatzmanPaoli) {
  EXPECT_THROW(simulate(k_elastic_ball, {"stepper.name=schatzman-paoli", "stepper.tolerance=1e-4"}),
               InputError);
}

}  // namespace
}  // namespace delassus::tolerance_test
