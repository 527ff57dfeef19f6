// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs with several threads have the bits of a run with one: with the law, the solver and the stepper that a scene gets when it does
// not say otherwise, and with others.
#include <gtest/gtest.h>

#include <bit>
#include <sstream>

#include "apps/cli/load.hpp"
#include "delassus/base/parallel.hpp"
#include "tests/support/runs.hpp"

namespace delassus {
namespace {

// FNV-1a over every bit of the state: its text says every number exactly, and −0 and 0 differ.
std::uint64_t hash_of(const State& state) {
  std::stringstream text;
  save(state, text);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : text.str()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

struct Outcome {
  std::uint64_t hash = 0;
  std::size_t contacts = 0;  // at the end
};

Outcome outcome_of_run(Simulation simulation, int threads, double t_end) {
  set_num_threads(threads);
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  set_num_threads(1);
  return {hash_of(simulation.state()), simulation.report().contacts.size()};
}

// With 1, 2 and 4 threads; how many contacts there are at the end.
std::size_t check_threads(const std::function<Simulation()>& make, double t_end) {
  const Outcome one = outcome_of_run(make(), 1, t_end);
  for (int threads : {2, 4}) EXPECT_EQ(outcome_of_run(make(), threads, t_end).hash, one.hash) << threads;
  return one.contacts;
}

struct Case {
  const char* scene;
  double t_end = 0;  // into the first impacts and a while of rest or sliding [s]
  std::vector<cli::Setting> settings = {};
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
  const cli::LoadedScene scene = cli::load_scene(GetParam().scene, GetParam().settings);
  check_threads([&] { return cli::make_simulation(scene); }, GetParam().t_end);
}

// Balls and boxes side by side on a ground of 9 boxes, so many that all loops are cut into chunks: those of shapes, of contacts, and of
// islands, for none touches another one. A second layer falls on them.
std::string many_bodies(int count) {
  std::string yaml =
      "delassus: 1\nname: many\nduration: 1\ngravity: [0, 0, -9.81]\nstepper: {step: 0.005}\nbodies:\n";
  for (int i = 0; i < 9; ++i)
    yaml += fmt::format(
        "  - {{name: ground{}, type: fixed, position: [{}, {}, -0.5], shapes: [{{type: box, size: [4, 4, "
        "1]}}]}}\n",
        i, 4 * (i % 3), 4 * (i / 3));
  for (int i = 0; i < count; ++i)
    yaml += fmt::format(
        "  - {{name: body{}, type: rigid, density: 1000, position: [{}, {}, {}], velocity: [{}, {}, 0], "
        "shapes: [{{type: {}}}]}}\n",
        i, 0.9 * (i % 10), 0.9 * (i / 10 % 10),
        (i % 3 == 0 ? 0.201 : 0.401) + 0.9 * (i / 100) + 0.002 * (i % 7), 0.3 * std::sin(1.0 * i),
        0.3 * std::cos(2.0 * i), i % 3 == 0 ? "box, size: [0.6, 0.5, 0.4]" : "sphere, radius: 0.4");
  return yaml;
}

class ThreadsOfManyBodies : public ::testing::TestWithParam<std::vector<std::string>> {};

INSTANTIATE_TEST_SUITE_P(
    Settings, ThreadsOfManyBodies,
    ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"stepper.name=trapezoidal-2"},
                      std::vector<std::string>{"law.name=coulomb-polyhedral"}),
    [](const auto& settings) {
      return std::vector<std::string>{"defaults", "located_events", "polyhedral"}[settings.index];
    });

TEST_P(ThreadsOfManyBodies, HaveTheSameBits) {
  const std::string yaml = many_bodies(200);
  const std::size_t contacts =
      check_threads([&] { return testing::simulate(yaml, GetParam()); }, GetParam().empty() ? 0.1 : 0.05);
  // 100 bodies lie: as many islands, in chunks of 8, and contacts in chunks of 64.
  EXPECT_GT(contacts, 100u);
}

}  // namespace
}  // namespace delassus
