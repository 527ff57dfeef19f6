// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/sparse_lu.hpp"

#include <suitesparse/klu.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace delassus {
namespace {

// The diagonal entry is taken as pivot down to this part of the largest entry of its column. The order of the
// columns has little fill only with pivots on the diagonal; the digits that smaller pivots cost come back in
// the refinement of the caller, which gains five or more a sweep.
constexpr double k_pivot_threshold = 1e-5;
// The next ones, where entries must not grow: the usual one of sparse factorisations, and the largest entry always.
constexpr double k_stricter_thresholds[] = {0.1, 1};
// Pivots on the diagonal throughout are good enough down to this, for entries of order one: the error 1e-16 /
// 1e-9 of a solve goes in two sweeps of refinement. A joint has the pivot (its own inertia)/(inertia of all that it
// carries), 1e-8 in a chain of 10⁴ links with masses 1 : 10⁴, and those cost no digits.
constexpr double k_smallest_diagonal_pivot = 1e-9;
// Memory for L and for U at first, in entries of K: enough for chains, trees and stars (0.6); KLU's own 10
// costs more time in pages than the factorisation.
constexpr double k_initial_fill = 1.0;
constexpr int k_no_scaling = -1;  // the caller has scaled, and checked the pattern

}  // namespace

struct SparseLu::Factors {
  Factors() {
    klu_defaults(&common);
    common.initmem = k_initial_fill;
    common.scale = k_no_scaling;
    // One block: the saddle point of a connected mechanism has only one, and the pivots lie in one array.
    common.btf = 0;
  }
  ~Factors() {
    klu_free_numeric(&diagonal, &common);
    klu_free_numeric(&pivoted, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  int size() const { return static_cast<int>(starts.size()) - 1; }
  // False when a pivot is too small.
  bool factorize_on_diagonal(std::vector<double>& values);
  bool factorize_pivoted(std::vector<double>& values, double threshold);
  // The largest entry of a column of U, relative to that of the column of K.
  double growth(std::vector<double>& values) {
    klu_rgrowth(starts.data(), row_of.data(), values.data(), symbolic, numeric, &common);
    return 1 / common.rgrowth;
  }

  klu_common common;
  klu_symbolic* symbolic = nullptr;
  // With pivots on the diagonal: the structure follows from the pattern and is made once. With pivots sought.
  klu_numeric* diagonal = nullptr;
  klu_numeric* pivoted = nullptr;
  klu_numeric* numeric = nullptr;  // the one in use
  std::vector<int> starts{0}, row_of;
};

bool SparseLu::Factors::factorize_on_diagonal(std::vector<double>& values) {
  if (diagonal == nullptr) {
    common.tol = 0;
    diagonal = klu_factor(starts.data(), row_of.data(), values.data(), symbolic, &common);
    // A number out of range can make KLU leave the diagonal in spite of tol = 0: not a structure to keep.
    if (diagonal != nullptr && common.noffdiag != 0) klu_free_numeric(&diagonal, &common);
    if (diagonal == nullptr) return false;
  }
  // Also after the first: the values always come from the same operations in the same order.
  if (klu_refactor(starts.data(), row_of.data(), values.data(), symbolic, diagonal, &common) == 0 ||
      common.status != KLU_OK)
    return false;
  const auto* pivots = static_cast<const double*>(diagonal->Udiag);
  return std::all_of(pivots, pivots + size(),
                     [](double pivot) { return std::abs(pivot) > k_smallest_diagonal_pivot; });
}

bool SparseLu::Factors::factorize_pivoted(std::vector<double>& values, double threshold) {
  klu_free_numeric(&pivoted, &common);
  common.tol = threshold;
  pivoted = klu_factor(starts.data(), row_of.data(), values.data(), symbolic, &common);
  numeric = pivoted;
  return numeric != nullptr && common.status == KLU_OK;
}

SparseLu::SparseLu() : factors_(std::make_unique<Factors>()) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

bool SparseLu::analyze(std::vector<int> starts, std::vector<int> row_of, std::vector<int> order) {
  factors_ = std::make_unique<Factors>();
  Factors& f = *factors_;
  f.starts = std::move(starts);
  f.row_of = std::move(row_of);
  f.symbolic =
      klu_analyze_given(f.size(), f.starts.data(), f.row_of.data(), order.data(), order.data(), &f.common);
  return f.symbolic != nullptr;
}

bool SparseLu::factorize(std::vector<double>& values, Pivots allowed, double largest_growth) {
  Factors& f = *factors_;
  assert(values.size() == f.row_of.size());
  if (f.symbolic == nullptr) return false;
  f.numeric = nullptr;
  klu_free_numeric(&f.pivoted, &f.common);
  const auto good = [&] { return std::isinf(largest_growth) || f.growth(values) <= largest_growth; };
  if (allowed != Pivots::sought && f.factorize_on_diagonal(values)) {
    f.numeric = f.diagonal;
    if (allowed == Pivots::diagonal || good()) return true;
  }
  if (allowed == Pivots::diagonal) return false;
  bool regular = f.factorize_pivoted(values, k_pivot_threshold);
  for (double threshold : k_stricter_thresholds)
    if (regular && !good()) regular = f.factorize_pivoted(values, threshold);
  return regular;
}

int SparseLu::size() const {
  return factors_->size();
}

double SparseLu::pivot(int k) const {
  return static_cast<const double*>(factors_->numeric->Udiag)[k];
}

int SparseLu::pivot_column(int k) const {
  return factors_->symbolic->Q[k];
}

void SparseLu::solve_in_place(Vector& x) const {
  Factors& f = *factors_;
  assert(x.size() == f.size());
  klu_solve(f.symbolic, f.numeric, f.size(), 1, x.data(), &f.common);
}

void SparseLu::solve_in_place(Matrix& X) const {
  Factors& f = *factors_;
  assert(X.rows() == f.size());
  klu_solve(f.symbolic, f.numeric, f.size(), static_cast<int>(X.cols()), X.data(), &f.common);
}

void SparseLu::solve_transposed_in_place(Vector& x) const {
  Factors& f = *factors_;
  assert(x.size() == f.size());
  klu_tsolve(f.symbolic, f.numeric, f.size(), 1, x.data(), &f.common);
}

std::vector<int> order_with_little_fill(const std::vector<int>& starts, const std::vector<int>& row_of) {
  const auto n = static_cast<Eigen::Index>(starts.size()) - 1;
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.resizeNonZeros(static_cast<Eigen::Index>(row_of.size()));
  std::copy(starts.begin(), starts.end(), pattern.outerIndexPtr());
  std::copy(row_of.begin(), row_of.end(), pattern.innerIndexPtr());
  std::fill_n(pattern.valuePtr(), row_of.size(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Lower>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

bool dense_factors_win(int n, double entries) {
  // Small ones, and those of which so much is not empty.
  constexpr int small = 240;
  constexpr double share = 0.2;
  return n <= small || entries > share * n * n;
}

}  // namespace delassus
