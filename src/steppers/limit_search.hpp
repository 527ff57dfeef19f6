// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits b of the friction in joints that depend on the joint forces: b = F(b), F(b) what the forces of a step with the limits b
// ask for. A fixed point that contracts by about μ times the ratio of friction and force, so that plain rounds b ← F(b) end
// at round-off soon. Where they do not contract so, they go a share of the way, b ← b + s (F(b) − b), the one that Aitken's
// method estimates from the last two: s < 1 where friction takes so much of the force that limits it that they swing about
// the solution, s > 1 where it adds nearly as much. Where it adds more the joint jams: the limit grows until it sticks. After
// many rounds every limit is enclosed on its own, between one that is too small and one that is too large.
#pragma once
#include <span>
#include <vector>

namespace delassus {

class LimitSearch {
 public:
  static constexpr int k_max_rounds = 200;

  void restart();
  // After a round with the limits `tried` (all joints): `asked` is what its forces ask for, and then what to try next.
  // `accelerate`: s may exceed one, for what is left is no round-off.
  void next(std::span<const double> tried, bool accelerate, std::span<double> asked);

 private:
  // s
  double share(bool accelerate);

  int rounds_ = 0;
  double last_change_ = 0, share_ = 1;
  bool contracts_ = true;
  std::vector<double> step_, last_step_;  // F(b) − b
  std::vector<double> low_, high_;
};

}  // namespace delassus
