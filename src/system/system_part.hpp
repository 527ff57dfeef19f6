// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A system taken apart: bodies that nothing ties to the others, as a system of their own.
#pragma once
#include <limits>
#include <memory>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

class System;

// A part of a system and where its entries stand in the whole. Contacts keep their ids, bodies their numbers.
struct SystemPart {
  std::shared_ptr<const System> system;
  std::vector<int> q, v, joint_rows, friction_rows;
};

// Where the surfaces of bodies have been or may get to within a step: a box for each shape that moves.
struct Reach {
  struct Box {
    Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity());
    Vector3 upper = Vector3::Constant(-std::numeric_limits<double>::infinity());
    void extend(const Vector3& other_lower, const Vector3& other_upper) {
      lower = lower.cwiseMin(other_lower);
      upper = upper.cwiseMax(other_upper);
    }
  };
  std::vector<Box> boxes;
  // Of two reaches of one system: both.
  void extend(const Reach& other) {
    if (boxes.size() < other.boxes.size()) boxes.resize(other.boxes.size());
    for (std::size_t i = 0; i < other.boxes.size(); ++i)
      boxes[i].extend(other.boxes[i].lower, other.boxes[i].upper);
  }
};

}  // namespace delassus
