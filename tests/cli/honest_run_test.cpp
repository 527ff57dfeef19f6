// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that must not look better than they are: starts that cannot be, steps that are too large, results that would be
// overwritten or lost.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../support/program.hpp"
#include "delassus/recorder/recording.hpp"
#include "delassus/system/state.hpp"

namespace delassus::honest_run_test {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::ProgramTest;

// A four-bar linkage with its rocker 1.16 rad beyond a stop: the guess of the scene closes on the other branch.
const char* const k_fourbar = R"(delassus: 1
name: fourbar
constants: {a: 0.1, b: 0.3, c: 0.2, d: 0.3}
duration: 0.05
bodies:
  - {name: crank, type: rigid, mass: 0.2, position: [0, a/2, 0], rotation: [0, 0, pi/2], shapes: [{type: box, size: [a, 0.02, 0.01]}]}
  - {name: coupler, type: rigid, mass: 0.4, position: [0.15, 0.15, 0], rotation: [0, 0, 0.3], shapes: [{type: box, size: [b, 0.02, 0.01]}]}
  - {name: rocker, type: rigid, mass: 0.3, position: [0.3, 0.1, 0], rotation: [0, 0, pi/2], shapes: [{type: box, size: [c, 0.02, 0.01]}]}
joints:
  - {name: A, type: revolute, between: [world, crank], point_a: [0, 0, 0], point_b: [-a/2, 0, 0]}
  - {name: B, type: revolute, between: [crank, coupler], point_a: [a/2, 0, 0], point_b: [-b/2, 0, 0]}
  - {name: C, type: revolute, between: [coupler, rocker], point_a: [b/2, 0, 0], point_b: [c/2, 0, 0]}
  - {name: D, type: revolute, between: [world, rocker], point_a: [d, 0, 0], point_b: [-c/2, 0, 0]}
forces:
  - {name: return, type: spring, between: [world, rocker], anchor: [0.5, 0.2, 0], point_b: [c/2, 0, 0], stiffness: 200, rest_length: 0.12, damping: 1}
limits:
  - {name: stop, joint: D, lower: 1.2, upper: 1.75, restitution: 0.3}
contact: {enabled: false}
)";

const char* const k_ball = R"(delassus: 1
name: ball
duration: 1
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 1, 0], velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0.4, restitution: 0.5}
)";

class HonestRunTest : public ProgramTest {
 protected:
  static bool contains(const std::string& text, const std::string& piece) {
    return text.find(piece) != std::string::npos;
  }
  json summary(const std::string& out) const { return json::parse(read(out + "/summary.json")); }
  void wait_for(const std::string& name) const {
    for (int i = 0; i < 20'000 && !exists(name); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
};

TEST_F(HonestRunTest, StartBeyondAStopIsRefusedWithTheWordsOfCheck) {
  write("fourbar.yaml", k_fourbar);
  const ProgramResult check = run({"check", "fourbar.yaml"});
  EXPECT_EQ(check.status, 1);
  const std::string words = "is passed by 1.16 rad at the start";
  EXPECT_TRUE(contains(check.out, "problem: stop 'stop.lower' " + words)) << check.out;
  const ProgramResult refused = run({"run", "fourbar.yaml", "--out", "out"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, words)) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--start resolve")) << refused.err;
  EXPECT_FALSE(exists("out"));

  // The rocker cannot turn so far, but it can turn to 0.5 rad.
  const ProgramResult never = run({"run", "fourbar.yaml", "--start", "resolve"});
  EXPECT_EQ(never.status, 2);
  EXPECT_TRUE(contains(never.err, "cannot be resolved: contact 'stop.lower'")) << never.err;
  const ProgramResult resolved = run(
      {"run", "fourbar.yaml", "--out", "resolved", "--start", "resolve", "--set", "limits.stop.lower=0.5"});
  EXPECT_EQ(resolved.status, 0) << resolved.err;
  EXPECT_TRUE(contains(resolved.out, "the start was moved")) << resolved.out;
  EXPECT_EQ(summary("resolved")["warning_kinds"].count("start"), 0u);
  EXPECT_LT(summary("resolved")["worst"]["stop_excess"], 1e-6);

  const ProgramResult accepted = run({"run", "fourbar.yaml", "--out", "accepted", "--start", "accept"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_EQ(summary("accepted")["warning_kinds"]["start"], 1);
  EXPECT_GE(summary("accepted")["num_warnings"], 1);
  EXPECT_TRUE(contains(accepted.out, "1 start")) << accepted.out;
  // The page says so beside its title.
  EXPECT_TRUE(contains(read("accepted/report.html"), words));
  EXPECT_TRUE(contains(read("accepted/report.html"), "\"warnings\":"));
  EXPECT_EQ(run({"run", "fourbar.yaml", "--start", "perhaps"}).status, 2);
}

TEST_F(HonestRunTest, TooLargeStepsDoNotPass) {
  struct Case {
    const char *scene, *step, *kind;
  };
  for (const Case& c : {Case{"bricard", "0.1", "step halved"}, Case{"rover", "0.03", "energy gained"},
                        Case{"spring_chain", "0.1", "step halved"}}) {
    SCOPED_TRACE(c.scene);
    const ProgramResult result = run({"run", c.scene, "--step", c.step, "--out", c.scene, "--no-report"});
    const json s = summary(c.scene);
    if (result.status == 0) {
      EXPECT_GE(s["warning_kinds"].count(c.kind), 1u) << s["warning_kinds"];
      EXPECT_LT(s["worst"]["residual"], 1e-3);
      // What has sunk in by more than a millimetre is told of.
      EXPECT_TRUE(s["worst"]["penetration"] < 1e-3 || s["warning_kinds"].count("penetration") == 1)
          << s["worst"] << s["warning_kinds"];
    } else {
      EXPECT_EQ(result.status, 3) << result.err;
    }
  }
  // With its own step each is fine.
  for (const char* scene : {"bricard", "spring_chain"}) {
    EXPECT_EQ(run({"run", scene, "--duration", "0.3", "--out", "fine", "--no-report"}).status, 0);
    EXPECT_EQ(summary("fine")["num_warnings"], 0) << scene << summary("fine")["warnings"];
  }
}

TEST_F(HonestRunTest, ResumedRunsLeaveTheFirstPartAlone) {
  write("ball.yaml", k_ball);
  ASSERT_EQ(run({"run", "ball.yaml", "--duration", "0.5", "--no-report", "--quiet"}).status, 0);
  const std::string first = read("out/ball/recording.h5");
  const ProgramResult rest = run({"run", "ball.yaml", "--resume", "out/ball/state.txt", "--no-report"});
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(contains(rest.out, "out/ball_from_0.5")) << rest.out;
  EXPECT_FALSE(contains(rest.out, "other steps")) << rest.out;
  EXPECT_EQ(read("out/ball/recording.h5"), first);
  ASSERT_TRUE(exists("out/ball_from_0.5/recording.h5"));
  for (const char* out : {"out/ball", "./out/../out/ball/"}) {
    const ProgramResult same = run({"run", "ball.yaml", "--resume", "out/ball/state.txt", "--out", out});
    EXPECT_EQ(same.status, 2);
    EXPECT_TRUE(contains(same.err, "would be overwritten")) << same.err;
  }
  EXPECT_EQ(read("out/ball/recording.h5"), first);
}

TEST_F(HonestRunTest, OldResultsDoNotMixWithNewOnes) {
  write("ball.yaml", k_ball);
  ASSERT_EQ(
      run({"run", "ball.yaml", "--duration", "0.3", "--checkpoint-every", "0.1", "--csv", "--quiet"}).status,
      0);
  ASSERT_TRUE(exists("out/ball/state_0.100000.txt") && exists("out/ball/bodies.csv"));
  write("out/ball/notes.txt", "mine");
  ASSERT_EQ(run({"run", "ball.yaml", "--duration", "0.05", "--no-report", "--quiet"}).status, 0);
  EXPECT_EQ(entries(), (std::vector<std::string>{"ball.yaml", "out", "out/ball", "out/ball/notes.txt",
                                                 "out/ball/recording.h5", "out/ball/state.txt",
                                                 "out/ball/summary.json"}));
}

TEST_F(HonestRunTest, OneRunAtATimeInAFolder) {
  write("ball.yaml", k_ball);
  const pid_t pid = start({"run", "ball.yaml", "--step", "1e-7", "--out", "out", "--quiet", "--no-report"});
  wait_for("out/recording.h5.part");
  const ProgramResult second = run({"run", "ball.yaml", "--out", "out", "--quiet", "--no-report"});
  EXPECT_EQ(second.status, 2);
  EXPECT_TRUE(contains(second.err, "another run is writing to out")) << second.err;
  send(pid, SIGKILL);
  finish(pid);
  // A run that was killed holds nothing.
  EXPECT_EQ(run({"run", "ball.yaml", "--out", "out", "--quiet", "--no-report"}).status, 0);
}

TEST_F(HonestRunTest, CheckpointsOfShortStepsHaveNamesOfTheirOwn) {
  write("ball.yaml", k_ball);
  ASSERT_EQ(run({"run", "ball.yaml", "--step", "1e-8", "--duration", "1e-6", "--checkpoint-every", "1e-7",
                 "--out", "out", "--quiet", "--no-report"})
                .status,
            0);
  int states = 0;
  for (const std::string& name : entries()) states += contains(name, "/state_") ? 1 : 0;
  EXPECT_EQ(states, 10);
}

TEST_F(HonestRunTest, AStateBetweenGridPointsIsToldOf) {
  write("ball.yaml", k_ball);
  ASSERT_EQ(
      run({"run", "ball.yaml", "--duration", "0.0105", "--out", "half", "--quiet", "--no-report"}).status, 0);
  const ProgramResult rest = run({"run", "ball.yaml", "--duration", "0.02", "--resume", "half/state.txt",
                                  "--out", "rest", "--no-report"});
  EXPECT_EQ(rest.status, 0);
  EXPECT_TRUE(contains(rest.out, "not with the bits of a run without a stop")) << rest.out;
  EXPECT_EQ(summary("rest")["notes"].size(), 1u);
}

// One step of a second, with thousands of bounces in it: a signal does not wait for its end, and the state before it is
// kept; further signals lose nothing.
TEST_F(HonestRunTest, SignalsEndAStep) {
  write("slow.yaml", R"(delassus: 1
name: slow
duration: 20000
bodies:
  - {name: box, type: fixed, shapes: [{type: plane}]}
  - {name: lid, type: fixed, position: [0, 0.3, 0], shapes: [{type: box, size: [100, 0.02, 100]}]}
  - {name: ball, type: rigid, mass: 1, position: [0, 0.15, 0], velocity: [0, 300, 0], shapes: [{type: sphere, radius: 0.1}]}
contact: {friction: 0, restitution: 1}
stepper: {name: trapezoidal-2, step: 10000, max_events: 1000000}
)");
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string out = "out" + std::to_string(signal);
    const pid_t pid = start({"run", "slow.yaml", "--out", out});
    wait_for(out + "/recording.h5.part");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    send(pid, signal);
    send(pid, signal);
    const ProgramResult result = finish(pid);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_TRUE(contains(result.err, "interrupted")) << result.err;
    EXPECT_EQ(summary(out)["status"], "interrupted");
    EXPECT_EQ(load_state_file(path(out + "/state.txt")).t, 0);
    EXPECT_TRUE(read_recording(path(out)).complete);
    EXPECT_FALSE(exists(out + "/reserve.part"));
  }
}

// A second signal that comes while the files are written: those that are begun become whole, and all that cannot be
// computed again is there.
TEST_F(HonestRunTest, SignalsWhileFilesAreWrittenLoseNothing) {
  write("ball.yaml", k_ball);
  for (const bool tables : {true, false}) {
    SCOPED_TRACE(tables ? "tables" : "page");
    const std::string out = tables ? "tables" : "page";
    std::vector<std::string> arguments{"run",   "ball.yaml",         "--step", "1e-5", "--duration", "1000",
                                       "--set", "output={every: 1}", "--out",  out};
    if (tables) arguments.emplace_back("--csv");
    const pid_t pid = start(arguments);
    wait_for(out + "/recording.h5.part");
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    send(pid, SIGTERM);
    // From now on tables and page are made of the recording.
    wait_for(out + "/summary.json");
    send(pid, SIGTERM);
    const ProgramResult result = finish(pid);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(summary(out)["status"], "interrupted");
    const Recording recording = read_recording(path(out));
    EXPECT_TRUE(recording.complete);
    ASSERT_GT(recording.num_frames(), 100);
    EXPECT_EQ(recording.time.back(), summary(out)["time"]);
    EXPECT_EQ(load_state_file(path(out + "/state.txt")).t, recording.time.back());
    for (const std::string& name : entries()) EXPECT_FALSE(name.ends_with(".part")) << name;
    // Whether the page was begun before the second signal is a matter of luck; half of one there is not.
    EXPECT_EQ(contains(result.out, "report.html"), exists(out + "/report.html")) << result.out;
    if (exists(out + "/report.html")) {
      EXPECT_TRUE(contains(read(out + "/report.html"), "</html>"));
    }
    EXPECT_EQ(contains(result.out, "*.csv"), exists(out + "/bodies.csv")) << result.out;
    if (exists(out + "/bodies.csv")) {
      EXPECT_EQ(static_cast<int>(read_lines(out + "/bodies.csv").size()), 1 + recording.num_frames() * 2);
    }
  }
}

// A ball that flies to and fro between two walls more often than a step may have events.
TEST_F(HonestRunTest, TooManyEventsInAStepAreToldOf) {
  write("rattle.yaml", R"(delassus: 1
name: rattle
duration: 0.02
gravity: [0, 0, 0]
bodies:
  - {name: left, type: fixed, position: [-0.5, 0, 0], shapes: [{type: box, size: [0.8, 1, 1]}]}
  - {name: right, type: fixed, position: [0.5, 0, 0], shapes: [{type: box, size: [0.8, 1, 1]}]}
  - {name: ball, type: rigid, mass: 1, velocity: [30, 0, 0], shapes: [{type: sphere, radius: 0.09}]}
contact: {friction: 0, restitution: 1}
stepper: {name: trapezoidal-2, step: 0.01, max_events: 6}
)");
  // 0.01 m to the first wall, 0.02 m between them, 0.3 m a step: 15 events in each, up to six of which are located.
  const ProgramResult result = run({"run", "rattle.yaml", "--out", "out"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json s = summary("out");
  EXPECT_EQ(s["warning_kinds"]["events captured"], 2) << s["warning_kinds"];
  EXPECT_GE(s["num_warnings"], 2);
  // The first event comes after 1/3 ms at the right wall, the others each 2/3 ms: the seventh at that wall again.
  EXPECT_TRUE(
      contains(result.err, "t = 0.00433333333 s: more than 6 events in a step (the last at contact 'right "))
      << result.err;
  EXPECT_TRUE(contains(result.err, "captured, not located")) << result.err;
  EXPECT_TRUE(contains(result.out, "2 events captured")) << result.out;
  const Recording recording = read_recording(path("out"));
  EXPECT_EQ(std::count_if(recording.events.begin(), recording.events.end(),
                          [](const Event& event) { return event.kind == EventKind::zeno; }),
            2);
  // With room for all of them nothing is to be told.
  const ProgramResult enough =
      run({"run", "rattle.yaml", "--out", "enough", "--no-report", "--set", "stepper.max_events=20"});
  ASSERT_EQ(enough.status, 0) << enough.err;
  EXPECT_EQ(summary("enough")["num_warnings"], 0) << summary("enough")["warnings"];
  EXPECT_EQ(summary("enough")["events"], 30);
}

// A run that chooses its stepper says why, on the screen and in its summary.
TEST_F(HonestRunTest, TheChoiceOfAStepperHasAReason) {
  const auto balls = [](int n, const std::string& more) {
    std::string scene =
        "delassus: 1\nname: balls\nduration: 0.002\ngravity: [0, 0, 0]\n" + more + "bodies:\n";
    for (int i = 0; i < n; ++i)
      scene += "  - {name: b" + std::to_string(i) + ", type: rigid, mass: 1, position: [" +
               std::to_string(i) + ", 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n";
    return scene;
  };
  struct Case {
    std::string scene;
    const char *stepper, *reason;
  };
  const std::vector<Case> cases{
      {balls(3, "contact: {enabled: false}\n"), "generalized-alpha", "chosen because nothing can touch"},
      // The same for few and for many bodies: what to locate is decided island by island.
      {balls(4, ""), "trapezoidal-2", "chosen because there are contacts, stops or dry friction"},
      {balls(60, ""), "trapezoidal-2",
       "chosen because there are contacts, stops or dry friction; events are located, those of more than 16 "
       "contacts "
       "at once captured"},
      // A small error of few bodies is cheaper by a method of high order, of many it is not.
      {balls(4, "stepper: {tolerance: 1e-7}\n"), "event-capturing-rk", "chosen because there are few bodies"},
      {balls(4, "stepper: {tolerance: 1e-4}\n"), "trapezoidal-2", "chosen because there are contacts"},
      {balls(12, "stepper: {tolerance: 1e-7}\n"), "trapezoidal-2", "chosen because there are contacts"},
      {balls(4, "stepper: {tolerance: 1e-7}\nlaw: {name: coulomb-polyhedral}\n"), "trapezoidal-2",
       "chosen because there are contacts"},
      {balls(3, "contact: {enabled: false}\nstepper: {tolerance: 1e-7}\n"), "dopri5",
       "chosen because nothing can touch"},
      {balls(3,
             "contact: {enabled: false}\nstepper: {tolerance: 1e-7}\nforces: [{type: spring, name: s, "
             "between: [b0, b1], stiffness: 1, rest_length: 1}]\n"),
       "radau-5", "chosen because nothing can touch"},
      {balls(4, "stepper: {name: moreau-jean}\n"), "moreau-jean", "as the scene asks"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.reason);
    write("balls.yaml", c.scene);
    const ProgramResult result = run({"run", "balls.yaml", "--out", "out", "--no-report"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, std::string("stepper ") + c.stepper + ", " + c.reason)) << result.out;
    EXPECT_EQ(summary("out")["stepper"], c.stepper);
    EXPECT_TRUE(contains(summary("out")["stepper_reason"], c.reason)) << summary("out")["stepper_reason"];
  }
}

// No more room for the recording: the state is saved all the same.
TEST_F(HonestRunTest, FullDisksLeaveTheState) {
  write("ball.yaml", k_ball);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 300'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const pid_t pid = start({"run", "ball.yaml", "--step", "1e-5", "--out", "out", "--quiet", "--no-report"});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  const ProgramResult result = finish(pid);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "cannot write")) << result.err;
  EXPECT_TRUE(contains(result.err, "is in out/state.txt")) << result.err;
  EXPECT_GT(load_state_file(path("out/state.txt")).t, 0);
}

// The default recording of many bodies for long is thinned, and says so; all events are there.
TEST_F(HonestRunTest, DefaultRecordingsAreBounded) {
  std::string scene = "delassus: 1\nname: many\nduration: 100\ngravity: [0, 0, 0]\nbodies:\n";
  for (int i = 0; i < 60; ++i)
    scene += "  - {name: p" + std::to_string(i) + ", type: rigid, mass: 1, position: [" + std::to_string(i) +
             ", 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n";
  write("many.yaml", scene);
  const pid_t pid = start({"run", "many.yaml", "--no-report", "--out", "out"});
  wait_for("out/recording.h5.part");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  send(pid, SIGINT);
  const ProgramResult result = finish(pid);
  EXPECT_TRUE(contains(result.out, "events are all recorded")) << result.out;
  ASSERT_EQ(summary("out")["notes"].size(), 1u);
  // A short run of the same is recorded in full.
  const ProgramResult brief =
      run({"run", "many.yaml", "--duration", "0.01", "--no-report", "--out", "brief"});
  EXPECT_EQ(summary("brief")["notes"].size(), 0u);
  EXPECT_EQ(read_recording(path("brief")).num_frames(), 11);
}

// What shares its load only on the way is listed too: a box that falls onto its four corners, and a ball together with a joint that
// keeps it in a plane. A ball alone shares with nothing.
TEST_F(HonestRunTest, ReactionsThatAreNotUniqueOnTheWayAreListed) {
  struct Case {
    const char *shape, *joints;
    json expected;
  };
  const char* const planar =
      "joints: [{name: rail, type: planar, between: [world, body], point: [0, 0.105, 0], axis: [0, 0, 1]}]";
  for (const Case& c : {Case{"{type: box, size: [0.4, 0.2, 0.3]}", "", json::array({"body on ground"})},
                        Case{"{type: sphere, radius: 0.1}", planar, json::array({"rail", "body on ground"})},
                        Case{"{type: sphere, radius: 0.1}", "", json::array()}}) {
    SCOPED_TRACE(std::string(c.shape) + c.joints);
    write("drop.yaml", std::string(R"(delassus: 1
name: drop
duration: 0.06
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: body, type: rigid, mass: 1, position: [0, 0.105, 0], shapes: [)") +
                           c.shape + "]}\ncontact: {restitution: 0}\n" + c.joints + "\n");
    const ProgramResult result = run({"run", "drop.yaml", "--out", "out", "--quiet"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(summary("out")["reactions_not_unique"], c.expected);
    // The page has the same as a row of its table.
    const std::string page = read("out/report.html");
    EXPECT_EQ(contains(page, "reactions that are not unique"), !c.expected.empty());
    EXPECT_EQ(contains(page, "body on ground (least norm)"), !c.expected.empty());
  }
}

// Balls that bounce, for so long that a frame each step would make gigabytes: fewer frames are kept, but all events.
TEST_F(HonestRunTest, ThinnedRecordingsHaveAllEvents) {
  std::string scene =
      "delassus: 1\nname: bounce\nduration: 100\nbodies:\n"
      "  - {name: ground, type: fixed, shapes: [{type: plane}]}\n";
  for (int i = 0; i < 60; ++i)
    scene += "  - {name: p" + std::to_string(i) + ", type: rigid, mass: 1, position: [" + std::to_string(i) +
             ", " + std::to_string(0.11 + 0.002 * i) + ", 0], shapes: [{type: sphere, radius: 0.1}]}\n";
  write("bounce.yaml", scene + "contact: {friction: 0, restitution: 0.9}\n");
  const pid_t pid = start({"run", "bounce.yaml", "--no-report", "--out", "thin", "--quiet"});
  wait_for("thin/recording.h5.part");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  send(pid, SIGINT);
  finish(pid);
  const json s = summary("thin");
  ASSERT_EQ(s["notes"].size(), 1u);
  const Recording thin = read_recording(path("thin"));
  ASSERT_GT(thin.num_frames(), 2);
  // The first state, each n-th step, and the last one.
  const long steps = s["steps"], every = thin.step[1];
  EXPECT_TRUE(contains(s["notes"][0], "(each " + std::to_string(every) + " steps)")) << s["notes"];
  EXPECT_EQ(thin.num_frames(), 1 + (steps + every - 1) / every);
  // A ball takes 32 numbers a frame for its place and velocities alone: 1e5 steps would take 1.5 GB for 0.1 GB. With its
  // contacts it takes no more than three times that.
  EXPECT_GE(every, 16);
  EXPECT_LE(every, 48);

  const std::string end = std::to_string(s["time"].get<double>());
  const ProgramResult whole = run({"run", "bounce.yaml", "--no-report", "--out", "whole", "--quiet",
                                   "--duration", end, "--set", "output={every: 1}"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Recording all = read_recording(path("whole"));
  EXPECT_EQ(all.num_frames(), 1 + steps);
  EXPECT_EQ(thin.events.size(), s["events"]);
  ASSERT_EQ(thin.events.size(), all.events.size());
  ASSERT_GT(thin.events.size(), static_cast<std::size_t>(thin.num_frames()));
  for (std::size_t i = 0; i < all.events.size(); ++i) {
    EXPECT_EQ(thin.events[i].time, all.events[i].time);
    EXPECT_EQ(thin.events[i].contact, all.events[i].contact);
  }
}

}  // namespace
}  // namespace delassus::honest_run_test
