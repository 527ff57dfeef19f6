// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Same bits: for two runs, for a run resumed from a saved state, and when every workspace is thrown away after each step.
#include <gtest/gtest.h>

#include <sstream>

#include "delassus/front/load_scene.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::determinism_test {
namespace {

struct Case {
  std::string name, scene;
  std::vector<SceneSetting> settings;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

// Every scene as it is, and some with captured events.
std::vector<Case> cases() {
  std::vector<Case> out;
  // Columns of a thousand grains and the row of dominoes take minutes; tests of threads have smaller heaps.
  for (const std::string& name : scene_names())
    if (!name.starts_with("granular") && name != "domino_row") out.push_back({name, name, {}});
  out.push_back({"box_moreau_jean", "box_on_plane", {"stepper.name=moreau-jean", "solver.name=nsgs"}});
  out.push_back({"box_dvi_euler", "box_on_plane", {"stepper.name=dvi-euler", "solver.name=nsgs"}});
  out.push_back({"pendulum_moreau_jean_projected",
                 "double_pendulum_wall",
                 {"stepper.name=moreau-jean-projected", "stepper.projection=all"}});
  for (const char* name : {"coin", "woodpecker", "rolling_balls", "four_bar"})
    out.push_back(
        {std::string(name) + "_nonsmooth_alpha", name, {"stepper.name=nonsmooth-generalized-alpha"}});
  out.push_back({"woodpecker_moreau_jean", "woodpecker", {"stepper.name=moreau-jean", "solver.name=nsgs"}});
  return out;
}

class Determinism : public ::testing::TestWithParam<Case> {
 protected:
  // Half the scene's length, at most 1 s: impacts and transitions are in it.
  Scene scene() const { return load_scene(GetParam().scene, GetParam().settings); }
  static double length(const Scene& scene) {
    constexpr double before_the_jam = 0.5;  // that scene ends at 0.6 s without a solution, on purpose [s]
    // Scenes of many bodies are long enough with their first steps.
    constexpr std::size_t many_bodies = 15;
    constexpr double first_steps = 0.02;
    if (compile(scene.desc).system->num_bodies() > static_cast<int>(many_bodies)) return first_steps;
    return std::min(scene.desc.duration, scene.desc.name == "jam" ? before_the_jam : 1.0);
  }
};

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST_P(Determinism, TwoRunsAreEqual) {
  const Scene s = scene();
  Simulation a(s), b(s);
  ASSERT_TRUE(a.run_until(length(s)));
  ASSERT_TRUE(b.run_until(length(s)));
  EXPECT_TRUE(a.state() == b.state());
}

TEST_P(Determinism, ResumedRunContinuesBitForBit) {
  const Scene s = scene();
  Simulation whole(s);
  ASSERT_TRUE(whole.run_until(length(s)));
  // Stop at several places, also shortly after the start.
  for (double fraction : {0.02, 0.37, 0.8}) {
    Simulation first(s);
    const int steps = std::max(1, static_cast<int>(fraction * length(s) / first.options().step));
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(first.step().ok);
    std::stringstream file;
    save(first.state(), file);
    Simulation second(s);
    second.set_state(load_state(file, "state"));
    ASSERT_TRUE(second.run_until(length(s)));
    EXPECT_TRUE(whole.state() == second.state()) << "resumed at " << first.state().t;
  }
}

TEST_P(Determinism, WorkspacesHoldNoPhysics) {
  const Scene s = scene();
  Simulation kept(s);
  State fresh = kept.state();
  for (int i = 0; i < 150 && kept.state().t < length(s); ++i) {
    kept.step(length(s));
    Simulation thrown_away(s);
    thrown_away.set_state(fresh);
    thrown_away.step(length(s));
    fresh = thrown_away.state();
    ASSERT_TRUE(kept.state() == fresh) << "step " << i;
  }
}

TEST(Clone, GoesItsOwnWay) {
  const Scene s = load_scene("bouncing_ball", {});
  Simulation original(s);
  ASSERT_TRUE(original.run_until(0.3));
  Simulation clone(s);
  clone.set_state(original.state());
  ASSERT_TRUE(original.run_until(1.0));
  EXPECT_NEAR(clone.state().t, 0.3, 1e-12);
  ASSERT_TRUE(clone.run_until(1.0));
  EXPECT_TRUE(clone.state() == original.state());
}

}  // namespace
}  // namespace delassus::determinism_test
