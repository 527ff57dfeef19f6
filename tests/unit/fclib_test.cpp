// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// FCLIB files: every layout, round trips to the last bit, broken files.
#include "delassus/io/fclib.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/io/problem_file.hpp"
#include "delassus/problems/reduction.hpp"
#include "delassus/recorder/hdf5_file.hpp"
#include "tests/support/hdf5_writer.hpp"

namespace delassus::fclib_test {
namespace {

using testing::DirectoryTest;
using testing::Hdf5Writer;

// Numbers that use all their bits, from the same generator on every machine.
class Numbers {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0 * 2 - 1;
  }
  Vector vector(int size) {
    Vector out(size);
    for (double& x : out) x = (*this)();
    return out;
  }
  // About half of the entries are there.
  SparseMatrix matrix(int rows, int columns) {
    Matrix out = Matrix::Zero(rows, columns);
    for (double& x : out.reshaped())
      if ((*this)() > 0) x = (*this)();
    return out.sparseView();
  }

 private:
  std::uint64_t state_ = 88172645463325252ULL;
};

void expect_same(const SparseMatrix& a, const SparseMatrix& b, const char* name) {
  ASSERT_EQ(a.rows(), b.rows()) << name;
  ASSERT_EQ(a.cols(), b.cols()) << name;
  EXPECT_EQ(Matrix(a), Matrix(b)) << name;
}

void expect_same(const StoredProblem& a, const StoredProblem& b) {
  EXPECT_EQ(a.form, b.form);
  EXPECT_EQ(a.spacedim, b.spacedim);
  expect_same(a.W, b.W, "W");
  expect_same(a.M, b.M, "M");
  expect_same(a.H, b.H, "H");
  EXPECT_EQ(a.num_equalities(), b.num_equalities());
  if (a.num_equalities() > 0) {
    expect_same(a.V, b.V, "V");
    expect_same(a.R, b.R, "R");
    expect_same(a.G, b.G, "G");
  }
  for (const auto& [x, y] : {std::pair{&a.q, &b.q},
                             {&a.s, &b.s},
                             {&a.f, &b.f},
                             {&a.w, &b.w},
                             {&a.b, &b.b},
                             {&a.mu, &b.mu},
                             {&a.mu_r, &b.mu_r}})
    EXPECT_EQ(*x, *y);
  EXPECT_EQ(a.info, b.info);
}

StoredProblem make_local(int spacedim, int num_contacts, int num_equalities) {
  Numbers next;
  const int m = spacedim * num_contacts;
  StoredProblem problem;
  problem.spacedim = spacedim;
  problem.W = next.matrix(m, m);
  problem.q = next.vector(m);
  problem.mu = next.vector(num_contacts).cwiseAbs();
  problem.V = next.matrix(m, num_equalities);
  problem.R = next.matrix(num_equalities, num_equalities);
  problem.s = next.vector(num_equalities);
  problem.info = {
      "a title", "what it is", "", {{"numberOfDegreeOfFreedom", std::int64_t{12}}, {"scale", 0.1}}};
  return problem;
}

// `symmetric` and positive definite, or neither.
StoredProblem make_global(StoredForm form, int n, int num_contacts, int num_equalities, bool symmetric) {
  Numbers next;
  StoredProblem problem;
  problem.form = form;
  const int m = problem.contact_dim() * num_contacts;
  Matrix M = Matrix(next.matrix(n, n));
  if (symmetric) M = (M * M.transpose()).eval();
  M.diagonal().array() += 2;
  problem.M = M.sparseView();
  problem.H = next.matrix(n, m);
  problem.f = next.vector(n);
  problem.w = next.vector(m);
  problem.mu = next.vector(num_contacts).cwiseAbs();
  if (form == StoredForm::global_rolling) problem.mu_r = next.vector(num_contacts).cwiseAbs();
  problem.G = next.matrix(n, num_equalities);
  problem.b = next.vector(num_equalities);
  return problem;
}

class FclibTest : public DirectoryTest {
 protected:
  // A local problem of two contacts, W and its matrix groups by `write_matrix`.
  static Matrix example_W() {
    Matrix W = Matrix::Zero(6, 6);
    for (int i = 0; i < 6; ++i) W(i, i) = 2 + 0.1 * i;
    W(0, 3) = -1;
    W(3, 0) = -0.5;
    W(5, 1) = 0.25;
    return W;
  }
  static void write_example(Hdf5Writer& file, const std::function<void(Hdf5Writer&)>& write_matrix) {
    file.group("/fclib_local");
    file.ints("/fclib_local/spacedim", {3});
    file.group("/fclib_local/W");
    write_matrix(file);
    file.group("/fclib_local/vectors");
    file.doubles("/fclib_local/vectors/q", {-1, 0.1, 0.2, -2, 0.3, 0.4});
    file.doubles("/fclib_local/vectors/mu", {0.5, 0.7});
    file.group("/fclib_local/info");
    file.text("/fclib_local/info/title", "two contacts");
    file.variable_text("/fclib_local/info/description", "by hand");
    file.attribute("/fclib_local/info", "numberOfInvolvedDS", 7);
  }
  static void matrix_numbers(Hdf5Writer& file, int m, int n, int nz, int nzmax) {
    file.ints("/fclib_local/W/m", {m});
    file.ints("/fclib_local/W/n", {n});
    file.ints("/fclib_local/W/nz", {nz});
    file.ints("/fclib_local/W/nzmax", {nzmax});
  }
  // i the row, p the column; every entry in two halves; nzmax larger than nz.
  static void write_triplets(Hdf5Writer& file) {
    std::vector<int> i, p;
    std::vector<double> x;
    const Matrix W = example_W();
    for (int half = 0; half < 2; ++half)
      for (int row = 0; row < 6; ++row)
        for (int column = 0; column < 6; ++column)
          if (W(row, column) != 0) {
            i.push_back(row);
            p.push_back(column);
            x.push_back(W(row, column) / 2);
          }
    matrix_numbers(file, 6, 6, static_cast<int>(x.size()), 100);
    file.ints("/fclib_local/W/i", i);
    file.ints("/fclib_local/W/p", p);
    file.doubles("/fclib_local/W/x", x);
  }
  static void write_compressed(Hdf5Writer& file, bool by_columns) {
    std::vector<int> i, p{0};
    std::vector<double> x;
    const Matrix W = by_columns ? example_W() : example_W().transpose();
    for (int column = 0; column < 6; ++column) {
      for (int row = 0; row < 6; ++row)
        if (W(row, column) != 0) {
          i.push_back(row);
          x.push_back(W(row, column));
        }
      p.push_back(static_cast<int>(x.size()));
    }
    matrix_numbers(file, 6, 6, by_columns ? -1 : -2, static_cast<int>(x.size()));
    file.ints("/fclib_local/W/i", i);
    file.ints("/fclib_local/W/p", p);
    file.doubles("/fclib_local/W/x", x);
  }
  std::string message(const std::string& name) const {
    try {
      read_problem_file(path(name));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  // The example, changed by `damage`; the message of reading it.
  std::string damaged(const std::function<void(Hdf5Writer&)>& damage) {
    {
      Hdf5Writer file(path("damaged.hdf5"));
      write_example(file, write_triplets);
      damage(file);
    }
    return message("damaged.hdf5");
  }
};

TEST_F(FclibTest, AllSparseFormatsGiveTheSameMatrix) {
  const std::map<std::string, std::function<void(Hdf5Writer&)>> formats{
      {"triplets.hdf5", write_triplets},
      {"columns.hdf5", [](Hdf5Writer& file) { write_compressed(file, true); }},
      {"rows.hdf5", [](Hdf5Writer& file) { write_compressed(file, false); }}};
  for (const auto& [name, write_matrix] : formats) {
    {
      Hdf5Writer file(path(name));
      write_example(file, write_matrix);
      // What others leave behind is of no interest, not even its sizes.
      file.group("/solution");
      file.doubles("/solution/r", {1, 2});
    }
    const StoredProblem problem = read_fclib(path(name));
    EXPECT_EQ(Matrix(problem.W), example_W()) << name;
    EXPECT_EQ(problem.q, (Vector(6) << -1, 0.1, 0.2, -2, 0.3, 0.4).finished());
    EXPECT_EQ(problem.mu, Eigen::Vector2d(0.5, 0.7));
    EXPECT_EQ(problem.info,
              (StoredInfo{"two contacts", "by hand", "", {{"numberOfInvolvedDS", std::int64_t{7}}}}));
  }
}

TEST_F(FclibTest, RoundTripsKeepEveryBit) {
  std::vector<StoredProblem> problems{make_local(3, 4, 0),
                                      make_local(2, 5, 3),
                                      make_local(3, 0, 0),
                                      make_global(StoredForm::global, 7, 3, 2, false),
                                      make_global(StoredForm::global, 7, 3, 0, true),
                                      make_global(StoredForm::global_rolling, 8, 2, 1, true)};
  problems[4].spacedim = 2;
  problems[4].H = Numbers().matrix(7, 6);
  problems[4].w = Numbers().vector(6);
  for (const StoredProblem& problem : problems) {
    write_fclib(path("file.hdf5"), problem);
    expect_same(problem, std::get<StoredProblem>(read_problem_file(path("file.hdf5"))));
    EXPECT_FALSE(std::filesystem::exists(path("file.hdf5.part")));
  }
}

TEST_F(FclibTest, SolutionsAreWrittenWhenGiven) {
  const StoredProblem problem = make_global(StoredForm::global, 7, 3, 2, true);
  Numbers next;
  Solution solution;
  solution.v = next.vector(7);
  solution.r = next.vector(9);
  solution.u = next.vector(9);
  solution.lambda = next.vector(2);
  write_fclib(path("file.hdf5"), problem, &solution);
  expect_same(problem, read_fclib(path("file.hdf5")));
  const Hdf5File file = Hdf5File::open(path("file.hdf5"));
  for (const auto& [name, values] :
       {std::pair{"v", &solution.v}, {"r", &solution.r}, {"u", &solution.u}, {"l", &solution.lambda}})
    EXPECT_EQ(file.open_dataset(std::string("/solution/") + name).read<double>(values->size()),
              std::vector<double>(values->begin(), values->end()))
        << name;
  solution.r.resize(3);
  EXPECT_THROW(write_fclib(path("file.hdf5"), problem, &solution), InputError);
}

TEST_F(FclibTest, BrokenFilesSayWhere) {
  EXPECT_EQ(damaged([](Hdf5Writer&) {}), "");
  const std::string group = "/fclib_local/", file = path("damaged.hdf5") + ": ";
  const auto replaced = [&](const std::string& name, const std::vector<int>& values) {
    return damaged([&](Hdf5Writer& writer) {
      writer.remove(group + name);
      writer.ints(group + name, values);
    });
  };
  const auto replaced_numbers = [&](const std::string& name, const std::vector<double>& values) {
    return damaged([&](Hdf5Writer& writer) {
      writer.remove(group + name);
      writer.doubles(group + name, values);
    });
  };
  for (const char* name :
       {"spacedim", "W", "W/m", "W/nz", "W/p", "W/i", "W/x", "vectors", "vectors/q", "vectors/mu"}) {
    const std::string what = damaged([&](Hdf5Writer& writer) { writer.remove(group + name); });
    EXPECT_TRUE(what.starts_with(file + group + name)) << name << ": " << what;
    EXPECT_TRUE(what.ends_with("it is missing")) << what;
  }
  EXPECT_EQ(replaced("spacedim", {4}), file + "/fclib_local/spacedim: it is 4; allowed: 2, 3");
  EXPECT_EQ(replaced("spacedim", {3, 3}), file + "/fclib_local/spacedim: it has 2 values; allowed: 1");
  EXPECT_EQ(replaced("W/m", {-6}), file + "/fclib_local/W/m: it is -6; allowed: 0 … 200000000");
  EXPECT_EQ(replaced("W/m", {5}),
            file + "/fclib_local/W/i: index 5 at place 7 is out of range; allowed: 0 … 4");
  EXPECT_EQ(replaced("W/m", {7}),
            file + "/fclib_local: W has 7 rows; allowed: multiples of 3, the components of a contact");
  EXPECT_EQ(replaced("W/m", {9}), file + "/fclib_local: mu has 2 values; allowed here: 3, one a contact");
  EXPECT_EQ(replaced("W/n", {9}), file + "/fclib_local: W has 6 rows and 9 columns; allowed here: 6 and 6");
  EXPECT_EQ(replaced("W/nz", {17}), file + "/fclib_local/W/p: it has 18 values; allowed here: 17");
  EXPECT_EQ(replaced("W/nz", {-1}), file + "/fclib_local/W/p: it has 18 values; allowed here: 7");
  EXPECT_NE(replaced("W/nz", {-3}).find("/fclib_local/W/nz: it is -3"), std::string::npos);
  std::vector<int> p(18, 0);
  p[3] = -1;
  EXPECT_EQ(replaced("W/p", p),
            file + "/fclib_local/W/p: index -1 at place 3 is out of range; allowed: 0 … 5");
  std::vector<double> x(18, 1.0);
  x[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(replaced_numbers("W/x", x), file + "/fclib_local/W/x: value 2 is nan; allowed: finite numbers");
  EXPECT_EQ(replaced_numbers("vectors/mu", {0.5, -0.1}),
            file + "/fclib_local: mu is -0.1 at contact 1; allowed: finite numbers from 0");
  EXPECT_EQ(replaced_numbers("vectors/q", {1, 2, 3, 4, 5}),
            file + "/fclib_local: q has 5 values; allowed here: 6, one a row of W");
  EXPECT_EQ(replaced_numbers("vectors/q", {1, 2, 3, 4, 5, std::numeric_limits<double>::infinity()}),
            file + "/fclib_local: q has values that are not finite; allowed: finite numbers");
  // Texts where numbers belong.
  EXPECT_NE(damaged([&](Hdf5Writer& writer) {
              writer.remove(group + "vectors/mu");
              writer.text(group + "vectors/mu", "0.5");
            }).find("vectors/mu"),
            std::string::npos);
  EXPECT_NE(damaged([&](Hdf5Writer& writer) { writer.group("/fclib_global"); }).find("allowed: one of them"),
            std::string::npos);
  // Compressed columns that do not ascend, or beyond the entries.
  for (const std::vector<int>& starts :
       {std::vector<int>{0, 3, 2, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 99}, {1, 1, 2, 3, 4, 5, 6}}) {
    const std::string what = damaged([&](Hdf5Writer& writer) {
      for (const char* name : {"W/p", "W/nz"}) writer.remove(group + name);
      writer.ints(group + "W/p", starts);
      writer.ints(group + "W/nz", {-1});
    });
    EXPECT_TRUE(what.starts_with(file + "/fclib_local/W/p: ")) << what;
  }
}

TEST_F(FclibTest, OtherFilesAreRefused) {
  {
    Hdf5Writer file(path("other.hdf5"));
    file.group("/recording");
  }
  EXPECT_EQ(message("other.hdf5"), path("other.hdf5") +
                                       ": it holds no friction problem; allowed: a group /fclib_local, "
                                       "/fclib_global or /fclib_global_rolling");
  write_fclib(path("whole.hdf5"), make_local(3, 4, 0));
  const std::string whole = read_file(path("whole.hdf5"));
  for (std::size_t size :
       {whole.size() - 1, whole.size() / 2, std::size_t{600}, std::size_t{20}, std::size_t{8}}) {
    write("cut.hdf5", whole.substr(0, size));
    EXPECT_NE(message("cut.hdf5").find("cut.hdf5"), std::string::npos) << size;
  }
  write("text.hdf5", "no problem at all");
  EXPECT_NE(message("text.hdf5").find("text.hdf5: it is not a problem file; allowed: FCLIB"),
            std::string::npos);
  write("empty.hdf5", "");
  EXPECT_NE(message("empty.hdf5").find("it is not a problem file"), std::string::npos);
  EXPECT_NE(message("nowhere.hdf5").find("No such file"), std::string::npos);
  EXPECT_NE(message("").find("it is a directory"), std::string::npos);
}

// --- conversions

// v, l of M v = P + G l, Gᵀ v + b = 0 from the whole matrix, with redundant rows.
Matrix solve_densely(const StoredProblem& problem, const Matrix& P, const Vector& b) {
  const auto n = problem.M.rows(), p = b.size();
  Matrix K = Matrix::Zero(n + p, n + p), right(n + p, P.cols());
  K.topLeftCorner(n, n) = Matrix(problem.M);
  if (p > 0) {
    K.topRightCorner(n, p) = -Matrix(problem.G);
    K.bottomLeftCorner(p, n) = Matrix(problem.G).transpose();
  }
  right.topRows(n) = P;
  right.bottomRows(p).colwise() = Vector(-b);
  return K.completeOrthogonalDecomposition().solve(right).topRows(n);
}

TEST(StoredProblem, LocalProblemIsTheSchurComplement) {
  for (const bool symmetric : {true, false})
    for (const int num_equalities : {0, 3}) {
      StoredProblem problem = make_global(StoredForm::global, 12, 3, num_equalities, symmetric);
      if (num_equalities == 3) {
        // The third row is the sum of the others, and says the same.
        Matrix G = problem.G;
        G.col(2) = G.col(0) + G.col(1);
        problem.G = G.sparseView();
        problem.b[2] = problem.b[0] + problem.b[1];
      }
      const LocalProblem local = to_local(problem);
      const Matrix H = problem.H;
      const Matrix W = H.transpose() * solve_densely(problem, H, Vector::Zero(num_equalities));
      const Vector q = problem.w + H.transpose() * solve_densely(problem, problem.f, problem.b);
      // Condition of the random matrices: below 1e3.
      EXPECT_LT((local.W.dense() - W).cwiseAbs().maxCoeff(), 1e-12 * W.cwiseAbs().maxCoeff());
      EXPECT_LT((local.u_free - q).cwiseAbs().maxCoeff(), 1e-12 * q.cwiseAbs().maxCoeff());
      EXPECT_EQ(local.symmetric, symmetric);
      EXPECT_EQ(local.cones, (std::vector<Cone>{{.kind = ConeKind::coulomb, .dim = 3, .mu = problem.mu[0]},
                                                {.kind = ConeKind::coulomb, .dim = 3, .mu = problem.mu[1]},
                                                {.kind = ConeKind::coulomb, .dim = 3, .mu = problem.mu[2]}}));
    }
}

TEST(StoredProblem, ReductionGivesTheSame) {
  const StoredProblem problem = make_global(StoredForm::global_rolling, 12, 2, 2, true);
  const LocalProblem local = to_local(problem);
  const Problem global = to_problem(problem);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(global));
  EXPECT_LT((local.W.dense() - reduction.local().W.dense()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((local.u_free - reduction.local().u_free).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(local.cones, reduction.local().cones);
  // And back, bit for bit.
  expect_same(problem, from_problem(global));
}

TEST(StoredProblem, BlocksOfIndependentContactsAreLeftOut) {
  // Three bodies; contacts 0 between 0 and 1, 1 on 1, 2 on 2; a joint holds a component of bodies 1 and 2 together.
  StoredProblem problem = make_global(StoredForm::global, 9, 3, 0, true);
  Matrix M = Matrix::Zero(9, 9), H = Matrix::Zero(9, 9), G = Matrix::Zero(9, 1);
  Numbers next;
  for (int body = 0; body < 3; ++body) M.block<3, 3>(3 * body, 3 * body).diagonal().setConstant(body + 1.5);
  for (const auto& [body, contact] : {std::pair{0, 0}, {1, 0}, {1, 1}, {2, 2}})
    for (double& x : H.block<3, 3>(3 * body, 3 * contact).reshaped()) x = next();
  problem.M = M.sparseView();
  problem.H = H.sparseView();
  const LocalProblem free = to_local(problem);
  EXPECT_GE(free.W.find(0, 1), 0);
  EXPECT_EQ(free.W.find(0, 2), -1);
  EXPECT_EQ(free.W.find(2, 1), -1);
  G(3, 0) = 1;
  G(6, 0) = -1;
  problem.G = G.sparseView();
  problem.b = Vector::Constant(1, 0.5);
  const LocalProblem held = to_local(problem);
  EXPECT_EQ(held.W.num_entries(), 9);
}

TEST(StoredProblem, MatricesThatCannotBeEliminatedAreInputErrors) {
  StoredProblem problem = make_global(StoredForm::global, 6, 2, 2, true);
  Matrix G = problem.G;
  G.col(1) = G.col(0);
  problem.G = G.sparseView();
  problem.b << 1, 2;
  const auto message = [&] {
    try {
      to_local(problem, "file");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(),
            "file: the equality rows (G, b) contradict each other; allowed: rows that some v satisfies");
  Matrix M = problem.M;
  M.col(3).setZero();
  M.row(3).setZero();
  problem.M = M.sparseView();
  EXPECT_EQ(message(), "file: M is singular; allowed: regular matrices");
}

TEST(StoredProblem, EqualityRowsOfLocalProblemsBecomeCones) {
  const StoredProblem stored = make_local(3, 2, 2);
  const LocalProblem local = to_local(stored);
  Matrix W(8, 8);
  W << Matrix(stored.W), Matrix(stored.V), Matrix(stored.V).transpose(), Matrix(stored.R);
  EXPECT_EQ(local.W.dense(), W);
  EXPECT_FALSE(local.symmetric);
  EXPECT_EQ(local.u_free.tail(2), stored.s);
  EXPECT_EQ(local.cones.back(), (Cone{.kind = ConeKind::equality, .dim = 1}));
  StoredProblem back = from_local(local);
  back.info = stored.info;
  expect_same(stored, back);
}

// A frictionless contact, a planar one, one in space and an equality; compliant and rigid joint rows.
Problem make_mixed() {
  Numbers next;
  Problem problem;
  const int nv = 6;
  problem.A.clear(nv);
  Matrix L = Matrix(next.matrix(nv, nv)), A = L * L.transpose();
  A.diagonal().array() += 1;
  problem.A.add_block(0, 0, nv, nv) = A;
  problem.p = next.vector(nv);
  problem.Gt.clear(nv);
  for (int j = 0; j < 2; ++j) {
    problem.Gt.add_group(1);
    problem.Gt.add_block(0, nv).reshaped() = next.vector(nv);
  }
  problem.g = next.vector(2);
  problem.C = Eigen::Vector2d(0.25, 0);
  problem.Ht.clear(nv);
  problem.cones = {{.kind = ConeKind::nonnegative, .dim = 1},
                   {.kind = ConeKind::equality, .dim = 1},
                   {.kind = ConeKind::coulomb, .dim = 2, .mu = 0.3},
                   {.kind = ConeKind::coulomb, .dim = 3, .mu = 0.6}};
  for (const Cone& cone : problem.cones) {
    problem.Ht.add_group(cone.dim);
    problem.Ht.add_block(0, nv).reshaped() = next.vector(nv * cone.dim);
  }
  problem.w = next.vector(7);
  return problem;
}

TEST(StoredProblem, ContactsWithFewerComponentsArePadded) {
  const Problem problem = make_mixed();
  const StoredProblem stored = from_problem(problem);
  EXPECT_EQ(stored.form, StoredForm::global);
  EXPECT_EQ(stored.mu, Vector3(0, 0.3, 0.6));
  EXPECT_EQ(stored.num_equalities(), 2);  // the rigid joint row and the equality
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  // Where the components of the step lie among those stored; the equality of the step is held in both.
  const LocalProblem& step = reduction.local();
  const LocalProblem local = to_local(stored);
  const std::vector<int> of_step{0, 2, 3, 4, 5, 6}, of_file{0, 3, 4, 6, 7, 8};
  const Matrix W = step.W.dense(), W_file = local.W.dense();
  const double pivot = W(1, 1);
  for (std::size_t i = 0; i < of_step.size(); ++i) {
    for (std::size_t j = 0; j < of_step.size(); ++j) {
      const double held = W(of_step[i], of_step[j]) - W(of_step[i], 1) * W(1, of_step[j]) / pivot;
      EXPECT_NEAR(W_file(of_file[i], of_file[j]), held, 1e-12);
    }
    const double held = step.u_free[of_step[i]] - W(of_step[i], 1) * step.u_free[1] / pivot;
    EXPECT_NEAR(local.u_free[of_file[i]], held, 1e-12);
  }
  for (int k : {1, 2, 5}) {
    EXPECT_EQ(W_file.row(k).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(local.u_free[k], 0);
  }
  Solution solution;
  solution.r = solution.u = Vector::LinSpaced(7, 1, 7);
  solution.lambda = Eigen::Vector2d(8, 9);
  solution.v = problem.p;
  const Solution padded = to_stored(problem, solution);
  EXPECT_EQ(padded.r, (Vector(9) << 1, 0, 0, 3, 4, 0, 5, 6, 7).finished());
  EXPECT_EQ(padded.u, padded.r);
  EXPECT_EQ(padded.v, problem.p);
  // The rigid joint row, then the equality.
  EXPECT_EQ(padded.lambda, Eigen::Vector2d(9, 2));
}

TEST(StoredProblem, ConesThatFilesCannotHoldAreNamed) {
  const auto message = [](const Cone& cone) {
    LocalProblem problem;
    problem.cones = {{.kind = ConeKind::nonnegative, .dim = 1}, cone};
    const std::vector<int> dims{1, cone.dim};
    problem.W = ContactMatrix(Matrix::Identity(1 + cone.dim, 1 + cone.dim), dims);
    problem.u_free.setZero(1 + cone.dim);
    try {
      from_local(problem);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({.kind = ConeKind::coulomb, .dim = 3, .mu = 1}), "");
  for (const auto& [cone, why] :
       {std::pair<Cone, const char*>{{.kind = ConeKind::box, .dim = 1}, "dry friction with a given limit"},
        {{.kind = ConeKind::polyhedral, .dim = 3, .num_directions = 4}, "polyhedral"},
        {{.kind = ConeKind::convex, .dim = 3}, "convex"},
        {{.kind = ConeKind::coulomb, .dim = 4}, "spinning"},
        {{.kind = ConeKind::coulomb, .dim = 5}, "rolling"},
        {{.kind = ConeKind::coulomb, .dim = 3, .extra_normal = 1}, "extra_normal"}}) {
    const std::string what = message(cone);
    EXPECT_TRUE(what.starts_with("contact 1 cannot be stored: ")) << what;
    EXPECT_NE(what.find(why), std::string::npos) << what;
  }
}

// --- files that lie beside the checkout

class SharedFclib : public DirectoryTest {
 protected:
  static std::filesystem::path folder() { return std::filesystem::path(DELASSUS_SHARED_DATA_DIR); }
  void SetUp() override {
    DirectoryTest::SetUp();
    if (!std::filesystem::is_directory(folder() / "fclib")) GTEST_SKIP() << "no stored problems here";
  }
};

TEST_F(SharedFclib, AllFilesAreReadWithTheirContacts) {
  // | file | source | family | contacts | …
  std::istringstream table(read_file((folder().parent_path() / "BASELINE.md").string()));
  int count = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream cells(line);
    std::string name, skipped, contacts;
    std::getline(cells, skipped, '|');
    std::getline(cells, name, '|');
    if (name.find(".hdf5") == std::string::npos || !line.starts_with("| ")) continue;
    name = name.substr(1, name.size() - 2);
    std::getline(cells, skipped, '|');
    std::getline(cells, skipped, '|');
    std::getline(cells, contacts, '|');
    const StoredProblem problem = read_fclib((folder() / "fclib" / name).string());
    EXPECT_EQ(problem.num_contacts(), std::stoi(contacts)) << name;
    ++count;
  }
  EXPECT_EQ(count, 30);
}

TEST_F(SharedFclib, TextTwinsAreTheSameProblems) {
  for (const char* name : {"Capsules-i101-404", "Confeti-ex13-Fc3D-SBM"}) {
    const LocalProblem a = to_local(read_problem_file((folder() / "fclib" / name).string() + ".hdf5"), name);
    const LocalProblem b =
        to_local(read_problem_file((folder() / "siconos_dat" / name).string() + ".dat"), name);
    EXPECT_EQ(a.cones, b.cones);
    EXPECT_EQ(a.u_free, b.u_free);
    EXPECT_EQ(a.W.dense(), b.W.dense());
    EXPECT_EQ(a.symmetric, b.symmetric);
  }
}

TEST_F(SharedFclib, GlobalFilesKeepTheirProblemWhenConverted) {
  for (const char* name :
       {"LMGC_GlobalFrictionContactProblem00046", "Chute-ndof-678-nc-20-1620", "GFC3D_TwoRods1"}) {
    const AnyProblem any = read_problem_file((folder() / "fclib" / name).string() + ".hdf5");
    const LocalProblem original = to_local(any, name);
    for (const char* ending : {".hdf5", ".dat", ".txt"}) {
      const std::string copy = path(std::string("copy") + ending);
      write_problem_file(copy, any);
      const LocalProblem local = to_local(read_problem_file(copy), copy);
      EXPECT_LT((local.W.dense() - original.W.dense()).cwiseAbs().maxCoeff(),
                1e-12 * original.W.dense().cwiseAbs().maxCoeff())
          << name << ending;
      EXPECT_LT((local.u_free - original.u_free).cwiseAbs().maxCoeff(),
                1e-10 * original.u_free.cwiseAbs().maxCoeff())
          << name << ending;
    }
  }
}

}  // namespace
}  // namespace delassus::fclib_test
