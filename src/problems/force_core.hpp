// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which impulses are one of many. Where a body without joints touches others at one contact only, that impulse is what changes
// its momentum, and so it is known; the next body may then have one contact left that is not. What is left when this
// ends, the core, is all that contacts can share a load in. A heap of balls that fly, or a chain of them, has none.
//
// Where bodies have joints, W decides: the impulses of faces with the columns B are unique when Bᵀ W B is not singular, for
// rᵀ Bᵀ W B r = 0 means that H B r is nothing but joint forces.
#pragma once
#include <span>
#include <vector>

#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/contact_matrix.hpp"
#include "delassus/problems/force_face.hpp"

namespace delassus {

class ForceCore {
 public:
  // Of `contacts` (groups of H) those whose impulses may not follow from the momentum, in their order. `held`: for each
  // velocity, whether joints hold the body that it belongs to.
  std::span<const int> find(const BlockRows& H, std::span<const int> contacts, const std::vector<char>& held);
  // Whether the velocity tells the impulses of these faces (of contacts of W = Hᵀ K⁻¹ H) apart: false where they are many, or
  // nearly so, or too many to be looked at.
  bool independent(const ContactMatrix& W, std::span<const Face> faces);

 private:
  struct Body {
    int first = 0;     // of its velocities
    int left = 0;      // contacts that are not known yet
    unsigned sum = 0;  // of their places, by exclusive or: the place itself where one is left
    bool held = false;
  };
  bool determines(const BlockRows& H, int contact, int column) const;

  std::vector<Body> bodies_;  // by velocity; that of the first one counts
  std::vector<int> single_;   // bodies with one contact left
  std::vector<char> known_;
  std::vector<int> core_;
  std::vector<int> face_of_;     // of a contact; -1: none
  std::vector<int> first_;       // column of each face
  std::vector<double> entries_;  // of Bᵀ W B
};

}  // namespace delassus
