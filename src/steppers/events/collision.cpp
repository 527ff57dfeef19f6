// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/events/collision.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/roots.hpp"
#include "delassus/base/work_time.hpp"

namespace delassus {
namespace {

// A gap at its root, as a part of what it falls by in the step, is less than this [-].
constexpr double k_root = 1e-6;
// Normals at both ends of a step that differ by more than 60° are those of two places, not of one contact that turns [-].
constexpr double k_same_place = 0.5;

}  // namespace

void StepMotion::update(const System& system, const Phase& begin, const Phase& end) {
  begin_ = begin;
  h_ = end.t - begin.t;
  end_t_ = end.t;
  system.difference(end.q, begin.q, w1_);
  system.rate_from_velocity(w1_, end.v, rate1_);
  w_.setZero(begin.v.size());
}

StepMotion::Weights StepMotion::weights(double s) {
  const double r = 1.0 - s;
  return {r * r * s, s * s * (3.0 - 2.0 * s), s * s * r};
}

void StepMotion::at(const System& system, double s, Phase& out) {
  const double r = 1.0 - s;
  const Weights c = weights(s);
  w_ = (c.begin * h_) * begin_.v + c.displacement * w1_ - (c.end * h_) * rate1_;
  system.retract(begin_.q, VectorRef(w_), out.q);
  rate_ = (6.0 * s * r / h_) * w1_ + (r * (1.0 - 3.0 * s)) * begin_.v + (s * (3.0 * s - 2.0)) * rate1_;
  system.velocity_from_rate(w_, rate_, out.v);
  out.t = time(s);
}

GapAt StepMotion::gap(const System& system, const ContactSet& contacts, std::size_t c, double s) {
  const Weights weight = weights(s);
  const BlockRows& rows = contacts.rows.rows;
  const auto group = static_cast<int>(c);
  for (int b = 0; b < rows.num_blocks(group); ++b) {
    const int column = rows.block_column(group, b);
    const Eigen::Index width = rows.block(group, b).cols();
    w_.segment(column, width) = (weight.begin * h_) * begin_.v.segment(column, width) +
                                weight.displacement * w1_.segment(column, width) -
                                (weight.end * h_) * rate1_.segment(column, width);
  }
  return system.gap_at(contacts.ids[c], time(s), begin_.q, w_);
}

namespace {

// The fraction of the motion at which a contact that is below zero at both ends comes inside of its features, where its
// gap is zero, as that of the neighbour it takes over from is. 1: it does not.
double find_take_over(const System& system, StepMotion& motion, const ContactSet& begin,
                      const ContactSet& end, std::size_t c, double touching) {
  // Most of the depth at the end comes after it [-].
  constexpr double largest_part = 0.2;
  if (!end.valid(c) || end.gap(c) >= -touching || !(end.normal_velocity(c) < 0)) return 1.0;
  const auto margin = [&](double s) { return motion.gap(system, begin, c, s).margin; };
  const double first = margin(0), last = margin(1);
  if (!std::isfinite(first) || !(first < 0 && last > 0)) return 1.0;
  const double s = find_root(margin, 0.0, 1.0, first, last);
  return motion.gap(system, begin, c, s).gap >= largest_part * end.gap(c) - touching ? s : 1.0;
}

// The nearest points of what has passed a thin part, a rim the tip of a cone, say, are on its other side: the end of the step
// tells nothing of the contact that began it.
bool has_changed_sides(const ContactSet& begin, const ContactSet& end, std::size_t c) {
  return begin.valid(c) && begin.places[c].frame.col(0).dot(end.places[c].frame.col(0)) < k_same_place;
}

// The fraction of the motion at which such a contact comes to its surface, from before; 1: it does not.
double advance_to_surface(const System& system, StepMotion& motion, const ContactSet& begin, std::size_t c,
                          double rate, double touching) {
  // Gaps fall faster than at the beginning by less than this; each round leaves a part of the way that is as small [-].
  constexpr double reserve = 1.25;
  constexpr int max_rounds = 32;
  double s = 0, gap = begin.gap(c);
  const double near = std::max(touching, k_root * gap);
  for (int round = 0; round < max_rounds && gap > near; ++round) {
    s += gap / (reserve * rate);
    if (!(s < 1)) return 1.0;
    gap = motion.gap(system, begin, c, s).gap;
  }
  return s;
}

}  // namespace

std::optional<Collision> find_collision(const System& system, StepMotion& motion, const ContactSet& begin,
                                        const ContactSet& end, std::span<const std::size_t> open, double h,
                                        double touching) {
  const WorkScope scope(WorkKind::events);
  std::optional<Collision> earliest;
  for (std::size_t c : open) {
    CubicHermite p{begin.gap(c), h * begin.normal_velocity(c), end.gap(c), h * end.normal_velocity(c)};
    // Below the continuation of a surface, beside it: it can only take over from a neighbour that touches.
    if (p.p0 <= touching && !begin.valid(c)) {
      const double s = find_take_over(system, motion, begin, end, c, touching);
      if (s < (earliest ? earliest->s : 1.0)) earliest = {s, begin.ids[c]};
      continue;
    }
    // An overlap that shrinks is no collision (Anitescu and Potra 1997, §4); if it grows again, the contact is active and approaches.
    if (p.p0 < -touching && p.d0 > 0) continue;
    const bool leaves = p.p0 <= touching && p.d0 > 0;
    if (leaves) p.p0 = 0;
    if (p.d0 < 0 && p.p0 > touching && has_changed_sides(begin, end, c)) {
      const double s = advance_to_surface(system, motion, begin, c, -p.d0, touching);
      if (s < (earliest ? earliest->s : 1.0) && motion.gap(system, begin, c, s).margin >= 0)
        earliest = {s, begin.ids[c]};
      continue;
    }
    const std::optional<double> estimate = find_first_downcrossing(p);
    if (!estimate) continue;
    // Polish on the true gap along (1), from a point before the estimate where the gap is surely positive.
    const auto gap = [&](double s) { return motion.gap(system, begin, c, s).gap; };
    double s = *estimate;
    const double left = leaves ? 0.5 * s : 0.0, gap_left = gap(left), gap_right = gap(1.0);
    const bool crosses = gap_left > 0 && gap_right < 0;
    if (crosses) s = find_root(gap, left, 1.0, gap_left, gap_right);
    if (earliest && s >= earliest->s) continue;
    const GapAt found = motion.gap(system, begin, c, s);
    if (found.margin < 0) continue;
    // The nearest points of features that have several may change over: the gap jumps below zero, and nothing has met there.
    if (crosses && std::abs(found.gap) > std::max(touching, k_root * (gap_left - gap_right))) continue;
    earliest = {s, begin.ids[c]};
  }
  return earliest;
}

double find_hand_over(const System& system, StepMotion& motion, const ContactSet& contacts, std::size_t c) {
  const auto margin = [&](double s) { return motion.gap(system, contacts, c, s).margin; };
  const double first = margin(0), last = margin(1);
  return first > 0 && last < 0 ? find_root(margin, 0.0, 1.0, first, last) : first > 0 ? 1.0 : 0.0;
}

}  // namespace delassus
