// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A system taken apart: bodies that nothing ties to the others, as a system of their own.
#pragma once
#include <algorithm>
#include <cassert>
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

// Where the surfaces of bodies have been or may get to within a step: a box for each shape that moves. A part of a system
// lists its own shapes only, so that the reaches of all parts take no more memory than that of the whole.
struct Reach {
  struct Box {
    Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity());
    Vector3 upper = Vector3::Constant(-std::numeric_limits<double>::infinity());
    void extend(const Vector3& other_lower, const Vector3& other_upper) {
      lower = lower.cwiseMin(other_lower);
      upper = upper.cwiseMax(other_upper);
    }
  };
  std::vector<int> shapes;  // ascending
  std::vector<Box> boxes;   // of these

  void clear() {
    shapes.clear();
    boxes.clear();
  }
  // The reach of a part as well, whose shapes are among these.
  void extend(const Reach& part) {
    auto place = shapes.begin();
    for (std::size_t i = 0; i < part.shapes.size(); ++i) {
      place = std::lower_bound(place, shapes.end(), part.shapes[i]);
      assert(place != shapes.end() && *place == part.shapes[i]);
      boxes[static_cast<std::size_t>(place - shapes.begin())].extend(part.boxes[i].lower,
                                                                     part.boxes[i].upper);
    }
  }
};

}  // namespace delassus
