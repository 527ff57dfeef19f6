// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/lcp/lemke_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {

namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();
// A pivot of the LU smaller than this part of its column is rounding error: elimination of k ≤ some thousand
// columns leaves an error of a few hundred ε at most in what should be zero.
constexpr double k_singular = 64 * k_eps;
// Residual of (1), relative to the terms it sums, that a direct solve reaches; above it one refinement is
// worth its n k flops.
constexpr double k_refine = 16 * k_eps;
// Residual after which P is no longer trusted: refinement contracts by about this factor per step, so that
// one step still reaches k_refine.
constexpr double k_refresh = 1e-7;
// Residual that even a refreshed kernel may leave: K is so ill conditioned that the path is not known any
// more.
constexpr double k_give_up = 1e-6;
// Columns factored together: the panel of a kernel of 1000 rows stays in the second-level cache.
constexpr int k_panel = 32;
// Right sides solved together when the inverse is formed.
constexpr int k_wide = 8;

using Packet = Eigen::Array<double, 4, 1>;
using Wide = Eigen::Array<double, k_wide, 1>;

// Σ_i a_i b_i with a fixed order of summation: the result may not depend on the alignment of a buffer.
double dot(const double* a, const double* b, Eigen::Index count) {
  Packet s = Packet::Zero();
  Eigen::Index i = 0;
  for (; i + 4 <= count; i += 4) s += Eigen::Map<const Packet>(a + i) * Eigen::Map<const Packet>(b + i);
  double tail = 0;
  for (; i < count; ++i) tail += a[i] * b[i];
  return ((s[0] + s[1]) + (s[2] + s[3])) + tail;
}

Eigen::Map<Vector> map(double* p, Eigen::Index count) {
  return {p, count};
}

Eigen::Map<const Vector> map(const double* p, Eigen::Index count) {
  return {p, count};
}

}  // namespace

void add_columns(double* y, Eigen::Index rows, const double* A, Eigen::Index ld, const int* columns,
                 const double* c, int count) {
  const auto column = [&](int p) { return map(A + (columns ? columns[p] : p) * ld, rows); };
  auto sum = map(y, rows);
  int p = 0;
  for (; p + 4 <= count; p += 4)  // four at a time: y is read and written once for four columns
    sum +=
        (c[p] * column(p) + c[p + 1] * column(p + 1)) + (c[p + 2] * column(p + 2) + c[p + 3] * column(p + 3));
  for (; p < count; ++p) sum += c[p] * column(p);
}

// ---- DenseLu ----

double* DenseLu::matrix(int k) {
  k_ = k;
  const auto size = static_cast<size_t>(k);
  if (lu_.size() < size * size) lu_.resize(size * size);
  if (swap_.size() < size) {
    swap_.resize(size);
    column_max_.resize(size);
    panel_.resize(size * k_wide);
  }
  return lu_.data();
}

bool DenseLu::factor() {
  const Eigen::Index k = k_;
  double* A = lu_.data();
  for (Eigen::Index j = 0; j < k; ++j) column_max_[size_t(j)] = map(A + j * k, k).cwiseAbs().maxCoeff();
  for (Eigen::Index first = 0; first < k; first += k_panel) {
    const Eigen::Index last = std::min(first + k_panel, k);
    // Panel, left-looking: column j takes the updates of the panel columns before it.
    for (Eigen::Index j = first; j < last; ++j) {
      double* column = A + j * k;
      for (Eigen::Index p = first; p < j; ++p) std::swap(column[p], column[swap_[size_t(p)]]);
      for (Eigen::Index p = first; p < j; ++p)
        map(column + p + 1, k - p - 1) -= column[p] * map(A + p * k + p + 1, k - p - 1);
      Eigen::Index best = j;
      for (Eigen::Index i = j + 1; i < k; ++i)
        if (std::abs(column[i]) > std::abs(column[best])) best = i;
      swap_[size_t(j)] = static_cast<int>(best);
      if (!(std::abs(column[best]) > k_singular * column_max_[size_t(j)])) return false;
      std::swap(column[j], column[best]);
      for (Eigen::Index p = first; p < j; ++p) std::swap(A[p * k + j], A[p * k + best]);
      map(column + j + 1, k - j - 1) /= column[j];
    }
    for (Eigen::Index j = 0; j < first; ++j)  // the exchanges in the columns on the left
      for (Eigen::Index p = first; p < last; ++p) std::swap(A[j * k + p], A[j * k + swap_[size_t(p)]]);
    for (Eigen::Index j = last; j < k;
         ++j) {  // the columns on the right: U by substitution, then A22 −= L21 U12
      double* column = A + j * k;
      double minus_u[k_panel];
      for (Eigen::Index p = first; p < last; ++p) std::swap(column[p], column[swap_[size_t(p)]]);
      for (Eigen::Index p = first; p < last; ++p) {
        const double u = column[p];
        for (Eigen::Index i = p + 1; i < last; ++i) column[i] -= u * A[p * k + i];
        minus_u[p - first] = -u;
      }
      add_columns(column + last, k - last, A + first * k + last, k, nullptr, minus_u,
                  static_cast<int>(last - first));
    }
  }
  return true;
}

void DenseLu::solve(double* b) const {
  const Eigen::Index k = k_;
  const double* A = lu_.data();
  for (Eigen::Index j = 0; j < k; ++j) std::swap(b[j], b[swap_[size_t(j)]]);
  for (Eigen::Index j = 0; j < k; ++j) map(b + j + 1, k - j - 1) -= b[j] * map(A + j * k + j + 1, k - j - 1);
  for (Eigen::Index j = k - 1; j >= 0; --j) {
    b[j] /= A[j * k + j];
    map(b, j) -= b[j] * map(A + j * k, j);
  }
}

void DenseLu::compute_inverse(double* out, Eigen::Index ld) {
  const Eigen::Index k = k_;
  const double* A = lu_.data();
  double* X = panel_.data();
  const auto row = [X](Eigen::Index i) { return Eigen::Map<Wide>(X + i * k_wide); };
  for (Eigen::Index first = 0; first < k; first += k_wide) {
    const Eigen::Index width = std::min<Eigen::Index>(k_wide, k - first);
    std::fill(X, X + k * k_wide, 0.0);
    for (Eigen::Index c = 0; c < width; ++c) X[(first + c) * k_wide + c] = 1;
    for (Eigen::Index j = 0; j < k; ++j) row(j).swap(row(swap_[size_t(j)]));
    for (Eigen::Index j = 0; j < k; ++j) {
      const Wide x = row(j);
      if ((x == 0).all()) continue;
      for (Eigen::Index i = j + 1; i < k; ++i) row(i) -= A[j * k + i] * x;
    }
    for (Eigen::Index j = k - 1; j >= 0; --j) {
      const Wide x = row(j) / A[j * k + j];
      row(j) = x;
      for (Eigen::Index i = 0; i < j; ++i) row(i) -= A[j * k + i] * x;
    }
    for (Eigen::Index c = 0; c < width; ++c)
      for (Eigen::Index i = 0; i < k; ++i) out[(first + c) * ld + i] = X[i * k_wide + c];
  }
}

// ---- LemkeBasis ----

void LemkeBasis::start(int n, const double* M, const double* q, const double* d, int r) {
  const auto size = static_cast<size_t>(n);
  if (x_w_.size() < size) {
    for (auto* v : {&x_w_, &x_s_, &g_, &u_, &rhs_, &v_, &correction_}) v->resize(size);
    for (auto* v : {&structural_, &rows_, &row_position_}) v->resize(size);
    P_.resize(size * size);
  }
  n_ = n;
  ld_ = n;
  M_ = M;
  q_ = q;
  d_ = d;
  updates_ = 0;
  factorizations_ = 0;
  k_ = 1;
  std::fill(row_position_.begin(), row_position_.begin() + n, -1);
  structural_[0] = -1;
  rows_[0] = r;
  row_position_[size_t(r)] = 0;
  P_[0] = 1 / d[r];
  update_values();
}

void LemkeBasis::set_refresh_interval(int interval, bool balance) {
  interval_ = std::max(1, interval);
  balance_ = balance;
}

LemkeBasis::Variable LemkeBasis::variable(Slot slot) const {
  return slot < n_ ? Variable{false, slot} : Variable{true, structural_[size_t(slot - n_)]};
}

double LemkeBasis::max_structural_value() const {
  return map(x_s_.data(), k_).cwiseAbs().maxCoeff();
}

double LemkeBasis::max_direction() const {
  double largest = map(u_.data(), k_).cwiseAbs().maxCoeff();
  for (int i = 0; i < n_; ++i)
    if (is_basic_w(i)) largest = std::max(largest, std::abs(g_[size_t(i)]));
  return largest;
}

void LemkeBasis::solve_kernel(const double* rhs, double* out) const {
  std::fill(out, out + k_, 0.0);
  add_columns(out, k_, P_.data(), ld_, nullptr, rhs, k_);
}

void LemkeBasis::residual_product(const double* structural, double* full) const {
  map(full, n_) += structural[0] * map(d_, n_);
  add_columns(full, n_, M_, n_, structural_.data() + 1, structural + 1, k_ - 1);
}

double LemkeBasis::kernel_residual(const double* full) const {
  double largest = 0;
  for (int t = 0; t < k_; ++t) {
    const double e = std::abs(full[rows_[size_t(t)]]);
    if (!(e <= largest)) largest = e;  // keeps NaN
  }
  return largest;
}

double LemkeBasis::inverse_entry(Slot slot, int j) const {
  const int t = row_position_[size_t(j)];
  if (t < 0) return slot == j ? 1 : 0;
  const double* column = P(t);
  if (slot >= n_) return -column[slot - n_];
  double sum = d_[slot] * column[0];
  for (int p = 1; p < k_; ++p) sum += M_[structural_[size_t(p)] * Eigen::Index{n_} + slot] * column[p];
  return -sum;
}

void LemkeBasis::update_values() {
  for (int t = 0; t < k_; ++t) rhs_[size_t(t)] = -q_[rows_[size_t(t)]];
  solve_kernel(rhs_.data(), x_s_.data());
  std::copy(q_, q_ + n_, x_w_.begin());
  residual_product(x_s_.data(), x_w_.data());
  // One refinement always: x is what decides on ties, and this runs only once per refresh.
  for (int t = 0; t < k_; ++t) rhs_[size_t(t)] = -x_w_[size_t(rows_[size_t(t)])];
  solve_kernel(rhs_.data(), correction_.data());
  map(x_s_.data(), k_) += map(correction_.data(), k_);
  residual_product(correction_.data(), x_w_.data());
}

bool LemkeBasis::refresh() {
  double* K = lu_.matrix(k_);
  for (int p = 0; p < k_; ++p) {
    const double* column = p == 0 ? d_ : M_ + structural_[size_t(p)] * Eigen::Index{n_};
    for (int t = 0; t < k_; ++t) K[p * Eigen::Index{k_} + t] = column[rows_[size_t(t)]];
  }
  ++factorizations_;
  updates_ = 0;
  if (!lu_.factor()) return false;
  lu_.compute_inverse(P_.data(), ld_);
  update_values();
  return true;
}

bool LemkeBasis::update_direction(Variable entering) {
  entering_ = entering;
  const double* column = M_ + entering.i * Eigen::Index{n_};
  for (bool fresh = updates_ == 0;; fresh = true) {
    if (entering.is_z) {
      for (int t = 0; t < k_; ++t) rhs_[size_t(t)] = column[rows_[size_t(t)]];
      solve_kernel(rhs_.data(), u_.data());
      map(g_.data(), n_) = -map(column, n_);
    } else {
      map(u_.data(), k_) = -map(P(row_position_[size_t(entering.i)]), k_);
      std::fill(g_.begin(), g_.begin() + n_, 0.0);
      g_[size_t(entering.i)] = 1;
    }
    residual_product(u_.data(), g_.data());
    // The terms summed in a row of (1) add up to this at most, the entries of the scaled M and d being
    // near 1.
    double scale = 1;
    for (int p = 0; p < k_; ++p) scale += std::abs(u_[size_t(p)]);
    double residual = kernel_residual(g_.data());
    if (residual <= k_refine * scale) return true;
    if (residual <= k_refresh * scale || fresh) {
      for (int t = 0; t < k_; ++t) rhs_[size_t(t)] = -g_[size_t(rows_[size_t(t)])];
      solve_kernel(rhs_.data(), correction_.data());
      map(u_.data(), k_) += map(correction_.data(), k_);
      residual_product(correction_.data(), g_.data());
      residual = kernel_residual(g_.data());
      if (residual <= k_refresh * scale) return true;
      if (fresh) return residual <= k_give_up * scale;
    }
    if (!refresh()) return false;
  }
}

void LemkeBasis::advance(double t) {
  map(x_w_.data(), n_) -= t * map(g_.data(), n_);
  map(x_s_.data(), k_) -= t * map(u_.data(), k_);
}

void LemkeBasis::remove_structural(int p, int t) {
  const int last = k_ - 1;
  if (t != last) {
    std::copy(P(last), P(last) + k_, P(t));
    rows_[size_t(t)] = rows_[size_t(last)];
    row_position_[size_t(rows_[size_t(t)])] = t;
  }
  if (p != last) {
    for (int j = 0; j < last; ++j) P(j)[p] = P(j)[last];
    structural_[size_t(p)] = structural_[size_t(last)];
    x_s_[size_t(p)] = x_s_[size_t(last)];
  }
  k_ = last;
}

bool LemkeBasis::pivot(double t, Slot leaving) {
  advance(t);
  const auto rank_one = [this](const double* column, const double* row,
                               double factor) {  // P += factor column rowᵀ
    for (int j = 0; j < k_; ++j)
      if (row[j] != 0) map(P(j), k_) += (factor * row[j]) * map(column, k_);
  };
  const double pivot = direction(leaving);
  const int s = entering_.i;
  const int p = leaving - n_;
  if (leaving < n_) {  // row of the leaving w in the kernel, times P
    rhs_[0] = d_[leaving];
    for (int c = 1; c < k_; ++c) rhs_[size_t(c)] = M_[structural_[size_t(c)] * Eigen::Index{n_} + leaving];
    for (int j = 0; j < k_; ++j) v_[size_t(j)] = dot(P(j), rhs_.data(), k_);
  } else {
    for (int j = 0; j < k_; ++j) v_[size_t(j)] = P(j)[p];
  }
  if (entering_.is_z && leaving < n_) {  // bordering: Schur complement M_ls − rᵀ P c = −pivot
    rank_one(u_.data(), v_.data(), -1 / pivot);
    for (int j = 0; j < k_; ++j) P(j)[k_] = v_[size_t(j)] / pivot;
    map(P(k_), k_) = map(u_.data(), k_) / pivot;
    P(k_)[k_] = -1 / pivot;
    structural_[size_t(k_)] = s;
    x_s_[size_t(k_)] = t;
    rows_[size_t(k_)] = leaving;
    row_position_[size_t(leaving)] = k_;
    ++k_;
  } else if (entering_.is_z) {  // column p of K replaced: row p of P becomes P_p / u_p
    u_[size_t(p)] = 0;
    rank_one(u_.data(), v_.data(), -1 / pivot);
    for (int j = 0; j < k_; ++j) P(j)[p] /= pivot;
    structural_[size_t(p)] = s;
    x_s_[size_t(p)] = t;
  } else if (leaving < n_) {
    // Row of w_s in K replaced by that of w_l: column of P becomes P_t / v_t, v_t = −pivot.
    const int position = row_position_[size_t(s)];
    v_[size_t(position)] = 0;
    rank_one(u_.data(), v_.data(), -1 / pivot);
    map(P(position), k_) = map(u_.data(), k_) / pivot;
    rows_[size_t(position)] = leaving;
    row_position_[size_t(leaving)] = position;
    row_position_[size_t(s)] = -1;
    x_w_[size_t(s)] = t;
  } else {  // row of w_s and column p leave: P − P e_t e_pᵀ P / P_pt, with P_pt = −pivot
    const int position = row_position_[size_t(s)];
    rank_one(u_.data(), v_.data(), -1 / pivot);
    row_position_[size_t(s)] = -1;
    remove_structural(p, position);
    x_w_[size_t(s)] = t;
  }
  ++updates_;
  return updates_ < (balance_ ? std::max(interval_, k_) : interval_) || refresh();
}

}  // namespace delassus
