// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Mechanisms from the command line: statics, modes, assembly, defaults, plots.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "tests/support/program.hpp"

namespace delassus::mechanism_test {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::ProgramTest;

class MechanismTest : public ProgramTest {
 protected:
  json read_json(const std::string& name) const { return json::parse(read(name)); }
};

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

// A slender box of 1 kg and 1 m on a hinge, horizontal.
const std::string k_rod = R"(delassus: 1
name: rod
duration: 0.5
bodies:
  - {name: rod, type: rigid, mass: 1, position: [0.5, 0, 0], shapes: [{type: box, size: [1, 0.1, 0.1]}]}
joints:
  - {name: hinge, type: revolute, between: [world, rod], point: [0, 0, 0], axis: [0, 0, 1]}
)";
constexpr double k_moment_about_hinge = 1.01 / 12 + 0.25;

TEST_F(MechanismTest, StaticsHangsTheRodDown) {
  write("rod.yaml", k_rod);
  const ProgramResult result = run({"statics", "rod.yaml", "--json", "statics.json", "--state", "state.txt"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json statics = read_json("statics.json");
  EXPECT_NEAR(statics["bodies"][0]["position"][1].get<double>(), -0.5, 1e-12);
  EXPECT_NEAR(statics["reactions"][0]["force"][1].get<double>(), 9.81, 1e-10);
  EXPECT_NEAR(statics["coordinates"][0]["value"].get<double>(), -std::numbers::pi / 2, 1e-12);
  // A run from there stays there.
  const ProgramResult resumed = run({"run", "rod.yaml", "--resume", "state.txt", "--csv"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  const json summary = read_json("out/rod_from_0/summary.json");
  EXPECT_EQ(summary["stepper"], "generalized-alpha");
  EXPECT_NEAR(summary["bodies"][0]["position"][0].get<double>(), 0, 1e-10);
}

TEST_F(MechanismTest, ModesOfThePendulum) {
  write("rod.yaml", k_rod);
  ASSERT_EQ(run({"modes", "rod.yaml", "--json", "modes.json"}).status, 0);
  const json modes = read_json("modes.json");
  EXPECT_EQ(modes["degrees_of_freedom"], 1);
  EXPECT_NEAR(modes["modes"][0]["frequency"].get<double>(),
              std::sqrt(9.81 * 0.5 / k_moment_about_hinge) / (2 * std::numbers::pi), 1e-8);
  EXPECT_FALSE(modes["unstable"].get<bool>());
  // Upright it falls.
  std::string upright = k_rod;
  upright.replace(upright.find("[0.5, 0, 0]"), 11, "[0, 0.5, 0], rotation: [0, 0, 1.5707963267948966]");
  write("upright.yaml", upright);
  ASSERT_EQ(run({"modes", "upright.yaml", "--at-start", "--json", "modes.json"}).status, 0);
  EXPECT_TRUE(read_json("modes.json")["unstable"].get<bool>());
}

TEST_F(MechanismTest, StaticsOfWhatFallsForeverIsRefused) {
  write("free.yaml", "delassus: 1\nbodies: [{name: a, mass: 1}]\n");
  const ProgramResult result = run({"statics", "free.yaml"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(contains(result.err, "a.vy")) << result.err;
}

// A start that is off its joints by a centimetre and by a velocity is put onto them, and said so.
TEST_F(MechanismTest, StartIsAssembled) {
  write("off.yaml", R"(delassus: 1
name: off
duration: 0.1
bodies:
  - {name: rod, type: rigid, mass: 1, position: [0.51, 0, 0], velocity: [1, 0, 0], shapes: [{type: box, size: [1, 0.1, 0.1]}]}
joints:
  - {name: hinge, type: revolute, between: [world, rod], point_a: [0, 0, 0], point_b: [-0.5, 0, 0], axis: [0, 0, 1]}
)");
  const ProgramResult result = run({"run", "off.yaml"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "put onto its joints")) << result.out;
  EXPECT_LT(read_json("out/off/summary.json")["worst"]["joint_drift"].get<double>(), 1e-12);
}

TEST_F(MechanismTest, VerifyWritesPlots) {
  ASSERT_EQ(run({"verify", "V3", "--plots", "plots"}).status, 0);
  const std::string plot = read("plots/V3_order.svg");
  EXPECT_TRUE(contains(plot, "<svg"));
  for (const char* scheme : {"generalized-alpha", "trapezoidal-2", "newmark", "hht", "energy-midpoint"})
    EXPECT_TRUE(contains(plot, scheme)) << scheme;
}

}  // namespace
}  // namespace delassus::mechanism_test
