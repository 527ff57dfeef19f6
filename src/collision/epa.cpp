// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/epa.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/collision/contact_geometry.hpp"

namespace delassus {
namespace {

constexpr double k_epsilon = std::numeric_limits<double>::epsilon();
// A point that is not this far outside of a face, relative to the coordinates, lies in its plane.
constexpr double k_in_plane = 1e-15;
// Below this, relative to the coordinates, a simplex has lost a dimension.
constexpr double k_flat = 1e-12;
// What may be on the border of a face up to round-off, also of a thin one, relative to the coordinates.
constexpr double k_beside = 1e-9;
// Cosine of the angle beyond which a maximum says nothing about a face.
constexpr double k_same_maximum = 0.99;
// Where curvature holds a maximum, another one is not so near that s cos θ of (2) would be reached: this part of the depth
// keeps faces from hiding directions far away, and saves refining a curved border to the last digit.
constexpr double k_smooth_gain = 1e-5;
// Angles that are as good as their sines [rad].
constexpr double k_small_turn = 0.1;

}  // namespace

Epa::Epa(const ConvexPair& pair, const PairPoint* points, int count) : pair_(&pair), num_points_(count) {
  std::copy(points, points + count, points_);
  valid_ = make_tetrahedron();
  if (valid_) update_nearest();
}

// A point away from the hull of the present ones, which is a point, a segment or a triangle.
bool Epa::add_spread_point() {
  const double flat = k_flat * pair_->scale();
  const Vector3& o = points_[0].w;
  Vector3 along = Vector3::Zero(), t1, t2;
  if (num_points_ == 3) {
    along = (points_[1].w - o).cross(points_[2].w - o).normalized();
  } else {
    along = num_points_ == 2 ? Vector3((points_[1].w - o).normalized()) : Vector3(Vector3::UnitZ());
  }
  make_tangents(along, t1, t2);
  // The axes that are not in the hull yet, both ways.
  Vector3 directions[6] = {t1, -t1, t2, -t2, along, -along};
  int first = 0, last = 6;
  if (num_points_ == 2) last = 4;
  if (num_points_ == 3) first = 4;
  double most = flat;
  PairPoint farthest;
  for (int i = first; i < last; ++i) {
    const PairPoint next = pair_->support(directions[i]);
    consider(directions[i], next);
    Vector3 out = next.w - o;
    if (num_points_ == 2) out -= out.dot(along) * along;
    const double distance = num_points_ == 3 ? std::abs(out.dot(along)) : out.norm();
    if (distance > most) most = distance, farthest = next;
  }
  if (most <= flat) return false;
  points_[num_points_++] = farthest;
  return true;
}

bool Epa::make_tetrahedron() {
  while (num_points_ < 4)
    if (!add_spread_point()) return false;
  const Vector3& o = points_[0].w;
  const double volume =
      (points_[1].w - o).cross(points_[2].w - o).dot(points_[3].w - o);  // > 0: 0 1 2 looks towards 3
  if (volume > 0) std::swap(points_[1], points_[2]);
  return add_face(0, 1, 2) && add_face(0, 3, 1) && add_face(0, 2, 3) && add_face(1, 3, 2);
}

bool Epa::add_face(int i, int j, int k) {
  const Vector3& x = points_[i].w;
  double thinness = 0;
  const Vector3 normal = triangle_normal(x, points_[j].w, points_[k].w, thinness);
  if (num_faces_ == k_epa_faces || thinness == INFINITY) return false;
  const double height = normal.dot(x);
  double margin = INFINITY;
  for (const auto [from, to] : {Edge{i, j}, Edge{j, k}, Edge{k, i}}) {
    const Vector3 e = points_[to].w - points_[from].w;
    margin = std::min(margin, normal.dot(points_[from].w.cross(e)) / e.norm());
  }
  faces_[num_faces_++] = {{i, j, k}, normal, height, height - k_epsilon * pair_->scale() * thinness, margin};
  return true;
}

// (2)
bool Epa::is_known(const Face& face) const {
  for (int i = 0; i < num_known_; ++i) {
    const double cosine = -known_n_[i].dot(face.normal);
    if (cosine < k_same_maximum) continue;
    if (face.margin <= 0) return false;
    const double turn = (-best_s_ - face.bound) / face.margin;
    const double angle = known_n_[i].cross(face.normal).norm() + turn;
    if (turn < k_small_turn && known_s_[i] * (1 - angle * angle / 2) <= best_s_ + known_tolerance_[i])
      return true;
  }
  return false;
}

void Epa::update_nearest() {
  nearest_ = -1;
  lower_ = INFINITY;
  const double beside = -k_beside * pair_->scale();
  for (int i = 0; i < num_faces_; ++i) {
    const Face& face = faces_[i];
    // As long as the origin is not inside of P, what sees it comes first.
    const bool counts = face.bound <= 0 || (face.margin > beside && !is_known(face));
    if (face.bound < lower_ && counts) nearest_ = i, lower_ = face.bound;
  }
}

void Epa::exclude(const BestDirection& maximum, double tolerance) {
  if (maximum.s > best_s_) {
    best_s_ = maximum.s;
    best_n_ = maximum.n;
    best_count_ = 0;
  }
  if (num_known_ < k_epa_maxima) {
    known_n_[num_known_] = maximum.n;
    known_s_[num_known_] = maximum.s;
    known_tolerance_[num_known_++] =
        maximum.smooth ? std::max(tolerance, -k_smooth_gain * maximum.s) : tolerance;
  }
  if (valid_) update_nearest();
}

void Epa::consider(const Vector3& n, const PairPoint& point) {
  const double s = point.w.dot(n);
  if (s <= best_s_) return;
  best_s_ = s;
  best_n_ = n;
  best_count_ = 1;
  best_points_[0] = point;
}

// Faces that see the point go; it is joined with the edges that are left open.
bool Epa::grow(const PairPoint& next) {
  if (num_points_ == k_epa_points) return false;
  const double in_plane = k_in_plane * pair_->scale();
  num_edges_ = 0;
  int kept = 0;
  for (int f = 0; f < num_faces_; ++f) {
    const Face face = faces_[f];
    if (face.normal.dot(next.w) - face.height <= in_plane) {
      faces_[kept++] = face;
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      const Edge edge{face.point[i], face.point[(i + 1) % 3]};
      // Between two faces that go: it was met before in the other sense.
      int other = 0;
      while (other < num_edges_ && (edges_[other].from != edge.to || edges_[other].to != edge.from)) ++other;
      if (other < num_edges_) {
        edges_[other] = edges_[--num_edges_];
      } else if (num_edges_ == k_epa_faces) {
        return false;
      } else {
        edges_[num_edges_++] = edge;
      }
    }
  }
  num_faces_ = kept;
  points_[num_points_++] = next;
  for (int i = 0; i < num_edges_; ++i)
    if (!add_face(edges_[i].from, edges_[i].to, num_points_ - 1)) return false;
  return num_edges_ > 0;
}

bool Epa::run(double tolerance) {
  while (valid_) {
    if (-best_s_ - lower_ <= tolerance) return true;
    const Face& face = faces_[nearest_];
    const Vector3 n = -face.normal;
    const PairPoint next = pair_->support(n);
    const bool better = next.w.dot(n) > best_s_;
    if (better) {
      consider(n, next);
      best_count_ = 3;
      for (int i = 0; i < 3; ++i) best_points_[i] = points_[face.point[i]];
      if (num_known_ > 0 || -best_s_ - lower_ <= tolerance) return true;
    }
    valid_ = grow(next);
    if (valid_) update_nearest();
  }
  return false;
}

BestDirection Epa::best() const {
  BestDirection out;
  out.n = best_n_;
  out.s = best_s_;
  out.error = std::max(0.0, -best_s_ - lower_);
  out.count = best_count_;
  for (int i = 0; i < best_count_; ++i) {
    out.points[i] = best_points_[i];
    out.lambda[i] = 1.0 / best_count_;
  }
  return out;
}

}  // namespace delassus
