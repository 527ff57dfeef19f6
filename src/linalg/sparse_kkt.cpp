// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/sparse_kkt.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "delassus/linalg/saddle_layout.hpp"
#include "delassus/linalg/saddle_order.hpp"

namespace delassus {
namespace {

constexpr double k_round_off = std::numeric_limits<double>::epsilon();
// ε of (3). Well above the round-off of a pivot (a few 1e-16), so that Π contracts by 1e-2 or better where it
// should vanish; well below the smallest σ of sensible mechanisms (1e-8: chains of 10⁴ links, masses 1 : 1e8).
constexpr double k_epsilon = 1e-13;
// Factors of K_ε whose entries grow by this have an error of a tenth of ε. With more, Π and Π* are no projectors: what they
// should take away they multiply, pass by pass.
constexpr double k_largest_growth = 0.1 * k_epsilon / k_round_off;
// A dependent set with coefficients n leaves the pivot ε Σ ŵ_i n_i² / n_last², ε to 100 ε as a rule. Between
// that and the next bound it may as well be a joint that carries a load 1e9 times its own inertia.
constexpr double k_surely_null = 100 * k_epsilon;
constexpr double k_maybe_null = 1e-9;
// Then a second ε tells: the pivot of a dependent set grows with ε, any other stays.
constexpr double k_epsilon_growth = 1024;
// Small pivots are not proof: the axes that a chain of n hinges holds leave σ ≈ 1/n⁴, as a beam of n elements does. Rows
// depend when their combination n has σ = ‖D̂ n‖²/Σ ŵ n² below the first number, the tolerance of small systems; where
// n has many entries that count, below what a beam of as many has.
constexpr double k_null_quotient = 1e-11;
constexpr double k_short_combination = 50;
// Residuals relative to Σ |terms| of their row; a row sums about a dozen. Good factors meet it without a sweep.
constexpr double k_residual_goal = 32 * k_round_off;
// Of a correction, relative to the largest entry of its right side: good factors meet it without a sweep, and what is left
// goes with the next correction.
constexpr double k_correction_goal = 1e-12;
// What refinement alone must reach, else (2) is taken as contradictory.
constexpr double k_residual_contradictory = 1e-9;
// Terms below this share of the largest may be round-off of zero, of which no digit is right.
constexpr double k_negligible = 1e-8;
constexpr int k_max_sweeps = 6;
// Every pass of a projector takes away 99 % or more.
constexpr int k_max_passes = 6;
constexpr double k_least_norm_goal = 1e-14;
// Entries of null vectors below this are zero: they have an error of (ε/σ)².
constexpr double k_null_entry = 1e-6;

// The power of two nearest to 1/√x, from the exponent alone: x = m 2^e, ½ ≤ m < 1, gives 2^−⌊e/2⌋.
double inverse_root(double x) {
  if (!(x > 0)) return 1.0;
  static_assert(std::numeric_limits<double>::is_iec559);
  constexpr int mantissa_bits = 52, bias = 1023;
  const int e = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> mantissa_bits) - (bias - 1);
  return std::bit_cast<double>(static_cast<std::uint64_t>(bias - (e >> 1)) << mantissa_bits);
}

// Entries first_row … first_row + count of a column, from a block.
struct Interval {
  int column, first_row, count, index;
};

// The columns of all blocks, in the order in which fill() visits them; last the diagonal of C.
std::vector<Interval> list_intervals(const BlockMatrix& A, const BlockRows& rows,
                                     const BlockRows& directions) {
  const int nv = A.size();
  std::vector<Interval> out;
  const auto add = [&](int column, int first_row, Eigen::Index count) {
    out.push_back({column, first_row, static_cast<int>(count), static_cast<int>(out.size())});
  };
  for (int b = 0; b < A.num_blocks(); ++b)
    for (int j = 0; j < A.block(b).cols(); ++j) add(A.block_column(b) + j, A.block_row(b), A.block(b).rows());
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b)
      for (int j = 0; j < rows.block(g, b).cols(); ++j)
        add(rows.block_column(g, b) + j, nv + rows.first_row(g), rows.group_rows(g));
  for (int g = 0; g < directions.num_groups(); ++g)
    for (int b = 0; b < directions.num_blocks(g); ++b)
      for (int i = 0; i < directions.group_rows(g); ++i)
        add(nv + directions.first_row(g) + i, directions.block_column(g, b), directions.block(g, b).cols());
  for (int i = 0; i < rows.rows(); ++i) add(nv + i, nv + i, 1);
  return out;
}

// A null vector between its first and its last entry that is not zero.
struct NullVector {
  int first;
  Vector entries;  // the largest is 1 in size
  int last() const { return first + static_cast<int>(entries.size()) - 1; }
};

// Without zeros at the ends; empty when there is nothing else.
NullVector trim(int first, const Vector& entries) {
  const Eigen::Index n = entries.size();
  const double size = n > 0 ? entries.cwiseAbs().maxCoeff() : 0.0;
  Eigen::Index begin = 0, end = n;
  while (begin < end && !(std::abs(entries[begin]) > k_null_entry * size)) ++begin;
  while (end > begin && !(std::abs(entries[end - 1]) > k_null_entry * size)) --end;
  NullVector out{first + static_cast<int>(begin), entries.segment(begin, end - begin)};
  if (begin < end) out.entries /= size;
  return out;
}

// The last rows of dependent sets: from the bottom up, every row in which a combination of null vectors ends.
std::vector<int> find_last_rows(int num_rows, std::vector<NullVector> vectors) {
  std::vector<std::vector<NullVector>> ending(num_rows);  // by their last row
  for (NullVector& vector : vectors) ending[vector.last()].push_back(std::move(vector));
  std::vector<int> out;
  for (int i = num_rows - 1; i >= 0; --i) {
    std::vector<NullVector>& here = ending[i];
    if (here.empty()) continue;
    out.push_back(i);
    const auto end_of = [](const NullVector& x) { return std::abs(x.entries[x.entries.size() - 1]); };
    const auto pivot = std::max_element(here.begin(), here.end(),
                                        [&](const auto& x, const auto& y) { return end_of(x) < end_of(y); });
    for (auto x = here.begin(); x != here.end(); ++x) {
      if (x == pivot) continue;
      const int first = std::min(x->first, pivot->first);
      Vector sum = Vector::Zero(i - first);
      sum.tail(i - x->first) = x->entries.head(i - x->first);
      const double ratio = x->entries[i - x->first] / pivot->entries[i - pivot->first];
      sum.tail(i - pivot->first) -= ratio * pivot->entries.head(i - pivot->first);
      NullVector rest = trim(first, sum);
      if (rest.entries.size() > 0) ending[rest.last()].push_back(std::move(rest));
    }
    here.clear();
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

bool SparseKkt::compute(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                        const VectorRef& C) {
  assert(rows.columns() == A.size() && directions.rows() == rows.rows() && C.size() == rows.rows());
  null_columns_.clear();
  redundant_rows_.clear();
  listed_ = false;
  separate_ = &rows != &directions;
  nv_ = A.size();
  nj_ = rows.rows();
  describe_saddle_layout(A, rows, directions, layout_);
  if (layout_ != last_layout_) {
    analyze(A, rows, directions);
    if (!lu_.analyze(starts_, row_of_, order_saddle_point(nv_, starts_, row_of_))) return false;
    std::swap(layout_, last_layout_);
  }
  fill(A, rows, directions, C);
  if (!scale()) return false;
  regularized_ = !factorize(0, SparseLu::Pivots::diagonal);
  return !regularized_ || (factorize(k_epsilon) && find_null_columns());
}

void SparseKkt::analyze(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions) {
  last_layout_.clear();
  const int n = nv_ + nj_;
  std::vector<Interval> intervals = list_intervals(A, rows, directions);
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.column, a.first_row, a.index) < std::tie(b.column, b.first_row, b.index);
  });
  starts_.assign(n + 1, 0);
  row_of_.clear();
  places_.resize(intervals.size());
  diagonal_.assign(n, -1);
  std::size_t next = 0;
  for (int column = 0; column < n; ++column) {
    // Rows of a column ascend, so that an interval starts within or behind what is there already.
    for (; next < intervals.size() && intervals[next].column == column; ++next) {
      const Interval& interval = intervals[next];
      const int first = starts_[column], size = static_cast<int>(row_of_.size());
      const int place = static_cast<int>(
          std::lower_bound(row_of_.begin() + first, row_of_.end(), interval.first_row) - row_of_.begin());
      places_[interval.index] = place;
      for (int row = interval.first_row + (size - place); row < interval.first_row + interval.count; ++row)
        row_of_.push_back(row);
    }
    starts_[column + 1] = static_cast<int>(row_of_.size());
    const auto begin = row_of_.begin() + starts_[column];
    const auto found = std::lower_bound(begin, row_of_.end(), column);
    if (found != row_of_.end() && *found == column)
      diagonal_[column] = static_cast<int>(found - row_of_.begin());
  }
  values_.resize(row_of_.size());
}

void SparseKkt::fill(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                     const VectorRef& C) {
  std::fill(values_.begin(), values_.end(), 0.0);
  const int* place = places_.data();
  double* const values = values_.data();
  for (int b = 0; b < A.num_blocks(); ++b) {
    const BlockMatrix::ConstBlock block = A.block(b);
    const Eigen::Index size = block.rows(), stride = block.outerStride();
    const double* column = block.data();
    static_assert(!BlockMatrix::ConstBlock::IsRowMajor);
    for (Eigen::Index j = 0; j < block.cols(); ++j, ++place, column += stride) {
      double* out = values + *place;
      for (Eigen::Index i = 0; i < size; ++i) out[i] += column[i];
    }
  }
  static_assert(BlockRows::ConstBlock::IsRowMajor);
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b) {
      const BlockRows::ConstBlock block = rows.block(g, b);
      const Eigen::Index size = block.rows(), stride = block.outerStride();
      const double* column = block.data();
      for (Eigen::Index j = 0; j < block.cols(); ++j, ++place, ++column) {
        double* out = values + *place;
        for (Eigen::Index i = 0; i < size; ++i) out[i] += column[i * stride];
      }
    }
  for (int g = 0; g < directions.num_groups(); ++g)
    for (int b = 0; b < directions.num_blocks(g); ++b) {
      const BlockRows::ConstBlock block = directions.block(g, b);
      const Eigen::Index size = block.cols(), stride = block.outerStride();
      const double* row = block.data();
      for (Eigen::Index i = 0; i < block.rows(); ++i, ++place, row += stride) {
        double* out = values + *place;
        for (Eigen::Index j = 0; j < size; ++j) out[j] -= row[j];
      }
    }
  for (int i = 0; i < nj_; ++i, ++place) values[*place] += C[i];
}

bool SparseKkt::scale() {
  if (!Eigen::Map<const Vector>(values_.data(), static_cast<Eigen::Index>(values_.size())).allFinite())
    return false;
  const int n = nv_ + nj_;
  d_.resize(nv_);
  w_.resize(nj_);
  s_.resize(nj_);
  scales_.resize(n);
  const int* row_of = row_of_.data();
  double *values = values_.data(), *scales = scales_.data();
  for (int i = 0; i < nj_; ++i) w_[i] = values[diagonal_[nv_ + i]];
  for (int j = 0; j < nv_; ++j) {
    const double mass = diagonal_[j] >= 0 ? values[diagonal_[j]] : 0.0;
    if (!(mass > 0)) return false;
    d_[j] = scales[j] = inverse_root(mass);
    // Rows ascend: those of joints are the last.
    for (int k = starts_[j + 1] - 1; k >= starts_[j] && row_of[k] >= nv_; --k)
      w_[row_of[k] - nv_] += values[k] * values[k] / mass;
  }
  for (int i = 0; i < nj_; ++i) {
    s_[i] = scales[nv_ + i] = inverse_root(w_[i]);
    w_[i] = w_[i] > 0 ? w_[i] * s_[i] * s_[i] : 1.0;
  }
  // Powers of two: in any order the same.
  for (int j = 0; j < n; ++j) {
    const double scale = scales[j];
    for (int k = starts_[j], end = starts_[j + 1]; k < end; ++k) values[k] *= scales[row_of[k]] * scale;
  }
  return w_.allFinite();
}

bool SparseKkt::factorize(double epsilon, SparseLu::Pivots allowed) const {
  // K_ε only for the factorisation: the residuals of (4) are those of K̂.
  joint_diagonal_.resize(nj_);
  for (int i = 0; i < nj_; ++i) {
    double& value = values_[diagonal_[nv_ + i]];
    joint_diagonal_[i] = value;
    value += epsilon * w_[i];
  }
  const bool regular =
      epsilon > 0 ? lu_.factorize(values_, allowed, k_largest_growth) : lu_.factorize(values_, allowed);
  for (int i = 0; i < nj_; ++i) values_[diagonal_[nv_ + i]] = joint_diagonal_[i];
  return regular;
}

bool SparseKkt::find_null_columns() {
  const int n = nv_ + nj_;
  bool doubtful = false;
  for (int k = 0; k < n; ++k) {
    const double pivot = std::abs(lu_.pivot(k));
    if (pivot < k_surely_null) null_columns_.push_back(lu_.pivot_column(k));
    doubtful = doubtful || (pivot >= k_surely_null && pivot < k_maybe_null);
  }
  if (doubtful) {
    null_columns_.clear();
    magnitude_.resize(n);
    for (int k = 0; k < n; ++k) magnitude_[k] = std::abs(lu_.pivot(k));
    if (!factorize(k_epsilon * k_epsilon_growth)) return false;
    for (int k = 0; k < n; ++k)
      if (magnitude_[k] < k_maybe_null &&
          std::abs(lu_.pivot(k)) > std::sqrt(k_epsilon_growth) * magnitude_[k])
        null_columns_.push_back(lu_.pivot_column(k));
    if (!factorize(k_epsilon)) return false;
  }
  if (null_columns_.empty()) return true;
  const auto regular = [&](int column) { return !is_null_combination(column); };
  if (std::erase_if(null_columns_, regular) == 0 || !null_columns_.empty()) return true;
  // Regular after all, though with small pivots.
  regularized_ = !factorize(0);
  return !regularized_ || factorize(k_epsilon);
}

// Of the combination n of rows that a pivot stands for, found by inverse iteration, the size of σ. With D = Rᵀ null vectors have no momenta,
// D n = 0; other directions may well have some, A v = D n, of which the rows see nothing: R v = 0.
bool SparseKkt::is_null_combination(int column) {
  const int n = nv_ + nj_;
  correction_.setZero(n);
  correction_[column] = 1;
  for (int pass = 0; pass < 3; ++pass) {
    if (pass > 0) {
      correction_.head(nv_).setZero();
      correction_.tail(nj_).array() *= w_.array();
    }
    lu_.solve_in_place(correction_);
    const double largest = correction_.tail(nj_).cwiseAbs().maxCoeff();
    if (!(largest > 0)) return true;
    correction_ /= largest;
  }
  residual_.setZero(n);
  for (int j = separate_ ? 0 : nv_; j < n; ++j)
    for (int k = starts_[j]; k < starts_[j + 1]; ++k)
      if ((row_of_[k] < nv_) != separate_) residual_[row_of_[k]] += values_[k] * correction_[j];
  const auto squares = correction_.tail(nj_).array().square();
  const double size = (w_.array() * squares).sum();
  const double quotient = separate_
                              ? std::sqrt((residual_.tail(nj_).array().square() / w_.array()).sum() / size)
                              : residual_.head(nv_).squaredNorm() / size;
  const double length = squares.sum() / squares.maxCoeff() / k_short_combination;
  return !(quotient > k_null_quotient / std::pow(std::max(1.0, length), 4));
}

double SparseKkt::update_residual() const {
  residual_ = b_;
  magnitude_ = b_.cwiseAbs();
  const double* values = values_.data();
  const int* row_of = row_of_.data();
  double *residual = residual_.data(), *magnitude = magnitude_.data();
  for (int j = 0; j < nv_ + nj_; ++j) {
    const double x = x_[j];
    for (int k = starts_[j], end = starts_[j + 1]; k < end; ++k) {
      const double term = values[k] * x;
      const int row = row_of[k];
      residual[row] -= term;
      magnitude[row] += std::abs(term);
    }
  }
  // What decays along a chain to nothing is not asked for.
  const double floor = nv_ > 0 ? k_negligible * magnitude_.maxCoeff() : 0.0;
  double error = 0;
  for (int i = 0; i < nv_ + nj_; ++i) {
    const double size = std::abs(residual_[i]), scale = magnitude_[i] + floor;
    if (!(size <= error * scale)) error = size / scale;
  }
  return error;
}

// Measured by the right side alone: a solution that blows up, as that of a contradiction does, is not a good one.
bool SparseKkt::is_good_correction() const {
  residual_ = b_;
  const double* values = values_.data();
  const int* row_of = row_of_.data();
  double* residual = residual_.data();
  for (int j = 0; j < nv_ + nj_; ++j) {
    const double x = x_[j];
    for (int k = starts_[j], end = starts_[j + 1]; k < end; ++k) residual[row_of[k]] -= values[k] * x;
  }
  return residual_.allFinite() &&
         residual_.lpNorm<Eigen::Infinity>() <= k_correction_goal * b_.lpNorm<Eigen::Infinity>();
}

// (4) until the residual is round-off or no longer falls.
SparseKkt::Refinement SparseKkt::refine() const {
  Refinement out{.sweeps = 0, .error = update_residual()};
  while (out.sweeps < k_max_sweeps && out.error > k_residual_goal) {
    correction_ = residual_;
    lu_.solve_in_place(correction_);
    candidate_ = x_;
    x_ += correction_;
    const double error = update_residual();
    if (!(error < out.error)) {
      std::swap(x_, candidate_);
      break;
    }
    const bool slow = error > 0.5 * out.error;
    out = {.sweeps = out.sweeps + 1, .error = error};
    if (slow) break;
  }
  return out;
}

// b ← b − Π* b, applied twice a pass, since once leaves ε/σ of what can be solved.
void SparseKkt::project_right_side() const {
  const double goal = k_round_off * b_.cwiseAbs().maxCoeff();
  for (int pass = 0; pass < k_max_passes; ++pass) {
    correction_ = b_;
    for (int twice = 0; twice < 2; ++twice) {
      lu_.solve_in_place(correction_);
      correction_.head(nv_).setZero();
      correction_.tail(nj_).array() *= k_epsilon * w_.array();
    }
    b_ -= correction_;
    if (!(correction_.cwiseAbs().maxCoeff() > goal)) return;
  }
}

// x ← x − Π x, likewise.
void SparseKkt::take_least_norm() const {
  const double goal = k_least_norm_goal * x_.tail(nj_).cwiseAbs().maxCoeff();
  for (int pass = 0; pass < k_max_passes; ++pass) {
    correction_ = x_;
    for (int twice = 0; twice < 2; ++twice) {
      correction_.head(nv_).setZero();
      correction_.tail(nj_).array() *= k_epsilon * w_.array();
      lu_.solve_in_place(correction_);
    }
    x_ -= correction_;
    if (!(correction_.tail(nj_).cwiseAbs().maxCoeff() > goal)) return;
  }
}

// The least-squares solution of least norm, with the factors of K_ε.
void SparseKkt::solve_deficient() const {
  project_right_side();
  x_ = b_;
  lu_.solve_in_place(x_);
  refine();
  take_least_norm();
  // What the projection has left of ε/σ; a sweep brings null vectors back.
  if (refine().sweeps > 0) take_least_norm();
}

void SparseKkt::solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda,
                      KktAccuracy accuracy) const {
  b_.resize(nv_ + nj_);
  b_.head(nv_) = d_.cwiseProduct(p);
  b_.tail(nj_) = s_.cwiseProduct(g);
  bool deficient = num_redundant() > 0;
  if (!deficient) {
    x_ = b_;
    lu_.solve_in_place(x_);
    deficient = !(accuracy == KktAccuracy::correction && is_good_correction()) &&
                refine().error > k_residual_contradictory;
  }
  if (deficient) {
    // Dependent all the same, although every pivot was large; the projectors are those of K_ε.
    const bool borrowed = !regularized_ && factorize(k_epsilon);
    solve_deficient();
    if (borrowed) factorize(0, SparseLu::Pivots::diagonal);
  }
  v = d_.cwiseProduct(x_.head(nv_));
  lambda = s_.cwiseProduct(x_.tail(nj_));
}

// update_residual() for all columns.
SparseKkt::ColumnErrors SparseKkt::update_residuals() const {
  using Row = Eigen::Array<double, 1, k_columns>;
  const auto row_at = [](Columns& all, int i) { return Eigen::Map<Row>(all.data() + k_columns * i); };
  columns_residual_ = columns_b_;
  columns_magnitude_ = columns_b_.cwiseAbs();
  const double* values = values_.data();
  const int* row_of = row_of_.data();
  for (int j = 0; j < nv_ + nj_; ++j) {
    const Row x = row_at(columns_x_, j);
    for (int k = starts_[j], end = starts_[j + 1]; k < end; ++k) {
      const Row term = values[k] * x;
      row_at(columns_residual_, row_of[k]) -= term;
      row_at(columns_magnitude_, row_of[k]) += term.abs();
    }
  }
  const Row floor = k_negligible * columns_magnitude_.colwise().maxCoeff().array();
  ColumnErrors errors = ColumnErrors::Zero();
  for (int i = 0; i < nv_ + nj_; ++i) {
    const Row size = row_at(columns_residual_, i).abs(), scale = row_at(columns_magnitude_, i) + floor;
    for (int c = 0; c < k_columns; ++c)
      if (!(size[c] <= errors[c] * scale[c])) errors[c] = size[c] / scale[c];
  }
  return errors;
}

// refine() for all columns, each for as long as it would go on alone.
SparseKkt::ColumnErrors SparseKkt::refine_columns() const {
  ColumnErrors errors = update_residuals();
  bool goes_on[k_columns];
  for (int c = 0; c < k_columns; ++c) goes_on[c] = errors[c] > k_residual_goal;
  for (int sweep = 0; sweep < k_max_sweeps; ++sweep) {
    if (std::none_of(goes_on, goes_on + k_columns, [](bool on) { return on; })) break;
    columns_ = columns_residual_;
    lu_.solve_in_place(columns_);
    columns_candidate_ = columns_x_;
    for (int c = 0; c < k_columns; ++c)
      if (goes_on[c]) columns_x_.col(c) += columns_.col(c);
    const ColumnErrors next = update_residuals();
    for (int c = 0; c < k_columns; ++c) {
      if (!goes_on[c]) continue;
      if (!(next[c] < errors[c])) {
        columns_x_.col(c) = columns_candidate_.col(c);
        goes_on[c] = false;
        continue;
      }
      goes_on[c] = next[c] > k_residual_goal && !(next[c] > 0.5 * errors[c]);
      errors[c] = next[c];
    }
  }
  return errors;
}

void SparseKkt::solve_homogeneous(const MatrixRef& P, Matrix& V) const {
  V.resize(nv_, P.cols());
  const auto solve_column = [&](Eigen::Index j) {
    zero_.setZero(nj_);
    solve(P.col(j), zero_, v_, lambda_);
    V.col(j) = v_;
  };
  Eigen::Index j = 0;
  for (; num_redundant() == 0 && j + 1 < P.cols(); j += k_columns) {
    const Eigen::Index count = std::min<Eigen::Index>(k_columns, P.cols() - j);
    columns_b_.setZero(nv_ + nj_, k_columns);
    for (Eigen::Index c = 0; c < count; ++c) columns_b_.col(c).head(nv_) = d_.cwiseProduct(P.col(j + c));
    columns_ = columns_b_;
    lu_.solve_in_place(columns_);
    columns_x_ = columns_;
    const ColumnErrors errors = refine_columns();
    for (Eigen::Index c = 0; c < count; ++c) V.col(j + c) = d_.cwiseProduct(columns_x_.col(c).head(nv_));
    // Where it contradicts the joints it takes another way.
    for (Eigen::Index c = 0; c < count; ++c)
      if (errors[c] > k_residual_contradictory) solve_column(j + c);
  }
  for (; j < P.cols(); ++j) solve_column(j);
}

const std::vector<int>& SparseKkt::redundant_rows() const {
  if (listed_) return redundant_rows_;
  listed_ = true;
  // Left null vectors: columns of K_ε⁻ᵀ, more than once for the reason of project_right_side().
  std::vector<NullVector> vectors;
  for (int column : null_columns_) {
    correction_.setZero(nv_ + nj_);
    correction_[column] = 1;
    for (int pass = 0; pass < 3; ++pass) {
      lu_.solve_transposed_in_place(correction_);
      correction_.head(nv_).setZero();
      correction_.tail(nj_).array() *= k_epsilon * w_.array();
    }
    NullVector vector = trim(0, correction_.tail(nj_));
    if (vector.entries.size() > 0) vectors.push_back(std::move(vector));
  }
  redundant_rows_ = find_last_rows(nj_, std::move(vectors));
  return redundant_rows_;
}

}  // namespace delassus
