// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of Siconos, and ours for local problems: what stands there, round trips, broken files.
#include "delassus/io/siconos_text.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "delassus/base/error.hpp"
#include "delassus/io/problem_file.hpp"
#include "tests/support/hdf5_writer.hpp"

namespace delassus::siconos_text_test {
namespace {

// As Siconos 4.4 writes it: W_ij = 10 i + j, column by column.
const std::string k_dense = "3\n1\n0\n3\n3\n3\t3\n11 21 31\n12 22 32\n13 23 33\n1 2 3\n0.5\n";
// Two planar contacts, coupled one way.
const std::string k_blocks =
    "2\n2\n1\n4\n4\n3\n2\n2\n2\t4\n2\t4\n3\n3\n0\t2\t3\n0\t1\t1\n"
    "0\n1\n2\n3\n4\n1\n5\n6\n7\n8\n2\n9\n10\n11\n12\n-1 -2 -3 -4\n0.1 0.2\n";
const std::string k_global =
    "3\n1\n0\n2\n2\n2\t2\n1 21\n12 22\n0\n2\n3\n2\t3\n11 21 12\n22 13 23\n7 8\n1 2 3\n0.5\n";

class SiconosTextTest : public delassus::testing::DirectoryTest {
 protected:
  StoredProblem load(const std::string& text) const {
    write("file.dat", text);
    return std::get<StoredProblem>(read_problem_file(path("file.dat")));
  }
  std::string message(const std::string& text) const {
    try {
      load(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(SiconosTextTest, DenseMatricesStandColumnByColumn) {
  const StoredProblem problem = load(k_dense);
  EXPECT_EQ(problem.form, StoredForm::local);
  EXPECT_EQ(Matrix(problem.W), (Matrix(3, 3) << 11, 12, 13, 21, 22, 23, 31, 32, 33).finished());
  EXPECT_EQ(problem.q, Vector3(1, 2, 3));
  EXPECT_EQ(problem.mu, Vector::Constant(1, 0.5));
}

TEST_F(SiconosTextTest, SparseBlocks) {
  const StoredProblem problem = load(k_blocks);
  EXPECT_EQ(problem.spacedim, 2);
  EXPECT_EQ(Matrix(problem.W),
            (Matrix(4, 4) << 1, 3, 5, 7, 2, 4, 6, 8, 0, 0, 9, 11, 0, 0, 10, 12).finished());
  EXPECT_EQ(problem.mu, Eigen::Vector2d(0.1, 0.2));
}

TEST_F(SiconosTextTest, GlobalProblems) {
  const StoredProblem problem = load(k_global);
  EXPECT_EQ(problem.form, StoredForm::global);
  EXPECT_EQ(Matrix(problem.M), (Matrix(2, 2) << 1, 12, 21, 22).finished());
  EXPECT_EQ(Matrix(problem.H), (Matrix(2, 3) << 11, 12, 13, 21, 22, 23).finished());
  EXPECT_EQ(problem.f, Eigen::Vector2d(7, 8));
  EXPECT_EQ(problem.w, Vector3(1, 2, 3));
}

TEST_F(SiconosTextTest, RoundTripsKeepEveryBit) {
  for (const std::string& text : {k_dense, k_blocks, k_global}) {
    StoredProblem problem = load(text);
    for (SparseMatrix* matrix : {&problem.W, &problem.M, &problem.H})
      if (matrix->size() > 0) *matrix = *matrix / 3.0;
    problem.mu /= 7.0;
    write_siconos_text(path("copy.dat"), problem);
    const StoredProblem copy = read_siconos_text(path("copy.dat"));
    EXPECT_EQ(copy.form, problem.form);
    EXPECT_EQ(Matrix(copy.W), Matrix(problem.W));
    EXPECT_EQ(Matrix(copy.M), Matrix(problem.M));
    EXPECT_EQ(Matrix(copy.H), Matrix(problem.H));
    EXPECT_EQ(copy.q, problem.q);
    EXPECT_EQ(copy.f, problem.f);
    EXPECT_EQ(copy.w, problem.w);
    EXPECT_EQ(copy.mu, problem.mu);
  }
}

TEST_F(SiconosTextTest, BrokenFilesSayWhere) {
  // Every cut in front of a word ends with a message; the words of all three.
  for (const std::string& text : {k_dense, k_blocks, k_global}) {
    EXPECT_EQ(message(text), "");
    std::istringstream words(text);
    std::string start;
    for (std::string word; words >> word; start += word + "\n")
      EXPECT_NE(message(start).find("file.dat"), std::string::npos) << start;
    EXPECT_EQ(message(text + "0"), "") << text;  // a flag of some files
    EXPECT_NE(message(text + "0 7"), "") << text;
  }
  const auto changed = [&](const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return message(text.substr(0, place) + to + text.substr(place + from.size()));
  };
  const auto expect = [](const std::string& what, const std::string& piece) {
    EXPECT_NE(what.find(piece), std::string::npos) << what;
  };
  expect(changed(k_dense, "3\n1\n", "4\n1\n"),
         ":1:1: not a usable friction problem of Siconos: '4' is not an integer in 2 … 3");
  expect(changed(k_dense, "0\n3\n3", "2\n3\n3"), "stored in form 2, which has 6 digits");
  expect(changed(k_dense, "11", "nan"), "is nan, it must be finite");
  expect(changed(k_dense, "11", "x"), "'x' is not a number");
  expect(changed(k_dense, "0.5", "-0.5"), "mu is -0.5, it must be finite and at least 0");
  expect(changed(k_dense, "0\n3\n3", "0\n999999999\n3"), "not an integer in 0 … 100000000");
  expect(changed(k_dense, "3\n1\n", "3\n100000000\n"), "file.dat");
  expect(changed(k_blocks, "0\t1\t1\n", "0\t1\t2\n"), "'2' is not an integer in 0 … 1");
  expect(changed(k_blocks, "0\t2\t3\n", "0\t3\t2\n"), "must ascend from 0 to 3");
  expect(changed(k_blocks, "2\t4\n", "2\t5\n"), "expected 4, found '5'");
  expect(changed(k_blocks, "\n1\n5\n", "\n3\n5\n"), "expected 1, found '3'");
  StoredProblem problem = load(k_global);
  problem.G = SparseMatrix(2, 1);
  problem.b = Vector::Zero(1);
  EXPECT_THROW(write_siconos_text(path("copy.dat"), problem), InputError);
}

// --- ours

LocalProblem make_local() {
  LocalProblem problem;
  problem.cones = {{.kind = ConeKind::convex, .dim = 3, .mu = 0.1},
                   {.kind = ConeKind::coulomb, .dim = 6, .mu = 0.2, .mu_rolling = 0.01, .mu_spinning = 0.003},
                   {.kind = ConeKind::equality, .dim = 2},
                   {.kind = ConeKind::box, .dim = 1, .bound = 4}};
  const std::vector<int> dims{3, 6, 2, 1}, starts{0, 2, 5, 7, 8}, columns{0, 1, 0, 1, 2, 1, 2, 3};
  problem.W.set_pattern(dims, starts, columns);
  double x = 0.1;
  for (int a = 0; a < 4; ++a)
    for (int e = problem.W.row_begin(a); e < problem.W.row_end(a); ++e)
      for (double& value : problem.W.block(a, e).reshaped()) value = x *= -1.1;
  problem.u_free = Vector::LinSpaced(12, -1, 1.7);
  problem.symmetric = false;
  return problem;
}

TEST(LocalProblemText, RoundTripKeepsEveryBit) {
  const LocalProblem problem = make_local();
  std::stringstream text;
  save(problem, text);
  const LocalProblem copy = load_local_problem(text, "text");
  EXPECT_EQ(copy.W, problem.W);
  EXPECT_EQ(copy.cones, problem.cones);
  EXPECT_EQ(copy.u_free, problem.u_free);
  EXPECT_EQ(copy.symmetric, problem.symmetric);
}

TEST(LocalProblemText, BrokenTextsSayWhere) {
  std::stringstream out;
  save(make_local(), out);
  const std::string text = out.str();
  const auto message = [](const std::string& changed) {
    std::istringstream in(changed);
    try {
      load_local_problem(in, "text");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(text), "");
  std::istringstream words(text);
  std::string start;
  for (std::string word; words >> word; start += word + "\n")
    EXPECT_TRUE(message(start).starts_with("text:")) << start;
  const auto changed = [&](const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return message(text.substr(0, place) + to + text.substr(place + from.size()));
  };
  const auto expect = [](const std::string& what, const std::string& piece) {
    EXPECT_NE(what.find(piece), std::string::npos) << what;
  };
  expect(changed("convex 3", "convex 7"), "'7' is not an integer in 1 … 6");
  expect(changed("convex", "conic"), "expected one of 'nonnegative'");
  expect(changed("equality 2", "box 2"), "not a number");
  expect(changed("W\n2", "W\n9"), "'9' is not an integer in 1 … 4");
  expect(changed("W\n2\n  0", "W\n2\n  4"), "'4' is not an integer in 0 … 3");
  const std::string cones =
      "delassus-local-problem 1 symmetric 1 cones 2 nonnegative 1 0 0 0 0 nonnegative 1 0 0 0 0 ";
  EXPECT_EQ(message(cones + "W 1 0 2 2 0 0.5 1 3 u_free 2 -1 -1 end"), "");
  expect(message(cones + "W 1 1 2 2 0 0.5 1 3 u_free 2 -1 -1 end"), "row 0 of W has no diagonal block");
  expect(message(cones + "W 1 0 2 2 1 0.5 0 3 u_free 2 -1 -1 end"), "'0' is not an integer in 2 … 1");
  expect(changed("u_free 12", "u_free 11"), "the size of u_free is 11, but W has 12 rows");
}

}  // namespace
}  // namespace delassus::siconos_text_test
