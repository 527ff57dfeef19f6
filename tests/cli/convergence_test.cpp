// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus convergence from outside: lists of schemes, tolerances, norms, diagrams.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace delassus::convergence_test {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::ProgramTest;

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

// q(5) of the oscillator, independent of the program (library/papers/analytic.yaml).
constexpr const char* k_oscillator_at_5 = "[0.0661511023633774727]";
// Ballard's closed form of a ball with f = −2, ρ = ½: it comes to rest at t = 3 (Acary 2009, 10).
constexpr const char* k_ball =
    "[0, 't < 1 ? 1 - t^2 : t < 3 ? -(t-3)^2 - 3*2^(-floor(-log(3-t)/log(2))-1)*(t-1) + "
    "2*2^(-floor(-log(3-t)/log(2))-1)*(3 - 2^(-floor(-log(3-t)/log(2))-1)) : 0', 0]";

class ConvergenceTest : public ProgramTest {
 protected:
  json measure(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "convergence");
    arguments.insert(arguments.end(), {"--json", "table.json"});
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    out = result.out;
    return json::parse(read("table.json"));
  }
  void refuse(std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), {"convergence", "oscillator_and_stop"});
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_TRUE(contains(result.err, why)) << result.err;
  }
  std::string out;
};

TEST_F(ConvergenceTest, SeveralSchemesInOneTableAndOnePage) {
  const json table = measure({"oscillator_and_stop", "--steppers",
                              "event-capturing-rk:radau-3,event-capturing-rk:lobatto-4,moreau-jean:theta=1",
                              "--steps", "5/64,5/128,5/256", "--exact", k_oscillator_at_5, "--page",
                              "page.html", "--work-plot", "work.svg", "--cost", "forces"});
  ASSERT_EQ(table["series"].size(), 3u);
  EXPECT_EQ(table["series"][0]["name"], "event-capturing-rk:radau-3");
  EXPECT_EQ(table["series"][2]["stepper"], "moreau-jean");
  EXPECT_NEAR(table["series"][0]["fitted_order"], 3, 0.2);
  EXPECT_NEAR(table["series"][1]["fitted_order"], 4, 0.2);
  // Keys of one scheme are those of the first.
  EXPECT_EQ(table["fitted_order"], table["series"][0]["fitted_order"]);
  const std::string page = read("page.html");
  // Orders, and errors over four kinds of work.
  EXPECT_EQ(count(page, "<svg"), 5u);
  EXPECT_FALSE(contains(page, "http://") && !contains(page, "http://www.w3.org"));
  EXPECT_TRUE(contains(page, "right-hand sides"));
  EXPECT_TRUE(contains(read("work.svg"), "right-hand sides"));
  EXPECT_TRUE(contains(read("work.svg"), "moreau-jean:theta=1"));
}

TEST_F(ConvergenceTest, WorkIsCounted) {
  const json table = measure({"oscillator_and_stop", "--steps", "0.02,0.01", "--exact", k_oscillator_at_5});
  const json& rows = table["rows"];
  EXPECT_EQ(rows[0]["steps"], 250);
  EXPECT_EQ(rows[1]["steps"], 500);
  for (const json& row : rows) {
    // One problem and one factorisation a step, and what impacts need beside; forces at both ends at most, once for energies.
    const long steps = row["steps"];
    EXPECT_GE(row["solves"], steps);
    EXPECT_LE(row["solves"], steps + 20);
    EXPECT_GE(row["factorisations"], steps);
    EXPECT_LE(row["factorisations"], 2 * steps);
    EXPECT_GE(row["forces"], steps);
    EXPECT_LE(row["forces"], 4 * steps);
    EXPECT_GT(row["seconds"], 0);
  }
  // v swings from 0 to −1.7 and back by less every time, and jumps: at least once its largest speed to and fro.
  EXPECT_GT(rows[1]["variation"], 3);
  EXPECT_GT(rows[1]["weighted_variation"], 3);
  EXPECT_LT(rows[1]["variation"], 30);
}

TEST_F(ConvergenceTest, NormsOverTimeKnowTheirOrders) {
  // As published: order 1 in L1 and in the Hausdorff distance, one half in L2, none in the uniform norm.
  const json table =
      measure({"bouncing_ball", "--set", "gravity=[0,-2,0]", "--set", "contacts.floor.restitution=0.5",
               "--duration", "4.7", "--steppers", "moreau-jean", "--of", "v", "--norm", "L1,L2,max,hausdorff",
               "--steps", "0.02,0.01,0.005,0.0025", "--exact", k_ball});
  const json& fitted = table["fitted_orders"];
  EXPECT_NEAR(fitted["L1"], 0.9, 0.3);
  EXPECT_NEAR(fitted["L2"], 0.5, 0.2);
  EXPECT_NEAR(fitted["max"], 0, 0.2);
  EXPECT_NEAR(fitted["hausdorff"], 0.9, 0.3);
  EXPECT_TRUE(contains(out, "against given formulas")) << out;
}

TEST_F(ConvergenceTest, ARunAsReferenceKnowsItsJumps) {
  // A run that locates events against the closed form, on grids that have no point in common.
  const std::vector<std::string> ball{"bouncing_ball",
                                      "--set",
                                      "gravity=[0,-2,0]",
                                      "--set",
                                      "contacts.floor.restitution=0.5",
                                      "--duration",
                                      "2.9",
                                      "--of",
                                      "v",
                                      "--norm",
                                      "L1,hausdorff",
                                      "--steps",
                                      "0.02,0.01",
                                      "--steppers",
                                      "moreau-jean"};
  std::vector<std::string> by_run = ball, by_formula = ball;
  by_run.insert(by_run.end(),
                {"--reference-stepper", "event-capturing-rk:lobatto-4", "--reference-step", "0.0031"});
  by_formula.insert(by_formula.end(), {"--exact", k_ball});
  const json run = measure(by_run), formula = measure(by_formula);
  for (std::size_t i = 0; i < 2; ++i) {
    const json &a = run["rows"][i]["errors"], &b = formula["rows"][i]["errors"];
    // In the grid norm exactly; jumps of the formula are known to 1/64 of a step.
    EXPECT_NEAR(a["L1"], b["L1"], 1e-9);
    EXPECT_NEAR(a["hausdorff"], b["hausdorff"], 0.02 / 64 + 1e-9);
  }
}

TEST_F(ConvergenceTest, TolerancesBesideSteps) {
  const json table =
      measure({"double_pendulum_wall", "--set", "stepper.projection=all", "--duration", "0.5", "--steps",
               "2^-6,2^-7,2^-8", "--tolerances", "1e-4,1e-5,1e-6", "--steppers", "trapezoidal-2",
               "--controlled", "trapezoidal-2,event-capturing-rk:radau-5", "--reference-stepper",
               "event-capturing-rk:lobatto-6", "--reference-step", "2^-7"});
  ASSERT_EQ(table["series"].size(), 3u);
  EXPECT_NEAR(table["series"][0]["fitted_order"], 2, 0.2);
  const json& by_tolerance = table["series"][1]["rows"];
  EXPECT_EQ(by_tolerance[0]["tolerance"], 1e-4);
  for (const json& row : by_tolerance) EXPECT_LT(row["error"], 10 * row["tolerance"].get<double>());
  EXPECT_GT(by_tolerance[2]["substeps"], by_tolerance[0]["substeps"]);
  // Refused steps and those that were taken to estimate errors are work: three for two.
  EXPECT_GE(by_tolerance[2]["solves"], 1.4 * by_tolerance[2]["substeps"].get<double>());
}

TEST_F(ConvergenceTest, WorkForATarget) {
  const json table =
      measure({"oscillator_and_stop", "--steppers",
               "event-capturing-rk:lobatto-2,event-capturing-rk:lobatto-6,moreau-jean", "--steps",
               "5/32,5/64,5/128,5/256", "--exact", k_oscillator_at_5, "--target", "1e-8"});
  EXPECT_TRUE(contains(out, "work for an error of 1e-08")) << out;
  // Order 2 needs about (5.9e-5 / 1e-8)^(1/2) = 77 times its 273 problems of 256 steps; order 6 has it with 32 steps already.
  const json &slow = table["series"][0]["target"], &fast = table["series"][1]["target"];
  EXPECT_EQ(slow["extrapolated"], true);
  EXPECT_EQ(fast["at_most"], true);
  EXPECT_EQ(fast["solves"], table["series"][1]["rows"][0]["solves"]);
  EXPECT_NEAR(slow["solves"].get<double>() / (77 * 273), 1, 0.3);
}

TEST_F(ConvergenceTest, RotationsAreDifferencesOnTheManifold) {
  // A turn by ε about an axis is an error of ε, not of the ε/2 of its quaternion.
  write("spin.yaml", R"(delassus: 1
duration: 1
gravity: [0, 0, 0]
bodies: [{name: top, type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], angular_velocity: [0, 0, 1]}]
)");
  const json table = measure({"spin.yaml", "--steps", "0.5,0.25", "--steppers", "rk4", "--exact",
                              "[0,0,0,'cos(0.499)',0,0,'sin(0.499)']"});
  EXPECT_NEAR(table["rows"][0]["error"], 0.002, 1e-9);
}

TEST_F(ConvergenceTest, BadInputSaysWhatIsAllowed) {
  refuse({}, "--steps");
  refuse({"--steps", "0.1"}, "at least two");
  refuse({"--tolerances", "1e-3,1e-3"}, "stands twice");
  refuse({"--steps", "0.1,0.05", "--norm", "L3"}, "hausdorff");
  refuse({"--steps", "0.1,0.05", "--norm", "L1,L1"}, "stands twice");
  refuse({"--steps", "0.1,0.05", "--of", "a"}, "allowed: q, v");
  refuse({"--steps", "0.1,0.05", "--cost", "money"}, "factorisations");
  refuse({"--steps", "0.1,0.05", "--steppers", "moreau-jean:"}, "NAME:key=value");
  refuse({"--steps", "0.1,0.05", "--steppers", "moreau-jaen"}, "moreau-jean");
  refuse({"--steps", "0.1,0.05", "--controlled", "moreau-jean"}, "--tolerances");
  refuse({"--steps", "0.1,0.05", "--exact", "[1]", "--norm", "L1"}, "formulas of t");
  refuse({"--steps", "0.1,0.05", "--exact", "['1 +']"}, "--exact");
  refuse({"--steps", "0.1,0.05", "--page", "nowhere/page.html"}, "there is no directory");
}

}  // namespace
}  // namespace delassus::convergence_test
