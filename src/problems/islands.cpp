// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/islands.hpp"

#include <algorithm>
#include <numeric>

namespace delassus {

int Islands::root(int i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

void Islands::find(const ContactMatrix& W) {
  const int n = W.num_contacts();
  parent_.resize(n);
  std::iota(parent_.begin(), parent_.end(), 0);
  for (int a = 0; a < n; ++a)
    for (int e = W.row_begin(a); e < W.row_end(a) && W.column(e) < a; ++e) {
      const int x = root(a), y = root(W.column(e));
      parent_[std::max(x, y)] = std::min(x, y);
    }
  // Numbered by their first contact, which is the root.
  island_of_.resize(n);
  starts_.assign(1, 0);
  for (int c = 0; c < n; ++c) {
    const int r = root(c);
    if (r == c) {
      island_of_[c] = size();
      starts_.push_back(0);
    } else {
      island_of_[c] = island_of_[r];
    }
    ++starts_[island_of_[c] + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  contacts_.resize(n);
  // parent_ has served; its first places count the contacts filled in.
  std::copy(starts_.begin(), starts_.end() - 1, parent_.begin());
  for (int c = 0; c < n; ++c) contacts_[parent_[island_of_[c]]++] = c;
}

void extract_island(const LocalProblem& problem, const WarmStart& warm, std::span<const int> contacts,
                    LocalProblem& island, WarmStart& island_warm, std::span<const std::size_t> basis_starts) {
  problem.W.extract(contacts, island.W);
  problem.mobility.extract(problem.W, contacts, island.mobility);
  island.symmetric = problem.symmetric;
  island.cones.clear();
  island.u_free.resize(island.W.rows());
  island.terms.resize(problem.terms.size() > 0 ? static_cast<Eigen::Index>(contacts.size()) : 0);
  island_warm.effort = warm.effort;
  island_warm.contentment = warm.contentment;
  const bool has_r = warm.r.size() == problem.u_free.size();
  island_warm.r.resize(has_r ? island.W.rows() : 0);
  const bool has_basis = !basis_starts.empty() && warm.basis.size() == basis_starts.back();
  island_warm.basis.clear();
  island_warm.modes.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int c = contacts[i], row = island.W.first_row(static_cast<int>(i)), dim = problem.W.dim(c);
    island.cones.push_back(problem.cones[c]);
    if (problem.terms.size() > 0) island.terms[static_cast<Eigen::Index>(i)] = problem.terms[c];
    island.u_free.segment(row, dim) = problem.u_free.segment(problem.first_row(c), dim);
    if (has_r) island_warm.r.segment(row, dim) = warm.r.segment(problem.first_row(c), dim);
    if (has_basis)
      island_warm.basis.insert(island_warm.basis.end(),
                               warm.basis.begin() + static_cast<std::ptrdiff_t>(basis_starts[c]),
                               warm.basis.begin() + static_cast<std::ptrdiff_t>(basis_starts[c + 1]));
    if (warm.modes.size() == problem.cones.size()) island_warm.modes.push_back(warm.modes[c]);
  }
}

}  // namespace delassus
