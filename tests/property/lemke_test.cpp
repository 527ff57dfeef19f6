// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lemke's method: verification cases F (random contact problems, energy) and V15 (LCP files), rays, cycling,
// change of units, warm start, memory.
#include "delassus/solvers/lcp/lemke.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

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

namespace delassus {
namespace {

constexpr double k_required = 1e-10;  // relative residual, VERIFICATION F
constexpr int k_problems = 2000;      // of each class

// A velocity step of a contact problem: A v = p + G λ + H c, Gᵀ v = 0, contacts (n, D, μ).
struct ContactCase {
  Matrix A;
  Vector p;
  Matrix A_inv;  // with the joints eliminated: v = A_inv (p + H c)
  Matrix B;      // nv × contacts (1 + m): columns n, D of each contact
  std::vector<double> mu;
  int m = 4;
};

struct Solved {
  Vector z, w;
  LcpBasis basis;
  SolveStats stats;
};

Lcp make_lcp(const ContactCase& c) {
  const auto nc = static_cast<Eigen::Index>(c.mu.size());
  const Eigen::Index block = c.m + 2;
  const Matrix W = c.B.transpose() * c.A_inv * c.B;
  const Vector b = c.B.transpose() * (c.A_inv * c.p);
  Lcp lcp{Matrix::Zero(nc * block, nc * block), Vector::Zero(nc * block)};
  for (Eigen::Index i = 0; i < nc; ++i) {
    lcp.q.segment(i * block, c.m + 1) = b.segment(i * (c.m + 1), c.m + 1);
    for (Eigen::Index j = 0; j < nc; ++j)
      lcp.M.block(i * block, j * block, c.m + 1, c.m + 1) =
          W.block(i * (c.m + 1), j * (c.m + 1), c.m + 1, c.m + 1);
    const Eigen::Index last = i * block + c.m + 1;
    lcp.M.block(i * block + 1, last, c.m, 1).setOnes();
    lcp.M.block(last, i * block + 1, 1, c.m).setConstant(-1);
    lcp.M(last, i * block) = c.mu[static_cast<size_t>(i)];
  }
  return lcp;
}

Vector compute_velocity(const ContactCase& c, const Vector& z) {
  Vector impulse(c.B.cols());
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(c.mu.size()); ++i)
    impulse.segment(i * (c.m + 1), c.m + 1) = z.segment(i * (c.m + 2), c.m + 1);
  return c.A_inv * (c.p + c.B * impulse);
}

enum class Kind {
  symmetric,
  skew,
  high_friction,
  no_friction,
  duplicated,
  joints,
  opposed,
  at_rest,
  mass_ratio,
  combined
};

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::symmetric:
      return "symmetric";
    case Kind::skew:
      return "skew";
    case Kind::high_friction:
      return "high_friction";
    case Kind::no_friction:
      return "no_friction";
    case Kind::duplicated:
      return "duplicated";
    case Kind::joints:
      return "joints";
    case Kind::opposed:
      return "opposed";
    case Kind::at_rest:
      return "at_rest";
    case Kind::mass_ratio:
      return "mass_ratio";
    case Kind::combined:
      return "combined";
  }
  return "";
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // Written out, because the distributions of the library differ between implementations.
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  Matrix matrix(Eigen::Index rows, Eigen::Index cols) {
    Matrix a(rows, cols);
    for (Eigen::Index j = 0; j < cols; ++j)
      for (Eigen::Index i = 0; i < rows; ++i) a(i, j) = uniform(-1, 1);
    return a;
  }
  Vector vector(Eigen::Index size) { return matrix(size, 1); }

 private:
  std::mt19937_64 engine_;
};

// Columns n, d1, −d1, d2, −d2 … of one contact. Round numbers now and then, as in scenes with boxes: they
// make ties.
Matrix make_contact(Random& random, Eigen::Index nv, int m) {
  Matrix a = random.matrix(nv, m + 1);
  if (random.integer(0, 2) == 0) a = a.array().round().matrix();
  for (int j = 1; j < m; j += 2) a.col(j + 1) = -a.col(j);
  return a;
}

ContactCase make_case(Random& random, Kind kind) {
  ContactCase c;
  // Larger, with unequal masses, high friction, every contact three times and one of the three opposed.
  const bool combined = kind == Kind::combined;
  const int nv = random.integer(3, combined ? 18 : 12);
  const int nc = random.integer(1, combined ? 6 : 4);
  c.m = 2 * random.integer(1, 3);
  const Matrix L = random.matrix(nv, nv);
  c.A = L * L.transpose() + 0.1 * Matrix::Identity(nv, nv);
  if (kind == Kind::mass_ratio || combined) {
    Vector mass(nv);
    for (int i = 0; i < nv; ++i) mass[i] = std::pow(10.0, random.uniform(-3, 3));
    mass[0] = 1e-3;
    mass[nv - 1] = 1e3;
    c.A = mass.asDiagonal();
  }
  if (kind == Kind::skew) {
    const Matrix S = 3 * random.matrix(nv, nv);
    c.A += S - S.transpose();
  }
  c.p = kind == Kind::at_rest ? Vector::Zero(nv) : Vector(c.A * random.vector(nv));
  c.A_inv = c.A.inverse();
  if (kind == Kind::joints) {
    const int rows = random.integer(1, 2);
    Matrix G(nv, 2 * rows);  // every joint row twice, once with another factor
    G.leftCols(rows) = random.matrix(nv, rows);
    G.rightCols(rows) = 2 * G.leftCols(rows);
    const Matrix AinvG = c.A_inv * G;
    const Matrix C = G.transpose() * AinvG;
    c.A_inv -= AinvG * C.completeOrthogonalDecomposition().pseudoInverse() * (G.transpose() * c.A_inv);
  }
  c.B.resize(nv, nc * (c.m + 1));
  for (int i = 0; i < nc; ++i) {
    c.B.middleCols(i * (c.m + 1), c.m + 1) = make_contact(random, nv, c.m);
    double mu = random.uniform(0, 1);
    if (kind == Kind::high_friction || combined) mu = random.uniform(1, 10);
    if (kind == Kind::no_friction) mu = 0;
    c.mu.push_back(mu);
  }
  if (kind == Kind::duplicated || kind == Kind::opposed || combined) {
    const int copies = combined ? 3 : 2;
    const Matrix once = c.B;
    c.B = once.replicate(1, copies);
    for (int i = nc; i < copies * nc; ++i) {
      c.mu.push_back(c.mu[static_cast<size_t>(i - nc)]);
      if (kind != Kind::duplicated && i < 2 * nc) c.B.col(i * (c.m + 1)) *= -1;
    }
  }
  return c;
}

class LemkeContacts : public testing::TestWithParam<Kind> {};

void check_kind(Kind kind, const LemkeOptions& options) {
  Random random(1000 + static_cast<unsigned>(kind));
  Lemke lemke(options);
  double worst = 0;
  long pivots = 0;
  int retries = 0;
  int zero = 0;
  for (int s = 0; s < k_problems; ++s) {
    const ContactCase c = make_case(random, kind);
    const Lcp lcp = make_lcp(c);
    Solved r;
    lemke.solve(lcp, nullptr, r.z, r.w, r.basis, r.stats);
    ASSERT_EQ(r.stats.status, SolveStatus::converged)
        << to_string(kind) << " problem " << s << ", n = " << lcp.size() << ", residual " << r.stats.residual;
    ASSERT_LE(r.stats.residual, k_required);
    ASSERT_EQ(r.stats.residual, compute_residual(lcp, r.z));
    ASSERT_GE(r.z.minCoeff(), 0);
    ASSERT_GE(r.w.minCoeff(), 0);
    ASSERT_EQ(r.z.dot(r.w), 0);
    worst = std::max(worst, r.stats.residual);
    pivots += r.stats.iterations;
    retries += r.stats.retries;
    zero += r.z.isZero(0);
    if (kind != Kind::skew) {  // S1 (2.22)
      const Vector v = compute_velocity(c, r.z);
      const Vector v_free = c.A_inv * c.p;
      const double energy_free = 0.5 * v_free.dot(c.A * v_free);
      ASSERT_LE(0.5 * v.dot(c.A * v), energy_free * (1 + 1e-9)) << to_string(kind) << " problem " << s;
    }
  }
  if (kind == Kind::at_rest) {
    EXPECT_EQ(zero, k_problems);
  }
  std::printf("  %-14s worst residual %.1e, %.1f pivots each, %d retries, %d with z = 0\n", to_string(kind),
              worst, static_cast<double>(pivots) / k_problems, retries, zero);
}

TEST_P(LemkeContacts, SolvesEveryProblem) {
  check_kind(GetParam(), {});
}

// With d = (1, …, 1) a quarter of the ratio tests tie: the lexicographic rule is at work, and no retry helps.
TEST_P(LemkeContacts, SolvesEveryProblemWithTies) {
  LemkeOptions options;
  options.uniform_cover = true;
  options.max_retries = 0;
  check_kind(GetParam(), options);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LemkeContacts,
                         testing::Values(Kind::symmetric, Kind::skew, Kind::high_friction, Kind::no_friction,
                                         Kind::duplicated, Kind::joints, Kind::opposed, Kind::at_rest,
                                         Kind::mass_ratio, Kind::combined),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

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
    const Lcp lcp = make_lcp(make_case(random, Kind::symmetric));
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
    Lcp lcp = make_lcp(make_case(random, s % 2 ? Kind::symmetric : Kind::duplicated));
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
  Random random(17);
  const Lcp lcp = make_lcp(make_case(random, Kind::duplicated));
  const Lcp other = make_lcp(make_case(random, Kind::symmetric));
  Lemke lemke;
  Solved first, second;
  lemke.solve(lcp, nullptr, first.z, first.w, first.basis, first.stats);
  lemke.solve(other, nullptr, second.z, second.w, second.basis, second.stats);
  lemke.solve(lcp, nullptr, second.z, second.w, second.basis, second.stats);
  EXPECT_EQ(first.z, second.z);
  EXPECT_EQ(first.w, second.w);
  EXPECT_EQ(first.stats.iterations, second.stats.iterations);
}

// Larger problems: many bodies on the ground and on each other, so that the kernel is refreshed on the way.
Lcp make_heap(Random& random, int nc) {
  const int nb = std::max(1, nc / 3);
  ContactCase c;
  c.m = 4;
  c.A_inv = Vector(Vector::Ones(6 * nb)).asDiagonal();
  c.p = random.vector(6 * nb);
  c.B = Matrix::Zero(6 * nb, nc * 5);
  for (int i = 0; i < nc; ++i) {
    const int a = i % nb;
    const int b = random.integer(-1, nb - 1);  // −1: the ground
    c.B.block(6 * a, 5 * i, 6, 5) = make_contact(random, 6, 4);
    if (b >= 0 && b != a) c.B.block(6 * b, 5 * i, 6, 5) = make_contact(random, 6, 4);
    c.mu.push_back(random.uniform(0, 1));
  }
  return make_lcp(c);
}

TEST(Lemke, SolvesLargerProblems) {
  Random random(19);
  for (const int nc : {20, 40, 60}) {
    for (int s = 0; s < 5; ++s) {
      const Lcp lcp = make_heap(random, nc);
      const Solved r = solve(lcp);
      EXPECT_EQ(r.stats.status, SolveStatus::converged) << "n = " << lcp.size();
      EXPECT_LE(r.stats.residual, k_required);
      EXPECT_EQ(r.stats.retries, 0);
    }
  }
}

TEST(Lemke, DoesNotAllocateInTheSecondSolve) {
#ifdef DELASSUS_COUNTS_ALLOCATIONS
  Random random(23);
  const Lcp large = make_heap(random, 25);
  const Lcp small = make_lcp(make_case(random, Kind::duplicated));
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
}  // namespace delassus
