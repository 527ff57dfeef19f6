// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Stored problems as those that solvers take: to_local and to_problem of io/stored_problem.hpp.
#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "delassus/base/error.hpp"
#include "delassus/io/stored_problem.hpp"

namespace delassus {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// |W_ij − W_ji| up to this share of √(W_ii W_jj) is round-off of whoever formed W: some 1e-16 times the condition of the
// masses. Files with 7 digits may be above it, and so not symmetric.
constexpr double k_symmetry_tolerance = 1e-12;
// Rank of the scaled equality rows: as in linalg/kkt.cpp, far above round-off and far below independent rows.
constexpr double k_rank_tolerance = 1e-11;
// Equality rows that are left over contradict each other when they miss by more than this share of their terms.
constexpr double k_contradiction = 1e-8;

bool is_symmetric(const SparseMatrix& W) {
  const Vector scale = W.diagonal().cwiseAbs().cwiseSqrt();
  const SparseMatrix difference = W - SparseMatrix(W.transpose());
  for (int j = 0; j < difference.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(difference, j); it; ++it)
      if (std::abs(it.value()) > k_symmetry_tolerance * scale[it.row()] * scale[j]) return false;
  return true;
}

// M⁻¹, M symmetric or not.
class MassFactor {
 public:
  // False when M is singular.
  bool compute(const SparseMatrix& M) {
    if (is_symmetric(M)) {
      ldlt_.compute(M);
      symmetric_ = ldlt_.info() == Eigen::Success && (ldlt_.vectorD().array() > 0).all();
      if (symmetric_) return true;
    }
    lu_.compute(M);
    return lu_.info() == Eigen::Success;
  }
  Matrix solve(const MatrixRef& P) const {
    return symmetric_ ? Matrix(ldlt_.solve(P)) : Matrix(lu_.solve(P));
  }

 private:
  bool symmetric_ = false;
  Eigen::SimplicialLDLT<SparseMatrix> ldlt_;
  Eigen::SparseLU<SparseMatrix> lu_;
};

// The velocity that impulses cause while the rows of G are held: X = M⁻¹ (P + G L) with Gᵀ X + B = 0.
class HeldMass {
 public:
  bool compute(const StoredProblem& problem) {
    if (!mass_.compute(problem.M)) return false;
    G_ = problem.G;
    if (problem.b.size() == 0) return true;
    X_G_ = mass_.solve(Matrix(G_));
    Matrix S = G_.transpose() * X_G_;
    scale_ = S.diagonal().unaryExpr([](double x) { return x > 0 ? 1.0 / std::sqrt(x) : 1.0; });
    S = scale_.asDiagonal() * S * scale_.asDiagonal();
    schur_.setThreshold(k_rank_tolerance);
    schur_.compute(S);
    return true;
  }
  Matrix solve(const MatrixRef& P) const { return mass_.solve(P); }
  // X onto the rows; twice, so that they hold at large mass ratios too.
  void hold(const Vector& B, Matrix& X) const {
    for (int pass = 0; pass < 2 && B.size() > 0; ++pass) {
      Matrix miss = G_.transpose() * X;
      miss.colwise() += B;
      const Matrix scaled = scale_.asDiagonal() * miss;
      X -= X_G_ * (scale_.asDiagonal() * Matrix(schur_.solve(scaled)));
    }
  }

 private:
  MassFactor mass_;
  SparseMatrix G_;
  Matrix X_G_;
  Vector scale_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> schur_;
};

// Which unknowns are coupled, by M or by equality rows: a label an unknown.
std::vector<int> find_islands(const StoredProblem& problem) {
  std::vector<int> parent(static_cast<std::size_t>(problem.M.rows()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const auto join_columns = [&](const SparseMatrix& matrix, bool with_index) {
    for (int j = 0; j < matrix.outerSize(); ++j) {
      int first = with_index ? j : -1;
      for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
        if (first < 0) first = static_cast<int>(it.row());
        parent[root(static_cast<int>(it.row()))] = root(first);
      }
    }
  };
  join_columns(problem.M, true);
  if (problem.b.size() > 0) join_columns(problem.G, false);
  std::vector<int> labels(parent.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = root(static_cast<int>(i));
  return labels;
}

// W = Hᵀ X by panels of one contact; round-off between contacts that share no island is left out.
SparseMatrix eliminate(const StoredProblem& problem, const HeldMass& held) {
  const int dim = problem.contact_dim(), n = static_cast<int>(problem.M.rows());
  const std::vector<int> island = find_islands(problem);
  std::vector<std::vector<int>> islands(static_cast<std::size_t>(problem.num_contacts()));
  for (int c = 0; c < problem.num_contacts(); ++c) {
    for (int k = 0; k < dim; ++k)
      for (SparseMatrix::InnerIterator it(problem.H, dim * c + k); it; ++it)
        islands[c].push_back(island[it.row()]);
    std::sort(islands[c].begin(), islands[c].end());
    islands[c].erase(std::unique(islands[c].begin(), islands[c].end()), islands[c].end());
  }
  std::vector<char> touched(static_cast<std::size_t>(n), 0);
  const Vector no_bias = Vector::Zero(problem.b.size());
  Triplets W;
  for (int b = 0; b < problem.num_contacts(); ++b) {
    Matrix X = held.solve(Matrix(problem.H.middleCols(dim * b, dim)));
    held.hold(no_bias, X);
    const Matrix columns = problem.H.transpose() * X;
    for (int i : islands[b]) touched[i] = 1;
    for (int a = 0; a < problem.num_contacts(); ++a) {
      if (std::none_of(islands[a].begin(), islands[a].end(), [&](int i) { return touched[i] != 0; }))
        continue;
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) W.emplace_back(dim * a + i, dim * b + j, columns(dim * a + i, j));
    }
    for (int i : islands[b]) touched[i] = 0;
  }
  SparseMatrix out(problem.H.cols(), problem.H.cols());
  out.setFromTriplets(W.begin(), W.end());
  return out;
}

// A dim a cone, W in blocks where it or its transposed is not zero.
ContactMatrix make_blocks(const SparseMatrix& W, const std::vector<Cone>& cones) {
  std::vector<int> dims, contact_of;
  for (std::size_t c = 0; c < cones.size(); ++c) {
    dims.push_back(cones[c].dim);
    contact_of.insert(contact_of.end(), static_cast<std::size_t>(cones[c].dim), static_cast<int>(c));
  }
  std::vector<std::vector<int>> neighbours(cones.size());
  for (std::size_t c = 0; c < cones.size(); ++c) neighbours[c].push_back(static_cast<int>(c));
  for (int j = 0; j < W.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(W, j); it; ++it) {
      const int a = contact_of[it.row()], b = contact_of[j];
      if (it.value() == 0 || a == b) continue;
      neighbours[a].push_back(b);
      neighbours[b].push_back(a);
    }
  std::vector<int> starts{0}, columns;
  for (std::vector<int>& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    columns.insert(columns.end(), list.begin(), list.end());
    starts.push_back(static_cast<int>(columns.size()));
  }
  ContactMatrix out;
  out.set_pattern(dims, starts, columns);
  for (int j = 0; j < W.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(W, j); it; ++it) {
      if (it.value() == 0) continue;
      const int a = contact_of[it.row()], b = contact_of[j];
      out.block(a, out.find(a, b))(it.row() - out.first_row(a), j - out.first_row(b)) = it.value();
    }
  return out;
}

std::vector<Cone> make_cones(const StoredProblem& problem) {
  std::vector<Cone> cones(static_cast<std::size_t>(problem.num_contacts()));
  for (int c = 0; c < problem.num_contacts(); ++c) {
    cones[c] = {.kind = ConeKind::coulomb, .dim = problem.contact_dim(), .mu = problem.mu[c]};
    if (problem.form == StoredForm::global_rolling) cones[c].mu_rolling = problem.mu_r[c];
  }
  return cones;
}

// [W V; Vᵀ R]
SparseMatrix with_equalities(const StoredProblem& problem) {
  const int m = static_cast<int>(problem.W.rows());
  Triplets entries;
  const auto add = [&](const SparseMatrix& matrix, int row, int column, bool transposed) {
    for (int j = 0; j < matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
        const int i = static_cast<int>(it.row());
        entries.emplace_back(row + (transposed ? j : i), column + (transposed ? i : j), it.value());
      }
  };
  add(problem.W, 0, 0, false);
  add(problem.V, 0, m, false);
  add(problem.V, m, 0, true);
  add(problem.R, m, m, false);
  const int size = m + problem.num_equalities();
  SparseMatrix out(size, size);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

void require_usable(const StoredProblem& problem, const std::string& name) {
  if (const std::string wrong = check_consistent(problem); !wrong.empty())
    throw InputError(name + ": " + wrong);
}

void eliminate_global(const StoredProblem& problem, const std::string& name, SparseMatrix& W, Vector& q) {
  HeldMass held;
  if (!held.compute(problem)) throw InputError(name + ": M is singular; allowed: regular matrices");
  Matrix v = held.solve(problem.f);
  const double terms = problem.b.size() == 0 ? 0.0
                                             : std::max(problem.b.cwiseAbs().maxCoeff(),
                                                        (problem.G.transpose() * v).cwiseAbs().maxCoeff());
  held.hold(problem.b, v);
  if (problem.b.size() > 0 &&
      (problem.G.transpose() * v + problem.b).cwiseAbs().maxCoeff() > k_contradiction * terms)
    throw InputError(name +
                     ": the equality rows (G, b) contradict each other; allowed: rows that some v satisfies");
  W = eliminate(problem, held);
  q = problem.w + problem.H.transpose() * v;
}

// Appends the rows of `columns` (nv × k, transposed) as a group, in blocks of neighbouring unknowns.
void add_rows(const SparseMatrix& columns, int first, int count, BlockRows& out) {
  std::vector<int> unknowns;
  for (int k = 0; k < count; ++k)
    for (SparseMatrix::InnerIterator it(columns, first + k); it; ++it)
      unknowns.push_back(static_cast<int>(it.row()));
  std::sort(unknowns.begin(), unknowns.end());
  unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
  out.add_group(count);
  for (std::size_t begin = 0, end = 0; begin < unknowns.size(); begin = end) {
    for (end = begin + 1; end < unknowns.size() && unknowns[end] == unknowns[end - 1] + 1;) ++end;
    const int column = unknowns[begin], width = unknowns[end - 1] - column + 1;
    BlockRows::Block block = out.add_block(column, width);
    for (int k = 0; k < count; ++k)
      for (SparseMatrix::InnerIterator it(columns, first + k); it; ++it)
        if (it.row() >= column && it.row() < column + width) block(k, it.row() - column) = it.value();
  }
}

}  // namespace

LocalProblem to_local(const StoredProblem& problem, const std::string& name) {
  require_usable(problem, name);
  LocalProblem local;
  local.cones = make_cones(problem);
  SparseMatrix W;
  if (problem.form != StoredForm::local) {
    eliminate_global(problem, name, W, local.u_free);
  } else if (problem.num_equalities() == 0) {
    W = problem.W;
    local.u_free = problem.q;
  } else {
    W = with_equalities(problem);
    local.u_free.resize(W.rows());
    local.u_free << problem.q, problem.s;
    local.cones.insert(local.cones.end(), static_cast<std::size_t>(problem.num_equalities()),
                       Cone{.kind = ConeKind::equality, .dim = 1});
  }
  local.symmetric = is_symmetric(W);
  local.W = make_blocks(W, local.cones);
  return local;
}

Problem to_problem(const StoredProblem& stored, const std::string& name) {
  require_usable(stored, name);
  if (stored.form == StoredForm::local)
    throw InputError(name + ": it is a local problem, without masses; allowed: global ones");
  const int n = static_cast<int>(stored.M.rows()), dim = stored.contact_dim();
  Problem problem;
  problem.A.clear(n);
  // A block a run of neighbouring rows in a column: M may have any pattern.
  for (int j = 0; j < n; ++j) {
    std::vector<std::pair<int, double>> entries;
    for (SparseMatrix::InnerIterator it(stored.M, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), it.value());
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      for (end = begin + 1; end < entries.size() && entries[end].first == entries[end - 1].first + 1;) ++end;
      BlockMatrix::Block block =
          problem.A.add_block(entries[begin].first, j, static_cast<int>(end - begin), 1);
      for (std::size_t i = begin; i < end; ++i)
        block(static_cast<Eigen::Index>(i - begin), 0) = entries[i].second;
    }
  }
  problem.symmetric = is_symmetric(stored.M);
  problem.p = stored.f;
  problem.Gt.clear(n);
  for (int j = 0; j < stored.num_equalities(); ++j) add_rows(stored.G, j, 1, problem.Gt);
  problem.g = -stored.b;
  problem.C.setZero(stored.num_equalities());
  problem.Ht.clear(n);
  for (int c = 0; c < stored.num_contacts(); ++c) add_rows(stored.H, dim * c, dim, problem.Ht);
  problem.w = stored.w;
  problem.cones = make_cones(stored);
  return problem;
}

}  // namespace delassus
