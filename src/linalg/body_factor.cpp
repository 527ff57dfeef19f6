// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/body_factor.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// Velocities of a cell, at most: those of a rigid body.
constexpr int k_largest_cell = 6;

// target += aᵀ b for a, b of some rows; N: height, width and stride where they are known at compile time, otherwise 0.
template <int N>
void add_transposed_product(const double* a, const double* b, int rows, int height, int width, double* target,
                            int stride) {
  if constexpr (N > 0) height = width = stride = N;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < height; ++j) {
      const double factor = a[i * height + j];
      for (int k = 0; k < width; ++k) target[j * stride + k] += factor * b[i * width + k];
    }
}

}  // namespace

bool BodyFactor::find_cells(const BlockMatrix& M, const BlockRows& R) {
  const auto nv = static_cast<std::size_t>(M.size());
  // Whether velocity i is of one cell with the next one.
  joined_.assign(nv, 0);
  cell_of_.assign(nv, -1);
  for (int b = 0; b < M.num_blocks(); ++b) {
    const auto block = M.block(b);
    if (M.block_row(b) != M.block_column(b) || block.rows() != block.cols()) return false;
    for (Eigen::Index k = 0; k + 1 < block.rows(); ++k) joined_[M.block_row(b) + k] = 1;
  }
  for (int g = 0; g < R.num_groups(); ++g)
    for (int k = 0; k < R.num_blocks(g); ++k) {
      const int first = R.block_column(g, k), end = first + static_cast<int>(R.block(g, k).cols());
      for (int i = first; i < end; ++i) cell_of_[i] = 0;
      for (int i = first; i + 1 < end; ++i) joined_[i] = 1;
    }
  cell_starts_.clear();
  cell_sizes_.clear();
  for (std::size_t first = 0; first < nv;) {
    std::size_t end = first + 1;
    while (end < nv && joined_[end - 1] != 0) ++end;
    bool touched = false;
    for (std::size_t i = first; i < end; ++i) touched = touched || cell_of_[i] == 0;
    const int size = static_cast<int>(end - first);
    if (touched && size > k_largest_cell) return false;
    for (std::size_t i = first; i < end; ++i)
      cell_of_[i] = touched ? static_cast<int>(cell_starts_.size()) : -1;
    if (touched) {
      cell_starts_.push_back(static_cast<int>(first));
      cell_sizes_.push_back(size);
    }
    first = end;
  }
  return true;
}

void BodyFactor::find_pattern(const BlockRows& R) {
  group_cells_.clear();
  for (int g = 0; g < R.num_groups(); ++g) {
    for (int k = 0; k < R.num_blocks(g); ++k) group_cells_.push_back(cell_of_[R.block_column(g, k)]);
    group_cells_.push_back(-1);
  }
  if (group_cells_ == last_group_cells_ && cell_sizes_ == last_sizes_) return;
  last_group_cells_ = group_cells_;
  last_sizes_ = cell_sizes_;
  couplings_.clear();
  for (int k = 0; k < static_cast<int>(cell_sizes_.size()); ++k) couplings_.emplace_back(k, k);
  for (auto begin = group_cells_.begin(); begin != group_cells_.end();) {
    const auto end = std::find(begin, group_cells_.end(), -1);
    for (auto a = begin; a != end; ++a)
      for (auto b = begin; b != end; ++b) couplings_.emplace_back(*a, *b);
    begin = end + 1;
  }
  std::sort(couplings_.begin(), couplings_.end());
  couplings_.erase(std::unique(couplings_.begin(), couplings_.end()), couplings_.end());
  starts_.assign(cell_sizes_.size() + 1, 0);
  columns_.clear();
  for (const auto& [a, b] : couplings_) {
    ++starts_[a + 1];
    columns_.push_back(b);
  }
  for (std::size_t k = 0; k < cell_sizes_.size(); ++k) starts_[k + 1] += starts_[k];
  S_.set_pattern(cell_sizes_, starts_, columns_);
  entries_.clear();
  group_entries_.clear();
  for (auto begin = group_cells_.begin(); begin != group_cells_.end();) {
    const auto end = std::find(begin, group_cells_.end(), -1);
    group_entries_.push_back(static_cast<int>(entries_.size()));
    for (auto a = begin; a != end; ++a)
      for (auto b = begin; b != end; ++b) entries_.push_back(S_.find(*a, *b));
    begin = end + 1;
  }
}

void BodyFactor::weigh_rows(const BlockRows& R) {
  row_masses_.setZero(R.rows());
  for (int g = 0; g < R.num_groups(); ++g)
    for (int k = 0; k < R.num_blocks(g); ++k) {
      const auto rows = R.block(g, k);
      const auto unit = unit_.segment(R.block_column(g, k), rows.cols());
      for (Eigen::Index i = 0; i < rows.rows(); ++i)
        row_masses_[R.first_row(g) + i] += rows.row(i).transpose().cwiseProduct(unit).squaredNorm();
    }
  for (double& mass : row_masses_) mass = mass > 0 ? 1 / mass : 0.0;
}

bool BodyFactor::analyze(const BlockMatrix& M, const BlockRows& R) {
  if (!find_cells(M, R)) return false;
  unit_.setZero(M.size());
  for (int b = 0; b < M.num_blocks(); ++b)
    unit_.segment(M.block_row(b), M.block(b).rows()) += M.block(b).diagonal();
  if (unit_.size() > 0 && !(unit_.minCoeff() > 0)) return false;
  unit_ = unit_.cwiseSqrt().cwiseInverse();
  find_pattern(R);
  weigh_rows(R);
  return row_masses_.allFinite();
}

// Rows of group g in the unknowns of S; times their weights, where there are some.
void BodyFactor::scale_rows(const BlockRows& R, int g, const double* weights,
                            std::vector<double>& rows) const {
  rows.clear();
  for (int k = 0; k < R.num_blocks(g); ++k) {
    const auto block = R.block(g, k);
    const double* unit = unit_.data() + R.block_column(g, k);
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      const double weight = weights == nullptr ? 1.0 : weights[i];
      for (Eigen::Index j = 0; j < block.cols(); ++j) rows.push_back(weight * unit[j] * block(i, j));
    }
  }
}

// Of a symmetric S, blocks on the diagonal and above it.
void BodyFactor::add_group(const BlockRows& R, const BlockRows& D, const Vector& weights, int g,
                           bool symmetric) {
  const int rows = R.group_rows(g), count = R.num_blocks(g);
  const double* weight = weights.data() + R.first_row(g);
  if (std::all_of(weight, weight + rows, [](double w) { return w == 0; })) return;
  scale_rows(D, g, weight, weighted_);
  scale_rows(R, g, nullptr, scaled_);
  const double* left = weighted_.data();
  for (int a = 0; a < count; ++a) {
    const int first = R.block_column(g, a), cell = cell_of_[first],
              height = static_cast<int>(R.block(g, a).cols());
    const double* right = scaled_.data();
    for (int b = 0; b < count; ++b) {
      const int other_first = R.block_column(g, b), other = cell_of_[other_first];
      const int width = static_cast<int>(R.block(g, b).cols());
      if (!symmetric || cell <= other) {
        const int stride = cell_sizes_[other];
        double* target = S_.values(entries_[group_entries_[g] + a * count + b]) +
                         (first - cell_starts_[cell]) * stride + other_first - cell_starts_[other];
        if (height == 6 && width == 6)
          add_transposed_product<6>(left, right, rows, height, width, target, stride);
        else
          add_transposed_product<0>(left, right, rows, height, width, target, stride);
      }
      right += rows * width;
    }
    left += rows * height;
  }
}

bool BodyFactor::factorize(const BlockMatrix& M, const BlockRows& R, const BlockRows& D,
                           const Vector& weights, bool symmetric) {
  S_.set_zero();
  for (int b = 0; b < M.num_blocks(); ++b) {
    const int first = M.block_row(b), cell = cell_of_[first];
    if (cell < 0) continue;
    const auto block = M.block(b);
    const auto unit = unit_.segment(first, block.rows());
    S_.block(cell, S_.diagonal_entry(cell))
        .block(first - cell_starts_[cell], first - cell_starts_[cell], block.rows(), block.rows()) +=
        unit.asDiagonal() * block * unit.asDiagonal();
  }
  for (int g = 0; g < R.num_groups(); ++g) add_group(R, D, weights, g, symmetric);
  if (symmetric) S_.copy_upper_to_lower();
  return factor_.factorize(S_, symmetric);
}

void BodyFactor::solve(const Vector& p, Vector& x) {
  packed_.resize(S_.rows());
  for (int k = 0; k < S_.num_contacts(); ++k)
    packed_.segment(S_.first_row(k), S_.dim(k)) =
        p.segment(cell_starts_[k], S_.dim(k)).cwiseProduct(unit_.segment(cell_starts_[k], S_.dim(k)));
  factor_.solve_in_place(packed_);
  x.setZero(p.size());
  for (int k = 0; k < S_.num_contacts(); ++k)
    x.segment(cell_starts_[k], S_.dim(k)) =
        packed_.segment(S_.first_row(k), S_.dim(k)).cwiseProduct(unit_.segment(cell_starts_[k], S_.dim(k)));
}

}  // namespace delassus
