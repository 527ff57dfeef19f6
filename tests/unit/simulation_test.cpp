// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface of programs: handles, signals, controllers, observers, parts of one's own, files of a run.
#include "delassus/simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/front/run_files.hpp"
#include "delassus/recorder/recording.hpp"
#include "tests/support/messages.hpp"

namespace delassus::simulation_test {
namespace {

using testing::message_of;

constexpr const char* k_arm = R"(
delassus: 1
gravity: [0, 0, 0]
bodies:
  - {name: floor, type: fixed, position: [0, -0.5, 0], shapes: [{type: box, size: [4, 1, 4]}]}
  - {name: arm, type: rigid, mass: 2, position: [0.5, 2, 0], inertia: [1, 1, 1]}
  - {name: ball, type: rigid, mass: 3, position: [1, 0.1, 0], shapes: [{type: sphere, radius: 0.1}]}
joints:
  - {name: hip, type: revolute, between: [world, arm], point: [0, 2, 0]}
measures:
  - {name: reach, type: length, between: [arm, ball]}
motors:
  - {name: drive, type: force, joint: hip, law: 1, signal: torque}
forces:
  - {name: press, type: applied, body: ball, force: [0, -1, 0], signal: weight}
)";

TEST(Simulation, NamesBecomeHandles) {
  const Scene scene = parse_scene(k_arm);
  Simulation s(scene);
  EXPECT_EQ(s.find_body("arm"), scene.body("arm"));
  EXPECT_EQ(s.find_body("world"), k_world_body);
  EXPECT_EQ(s.body(s.find_body("ball")).position(), Vector3(1, 0.1, 0));
  EXPECT_EQ(s.body(k_world_body).velocity(), Vector3(0, 0, 0));
  EXPECT_EQ(s.joint(s.find_joint("hip")).angle(), 0);
  EXPECT_NEAR(s.joint(s.find_joint("reach")).slide(), std::hypot(0.5, 1.9), 1e-15);
  EXPECT_EQ(message_of([&] { s.find_body("bal"); }), "there is no body 'bal'; did you mean 'ball'?");
  EXPECT_EQ(message_of([&] { scene.body("floo"); }), "there is no body 'floo'; did you mean 'floor'?");
  EXPECT_EQ(message_of([&] { s.find_joint("hit"); }), "there is no joint 'hit'; did you mean 'hip'?");
  EXPECT_EQ(message_of([&] { s.find_signal("torqe"); }),
            "there is no signal 'torqe'; did you mean 'torque'?");
  EXPECT_EQ(message_of([&] { s.joint(s.find_joint("hip")).slide(); }), "joint 'hip' has no slide");
  EXPECT_EQ(message_of([&] { s.joint(s.find_joint("reach")).force(); }),
            "'reach' is a measure, which has no force");
}

// A constant torque turns the arm about its end: θ = ½ τ/J t², J = 1 + 2 · 0.5². The joint carries the centripetal force.
TEST(Simulation, SignalsDriveMotorsAndForces) {
  Simulation s(parse_scene(k_arm));
  EXPECT_EQ(s.signals().size(), 2);
  s.signals().set("torque", 3);
  const BodyHandle ball = s.find_body("ball"), floor = s.find_body("floor");
  s.signals().set("weight", 30);
  ASSERT_TRUE(s.run_until(0.5));
  const JointHandle hip = s.find_joint("hip");
  const double acceleration = 3 / 1.5;
  // Order 2: (rate · step)² = 1e-6 of the motion.
  EXPECT_NEAR(s.joint(hip).angle(), 0.5 * acceleration * 0.25, 1e-6);
  EXPECT_NEAR(s.joint(hip).rate(), acceleration * 0.5, 1e-6);
  // On the arm: m (−ω² r, α r) along and across it.
  EXPECT_NEAR(s.joint(hip).force().norm(), 2 * 0.5 * std::hypot(1.0, acceleration), 1e-3);
  EXPECT_NEAR(s.contact_force(ball, floor).y(), 30, 1e-9);
  EXPECT_NEAR(s.contact_force(floor, ball).y(), -30, 1e-9);
  EXPECT_EQ(s.contact_force(ball, s.find_body("arm")).norm(), 0);
  ASSERT_EQ(s.contacts().size(), 1u);
  const ContactView& contact = s.contacts()[0];
  EXPECT_EQ(contact.status, ContactStatus::stick);
  EXPECT_NEAR(std::abs(contact.normal.y()), 1, 1e-12);
  EXPECT_NEAR(contact.point.x(), 1, 1e-9);
  EXPECT_NEAR(contact.gap, 0, 1e-12);
}

TEST(Simulation, NotKnownBeforeTheFirstStep) {
  Simulation s(parse_scene(k_arm));
  EXPECT_TRUE(std::isnan(s.joint(s.find_joint("hip")).force().x()));
  EXPECT_TRUE(s.contacts().empty());
  s.signals().set("weight", 30);
  s.step();
  EXPECT_FALSE(s.contacts().empty());
  EXPECT_FALSE(std::isnan(s.joint(s.find_joint("hip")).force().x()));
  s.set_state(Simulation(parse_scene(k_arm)).state());
  EXPECT_TRUE(s.contacts().empty());
}

TEST(Simulation, SignalsRefuseWhatIsNotFinite) {
  Simulation s(parse_scene(k_arm));
  EXPECT_EQ(message_of([&] { s.signals().set("torque", NAN); }),
            "signal 'torque' was set to nan; allowed: finite numbers");
}

// Inputs are constant over a step, and the controller sees the state before it.
TEST(Simulation, ControllersAreCalledBeforeEveryStep) {
  Simulation s(parse_scene(k_arm, "arm", {"stepper.step=0.25"}));
  std::vector<double> times;
  s.control([&](const Simulation& now, Signals& signals) {
    times.push_back(now.time());
    signals.set("torque", now.time() < 0.5 ? 3 : -3);
  });
  ASSERT_TRUE(s.run_until(1));
  EXPECT_EQ(times, (std::vector<double>{0, 0.25, 0.5, 0.75}));
  // Order 2: (rate · step)² = 0.06; a step with the wrong input would change it by 1.
  EXPECT_NEAR(s.joint(s.find_joint("hip")).rate(), 0, 0.06);
  EXPECT_EQ(s.signals().get("torque"), -3);
}

TEST(Simulation, SignalsAreSavedWithTheState) {
  const Scene scene = parse_scene(k_arm);
  const auto drive = [](const Simulation& now, Signals& signals) {
    if (now.time() < 0.1) signals.set("torque", 3);  // later steps live on what the state holds
  };
  Simulation whole(scene), first(scene), second(scene);
  whole.control(drive);
  first.control(drive);
  ASSERT_TRUE(whole.run_until(0.4));
  ASSERT_TRUE(first.run_until(0.2));
  std::stringstream file;
  save(first.state(), file);
  second.set_state(load_state(file, "memory"));
  EXPECT_EQ(second.signals().get("torque"), 3);
  ASSERT_TRUE(second.run_until(0.4));
  EXPECT_EQ(second.state().q, whole.state().q);
  EXPECT_EQ(second.state().v, whole.state().v);
}

// A velocity motor and a servo follow a signal that jumps.
TEST(Simulation, SignalsAsTargets) {
  const std::string speed = "motors=[{name: drive, type: velocity, joint: hip, law: 2, signal: torque}]";
  Simulation motor(parse_scene(k_arm, "arm", {speed}));
  motor.control(
      [](const Simulation& now, Signals& signals) { signals.set("torque", now.time() < 0.1 ? 1 : 2); });
  ASSERT_TRUE(motor.run_until(0.2));
  EXPECT_NEAR(motor.joint(motor.find_joint("hip")).rate(), 4, 1e-9);
  const std::string place =
      "motors=[{name: drive, type: servo, joint: hip, law: 1, stiffness: 600, damping: 60, signal: torque}]";
  Simulation servo(parse_scene(k_arm, "arm", {place}));
  servo.signals().set("torque", 0.3);
  ASSERT_TRUE(servo.run_until(2));
  EXPECT_NEAR(servo.joint(servo.find_joint("hip")).angle(), 0.3, 1e-6);
  const std::string rigid = "motors=[{name: drive, type: position, joint: hip, law: 1, signal: torque}]";
  EXPECT_NE(message_of([&] { parse_scene(k_arm, "arm", {rigid}); }).find("unknown key 'signal'"),
            std::string::npos);
}

TEST(Simulation, ObserversAsObjectsAndFunctions) {
  struct Counter final : Observer {
    int calls = 0;
    bool after_step(const Simulation& /*simulation*/, const StepReport& /*report*/) override {
      return ++calls < 3;
    }
  };
  Simulation s(parse_scene(k_arm));
  const auto counter = std::make_shared<Counter>();
  int also = 0;
  s.observe(counter);
  s.observe([&](const Simulation&, const StepReport&) { ++also; });
  EXPECT_FALSE(s.run_until(1));
  EXPECT_EQ(counter->calls, 3);
  EXPECT_EQ(also, 3);
  s.step();
  EXPECT_EQ(counter->calls, 4);
}

// Pulls to the origin with k |x|², on a ball that floats.
class Pull final : public ForceElement {
 public:
  Pull(int body, bool knows, bool promises) : body_(body), knows_(knows), promises_(promises) {}
  std::string name() const override { return "pull"; }
  std::vector<int> bodies() const override { return {body_}; }
  void add_wrenches(double, std::span<const BodyKinematics> bodies,
                    std::span<Vector6> wrenches) const override {
    wrenches[0].head<3>() -= k_stiffness * bodies[0].x.norm() * bodies[0].x;
  }
  bool has_derivatives() const override { return knows_; }
  void add_derivatives(double, std::span<const BodyKinematics> bodies, Eigen::Ref<Matrix> by_q,
                       Eigen::Ref<Matrix>) const override {
    const Vector3& x = bodies[0].x;
    by_q.block<3, 3>(0, 0) -= k_stiffness * (x.norm() * Matrix3::Identity() + x * x.transpose() / x.norm());
  }
  bool symmetric_derivatives() const override { return promises_; }

 private:
  static constexpr double k_stiffness = 50;
  int body_;
  bool knows_, promises_;
};

ForceJacobians jacobians_with(bool knows, bool promises) {
  Scene scene = parse_scene("{delassus: 1, bodies: [{name: p, mass: 1, position: [1, 2, 3]}]}");
  scene.desc.elements.push_back(std::make_shared<Pull>(scene.body("p").index(), knows, promises));
  const Simulation s(scene);
  ForceJacobians out;
  s.system().force_jacobians(0, s.state().q, s.state().v, out);
  return out;
}

TEST(Simulation, ForceElementsWithDerivativesOfTheirOwn) {
  const ForceJacobians exact = jacobians_with(true, true), differences = jacobians_with(false, true),
                       plain = jacobians_with(false, false);
  const auto dense = [](const BlockMatrix& A) {
    Matrix out;
    A.to_dense(out);
    return out;
  };
  const Vector3 x(1, 2, 3);
  const Matrix3 stiffness = -50 * (x.norm() * Matrix3::Identity() + x * x.transpose() / x.norm());
  EXPECT_TRUE(dense(exact.k_q).isApprox(stiffness, 1e-15));
  EXPECT_TRUE(dense(differences.k_q).isApprox(stiffness, 1e-8));
  EXPECT_EQ(dense(differences.k_q), Matrix(dense(differences.k_q).transpose()));
  EXPECT_TRUE(exact.symmetric);
  EXPECT_TRUE(differences.symmetric);
  EXPECT_FALSE(plain.symmetric);
}

// Counts the calls it passes on.
class Counting final : public Solver {
 public:
  explicit Counting(int& calls) : solver_(make_solver({})), calls_(calls) {}
  std::string name() const override { return "counting"; }
  SolverCapabilities capabilities() const override { return solver_->capabilities(); }
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override {
    ++calls_;
    solver_->solve(problem, warm, solution, stats);
  }

 private:
  std::unique_ptr<Solver> solver_;
  int& calls_;
};

// Moves freely, along straight lines.
class Drift final : public Stepper {
 public:
  std::string name() const override { return "drift"; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override {
    report.clear();
    Vector q;
    system.retract(state.q, (request.t_end - state.t) * state.v, q);
    report.t_begin = state.t;
    report.t_end = state.t = request.t_end;
    state.q = q;
    ++state.history.num_steps;
  }
};

TEST(Simulation, SolversAndSteppersOfOnesOwn) {
  const Scene scene = load_scene("bouncing_ball", {"duration=0.6"});
  int calls = 0;
  Simulation own(scene, {.solver = std::make_unique<Counting>(calls)}), usual(scene);
  ASSERT_TRUE(own.run_until(0.6) && usual.run_until(0.6));
  EXPECT_GT(calls, 0);
  EXPECT_EQ(own.solver_name(), "counting");
  EXPECT_EQ(own.state().q, usual.state().q);

  Simulation drift(parse_scene("{delassus: 1, bodies: [{name: p, mass: 1, velocity: [1, 2, 3]}]}"),
                   {.stepper = std::make_unique<Drift>()});
  ASSERT_TRUE(drift.run_until(1));
  EXPECT_EQ(drift.stepper_name(), "drift");
  EXPECT_TRUE(drift.body(drift.find_body("p")).position().isApprox(Vector3(1, 2, 3), 1e-12));
}

TEST(RunFiles, RecordingSummaryPageOfAnySteps) {
  const std::string directory = ::testing::TempDir() + "run_files";
  // Frames each 7th step: the last one, too.
  const Scene scene = parse_scene(k_arm, "arm", {"output.every=7", "stepper.step=0.01"});
  Simulation s(scene);
  s.signals().set("torque", 3);
  RunFiles files(directory, scene, s);
  for (int i = 0; i < 10; ++i) s.step();
  files.finish(s);
  files.write_page();
  const Recording recording = read_recording(directory);
  EXPECT_EQ(recording.status, "completed");
  EXPECT_EQ(recording.step, (std::vector<std::int64_t>{0, 7, 10}));
  EXPECT_EQ(files.summary().steps, 10u);
  EXPECT_EQ(recording.coordinate_names.back(), "weight");
  EXPECT_EQ(recording.q(recording.q.rows() - 2, 1), 3);
  EXPECT_NE(read_file(directory + "/report.html").find("const DATA = "), std::string::npos);
  write_page(recording, scene.desc, directory + "/again.html");
  EXPECT_TRUE(std::filesystem::exists(directory + "/again.html"));
  EXPECT_TRUE(std::filesystem::exists(directory + "/summary.json"));
  EXPECT_EQ(load_state_file(directory + "/state.txt").q, s.state().q);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace delassus::simulation_test
