// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Same bits: for two runs, for a run resumed from a saved state, and when every workspace is thrown away after each step.
#include <gtest/gtest.h>

#include <sstream>

#include "apps/cli/load.hpp"

namespace delassus {
namespace {

struct Case {
  std::string name, scene;
  std::vector<cli::Setting> settings;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

// Every scene as it is, and some with captured events.
std::vector<Case> cases() {
  std::vector<Case> out;
  for (const std::string& name : cli::scene_names()) out.push_back({name, name, {}});
  out.push_back({"box_moreau_jean", "box_on_plane", {"stepper.name=moreau-jean", "solver.name=nsgs"}});
  out.push_back({"box_dvi_euler", "box_on_plane", {"stepper.name=dvi-euler", "solver.name=nsgs"}});
  out.push_back({"pendulum_moreau_jean_projected",
                 "double_pendulum_wall",
                 {"stepper.name=moreau-jean-projected", "stepper.projection=all"}});
  out.push_back({"woodpecker_moreau_jean", "woodpecker", {"stepper.name=moreau-jean", "solver.name=nsgs"}});
  return out;
}

class Determinism : public ::testing::TestWithParam<Case> {
 protected:
  // Half the scene's length, at most 1 s: impacts and transitions are in it.
  cli::LoadedScene scene() const { return cli::load_scene(GetParam().scene, GetParam().settings); }
  static double length(const cli::LoadedScene& scene) { return std::min(scene.desc.duration, 1.0); }
};

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST_P(Determinism, TwoRunsAreEqual) {
  const cli::LoadedScene s = scene();
  Simulation a = cli::make_simulation(s), b = cli::make_simulation(s);
  ASSERT_TRUE(a.run_until(length(s)));
  ASSERT_TRUE(b.run_until(length(s)));
  EXPECT_TRUE(a.state() == b.state());
}

TEST_P(Determinism, ResumedRunContinuesBitForBit) {
  const cli::LoadedScene s = scene();
  Simulation whole = cli::make_simulation(s);
  ASSERT_TRUE(whole.run_until(length(s)));
  // Stop at several places, also shortly after the start.
  for (double fraction : {0.02, 0.37, 0.8}) {
    Simulation first = cli::make_simulation(s);
    const int steps = std::max(1, static_cast<int>(fraction * length(s) / first.options().step));
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(first.step().ok);
    std::stringstream file;
    save(first.state(), file);
    Simulation second = cli::make_simulation(s);
    second.set_state(load_state(file, "state"));
    ASSERT_TRUE(second.run_until(length(s)));
    EXPECT_TRUE(whole.state() == second.state()) << "resumed at " << first.state().t;
  }
}

TEST_P(Determinism, WorkspacesHoldNoPhysics) {
  const cli::LoadedScene s = scene();
  Simulation kept = cli::make_simulation(s);
  State fresh = kept.state();
  for (int i = 0; i < 150 && kept.state().t < length(s); ++i) {
    kept.step(length(s));
    Simulation thrown_away = cli::make_simulation(s);
    thrown_away.set_state(fresh);
    thrown_away.step(length(s));
    fresh = thrown_away.state();
    ASSERT_TRUE(kept.state() == fresh) << "step " << i;
  }
}

TEST(Clone, GoesItsOwnWay) {
  const cli::LoadedScene s = cli::load_scene("bouncing_ball", {});
  Simulation original = cli::make_simulation(s);
  ASSERT_TRUE(original.run_until(0.3));
  Simulation clone = cli::make_simulation(s);
  clone.set_state(original.state());
  ASSERT_TRUE(original.run_until(1.0));
  EXPECT_NEAR(clone.state().t, 0.3, 1e-12);
  ASSERT_TRUE(clone.run_until(1.0));
  EXPECT_TRUE(clone.state() == original.state());
}

}  // namespace
}  // namespace delassus
