// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Located impacts, judged from outside: on fixed surfaces none may add energy, and none may pass with a law that does not hold.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "delassus/delassus.hpp"
#include "tests/support/runs.hpp"

namespace delassus::impact_energy_test {
namespace {

using testing::simulate;

struct Outcome {
  double start = 0, largest_gain = 0;  // energy, and what an instant of it gained, largest of all steps [J]
  double residual = 0, deepest = 0;
  int impacts = 0, reduced = 0, fallbacks = 0;
};

Outcome follow_impacts(Simulation& simulation, double duration) {
  Outcome out;
  double last = std::numeric_limits<double>::quiet_NaN();
  simulation.observe([&](const Simulation&, const StepReport& report) {
    const double energy = report.energy.kinetic + report.energy.potential;
    if (std::isnan(last)) out.start = last = energy;
    out.largest_gain = std::max(out.largest_gain, energy - last);
    last = energy;
    out.residual = std::max({out.residual, report.certificate.contact_residual,
                             report.certificate.momentum_residual, report.certificate.joint_residual});
    out.deepest = std::max(out.deepest, report.certificate.penetration);
    for (const Event& event : report.events) {
      out.impacts += event.kind == EventKind::impact;
      out.reduced += event.kind == EventKind::reduced;
      out.fallbacks += event.kind == EventKind::fallback;
    }
    return true;
  });
  EXPECT_TRUE(simulation.run_until(duration)) << simulation.report().message;
  return out;
}

// A ball on a rail of 45 degrees meets the floor. Newton's law wants it back up the rail; with μ > 1 friction pulls it down
// harder than the floor lifts it, so that no impulse does that.
std::string rail_ball(double friction, double restitution, const char* axis = "[1, -1, 0]") {
  return fmt::format(R"(
delassus: 1
name: rail_ball
bodies:
  - {{name: ground, type: fixed, shapes: [{{type: plane}}]}}
  - {{name: ball, type: rigid, mass: 1, position: [0, 0.2, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
joints:
  - {{name: rail, type: prismatic, between: [world, ball], point: [0, 0.2, 0], axis: {}}}
contact: {{friction: {}, restitution: {}}}
)",
                     axis, friction, restitution);
}

TEST(ImpactEnergy, RailsWithoutASolutionOfNewtonsLawFallBack) {
  for (const char* axis : {"[1, -1, 0]", "[-1, -1, 0.3]"})
    for (double friction : {1.1, 3.0})
      for (double restitution : {0.0, 0.7}) {
        Simulation simulation = simulate(rail_ball(friction, restitution, axis));
        const Outcome out = follow_impacts(simulation, 0.4);
        EXPECT_EQ(out.fallbacks > 0, restitution > 0) << friction << ' ' << restitution;
        EXPECT_LE(out.largest_gain, 1e-9 * out.start) << friction << ' ' << restitution;
        EXPECT_LE(out.residual, 1e-9) << friction << ' ' << restitution;
      }
}

// Captured as well: what cannot rebound stops, and an event says so.
TEST(ImpactEnergy, RailsWithoutASolutionStopWhereTheyAreCaptured) {
  for (double friction : {1.1, 3.0}) {
    Simulation simulation = simulate(rail_ball(friction, 0.7) + "stepper: {name: moreau-jean, step: 1e-3}\n");
    const Outcome out = follow_impacts(simulation, 0.4);
    EXPECT_GT(out.reduced, 0) << friction;
    EXPECT_LE(out.largest_gain, 1e-9 * out.start) << friction;
    EXPECT_LE(out.residual, 1e-6) << friction;
    EXPECT_LT(std::abs(simulation.state().v.norm()), 1e-9) << friction;
  }
}

// Below it has one: u_N⁺ = −e u_N⁻, and nothing falls back.
TEST(ImpactEnergy, RailsWithASolutionKeepNewtonsLaw) {
  Simulation simulation = simulate(rail_ball(0.9, 0.5));
  bool hit = false;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    for (const Event& event : report.events) {
      EXPECT_EQ(event.kind, EventKind::impact);
      EXPECT_NEAR(event.velocity_after[0], -0.5 * event.velocity_before[0], 1e-12);
      hit = true;
    }
    return !hit;
  });
  simulation.run_until(0.4);
  EXPECT_TRUE(hit);
}

// One hull between walls, e = 1 and friction: Newton's law took it from 547 to 819 J.
TEST(ImpactEnergy, HullInATrayGainsNothing) {
  const std::string scene = R"(
delassus: 1
name: hull_in_tray
bodies:
  - {name: ground, type: fixed, restitution: 1.0, shapes: [{type: box, size: [1.9, 0.2, 1.9], position: [0, -0.1, 0]}, {type: box, size: [0.2, 1, 1.9], position: [0.85, 0.5, 0]}, {type: box, size: [1.5, 1, 0.2], position: [0, 0.5, -0.85]}]}
  - {name: hull, type: rigid, mass: 197.354315, position: [0.344247179, 0.154927952, -0.346917382], rotation: [-0.908934664, 0.545160984, -0.0346111616], velocity: [0.878478772, -0.845550984, -0.582189653], angular_velocity: [4.23091785, -1.94632837, -4.99339269], shapes: [{type: hull, points: [[0.0475324237, -0.0158035654, 0.065646293], [-0.003038438, -0.0255758024, 0.0991653054], [-0.0723914404, 0.00253305185, 0.0423456246], [-0.0734473953, -0.000116259616, 0.0374526542], [0.0810937689, 0.0206960013, 0.00628998048], [-0.0210115205, 0.0266405943, 0.0913017887], [-0.00163036518, 0.00325512657, 0.0928024358], [0.0507528615, 0.0506781043, 0.0507192559], [0.0702531299, 0.00609705745, 0.0229745703], [-0.0173137337, 0.0788132356, 0.00104965358], [0.00211068323, -0.0964238411, -0.0242221098], [-0.0586143948, -0.0677251818, -0.00618451103], [0.0665893829, -0.0532973431, 0.0293235898], [-0.0646528605, 0.0667904182, -0.00909668928]]}]}
)";
  Simulation bounded = simulate(scene);
  const Outcome ours = follow_impacts(bounded, 0.5);
  EXPECT_GT(ours.reduced, 0);
  // Between impacts the scheme of order 2 is off by O(h²).
  EXPECT_LE(ours.largest_gain, 1e-6 * ours.start);
  Simulation plain = simulate(scene, {"impact.bound_energy=false"});
  const Outcome law = follow_impacts(plain, 0.5);
  EXPECT_EQ(law.reduced, 0);
  EXPECT_GT(law.largest_gain, 0.1 * law.start) << "what the bound is for";
  // What is gained on surfaces that stand still is told of at the end, with the part and the place.
  EXPECT_FALSE(bounded.energy_watch().verdict(bounded.system()).has_value());
  const std::optional<Warning> told = plain.energy_watch().verdict(plain.system());
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->kind, WarningKind::energy_gain);
  EXPECT_NE(told->text.find("J by impacts, with an impact of contact 'ground.box 1"), std::string::npos)
      << told->text;
}

// A light ball between the ground and a heavy ellipsoid: the simplified law leaves a contact approaching, and Poisson's without
// a bound took 1.3 kJ to 350 kJ.
TEST(ImpactEnergy, SimplifiedLawNeverGains) {
  Simulation simulation = simulate(R"(
delassus: 1
name: light_below_heavy
bodies:
  - {name: ground, type: fixed, shapes: [{type: box, size: [6, 1, 6], position: [0, -0.5, 0]}]}
  - {name: light, type: rigid, mass: 0.0271557073, position: [-0.0347234473, 0.144639208, 0.377802703], rotation: [-0.177048245, 0.891591681, 0.790844138], restitution: 0.404225208, shapes: [{type: sphere, radius: 0.0794125929}]}
  - {name: heavy, type: rigid, mass: 781.949749, position: [-0.0763635804, 0.316806337, 0.467984452], rotation: [-0.823626311, 0.00272301436, -0.231109978], shapes: [{type: ellipsoid, size: [0.183078819, 0.18132583, 0.23485592]}]}
)",
                                   {"impact.law=simplified"});
  const Outcome out = follow_impacts(simulation, 0.2);
  EXPECT_GT(out.fallbacks, 0);
  EXPECT_LE(out.largest_gain, 1e-6 * out.start);
}

// Two elastic balls in flight touch and separate while a third hits one of them: what separates takes part with its velocity,
// and energy and momentum stay.
TEST(ImpactEnergy, ContactsThatSeparateKeepElasticEnergy) {
  for (double apart : {0.1, 0.5, 2.0}) {
    Simulation simulation = simulate(fmt::format(R"(
delassus: 1
name: row
gravity: [0, 0, 0]
bodies:
  - {{name: a, type: rigid, mass: 1, position: [-0.2, 0, 0], velocity: [1, 0, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
  - {{name: b, type: rigid, mass: 2, position: [0, 0, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
  - {{name: c, type: rigid, mass: 0.5, position: [0.2, 0, 0], velocity: [{}, 0, 0], shapes: [{{type: sphere, radius: 0.1}}]}}
contact: {{friction: 0, restitution: 1}}
)",
                                                 apart));
    const auto energy = [&] {
      const Vector& v = simulation.state().v;
      return 0.5 * (v[0] * v[0] + 2 * v[6] * v[6] + 0.5 * v[12] * v[12]);
    };
    const double before = energy();
    EXPECT_TRUE(simulation.run_until(0.01)) << simulation.report().message;
    const Vector& v = simulation.state().v;
    EXPECT_NEAR(energy(), before, 1e-12) << apart;
    EXPECT_NEAR(v[0] + 2 * v[6] + 0.5 * v[12], 1 + 0.5 * apart, 1e-12) << apart;
    EXPECT_LE(v[0], v[6] + 1e-12) << apart;
    EXPECT_LE(v[6], v[12] + 1e-12) << apart;
  }
}

// A cone of 11 g and a capsule of 1 g between a hull of 929 kg, an ellipsoid and the ground, some with e = 1: the simplified law
// gained more than half of the energy.
TEST(ImpactEnergy, SimplifiedLawNeverGainsInAPile) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, restitution: 1.0, shapes: [{type: plane}]}
  - {name: b0, type: rigid, mass: 928.533895, position: [0.291042044, 0.277856054, -0.156821297], rotation: [1.09178321, -0.311086265, -0.273806904], velocity: [-0.874715156, 0.423042426, 0.3759425], angular_velocity: [3.41609345, -0.365559903, 2.45630429], shapes: [{type: hull, points: [[-0.112382235, 0.0351114362, -0.0997540835], [-0.0326692991, 0.0784787127, -0.109918173], [-0.0270813994, -0.108923532, 0.0863944709], [0.100526181, -0.0670006614, 0.0349427075], [0.0817198677, -0.0538752386, -0.125413269], [0.105521426, -0.0226052779, 0.127892419], [-0.0954598972, -0.050783311, -0.104520944], [-0.17037721, 0.057257744, -0.0265695643], [0.0900724476, -0.0173122962, -0.133003354], [0.0204055312, -0.127238434, 0.065551173], [0.084528984, -0.0569802126, 0.0994372506], [-0.0134895381, -0.00576167805, -0.113462158], [0.0263298313, -0.0698191676, 0.112012991], [0.00976719605, 0.112005536, -0.0728678768], [-0.15300753, -0.0072548831, 0.0594114666]]}]}
  - {name: b2, type: rigid, mass: 2.84748551, position: [0.35055834, 0.286042938, 0.453688034], rotation: [0.975650626, -0.118266459, -1.79433759], friction: 1.36906552, restitution: 0.970086477, rolling_friction: 0.00204435407, shapes: [{type: ellipsoid, size: [0.339712159, 0.137090905, 0.231746793]}]}
  - {name: b5, type: rigid, mass: 0.0109431336, position: [0.400873839, 0.341958076, 0.169998938], rotation: [-1.7612054, 1.48819573, -1.15577123], velocity: [0.52019045, 0.327690195, 0.917157663], friction: 0.17123788, shapes: [{type: cone, radius: 0.0633609869, length: 0.178622014}]}
  - {name: b7, type: rigid, mass: 0.00104831946, position: [0.289102081, 0.777422534, 0.250009951], rotation: [0.209467051, -0.121739557, 1.11315138], angular_velocity: [-1.86485813, 4.14418272, -2.23231306], friction: 0.806736399, shapes: [{type: capsule, radius: 0.0931094681, length: 0.335563086}]}
)",
                                   {"impact.law=simplified"});
  // The most that it rises above what it has been before, and what is in play.
  double least = std::numeric_limits<double>::infinity(), lowest = least, highest = -least, rise = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    const double energy = report.energy.kinetic + report.energy.potential;
    least = std::min(least, energy);
    rise = std::max(rise, energy - least);
    highest = std::max(highest, energy);
    lowest = std::min(lowest, report.energy.potential);
  });
  ASSERT_TRUE(simulation.run_until(0.662)) << simulation.report().message;
  EXPECT_LE(rise, 1e-3 * (highest - lowest));
}

}  // namespace
}  // namespace delassus::impact_energy_test
