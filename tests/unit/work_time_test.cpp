// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock of kinds of work: parts add up, and what a scope within charges is not charged twice.
#include "delassus/base/work_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace delassus::work_time_test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Until the clock has gone on by so much, however busy the machine is.
void pass(double seconds) {
  const Clock::time_point begin = Clock::now();
  while (seconds_since(begin) < seconds) {
  }
}

WorkTime part(const std::vector<WorkTime>& parts, WorkKind kind) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const WorkTime& one) { return one.kind == kind; });
  return found == parts.end() ? WorkTime{kind} : *found;
}

TEST(WorkTime, ScopesWithinAreNotChargedTwice) {
  constexpr double inner = 4e-3, outer = 1e-3;
  const Clock::time_point begin = Clock::now();
  WorkClock::here().start();
  {
    const WorkScope projection(WorkKind::projection);
    pass(outer);
    for (int i = 0; i < 2; ++i) {
      const WorkScope rows(WorkKind::contacts);
      pass(inner);
    }
    pass(outer);
  }
  pass(outer);
  const std::vector<WorkTime> parts = WorkClock::here().stop();
  const double whole = seconds_since(begin);
  const WorkTime projection = part(parts, WorkKind::projection), rows = part(parts, WorkKind::contacts);
  EXPECT_EQ(projection.calls, 1);
  EXPECT_EQ(rows.calls, 2);
  EXPECT_GE(rows.seconds, 2 * inner);
  EXPECT_GE(projection.seconds, 2 * outer);
  EXPECT_GE(part(parts, WorkKind::other).seconds, outer);
  double sum = 0;
  for (const WorkTime& one : parts) sum += one.seconds;
  // Charged twice, the rows would make it more than all that has passed.
  EXPECT_LE(sum, whole);
  EXPECT_GE(sum, 2 * inner + 3 * outer);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end(),
                             [](const WorkTime& a, const WorkTime& b) { return a.seconds > b.seconds; }));
}

TEST(WorkTime, NothingIsChargedWhileTheClockStands) {
  {
    const WorkScope scope(WorkKind::events);
    pass(1e-4);
  }
  WorkClock::here().start();
  std::thread([] {
    const WorkScope scope(WorkKind::events);
    pass(1e-4);
  }).join();
  const std::vector<WorkTime> parts = WorkClock::here().stop();
  EXPECT_EQ(part(parts, WorkKind::events).calls, 0);
  EXPECT_FALSE(WorkClock::here().running());
}

TEST(WorkTime, AStartForgetsWhatWasBefore) {
  WorkClock::here().start();
  { const WorkScope scope(WorkKind::events); }
  WorkClock::here().start();
  EXPECT_EQ(part(WorkClock::here().stop(), WorkKind::events).calls, 0);
}

TEST(WorkTime, EveryKindHasAName) {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < k_num_work_kinds; ++kind)
    names.emplace_back(to_string(static_cast<WorkKind>(kind)));
  std::sort(names.begin(), names.end());
  EXPECT_NE(names.front(), "");
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace delassus::work_time_test
