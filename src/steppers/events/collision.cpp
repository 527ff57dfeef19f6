// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/events/collision.hpp"

#include "delassus/base/roots.hpp"

namespace delassus {
std::optional<Collision> CollisionFinder::find(const System& system, const Phase& begin, const Phase& end,
                                               double touching, std::span<const ContactId> ids) {
  if (ids.empty()) return std::nullopt;
  const double h = end.t - begin.t;
  at_begin_.update(system, begin, ids);
  at_end_.update(system, end, ids);
  std::optional<Collision> earliest;
  for (std::size_t c = 0; c < ids.size(); ++c) {
    CubicHermite p{at_begin_.gap(c), h * at_begin_.normal_velocity(c), at_end_.gap(c),
                   h * at_end_.normal_velocity(c)};
    // An overlap that shrinks is no collision (S1 §4); if it grows again, the contact is active and approaches.
    if (p.p0 < -touching && p.d0 > 0) continue;
    // Below the continuation of a surface, beside it.
    if (p.p0 <= touching && !at_begin_.valid(c)) continue;
    const bool leaves = p.p0 <= touching && p.d0 > 0;
    if (leaves) p.p0 = 0;
    const std::optional<double> estimate = find_first_downcrossing(p);
    if (!estimate) continue;
    // Polish on the true gap along (1), from a point before the estimate where the gap is surely positive.
    const auto gap = [&](double s) {
      interpolate(system, begin, end, s, at_);
      system.gaps(ids.subspan(c, 1), at_.t, at_.q, gap_);
      return gap_[0];
    };
    double s = *estimate;
    const double left = leaves ? 0.5 * s : 0.0, gap_left = gap(left), gap_right = gap(1.0);
    if (gap_left > 0 && gap_right < 0) s = find_root(gap, left, 1.0, gap_left, gap_right);
    if (earliest && s >= earliest->s) continue;
    interpolate(system, begin, end, s, at_);
    system.gaps(ids.subspan(c, 1), at_.t, at_.q, gap_, &margin_);
    if (margin_[0] >= 0) earliest = {s, ids[c]};
  }
  return earliest;
}

double CollisionFinder::find_hand_over(const System& system, const Phase& begin, const Phase& end,
                                       ContactId id) {
  const ContactId ids[] = {id};
  const auto margin = [&](double s) {
    interpolate(system, begin, end, s, at_);
    system.gaps(ids, at_.t, at_.q, gap_, &margin_);
    return margin_[0];
  };
  const double first = margin(0), last = margin(1);
  return first > 0 && last < 0 ? find_root(margin, 0.0, 1.0, first, last) : first > 0 ? 1.0 : 0.0;
}

void CollisionFinder::interpolate(const System& system, const Phase& begin, const Phase& end, double s,
                                  Phase& out) {
  const double h = end.t - begin.t, r = 1.0 - s;
  system.difference(end.q, begin.q, w1_);
  system.rate_from_velocity(w1_, end.v, rate1_);
  w_ = (r * r * s * h) * begin.v + (s * s * (3.0 - 2.0 * s)) * w1_ - (s * s * r * h) * rate1_;
  system.retract(begin.q, VectorRef(w_), out.q);
  rate_ = (6.0 * s * r / h) * w1_ + (r * (1.0 - 3.0 * s)) * begin.v + (s * (3.0 * s - 2.0)) * rate1_;
  system.velocity_from_rate(w_, rate_, out.v);
  out.t = s < 1.0 ? begin.t + s * h : end.t;
}

}  // namespace delassus
