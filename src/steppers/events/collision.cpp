// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/events/collision.hpp"

#include "delassus/base/roots.hpp"

namespace delassus {
namespace {

// Rates of the gaps: normal rows times v plus ∂Φ/∂t.
void gap_rates(const System& system, const Phase& phase, std::span<const ContactId> ids, ContactRows& rows,
               Vector& all, Vector& rates) {
  system.contact_rows(ids, phase.t, phase.q, rows);
  rows.rows.multiply(VectorRef(phase.v), all);
  rates.resize(static_cast<Eigen::Index>(ids.size()));
  for (int c = 0; c < rows.rows.num_groups(); ++c)
    rates[c] = all[rows.rows.first_row(c)] + rows.drift_velocity[rows.rows.first_row(c)];
}

}  // namespace

std::optional<Collision> CollisionFinder::find(const System& system, const Phase& begin, const Phase& end,
                                            double touching, std::span<const ContactId> ids) {
  if (ids.empty()) return std::nullopt;
  const double h = end.t - begin.t;
  system.gaps(ids, begin.t, begin.q, gap0_);
  system.gaps(ids, end.t, end.q, gap1_);
  gap_rates(system, begin, ids, rows_, all_, rate0_);
  gap_rates(system, end, ids, rows_, all_, rate1_);
  std::optional<Collision> earliest;
  for (std::size_t c = 0; c < ids.size(); ++c) {
    CubicHermite p{gap0_[c], h * rate0_[c], gap1_[c], h * rate1_[c]};
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
    if (!earliest || s < earliest->s) earliest = {s, ids[c]};
  }
  return earliest;
}

void CollisionFinder::interpolate(const System& system, const Phase& begin, const Phase& end, double s,
                                  Phase& out) {
  const double h = end.t - begin.t, r = 1.0 - s;
  system.difference(end.q, begin.q, w1_);
  w_ = (r * r * s * h) * begin.v + (s * s * (3.0 - 2.0 * s)) * w1_ - (s * s * r * h) * end.v;
  system.retract(begin.q, VectorRef(w_), out.q);
  out.v = (6.0 * s * r / h) * w1_ + (r * (1.0 - 3.0 * s)) * begin.v + (s * (3.0 * s - 2.0)) * end.v;
  out.t = s < 1.0 ? begin.t + s * h : end.t;
}

}  // namespace delassus
