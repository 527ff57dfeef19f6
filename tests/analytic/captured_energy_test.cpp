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
#include "delassus/formulation/multibody_system.hpp"
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
  // What the walls bring is no gain from nowhere, for which steps would be halved.
  simulation.observe([](const Simulation&, const StepReport& report) {
    EXPECT_LT(report.certificate.penetration, 1e-9);
    EXPECT_TRUE(report.warnings.empty()) << report.warnings[0].text;
  });
  EXPECT_TRUE(simulation.run_until(1.5)) << simulation.report().message;
  EXPECT_NEAR(simulation.report().energy.error, 0, 1e-6);
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

struct Bodies {
  double kinetic = 0, potential = 0;  // [J]
};

// Of rigid bodies by their masses: q and v are those of the centres of mass, angular velocities are in body axes.
Bodies energy_of_bodies(const Simulation& simulation) {
  const auto& model = dynamic_cast<const MultibodySystem&>(simulation.system()).model();
  const State& state = simulation.state();
  Bodies out;
  Eigen::Index i = 0;
  for (const Body& body : model.bodies) {
    if (!body.dynamic()) continue;
    const Vector3 spin = state.v.segment<3>(6 * i + 3);
    out.kinetic +=
        0.5 * (body.mass * state.v.segment<3>(6 * i).squaredNorm() + spin.dot(body.inertia * spin));
    out.potential += 9.81 * body.mass * state.q[7 * i + 1];
    ++i;
  }
  return out;
}

// The most that T + V rises above what it has been before, as a share of the energy in play, max(T + V) − min V.
double largest_rise(Simulation& simulation, double duration) {
  const Bodies first = energy_of_bodies(simulation);
  double least = first.kinetic + first.potential, highest = least, lowest = first.potential, rise = 0;
  simulation.observe([&](const Simulation& now, const StepReport&) {
    const Bodies e = energy_of_bodies(now);
    const double total = e.kinetic + e.potential;
    least = std::min(least, total);
    rise = std::max(rise, total - least);
    highest = std::max(highest, total);
    lowest = std::min(lowest, e.potential);
  });
  EXPECT_TRUE(simulation.run_until(duration)) << simulation.report().message;
  return rise / (highest - lowest);
}

// What a run may gain without a warning [-]; half of the energy and more were gained.
constexpr double k_tolerated_rise = 1e-3;

// Five bodies of 1 g to 330 kg on a height field: 2,422 J became 14,220 J.
TEST(CapturedEnergy, PilesOfLightAndHeavyBodiesGainNothing) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, friction: 0.58673656, restitution: 0.404264916, shapes: [{type: height_field, spacing: [0.6, 0.6], heights: [[-0.088960547, -0.0744897579, -0.0220184201, -0.0974590649, -0.0647812966, -0.0577641334, -0.0446939446, -0.0566472954, -0.0144591152], [-0.00627198721, -0.0431292306, -0.0797517711, -0.0124949942, -0.0144343249, -0.0535748752, -0.0202035998, -0.0115606671, -0.00490800878], [-0.0771014571, -0.0782694818, -0.0197261156, -0.0729091295, -0.0725645604, -0.0951070734, -0.0237793149, -0.076309872, -0.0829923034], [-0.0386589435, -0.0915721833, -0.0215593393, -0.0918080154, -0.00280378596, -0.0868091423, -0.0857440588, -0.0537742952, -0.0234178745], [-0.051290589, -0.0291356559, -0.0758185771, -0.0141991561, -0.0797122411, -0.0589911572, -0.0196787615, -0.0607279831, -0.0941023159], [-0.0281057634, -0.0910212171, -0.0589481122, -0.0656842986, -0.0510669298, -0.0863482831, -0.00759851923, -0.01873741, -0.0451762498], [-0.0699672104, -0.0614019421, -0.0741080309, -0.059244424, -0.0511442125, -0.0250758367, -0.0904550976, -0.00669382167, -0.0102633601], [-0.0464952741, -0.0452402182, -0.0909574586, -0.0781456252, -0.0954994714, -0.0890583589, -0.0277427328, -0.0802157701, -0.030521749], [-0.0221613883, -0.0584754459, -0.0320045511, -0.0409678937, -0.0381055807, -0.0409262153, -0.0356206196, -0.0844610192, -0.000485582736]]}]}
  - {name: b0, type: rigid, mass: 68.9406673, position: [0.240148265, 0.299974429, -0.174906681], rotation: [1.15479067, -1.54137668, 0.394566395], velocity: [-0.245088499, -0.606686617, 0.534245289], angular_velocity: [-0.595270999, -0.913778657, -1.11391402], friction: 0.0, shapes: [{type: capsule, radius: 0.0673213212, length: 0.319816235}]}
  - {name: b1, type: rigid, mass: 0.00101148626, position: [-0.170612514, 0.188735577, -0.130914914], rotation: [-1.07717032, 0.271071999, -1.36330258], velocity: [0.619820524, -0.0324582232, 0.547260622], angular_velocity: [-4.99850254, -0.571274954, 2.57905653], friction: 0.719031915, shapes: [{type: ellipsoid, size: [0.188773459, 0.133889201, 0.170991113]}]}
  - {name: b12, type: rigid, mass: 4.96752305, position: [-0.224151104, 0.210593799, -0.461618833], rotation: [-1.69366409, 0.347912404, -0.108684025], friction: 0.911378808, shapes: [{type: cone, radius: 0.0471156462, length: 0.0404623943}]}
  - {name: b14, type: rigid, mass: 115.043861, position: [-0.611964317, 0.219891138, -0.0310118994], rotation: [0.341333054, -1.04328693, -1.10199605], friction: 1.27070183, restitution: 1.0, shapes: [{type: hull, points: [[0.011607358, -0.0748332915, -0.0123841552], [0.0617302699, 0.012741624, -0.0451409838], [0.0156460213, -0.0622511291, 0.0437189136], [-0.0676244609, -0.0631851756, 0.0301355235], [-0.0543820541, 0.0197415771, 0.0655026028], [0.0306792229, -0.0523179668, 0.0545208129], [0.070188458, 0.0555420879, 0.0364661849], [0.0343164384, -0.0382320497, 0.0669457713], [0.0302663635, 0.0321837011, 0.0547783389], [0.0311995174, -0.0481134811, -0.033245992], [-0.0457814711, 0.0615097124, 0.0664227227]]}]}
  - {name: b20, type: rigid, mass: 330.046792, position: [-0.026573603, 0.574325222, 0.162755572], rotation: [0.438360698, 0.355229521, -1.35176788], angular_velocity: [-1.92059228, -3.49958508, 4.18674834], friction: 0.238993363, restitution: 1.0, shapes: [{type: sphere, radius: 0.191826744}]}
)",
                                   {"stepper.name=moreau-jean"});
  EXPECT_LE(largest_rise(simulation, 0.561), k_tolerated_rise);
}

// A cylinder of 2 g on a ball joint of an 821 kg hull that slides on a rail: 1e203 J at 0.539 s.
TEST(CapturedEnergy, LightBodiesOnJointsOfHeavyOnesGainNothing) {
  Simulation simulation = simulate(R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, friction: 1.46113745, restitution: 0.813501302, shapes: [{type: plane}]}
  - {name: b3, type: rigid, mass: 821.271968, position: [0.14616948, 0.23009307, -0.304151597], rotation: [0.22361199, 0.562150226, -0.84462176], friction: 0.0, shapes: [{type: hull, points: [[0.100212453, 0.0114425325, -0.086978576], [-0.0989030912, -0.068500867, 0.0114597183], [0.100098698, 0.0222249644, -0.111963334], [0.100945905, 0.00267753717, 0.0697175398], [-0.0865913833, -0.0788536097, 0.00491504641], [0.120513295, -0.063973961, -0.0235402787], [-0.0319330953, 0.0862901379, 0.0712806604], [0.0642362414, 0.0337377428, 0.118380054], [-0.108072358, 0.0596957989, 0.0455855075], [-0.126318903, 0.0288704724, 0.0233564439], [-0.119187661, 0.00146839194, 0.09393328], [0.0302426524, 0.115394533, 0.0379759015], [-0.110586235, -0.0248126046, 0.0297805894]]}]}
  - {name: b4, type: rigid, mass: 0.00184040804, position: [-0.146925419, 0.286056, -0.393744186], rotation: [-0.679680351, -0.833671694, -0.13473404], friction: 0.313537309, restitution: 0.909199794, shapes: [{type: cylinder, radius: 0.121158513, length: 0.123685671}]}
  - {name: b5, type: rigid, mass: 515.53991, position: [-0.448935549, 0.177365982, 0.108256509], rotation: [-1.72259728, 0.272194296, -0.437649224], velocity: [0.630942417, 0.118759475, -0.512750239], angular_velocity: [-1.54397865, -0.814595245, -1.44699816], friction: 0.356177688, shapes: [{type: hull, points: [[-0.0460999408, -0.0781531755, -0.0673946117], [-0.0425956128, -0.00806957767, -0.129350321], [-0.0437978136, 0.115306729, -0.0227185738], [0.00794249297, 0.0545022216, -0.0915136906], [-0.101420651, 0.0261123587, 0.0399245325], [-0.125913434, -0.0507178842, -0.00343544363], [-0.056127955, -0.00317239716, 0.128950916], [0.0894289466, 0.0566487367, -0.0213973688]]}]}
  - {name: b8, type: rigid, mass: 22.6416705, position: [0.347726198, 0.246305392, -0.473452086], rotation: [1.51541248, -0.863328833, -0.259870127], velocity: [-0.725118927, 0.652535816, -0.180211626], shapes: [{type: capsule, radius: 0.0150454672, length: 0.0765062302}]}
joints:
  - {name: j0, type: prismatic, between: [world, b3], point: [0.14616948, 0.23009307, -0.304151597], axis: [0.453764693, 0.63393972, 0.626273131]}
  - {name: j1, type: spherical, between: [b4, b3], point: [-0.000377969554, 0.258074535, -0.348947891]}
  - {name: j2, type: fixed, between: [b8, b3], point: [0.246947839, 0.238199231, -0.388801841]}
)",
                                   {"stepper.name=moreau-jean"});
  EXPECT_LE(largest_rise(simulation, 0.6), k_tolerated_rise);
}

// The loss of docs/steppers.md, "Limits": the normal of a closed contact is that of the beginning of the step, so that a rim that
// rolls loses energy in proportion to h.
TEST(CapturedEnergy, RollingDisksLoseItInProportionToTheStep) {
  const auto loss = [](const char* step) {
    Simulation simulation(load_scene(
        "coin", std::vector<SceneSetting>{"stepper.name=moreau-jean", std::string("stepper.step=") + step}));
    const Bodies first = energy_of_bodies(simulation);
    EXPECT_TRUE(simulation.run_until(1)) << simulation.report().message;
    const Bodies last = energy_of_bodies(simulation);
    return 1 - (last.kinetic + last.potential) / (first.kinetic + first.potential);
  };
  const double coarse = loss("1e-3"), middle = loss("3e-4"), fine = loss("1e-4");
  // The documentation rounds to a percent.
  EXPECT_NEAR(coarse, 0.30, 0.01);
  EXPECT_NEAR(middle, 0.09, 0.01);
  EXPECT_NEAR(fine, 0.03, 0.01);
  // Of order 1: what is lost at a step of a tenth is about a tenth, a little more because less was lost before.
  EXPECT_GT(coarse, 8 * fine);
  EXPECT_LT(coarse, 12 * fine);
}

// A coin that rolls round on its rim: the normal of a step is that of its beginning, and normal impulses take a quarter of what is in play in 0.3 s.
TEST(CapturedEnergy, WhatConstraintsTakeIsWarnedOf) {
  const auto lost = [](const std::string& scene, const std::vector<std::string>& settings, double until) {
    Simulation simulation(load_scene(scene, std::vector<SceneSetting>(settings.begin(), settings.end())));
    EXPECT_TRUE(simulation.run_until(until)) << simulation.report().message;
    return simulation.energy_watch().loss_verdict(simulation.system());
  };
  const auto told = lost("coin", {"stepper.name=moreau-jean", "stepper.step=1e-3"}, 0.3);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->kind, WarningKind::energy_loss);
  EXPECT_NE(told->text.find("normal contact impulses, near contact 'table"), std::string::npos) << told->text;
  EXPECT_FALSE(lost("coin", {"stepper.name=trapezoidal-2", "stepper.step=1e-3"}, 0.3).has_value());
  // What lands without rebound loses its energy by an impact; that dvi-euler stops it before it touches is no loss either.
  for (const char* stepper : {"moreau-jean", "dvi-euler", "trapezoidal-2"})
    EXPECT_FALSE(lost("dropped_ball", {std::string("stepper.name=") + stepper}, 1).has_value()) << stepper;
}

// A ball on a string and one that a constant force pushes: what the projection onto the string does to the energy is error, the
// work F x of the push is not. From outside: error = T + V − E(0) − F x.
TEST(EnergyReport, WorkOfTheProjectionIsError) {
  for (const char* stepper : {"moreau-jean", "trapezoidal-1", "trapezoidal-2"}) {
    SCOPED_TRACE(stepper);
    Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, -10, 0]
bodies:
  - {name: ball, type: particle, mass: 2, position: [1, 0, 0], velocity: [0, -1, 0]}
  - {name: pushed, type: particle, mass: 2}
joints:
  - {name: string, type: distance, between: [world, ball], anchor: [0, 0, 0]}
forces:
  - {name: push, type: applied, body: pushed, force: [3, 0, 0]}
stepper: {step: 5e-3}
)",
                                     {std::string("stepper.name=") + stepper});
    ASSERT_TRUE(simulation.run_until(1)) << simulation.report().message;
    const State& state = simulation.state();
    const double outside = state.v.squaredNorm() + 20 * (state.q[1] + state.q[4]) - 1 - 3 * state.q[3];
    const EnergyReport& e = simulation.report().energy;
    // Round-off of 100 J in 200 steps; the projection has done much more than that.
    EXPECT_NEAR(e.error, outside, 1e-11);
    EXPECT_GT(std::abs(e.projection), 1e-6);
    EXPECT_NEAR(e.work, 3 * state.q[3], 1e-11);
  }
}

// A ball that does not rebound sinks in by some of h |u| and is lifted again. From outside it has lost m g times the height that it
// fell from, all by the impact; neither the sinking nor the lifting is left as an error.
TEST(EnergyReport, SinkingAndLiftingAreNoError) {
  Simulation simulation = simulate(column(1, "0"), {"stepper.projection=all"});
  const double start = energy_of_balls(simulation);
  ASSERT_TRUE(simulation.run_until(0.6)) << simulation.report().message;
  const EnergyReport& e = simulation.report().energy;
  EXPECT_GT(std::abs(e.projection), 1e-6);
  // Where it comes to rest a step of the weight alone is g h, m (g h)² of energy; h |u| m g = 0.04 J would be the sinking.
  const double step_of_weight = 9.81 * 9.81 * 1e-6;
  EXPECT_NEAR(e.impact, -9.81, 2 * step_of_weight);
  EXPECT_NEAR(e.error, energy_of_balls(simulation) - start + 9.81, 2 * step_of_weight);
  EXPECT_LE(std::abs(e.error), 2 * step_of_weight);
}

}  // namespace
}  // namespace delassus::captured_energy_test
