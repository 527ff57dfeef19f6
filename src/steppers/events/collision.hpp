// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the motion of a trial step first brings an open contact to zero gap (S0 §7.2, §10). Between the ends
// of the step the motion is the cubic Hermite interpolant
//
//   q̂(s) = q ⊞ w(s),   w(0) = 0, w'(0) = h v, w(1) = q̄ ⊟ q, w'(1) = h v̄                               (1)
//
// and the collision is the earliest root of Φ_j(q̂(s)), bracketed by the cubic of (Φ_j, Φ̇_j) at both ends,
// which also sees contacts that dip below zero and return within the step. Order 2 in time, position and
// velocity for transversal impacts (S0 7.4).
#pragma once
#include <optional>
#include <span>

#include "delassus/steppers/contact_kinematics.hpp"

namespace delassus {

struct Collision {
  double s = 0;  // fraction of the step
  ContactId contact = 0;
};

class CollisionFinder {
 public:
  // Earliest collision of the contacts `ids` (those not in the active set). A contact that starts within
  // `touching` of zero gap and separates counts as starting at zero; one that is zero where it has handed over to a
  // neighbour does not collide there.
  std::optional<Collision> find(const System& system, const Phase& begin, const Phase& end, double touching,
                                std::span<const ContactId> ids);
  // The phase at fraction s of the motion (1).
  void interpolate(const System& system, const Phase& begin, const Phase& end, double s, Phase& out);
  // The fraction of the motion (1) at which a contact hands over: its margin, positive at the beginning and negative at
  // the end, is zero.
  double find_hand_over(const System& system, const Phase& begin, const Phase& end, ContactId id);

 private:
  ContactKinematics at_begin_, at_end_;
  Vector rate_, rate1_, w_, w1_, gap_, margin_;
  Phase at_;
};

}  // namespace delassus
