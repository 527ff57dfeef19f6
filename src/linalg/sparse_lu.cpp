// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/sparse_lu.hpp"

#include <suitesparse/klu.h>

#include <cassert>

namespace delassus {
namespace {

// The diagonal entry is taken as pivot down to this part of the largest entry of its column. The order of the
// columns has little fill only with pivots on the diagonal; the digits that smaller pivots cost come back in
// the refinement of the caller, which gains five or more a sweep.
constexpr double k_pivot_threshold = 1e-5;
// Memory for L and for U at first, in entries of K: enough for chains, trees and stars (0.6); KLU's own 10
// costs more time in pages than the factorisation.
constexpr double k_initial_fill = 1.0;
constexpr int k_no_scaling = -1;  // the caller has scaled, and checked the pattern

}  // namespace

struct SparseLu::Factors {
  Factors() {
    klu_defaults(&common);
    common.tol = k_pivot_threshold;
    common.initmem = k_initial_fill;
    common.scale = k_no_scaling;
    // One block: the saddle point of a connected mechanism has only one, and the pivots lie in one array.
    common.btf = 0;
  }
  ~Factors() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  int size() const { return static_cast<int>(starts.size()) - 1; }

  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  std::vector<int> starts{0}, row_of;
};

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

bool SparseLu::factorize(std::vector<double>& values) {
  Factors& f = *factors_;
  assert(values.size() == f.row_of.size());
  if (f.symbolic == nullptr) return false;
  klu_free_numeric(&f.numeric, &f.common);
  f.numeric = klu_factor(f.starts.data(), f.row_of.data(), values.data(), f.symbolic, &f.common);
  return f.numeric != nullptr && f.common.status == KLU_OK;
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

void SparseLu::solve_transposed_in_place(Vector& x) const {
  Factors& f = *factors_;
  assert(x.size() == f.size());
  klu_tsolve(f.symbolic, f.numeric, f.size(), 1, x.data(), &f.common);
}

}  // namespace delassus
