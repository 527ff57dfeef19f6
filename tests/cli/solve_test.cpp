// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `delassus solve` and `delassus convert`: tables, JSON, messages and exit statuses.
#include <cmath>
#include <nlohmann/json.hpp>

#include "delassus/io/fclib.hpp"
#include "tests/support/program.hpp"

namespace delassus::solve_test {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::ProgramTest;

// A mass of 2 kg that falls with 1 m/s and slides with 3; μ = 0.5.
const std::string k_sliding = "3 1 0 3 3 3 3 0.5 0 0 0 0.5 0 0 0 0.5 -1 3 0 0.5";
// Frictionless, and with polyhedral friction.
const std::string k_frictionless =
    "delassus-local-problem 1 symmetric 1 cones 1 nonnegative 1 0 0 0 0 W 1 0 0.5 u_free 1 -1 end";
const std::string k_polyhedral =
    "delassus-local-problem 1 symmetric 1 cones 1 polyhedral 2 0.5 2 0 0 W 1 0 0.5 0 0 0.5 u_free 2 -1 3 end";

class SolveTest : public ProgramTest {
 protected:
  json read_json(const std::string& name) const { return json::parse(read(name)); }
};

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST_F(SolveTest, SolvesAFile) {
  write("sliding.dat", k_sliding);
  const ProgramResult result = run({"solve", "sliding.dat", "--solver", "nsgs", "--json", "out.json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "sliding.dat")) << result.out;
  EXPECT_TRUE(contains(result.out, "1 of 1 converged")) << result.out;
  const json list = read_json("out.json");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["file"], "sliding.dat");
  EXPECT_EQ(list[0]["solver"], "nsgs");
  EXPECT_EQ(list[0]["status"], "converged");
  EXPECT_EQ(list[0]["contacts"], 1);
  EXPECT_LE(list[0]["natural_map_error"], 1e-8);
  EXPECT_EQ(list[0]["natural_map_error"],
            std::max(list[0]["e_sic"].get<double>(), list[0]["e_v"].get<double>()));
  EXPECT_GE(list[0]["iterations"], 0);
  EXPECT_GE(list[0]["seconds"], 0);
  EXPECT_FALSE(list[0]["method"].get<std::string>().empty());
}

TEST_F(SolveTest, SolvesADirectoryInOrderAndGoesOnAfterABrokenFile) {
  std::filesystem::create_directory(path("problems"));
  write("problems/c.dat", k_sliding);
  write("problems/b.hdf5", "no HDF5");
  write("problems/a.txt", k_frictionless);
  write("problems/notes.txt", "not a problem");
  write("problems/README.md", "nor this");
  const ProgramResult result = run({"solve", "problems", "--solver", "nsgs", "--json", "out.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "problems/b.hdf5: it is not a problem file")) << result.err;
  const json list = read_json("out.json");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["file"], "problems/a.txt");
  EXPECT_EQ(list[0]["status"], "converged");
  EXPECT_EQ(list[1]["status"], "unreadable");
  EXPECT_TRUE(list[1]["natural_map_error"].is_null());
  EXPECT_EQ(list[2]["file"], "problems/c.dat");
  EXPECT_EQ(list[2]["status"], "converged");
}

TEST_F(SolveTest, OneThatDoesNotConvergeIsStatusOne) {
  // Two contacts that fight: one sweep is not enough.
  write("pair.dat",
        "2 2 0 4 4 4 4 1 0.3 0.8 0.1 0.3 1 0.2 0.7 0.8 0.2 1 0.3 0.1 0.7 0.3 1 -1 2 -1.5 -1 0.3 0.4");
  const ProgramResult one =
      run({"solve", "pair.dat", "--solver", "nsgs", "--max-iterations", "1", "--json", "out.json"});
  EXPECT_EQ(one.status, 1) << one.out;
  EXPECT_NE(read_json("out.json")[0]["status"], "converged");
  EXPECT_GT(read_json("out.json")[0]["natural_map_error"], 1e-8);
  EXPECT_EQ(run({"solve", "pair.dat", "--solver", "nsgs"}).status, 0);
}

TEST_F(SolveTest, SolversThatCannotTakeItSayWhyAndWhoCan) {
  write("sliding.dat", k_sliding);
  const ProgramResult result = run({"solve", "sliding.dat", "--solver", "lemke", "--json", "out.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "sliding.dat: solver 'lemke' cannot take it: ")) << result.err;
  EXPECT_TRUE(contains(result.err, "nsgs")) << result.err;
  EXPECT_EQ(read_json("out.json")[0]["status"], "refused");
  write("polyhedral.txt", k_polyhedral);
  EXPECT_EQ(run({"solve", "polyhedral.txt", "--solver", "lemke"}).status, 0);
}

TEST_F(SolveTest, BadUsageIsStatusTwo) {
  write("sliding.dat", k_sliding);
  std::filesystem::create_directory(path("empty"));
  for (const auto& [arguments, piece] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"solve", "nowhere.hdf5"}, "No such file"},
           {{"solve", "empty"}, "there are no problem files"},
           {{"solve", "sliding.dat", "--solver", "nsg"}, "did you mean 'nsgs'"},
           {{"solve", "sliding.dat", "--tolerance", "-1"}, "--tolerance"},
           {{"solve", "sliding.dat", "--max-iterations", "0"}, "--max-iterations"},
           {{"solve", "sliding.dat", "--json", "nowhere/out.json"}, "nowhere/out.json"},
           {{"convert", "sliding.dat", "out.xyz"}, "allowed: .hdf5"},
           {{"convert", "nowhere.dat", "out.hdf5"}, "No such file"},
           {{"convert", "sliding.dat"}, "out"}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments.back();
    EXPECT_TRUE(contains(result.err, piece)) << result.err;
  }
}

TEST_F(SolveTest, ConvertsBetweenAllFormats) {
  write("a.dat", k_sliding);
  for (const char* name : {"b.hdf5", "c.txt", "d.h5", "e.dat"}) {
    const std::string from = std::string(1, static_cast<char>(name[0] - 1)) + (name[0] == 'b'   ? ".dat"
                                                                               : name[0] == 'c' ? ".hdf5"
                                                                               : name[0] == 'd' ? ".txt"
                                                                                                : ".h5");
    const ProgramResult result = run({"convert", from, name});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, std::string(name) + " written\n");
  }
  const StoredProblem problem = read_fclib(path("d.h5"));
  EXPECT_EQ(Matrix(problem.W), Matrix(Matrix::Identity(3, 3) / 2));
  EXPECT_EQ(problem.q, Vector3(-1, 3, 0));
  EXPECT_EQ(problem.mu[0], 0.5);
  // What files of others cannot hold.
  write("polyhedral.txt", k_polyhedral);
  const ProgramResult refused = run({"convert", "polyhedral.txt", "f.hdf5"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err,
                       "cannot write f.hdf5: contact 0 cannot be stored: its friction cone is polyhedral"))
      << refused.err;
  EXPECT_FALSE(exists("f.hdf5"));
}

}  // namespace
}  // namespace delassus::solve_test
