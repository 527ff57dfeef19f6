// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces that are not unique. Contacts and joints can share a load in many ways: four feet of a table, a foot whose
// sideways friction presses against the joints of a planar mechanism. The velocity does not tell them apart, and each
// solver ends at another choice. Of all impulses that give the computed velocity and obey the law at it,
//
//   H r + G λ = H r° + G λ°,   r ∈ F(u)                                                                 (1)
//
// (r°, λ°: what the solver found) the least ones are taken, so that all solvers give the same:
//
//   min Σ_c ‖r_c‖²   over r and λ subject to (1)                                                        (2)
//
// F(u), a contact: r = 0 where it opens; its cone where it sticks; the ray r_T = −μ r_N d where it slips along d, likewise
// for each part of its friction. Couples count by the normal impulse that they need, |r_i|/μ_i; dry friction of joints
// has a small weight, so that contacts come first. λ then follows from r, the least of them (linalg/kkt.hpp).
//
// Method: with z = Hᵀ y, y (nv) the multipliers of (1), the minimiser is r = P_F(z), the nearest point of F; y solves
//
//   H P_F(Hᵀ y) + G λ = H r°,   Gᵀ y = 0                                                                 (3)
//
// by semismooth Newton steps on a convex function of y, the first of them on the planes of the faces: where its r lies
// inside of the cones, as it mostly does, there is nothing more to do. The masses do not matter. What does not obey (1) to
// round-off, or is not less than r°, is left as it was.
//   Cost: one factorisation of the size of the velocities of an island, less what is known of it (force_core.hpp); islands of more than k_most_velocities are left
//   as they are. Allocates where that does (linalg/kkt.hpp), and while islands change.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "delassus/linalg/kkt.hpp"
#include "delassus/problems/force_core.hpp"
#include "delassus/problems/islands.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {

class LeastForces {
 public:
  static constexpr int k_most_velocities = 600;
  // Replaces r and λ of a solution of the problem of `reduction` by the least ones; v and u stay what they are, to
  // round-off. True: something has changed.
  bool apply(const Reduction& reduction, Solution& solution);
  // Of the last call: whether the impulse of a contact, and of a joint row, is one of many.
  const std::vector<char>& shared_contacts() const { return shared_contacts_; }
  const std::vector<char>& shared_rows() const { return shared_rows_; }

 private:
  struct Island;  // its equations and what it needs to solve them
  void sort_joints(const Reduction& reduction);
  bool gather(const Reduction& reduction, const Solution& solution, std::span<const int> contacts,
              Island& island);
  bool outnumber_velocities(const BlockRows& H, std::span<const int> contacts, std::span<const Face> faces);

  Islands islands_;
  std::vector<std::shared_ptr<Island>> work_;  // by the number of the island, so that sizes stay
  std::vector<int> part_start_;                // of a part among the velocities of the island
  std::vector<int> groups_, joint_groups_;     // groups of joint rows by parts
  ForceCore core_;
  bool unique_joints_ =
      false;  // the impulses of joints follow from those of the contacts, and W is that of H
  std::vector<int> pushing_;
  std::vector<std::pair<int, int>> acted_on_;  // columns of H and how many there are
  std::vector<char> held_;                     // by velocity: rigid joint rows belong to it
  std::vector<char> shared_contacts_, shared_rows_;
  Vector r_;
};

}  // namespace delassus
