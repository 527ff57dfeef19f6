// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run is told before and while it goes: starts that cannot be, requests to stop, warnings about energy and depth.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../support/simulate.hpp"
#include "delassus/base/stop_request.hpp"
#include "delassus/simulation/certificate_watch.hpp"
#include "delassus/simulation/start_check.hpp"
#include "delassus/solvers/registry.hpp"
#include "delassus/steppers/tolerances.hpp"
#include "tests/support/messages.hpp"

namespace delassus::start_test {
namespace {

using testing::message_of;
using testing::simulate;

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

long count(const std::vector<Warning>& warnings, WarningKind kind) {
  return std::count_if(warnings.begin(), warnings.end(), [&](const Warning& x) { return x.kind == kind; });
}

// A door that stands 0.5 rad before its stop, where it cannot be, and a slider 0.2 m before its own.
const char* const k_stops = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: door, type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}
  - {name: slider, type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}
joints:
  - {name: hinge, type: revolute, between: [world, door], point_a: [0, 0, 0], point_b: [-0.5, 0, 0]}
  - {name: rail, type: prismatic, between: [world, slider], point: [2, 0, 0], axis: [1, 0, 0]}
limits:
  - {name: door_stop, joint: hinge, lower: 0.5, upper: 1}
  - {name: slider_stop, joint: rail, lower: 0.2, upper: 1}
)";

TEST(Start, StopsThatArePassedAreRefused) {
  const std::string message = message_of([] { simulate(k_stops); });
  EXPECT_TRUE(contains(message, "stop 'door_stop.lower' is passed by 0.5 rad at the start")) << message;
  EXPECT_TRUE(contains(message, "and 1 more")) << message;
  EXPECT_TRUE(contains(message, "resolve")) << message;
  const std::string slider = message_of([] { simulate(k_stops, {"limits.door_stop.lower=-0.1"}); });
  EXPECT_TRUE(contains(slider, "stop 'slider_stop.lower' is passed by 0.2 m at the start")) << slider;
}

TEST(Start, IsResolvedOrAcceptedOnRequest) {
  Simulation resolved = simulate(k_stops, {"start=resolve"});
  EXPECT_NEAR(resolved.joint(resolved.find_joint("hinge")).angle(), 0.5, 1e-8);
  EXPECT_NEAR(resolved.joint(resolved.find_joint("rail")).slide(), 0.2, 1e-8);
  EXPECT_GT(resolved.start_resolved(), 0.1);
  EXPECT_TRUE(resolved.start_warnings().empty());
  // Nothing pushes: what stands at its stop stays there.
  ASSERT_TRUE(resolved.run_until(0.1)) << resolved.report().message;
  EXPECT_LT(resolved.report().energy.kinetic, 1e-12);
  const Simulation accepted = simulate(k_stops, {"start=accept"});
  EXPECT_EQ(count(accepted.start_warnings(), WarningKind::start), 2);
}

TEST(Start, OverlapsAreRefusedTouchingIsNot) {
  const std::string scene = R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 0.1, 0], shapes: [{type: sphere, radius: 0.1}]}
)";
  EXPECT_EQ(message_of([&] { simulate(scene); }), "no error");
  EXPECT_EQ(message_of([&] { simulate(scene, {"bodies.ball.position=[0, 0.0999995, 0]"}); }), "no error");
  const std::string message = message_of([&] { simulate(scene, {"bodies.ball.position=[0, 0.08, 0]"}); });
  EXPECT_TRUE(contains(message, "shapes 'ground' and 'ball' overlap by 0.02 m at the start")) << message;
  Simulation resolved = simulate(scene, {"bodies.ball.position=[0, 0.08, 0]", "start=resolve"});
  EXPECT_NEAR(resolved.body(resolved.find_body("ball")).position().y(), 0.1, 1e-9);
}

// A state that has made steps is no start, wherever it lies.
TEST(Start, OfAResumedRunIsNotJudged) {
  Simulation accepted = simulate(k_stops, {"start=accept"});
  accepted.step();
  const State state = accepted.state();
  Simulation resumed = simulate(k_stops, {"start=accept"});
  resumed.set_state(state);
  EXPECT_EQ(count(resumed.start_warnings(), WarningKind::start), 0);
}

// A solver that asks for a stop in the middle of its n-th problem.
class Interrupting final : public Solver {
 public:
  explicit Interrupting(int at) : solver_(make_solver({})), left_(at) {}
  std::string name() const override { return "interrupting"; }
  SolverCapabilities capabilities() const override { return solver_->capabilities(); }
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override {
    if (--left_ == 0) request_stop();
    if (left_ < 0) ++after_;
    solver_->solve(problem, warm, solution, stats);
  }
  int after() const { return after_; }

 private:
  std::unique_ptr<Solver> solver_;
  int left_, after_ = 0;
};

const char* const k_sliding_boxes = R"(
delassus: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: low, type: rigid, mass: 1, position: [0, 0.51, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [1, 1, 1]}]}
  - {name: high, type: rigid, mass: 1, position: [0.2, 1.53, 0], velocity: [2, 0, 0], shapes: [{type: box, size: [1, 1, 1]}]}
contact: {friction: 0.3, restitution: 0.2}
stepper: {step: 0.02}
)";

TEST(StopRequest, EndsAStepAndKeepsTheStateBeforeIt) {
  // Wherever it comes, within a step with many solves or between two.
  for (int at : {1, 2, 5, 20, 60}) {
    SCOPED_TRACE(at);
    const DataTree values = parse_yaml(k_sliding_boxes, "test");
    const SceneDesc desc = decode_scene(values);
    CompiledScene compiled = compile(desc);
    OwnParts parts;
    auto solver = std::make_unique<Interrupting>(at);
    const Interrupting& watched = *solver;
    parts.solver = std::move(solver);
    Simulation simulation(compiled.system, compiled.state, desc.run.options, std::move(parts));
    State before = simulation.state();
    simulation.observe([&](const Simulation& now, const StepReport& report) {
      if (report.ok) before = now.state();
    });
    EXPECT_FALSE(simulation.run_until(1));
    EXPECT_TRUE(simulation.report().stopped);
    EXPECT_FALSE(simulation.report().ok);
    EXPECT_EQ(simulation.state(), before);
    // No other problem was begun.
    EXPECT_EQ(watched.after(), 0);
    // It goes on as if nothing had happened.
    clear_stop_request();
    Simulation whole(compiled.system, compiled.state, desc.run.options);
    ASSERT_TRUE(whole.run_until(0.4)) << whole.report().message;
    ASSERT_TRUE(simulation.run_until(0.4)) << simulation.report().message;
    EXPECT_EQ(simulation.state(), whole.state());
  }
  clear_stop_request();
}

// Explicit Euler on a spring of period 0.2 s: the energy grows by 1 + (ω h)² a step.
const char* const k_spring = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: m, type: particle, mass: 1, position: [1.1, 0, 0]}
forces:
  - {name: spring, type: spring, between: [world, m], anchor: [0, 0, 0], stiffness: 1000, rest_length: 1}
stepper: {name: anitescu-potra, step: 1e-3}
)";

TEST(Energy, GainsAreWarnedOf) {
  Simulation simulation = simulate(k_spring);
  EXPECT_EQ(count(simulation.start_warnings(), WarningKind::setting), 1);
  const double before = 0.5 * 1000 * 0.1 * 0.1;
  ASSERT_TRUE(simulation.run_until(0.5));
  const EnergyReport& e = simulation.report().energy;
  // The sum that a physicist would compute.
  EXPECT_NEAR(e.error, e.kinetic + e.potential - before, 1e-9);
  ASSERT_TRUE(simulation.energy_watch().verdict(simulation.system()).has_value());
  EXPECT_EQ(simulation.energy_watch().verdict(simulation.system())->kind, WarningKind::energy_gain);
  EXPECT_NEAR(simulation.energy_watch().largest_gain(), e.error, 0.01 * e.error);
  // The same by a scheme that keeps its energy, and by one that loses some.
  for (const char* stepper : {"trapezoidal-2", "euler-implicit"}) {
    Simulation quiet = simulate(k_spring, {std::string("stepper.name=") + stepper});
    EXPECT_TRUE(quiet.start_warnings().empty()) << stepper;
    long told = 0;
    quiet.observe([&](const Simulation&, const StepReport& report) {
      told += static_cast<long>(report.warnings.size());
    });
    ASSERT_TRUE(quiet.run_until(0.5));
    EXPECT_EQ(told, 0) << stepper;
    EXPECT_FALSE(quiet.energy_watch().verdict(quiet.system()).has_value()) << stepper;
  }
}

// Of q⁺ = q + h ((1−γ) v + γ v⁺), v⁺ = v − h ω² ((1−α) q + α q⁺) the determinant is
// (1 + (1−α)(1−γ) h²ω²) / (1 + α γ h²ω²): with γ = ½ above 1, and the energy grows, exactly where α < ½.
TEST(Energy, SettingsThatCanGainAreWarnedOf) {
  const auto run = [](const std::vector<std::string>& settings) {
    Simulation simulation = simulate(k_spring, settings);
    EXPECT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
    return simulation;
  };
  const double in_play = 0.5 * 1000 * 0.1 * 0.1;
  const Simulation weighed = run({"stepper.name=alpha-gamma", "stepper.alpha=0.4"});
  ASSERT_EQ(count(weighed.start_warnings(), WarningKind::setting), 1);
  const std::string& words = weighed.start_warnings()[0].text;
  EXPECT_TRUE(contains(
      words, "'alpha-gamma' weighs the end of a step by 0.4 (forces) and 0.5 (velocities), below 1 together"))
      << words;
  EXPECT_GT(weighed.report().energy.error, 0.01 * in_play);
  const Simulation none = run({"stepper.name=trapezoidal-2", "stepper.derivatives=none"});
  ASSERT_EQ(count(none.start_warnings(), WarningKind::setting), 1);
  const std::string& explicit_words = none.start_warnings()[0].text;
  EXPECT_TRUE(contains(explicit_words, "'trapezoidal-2' takes forces explicitly")) << explicit_words;

  for (const char* setting : {"stepper.theta=0.3", "stepper.theta=0"}) {
    const Simulation below = run({"stepper.name=moreau-jean", setting});
    EXPECT_EQ(count(below.start_warnings(), WarningKind::setting), 1) << setting;
    EXPECT_GT(below.report().energy.error, 0.01 * in_play) << setting;
  }
  const Simulation slow = run({"stepper.name=alpha-gamma", "stepper.alpha=0.5", "stepper.gamma=0.3"});
  EXPECT_EQ(count(slow.start_warnings(), WarningKind::setting), 1);
  EXPECT_GT(slow.report().energy.error, 0.01 * in_play);

  // At ½ it does not gain, and is not warned of; nor with α + γ > 1.
  for (const auto& [alpha, gamma] : {std::pair{"stepper.alpha=0.5", "stepper.gamma=0.5"},
                                     std::pair{"stepper.alpha=0.4", "stepper.gamma=0.7"}}) {
    const Simulation half = run({"stepper.name=alpha-gamma", alpha, gamma});
    EXPECT_TRUE(half.start_warnings().empty()) << gamma;
    EXPECT_LT(half.report().energy.error, 1e-3 * in_play) << gamma;
  }
  // Nor are weights that have nothing to act on.
  const Simulation free =
      run({"stepper.name=alpha-gamma", "stepper.alpha=0.4", "stepper.derivatives=none", "forces=[]"});
  EXPECT_TRUE(free.start_warnings().empty());
}

// A hinge and a rail with stops, and a ball on the ground: gaps of each unit.
const char* const k_watched = R"(
delassus: 1
gravity: [0, 0, 0]
start: accept
bodies:
  - {name: door, type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}
  - {name: slider, type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}
  - {name: ground, type: fixed, position: [0, -1, 0], shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [3, -0.85, 0], shapes: [{type: sphere, radius: 0.2}]}
joints:
  - {name: hinge, type: revolute, between: [world, door], point_a: [0, 0, 0], point_b: [-0.5, 0, 0]}
  - {name: rail, type: prismatic, between: [world, slider], point: [2, 0, 0], axis: [1, 0, 0]}
limits:
  - {name: door_stop, joint: hinge, lower: 0.5, upper: 1}
  - {name: slider_stop, joint: rail, lower: 0.2, upper: 1}
)";

class Certificates : public ::testing::Test {
 protected:
  Certificates() : simulation_(simulate(k_watched)) {}
  const System& system() const { return simulation_.system(); }
  // What is warned of after a step with this certificate.
  std::vector<Warning> look(const Certificate& certificate) {
    StepReport report;
    report.t_end = 0.25;
    report.certificate = certificate;
    watch_.look(system(), simulation_.state(), report);
    return report.warnings;
  }
  void expect_one(const Certificate& certificate, WarningKind kind, const std::string& words) {
    const std::vector<Warning> warnings = look(certificate);
    ASSERT_EQ(warnings.size(), 1u) << words;
    EXPECT_EQ(warnings[0].kind, kind);
    EXPECT_TRUE(contains(warnings[0].text, words)) << warnings[0].text;
    EXPECT_TRUE(contains(warnings[0].text, "t = 0.25 s")) << warnings[0].text;
  }
  // The contact whose name begins so. All are closed at the start.
  ContactId contact(const std::string& name) const {
    const State& state = simulation_.state();
    for (ContactId id : system().contacts_within(0, state.t, state.q, state.v).ids)
      if (system().contact_name(id).starts_with(name)) return id;
    ADD_FAILURE() << "no contact " << name;
    return 0;
  }
  // The first row of a joint that is an angle, or a length.
  int joint_row(const std::string& name, bool angle) const {
    for (int row = 0; row < 10; ++row)
      if (system().joint_name(row) == name && system().joint_row_is_angle(row) == angle) return row;
    ADD_FAILURE() << "no row of " << name;
    return 0;
  }

  Simulation simulation_;
  CertificateWatch watch_;
};

TEST_F(Certificates, ResidualsAreWarnedOfByWhatIsNotSolved) {
  EXPECT_TRUE(look({.momentum_residual = 0.9 * k_residual_tolerance,
                    .joint_residual = 0.9 * k_residual_tolerance,
                    .contact_residual = 0.9 * k_residual_tolerance})
                  .empty());
  // Each more than twice the one before: the watch tells of what has doubled only.
  expect_one({.momentum_residual = 2e-3}, WarningKind::residual,
             "the equations of motion of the step are solved to 0.002 only");
  EXPECT_TRUE(look({.momentum_residual = 3.9e-3}).empty());
  expect_one({.momentum_residual = 2e-3, .joint_residual = 5e-3}, WarningKind::residual,
             "the joints of the step are solved to 0.005 only");
  expect_one({.joint_residual = 2e-3,
              .contact_residual = 0.011,
              .has_worst_contact = true,
              .worst_contact = contact("door_stop.lower")},
             WarningKind::residual,
             "the contact laws of the step are solved to 0.011 only (worst: contact 'door_stop.lower')");
  EXPECT_TRUE(look({.contact_residual = 0.011}).empty());
}

TEST_F(Certificates, DepthsHaveTheUnitOfTheirGap) {
  const ContactId door = contact("door_stop.lower"), slider = contact("slider_stop.lower"),
                  ball = contact("ground");
  EXPECT_TRUE(look({.relative_depth = 0.9 * k_depth_tolerance, .deepest_contact = ball}).empty());
  // A share of the width of the ball, 0.4 m.
  expect_one({.relative_depth = 2e-3, .deepest_contact = ball}, WarningKind::penetration,
             "is 0.0008 m deep, 0.2 % of the smaller body");
  EXPECT_TRUE(look({.relative_depth = 3.9e-3, .deepest_contact = ball}).empty());
  // Of bodies without shapes the depth itself counts.
  ASSERT_EQ(system().contact_size(door), 1.0);
  expect_one({.relative_depth = 0.005, .deepest_contact = door}, WarningKind::penetration,
             "contact 'door_stop.lower' is 0.005 rad deep; a smaller step may help");
  ASSERT_EQ(system().contact_size(slider), 1.0);
  expect_one({.relative_depth = 0.02, .deepest_contact = slider}, WarningKind::penetration,
             "contact 'slider_stop.lower' is 0.02 m deep");
}

TEST_F(Certificates, DriftsHaveTheUnitOfTheirRow) {
  // Lengths are compared with the system, which reaches to 3 m: 1 + 3.
  const int rail = joint_row("rail", false), hinge = joint_row("hinge", true);
  EXPECT_TRUE(look({.joint_drift = 3.9e-3, .worst_joint_row = rail}).empty());
  expect_one({.joint_drift = 4.1e-3, .worst_joint_row = rail}, WarningKind::joint_drift,
             "joint 'rail' is off by 0.0041 m");
  EXPECT_TRUE(look({.joint_drift = 8e-3, .worst_joint_row = rail}).empty());
  // Angles are not.
  EXPECT_TRUE(look({.joint_turn = 2e-3, .worst_joint_row = hinge}).empty());  // less than twice 4.1e-3 / 4
  expect_one({.joint_turn = 2.1e-3, .worst_joint_row = hinge}, WarningKind::joint_drift,
             "joint 'hinge' is off by 0.0021 rad");
}

// A lift that a motor moves at constant speed brings m g v t: work of a prescribed motion, no error.
TEST(Energy, PrescribedMotionsAreNoError) {
  const std::string scene = R"(
delassus: 1
gravity: [0, -10, 0]
bodies:
  - {name: cabin, type: rigid, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0, 3, 0]}
joints:
  - {name: shaft, type: prismatic, between: [world, cabin], point: [0, 0, 0], axis: [0, 1, 0]}
motors:
  - {name: winch, type: position, joint: shaft, law: 3*t}
)";
  for (const char* stepper : {"generalized-alpha", "trapezoidal-2", "energy-midpoint", "moreau-jean",
                              "nonsmooth-generalized-alpha"}) {
    SCOPED_TRACE(stepper);
    Simulation simulation = simulate(scene, {std::string("stepper.name=") + stepper});
    long told = 0;
    simulation.observe([&](const Simulation&, const StepReport& report) {
      told += static_cast<long>(report.warnings.size());
    });
    ASSERT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
    const EnergyReport& e = simulation.report().energy;
    EXPECT_NEAR(e.driven, 2 * 10 * 3 * 0.5, 1e-8);
    EXPECT_NEAR(e.error, 0, 1e-8);
    EXPECT_EQ(told, 0);
    EXPECT_FALSE(simulation.energy_watch().verdict(simulation.system()).has_value());
  }
}

// A platform that lifts a box: likewise by its contacts.
TEST(Energy, MovingSurfacesAreNoError) {
  Simulation simulation = simulate(R"(
delassus: 1
gravity: [0, -10, 0]
bodies:
  - {name: lift, type: kinematic, motion: [0, 3*t - 0.5, 0], shapes: [{type: box, size: [4, 1, 4]}]}
  - {name: box, type: rigid, mass: 2, position: [0, 0.5, 0], velocity: [0, 3, 0], shapes: [{type: box, size: [1, 1, 1]}]}
)");
  ASSERT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
  const EnergyReport& e = simulation.report().energy;
  EXPECT_NEAR(e.driven, 2 * 10 * 3 * 0.5, 1e-6);
  EXPECT_NEAR(e.error, 0, 1e-6);
}

TEST(State, OfAnImpossiblePositionIsRefused) {
  const char* const scene = R"(
delassus: 1
bodies: [{name: ball, type: rigid, mass: 1, shapes: [{type: sphere, radius: 0.1}]}]
)";
  Simulation simulation = simulate(scene);
  State state = simulation.state();
  state.q.segment<4>(3) *= 1.1;
  const std::string quaternion = message_of([&] { simulation.set_state(state); });
  EXPECT_TRUE(contains(quaternion, "the quaternion of body 'ball' has length 1.1; allowed: 1 ±"))
      << quaternion;
  state = simulation.state();
  state.v[4] = std::numeric_limits<double>::infinity();
  const std::string velocity = message_of([&] { simulation.set_state(state); });
  EXPECT_TRUE(contains(velocity, "velocity 'ball.wy' is inf")) << velocity;
  state = simulation.state();
  state.history.held_frictions = {3};
  const std::string friction = message_of([&] { simulation.set_state(state); });
  EXPECT_TRUE(contains(friction, "number 3; the system has 0")) << friction;
  // Contacts of another scene are of no use here, and do no harm.
  state = simulation.state();
  state.history.contacts.resize(2);
  state.history.contacts[0] = {.id = 3, .closed = true};
  state.history.contacts[1] = {.id = ContactId{77} << 32 | 5, .closed = true};
  simulation.set_state(state);
  EXPECT_TRUE(simulation.state().history.contacts.empty());
  EXPECT_TRUE(simulation.step().ok);
}

}  // namespace
}  // namespace delassus::start_test
