// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../support/random_problem.hpp"

namespace delassus::roots_test {
namespace {

using testing::Random;

constexpr double k_epsilon = std::numeric_limits<double>::epsilon();

struct Found {
  double x;
  int evaluations;
};

Found find(const std::function<double(double)>& f, double a, double b, double tolerance = 0) {
  Found found{0, 0};
  const auto counted = [&](double x) {
    ++found.evaluations;
    EXPECT_GE(x, std::min(a, b));
    EXPECT_LE(x, std::max(a, b));
    return f(x);
  };
  found.x = find_root(counted, a, b, f(a), f(b), tolerance);
  return found;
}

TEST(FindRoot, SmoothFunctionsToTheLastBits) {
  const struct {
    std::function<double(double)> f;
    double a, b, root;
  } cases[] = {
      {[](double x) { return x * x * x - 2 * x - 5; }, 2, 3, 2.0945514815423265915},  // Wallis
      {[](double x) { return std::cos(x) - x; }, 0, 1, 0.73908513321516064166},
      {[](double x) { return std::exp(x) - 2; }, -10, 10, std::numbers::ln2},
      {[](double x) { return x * x - 2; }, 0, 1e6, std::numbers::sqrt2},
      {[](double x) { return std::sin(x); }, 3, 4, std::numbers::pi},
      {[](double x) { return 1 / x - 1e-3; }, 1, 1e9, 1000},
  };
  for (const auto& c : cases) {
    const Found forward = find(c.f, c.a, c.b);
    EXPECT_NEAR(forward.x, c.root, 4 * k_epsilon * c.root);
    EXPECT_LE(forward.evaluations, 100);
    EXPECT_NEAR(find(c.f, c.b, c.a).x, c.root, 4 * k_epsilon * c.root);  // ends swapped
  }
  // Faster than bisection (53 steps) where the function is smooth on the bracket.
  EXPECT_LE(find(cases[0].f, 2, 3).evaluations, 10);
  EXPECT_LE(find(cases[1].f, 0, 1).evaluations, 10);
}

TEST(FindRoot, HardFunctions) {
  // Flat, a jump, a kink and a function that is nearly one: bisection must take over.
  EXPECT_NEAR(find([](double x) { return std::pow(x - 0.3, 3); }, -1, 1).x, 0.3, 1e-5);
  EXPECT_NEAR(find([](double x) { return x < 0.3 ? -1.0 : 1.0; }, 0, 1).x, 0.3, 1e-15);
  EXPECT_NEAR(find([](double x) { return x < 0.3 ? x - 0.3 : 1e6 * (x - 0.3); }, 0, 1).x, 0.3, 1e-15);
  EXPECT_NEAR(find([](double x) { return std::atan(1e9 * (x - 0.3)); }, -1, 1).x, 0.3, 1e-15);
  const Found flat = find([](double x) { return std::pow(x, 19); }, -1, 4, 1e-10);
  EXPECT_LE(std::pow(std::abs(flat.x), 19), 1e-15);
  EXPECT_LE(flat.evaluations, 200);
}

TEST(FindRoot, EndsThatAreRoots) {
  const auto f = [](double x) { return x * (x - 1); };
  EXPECT_EQ(find_root(f, 0, 0.5, 0, -0.25), 0);
  EXPECT_EQ(find_root(f, 0.5, 1, -0.25, 0), 1);
}

TEST(FindRoot, ToleranceBoundsTheError) {
  for (double tolerance : {1e-2, 1e-4, 1e-8}) {
    const Found found = find([](double x) { return std::expm1(x) - 1; }, 0, 3, tolerance);
    EXPECT_LE(std::abs(found.x - std::numbers::ln2), tolerance);
  }
  EXPECT_LT(find([](double x) { return std::cbrt(x - 0.1); }, -1, 1, 1e-3).evaluations,
            find([](double x) { return std::cbrt(x - 0.1); }, -1, 1).evaluations);
}

// Coefficients of p in powers of s, worked out apart from the code.
struct Monomials {
  double c0, c1, c2, c3;
  explicit Monomials(const CubicHermite& p)
      : c0(p.p0), c1(p.d0), c2(3 * (p.p1 - p.p0) - 2 * p.d0 - p.d1), c3(2 * (p.p0 - p.p1) + p.d0 + p.d1) {}
  double value(double s) const { return c0 + s * (c1 + s * (c2 + s * c3)); }
  double slope(double s) const { return c1 + s * (2 * c2 + 3 * c3 * s); }
};

TEST(CubicHermite, ValueAndSlope) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const CubicHermite p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                         random.uniform(-1, 1)};
    EXPECT_EQ(p.value(0), p.p0);
    EXPECT_EQ(p.value(1), p.p1);
    EXPECT_EQ(p.slope(0), p.d0);
    EXPECT_EQ(p.slope(1), p.d1);
    const Monomials reference(p);
    for (double s : {0.1, 0.35, 0.5, 0.9}) {
      EXPECT_NEAR(p.value(s), reference.value(s), 1e-14);
      EXPECT_NEAR(p.slope(s), reference.slope(s), 1e-14);
    }
  }
}

CubicHermite through(const std::function<double(double)>& value, const std::function<double(double)>& slope) {
  return {value(0), slope(0), value(1), slope(1)};
}
// scale (s − a)(s − b)(s − c)
CubicHermite with_roots(double scale, double a, double b, double c) {
  return through(
      [=](double s) { return scale * (s - a) * (s - b) * (s - c); },
      [=](double s) { return scale * ((s - b) * (s - c) + (s - a) * (s - c) + (s - a) * (s - b)); });
}

TEST(FirstDowncrossing, SimpleCrossing) {
  EXPECT_NEAR(*find_first_downcrossing({1, -2, -1, -2}), 0.5, 1e-15);  // a line
  EXPECT_NEAR(*find_first_downcrossing(with_roots(-1, 0.25, 2, 3)), 0.25, 1e-14) << "down at 0.25";
}

TEST(FirstDowncrossing, DipThatReturns) {
  // Positive at both ends, below zero between 0.4 and 0.6.
  const auto dip = find_first_downcrossing(with_roots(1, -1, 0.4, 0.6));
  ASSERT_TRUE(dip);
  EXPECT_NEAR(*dip, 0.4, 1e-14);
  // A very narrow one.
  const auto narrow = find_first_downcrossing(with_roots(1, -1, 0.5, 0.5 + 1e-5));
  ASSERT_TRUE(narrow);
  EXPECT_NEAR(*narrow, 0.5, 1e-10);
}

TEST(FirstDowncrossing, UpThenDown) {
  // Starts below zero: rises at 0.2, falls at 0.7. It is below zero from the start on.
  const CubicHermite p = with_roots(-1, 0.2, 0.7, -5);
  EXPECT_NEAR(*find_first_downcrossing(p, 0.3), 0.7, 1e-14);
}

TEST(FirstDowncrossing, StartAtZero) {
  // Rising from zero: the start is no crossing, the later fall is.
  EXPECT_NEAR(*find_first_downcrossing(with_roots(-1, 0, 0.5, -3)), 0.5, 1e-14);
  EXPECT_FALSE(find_first_downcrossing({0, 1, 1, 1}));
  // Falling from zero: at once.
  EXPECT_EQ(*find_first_downcrossing({0, -1, -1, -1}), 0);
  // At rest on zero and falling later, as a contact that lifts the other way.
  EXPECT_EQ(*find_first_downcrossing({0, 0, -1, -2}), 0);
}

TEST(FirstDowncrossing, NoCrossing) {
  EXPECT_FALSE(find_first_downcrossing({1, 0, 1, 0}));
  EXPECT_FALSE(find_first_downcrossing({0, 0, 0, 0}));
  EXPECT_FALSE(find_first_downcrossing({1, -2, 1, 2}));                    // dips to 0.5
  EXPECT_FALSE(find_first_downcrossing({1, 5, 0, -1}));                    // reaches zero at the very end
  EXPECT_FALSE(find_first_downcrossing(with_roots(1, 0.2, -1, -2), 0.3));  // rose before s_min
}

TEST(FirstDowncrossing, RandomCubicsAgainstAScan) {
  Random random(2);
  constexpr int steps = 2000;
  int crossings = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const CubicHermite p{random.uniform(0, 1), random.uniform(-6, 6), random.uniform(-1, 1),
                         random.uniform(-6, 6)};
    const Monomials reference(p);
    const double s_min = trial % 2 == 0 ? 0.0 : random.uniform(0, 0.8);
    if (reference.value(s_min) <= 0) continue;
    double scanned = 2;
    for (int i = 0; i <= steps && scanned > 1; ++i) {
      const double s = s_min + (1 - s_min) * i / steps;
      if (reference.value(s) < 0) scanned = s;
    }
    const auto found = find_first_downcrossing(p, s_min);
    if (scanned <= 1) {
      ASSERT_TRUE(found);
      EXPECT_LE(*found, scanned);
    }
    if (!found) continue;
    ++crossings;
    // A root with p falling, and nothing below zero before it.
    EXPECT_NEAR(reference.value(*found), 0, 1e-13);
    EXPECT_LE(reference.slope(*found), 1e-7);
    EXPECT_GT(*found, s_min);
    for (int i = 0; i < 100; ++i) EXPECT_GE(reference.value(s_min + (*found - s_min) * i / 100), -1e-13);
  }
  EXPECT_GT(crossings, 500);
}

}  // namespace
}  // namespace delassus::roots_test
