// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The one-step problem as a value: checked, described, saved and loaded.
#include "delassus/problems/problem.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "../support/random_problem.hpp"
#include "delassus/base/error.hpp"

namespace delassus::problem_test {
namespace {

using testing::Random;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_infinity = std::numeric_limits<double>::infinity();

std::string to_text(const Problem& problem) {
  std::ostringstream out;
  save(problem, out);
  return out.str();
}
Problem from_text(const std::string& text) {
  std::istringstream in(text);
  return load_problem(in, "some.problem");
}

std::vector<std::uint64_t> bits_of(const Vector& x) {
  std::vector<std::uint64_t> out;
  for (double value : x) out.push_back(std::bit_cast<std::uint64_t>(value));
  return out;
}
Vector values_of(const BlockRows& rows) {
  return testing::dense(rows).reshaped();
}
// All numbers, bit for bit: == would not see the sign of a zero nor accept a nan.
std::vector<std::vector<std::uint64_t>> bits_of(const Problem& problem) {
  return {bits_of(problem.p),
          bits_of(problem.g),
          bits_of(problem.C),
          bits_of(problem.w),
          bits_of(Vector(testing::dense(problem.A).reshaped())),
          bits_of(values_of(problem.Gt)),
          bits_of(values_of(problem.Ht)),
          bits_of(values_of(problem.G_directions)),
          bits_of(values_of(problem.H_directions))};
}

Problem make_any(Random& random) {
  return testing::make_problem(random, {.friction = static_cast<testing::Friction>(random.integer(0, 3)),
                                        .symmetric = random.integer(0, 1) == 0,
                                        .separate_directions = random.integer(0, 1) == 0,
                                        .solvable = false});
}

TEST(ProblemFile, GivesBackEveryBit) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = make_any(random);
    const Problem loaded = from_text(to_text(problem));
    EXPECT_EQ(loaded, problem);
    EXPECT_EQ(bits_of(loaded), bits_of(problem));
  }
}

// Friction by a polygon: its corners are in the file.
TEST(ProblemFile, Polygons) {
  Random random(4);
  int with_polygon = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Problem problem = make_any(random);
    auto polygon = std::make_shared<ConvexPolygon>();
    ASSERT_EQ(ConvexPolygon::make(
                  {{0.1, 0.4 + random.uniform(0, 1)}, {-0.3, 0.2}, {-0.1, -0.7}, {0.2, -0.6}, {0.5, 0.1}},
                  *polygon),
              "");
    *polygon = trial % 2 == 0 ? polygon->turned() : polygon->mirrored();
    for (Cone& cone : problem.cones)
      if (cone.dim == 3 && cone.kind == ConeKind::polyhedral) {
        cone.polygon.polygon = polygon;
        cone.num_directions = polygon->size();
        ++with_polygon;
      }
    require_consistent(problem);
    EXPECT_EQ(from_text(to_text(problem)), problem);
  }
  EXPECT_GT(with_polygon, 10);
  // Three corners on one side of the origin.
  EXPECT_THROW(
      {
        std::istringstream in(
            "delassus-local-problem 1\nsymmetric 1\ncones 1\npolygon 3 1 3 0 0 1 0 2 0 2 1\n");
        load_local_problem(in, "bad");
      },
      InputError);
}

TEST(ProblemFile, SpecialNumbers) {
  Random random(2);
  Problem problem = make_any(random);
  const double special[] = {0.0,
                            -0.0,
                            k_infinity,
                            -k_infinity,
                            k_nan,
                            -k_nan,
                            std::numeric_limits<double>::min(),
                            std::numeric_limits<double>::denorm_min(),
                            -std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::max(),
                            1.0 / 3};
  for (Eigen::Index i = 0; i < problem.p.size(); ++i) problem.p[i] = special[i % std::size(special)];
  // Random bits: every exponent, also denormal numbers.
  for (double& x : problem.w) x = std::bit_cast<double>(random.bits() & 0x800fffffffffffffu);
  EXPECT_EQ(bits_of(from_text(to_text(problem))), bits_of(problem));
}

TEST(ProblemFile, EmptyAndPartlyEmpty) {
  EXPECT_EQ(from_text(to_text(Problem{})), Problem{});
  Problem problem;
  problem.A.clear(3);  // no block
  problem.p = Vector::Zero(3);
  problem.Gt.clear(3);
  problem.Gt.add_group(2);  // no block
  problem.g = problem.C = Vector::Zero(2);
  EXPECT_EQ(from_text(to_text(problem)), problem);
}

TEST(ProblemFile, IsWhatItSays) {
  // Written by hand: the format is a promise to other programs.
  const std::string text =
      "delassus-problem 1\n"
      "symmetric 1 separate_directions 0\n"
      "A 2 2\n"
      "0 0 2 2 2 0x1p-1 0.5 3\n"
      "1 1 1 1 1\n"
      "p 2 -1 0\n"
      "Gt 2 1\n"
      "1 2\n"
      "  0 1 1\n"
      "  1 1 -1\n"
      "g 1 0 C 1 0.25\n"
      "Ht 2 1\n"
      "2 1\n"
      "  0 2 1 2 3 4\n"
      "w 2 0 0.125\n"
      "G_directions 0 0\n"
      "H_directions 0 0\n"
      "cones 1\n"
      "polyhedral 2 0.5 2 0 0\n"
      "end\n";
  const Problem problem = from_text(text);
  Matrix A(2, 2), Gt(1, 2), Ht(2, 2);
  A << 2, 0.5, 0.5, 4;
  Gt << 1, -1;
  Ht << 1, 2, 3, 4;
  EXPECT_EQ(testing::dense(problem.A), A);
  EXPECT_EQ(testing::dense(problem.Gt), Gt);
  EXPECT_EQ(testing::dense(problem.Ht), Ht);
  EXPECT_EQ(problem.p, Vector(Eigen::Vector2d(-1, 0)));
  EXPECT_EQ(problem.C[0], 0.25);
  EXPECT_EQ(problem.w[1], 0.125);
  EXPECT_EQ(problem.cones[0], testing::planar_cone(0.5));
  EXPECT_TRUE(problem.symmetric);
  EXPECT_FALSE(problem.separate_directions);
}

TEST(ProblemFile, SeveralInOneStream) {
  Random random(3);
  const Problem first = make_any(random), second = make_any(random);
  std::istringstream in(to_text(first) + to_text(second));
  EXPECT_EQ(load_problem(in, "two"), first);
  EXPECT_EQ(load_problem(in, "two"), second);
  EXPECT_THROW(load_problem(in, "two"), InputError);
}

// The text with `from` replaced, once.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Loading throws, and the message names the file and has `part` in it.
void expect_error(const std::string& text, const std::string& part) {
  try {
    from_text(text);
    ADD_FAILURE() << "no error, expected: " << part;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("some.problem"), std::string::npos) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

std::string particle_text() {
  return to_text(testing::make_particle(1, testing::planar_cone(0.5), Eigen::Vector2d(-1, 2)));
}

TEST(ProblemFile, Malformed) {
  const std::string good = particle_text();
  expect_error("", "ends too early");
  expect_error("delassus-state 1", "delassus-problem");
  expect_error(changed(good, "delassus-problem 1", "delassus-problem 2"), "expected 1, found '2'");
  expect_error(changed(good, "symmetric 1", "symmetric 2"), "'2' is not an integer in 0 … 1");
  expect_error(changed(good, "p 2 ", "q 2 "), "expected 'p', found 'q'");
  expect_error(changed(good, "p 2 ", "p 3 "), "'Gt' is not a number");
  expect_error(changed(good, "p 2 ", "p two "), "'two' is not an integer");
  expect_error(changed(good, "p 2 ", "p 2 1.5x "), "'1.5x' is not a number");
  expect_error(changed(good, "0x1p+0", "zero"), "'zero' is not a number");
  expect_error(changed(good, "A 2 1\n0 0 2 2", "A 2 1\n0 1 2 2"), "'2' is not an integer in 0 … 1");
  expect_error(changed(good, "polyhedral 2", "polyhedra 2"), "'polyhedra'");
  expect_error(changed(good, "polyhedral 2", "polyhedral 4"), "dim 2 or 3, not 4");
  expect_error(good.substr(0, good.size() - 4), "ends too early");
  // The place of the error.
  expect_error(changed(good, "\np 2 ", "\n  q 2 "), "some.problem:5:3:");
  // A long or unprintable word is cut.
  expect_error(changed(good, "p 2 ", std::string(100000, 'p') + " "), "ppp…'");
  expect_error(changed(good, "p 2 ", "\x01\x02 "), "found '?");
}

TEST(ProblemFile, Inconsistent) {
  const std::string good = particle_text();
  expect_error(changed(good, "p 2 ", "p 3 0 "), "the size of p is 3, but the size of A is 2");
  expect_error(changed(good, "w 2 ", "w 3 0 "), "the size of w");
  expect_error(changed(good, "g 0", "g 1 0"), "the size of g");
  expect_error(changed(good, "separate_directions 0", "separate_directions 1"), "H_directions");
  expect_error(changed(good, "cones 1\n", "cones 2\nnonnegative 1 0 0 0 0\n"), "2 cones");
  expect_error(changed(good, "polyhedral 2", "polyhedral 3"), "dim 3");
  expect_error(changed(good, "polyhedral 2 0x1p-1 2", "polyhedral 2 0x1p-1 4"), "2 directions, not 4");
}

TEST(ProblemFile, NotANumberInTheStructure) {
  const std::string good = particle_text();
  expect_error(changed(good, "polyhedral 2 0x1p-1", "polyhedral 2 nan"), "mu is nan");
  expect_error(changed(good, "polyhedral 2 0x1p-1", "polyhedral 2 inf"), "mu is inf");
  expect_error(changed(good, "polyhedral 2 0x1p-1", "polyhedral 2 -0x1p-1"), "mu is -0.5");
  expect_error(changed(good, "0x1p-1 2 0x0p+0 0x0p+0", "0x1p-1 2 0x0p+0 nan"), "angle is nan");
  expect_error(changed(good, "0x1p-1 2 0x0p+0 0x0p+0", "0x1p-1 2 nan 0"), "extra_normal is nan");
  expect_error(changed(good, "A 2 1", "A nan 1"), "'nan' is not an integer");
  expect_error(changed(good, "A 2 1", "A 2 nan"), "'nan' is not an integer");
}

TEST(ProblemFile, HugeCountsAskForNoMemory) {
  const std::string good = particle_text();
  for (const char* huge : {"100000000", "99999999"}) {
    const std::string n = huge;
    expect_error(changed(good, "p 2 ", "p " + n + " "), "not a number");
    expect_error(changed(good, "A 2 1", "A 2 " + n), "not an integer");
    expect_error(changed(good, "A 2 1\n0 0 2 2", "A " + n + " 1\n0 0 " + n + " " + n), "entries");
    expect_error(changed(good, "A 2 1\n0 0 2 2", "A " + n + " 1\n0 0 1 " + n), "not a number");
    expect_error(changed(good, "Ht 2 1\n2 1", "Ht 2 1\n" + n + " 1"), "entries");
    expect_error(changed(good, "cones 1", "cones " + n), "'end'");
  }
  // Rows beyond what an int can count, from many groups without blocks.
  std::string groups = "Ht 2 30\n";
  for (int i = 0; i < 30; ++i) groups += "100000000 0\n";
  expect_error(changed(good, "Ht 2 1\n2 1\n", groups), "entries");
  for (const char* huge : {"100000001", "4294967296", "9223372036854775807", "99999999999999999999", "-1"})
    expect_error(changed(good, "p 2 ", std::string("p ") + huge + " "), "is not an integer in 0 …");
  expect_error(changed(good, "0x1p-1 2 ", "0x1p-1 2000000000 "), "is not an integer");
}

TEST(ProblemFile, EveryTruncationIsAnError) {
  Random random(4);
  const std::string good = to_text(make_any(random));
  const std::size_t last = good.rfind("end") + 3;
  for (std::size_t length = 0; length < last; length += 1 + length / 200) {
    EXPECT_THROW(from_text(good.substr(0, length)), InputError) << length;
  }
}

TEST(ProblemFile, TwoThousandMutations) {
  Random random(5);
  int errors = 0, valid = 0;
  const std::string alphabet = "0123456789 \n-+.xpaenif\tAGH\x01\xff";
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text = to_text(make_any(random));
    for (int change = random.integer(1, 4); change > 0; --change) {
      const int at = random.integer(0, static_cast<int>(text.size()) - 1);
      const int length = random.integer(1, 20);
      switch (random.integer(0, 4)) {
        case 0:
          text[at] = alphabet[random.integer(0, static_cast<int>(alphabet.size()) - 1)];
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(random.integer(0, static_cast<int>(text.size()) - 1), length));
          break;
        case 3:
          text[at] = static_cast<char>(text[at] ^ (1 << random.integer(0, 7)));
          break;
        case 4:
          text.insert(at, std::to_string(random.bits() >> random.integer(0, 63)));
          break;
      }
      if (text.empty()) text = " ";
    }
    try {
      const Problem problem = from_text(text);
      ++valid;
      require_consistent(problem);  // must not throw
      EXPECT_FALSE(describe(problem).empty());
      EXPECT_EQ(bits_of(from_text(to_text(problem))), bits_of(problem));
    } catch (const InputError& error) {
      ++errors;
      EXPECT_EQ(std::string(error.what()).rfind("some.problem:", 0), 0u) << error.what();
    }
  }
  EXPECT_EQ(errors + valid, 2000);
  EXPECT_GT(errors, 500);
  EXPECT_GT(valid, 100);
}

void expect_inconsistent(const Problem& problem, const std::string& part) {
  try {
    require_consistent(problem);
    ADD_FAILURE() << "no error, expected: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_NE(describe(problem).find("inconsistent: "), std::string::npos);
}

TEST(RequireConsistent, NamesTheMismatch) {
  Random random(6);
  Problem good;
  do
    good = testing::make_problem(random,
                                 {.friction = testing::Friction::polyhedral, .separate_directions = true});
  while (good.Gt.rows() == 0 || good.cones[0].dim != 3);
  EXPECT_NO_THROW(require_consistent(good));
  EXPECT_NO_THROW(require_consistent(Problem{}));
  const int nv = good.A.size();
  const auto with = [&](const auto& change) {
    Problem problem = good;
    change(problem);
    return problem;
  };
  expect_inconsistent(with([](Problem& p) { p.p.conservativeResize(1); }), "size of p");
  expect_inconsistent(with([](Problem& p) { p.g.resize(0); }), "size of g");
  expect_inconsistent(with([](Problem& p) { p.C.resize(9); }), "size of C");
  expect_inconsistent(with([](Problem& p) { p.w.resize(1); }), "size of w");
  expect_inconsistent(with([](Problem& p) { p.cones.pop_back(); }), "cones");
  expect_inconsistent(with([&](Problem& p) { p.A.clear(nv + 1); }), "size of A");
  expect_inconsistent(
      with([&](Problem& p) { p.Gt = testing::to_block_rows(Matrix::Zero(p.Gt.rows(), nv + 1)); }),
      "columns of Gt");
  expect_inconsistent(with([&](Problem& p) { p.G_directions.clear(nv); }), "G_directions");
  expect_inconsistent(with([&](Problem& p) { p.H_directions.add_group(1); }), "H_directions");
  expect_inconsistent(with([](Problem& p) { p.cones[0].dim = 2; }), "cone 0");
  expect_inconsistent(with([](Problem& p) { p.cones[0].num_directions = 5; }), "even");
  expect_inconsistent(with([](Problem& p) { p.cones[0].num_directions = 0; }), "even");
  expect_inconsistent(with([](Problem& p) { p.cones[0].mu = k_nan; }), "mu");
  expect_inconsistent(with([](Problem& p) { p.cones[0].mu = -0.1; }), "mu");
  expect_inconsistent(with([](Problem& p) { p.cones[0].kind = ConeKind::nonnegative; }), "dim 1");
  // Directions that are not used are not looked at.
  EXPECT_NO_THROW(require_consistent(with([](Problem& p) {
    p.separate_directions = false;
    p.G_directions.clear(99);
  })));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Describe, SizesAndNumbersOfASmallProblem) {
  Problem problem = testing::make_particle(1.375, testing::planar_cone(0.625), Eigen::Vector2d(-1, 2));
  std::string text = describe(problem);
  EXPECT_TRUE(contains(text, "2 velocities")) << text;
  EXPECT_TRUE(contains(text, "0 joint rows")) << text;
  EXPECT_TRUE(contains(text, "2 contact rows in 1 contact")) << text;
  EXPECT_TRUE(contains(text, "symmetric")) << text;
  EXPECT_TRUE(contains(text, "1.375")) << text;
  EXPECT_TRUE(contains(text, "1 polyhedral")) << text;
  EXPECT_TRUE(contains(text, "mu 0.625")) << text;
  EXPECT_FALSE(contains(text, "not finite")) << text;
  problem.p[0] = k_nan;
  problem.w[0] = k_infinity;
  text = describe(problem);
  EXPECT_TRUE(contains(text, "not finite: p, w")) << text;
}

TEST(Describe, LargeProblemIsASummary) {
  Random random(7);
  Problem problem;
  problem.A = testing::to_block_matrix(testing::make_positive(random, 60));
  problem.symmetric = false;
  problem.p = random.vector(60);
  problem.Gt = testing::to_block_rows(random.matrix(7, 60), {3, 4});
  problem.g = problem.C = Vector::Zero(7);
  problem.Ht = testing::to_block_rows(random.matrix(12, 60), {3, 3, 3, 3});
  problem.w = Vector::Zero(12);
  problem.cones.assign(4, {.kind = ConeKind::coulomb, .dim = 3, .mu = 0.25});
  problem.cones[2].mu = 0.75;
  const std::string text = describe(problem);
  EXPECT_TRUE(contains(text, "60 velocities")) << text;
  EXPECT_TRUE(contains(text, "7 joint rows in 2 groups")) << text;
  EXPECT_TRUE(contains(text, "12 contact rows in 4 contacts")) << text;
  EXPECT_TRUE(contains(text, "not symmetric")) << text;
  EXPECT_TRUE(contains(text, "4 coulomb; mu 0.25 … 0.75")) << text;
  EXPECT_LT(text.size(), 500u);
}

}  // namespace
}  // namespace delassus::problem_test
