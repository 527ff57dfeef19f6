// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Islands: sets of contacts between which W has no block. Each is a problem of its own; a heap on the ground is one, a
// hundred boxes apart from each other are a hundred. Islands and the contacts in them are in ascending order.
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus {

class Islands {
 public:
  void find(const ContactMatrix& W);
  int size() const { return static_cast<int>(starts_.size()) - 1; }
  std::span<const int> contacts(int island) const {
    return std::span<const int>(contacts_).subspan(starts_[island], starts_[island + 1] - starts_[island]);
  }

 private:
  int root(int i);
  std::vector<int> parent_, starts_{0}, contacts_, island_of_;
};

// The problem of some contacts alone, with its warm start. `basis_starts`: where the entries of each contact begin in the
// basis of the warm start, and their number at the end; empty: there is none.
void extract_island(const LocalProblem& problem, const WarmStart& warm, std::span<const int> contacts,
                    LocalProblem& island, WarmStart& island_warm,
                    std::span<const std::size_t> basis_starts = {});

}  // namespace delassus
