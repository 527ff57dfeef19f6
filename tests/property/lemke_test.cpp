// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lemke's method: verification cases F (random contact problems through the whole pipeline, energy) and V15
// (LCP files), rays, cycling, change of units, warm start, memory.
#include "delassus/solvers/lcp/lemke.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "../support/random_problem.hpp"
#include "delassus/base/error.hpp"
#include "delassus/problems/as_lcp.hpp"
#include "delassus/problems/random_contact.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/solvers/lcp/lemke_solver.hpp"

// Counts every allocation, also those of Eigen, which calls malloc and not operator new.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define DELASSUS_COUNTS_ALLOCATIONS 1
namespace {
std::atomic<long> allocation_count{0};
}
extern "C" void* __libc_malloc(size_t size);
extern "C" void* malloc(size_t size) noexcept {
  ++allocation_count;
  return __libc_malloc(size);
}
#endif

namespace delassus::lemke_test {
namespace {

using testing::Random;

constexpr double k_required = 1e-10;  // relative residual, as `delassus verify F`
constexpr int k_problems = 2000;      // of each class

struct Solved {
  Vector z, w;
  LcpBasis basis;
  SolveStats stats;
};

double kinetic_energy(const Problem& problem, const Vector& v) {
  Vector Av = Vector::Zero(v.size());
  problem.A.add_product(v, Av);
  return 0.5 * v.dot(Av);
}

// The LCP of a problem: what the method itself promises.
void check_lcp(const Lcp& lcp, Lemke& lemke, Solved& r) {
  lemke.solve(lcp, nullptr, r.z, r.w, r.basis, r.stats);
  ASSERT_EQ(r.stats.status, SolveStatus::converged)
      << "n = " << lcp.size() << ", residual " << r.stats.residual;
  ASSERT_LE(r.stats.residual, k_required);
  ASSERT_EQ(r.stats.residual, compute_residual(lcp, r.z));
  ASSERT_GE(r.z.minCoeff(), 0);
  ASSERT_GE(r.w.minCoeff(), 0);
  ASSERT_EQ(r.z.dot(r.w), 0);
}

// Problem → Reduction → LCP → Lemke → impulses → velocities, judged by the residual of the problem and by the
// energy.
void check_class(const ProblemClass& problem_class, const LemkeOptions& options) {
  Lemke lemke(options);
  LemkeSolver solver(options);
  Reduction reduction;
  Solution solution;
  Lcp lcp;
  Solved r;
  double worst_lcp = 0, worst = 0;
  long pivots = 0;
  int retries = 0, zero = 0, beyond = 0;
  for (int i = 0; i < k_problems; ++i) {
    SCOPED_TRACE(problem_class.name + " problem " + std::to_string(i));
    const Problem problem = make_random_problem(problem_class, i);
    ASSERT_TRUE(reduction.compute(problem));
    local_as_lcp(reduction.local(), lcp);
    ASSERT_NO_FATAL_FAILURE(check_lcp(lcp, lemke, r));
    SolveStats stats;
    delassus::solve(solver, reduction, {}, solution, stats);
    ASSERT_EQ(stats.status, SolveStatus::converged);
    ASSERT_EQ(stats.iterations, r.stats.iterations);
    const Residual residual = compute_residual(problem, reduction, solution);
    ASSERT_LE(residual.momentum, k_required);
    ASSERT_LE(residual.joints, k_required);
    // At a mass ratio of 1e6 the round-off of r alone can move u by more than 1e-10 of the free velocity; the
    // bound is then taken of the terms that cancel. Looser than round-off: see the count that is printed.
    const double cancellation =
        problem_class.mass_ratio > 1 ? compute_cancellation(reduction.local(), solution.r) : 1;
    ASSERT_LE(residual.contact, k_required * cancellation);
    beyond += residual.contact > k_required;
    worst = std::max({worst, residual.momentum, residual.joints, residual.contact});
    worst_lcp = std::max(worst_lcp, stats.residual);
    pivots += stats.iterations;
    retries += stats.retries;
    zero += solution.r.isZero(0);
    if (problem.symmetric) {  // Anitescu and Potra 1997, (2.22)
      const double free = kinetic_energy(problem, reduction.v_free());
      ASSERT_LE(kinetic_energy(problem, solution.v), free * (1 + k_required));
    }
  }
  if (problem_class.resting) {
    EXPECT_EQ(zero, k_problems);
  }
  if (problem_class.name != "combined") {
    EXPECT_EQ(retries, 0);
  }
  std::printf(
      "  %-18s worst residual: LCP %.1e, problem %.1e (%d above 1e-10), %.1f pivots each, %d retries, %d "
      "with r = 0\n",
      problem_class.name.c_str(), worst_lcp, worst, beyond, static_cast<double>(pivots) / k_problems, retries,
      zero);
}

class LemkeContacts : public ::testing::TestWithParam<ProblemClass> {};

TEST_P(LemkeContacts, SolvesEveryProblem) {
  check_class(GetParam(), {});
}

// With d = (1, …, 1) a quarter of the ratio tests tie: the lexicographic rule is at work.
TEST_P(LemkeContacts, SolvesEveryProblemWithTies) {
  LemkeOptions options;
  options.uniform_cover = true;
  check_class(GetParam(), options);
}

INSTANTIATE_TEST_SUITE_P(Classes, LemkeContacts, ::testing::ValuesIn(problem_classes()),
                         [](const auto& problem_class) { return problem_class.param.name; });

TEST(RandomContact, DependsOnClassAndNumberOnly) {
  for (const ProblemClass& problem_class : problem_classes()) {
    const Problem problem = make_random_problem(problem_class, 3);
    require_consistent(problem);
    make_random_problem(problem_class, 4);
    EXPECT_EQ(problem, make_random_problem(problem_class, 3));
    EXPECT_FALSE(problem == make_random_problem(problem_class, 4));
    EXPECT_EQ(find_problem_class(problem_class.name).name, problem_class.name);
  }
  EXPECT_THROW(find_problem_class("smooth"), InputError);
  for (const int n : {1, 50, 51, 100, 200}) {
    const Problem heap = make_contact_heap(n, 0);
    require_consistent(heap);
    EXPECT_EQ(make_lcp(heap).size(), n);
  }
}

// Joints that tie a light body to heavy ones lose digits in the elimination, but not the symmetry of W, and
// the joints hold against the free velocity.
TEST(RandomContact, KeepsJointsAndSymmetryAtLargeMassRatios) {
  for (int i = 0; i < k_problems; ++i) {
    const Problem problem = make_random_problem(find_problem_class("mass_ratio_joints"), i);
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    const Matrix W = reduction.local().W.dense();
    ASSERT_EQ(W, W.transpose());
    ASSERT_EQ(reduction.num_redundant(), problem.Gt.rows() / 2);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(W, Eigen::EigenvaluesOnly);
    ASSERT_GE(eigen.eigenvalues()[0], -1e-13 * eigen.eigenvalues().cwiseAbs().maxCoeff()) << "problem " << i;
  }
}

// The walls of CertifiesARayWhereNoSolutionExists: c1 = c2 = c leaves w = −1, however large c is.
TEST(Lemke, MeasuresAHugeWrongSolutionAsWrong) {
  const Lcp opposed{(Matrix(2, 2) << 1, -1, -1, 1).finished(), Vector::Constant(2, -1)};
  for (const double c : {0.0, 1.0, 1e6, 1e12, 1e15, 1e16, 1e20, 1e100})
    EXPECT_GT(compute_residual(opposed, Vector::Constant(2, c)), 5 * k_required) << "c = " << c;
}

Solved solve(const Lcp& lcp, const LemkeOptions& options = {}) {
  Lemke lemke(options);
  Solved r;
  lemke.solve(lcp, nullptr, r.z, r.w, r.basis, r.stats);
  return r;
}

TEST(Lemke, SolvesEmptyAndTrivialProblems) {
  EXPECT_EQ(solve({Matrix(0, 0), Vector(0)}).stats.status, SolveStatus::converged);
  const Solved r = solve({-Matrix::Ones(3, 3), Vector::Ones(3)});
  EXPECT_EQ(r.stats.status, SolveStatus::converged);
  EXPECT_EQ(r.stats.iterations, 0);
  EXPECT_TRUE(r.z.isZero(0));
  EXPECT_EQ(r.w, Vector::Ones(3));
}

TEST(Lemke, RefusesWhatIsNotFinite) {
  Lcp lcp{Matrix::Identity(2, 2), Vector::Constant(2, -1)};
  lcp.q[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solve(lcp).stats.status, SolveStatus::numerical_failure);
  EXPECT_TRUE(std::isnan(compute_residual(lcp, Vector::Zero(2))));
  lcp.q[1] = 0;
  lcp.M(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solve(lcp).stats.status, SolveStatus::numerical_failure);
}

TEST(Lemke, MeasuresTheResidualWithoutUnits) {
  const Lcp lcp{(Matrix(2, 2) << 2, 1, 1, 2).finished(), Vector((Vector(2) << -5, -6).finished())};
  Vector z(2);
  z << 4.0 / 3, 7.0 / 3;
  EXPECT_LE(compute_residual(lcp, z), 1e-15);
  EXPECT_DOUBLE_EQ(compute_residual(lcp, Vector::Zero(2)), 1);
  const Lcp scaled{1e6 * lcp.M, 1e3 * lcp.q};
  const Vector wrong = Vector::Constant(2, 1.5);
  EXPECT_DOUBLE_EQ(compute_residual(lcp, wrong), compute_residual(scaled, 1e-3 * wrong));
}

// Two walls that close on one mass: c1 − c2 ≥ 1 and c2 − c1 ≥ 1 cannot both hold.
TEST(Lemke, CertifiesARayWhereNoSolutionExists) {
  const Lcp opposed{(Matrix(2, 2) << 1, -1, -1, 1).finished(), Vector::Constant(2, -1)};
  Matrix M = Matrix::Zero(4, 4);
  M.topLeftCorner(2, 2) = 1e4 * opposed.M;
  M.bottomRightCorner(2, 2) = 1e-4 * Matrix::Identity(2, 2);
  for (const Lcp& lcp : {opposed, Lcp{M, Vector::Constant(4, -1)}}) {
    Lemke lemke;
    Solved r;
    lemke.solve(lcp, nullptr, r.z, r.w, r.basis, r.stats);
    ASSERT_EQ(r.stats.status, SolveStatus::ray);
    EXPECT_GT(r.stats.residual, 1e-3);
    const RayCertificate& ray = lemke.ray();
    EXPECT_GT(ray.d.minCoeff(), 0);
    EXPECT_GE(ray.dz.minCoeff(), 0);
    EXPECT_GT(ray.dz.maxCoeff(), 0);
    EXPECT_GE(ray.dw.minCoeff(), 0);
    EXPECT_GE(ray.dz0, 0);
    const double size = (lcp.M.cwiseAbs() * ray.dz).maxCoeff();
    EXPECT_LE((lcp.M * ray.dz + ray.d * ray.dz0 - ray.dw).cwiseAbs().maxCoeff(), 1e-12 * size);
    EXPECT_LE(ray.dz.cwiseProduct(ray.dw).maxCoeff(), 1e-12 * size);
  }
}

// With d = (1, …, 1) and no further attempt, so that ties are real.
TEST(Lemke, TerminatesOnCyclingExamples) {
  LemkeOptions options;
  options.uniform_cover = true;
  options.max_retries = 0;
  // The cyclic P-matrix of the literature on cycling: all rows tie at the start.
  const Matrix cyclic = (Matrix(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  Solved r = solve({cyclic, Vector::Constant(3, -1)}, options);
  EXPECT_EQ(r.stats.status, SolveStatus::converged);
  EXPECT_TRUE(r.z.isApproxToConstant(1.0 / 3, 1e-12));
  EXPECT_EQ(solve({cyclic, (Vector(3) << -1, -1, 0).finished()}, options).stats.status,
            SolveStatus::converged);
  // Beale's linear programme min cᵀx, A x ≥ b, on which the simplex method cycles: M = [0 −Aᵀ; A 0].
  Matrix A(3, 4);
  A << -0.25, 60, 1.0 / 25, -9, -0.5, 90, 1.0 / 50, -3, 0, 0, -1, 0;
  Lcp beale{Matrix::Zero(7, 7), Vector(7)};
  beale.M.topRightCorner(4, 3) = -A.transpose();
  beale.M.bottomLeftCorner(3, 4) = A;
  beale.q << -0.75, 150, -1.0 / 50, 6, 0, 0, 1;
  r = solve(beale, options);
  EXPECT_EQ(r.stats.status, SolveStatus::converged);
  EXPECT_NEAR(beale.q.head(4).dot(r.z.head(4)), -0.05, 1e-12);
  // Everything tied: all entries equal.
  for (const int n : {2, 7, 30}) {
    const Solved tied = solve({Matrix::Ones(n, n), Vector::Constant(n, -1)}, options);
    EXPECT_EQ(tied.stats.status, SolveStatus::converged);
    EXPECT_NEAR(tied.z.sum(), 1, 1e-12);
  }
}

TEST(Lemke, StopsAtThePivotLimit) {
  Random random(7);
  const Matrix L = random.matrix(30, 30);
  const Lcp lcp{L * L.transpose() + Matrix::Identity(30, 30), -Vector::Ones(30)};
  LemkeOptions options;
  options.max_pivots = 12;
  const Solved r = solve(lcp, options);
  EXPECT_EQ(r.stats.status, SolveStatus::iteration_limit);
  EXPECT_LE(r.stats.iterations, 12);
}

TEST(Lemke, DoesNotDependOnUnits) {
  Random random(11);
  for (int s = 0; s < 300; ++s) {
    const Lcp lcp = make_lcp(make_random_problem(find_problem_class("symmetric"), s));
    const Solved one = solve(lcp);
    const double a = std::pow(10.0, random.uniform(-8, 8));
    const double b = std::pow(10.0, random.uniform(-8, 8));
    const Solved other = solve({a * lcp.M, b * lcp.q});
    EXPECT_EQ(one.stats.iterations, other.stats.iterations) << "problem " << s;
    EXPECT_EQ(one.basis.z_basic, other.basis.z_basic) << "problem " << s;
    EXPECT_LE((one.z - other.z * (a / b)).cwiseAbs().maxCoeff(), 1e-6 * (1e-30 + one.z.maxCoeff()))
        << "problem " << s;
  }
}

TEST(Lemke, StartsFromItsOwnBasis) {
  Random random(13);
  int started = 0;
  int moved = 0;
  for (int s = 0; s < 300; ++s) {
    Lcp lcp = make_lcp(make_random_problem(find_problem_class(s % 2 ? "symmetric" : "duplicated"), s));
    Lemke lemke;
    Solved cold, warm;
    lemke.solve(lcp, nullptr, cold.z, cold.w, cold.basis, cold.stats);
    if (cold.stats.iterations == 0) continue;
    lemke.solve(lcp, &cold.basis, warm.z, warm.w, warm.basis, warm.stats);
    ASSERT_EQ(warm.stats.status, SolveStatus::converged);
    EXPECT_TRUE(warm.stats.warm_started);
    EXPECT_EQ(warm.stats.iterations, 0);
    EXPECT_EQ(warm.z, cold.z);
    EXPECT_EQ(warm.basis.z_basic, cold.basis.z_basic);
    ++started;
    // A wrong basis, or one of another size, costs nothing but the attempt.
    lcp.q += 0.5 * random.vector(lcp.size());
    lcp.q = lcp.q.cwiseMin(0.0);
    LcpBasis wrong;
    wrong.z_basic.assign(3, 1);
    const Solved expected = solve(lcp);
    lemke.solve(lcp, &wrong, warm.z, warm.w, warm.basis, warm.stats);
    EXPECT_EQ(warm.stats.status, expected.stats.status);
    EXPECT_EQ(warm.z, expected.z);
    moved += !warm.stats.warm_started;
  }
  EXPECT_GT(started, 100);
  EXPECT_GT(moved, 100);
}

TEST(Lemke, RepeatsItselfBitForBit) {
  const Lcp lcp = make_lcp(make_random_problem(find_problem_class("duplicated"), 17));
  const Lcp other = make_lcp(make_random_problem(find_problem_class("symmetric"), 17));
  Lemke lemke;
  Solved first, second;
  lemke.solve(lcp, nullptr, first.z, first.w, first.basis, first.stats);
  lemke.solve(other, nullptr, second.z, second.w, second.basis, second.stats);
  lemke.solve(lcp, nullptr, second.z, second.w, second.basis, second.stats);
  EXPECT_EQ(first.z, second.z);
  EXPECT_EQ(first.w, second.w);
  EXPECT_EQ(first.stats.iterations, second.stats.iterations);
}

// So many contacts that the kernel is refreshed on the way.
TEST(Lemke, SolvesLargerProblems) {
  for (const int n : {120, 240, 360}) {
    for (int s = 0; s < 5; ++s) {
      const Lcp lcp = make_lcp(make_contact_heap(n, s));
      const Solved r = solve(lcp);
      EXPECT_EQ(r.stats.status, SolveStatus::converged) << "n = " << lcp.size();
      EXPECT_LE(r.stats.residual, k_required);
      EXPECT_EQ(r.stats.retries, 0);
    }
  }
}

TEST(Lemke, DoesNotAllocateInTheSecondSolve) {
#ifdef DELASSUS_COUNTS_ALLOCATIONS
  const Lcp large = make_lcp(make_contact_heap(150, 0));
  const Lcp small = make_lcp(make_random_problem(find_problem_class("duplicated"), 23));
  Lemke lemke;
  Solved a, b;
  lemke.solve(small, nullptr, b.z, b.w, b.basis, b.stats);
  lemke.solve(large, nullptr, a.z, a.w, a.basis, a.stats);
  const long before = allocation_count;
  lemke.solve(large, nullptr, a.z, a.w, a.basis, a.stats);
  lemke.solve(small, nullptr, b.z, b.w, b.basis, b.stats);
  lemke.solve(large, &a.basis, a.z, a.w, a.basis, a.stats);
  EXPECT_EQ(allocation_count - before, 0);
  EXPECT_TRUE(a.stats.warm_started);
#else
  GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

// ---- V15 ----

std::filesystem::path find_data() {
#ifdef DELASSUS_SHARED_DATA_DIR
  return std::filesystem::path(DELASSUS_SHARED_DATA_DIR) / "lcp";
#else
  if (const char* folder = std::getenv("DELASSUS_SHARED_DATA_DIR"))
    return std::filesystem::path(folder) / "lcp";
  return std::filesystem::path(__FILE__).parent_path() / "../../../shared/data/lcp";
#endif
}

// Siconos' text format, dense storage; false for other storages.
bool read_lcp(const std::filesystem::path& path, Lcp& lcp) {
  std::ifstream in(path);
  Eigen::Index n = 0, ignored = 0;
  int storage = -1;
  in >> n >> storage;
  if (!in || storage != 0) return false;
  for (int i = 0; i < 4; ++i) in >> ignored;
  lcp.M.resize(n, n);
  lcp.q.resize(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) in >> lcp.M(i, j);
  for (Eigen::Index i = 0; i < n; ++i) in >> lcp.q[i];
  return !in.fail();
}

// Where Lemke's method ends on a ray. These have no solution: enumeration of all bases finds none, and in
// tobenna (n = 40) the last rows are −Σ z − 1 ≥ 0 …
const std::set<std::string> k_without_solution = {"lcp_CPS_4.dat",
                                                  "lcp_CPS_4bis.dat",
                                                  "lcp_Pang_isolated_sol.dat",
                                                  "lcp_Pang_isolated_sol_perturbed.dat",
                                                  "lcp_inf_sol_perturbed.dat",
                                                  "lcp_tobenna.dat"};
// … while this bimatrix game, M = [0 A; B 0] with A, B > 0 and q < 0, has three, but is outside the class of
// the method: for every d > 0 the first z that enters makes no w smaller.
const std::set<std::string> k_outside_class = {"lcp_CPS_3.dat"};

TEST(Lemke, SolvesTheLcpFiles) {
  const std::filesystem::path folder = find_data();
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no LCP files at " << folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  LemkeOptions options;
  options.tolerance = 1e-12;
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    Lcp lcp;
    if (!read_lcp(file, lcp)) {
      std::printf("  %-36s not read: block storage\n", name.c_str());
      continue;
    }
    const Solved r = solve(lcp, options);
    std::printf("  %-36s n = %2d  %-10s residual %.1e  %3d pivots  %d retries\n", name.c_str(),
                static_cast<int>(lcp.size()), to_string(r.stats.status), r.stats.residual, r.stats.iterations,
                r.stats.retries);
    if (k_without_solution.count(name) || k_outside_class.count(name)) {
      EXPECT_EQ(r.stats.status, SolveStatus::ray) << name;
    } else {
      EXPECT_EQ(r.stats.status, SolveStatus::converged) << name;
      EXPECT_LE(compute_residual(lcp, r.z), 1e-12) << name;
    }
  }
}

}  // namespace
}  // namespace delassus::lemke_test
