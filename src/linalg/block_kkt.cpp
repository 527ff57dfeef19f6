// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/block_kkt.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "delassus/linalg/column_kernels.hpp"
#include "delassus/linalg/saddle_layout.hpp"
#include "delassus/linalg/saddle_order.hpp"

namespace delassus {
namespace {

constexpr double k_round_off = std::numeric_limits<double>::epsilon();
// As linalg/sparse_lu.cpp has it for pivots on the diagonal: the error 1e-16 / 1e-9 of a solve goes in two sweeps.
constexpr double k_smallest_pivot = 1e-9;
// Blocks of L, beside the cells, beyond which the border costs more than it is worth; trees have one a cell.
constexpr int k_most_fill = 8;
// The goals and limits of linalg/sparse_kkt.cpp.
constexpr double k_residual_goal = 32 * k_round_off;
constexpr double k_correction_goal = 1e-12;
constexpr double k_residual_contradictory = 1e-9;
constexpr double k_negligible = 1e-8;
constexpr int k_max_sweeps = 6;

// The power of two nearest to 1/√x for x > 0, from the exponent alone.
double inverse_root(double x) {
  static_assert(std::numeric_limits<double>::is_iec559);
  constexpr int mantissa_bits = 52, bias = 1023;
  const int e = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> mantissa_bits) - (bias - 1);
  return std::bit_cast<double>(static_cast<std::uint64_t>(bias - (e >> 1)) << mantissa_bits);
}

// sums_i += Σ_j (B_ij scale_j)² for a block by rows; N: its width where it is known at compile time, otherwise 0.
template <int N>
void add_squares(const double* block, const double* scale, int count, int width, double* sums) {
  if constexpr (N > 0) width = N;
  for (int i = 0; i < count; ++i, block += width) {
    double sum = 0;
    for (int j = 0; j < width; ++j) sum += (block[j] * scale[j]) * (block[j] * scale[j]);
    sums[i] += sum;
  }
}

}  // namespace

bool BlockKkt::has_layout(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions) {
  describe_saddle_layout(A, rows, directions, layout_);
  if (layout_ == last_layout_) return true;
  last_layout_ = layout_;
  return false;
}

void BlockKkt::join(int first, int count) {
  for (int i = first; i + 1 < first + count; ++i) joined_[static_cast<std::size_t>(i)] = 1;
}

bool BlockKkt::find_cells(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions) {
  const auto n = static_cast<std::size_t>(nv_ + nj_);
  joined_.assign(n, 0);
  for (int b = 0; b < A.num_blocks(); ++b) {
    join(A.block_row(b), static_cast<int>(A.block(b).rows()));
    join(A.block_column(b), static_cast<int>(A.block(b).cols()));
  }
  for (const BlockRows* both : {&rows, &directions})
    for (int g = 0; g < both->num_groups(); ++g) {
      join(nv_ + both->first_row(g), both->group_rows(g));
      for (int b = 0; b < both->num_blocks(g); ++b)
        join(both->block_column(g, b), static_cast<int>(both->block(g, b).cols()));
    }
  cell_of_.resize(n);
  cell_starts_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || joined_[i - 1] == 0) cell_starts_.push_back(static_cast<int>(i));
    cell_of_[i] = static_cast<int>(cell_starts_.size()) - 1;
    if (static_cast<int>(i) - cell_starts_.back() >= k_cell) return false;
  }
  cell_starts_.push_back(static_cast<int>(n));
  return true;
}

CellGraph BlockKkt::make_graph(const BlockMatrix& A, const BlockRows& rows,
                               const BlockRows& directions) const {
  CellGraph graph;
  const std::size_t count = cell_starts_.size() - 1;
  graph.sizes.resize(count);
  graph.neighbours.resize(count);
  for (std::size_t c = 0; c < count; ++c) {
    graph.sizes[c] = cell_starts_[c + 1] - cell_starts_[c];
    if (cell_starts_[c] < nv_) graph.num_bodies = static_cast<int>(c) + 1;
  }
  const auto couple = [&](int i, int j) {
    const int a = cell_of_[static_cast<std::size_t>(i)], b = cell_of_[static_cast<std::size_t>(j)];
    if (a == b) return;
    graph.neighbours[static_cast<std::size_t>(a)].push_back(b);
    graph.neighbours[static_cast<std::size_t>(b)].push_back(a);
  };
  for (int b = 0; b < A.num_blocks(); ++b) couple(A.block_row(b), A.block_column(b));
  for (const BlockRows* both : {&rows, &directions})
    for (int g = 0; g < both->num_groups(); ++g)
      for (int b = 0; b < both->num_blocks(g) && both->group_rows(g) > 0; ++b)
        couple(nv_ + both->first_row(g), both->block_column(g, b));
  for (std::vector<int>& others : graph.neighbours) {
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
  }
  return graph;
}

// Row j of L has the places that the paths from its entries left of the diagonal up the elimination tree meet before j; U has the
// transposed structure.
bool BlockKkt::find_structure(const CellGraph& graph, const std::vector<int>& order) {
  const std::size_t n = order.size();
  std::vector<int> place(n), parent(n, -1), mark(n, -1), next(n, 0);
  for (std::size_t j = 0; j < n; ++j) place[static_cast<std::size_t>(order[j])] = static_cast<int>(j);
  lower_starts_.assign(1, 0);
  lower_columns_.clear();
  for (int j = 0; j < static_cast<int>(n); ++j) {
    mark[j] = j;
    for (int other : graph.neighbours[static_cast<std::size_t>(order[j])])
      for (int k = place[other]; k < j && mark[k] != j; k = parent[k]) {
        mark[k] = j;
        if (parent[k] < 0) parent[k] = j;
        lower_columns_.push_back(k);
        ++next[k];
      }
    if (lower_columns_.size() > k_most_fill * n) return false;
    std::sort(lower_columns_.begin() + lower_starts_.back(), lower_columns_.end());
    lower_starts_.push_back(static_cast<int>(lower_columns_.size()));
  }
  upper_starts_.assign(1, 0);
  for (std::size_t k = 0; k < n; ++k) upper_starts_.push_back(upper_starts_.back() + next[k]);
  upper_columns_.resize(lower_columns_.size());
  std::copy(upper_starts_.begin(), upper_starts_.end() - 1, next.begin());
  for (int j = 0; j < static_cast<int>(n); ++j)
    for (int e = lower_starts_[j]; e < lower_starts_[j + 1]; ++e)
      upper_columns_[next[lower_columns_[e]]++] = j;
  return true;
}

int BlockKkt::block_at(int row, int column) const {
  if (row == column) return row;
  const std::vector<int>&starts = row > column ? lower_starts_ : upper_starts_,
        &columns = row > column ? lower_columns_ : upper_columns_;
  const auto begin = columns.begin() + starts[row], end = columns.begin() + starts[row + 1];
  const auto found = std::lower_bound(begin, end, column);
  assert(found != end && *found == column);
  const int first = size() + (row > column ? 0 : static_cast<int>(lower_columns_.size()));
  return first + static_cast<int>(found - columns.begin());
}

std::size_t BlockKkt::entry(int row, int column) const {
  const int i = packed_[static_cast<std::size_t>(row)], j = packed_[static_cast<std::size_t>(column)];
  return k_block * static_cast<std::size_t>(block_at(i / k_cell, j / k_cell)) +
         static_cast<std::size_t>(i % k_cell + k_cell * (j % k_cell));
}

bool BlockKkt::analyze(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions) {
  if (!find_cells(A, rows, directions)) return false;
  const CellGraph graph = make_graph(A, rows, directions);
  const std::vector<int> order = order_cells(graph);
  if (!find_structure(graph, order)) return false;
  dims_.resize(order.size());
  packed_.resize(cell_of_.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    const auto cell = static_cast<std::size_t>(order[j]);
    dims_[j] = graph.sizes[cell];
    for (int i = 0; i < dims_[j]; ++i)
      packed_[static_cast<std::size_t>(cell_starts_[cell] + i)] = k_cell * static_cast<int>(j) + i;
  }
  targets_.clear();
  for (int j = 0; j < size(); ++j)
    for (int e = lower_starts_[j]; e < lower_starts_[j + 1]; ++e)
      for (int u = upper_starts_[lower_columns_[e]]; u < upper_starts_[lower_columns_[e] + 1]; ++u)
        targets_.push_back(block_at(j, upper_columns_[u]));
  values_.resize(k_block * (dims_.size() + 2 * lower_columns_.size()));
  find_places(A, rows, directions);
  return true;
}

void BlockKkt::find_places(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions) {
  places_.clear();
  for (int b = 0; b < A.num_blocks(); ++b) places_.push_back(entry(A.block_row(b), A.block_column(b)));
  const auto list = [&](const BlockRows& from, bool transposed) {
    for (int g = 0; g < from.num_groups(); ++g)
      for (int b = 0; b < from.num_blocks(g); ++b) {
        const int row = nv_ + from.first_row(g), column = from.block_column(g, b);
        if (from.group_rows(g) == 0)
          places_.push_back(0);
        else
          places_.push_back(transposed ? entry(column, row) : entry(row, column));
      }
  };
  list(rows, false);
  list(directions, true);
  filled_.assign(values_.size() / k_block, 0);
  for (const std::size_t place : places_) filled_[place / k_block] = 1;
  // Compliances stand on the diagonal.
  std::fill_n(filled_.begin(), dims_.size(), char{1});
  diagonal_.resize(cell_of_.size());
  for (std::size_t i = 0; i < diagonal_.size(); ++i)
    diagonal_[i] = entry(static_cast<int>(i), static_cast<int>(i));
}

void BlockKkt::fill(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                    const VectorRef& C) {
  std::fill(values_.begin(), values_.end(), 0.0);
  const std::size_t* place = places_.data();
  for (int b = 0; b < A.num_blocks(); ++b) {
    const BlockMatrix::ConstBlock from = A.block(b);
    const double* column = from.data();
    double* to = values_.data() + *place++;
    const auto height = static_cast<int>(from.rows()), width = static_cast<int>(from.cols());
    if (height == k_cell)
      for (int j = 0; j < width; ++j, column += k_cell, to += k_cell)
        for (int i = 0; i < k_cell; ++i) to[i] += column[i];
    else
      for (int j = 0; j < width; ++j, column += height, to += k_cell)
        for (int i = 0; i < height; ++i) to[i] += column[i];
  }
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b) {
      const BlockRows::ConstBlock from = rows.block(g, b);
      const double* row = from.data();
      double* to = values_.data() + *place++;
      const auto height = static_cast<int>(from.rows()), width = static_cast<int>(from.cols());
      for (int i = 0; i < height; ++i, row += width, ++to)
        for (int j = 0; j < width; ++j) to[k_cell * j] += row[j];
    }
  for (int g = 0; g < directions.num_groups(); ++g)
    for (int b = 0; b < directions.num_blocks(g); ++b) {
      const BlockRows::ConstBlock from = directions.block(g, b);
      const double* row = from.data();
      double* to = values_.data() + *place++;
      const auto height = static_cast<int>(from.rows()), width = static_cast<int>(from.cols());
      if (width == k_cell)
        for (int i = 0; i < height; ++i, row += k_cell, to += k_cell)
          for (int j = 0; j < k_cell; ++j) to[j] -= row[j];
      else
        for (int i = 0; i < height; ++i, row += width, to += k_cell)
          for (int j = 0; j < width; ++j) to[j] -= row[j];
    }
  for (int i = 0; i < nj_; ++i) values_[diagonal_[static_cast<std::size_t>(nv_ + i)]] += C[i];
}

// Before the elimination: 1/√A_ii, and 1/√(Σ_j R_ij²/A_jj + C_i) of a row.
bool BlockKkt::find_scales(const BlockRows& rows, const VectorRef& C) {
  scales_.setZero(k_cell * static_cast<Eigen::Index>(dims_.size()));
  double* scales = scales_.data();
  const int* packed = packed_.data();
  for (int i = 0; i < nv_; ++i) {
    const double mass = values_[diagonal_[static_cast<std::size_t>(i)]];
    if (!(mass > 0) || !std::isfinite(mass)) return false;
    scales[packed[i]] = inverse_root(mass);
  }
  // Those of the masses are powers of two near to what they stand for, which is near enough here.
  for (int g = 0; g < rows.num_groups(); ++g) {
    double sums[k_cell] = {};
    const int row = rows.first_row(g), count = rows.group_rows(g);
    for (int i = 0; i < count; ++i) sums[i] = C[row + i];
    for (int b = 0; b < rows.num_blocks(g); ++b) {
      const BlockRows::ConstBlock from = rows.block(g, b);
      const double* scale = scales + packed[rows.block_column(g, b)];
      if (from.cols() == k_cell)
        add_squares<k_cell>(from.data(), scale, count, k_cell, sums);
      else
        add_squares<0>(from.data(), scale, count, static_cast<int>(from.cols()), sums);
    }
    for (int i = 0; i < count; ++i) {
      if (!(sums[i] > 0) || !std::isfinite(sums[i])) return false;
      scales[packed[nv_ + row + i]] = inverse_root(sums[i]);
    }
  }
  return true;
}

void BlockKkt::take_symmetric_part() {
  const auto average = [](double* a, double* b) {
    for (int j = 0; j < k_cell; ++j)
      for (int i = 0; i < k_cell; ++i) {
        double &x = a[i + k_cell * j], &y = b[j + k_cell * i];
        x = y = 0.5 * (x + y);
      }
  };
  for (int j = 0; j < size(); ++j) {
    average(block(static_cast<std::size_t>(j)), block(static_cast<std::size_t>(j)));
    for (int e = lower_starts_[j]; e < lower_starts_[j + 1]; ++e)
      average(block(dims_.size() + static_cast<std::size_t>(e)),
              block(static_cast<std::size_t>(block_at(lower_columns_[e], j))));
  }
}

void BlockKkt::eliminate() {
  const ColumnKernels& kernels = column_kernels();
  const std::size_t n = dims_.size(), num_lower = lower_columns_.size();
  const int* target = targets_.data();
  inverse_pivots_.resize(k_cell * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (int e = lower_starts_[j]; e < lower_starts_[j + 1]; ++e) {
      const auto k = static_cast<std::size_t>(lower_columns_[e]);
      double* factor = block(n + static_cast<std::size_t>(e));
      kernels.multiply_right(block(k), dims_[k], factor);
      for (int u = upper_starts_[k]; u < upper_starts_[k + 1]; ++u)
        kernels.subtract_product(factor, block(n + num_lower + static_cast<std::size_t>(u)), dims_[k],
                                 dims_[static_cast<std::size_t>(upper_columns_[u])],
                                 block(static_cast<std::size_t>(*target++)));
    }
    kernels.invert(block(j), dims_[j], inverse_pivots_.data() + k_cell * j);
  }
}

bool BlockKkt::prepare(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                       const VectorRef& C) {
  if (!has_layout(A, rows, directions)) {
    nv_ = A.size();
    nj_ = rows.rows();
    usable_ = analyze(A, rows, directions);
  }
  if (!usable_) return false;
  fill(A, rows, directions, C);
  return find_scales(rows, C);
}

bool BlockKkt::compute(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                       const VectorRef& C) {
  if (!prepare(A, rows, directions, C)) return false;
  entries_ = values_;
  eliminate();
  for (const int i : packed_) {
    const double inverse = std::abs(inverse_pivots_[static_cast<std::size_t>(i)]), scale = scales_[i];
    if (!(inverse > 0 && k_smallest_pivot * inverse < scale * scale)) return false;
  }
  return true;
}

bool BlockKkt::has_positive_pivots() const {
  return std::all_of(packed_.begin(), packed_.end(),
                     [&](int i) { return inverse_pivots_[static_cast<std::size_t>(i)] > 0; });
}

bool BlockKkt::find_definite(const BlockMatrix& A, double smallest, bool& usable) {
  no_rows_.clear(A.size());
  const bool prepared = prepare(A, no_rows_, no_rows_, Vector());
  usable = usable_;
  if (!prepared) return false;
  take_symmetric_part();
  magnitude_.resize(nv_);
  for (int i = 0; i < nv_; ++i) magnitude_[i] = values_[diagonal_[static_cast<std::size_t>(i)]];
  eliminate();
  for (int i = 0; i < nv_; ++i) {
    const double inverse = inverse_pivots_[static_cast<std::size_t>(packed_[static_cast<std::size_t>(i)])];
    if (!(inverse > 0 && smallest * magnitude_[i] * inverse < 1)) return false;
  }
  return true;
}

// x ← K⁻¹ x, packed.
void BlockKkt::substitute(Vector& x) const {
  const ColumnKernels& kernels = column_kernels();
  const std::size_t n = dims_.size(), num_lower = lower_columns_.size();
  for (std::size_t j = 0; j < n; ++j) {
    double* own = x.data() + k_cell * j;
    for (int e = lower_starts_[j]; e < lower_starts_[j + 1]; ++e) {
      const auto k = static_cast<std::size_t>(lower_columns_[e]);
      kernels.subtract_image(block(n + static_cast<std::size_t>(e)), x.data() + k_cell * k, dims_[k], own);
    }
  }
  for (std::size_t j = n; j-- > 0;) {
    double* own = x.data() + k_cell * j;
    for (int u = upper_starts_[j]; u < upper_starts_[j + 1]; ++u) {
      const auto k = static_cast<std::size_t>(upper_columns_[u]);
      kernels.subtract_image(block(n + num_lower + static_cast<std::size_t>(u)), x.data() + k_cell * k,
                             dims_[k], own);
    }
    kernels.multiply_left(block(j), dims_[j], own);
  }
}

// b − K x, and Σ |terms| of its rows.
BlockKkt::Residual BlockKkt::find_residual(const Vector& b, const Vector& x) const {
  const ColumnKernels& kernels = column_kernels();
  const std::size_t n = dims_.size(), num_lower = lower_columns_.size();
  residual_ = b;
  magnitude_ = b.cwiseAbs();
  const auto subtract = [&](std::size_t row, std::size_t column, std::size_t at) {
    if (filled_[at] != 0)
      kernels.subtract_terms(entries_.data() + k_block * at, x.data() + k_cell * column, dims_[column],
                             residual_.data() + k_cell * row, magnitude_.data() + k_cell * row);
  };
  for (std::size_t j = 0; j < n; ++j) {
    subtract(j, j, j);
    for (int e = lower_starts_[j]; e < lower_starts_[j + 1]; ++e)
      subtract(j, static_cast<std::size_t>(lower_columns_[e]), n + static_cast<std::size_t>(e));
    for (int u = upper_starts_[j]; u < upper_starts_[j + 1]; ++u)
      subtract(j, static_cast<std::size_t>(upper_columns_[u]), n + num_lower + static_cast<std::size_t>(u));
  }
  // In scaled unknowns what decays along a chain to nothing is not asked for. Places without an unknown have the scale zero.
  const double floor = k_negligible * magnitude_.cwiseProduct(scales_).maxCoeff();
  Residual out{.error = 0, .largest = 0};
  const double *residual = residual_.data(), *magnitude = magnitude_.data(), *scales = scales_.data();
  for (Eigen::Index i = 0; i < residual_.size(); ++i) {
    const double size = std::abs(residual[i]) * scales[i], terms = magnitude[i] * scales[i] + floor;
    if (!(size <= out.error * terms)) out.error = size / terms;
    if (!(size <= out.largest)) out.largest = size;
  }
  return out;
}

void BlockKkt::pack(const VectorRef& p, const VectorRef& g, Vector& out) const {
  out.setZero(k_cell * static_cast<Eigen::Index>(dims_.size()));
  const int* packed = packed_.data();
  for (int i = 0; i < nv_; ++i) out[packed[i]] = p[i];
  for (int i = 0; i < nj_; ++i) out[packed[nv_ + i]] = g[i];
}

bool BlockKkt::solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda,
                     KktAccuracy accuracy) const {
  pack(p, g, b_);
  x_ = b_;
  substitute(x_);
  Residual now = find_residual(b_, x_);
  const bool good = accuracy == KktAccuracy::correction &&
                    now.largest <= k_correction_goal * b_.cwiseProduct(scales_).cwiseAbs().maxCoeff();
  for (int sweep = 0; !good && sweep < k_max_sweeps && now.error > k_residual_goal; ++sweep) {
    correction_ = residual_;
    substitute(correction_);
    last_x_ = x_;
    x_ += correction_;
    const Residual next = find_residual(b_, x_);
    if (!(next.error < now.error)) {
      std::swap(x_, last_x_);
      break;
    }
    const bool slow = next.error > 0.5 * now.error;
    now = next;
    if (slow) break;
  }
  v.resize(nv_);
  lambda.resize(nj_);
  const int* packed = packed_.data();
  for (int i = 0; i < nv_; ++i) v[i] = x_[packed[i]];
  for (int i = 0; i < nj_; ++i) lambda[i] = x_[packed[nv_ + i]];
  return good || now.error <= k_residual_contradictory;
}

}  // namespace delassus
