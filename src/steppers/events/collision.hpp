// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the motion of a trial step first brings an open contact to zero gap (Potra et al. 2006, §7.2, §10). Between the ends
// of the step the motion is the cubic Hermite interpolant
//
//   q̂(s) = q ⊞ w(s),   w(0) = 0, w'(0) = h v, w(1) = q̄ ⊟ q, w'(1) = h v̄                               (1)
//
// and the collision is the earliest root of Φ_j(q̂(s)), bracketed by the cubic of (Φ_j, Φ̇_j) at both ends,
// which also sees contacts that dip below zero and return within the step. Order 2 in time, position and
// velocity for transversal impacts (Potra et al. 2006, 7.4).
#pragma once
#include <optional>
#include <span>

#include "delassus/steppers/step_in_progress.hpp"

namespace delassus {

// The motion (1) between two phases.
class StepMotion {
 public:
  void update(const System& system, const Phase& begin, const Phase& end);
  // The phase at fraction s.
  void at(const System& system, double s, Phase& out);
  // Contact c of `contacts` at fraction s; nothing is moved but the bodies that it acts on.
  GapAt gap(const System& system, const ContactSet& contacts, std::size_t c, double s);

 private:
  // Weights of h v, w₁ and h ẇ₁ in w(s).
  struct Weights {
    double begin, displacement, end;
  };
  static Weights weights(double s);
  double time(double s) const { return s < 1.0 ? begin_.t + s * h_ : end_t_; }

  double h_ = 0, end_t_ = 0;
  Phase begin_;
  Vector w1_, rate1_, w_, rate_;
};

struct Collision {
  double s = 0;  // fraction of the step
  ContactId contact = 0;
};

// Earliest collision of the contacts `open`, indices into the contacts at the beginning and, likewise, at the end of the
// motion. A contact that starts within `touching` of zero gap and separates counts as starting at zero; one that is zero
// where it has handed over to a neighbour does not collide there.
std::optional<Collision> find_collision(const System& system, StepMotion& motion, const ContactSet& begin,
                                        const ContactSet& end, std::span<const std::size_t> open, double h,
                                        double touching);
// The fraction of the motion at which a contact hands over: its margin, positive at the beginning and negative at
// the end, is zero.
double find_hand_over(const System& system, StepMotion& motion, const ContactSet& contacts, std::size_t c);

}  // namespace delassus
