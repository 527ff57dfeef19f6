// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/parts.hpp"

#include <algorithm>
#include <numeric>

namespace delassus {
namespace {

// Problems up to this size are not taken apart.
constexpr int k_whole_velocities = 24;

}  // namespace

int Parts::root(int i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

// The velocities begin … begin + size − 1 belong to the part of `first`.
void Parts::join(int first, int begin, int size) {
  int a = root(first);
  for (int i = begin; i < begin + size; ++i) {
    if (parent_[i] == a) continue;
    const int b = root(i);
    parent_[std::max(a, b)] = std::min(a, b);
    a = std::min(a, b);
  }
}

void Parts::join_rows(const BlockRows& rows) {
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b)
      join(rows.block_column(g, 0), rows.block_column(g, b), static_cast<int>(rows.block(g, b).cols()));
}

void Parts::couple(const Problem& problem) {
  for (int b = 0; b < problem.A.num_blocks(); ++b) {
    const auto block = problem.A.block(b);
    const int row = problem.A.block_row(b), column = problem.A.block_column(b);
    join(row, row, static_cast<int>(block.rows()));
    if (column != row || block.cols() != block.rows()) join(row, column, static_cast<int>(block.cols()));
  }
  join_rows(problem.Gt);
  if (problem.separate_directions) join_rows(problem.G_directions);
}

void Parts::find(const Problem& problem) {
  const int nv = problem.A.size();
  parent_.resize(nv);
  if (nv <= k_whole_velocities) {
    std::fill(parent_.begin(), parent_.end(), 0);
  } else {
    std::iota(parent_.begin(), parent_.end(), 0);
    couple(problem);
  }
  number_parts(nv);
}

void Parts::number_parts(int nv) {
  part_of_.resize(nv);
  place_.resize(nv);
  starts_.assign(1, 0);
  for (int i = 0; i < nv; ++i) {
    const int r = root(i);
    if (r == i) {
      part_of_[i] = size();
      starts_.push_back(0);
    } else {
      part_of_[i] = part_of_[r];
    }
    place_[i] = starts_[part_of_[i] + 1]++;
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  velocities_.resize(nv);
  for (int i = 0; i < nv; ++i) velocities_[starts_[part_of_[i]] + place_[i]] = i;
}

}  // namespace delassus
