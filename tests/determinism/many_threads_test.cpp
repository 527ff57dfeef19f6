// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A run of many bodies with several threads has the bits of a run with one. Also run under the thread sanitizer, and so without the
// program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/simulate.hpp"
#include "tests/support/thread_runs.hpp"

namespace delassus::many_threads_test {
namespace {

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

std::string name_of(const ::testing::TestParamInfo<std::vector<std::string>>& test) {
  const char* const names[] = {"defaults", "located_events", "polyhedral"};
  return names[test.index];
}

INSTANTIATE_TEST_SUITE_P(Settings, ThreadsOfManyBodies,
                         ::testing::Values(std::vector<std::string>{},
                                           std::vector<std::string>{"stepper.name=trapezoidal-2"},
                                           std::vector<std::string>{"law.name=coulomb-polyhedral"}),
                         name_of);

TEST_P(ThreadsOfManyBodies, HaveTheSameBits) {
  const std::string yaml = many_bodies(200);
  const std::size_t contacts = testing::check_threads([&] { return testing::simulate(yaml, GetParam()); },
                                                      GetParam().empty() ? 0.1 : 0.05);
  // 100 bodies lie: as many islands, in chunks of 8, and contacts in chunks of 64.
  EXPECT_GT(contacts, 100u);
}

}  // namespace
}  // namespace delassus::many_threads_test
