// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/separation.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/collision/ascent.hpp"
#include "delassus/collision/epa.hpp"
#include "delassus/collision/gjk.hpp"
#include "delassus/collision/sat.hpp"

namespace delassus {
namespace {

// What is asked of the distance, relative to the coordinates: some ten ulp.
constexpr double k_exact = 4e-15;
// An error that is accepted without looking further, relative to the coordinates.
constexpr double k_certain = 1e-13;
// How well curved cores are searched before Newton's method takes over, relative to the smaller of them.
constexpr double k_coarse = 1e-3;
// Depths of two maxima that need not be told apart, relative to the coordinates.
constexpr double k_same_depth = 1e-12;
// More pairs of edges than this are not enumerated where the growing polytope is not sure: a fraction of a millisecond.
constexpr std::size_t k_max_edge_pairs = 65536;
// 1 − cos of the angle between a direction and the normal of a half space that is round-off.
constexpr double k_same_direction = 1e-14;

void take_better(const BestDirection& candidate, BestDirection& best) {
  if (candidate.s > best.s) {
    const double gained = candidate.s - best.s, error = std::min(candidate.error, best.error - gained);
    best = candidate;
    best.error = std::max(0.0, error);
  } else {
    best.error = std::min(best.error, std::max(0.0, candidate.error - (best.s - candidate.s)));
  }
}

Vector3 start_direction(const ConvexPair& pair) {
  const Vector3 d = pair.from_a_to_b();
  const double length = d.norm();
  return length > k_exact * pair.scale() ? Vector3(d / length) : Vector3(Vector3::UnitX());
}

Epa make_epa(const ConvexPair& pair, const Gjk& gjk) {
  PairPoint points[4];
  for (int i = 0; i < gjk.count(); ++i) points[i] = gjk.point(i);
  return {pair, points, gjk.count()};
}

// Inside of each other: the depth. Where the growing polytope is not sure, by enumeration.
BestDirection separate_overlapping_polytopes(const ConvexPair& pair, const Gjk& gjk) {
  const double exact = k_exact * pair.scale(), certain = k_certain * pair.scale();
  Epa epa = make_epa(pair, gjk);
  epa.run(exact);
  BestDirection best = epa.best();
  if (best.s <= 0 && best.error <= certain) return best;
  const Geometry &a = pair.a().geometry(), &b = pair.b().geometry();
  if (a.edges.size() * b.edges.size() > k_max_edge_pairs) return best;
  BestDirection found = separate_polytopes(pair);
  take_better(found, best);
  // Nothing is left to find, except where they are apart.
  best.error = best.s > 0 ? INFINITY : 0;
  return best;
}

BestDirection separate_polytopes(const ConvexPair& pair, double far) {
  const double tolerance = k_exact * pair.scale();
  const bool boxes = pair.a().is_box() && pair.b().is_box();
  BestDirection best;
  if (boxes) {
    best = separate_boxes(pair);
    if (best.s <= 0) best.error = 0;
    if (best.s <= 0 || best.s > far) return best;
  }
  Gjk gjk(pair, boxes ? best.n : start_direction(pair));
  const Gjk::Status status = gjk.run(tolerance, far);
  take_better(gjk.best(), best);
  if (status == Gjk::Status::beyond) return best;
  const double certain = k_certain * pair.scale();
  if (best.error > certain && best.s > 0) take_better(climb(pair, best, tolerance), best);
  if (best.error <= certain || boxes) return best;
  take_better(separate_overlapping_polytopes(pair, gjk), best);
  if (best.error > certain && best.s > 0) take_better(climb(pair, best, tolerance), best);
  return best;
}

// Local maxima in the order in which the growing polytope meets them, until none can be better. `known`: one that has
// been found before, if its error is small.
BestDirection separate_overlapping_curved(const ConvexPair& pair, const Gjk& gjk, const BestDirection& known,
                                          double coarse) {
  const double exact = k_exact * pair.scale(), certain = k_certain * pair.scale();
  const double same = k_same_depth * pair.scale();
  Epa epa = make_epa(pair, gjk);
  BestDirection best = known;
  int num_known = 0;
  bool sure = true;
  const auto learn = [&](const BestDirection& maximum) {
    take_better(maximum, best);
    sure = maximum.error <= certain;
    if (!sure) return;
    epa.exclude(maximum, same);
    ++num_known;
  };
  if (known.error <= certain) learn(known);
  if (gjk.best().s > best.s) learn(climb(pair, gjk.best(), exact));
  while (sure && num_known < k_epa_maxima) {
    const bool first = num_known == 0;
    sure = epa.run(first ? coarse : same);
    if (!sure || (!first && epa.best().s <= best.s)) break;
    learn(climb(pair, epa.best(), exact));
  }
  if (sure) return best;
  // Not smooth there, or too many faces: what is left.
  if (num_known > 0) epa = make_epa(pair, gjk);
  epa.run(certain);
  take_better(epa.best(), best);
  take_better(separate_by_faces(pair), best);
  take_better(climb(pair, best, exact), best);
  return best;
}

BestDirection separate_curved(const ConvexPair& pair, double far) {
  const double exact = k_exact * pair.scale(), certain = k_certain * pair.scale();
  const double coarse = k_coarse * std::min(pair.a().geometry().size, pair.b().geometry().size);
  Gjk gjk(pair, start_direction(pair));
  const Gjk::Status status = gjk.run(coarse, far);
  BestDirection best = gjk.best();
  if (status == Gjk::Status::beyond || best.error <= exact) return best;
  BestDirection found;
  if (status != Gjk::Status::overlapping) {
    found = climb(pair, best, exact);
    take_better(found, best);
    if (best.s > 0 && best.error <= certain) return best;
    gjk.run(exact, far);
    take_better(gjk.best(), best);
    if (best.s > 0) {
      if (best.error > certain) take_better(climb(pair, best, exact), best);
      return best;
    }
  }
  return separate_overlapping_curved(pair, gjk, found, coarse);
}

// `sign`: 1 when the half space is a, −1 when it is b.
Separation separate_half_space(const Geometry& half_space, const Pose& pose, const Geometry& other,
                               const Pose& other_pose, double sign) {
  const GeometryFace& face = half_space.faces[0];
  const Vector3 n = pose.vector(face.normal);
  Separation out;
  out.normal = sign * n;
  if (other.kind == ShapeKind::plane) {
    out.gap = -INFINITY;
    return out;
  }
  // Relative to the other's origin, for the sake of bodies far away from that of the world.
  const SupportCore core(other);
  const Vector3 down = -other_pose.local_vector(n);
  Vector3 lowest;
  core.highest_piece(down, lowest);
  out.gap = n.dot(other_pose.p - pose.point(face.x)) - down.dot(lowest) - core.rounding();
  return out;
}

}  // namespace

double separation_along(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                        const Vector3& n) {
  if (a.kind == ShapeKind::plane || b.kind == ShapeKind::plane) {
    const Separation only = separation(a, pose_a, b, pose_b, INFINITY);
    return only.normal.dot(n) > 1 - k_same_direction ? only.gap : -INFINITY;
  }
  const ConvexPair pair(a, pose_a, b, pose_b);
  const Vector3 direction = pose_a.local_vector(n);
  return pair.support(direction).w.dot(direction) - pair.rounding();
}

Separation separation(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                      double far) {
  if (a.kind == ShapeKind::plane) return separate_half_space(a, pose_a, b, pose_b, 1);
  if (b.kind == ShapeKind::plane) return separate_half_space(b, pose_b, a, pose_a, -1);
  const ConvexPair pair(a, pose_a, b, pose_b);
  const double far_of_cores = far + pair.rounding();
  const BestDirection best =
      pair.is_polytope() ? separate_polytopes(pair, far_of_cores) : separate_curved(pair, far_of_cores);
  return {.gap = best.s - pair.rounding(), .normal = pose_a.vector(best.n), .error = best.error};
}

}  // namespace delassus
