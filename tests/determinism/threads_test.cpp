// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of scenes with several threads have the bits of a run with one: with the law, the solver and the stepper that a scene gets when it
// does not say otherwise, and with others.
#include <gtest/gtest.h>

#include "delassus/front/load_scene.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"
#include "tests/support/thread_runs.hpp"

namespace delassus::threads_test {
namespace {

struct Case {
  const char* scene;
  double t_end = 0;  // into the first impacts and a while of rest or sliding [s]
  std::vector<SceneSetting> settings = {};
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.scene;
}

class ThreadsOfScene : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Scenes, ThreadsOfScene,
    ::testing::Values(Case{"shapes_zoo", 0.4}, Case{"boxes_on_height_field", 0.4}, Case{"ball_on_mesh", 0.4},
                      Case{"coin", 0.4}, Case{"n_four_bars", 0.4}, Case{"woodpecker", 0.4},
                      Case{"box_stack", 0.4}, Case{"arch", 0.1}, Case{"rolling_balls", 0.05},
                      Case{"falling_boxes", 0.3}, Case{"granular_column", 0.05},
                      Case{"granular_column_mixed", 0.04},
                      Case{"shapes_zoo", 0.4, {"law.name=coulomb-polyhedral"}},
                      Case{"boxes_on_height_field", 0.4, {"law.name=coulomb-polyhedral"}}),
    [](const auto& c) { return c.param.scene + std::string(c.param.settings.empty() ? "" : "_polyhedral"); });

TEST_P(ThreadsOfScene, HaveTheSameBits) {
  const Scene scene = load_scene(GetParam().scene, GetParam().settings);
  testing::check_threads([&] { return Simulation(scene); }, GetParam().t_end);
}

}  // namespace
}  // namespace delassus::threads_test
