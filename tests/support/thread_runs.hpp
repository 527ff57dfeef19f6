// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The same run with several numbers of threads.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <sstream>

#include "delassus/base/parallel.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::testing {

// FNV-1a over every bit of the state: its text says every number exactly, and −0 and 0 differ.
inline std::uint64_t hash_of(const State& state) {
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

inline Outcome outcome_of_run(Simulation simulation, int threads, double t_end) {
  set_num_threads(threads);
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  set_num_threads(1);
  return {hash_of(simulation.state()), simulation.report().contacts.size()};
}

// With 1, 2 and 4 threads; how many contacts there are at the end.
inline std::size_t check_threads(const std::function<Simulation()>& make, double t_end) {
  const Outcome one = outcome_of_run(make(), 1, t_end);
  for (int threads : {2, 4}) EXPECT_EQ(outcome_of_run(make(), threads, t_end).hash, one.hash) << threads;
  return one.contacts;
}

}  // namespace delassus::testing
