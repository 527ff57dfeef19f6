// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/lcp/lemke.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"

namespace delassus {

namespace {

using Slot = LemkeBasis::Slot;
using Variable = LemkeBasis::Variable;

constexpr double k_lemke_round_off = std::numeric_limits<double>::epsilon();
// Basic variables may be negative by this much (scaled problem, times the largest value): what round-off
// leaves of a zero after some hundred updates. It also is the width of a tie.
constexpr double k_feasible = 1e-13;
// Entries of the direction below this part of the largest are round-off, not blocking variables: kernels of
// contact problems with mass ratios of 1e6 lose up to five digits of the sixteen.
constexpr double k_pivot_noise = 1e-11;
// Among tied rows, entries below this part of the largest tied one are passed over: stability before the
// lexicographic order, which only has to hold for real ties.
constexpr double k_pivot_weak = 1e-6;
// Entries of B⁻¹ (divided by the pivot) closer than this, relative to the largest compared, are equal in the
// lexicographic test.
constexpr double k_lexicographic = 1e-10;
// Rows and columns whose norms changed less than this need no further sweep: factors are rounded to powers of
// two.
constexpr double k_scaling_settled = 2;
constexpr int k_scaling_sweeps = 8;
constexpr int k_refinements = 3;  // each gains some digits; more than three help only where nothing helps
constexpr int k_careful_interval = 8;  // pivots between two factorisations in a repeated attempt

// Nearest power of two. The border √2·2^e lies away from the round numbers of textbook and unit changes.
double nearest_power_of_two(double x) {
  return std::exp2(std::round(std::log2(x)));
}

// The same number in [0, 1) for the same (i, attempt) on every machine (splitmix64).
double hash_uniform(std::uint64_t i, std::uint64_t attempt) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + attempt * 0xd1b54a32d192ed03u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

template <class T>
void grow(std::vector<T>& v, size_t size) {
  if (v.size() < size) v.resize(size);
}

}  // namespace

Lemke::Lemke(LemkeOptions options) : options_(options) {}

void Lemke::reserve(int n) {
  n_ = n;
  const auto size = static_cast<size_t>(n);
  grow(M_, size * size);
  for (auto* v : {&q_, &d_, &row_factor_, &column_factor_, &row_work_, &column_work_, &z_scaled_, &z_path_,
                  &w_scaled_, &rhs_, &solution_})
    grow(*v, size);
  grow(alpha_, size);
  grow(z_basic_, size);
  grow(tied_, size + 1);
  grow(tied_value_, size + 1);
}

// Finds factors that give all rows and columns of M the same 2-norm (Sinkhorn-Knopp on the squared entries,
// which, unlike the largest entries, fix the factors up to a constant), so that the path and all tolerances
// do not depend on units: M → s M, or other units for some of the variables.
bool Lemke::scale_problem(const Lcp& lcp) {
  const Eigen::Index n = n_;
  if (!std::isfinite(lcp.M.sum()) || !std::isfinite(lcp.q.sum())) return false;
  const double largest = n > 0 ? lcp.M.cwiseAbs().maxCoeff() : 0;
  const double unit = largest > 0 ? 1 / largest : 1;
  double* row = row_work_.data();  // squared factors
  double* column = column_work_.data();
  std::fill(row, row + n, 1.0);
  std::fill(column, column + n, 1.0);
  for (int sweep = 0; sweep < k_scaling_sweeps; ++sweep) {
    double* sums = rhs_.data();
    std::fill(sums, sums + n, 0.0);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double* M = lcp.M.data() + j * n;
      for (Eigen::Index i = 0; i < n; ++i) sums[i] += (M[i] * unit) * (M[i] * unit) * column[j];
    }
    double change = 1;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double factor = sums[i] > 0 ? 1 / sums[i] : 1;
      change = std::max({change, factor / row[i], row[i] / factor});
      row[i] = factor;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      const double* M = lcp.M.data() + j * n;
      double sum = 0;
      for (Eigen::Index i = 0; i < n; ++i) sum += (M[i] * unit) * (M[i] * unit) * row[i];
      const double factor = sum > 0 ? 1 / sum : 1;
      change = std::max({change, factor / column[j], column[j] / factor});
      column[j] = factor;
    }
    if (change <= k_scaling_settled) break;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    row_factor_[size_t(i)] = nearest_power_of_two(std::sqrt(row[i]));
    column_factor_[size_t(i)] = nearest_power_of_two(std::sqrt(column[i]));
  }
  double largest_scaled = 0;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) {
      double& entry = M_[size_t(j * n + i)];
      entry = lcp.M(i, j) * row_factor_[size_t(i)] * column_factor_[size_t(j)];
      largest_scaled = std::max(largest_scaled, std::abs(entry));
    }
  const double common = largest_scaled > 0 ? nearest_power_of_two(1 / largest_scaled) : 1;
  double largest_q = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    row_factor_[size_t(i)] *= common;
    q_[size_t(i)] = lcp.q[i] * row_factor_[size_t(i)];
    largest_q = std::max(largest_q, std::abs(q_[size_t(i)]));
  }
  for (Eigen::Index e = 0; e < n * n; ++e) M_[size_t(e)] *= common;
  q_factor_ = largest_q > 0 ? nearest_power_of_two(largest_q) : 1;
  for (Eigen::Index i = 0; i < n; ++i) q_[size_t(i)] /= q_factor_;
  return std::isfinite(largest_scaled) && std::isfinite(largest_q) && std::isfinite(common);
}

// Generic entries in [1, 2): with d = (1, …, 1) the many equal entries of q in contact problems would all
// tie.
void Lemke::update_cover(int attempt) {
  const bool uniform = options_.uniform_cover && attempt == 0;
  for (int i = 0; i < n_; ++i)
    d_[size_t(i)] =
        uniform ? 1 : 1 + hash_uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(attempt));
}

int Lemke::find_first_leaving() const {
  int r = 0;
  for (int i = 1; i < n_;
       ++i)  // among equal ratios the last is the lexicographic minimum of (q_i, e_i) / d_i
    if (q_[size_t(i)] * d_[size_t(r)] <= q_[size_t(r)] * d_[size_t(i)]) r = i;
  return r;
}

double Lemke::feasibility() const {
  return k_feasible * std::max(1.0, basis_.max_structural_value());
}

// Two passes, as Harris' test of the simplex method: the longest step that makes no basic variable smaller
// than −k_feasible, then all rows that block before it. Any of them keeps the others above −k_feasible.
Slot Lemke::find_leaving(double& step) {
  const double feasible = feasibility();
  const double noise = k_pivot_noise * basis_.max_direction();
  const int end = n_ + basis_.kernel_size();
  double longest = std::numeric_limits<double>::infinity();
  for (Slot slot = 0; slot < end; ++slot) {
    if (slot < n_ && !basis_.is_basic_w(slot)) continue;
    const double delta = basis_.direction(slot);
    if (delta > noise) longest = std::min(longest, (std::max(basis_.value(slot), 0.0) + feasible) / delta);
  }
  if (longest == std::numeric_limits<double>::infinity()) return -1;
  tied_.clear();
  double strongest = 0;
  for (Slot slot = 0; slot < end; ++slot) {
    if (slot < n_ && !basis_.is_basic_w(slot)) continue;
    const double delta = basis_.direction(slot);
    if (!(delta > noise) || std::max(basis_.value(slot), 0.0) > longest * delta) continue;
    tied_.push_back(slot);
    strongest = std::max(strongest, delta);
  }
  const bool z0_blocks = std::find(tied_.begin(), tied_.end(), basis_.slot_z0()) != tied_.end();
  Slot leaving = basis_.slot_z0();
  if (!z0_blocks) {
    std::erase_if(tied_, [&](Slot slot) { return basis_.direction(slot) < k_pivot_weak * strongest; });
    leaving = break_tie();
  }
  step = std::max(basis_.value(leaving), 0.0) / basis_.direction(leaving);
  return leaving;
}

// Lexicographic minimum of the rows (B⁻¹)_i· / direction_i of tied_, column by column until one row is left.
Slot Lemke::break_tie() {
  for (int j = 0; j < n_ && tied_.size() > 1; ++j) {
    if (basis_.is_basic_w(j)) {  // column e_j: row j has 1 / direction > 0, all others 0
      std::erase(tied_, j);
      continue;
    }
    tied_value_.clear();
    double smallest = std::numeric_limits<double>::infinity();
    double size = 0;
    for (const Slot slot : tied_) {
      const double value = basis_.inverse_entry(slot, j) / basis_.direction(slot);
      tied_value_.push_back(value);
      smallest = std::min(smallest, value);
      size = std::max(size, std::abs(value));
    }
    size_t kept = 0;
    for (size_t e = 0; e < tied_.size(); ++e)
      if (tied_value_[e] <= smallest + k_lexicographic * size) tied_[kept++] = tied_[e];
    tied_.resize(kept);
  }
  // More than one row is left only where round-off hides the order: take the safest pivot.
  return *std::max_element(tied_.begin(), tied_.end(),
                           [&](Slot a, Slot b) { return basis_.direction(a) < basis_.direction(b); });
}

Lemke::PathEnd Lemke::follow_path(int attempt, int limit, SolveStats& stats) {
  if (limit < 1) return PathEnd::limit;
  const int r = find_first_leaving();
  basis_.start(n_, M_.data(), q_.data(), d_.data(), r);
  // A later attempt refreshes more often: the one before may have failed by loss of accuracy.
  basis_.set_refresh_interval(attempt == 0 ? options_.refactor_every : k_careful_interval, attempt == 0);
  Variable entering{true, r};
  PathEnd end = PathEnd::limit;
  for (int pivots = 1; pivots < limit; ++pivots) {  // the entry of z0 was the first
    throw_if_stop_requested();
    double step = 0;
    if (!basis_.update_direction(entering)) {
      end = PathEnd::lost;
      break;
    }
    Slot leaving = find_leaving(step);
    if (leaving < 0) {  // believed only with a fresh factorisation
      if (!basis_.refresh() || !basis_.update_direction(entering)) {
        end = PathEnd::lost;
        break;
      }
      leaving = find_leaving(step);
    }
    if (leaving < 0) {
      end = update_ray(entering) ? PathEnd::ray : PathEnd::lost;
      break;
    }
    ++stats.iterations;
    if (leaving == basis_.slot_z0()) {
      store_iterate(entering, step, true);
      end = PathEnd::solution;
      break;
    }
    const Variable left = basis_.variable(leaving);
    if (!basis_.pivot(step, leaving)) {
      end = PathEnd::lost;
      break;
    }
    entering = {!left.is_z, left.i};
    // Round-off can leave a consistent but singular problem without an exact solution; z0 then stalls at its
    // level.
    if (basis_.value(basis_.slot_z0()) <= feasibility()) {
      store_iterate(entering, 0, false);
      end = PathEnd::solution;
      break;
    }
  }
  ++stats.iterations;  // z0
  if (end != PathEnd::solution) store_iterate(entering, 0, false);
  stats.factorizations += basis_.factorizations();
  return end;
}

void Lemke::store_iterate(Variable entering, double step, bool z0_left) {
  if (z0_left) basis_.advance(step);
  std::fill(z_basic_.begin(), z_basic_.begin() + n_, std::uint8_t{0});
  std::fill(z_path_.begin(), z_path_.begin() + n_, 0.0);
  for (int p = 1; p < basis_.kernel_size(); ++p) {
    const Slot slot = n_ + p;
    const auto i = static_cast<size_t>(basis_.variable(slot).i);
    z_basic_[i] = 1;
    z_path_[i] = basis_.value(slot);
  }
  if (z0_left && entering.is_z) {
    z_basic_[size_t(entering.i)] = 1;
    z_path_[size_t(entering.i)] = step;
  }
}

bool Lemke::update_ray(Variable entering) {
  double* dz = z_scaled_.data();
  double* dw = w_scaled_.data();
  std::fill(dz, dz + n_, 0.0);
  std::fill(dw, dw + n_, 0.0);
  for (int p = 1; p < basis_.kernel_size(); ++p) dz[basis_.variable(n_ + p).i] = -basis_.direction(n_ + p);
  for (int i = 0; i < n_; ++i)
    if (basis_.is_basic_w(i)) dw[i] = -basis_.direction(i);
  (entering.is_z ? dz : dw)[entering.i] = 1;
  const double dz0 = std::max(0.0, -basis_.direction(basis_.slot_z0()));
  double size = dz0;
  double size_z = 0;
  for (int i = 0; i < n_; ++i) {  // negative parts are cut off here and show in the residual below
    dz[i] = std::max(0.0, dz[i]);
    dw[i] = std::max(0.0, dw[i]);
    size = std::max({size, dz[i], dw[i]});
    size_z = std::max(size_z, dz[i]);
  }
  double* rest = rhs_.data();  // M dz + d dz0 − dw
  for (int i = 0; i < n_; ++i) rest[i] = d_[size_t(i)] * dz0 - dw[i];
  add_columns(rest, n_, M_.data(), n_, nullptr, dz, n_);
  double residual = 0;
  for (int i = 0; i < n_; ++i) residual = std::max({residual, std::abs(rest[i]), std::min(dz[i], dw[i])});
  if (!(size_z > options_.tolerance * size) || !(residual <= options_.tolerance * size)) return false;

  ray_.dz.resize(n_);
  ray_.dw.resize(n_);
  ray_.d.resize(n_);
  for (int i = 0; i < n_; ++i) {
    ray_.dz[i] = dz[i] * column_factor_[size_t(i)];
    ray_.dw[i] = dw[i] / row_factor_[size_t(i)];
    ray_.d[i] = d_[size_t(i)] / row_factor_[size_t(i)];
  }
  ray_.dz0 = dz0;
  ray_.residual = residual / size;
  return true;
}

bool Lemke::solve_basis(SolveStats& stats) {
  int k = 0;
  for (int i = 0; i < n_; ++i)
    if (z_basic_[size_t(i)]) alpha_[size_t(k++)] = i;
  std::fill(z_scaled_.begin(), z_scaled_.begin() + n_, 0.0);
  if (k == 0) return true;
  double* A = lu_.matrix(k);
  for (int b = 0; b < k; ++b)
    for (int a = 0; a < k; ++a)
      A[b * Eigen::Index{k} + a] = M_[size_t(alpha_[size_t(b)] * Eigen::Index{n_} + alpha_[size_t(a)])];
  ++stats.factorizations;
  if (!lu_.factor()) return false;
  std::fill(solution_.begin(), solution_.begin() + k, 0.0);
  for (int s = 0; s <= k_refinements; ++s) {
    std::copy(q_.begin(), q_.begin() + n_, w_scaled_.begin());
    add_columns(w_scaled_.data(), n_, M_.data(), n_, alpha_.data(), solution_.data(), k);
    double residual = 0;
    double size = 1;  // of the scaled q
    for (int a = 0; a < k; ++a) {
      rhs_[size_t(a)] = -w_scaled_[size_t(alpha_[size_t(a)])];
      residual = std::max(residual, std::abs(rhs_[size_t(a)]));
      size = std::max(size, std::abs(solution_[size_t(a)]));
    }
    if (residual <= k_lemke_round_off * size) break;
    lu_.solve(rhs_.data());
    for (int a = 0; a < k; ++a) solution_[size_t(a)] += rhs_[size_t(a)];
  }
  for (int a = 0; a < k; ++a) z_scaled_[size_t(alpha_[size_t(a)])] = solution_[size_t(a)];
  return true;
}

double Lemke::finish(const Lcp& lcp, Vector& z, Vector& w, double& residual) {
  z.resize(n_);
  w = lcp.q;
  for (int i = 0; i < n_; ++i) {
    const auto e = static_cast<size_t>(i);
    z_scaled_[e] = std::max(z_scaled_[e], 0.0);
    z[i] = z_scaled_[e] * column_factor_[e] * q_factor_;
    if (z[i] != 0) w += z[i] * lcp.M.col(i);
  }
  // The residual of the problem measures all rows by one scale, although some are velocities and some
  // impulses; that of the scaled problem, where all rows and columns are alike, must be small too.
  double scaled = 0;
  double size = 1;
  for (int i = 0; i < n_; ++i) {
    const auto e = static_cast<size_t>(i);
    const double w_scaled = w[i] * row_factor_[e] / q_factor_;
    scaled = std::max(scaled, std::abs(std::min(z_scaled_[e], w_scaled)));
    size = std::max(size, z_scaled_[e]);
    w[i] = z_basic_[e] ? 0 : std::max(w[i], 0.0);
  }
  residual = compute_residual(lcp, z);
  return std::isfinite(residual) ? std::max(residual, scaled / size)
                                 : std::numeric_limits<double>::infinity();
}

void Lemke::solve(const Lcp& lcp, const LcpBasis* warm, Vector& z, Vector& w, LcpBasis& basis,
                  SolveStats& stats) {
  assert(lcp.M.rows() == lcp.size() && lcp.M.cols() == lcp.size());
  stats = SolveStats{};
  reserve(static_cast<int>(lcp.size()));
  const auto size = static_cast<size_t>(n_);
  const auto leave = [&](SolveStatus status) {
    basis.z_basic.assign(z_basic_.begin(), z_basic_.begin() + n_);
    stats.status = status;
  };
  std::fill(z_basic_.begin(), z_basic_.begin() + n_, std::uint8_t{0});
  if (!scale_problem(lcp)) {
    z.setZero(n_);
    w = lcp.q;
    stats.residual = std::numeric_limits<double>::quiet_NaN();
    return leave(SolveStatus::numerical_failure);
  }
  // z = 0 where no row is negative by more than round-off, also for the empty problem.
  if (std::all_of(q_.begin(), q_.begin() + n_, [](double q) { return q >= -k_feasible; })) {
    std::fill(z_scaled_.begin(), z_scaled_.begin() + n_, 0.0);
    // A row of another scale may hide what is not round-off.
    if (!(finish(lcp, z, w, stats.residual) > options_.tolerance)) return leave(SolveStatus::converged);
  }
  if (warm && warm->z_basic.size() == size) {
    std::copy(warm->z_basic.begin(), warm->z_basic.end(), z_basic_.begin());
    if (solve_basis(stats) && finish(lcp, z, w, stats.residual) <= options_.tolerance) {
      stats.warm_started = true;
      return leave(SolveStatus::converged);
    }
  }

  const int attempts = 1 + std::max(0, options_.max_retries);
  const int max_pivots = options_.max_pivots > 0 ? options_.max_pivots : 50 * n_ + 500;
  int rays = 0;
  int limits = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    stats.retries = attempt;
    update_cover(attempt);
    const int left = max_pivots - stats.iterations;
    const PathEnd end = follow_path(attempt, attempt + 1 < attempts ? (left + 1) / 2 : left, stats);
    if (end == PathEnd::ray) ++rays;
    if (end == PathEnd::limit) ++limits;
    if (end == PathEnd::solution && solve_basis(stats) &&
        finish(lcp, z, w, stats.residual) <= options_.tolerance)
      return leave(SolveStatus::converged);
    // The values carried along the path may be right where the basis is singular to working precision, or
    // where the path ended with z0 too small to matter.
    std::copy(z_path_.begin(), z_path_.begin() + n_, z_scaled_.begin());
    if (finish(lcp, z, w, stats.residual) <= options_.tolerance) return leave(SolveStatus::converged);
  }
  leave(rays == attempts ? SolveStatus::ray
        : limits > 0     ? SolveStatus::iteration_limit
                         : SolveStatus::numerical_failure);
}

}  // namespace delassus
