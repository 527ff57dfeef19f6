// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's law of restitution, u⁺ + e u⁻ in place of u⁺, on several contacts at once. The impulses r of a solve change the
// energy by
//
//   E = ½ rᵀ (u⁺ + u⁻)                                                                                (1)
//
// but for contacts without restitution that forces of the step, not impulses, have turned round: what rᵀu⁻ > 0 is there, where the
// velocity without contacts, u_free, has rᵀu_free ≤ 0, counts as none, as far as r is what forces in the step make necessary; what
// other impacts make necessary beyond that counts. A body that forces just keep from leaving gains nothing;
// nor is it the law's doing that the step stops it instead of letting it rise and fall, which gains a part of m (u_free − u⁻)².
// With one e and no friction E = −½ (1−e)/(1+e) rᵀ W r ≤ 0, provided that u⁻ counts at every contact that takes part, also
// where it separates. With friction, or with different e, the law itself may gain energy [Kane and Levinson 1985]. Then
// restitution is reduced to a share κ of it, the same for all contacts that push on each other, until E ≤ 0; at κ = 0,
// E = rᵀu⁺ − ½ rᵀ W r ≤ 0, up to what forces do in the step. Moving surfaces may do work all the same: u is relative to them.
//
// With friction a share may have several solutions, of which only some gain. Later solves start from those that do not, and where the
// last one gains all the same, κ = 0.
//
// Cost: a pass over the contacts where nothing gains, up to k_max_reductions + 2 more solves where something does.
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus {

class RestitutionBound {
 public:
  // After a solve with all of the restitution: `restitution` and `other` are what the law added to u, `before` is u⁻ of (1); a
  // value a row [m/s]. `rebounds`: whether a contact has restitution.
  void begin(const LocalProblem& local, const Vector& restitution, const Vector& other, const Vector& before,
             std::span<const char> rebounds);
  // Judges a solution. True: some group gains, or the search for its share goes on: solve again with shift().
  bool reduce(const LocalProblem& local, const Solution& solution);
  // Impulses for the next solve to start from: those that are known to gain nothing; others stay as they are.
  void start_from_good(WarmStart& warm) const;
  // What the law adds to u with the shares as they are, a value a row.
  const Vector& shift() const { return shift_; }
  double share(int contact) const {
    return groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(contact)])].share;
  }

 private:
  // Contacts that are coupled by W.
  struct Group {
    double share = 1, good = 0, bad = 2;  // κ; largest that is known to gain nothing; smallest that gains
    double gain = 0, scale = 0;           // (1), and what it is measured against [J]
    bool is_known = false;                // good_r_ is a solution of it that gains nothing
  };
  void find_groups(const ContactMatrix& W);
  void update_shift(const LocalProblem& local);
  void allow_stops(const LocalProblem& local);
  void keep_good(const Solution& solution, int group);
  double gain(const LocalProblem& local, const Solution& solution, int contact) const;

  std::vector<Group> groups_;
  std::vector<int> group_of_, parent_, first_row_;
  Vector restitution_, other_, before_, shift_, good_r_;
  std::vector<char> rebounds_;
  std::vector<double> allowed_;  // of each contact: gain by forces, not by the law [J]
  std::vector<double>
      stopping_;  // of each contact: the impulse that stops what forces do in the step, at most [N·s]
  int reductions_ = 0;
};

}  // namespace delassus
