// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/gjk.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// Iterations in all. Polytopes take about ten; curved cores gain about a digit each.
constexpr int k_max_iterations = 128;
// Nearer than this to the origin, relative to the coordinates, v is round-off.
constexpr double k_touching = 4e-15;
// A tetrahedron whose volume, relative to its edges, is round-off has no inside.
constexpr double k_flat_volume = 1e-14;

}  // namespace

Gjk::Gjk(const ConvexPair& pair, const Vector3& n) : pair_(pair), count_(1), best_n_(n) {
  points_[0] = pair.support(n);
  v_ = points_[0].w;
  upper_ = v_.norm();
  best_s_ = v_.dot(n);
}

void Gjk::offer(const Vector3& v, std::initializer_list<int> points, std::initializer_list<double> lambda) {
  const double square = v.squaredNorm();
  if (next_count_ > 0 && square >= next_square_) return;
  next_square_ = square;
  next_v_ = v;
  next_count_ = static_cast<int>(points.size());
  std::copy(points.begin(), points.end(), next_);
  std::copy(lambda.begin(), lambda.end(), next_lambda_);
}

void Gjk::nearest_of_segment(int i, int j) {
  const Vector3 &x = points_[i].w, &y = points_[j].w;
  const Vector3 e = y - x;
  const double square = e.squaredNorm(), t = -x.dot(e);
  if (t <= 0) return offer(x, {i}, {1});
  if (t >= square) return offer(y, {j}, {1});
  // From the nearer end, where less cancels.
  const double u = t / square;
  offer(u <= 0.5 ? Vector3(x + u * e) : Vector3(y - (1 - u) * e), {i, j}, {1 - u, u});
}

void Gjk::nearest_of_triangle(int i, int j, int k) {
  const Vector3 &x = points_[i].w, &y = points_[j].w, &z = points_[k].w;
  const Vector3 m = (y - x).cross(z - x);
  const double square = m.squaredNorm();
  const double a = y.cross(z).dot(m), b = z.cross(x).dot(m), c = x.cross(y).dot(m);
  if (square > 0 && a > 0 && b > 0 && c > 0) {
    // A point of the triangle, also where m is not good: it has to prove the upper bound of (1).
    const double sum = a + b + c;
    return offer(x + (b / sum) * (y - x) + (c / sum) * (z - x), {i, j, k}, {a / sum, b / sum, c / sum});
  }
  if (!(a > 0)) nearest_of_segment(j, k);
  if (!(b > 0)) nearest_of_segment(k, i);
  if (!(c > 0)) nearest_of_segment(i, j);
}

// The faces that have the origin on the side away from the fourth point.
void Gjk::nearest_of_tetrahedron() {
  const Vector3 o = points_[3].w;
  const Vector3 x = points_[0].w - o, y = points_[1].w - o, z = points_[2].w - o;
  const double volume = x.cross(y).dot(z);
  const bool flat = std::abs(volume) <= k_flat_volume * x.norm() * y.norm() * z.norm();
  const double sign = volume > 0 ? 1 : -1;
  // −o = a x + b y + c z + …, each times the volume.
  const double a = -sign * y.cross(z).dot(o), b = -sign * z.cross(x).dot(o), c = -sign * x.cross(y).dot(o);
  const double d = std::abs(volume) - a - b - c;
  if (!flat && a > 0 && b > 0 && c > 0 && d > 0) {
    const double sum = std::abs(volume);
    return offer(Vector3::Zero(), {0, 1, 2, 3}, {a / sum, b / sum, c / sum, d / sum});
  }
  if (flat || a <= 0) nearest_of_triangle(1, 2, 3);
  if (flat || b <= 0) nearest_of_triangle(0, 2, 3);
  if (flat || c <= 0) nearest_of_triangle(0, 1, 3);
  if (flat || d <= 0) nearest_of_triangle(0, 1, 2);
}

void Gjk::update_nearest() {
  next_count_ = 0;
  if (count_ == 2) nearest_of_segment(0, 1);
  if (count_ == 3) nearest_of_triangle(0, 1, 2);
  if (count_ == 4) nearest_of_tetrahedron();
}

// The unit vector from the origin towards the simplex, perpendicular to it.
Vector3 Gjk::direction() const {
  if (count_ == 3) {
    double thinness = 0;
    const Vector3 n = triangle_normal(points_[0].w, points_[1].w, points_[2].w, thinness);
    return n.dot(v_) < 0 ? Vector3(-n) : n;
  }
  if (count_ == 2) {
    const Vector3 e = (points_[1].w - points_[0].w).normalized();
    // Twice: the first leaves what is round-off of v, which may be most of it.
    Vector3 n = (v_ - v_.dot(e) * e).normalized();
    n -= n.dot(e) * e;
    return n.normalized();
  }
  return v_.normalized();
}

Gjk::Status Gjk::run(double tolerance, double far) {
  const double touching = k_touching * pair_.scale();
  for (; iterations_ < k_max_iterations; ++iterations_) {
    if (count_ == 4 || upper_ <= touching) return Status::overlapping;
    const Vector3 n = direction();
    const PairPoint next = pair_.support(n);
    const double s = next.w.dot(n);
    if (s > best_s_) best_s_ = s, best_n_ = n;
    if (best_s_ > far) return Status::beyond;
    if (upper_ - best_s_ <= tolerance) return Status::converged;
    // All points of the simplex are as low as the new one: nothing to gain.
    for (int i = 0; i < count_; ++i)
      if (next.w == points_[i].w) return Status::stalled;
    points_[count_++] = next;
    update_nearest();
    if (next_square_ >= upper_ * upper_ && next_count_ < 4) {
      --count_;
      return Status::stalled;
    }
    PairPoint kept[4];
    for (int i = 0; i < next_count_; ++i) kept[i] = points_[next_[i]], lambda_[i] = next_lambda_[i];
    std::copy(kept, kept + next_count_, points_);
    count_ = next_count_;
    v_ = next_v_;
    upper_ = std::sqrt(next_square_);
  }
  return Status::stalled;
}

BestDirection Gjk::best() const {
  BestDirection out;
  out.n = best_n_;
  out.s = best_s_;
  out.error = std::max(0.0, upper_ - best_s_);
  out.count = std::min(count_, 3);
  for (int i = 0; i < out.count; ++i) out.points[i] = points_[i], out.lambda[i] = lambda_[i];
  return out;
}

}  // namespace delassus
