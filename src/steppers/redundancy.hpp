// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Joints that hold the same thing twice (closed loops of hinges, Bricard's mechanism): how many rows of G depend on
// others, and whose reactions are not unique. With G η = 0 the reactions λ and λ + η are the same to the motion, so the
// ones that are not unique are those in which some η is not zero; the least-norm ones are reported.
#pragma once
#include <string>
#include <vector>

#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct Redundancy {
  int num_rows = 0;       // of G
  int num_redundant = 0;  // how many of them could be left out
  // Joints with such rows, in the order of the rows; and how many of a joint's own rows could be left out, taking the last
  // ones of each dependent set.
  struct Joint {
    std::string name;
    int rows = 0, redundant = 0;
    bool unique = true;  // of its reactions
  };
  std::vector<Joint> joints;  // all of them
  std::vector<std::string> not_unique() const;
};

// At a configuration: mechanisms can pass singular ones, where more rows depend. Dense: meant for a start, not for a step.
Redundancy find_redundancy(const System& system, const State& state);

}  // namespace delassus
