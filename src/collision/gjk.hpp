// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The distance of two separated cores: the point v of C = B − A next to the origin, as the nearest of a growing simplex.
//
//   s(n) ≤ d ≤ |v|,   v = Σ λ_i w_i,  λ ≥ 0,  Σ λ = 1                                                          (1)
//
// Source: [GJK88]. Differs: n is not v/|v|, which is lost to round-off when bodies nearly touch, but perpendicular
// to the simplex: of a triangle its normal, of a segment the part of v across it. The gap does not enter there, so that
// (1) closes to a few ulp of the coordinates at gaps of any size.
// Cost: one support point and one small projection an iteration; does not allocate.
#pragma once
#include "delassus/collision/convex_pair.hpp"

namespace delassus {

class Gjk {
 public:
  // Starts in the direction n.
  Gjk(const ConvexPair& pair, const Vector3& n);

  enum class Status : std::uint8_t {
    converged,    // (1) closes to the tolerance
    beyond,       // s(n) exceeds `far`
    overlapping,  // the origin lies in the simplex, or too near to tell
    stalled       // round-off: no further progress
  };
  // Goes on until |v| − s ≤ tolerance or s > far.
  Status run(double tolerance, double far);

  BestDirection best() const;
  // Up to four points; with four the origin is inside.
  int count() const { return count_; }
  const PairPoint& point(int i) const { return points_[i]; }

 private:
  void update_nearest();
  void nearest_of_segment(int i, int j);
  void nearest_of_triangle(int i, int j, int k);
  void nearest_of_tetrahedron();
  void offer(const Vector3& v, std::initializer_list<int> points, std::initializer_list<double> lambda);
  Vector3 direction() const;

  const ConvexPair& pair_;
  int count_ = 0;
  PairPoint points_[4];
  double lambda_[4] = {1, 0, 0, 0};
  Vector3 v_;
  double upper_ = 0;  // |v|
  Vector3 best_n_;
  double best_s_ = 0;
  int iterations_ = 0;
  // The nearest of those offered:
  int next_count_ = 0, next_[4] = {0, 0, 0, 0};
  double next_lambda_[4] = {0, 0, 0, 0};
  Vector3 next_v_;
  double next_square_ = 0;
};

}  // namespace delassus
