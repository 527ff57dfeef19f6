// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs with several threads have the bits of a run with one.
#include <gtest/gtest.h>

#include <bit>
#include <sstream>

#include "delassus/base/parallel.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"
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

std::uint64_t hash_of_run(Simulation simulation, int threads, double t_end) {
  set_num_threads(threads);
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  set_num_threads(1);
  return hash_of(simulation.state());
}

class ThreadsOfScene : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Scenes, ThreadsOfScene,
                         ::testing::Values("shapes_zoo", "boxes_on_height_field", "ball_on_mesh", "coin",
                                           "n_four_bars", "woodpecker"),
                         [](const auto& scene) { return scene.param; });

TEST_P(ThreadsOfScene, HaveTheSameBits) {
  const Scene scene = load_scene(GetParam(), {"law.name=coulomb-polyhedral"});
  // Into the first impacts and a while of rest or sliding.
  const double t_end = std::min(scene.desc.duration, 0.4);
  const std::uint64_t one = hash_of_run(Simulation(scene), 1, t_end);
  for (int threads : {2, 4}) EXPECT_EQ(hash_of_run(Simulation(scene), threads, t_end), one) << threads;
}

// Enough bodies that the loops are cut: two layers of balls and boxes, of which the lower one meets a ground of 9 boxes.
TEST(ThreadsOfManyBodies, HaveTheSameBits) {
  std::string yaml =
      "delassus: 1\nname: many\nduration: 1\ngravity: [0, 0, -9.81]\nstepper: {step: 0.005}\nlaw: {name: "
      "coulomb-polyhedral}\nbodies:\n";
  for (int i = 0; i < 9; ++i)
    yaml += fmt::format(
        "  - {{name: ground{}, type: fixed, position: [{}, {}, -0.5], shapes: [{{type: box, size: [4, 4, "
        "1]}}]}}\n",
        i, 4 * (i % 3), 4 * (i / 3));
  for (int i = 0; i < 200; ++i)
    yaml += fmt::format(
        "  - {{name: body{}, type: rigid, density: 1000, position: [{}, {}, {}], velocity: [{}, {}, 0], "
        "shapes: [{{type: {}}}]}}\n",
        i, 0.9 * (i % 10), 0.9 * (i / 10 % 10), 0.401 + 0.9 * (i / 100) + 0.002 * (i % 7),
        0.3 * std::sin(1.0 * i), 0.3 * std::cos(2.0 * i),
        i % 3 == 0 ? "box, size: [0.6, 0.5, 0.4]" : "sphere, radius: 0.4");
  const std::uint64_t one = hash_of_run(testing::simulate(yaml), 1, 0.05);
  for (int threads : {2, 4}) EXPECT_EQ(hash_of_run(testing::simulate(yaml), threads, 0.05), one) << threads;
}

}  // namespace
}  // namespace delassus
