// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of a problem: sets of velocities that neither A nor a joint couples with others, so that only contacts do. A
// free body is one, and so is a mechanism of bodies that joints and springs connect. Parts are numbered by their first
// velocity, and the velocities within one are in ascending order.
//
// Cost: about linear in the number of blocks; nothing is allocated after warm-up.
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus {

class Parts {
 public:
  // Problems of a few bodies are not taken apart: they are one part, for one dense factorisation is as fast.
  void find(const Problem& problem);
  int size() const { return static_cast<int>(starts_.size()) - 1; }
  int part_of(int velocity) const { return part_of_[velocity]; }
  // Number of a velocity within its part.
  int place(int velocity) const { return place_[velocity]; }
  int num_velocities(int part) const { return starts_[part + 1] - starts_[part]; }
  std::span<const int> velocities(int part) const {
    return std::span<const int>(velocities_).subspan(starts_[part], num_velocities(part));
  }

 private:
  void couple(const Problem& problem);
  void join(int first, int begin, int size);
  void join_rows(const BlockRows& rows);
  void number_parts(int nv);
  int root(int i);

  std::vector<int> parent_;  // union-find over the velocities
  std::vector<int> part_of_, place_, starts_{0}, velocities_;
};

}  // namespace delassus
