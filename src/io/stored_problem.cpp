// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/stored_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/base/error.hpp"

namespace delassus {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

bool all_finite(const SparseMatrix& matrix) {
  for (int j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it)
      if (!std::isfinite(it.value())) return false;
  return true;
}

std::string check_shape(const char* name, const SparseMatrix& matrix, Eigen::Index rows,
                        Eigen::Index columns) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    return fmt::format("{} has {} rows and {} columns; allowed here: {} and {}", name, matrix.rows(),
                       matrix.cols(), rows, columns);
  return all_finite(matrix) ? ""
                            : fmt::format("{} has values that are not finite; allowed: finite numbers", name);
}

std::string check_vector(const char* name, const Vector& vector, Eigen::Index size, const char* what) {
  if (vector.size() != size)
    return fmt::format("{} has {} values; allowed here: {}, {}", name, vector.size(), size, what);
  return vector.allFinite() ? ""
                            : fmt::format("{} has values that are not finite; allowed: finite numbers", name);
}

std::string check_coefficients(const char* name, const Vector& mu) {
  for (Eigen::Index c = 0; c < mu.size(); ++c)
    if (!std::isfinite(mu[c]) || mu[c] < 0)
      return fmt::format("{} is {} at contact {}; allowed: finite numbers from 0", name, mu[c], c);
  return {};
}

// The first message that is not empty.
std::string first_of(std::initializer_list<std::string> messages) {
  for (const std::string& message : messages)
    if (!message.empty()) return message;
  return {};
}

}  // namespace

std::string check_consistent(const StoredProblem& problem) {
  if (problem.spacedim != 2 && problem.spacedim != 3)
    return fmt::format("spacedim is {}; allowed: 2, 3", problem.spacedim);
  const bool local = problem.form == StoredForm::local, rolling = problem.form == StoredForm::global_rolling;
  if (rolling && problem.spacedim != 3)
    return fmt::format("spacedim is {}; allowed with rolling: 3", problem.spacedim);
  const Eigen::Index rows = local ? problem.W.rows() : problem.H.cols();
  const int dim = problem.contact_dim();
  if (rows % dim != 0)
    return fmt::format("{} has {} {}; allowed: multiples of {}, the components of a contact",
                       local ? "W" : "H", rows, local ? "rows" : "columns", dim);
  const char* a_contact = "one a contact";
  std::string wrong =
      first_of({check_vector("mu", problem.mu, rows / dim, a_contact), check_coefficients("mu", problem.mu)});
  if (wrong.empty() && rolling)
    wrong = first_of({check_vector("mu_r", problem.mu_r, rows / dim, a_contact),
                      check_coefficients("mu_r", problem.mu_r)});
  if (!wrong.empty()) return wrong;
  if (local) {
    const Eigen::Index p = problem.s.size();
    wrong = first_of(
        {check_shape("W", problem.W, rows, rows), check_vector("q", problem.q, rows, "one a row of W")});
    if (!wrong.empty() || (p == 0 && problem.V.cols() == 0)) return wrong;
    return first_of({check_shape("V", problem.V, rows, p), check_shape("R", problem.R, p, p),
                     check_vector("s", problem.s, p, "one a column of V")});
  }
  const Eigen::Index n = problem.M.rows(), p = problem.b.size();
  wrong = first_of({check_shape("M", problem.M, n, n), check_shape("H", problem.H, n, rows),
                    check_vector("f", problem.f, n, "one a row of M"),
                    check_vector("w", problem.w, rows, "one a column of H")});
  if (!wrong.empty() || (p == 0 && problem.G.cols() == 0)) return wrong;
  return first_of({check_shape("G", problem.G, n, p), check_vector("b", problem.b, p, "one a column of G")});
}

// --- from the problems of a step

namespace {

// Why a cone cannot be stored, or nothing.
std::string check_storable(const Cone& cone, bool rolling_allowed) {
  if (cone.extra_normal != 0)
    return "its friction is bounded by more than its own normal impulse (extra_normal)";
  switch (cone.kind) {
    case ConeKind::nonnegative:
    case ConeKind::equality:
      return {};
    case ConeKind::coulomb:
      if (cone.dim == 4 || cone.dim == 6) return "it resists spinning";
      if (cone.dim == 5 && !rolling_allowed)
        return "it resists rolling, which only global problems can store";
      return {};
    case ConeKind::convex:
      return "its law is the convex one, and files stand for exact Coulomb friction";
    case ConeKind::polyhedral:
      return "its friction cone is polyhedral";
    case ConeKind::box:
      return "it is dry friction with a given limit";
  }
  return "its kind is unknown";
}

// Where the components of the cones lie in a stored problem.
struct StoredLayout {
  int spacedim = 3;
  bool rolling = false;
  int dim = 3;  // of a stored contact
  int num_contacts = 0, num_equalities = 0;
  std::vector<int> first;  // a cone: first stored component, counted among contacts or equalities
};

StoredLayout make_layout(const std::vector<Cone>& cones, bool rolling_allowed) {
  StoredLayout layout;
  int largest = 0;
  for (std::size_t c = 0; c < cones.size(); ++c) {
    if (const std::string wrong = check_storable(cones[c], rolling_allowed); !wrong.empty())
      throw InputError(
          fmt::format("contact {} cannot be stored: {}; allowed: frictionless contacts, exact Coulomb "
                      "friction{} and equality rows",
                      c, wrong, rolling_allowed ? " also with rolling" : ""));
    if (cones[c].kind == ConeKind::coulomb) largest = std::max(largest, cones[c].dim);
  }
  layout.rolling = largest == 5;
  layout.spacedim = largest == 2 ? 2 : 3;
  layout.dim = layout.rolling ? 5 : layout.spacedim;
  for (const Cone& cone : cones) {
    if (cone.kind == ConeKind::equality) {
      layout.first.push_back(layout.num_equalities);
      layout.num_equalities += cone.dim;
    } else {
      layout.first.push_back(layout.dim * layout.num_contacts++);
    }
  }
  return layout;
}

void store_coefficients(const std::vector<Cone>& cones, const StoredLayout& layout, StoredProblem& stored) {
  stored.spacedim = layout.spacedim;
  stored.mu.setZero(layout.num_contacts);
  stored.mu_r.setZero(layout.rolling ? layout.num_contacts : 0);
  for (std::size_t c = 0; c < cones.size(); ++c) {
    if (cones[c].kind != ConeKind::coulomb) continue;
    const int contact = layout.first[c] / layout.dim;
    stored.mu[contact] = cones[c].mu;
    if (cones[c].dim == 5) stored.mu_r[contact] = cones[c].mu_rolling;
  }
}

SparseMatrix make_sparse(int rows, int columns, const Triplets& triplets) {
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

}  // namespace

StoredProblem from_problem(const Problem& problem) {
  if (problem.separate_directions)
    throw InputError(
        "the problem cannot be stored: its impulses act along other directions than its rows measure");
  const StoredLayout layout = make_layout(problem.cones, true);
  const int n = problem.A.size(), num_rigid = static_cast<int>((problem.C.array() == 0).count());
  StoredProblem stored;
  stored.form = layout.rolling ? StoredForm::global_rolling : StoredForm::global;
  store_coefficients(problem.cones, layout, stored);
  stored.M = problem.A.to_sparse();
  stored.f = problem.p;

  Triplets G;
  stored.b.resize(num_rigid + layout.num_equalities);
  const SparseMatrix joints = problem.Gt.to_sparse_transposed();
  for (int j = 0, column = 0; j < joints.outerSize(); ++j) {
    const double C = problem.C[j];
    if (C == 0) {
      for (SparseMatrix::InnerIterator it(joints, j); it; ++it) G.emplace_back(it.row(), column, it.value());
      stored.b[column++] = -problem.g[j];
    } else {
      const Eigen::SparseVector<double> row = joints.col(j);
      stored.M += SparseMatrix(row * row.transpose()) / C;
      stored.f += row * (problem.g[j] / C);
    }
  }
  Triplets H;
  stored.w.setZero(layout.dim * layout.num_contacts);
  const SparseMatrix rows = problem.Ht.to_sparse_transposed();
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const bool equality = problem.cones[c].kind == ConeKind::equality;
    for (int k = 0; k < problem.cones[c].dim; ++k) {
      const int row = problem.Ht.first_row(c) + k, column = layout.first[c] + k + (equality ? num_rigid : 0);
      for (SparseMatrix::InnerIterator it(rows, row); it; ++it)
        (equality ? G : H).emplace_back(it.row(), column, it.value());
      (equality ? stored.b : stored.w)[column] = problem.w[row];
    }
  }
  stored.H = make_sparse(n, static_cast<int>(stored.w.size()), H);
  stored.G = make_sparse(n, static_cast<int>(stored.b.size()), G);
  return stored;
}

StoredProblem from_local(const LocalProblem& problem) {
  const StoredLayout layout = make_layout(problem.cones, false);
  StoredProblem stored;
  stored.form = StoredForm::local;
  store_coefficients(problem.cones, layout, stored);
  const int m = layout.dim * layout.num_contacts, p = layout.num_equalities;
  stored.q.setZero(m);
  stored.s.setZero(p);
  Triplets W, V, R;
  for (int a = 0; a < problem.num_contacts(); ++a) {
    const bool equality_a = problem.cones[a].kind == ConeKind::equality;
    (equality_a ? stored.s : stored.q).segment(layout.first[a], problem.cones[a].dim) =
        problem.u_free.segment(problem.first_row(a), problem.cones[a].dim);
    for (int e = problem.W.row_begin(a); e < problem.W.row_end(a); ++e) {
      const int b = problem.W.column(e);
      const bool equality_b = problem.cones[b].kind == ConeKind::equality;
      const auto block = problem.W.block(a, e);
      if (equality_a != equality_b) {
        const int back = problem.W.find(b, a);
        const bool same = back >= 0 ? problem.W.block(b, back).transpose() == block : block.isZero(0);
        if (!same)
          throw InputError(
              fmt::format("contact {} cannot be stored: its rows with contact {} are not symmetric, and "
                          "those of equality rows "
                          "must be",
                          a, b));
        if (equality_a) continue;  // (1) has V once
      }
      Triplets& out = equality_a ? R : equality_b ? V : W;
      for (int i = 0; i < block.rows(); ++i)
        for (int j = 0; j < block.cols(); ++j)
          out.emplace_back(layout.first[a] + i, layout.first[b] + j, block(i, j));
    }
  }
  stored.W = make_sparse(m, m, W);
  stored.V = make_sparse(m, p, V);
  stored.R = make_sparse(p, p, R);
  return stored;
}

namespace {

// λ of the joints that are stored stand in out.lambda already.
void store_contacts(const std::vector<Cone>& cones, const StoredLayout& layout, const Solution& solution,
                    Solution& out) {
  const Eigen::Index num_joints = out.lambda.size();
  out.r.setZero(layout.dim * layout.num_contacts);
  out.u.setZero(out.r.size());
  out.lambda.conservativeResize(num_joints + layout.num_equalities);
  int row = 0;
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const int dim = cones[c].dim;
    if (cones[c].kind == ConeKind::equality) {
      out.lambda.segment(num_joints + layout.first[c], dim) = solution.r.segment(row, dim);
    } else {
      out.r.segment(layout.first[c], dim) = solution.r.segment(row, dim);
      out.u.segment(layout.first[c], dim) = solution.u.segment(row, dim);
    }
    row += dim;
  }
}

}  // namespace

Solution to_stored(const Problem& problem, const Solution& solution) {
  Solution out;
  out.v = solution.v;
  std::vector<double> rigid;
  for (Eigen::Index j = 0; j < problem.C.size(); ++j)
    if (problem.C[j] == 0) rigid.push_back(solution.lambda[j]);
  out.lambda = Eigen::Map<const Vector>(rigid.data(), static_cast<Eigen::Index>(rigid.size()));
  store_contacts(problem.cones, make_layout(problem.cones, true), solution, out);
  return out;
}

Solution to_stored(const LocalProblem& problem, const Solution& solution) {
  Solution out;
  store_contacts(problem.cones, make_layout(problem.cones, false), solution, out);
  return out;
}

}  // namespace delassus
