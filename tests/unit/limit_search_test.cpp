// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/limit_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace delassus::limit_search_test {
namespace {

using Limits = std::vector<double>;

// Rounds until |F(b) − b| ≤ `settled`; the last b is left in `b`.
int rounds_of(const std::function<Limits(const Limits&)>& F, Limits& b, double settled = 1e-13) {
  LimitSearch search;
  search.restart();
  for (int round = 1; round <= LimitSearch::k_max_rounds; ++round) {
    Limits asked = F(b);
    double change = 0;
    for (std::size_t i = 0; i < b.size(); ++i) change = std::max(change, std::abs(asked[i] - b[i]));
    if (change <= settled) return round;
    search.next(b, change > 1e-9, asked);
    b = asked;
  }
  return LimitSearch::k_max_rounds + 1;
}

TEST(LimitSearch, GoesOnAsLongAsRoundsContract) {
  Limits b{0};
  EXPECT_LE(rounds_of([](const Limits& x) { return Limits{0.2 * x[0] + 0.8}; }, b), 21);
  EXPECT_NEAR(b[0], 1, 1e-12);
}

TEST(LimitSearch, SlowContractionIsExtrapolated) {
  Limits b{0};
  EXPECT_LE(rounds_of([](const Limits& x) { return Limits{0.99 * x[0] + 0.01}; }, b), 12);
  EXPECT_NEAR(b[0], 1, 1e-10);
}

TEST(LimitSearch, SwingsAreDamped) {
  Limits b{0, 0};
  EXPECT_LE(rounds_of(
                [](const Limits& x) {
                  return Limits{4 - 3 * x[0] + 0.1 * x[1], 1 + 0.2 * x[0]};
                },
                b),
            60);
  // 4 b₀ − 0.1 b₁ = 4, b₁ − 0.2 b₀ = 1
  EXPECT_NEAR(b[0], 4.1 / 3.98, 1e-12);
}

// What adds more than itself grows until it sticks and asks for no more.
TEST(LimitSearch, GrowsWhereItJams) {
  Limits b{1};
  EXPECT_LE(rounds_of([](const Limits& x) { return Limits{std::min(1.04 * x[0] + 0.1, 1000.0)}; }, b), 60);
  EXPECT_EQ(b[0], 1000);
}

// Steeper than any share: 1 below 0.3, nothing above 0.3001, straight between; it magnifies the round-off of b by 1e4.
TEST(LimitSearch, SteepOnesAreEnclosed) {
  Limits b{0};
  const auto F = [](const Limits& x) { return Limits{std::clamp((0.3001 - x[0]) / 1e-4, 0.0, 1.0)}; };
  EXPECT_LE(rounds_of(F, b, 1e-11), LimitSearch::k_max_rounds);
  EXPECT_NEAR(F(b)[0], b[0], 1e-11);
}

}  // namespace
}  // namespace delassus::limit_search_test
