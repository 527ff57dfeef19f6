// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The program from outside: what it writes, prints and returns.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "delassus/front/load_scene.hpp"
#include "delassus/recorder/recording.hpp"
#include "delassus/simulation/simulation.hpp"
#include "tests/support/program.hpp"

namespace delassus::program_test {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::ProgramTest;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

// x(2) of the block under 8 cos t with μ = 0.8, by hand (Potra et al. 2006, Table 10.2).
constexpr double k_block_at_2 = 3.004348569726865226930;

// Two walls that close at t = 1 on a point between them.
const std::string k_squeeze = R"(delassus: 1
name: squeeze
duration: 2
lagrangian:
  coordinates: [x]
  position: [0.2]
  mass: [[1]]
  contacts:
    - {name: left, gap: x + 1 - t}
    - {name: right, gap: 1 - x - t}
  bodies: [{name: point, position: [x, 0, 0]}]
stepper: {name: trapezoidal-2, step: 0.01}
)";

class CliTest : public ProgramTest {
 protected:
  // Runs quietly into `out` and expects success.
  void run_well(const std::string& scene, const std::string& out, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"run", scene, "--out", out, "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "");
  }
  json read_json(const std::string& name) const { return json::parse(read(name)); }
  // Coordinates of the first body at the end of a run.
  double final_position(const std::string& out, int axis) const {
    return read_json(out + "/summary.json")["bodies"][0]["position"][axis];
  }
  double block_at_2(const std::string& out, const std::vector<std::string>& options) {
    std::vector<std::string> all{"--duration", "2", "--no-report"};
    all.insert(all.end(), options.begin(), options.end());
    run_well("block_on_table", out, all);
    return final_position(out, 0);
  }
  State load(const std::string& name) const { return delassus::load_state_file(path(name)); }
};

TEST_F(CliTest, AJamNamesWhatIsPressedAndKeepsTheLastGoodState) {
  const ProgramResult result = run({"run", "jam", "--out", "result", "--csv", "--no-report"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(contains(result.err, "jam: body 'plug' is pressed between")) << result.err;
  EXPECT_TRUE(contains(result.err, "'wall'") && contains(result.err, "'piston'")) << result.err;
  EXPECT_FALSE(contains(result.err, "'ground'")) << result.err;
  EXPECT_TRUE(contains(result.err, "no velocity satisfies them")) << result.err;
  // The plug is 0.2 m wide and 0.2 m before the wall, the piston 0.1 m before the plug, at 0.5 m/s.
  const State state = load("result/state.txt");
  EXPECT_NEAR(state.t, 0.6, 2e-3);
  EXPECT_NEAR(read_json("result/summary.json")["time"].get<double>(), state.t, 1e-12);
  EXPECT_NEAR(state.q[0], 0.2, 1e-3);
  EXPECT_TRUE(state.q.allFinite() && state.v.allFinite());
}

TEST_F(CliTest, CheckTellsOfContactsThatShareTheirLoad) {
  const ProgramResult box = run({"check", "box_on_plane"});
  EXPECT_EQ(box.status, 0);
  for (const char* text :
       {"4 closed at the start", "3 of 4 normals", "6 of 12 rows", "friction cone is pointed",
        "4 contacts of 'box' on 'ground' share their load in many ways"})
    EXPECT_TRUE(contains(box.out, text)) << text << "\n" << box.out;
}

TEST_F(CliTest, CheckWarnsOfWedges) {
  // A ball in a groove of half angle 30 degrees holds by friction above tan 30° = 0.577.
  const std::string groove = R"(delassus: 1
name: groove
bodies:
  - name: ball
    type: rigid
    density: 1000
    position: [0, 0.2, 0]
    shapes: [{type: sphere, radius: 0.1}]
  - name: left
    type: fixed
    shapes: [{type: plane, normal: [cos(pi/6), sin(pi/6), 0]}]
  - name: right
    type: fixed
    shapes: [{type: plane, normal: [-cos(pi/6), sin(pi/6), 0]}]
constants: {mu: 0.5}
contact: {friction: mu}
duration: 1
)";
  write("groove.yaml", groove);
  const ProgramResult loose = run({"check", "groove.yaml"});
  EXPECT_EQ(loose.status, 0);
  EXPECT_TRUE(contains(loose.out, "2 closed at the start") && contains(loose.out, "cone is pointed"))
      << loose.out;
  const ProgramResult wedged = run({"check", "groove.yaml", "--set", "constants.mu=0.6"});
  EXPECT_EQ(wedged.status, 0);  // a warning, no problem
  EXPECT_TRUE(contains(wedged.out, "warning: contacts are wedged by friction")) << wedged.out;
  EXPECT_TRUE(contains(wedged.out, "(50 %)")) << wedged.out;
}

TEST_F(CliTest, CompareShowsWhatTheLawsDiffer) {
  const ProgramResult result =
      run({"compare", "sliding_cube", "--laws", "coulomb,coulomb-convex", "--stepper", "moreau-jean",
           "--duration", "0.3", "--json", "laws.json", "--plot", "laws.svg"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto table = nlohmann::json::parse(read("laws.json"));
  ASSERT_EQ(table["rows"].size(), 2u);
  EXPECT_EQ(table["rows"][0]["name"], "coulomb");
  EXPECT_EQ(table["rows"][0]["difference_at_end"], 0.0);
  // The exact law keeps the cube on the ground; by the convex one it leaves with μ v / (1 + μ²) = 2.4 m/s.
  EXPECT_LT(table["rows"][0]["lift"].get<double>(), 1e-9);
  EXPECT_NEAR(table["rows"][1]["lift"].get<double>(), 2.4 * 2.4 / (2 * 9.81), 3e-3);
  EXPECT_TRUE(contains(read("laws.svg"), "<svg")) << "laws.svg";
  const ProgramResult wrong = run({"compare", "sliding_cube", "--laws", "coulomb,ice"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "--laws ice: unknown law 'ice'")) << wrong.err;
}

TEST_F(CliTest, DumpedProblemsCanBeSolved) {
  for (const std::string file : {"step.hdf5", "step.dat", "step.txt"}) {
    const ProgramResult dumped = run({"dump", "box_on_plane", "--time", "0.1", "--out", file});
    EXPECT_EQ(dumped.status, 0) << dumped.err;
    EXPECT_TRUE(contains(dumped.out, "4 contacts")) << dumped.out;
    const ProgramResult solved = run({"solve", file, "--tolerance", "1e-10"});
    EXPECT_EQ(solved.status, 0) << solved.out << solved.err;
  }
  const ProgramResult early = run({"dump", "box_on_plane", "--time", "-1", "--out", "early.txt"});
  EXPECT_EQ(early.status, 2);
  EXPECT_TRUE(contains(early.err, "--time -1")) << early.err;
}

TEST_F(CliTest, RunWritesWhatItSays) {
  const ProgramResult result = run({"run", "block_on_table", "--duration", "0.1", "--csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "block_on_table: completed at t = 0.1 s, 10 steps")) << result.out;
  EXPECT_TRUE(contains(result.out, "certificate: equations solved to")) << result.out;
  EXPECT_EQ(
      entries(),
      (std::vector<std::string>{
          "out", "out/block_on_table", "out/block_on_table/bodies.csv", "out/block_on_table/certificate.csv",
          "out/block_on_table/contacts.csv", "out/block_on_table/coordinates.csv",
          "out/block_on_table/energy.csv", "out/block_on_table/events.csv", "out/block_on_table/joints.csv",
          "out/block_on_table/pairs.csv", "out/block_on_table/reactions.csv",
          "out/block_on_table/recording.h5", "out/block_on_table/report.html", "out/block_on_table/state.txt",
          "out/block_on_table/summary.json", "out/block_on_table/wrenches.csv"}));
  const json summary = read_json("out/block_on_table/summary.json");
  EXPECT_EQ(summary["status"], "completed");
  EXPECT_EQ(summary["message"], "");
  EXPECT_EQ(summary["steps"], 10);
  EXPECT_EQ(summary["time"], 0.1);
  EXPECT_EQ(summary["stepper"], "trapezoidal-2");
  for (const char* key : {"residual", "joint_drift", "penetration", "energy_defect"})
    EXPECT_LT(summary["worst"][key], 1e-3) << key;
}

TEST_F(CliTest, ProfileTellsWhereTheTimeWent) {
  run_well("box_stack", "plain", {"--no-report", "--duration", "0.2"});
  EXPECT_TRUE(read_json("plain/summary.json")["profile"].is_null());
  const ProgramResult result =
      run({"run", "box_stack", "--profile", "--no-report", "--duration", "0.2", "--out", "profiled"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json summary = read_json("profiled/summary.json");
  double sum = 0;
  std::set<std::string> kinds;
  for (const json& part : summary["profile"]) {
    sum += part["seconds"].get<double>();
    kinds.insert(part["work"].get<std::string>());
    EXPECT_TRUE(contains(result.out, part["work"].get<std::string>())) << result.out;
  }
  EXPECT_LE(sum, summary["seconds"].get<double>());
  for (const char* kind : {"search of contacts", "elimination", "solver: newton", "certificate", "recording"})
    EXPECT_TRUE(kinds.count(kind)) << kind;
  // To look at a clock changes nothing.
  EXPECT_EQ(read("plain/state.txt"), read("profiled/state.txt"));
}

TEST_F(CliTest, NameOfASceneIsNoPath) {
  write("scene.yaml", "delassus: 1\nname: ../../evil\nduration: 0.01\nbodies: [{name: a, mass: 1}]\n");
  EXPECT_EQ(run({"run", "scene.yaml", "--quiet", "--no-report"}).status, 0);
  EXPECT_EQ(entries(), (std::vector<std::string>{"out", "out/_._.._evil", "out/_._.._evil/recording.h5",
                                                 "out/_._.._evil/state.txt", "out/_._.._evil/summary.json",
                                                 "scene.yaml"}));
}

TEST_F(CliTest, BodiesCsvHasTheBitsOfTheLibrary) {
  const std::vector<std::string> options{"--step", "2^-5",  "--duration",
                                         "2",      "--set", "stepper.detect_transitions=false"};
  for (const auto& [stepper, error] :
       {std::pair{"trapezoidal-2", 8.022932e-5}, std::pair{"trapezoidal-1", 5.196579e-5}}) {
    std::vector<std::string> all = options;
    all.insert(all.end(), {"--stepper", stepper, "--csv", "--no-report"});
    run_well("block_on_table", stepper, all);
    const std::vector<std::string> lines = read_lines(std::string(stepper) + "/bodies.csv");
    ASSERT_EQ(lines.size(), 66u);
    EXPECT_EQ(lines.front(), "t,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
    const std::vector<std::string> last = split(lines.back());
    EXPECT_NEAR(std::abs(std::stod(last[2]) - k_block_at_2), error, 1e-6 * error);

    const delassus::Scene scene = delassus::load_scene(
        "block_on_table", {"stepper.step=2^-5", "duration=2", "stepper.detect_transitions=false",
                           std::string("stepper.name=") + stepper});
    Simulation simulation(scene);
    ASSERT_TRUE(simulation.run_until(2));
    EXPECT_EQ(std::stod(last[0]), 2);
    EXPECT_EQ(last[1], "block");
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(std::stod(last[2 + i]), simulation.state().q[i]);
      EXPECT_EQ(std::stod(last[9 + i]), simulation.state().v[i]);
    }
    EXPECT_EQ(load(std::string(stepper) + "/state.txt"), simulation.state());
  }
}

TEST_F(CliTest, SettingsChangeTheResult) {
  const double free = 3 + 8 * (1 - std::cos(2.0));
  EXPECT_NEAR(block_at_2("as_it_is", {"--step", "1e-3"}), k_block_at_2, 1e-6);
  EXPECT_NEAR(block_at_2("no_friction", {"--step", "1e-3", "--set", "contacts.table.friction=0"}), free,
              1e-5);
  EXPECT_NEAR(block_at_2("law", {"--step", "1e-3", "--law", "frictionless"}), free, 1e-5);
  // The push of 8 N moves the block only if it exceeds μ m g: 7.848 N as it is.
  EXPECT_EQ(block_at_2("gravity", {"--set", "gravity=[0,-10.1,0]"}), 3);
  EXPECT_GT(block_at_2("less_gravity", {"--set", "gravity=[0,-5,0]"}), 3.1);
  EXPECT_EQ(block_at_2("mass", {"--set", "bodies.block.mass=1.1"}), 3);
  EXPECT_GT(block_at_2("less_mass", {"--set", "bodies[0].mass=0.5"}), 3.1);
  EXPECT_EQ(block_at_2("friction", {"--set", "contacts.table.friction=0.9"}), 3);
  EXPECT_EQ(block_at_2("constant", {"--set", "constants.F=7.8"}), 3);
  const json summary = read_json("constant/summary.json");
  EXPECT_EQ(summary["settings"], (json{"duration=2", "constants.F=7.8"}));
}

TEST_F(CliTest, SweepRunsAllCombinations) {
  const ProgramResult result =
      run({"run", "block_on_table", "--duration", "2", "--no-report", "--out", "sweep", "--sweep",
           "contacts.table.friction=0,0.8,0.9", "--sweep", "gravity=[0,-9.81,0],[0,-5,0]"});
  EXPECT_EQ(result.status, 0) << result.err;
  const json table = read_json("sweep/sweep.json");
  ASSERT_EQ(table.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    const std::string directory = "sweep/00" + std::to_string(i);
    EXPECT_EQ(table[i]["directory"], directory);
    EXPECT_TRUE(exists(directory + "/recording.h5"));
    const json summary = read_json(directory + "/summary.json");
    EXPECT_EQ(summary["bodies"], table[i]["bodies"]);
    EXPECT_EQ(summary["status"], "completed");
  }
  EXPECT_FALSE(exists("sweep/006"));
  EXPECT_EQ(table[1]["sweep"], (json{"contacts.table.friction=0", "gravity=[0,-5,0]"}));
  EXPECT_EQ(table[4]["sweep"], (json{"contacts.table.friction=0.9", "gravity=[0,-9.81,0]"}));
  const auto x = [&](int i) { return table[i]["bodies"][0]["position"][0].get<double>(); };
  EXPECT_EQ(x(4), 3);     // sticks
  EXPECT_GT(x(5), 3.1);   // does not under less gravity
  EXPECT_GT(x(3), x(2));  // less friction, further
  EXPECT_EQ(x(0), x(1));  // without friction gravity does not matter
}

TEST_F(CliTest, ResumedRunHasTheSameBits) {
  for (const std::string scene : {"spring_chain", "bouncing_ball", "rotating_ball", "double_pendulum_wall"}) {
    SCOPED_TRACE(scene);
    const std::vector<std::string> options{"--duration", "1.05", "--csv", "--no-report"};
    std::vector<std::string> first = options, second = options;
    first.insert(first.end(), {"--checkpoint-every", "0.5"});
    run_well(scene, scene + "/whole", first);
    ASSERT_TRUE(exists(scene + "/whole/state_0.500000.txt"));
    ASSERT_TRUE(exists(scene + "/whole/state_1.000000.txt"));
    second.insert(second.end(), {"--resume", scene + "/whole/state_0.500000.txt"});
    run_well(scene, scene + "/resumed", second);
    EXPECT_EQ(read(scene + "/resumed/state.txt"), read(scene + "/whole/state.txt"));
    for (const char* table : {"/bodies.csv", "/coordinates.csv", "/energy.csv"}) {
      const std::vector<std::string> whole = read_lines(scene + "/whole" + table),
                                     resumed = read_lines(scene + "/resumed" + table);
      ASSERT_GT(resumed.size(), 100u);
      ASSERT_GT(whole.size(), resumed.size());
      // All but the header; the first frame of the resumed run is the state it started from.
      EXPECT_TRUE(std::equal(resumed.begin() + 1, resumed.end(),
                             whole.end() - static_cast<std::ptrdiff_t>(resumed.size() - 1)))
          << table;
    }
  }
}

TEST_F(CliTest, KilledRunLeavesAReadableRecording) {
  const pid_t pid = start({"run", "bouncing_ball", "--step", "1e-6", "--out", "result", "--quiet"});
  // Until something of the run is in the file.
  int frames = 0;
  for (int i = 0; i < 20'000 && frames < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    try {
      frames = delassus::read_recording(path("result")).num_frames();
    } catch (const std::exception&) {
      // not there yet
    }
  }
  EXPECT_GE(frames, 2);
  send(pid, SIGKILL);
  EXPECT_EQ(finish(pid).signal, SIGKILL);
  const Recording recording = delassus::read_recording(path("result"));
  EXPECT_FALSE(recording.complete);
  EXPECT_GE(recording.num_frames(), frames);
  EXPECT_EQ(recording.body_names, std::vector<std::string>{"ball"});
  for (int f = 1; f < recording.num_frames(); ++f) ASSERT_GT(recording.time[f], recording.time[f - 1]);
  EXPECT_FALSE(exists("result/summary.json"));
}

TEST_F(CliTest, InterruptedRunSavesItsState) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = signal == SIGINT ? "int" : "term";
    const pid_t pid = start({"run", "bouncing_ball", "--step", "1e-6", "--out", out, "--no-report"});
    for (int i = 0; i < 20'000 && !exists(out + "/recording.h5.part"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    send(pid, signal);
    const ProgramResult result = finish(pid);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_TRUE(contains(result.err, "interrupted")) << result.err;
    EXPECT_TRUE(contains(result.err, out + "/state.txt")) << result.err;
    const json summary = read_json(out + "/summary.json");
    EXPECT_EQ(summary["status"], "interrupted");
    const State state = load(out + "/state.txt");
    EXPECT_EQ(state.t, summary["time"]);
    const Recording recording = delassus::read_recording(path(out));
    EXPECT_TRUE(recording.complete);
    EXPECT_EQ(recording.status, "interrupted");
    EXPECT_EQ(recording.time.back(), state.t);
    EXPECT_FALSE(exists(out + "/recording.h5.part"));
  }
}

TEST_F(CliTest, RunThatCannotGoOn) {
  write("squeeze.yaml", k_squeeze);
  const ProgramResult result = run({"run", "squeeze.yaml", "--out", "result", "--csv"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(contains(result.err, "squeeze: t = 1 s")) << result.err;
  EXPECT_TRUE(contains(result.err, "'left', 'right'")) << result.err;
  EXPECT_TRUE(contains(result.err, "result/state.txt")) << result.err;
  EXPECT_TRUE(contains(result.out, "stopped at t = 1 s")) << result.out;
  const State state = load("result/state.txt");
  EXPECT_NEAR(state.t, 1, 1e-9);
  EXPECT_NEAR(state.q[0], 0, 1e-9);
  const Recording recording = delassus::read_recording(path("result"));
  EXPECT_TRUE(recording.complete);
  EXPECT_EQ(recording.status, "stopped");
  EXPECT_TRUE(contains(recording.message, "'left', 'right'"));
  EXPECT_GT(recording.num_frames(), 50);
  EXPECT_LE(recording.time.back(), 1 + 1e-9);
  const json summary = read_json("result/summary.json");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["message"], recording.message);
  for (const char* name : {"bodies.csv", "events.csv", "report.html"})
    EXPECT_TRUE(exists(std::string("result/") + name)) << name;

  const ProgramResult again =
      run({"run", "squeeze.yaml", "--out", "again", "--quiet", "--resume", "result/state.txt"});
  EXPECT_EQ(again.status, 3);
  EXPECT_TRUE(contains(again.err, "'left', 'right'")) << again.err;

  const ProgramResult convergence = run({"convergence", "squeeze.yaml", "--steps", "0.1,0.05"});
  EXPECT_EQ(convergence.status, 3);
  EXPECT_TRUE(contains(convergence.err, "'left', 'right'")) << convergence.err;
}

TEST_F(CliTest, JsonScene) {
  const json scene{
      {"delassus", 1},
      {"name", "block"},
      {"duration", 2},
      {"gravity", {0, -9.81, 0}},
      {"bodies", {{{"name", "block"}, {"mass", 1}, {"position", {3, 0, 0}}}}},
      {"forces", {{{"name", "push"}, {"type", "applied"}, {"body", "block"}, {"force", {"8*cos(t)", 0, 0}}}}},
      {"contacts", {{{"name", "table"}, {"type", "plane"}, {"body", "block"}, {"friction", 0.8}}}},
      {"stepper", {{"name", "trapezoidal-2"}, {"step", "2^-5"}, {"detect_transitions", false}}}};
  for (const int indent : {-1, 2}) {
    const std::string name = "scene" + std::to_string(indent) + ".json";
    write(name, scene.dump(indent));
    run_well(name, "json", {"--no-report"});
    EXPECT_NEAR(std::abs(final_position("json", 0) - k_block_at_2), 8.022932e-5, 1e-10);
  }
}

// A flywheel at 2 rad/s about the world's z axis, and a cam that turns alike with its centre of mass 0.1 m beside the
// axis, which takes the centripetal force 2 kg · 0.1 m · (2 rad/s)² = 0.8 N. Beside them a rod on a hinge and a bob on a
// string, at rest.
const std::string k_hinges = R"(delassus: 1
name: hinges
duration: 4
gravity: [0, 0, 0]
bodies:
  - {name: cam, type: rigid, mass: 2, inertia: [0.01, 0.02, 0.03], center_of_mass: [0.1, 0, 0],
     position: [0, 0, 0.5], angular_velocity: [0, 0, 2]}
  - {name: rod, type: rigid, mass: 1, position: [1, -0.5, 0], shapes: [{type: box, size: [0.1, 1, 0.2]}]}
  - {name: bob, mass: 1, position: [1, -2, 0], radius: 0.07}
  - {name: base, type: fixed, position: [0, 3, 0], shapes: [{type: cylinder, radius: 0.3, length: 0.4}]}
  - {name: flywheel, type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2], position: [0, 1, 0], angular_velocity: [0, 0, 2]}
joints:
  - {name: axle, type: revolute, between: [world, cam], point: [0, 0, 0.5], axis: [0, 0, 1]}
  - {name: hinge, type: revolute, between: [world, rod], point: [1, 0, 0], axis: [0, 0, 1]}
  - {name: string, type: distance, between: [rod, bob], point_a: [0, -0.5, 0]}
  - {name: shaft, type: revolute, between: [base, flywheel], point: [0, 1, 0], axis: [0, 0, 1]}
stepper: {name: generalized-alpha, step: 0.01}
)";

// The row of a table whose first two cells are these.
std::vector<double> numbers_of(const std::vector<std::string>& lines, double t, const std::string& name) {
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = split(line);
    if (cells[1] != name || std::abs(std::stod(cells[0]) - t) > 1e-9) continue;
    std::vector<double> numbers;
    for (std::size_t i = 2; i < cells.size(); ++i) numbers.push_back(std::stod(cells[i]));
    return numbers;
  }
  ADD_FAILURE() << "no row of " << name << " at " << t;
  return std::vector<double>(6, NAN);
}

TEST_F(CliTest, JointsInTablesAndPage) {
  write("hinges.yaml", k_hinges);
  run_well("hinges.yaml", "out", {"--csv"});
  std::vector<std::string> joints = read_lines("out/joints.csv");
  ASSERT_EQ(joints.size(), 1u + 401 * 3);
  joints.erase(joints.begin());
  EXPECT_NEAR(numbers_of(joints, 2, "shaft.angle")[0], 4, 1e-9);
  EXPECT_NEAR(numbers_of(joints, 2, "shaft.angle")[1], 2, 1e-9);
  EXPECT_NEAR(numbers_of(joints, 4, "shaft.angle")[0], 8, 1e-9);  // beyond 2π
  EXPECT_NEAR(numbers_of(joints, 4, "hinge.angle")[0], 0, 1e-12);
  std::vector<std::string> reactions = read_lines("out/reactions.csv");
  ASSERT_EQ(reactions.size(), 1u + 401 * 4);
  reactions.erase(reactions.begin());
  const std::vector<double> axle = numbers_of(reactions, 4, "axle");
  // Towards the axis from where the centre of mass is, up to the error of a scheme of second order.
  EXPECT_NEAR(axle[0], -0.8 * std::cos(8), 1e-3);
  EXPECT_NEAR(axle[1], -0.8 * std::sin(8), 1e-3);
  EXPECT_NEAR(axle[2], 0, 1e-9);
  EXPECT_TRUE(std::isnan(numbers_of(reactions, 0, "axle")[0]));

  const std::string page = read("out/report.html"), begin = "const DATA = ";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  const std::size_t start = at + begin.size();
  const json data = json::parse(page.substr(start, page.find(";\n", start) - start));
  ASSERT_EQ(data["joints"].size(), 3u);
  EXPECT_EQ(data["joints"][1]["name"], "hinge");
  EXPECT_EQ(data["joints"][1]["kind"], "revolute");
  EXPECT_EQ(data["joints"][1]["body_a"], -1);
  EXPECT_EQ(data["joints"][1]["point_a"], json({1, 0, 0}));
  EXPECT_EQ(data["joints"][1]["axis_a"], json({0, 0, 1}));
  EXPECT_EQ(data["joints"][1]["body_b"], 1);
  EXPECT_EQ(data["joints"][1]["point_b"], json({0, 0.5, 0}));
  EXPECT_EQ(data["joints"][2]["body_a"], 3);
  EXPECT_EQ(data["joints"][2]["point_a"], json({0, -2, 0}));  // in the frame of the base
  ASSERT_EQ(data["links"].size(), 1u);
  EXPECT_EQ(data["links"][0]["a"], json({{"body", 1}, {"point", {0, -0.5, 0}}}));
  EXPECT_EQ(data["links"][0]["b"], json({{"body", 2}, {"point", {0, 0, 0}}}));
  const json& bodies = data["bodies"];
  // The box with the inertia of the cam: edges √(6 (J_j + J_k − J_i)/m).
  std::vector<double> edges = bodies[0]["shapes"][0]["size"];
  std::sort(edges.begin(), edges.end());
  EXPECT_EQ(bodies[0]["shapes"][0]["position"], json({0.1, 0, 0}));
  EXPECT_NEAR(edges[1], std::sqrt(3 * 0.02), 1e-6);
  EXPECT_NEAR(edges[2], std::sqrt(3 * 0.04), 1e-6);
  EXPECT_EQ(bodies[1]["shapes"][0]["size"], json({0.1, 1, 0.2}));
  EXPECT_EQ(bodies[2]["shape"], json({{"type", "sphere"}, {"radius", 0.07}}));
  EXPECT_EQ(bodies[3]["fixed"], true);
  EXPECT_EQ(bodies[3]["shapes"][0]["length"], 0.4);
  EXPECT_EQ(data["coordinates"][2]["name"], "shaft.angle");
  EXPECT_EQ(data["coordinates"][2]["unit"], "rad");
  EXPECT_NEAR(data["coordinates"][2]["values"].back(), 8, 1e-6);
  EXPECT_NEAR(data["coordinates"][2]["rates"].back(), 2, 1e-6);
  EXPECT_EQ(data["reactions"][0]["name"], "axle");
  EXPECT_TRUE(data["reactions"][0]["force"][0].is_null());
  EXPECT_NEAR(data["reactions"][0]["force"].back(), 0.8, 1e-3);
  EXPECT_FALSE(data["reactions"][2].contains("torque"));  // a string has none
}

TEST_F(CliTest, Demo) {
  const ProgramResult list = run({"demo"});
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(contains(list.out, "double_pendulum_wall"));
  EXPECT_TRUE(entries().empty());
  const ProgramResult result = run({"demo", "ball_row"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "out/ball_row/report.html")) << result.out;
  const std::string page = read("out/ball_row/report.html");
  EXPECT_TRUE(contains(page, "ball_row"));
  EXPECT_TRUE(contains(page, "</html>"));
  for (const char* outside : {"src=\"http", "href=\"http", "/*DELASSUS_"})
    EXPECT_FALSE(contains(page, outside)) << outside;
}

TEST_F(CliTest, Lists) {
  const std::pair<const char*, const char*> lists[] = {
      {"steppers", "nonsmooth-generalized-alpha  order 1-2"},
      {"methods", "lobatto-6       order 6"},
      {"solvers", "lemke"},
      {"laws", "coulomb-polyhedral"},
      {"scenes", "woodpecker"},
      {"schema", "restitution"},
      {"defaults", "stepper.step"},
      {"settings", "| `impact.law` | newton, poisson, simplified | newton |"}};
  // Lists that others refer to exist.
  std::set<std::string> named;
  const std::string settings = run({"list", "settings"}).out, begin = "`delassus list ";
  for (std::size_t at = settings.find(begin); at != std::string::npos; at = settings.find(begin, at + 1))
    named.insert(settings.substr(at + begin.size(), settings.find('`', at + 1) - at - begin.size()));
  EXPECT_TRUE(named.count("methods") == 1 && named.count("steppers") == 1);
  for (const std::string& kind : named) EXPECT_EQ(run({"list", kind}).status, 0) << kind;
  for (const auto& [kind, piece] : lists) {
    const ProgramResult result = run({"list", kind});
    EXPECT_EQ(result.status, 0) << kind;
    EXPECT_TRUE(contains(result.out, piece)) << kind << ": " << result.out;
    EXPECT_EQ(result.err, "") << kind;
  }
}

TEST_F(CliTest, EveryBuiltInSceneRuns) {
  std::istringstream list(run({"list", "scenes"}).out);
  int count = 0;
  for (std::string line; std::getline(list, line); ++count) {
    const std::string name = line.substr(0, line.find(' '));
    run_well(name, name, {"--duration", "0.05", "--no-report"});
  }
  EXPECT_GE(count, 10);
}

TEST_F(CliTest, DirectoryDoesNotHideABuiltInScene) {
  run_well("ball_row", "ball_row", {"--duration", "0.1", "--no-report"});
  run_well("ball_row", "ball_row", {"--duration", "0.1", "--no-report"});
}

TEST_F(CliTest, HelpAndVersion) {
  EXPECT_EQ(run({"--version"}).out, "delassus " + delassus::version() + "\n");
  const ProgramResult none = run({}), help = run({"help"}), option = run({"--help"});
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.out, help.out);
  EXPECT_EQ(option.status, 0);
  for (const std::string command :
       {"run", "demo", "verify", "convergence", "check", "statics", "modes", "bench", "list"}) {
    EXPECT_TRUE(contains(help.out, "\n  " + command + " ")) << command;
    const ProgramResult result = run({"help", command});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_TRUE(contains(result.out, "delassus " + command)) << result.out;
    const ProgramResult same = run({command, "--help"});
    EXPECT_EQ(same.status, 0) << command;
    EXPECT_TRUE(contains(same.out, "Usage")) << same.out;
  }
}

TEST_F(CliTest, Check) {
  const ProgramResult good = run({"check", "double_pendulum_wall"});
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_TRUE(contains(good.out, "2 joint rows (2 independent)")) << good.out;
  EXPECT_TRUE(contains(good.out, "no problems found")) << good.out;

  const ProgramResult low = run({"check", "bouncing_ball", "--set", "bodies.ball.position=[0,-0.25,0]"});
  EXPECT_EQ(low.status, 1) << low.out;
  EXPECT_TRUE(contains(low.out, "contact 'floor' penetrates by 0.25 m")) << low.out;

  // What assembly can repair is no problem, unless it is told not to.
  const ProgramResult repaired = run({"check", "double_pendulum_wall", "--set", "joints.rod2.length=1.5"});
  EXPECT_EQ(repaired.status, 0) << repaired.out;
  EXPECT_TRUE(contains(repaired.out, "the joints do not hold at the start")) << repaired.out;
  const ProgramResult joint =
      run({"check", "double_pendulum_wall", "--set", "joints.rod2.length=1.5", "--set", "assemble=false"});
  EXPECT_EQ(joint.status, 1) << joint.out;
  EXPECT_TRUE(contains(joint.out, "joint 'rod2' is violated by")) << joint.out;
  EXPECT_TRUE(entries().empty());
}

TEST_F(CliTest, CheckFindsAndResolvesOverlaps) {
  write("heap.yaml", R"(delassus: 1
# two boxes in each other and in the ground
bodies:
  - {name: ground, type: fixed, shapes: [{type: plane}]}
  - {name: low, type: rigid, mass: 1, position: [0, 0.45, 0], shapes: [{type: box, size: [1, 1, 1]}]}
  - {name: high, type: rigid, mass: 1, position: [0.2, 1.4, 0], rotation: [0, 0.3, 0], shapes: [{type: box, size: [1, 1, 1]}]}
)");
  const ProgramResult before = run({"check", "heap.yaml"});
  EXPECT_EQ(before.status, 1) << before.out;
  EXPECT_TRUE(contains(before.out, "shapes 'ground' and 'low' overlap by 0.05 m")) << before.out;
  EXPECT_TRUE(contains(before.out, "shapes 'low' and 'high' overlap by 0.05 m")) << before.out;
  EXPECT_TRUE(contains(before.out, "--resolve")) << before.out;
  const ProgramResult overlapping =
      run({"run", "heap.yaml", "--out", "heap", "--no-report", "--duration", "0.001"});
  EXPECT_EQ(overlapping.status, 2);
  EXPECT_TRUE(contains(overlapping.err, "overlap by 0.05 m at the start")) << overlapping.err;
  const ProgramResult resolved = run({"check", "heap.yaml", "--resolve", "apart.yaml"});
  EXPECT_EQ(resolved.status, 0) << resolved.out << resolved.err;
  const ProgramResult after = run({"check", "apart.yaml"});
  EXPECT_EQ(after.status, 0) << after.out << after.err;
  EXPECT_FALSE(contains(after.out, "overlap")) << after.out;
  run_well("apart.yaml", "out", {"--duration", "0.01", "--no-report"});
  const ProgramResult nowhere = run({"check", "heap.yaml", "--resolve", "no/such/folder/apart.yaml"});
  EXPECT_EQ(nowhere.status, 2) << nowhere.err;
}

// Touching is what the digits of a scene are; more, up to 1 % of a body, begins as well, but is called by its name.
TEST_F(CliTest, CheckTellsOverlapsFromTouching) {
  const auto ball_at = [&](const char* height) {
    write("ball.yaml", std::string("delassus: 1\nbodies:\n"
                                   "  - {name: ground, type: fixed, shapes: [{type: plane}]}\n"
                                   "  - {name: ball, type: rigid, mass: 1, position: [0, ") +
                           height + ", 0], shapes: [{type: sphere, radius: 0.1}]}\n");
    return run({"check", "ball.yaml"});
  };
  const ProgramResult touching = ball_at("0.0999995");
  EXPECT_TRUE(contains(touching.out, "which counts as touching")) << touching.out;
  const ProgramResult overlapping = ball_at("0.0997");
  EXPECT_EQ(overlapping.status, 0) << overlapping.out;
  EXPECT_TRUE(contains(overlapping.out, "overlap by 0.0003 m at the start, less than 1 %"))
      << overlapping.out;
  EXPECT_FALSE(contains(overlapping.out, "touching")) << overlapping.out;
}

TEST_F(CliTest, Verify) {
  const ProgramResult result = run({"verify", "D", "--json", "table.json"});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "0 failed")) << result.out;
  const json table = read_json("table.json");
  ASSERT_GE(table.size(), 5u);
  for (const json& row : table) {
    EXPECT_EQ(row["case"], "D");
    EXPECT_TRUE(row["quantity"].is_string());
    EXPECT_TRUE(row["value"].is_number());
    EXPECT_TRUE(row["reference"].is_number());
    EXPECT_TRUE(row["source"].is_string());
    EXPECT_TRUE(row["tolerance"].is_number());
    EXPECT_EQ(row["pass"], true);
  }
}

TEST_F(CliTest, Convergence) {
  const ProgramResult result = run({"convergence", "block_on_table", "--steps", "2^-4,2^-5,2^-6,2^-7",
                                    "--duration", "1", "--json", "table.json", "--plot", "plot.svg"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::size_t at = result.out.find("fitted order ");
  ASSERT_NE(at, std::string::npos) << result.out;
  EXPECT_NEAR(std::stod(result.out.substr(at + 13)), 2, 0.1);
  const json table = read_json("table.json");
  EXPECT_NEAR(table["fitted_order"], 2, 0.1);
  ASSERT_EQ(table["rows"].size(), 4u);
  EXPECT_EQ(table["rows"][3]["step"], 1.0 / 128);
  EXPECT_NEAR(table["rows"][3]["order"], 2, 0.1);
  EXPECT_TRUE(contains(read("plot.svg"), "<svg"));

  // Against an exact answer, with steps in any order.
  const ProgramResult exact = run({"convergence", "block_on_table", "--steps", "2^-9,2^-8", "--duration", "2",
                                   "--exact", "[3.004348569726865,0,0]"});
  EXPECT_EQ(exact.status, 0) << exact.err;
  EXPECT_TRUE(contains(exact.out, "given exact coordinates")) << exact.out;
}

TEST_F(CliTest, Bench) {
  const ProgramResult list = run({"bench"});
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(contains(list.out, "lemke"));
  const ProgramResult result = run({"bench", "lemke", "--max-size", "50", "--json", "table.json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const json table = read_json("table.json");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0]["n"], 50);
  EXPECT_GT(table[0]["seconds"], 0);
  EXPECT_LT(table[0]["residual"], 1e-10);

  const ProgramResult chains = run({"bench", "chains", "--max-size", "100", "--json", "chains.json"});
  EXPECT_EQ(chains.status, 0) << chains.err;
  const json steps = read_json("chains.json");
  ASSERT_EQ(steps["entries"].size(), 16u);  // four families, two steppers, two sizes
  for (const json& entry : steps["entries"]) {
    EXPECT_GT(entry["seconds_per_step"], 0) << entry;
    // Projected every step; the chain reaches a hundred metres.
    EXPECT_LT(entry["drift"], 1e-12) << entry;
  }
  EXPECT_EQ(steps["exponents"].size(), 0u);  // only one of the sizes that are fitted

  const ProgramResult collision =
      run({"bench", "collision", "--max-size", "1000", "--json", "collision.json"});
  EXPECT_EQ(collision.status, 0) << collision.err;
  const json collisions = read_json("collision.json");
  ASSERT_EQ(collisions["broad_phase"]["entries"].size(), 4u);  // two populations, two sizes
  for (const json& entry : collisions["broad_phase"]["entries"]) {
    EXPECT_GT(entry["seconds"], 0) << entry;
    EXPECT_GT(entry["pairs_per_body"], 0) << entry;
  }
  EXPECT_EQ(collisions["broad_phase"]["exponents"].size(), 2u);
  for (const json& entry : collisions["narrow_phase"]) {
    if (entry["engine"] != "separation") continue;  // a peer, where one is installed
    for (const char* kind : {"apart", "overlapping"}) {
      EXPECT_EQ(entry[kind]["off"], 0) << entry;
      EXPECT_LT(entry[kind]["error"], 1e-10) << entry;  // known gaps, shapes of 1 m
    }
  }
}

TEST_F(CliTest, BenchContact) {
  // The stack alone, and little time for those that are slow on it.
  const ProgramResult result =
      run({"bench", "contact", "--max-size", "10", "--time-limit", "0.05", "--json", "contact.json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const json table = read_json("contact.json");
  ASSERT_EQ(table["scenes"].size(), 18u);  // nine solvers, two tolerances
  for (const json& entry : table["scenes"]) {
    EXPECT_EQ(entry["scene"], "stack");
    EXPECT_EQ(entry["law"], "coulomb");
    EXPECT_GT(entry["steps"], 0) << entry;
    EXPECT_GT(entry["steps_per_second"], 0) << entry;
    EXPECT_GT(entry["iterations"], 0) << entry;
    EXPECT_GE(entry["missed_steps"], 0) << entry;
    EXPECT_LE(entry["missed_steps"], entry["steps"]) << entry;
    EXPECT_FALSE(entry.contains("failure")) << entry;
    if (entry["solver"] != "auto") continue;
    // It stands still, by the default solver at any tolerance.
    EXPECT_EQ(entry["missed_steps"], 0) << entry;
    EXPECT_LT(entry["residual"], 1e-10) << entry;
    EXPECT_LT(entry["moved"], 1e-10) << entry;
  }
  if (table.contains("bullet"))  // where it is installed
    for (const json& entry : table["bullet"]) {
      EXPECT_GT(entry["steps_per_second"], 0) << entry;
      EXPECT_EQ(entry["ratios"].size(), 2u) << entry;
    }
  EXPECT_EQ(table["real_time"].size(), 0u);  // of larger ones
  EXPECT_EQ(table["growth"]["entries"].size(), 0u);

  EXPECT_NE(run({"bench", "contact", "--part", "columns"}).status, 0);
  EXPECT_NE(run({"bench", "lemke", "--part", "scenes"}).status, 0);
}

}  // namespace
}  // namespace delassus::program_test
