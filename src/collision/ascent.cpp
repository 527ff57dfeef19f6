// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/ascent.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "delassus/collision/contact_geometry.hpp"

namespace delassus {
namespace {

using Vector2 = Eigen::Vector2d;
using Matrix2 = Eigen::Matrix2d;

// Newton's method takes three or four steps from a good start, and halves the distance from an axis with each.
constexpr int k_max_steps = 48;
constexpr int k_max_last_steps = 4;
constexpr int k_max_halvings = 4;
// Supporting points that tie at an axis: an edge or a face of the other body.
constexpr int k_max_ties = 4;
// By how much, relative to the coordinates. Newton's method finds its way from where they are farther apart.
constexpr double k_tie = 1e-6;
// On an arc, each meets another piece or about doubles the digits.
constexpr int k_max_samples = 24;
// Relative accuracy of an angle from which Newton's method converges.
constexpr double k_good_angle = 0.1;
constexpr int k_max_pieces = 4;
// Steps longer than this leave the neighbourhood in which curvature means something [rad].
constexpr double k_longest_step = 0.3;
// Multipliers and heights of the model are known up to round-off.
constexpr double k_round_off = 1e-13;
// The least curvature, relative to the greatest, so that the model has a maximum that can be computed.
constexpr double k_least_curvature = 1e-12;
// A rim turns with n about its axis: beyond this part of the angle to the axis its curvature is another.
constexpr double k_turn_of_rim = 0.7;
// Axes of disks nearer than this to the start are tried, sine.
constexpr double k_near_axis = 0.3;

struct Piece {
  PairPoint point;
  double g = 0;
  Vector2 q = Vector2::Zero();
  Matrix2 H = Matrix2::Zero();
  double lambda = 0;
  double turn = INFINITY;  // sine of the angle between n and the nearest axis of a rim
};

// The solution of (1).
struct Step {
  Vector2 delta = Vector2::Zero();
  double t = -INFINITY;
  double lambda[k_max_pieces] = {0, 0, 0, 0};
};

class Climber {
 public:
  Climber(const ConvexPair& pair, const BestDirection& start) : pair_(pair), n_(start.n) {
    best_.n = start.n;
    for (int i = 0; i < start.count; ++i) add(start.points[i], start.lambda[i]);
  }

  BestDirection run(double tolerance);

 private:
  int find(const PairPoint& pieces) const;
  void add(const PairPoint& pieces, double lambda);
  void update_pieces();
  Matrix2 curvature() const;
  Matrix2 negative_curvature() const;
  bool is_maximum(const Step& step) const;
  bool solve(Step& step) const;
  bool try_one(int i, const Matrix2& H, Step& best) const;
  bool try_two(int i, int j, const Matrix2& H, Step& best) const;
  bool try_three(int i, int j, int k, const Matrix2& H, Step& best) const;
  double model(int k, const Matrix2& H, const Vector2& delta) const {
    return pieces_[k].g + pieces_[k].q.dot(delta) + 0.5 * delta.dot(H * delta);
  }
  bool lowest(const Step& step, const Matrix2& H) const;
  Vector3 nearest(const Step& step) const;
  double longest_step(const Step& step) const;
  // On an arc: (n₀ + τ e)ᵀw, which is concave, its derivative, and that of s up to a factor > 0.
  struct Sample {
    double tau, height, slope, rise;
    PairPoint point;
  };
  bool try_axes(double tolerance);
  bool leave_axis(int side, const Vector3& axis, double radius, double tolerance);
  Sample search_arc(const Vector3& axis, const Vector3& e, Sample low, double tolerance);
  bool move(Step step);
  void finish(Step step, double tolerance);

  const ConvexPair& pair_;
  Vector3 n_;
  double s_ = 0;             // s(n)
  bool axis_tried_ = false;  // an axis was near
  Vector3 t1_, t2_;
  int count_ = 0;
  Piece pieces_[k_max_pieces];
  BestDirection best_;
};

int Climber::find(const PairPoint& pieces) const {
  for (int i = 0; i < count_; ++i)
    if (pieces_[i].point.same_pieces(pieces)) return i;
  return -1;
}

// Joins equal pieces; the least important gives way when all places are taken.
void Climber::add(const PairPoint& pieces, double lambda) {
  if (const int i = find(pieces); i >= 0) {
    pieces_[i].lambda += lambda;
    return;
  }
  int place = count_;
  if (count_ == k_max_pieces) {
    place = 0;
    for (int i = 1; i < count_; ++i)
      if (pieces_[i].lambda < pieces_[place].lambda) place = i;
  } else {
    ++count_;
  }
  pieces_[place] = Piece{};
  pieces_[place].point = pieces;
  pieces_[place].lambda = lambda;
}

void Climber::update_pieces() {
  make_tangents(n_, t1_, t2_);
  for (int i = 0; i < count_; ++i) {
    Piece& piece = pieces_[i];
    const Vector3 w = pair_.point_of_pieces(piece.point, n_);
    piece.point.w = w;
    piece.g = n_.dot(w);
    piece.q = Vector2(t1_.dot(w), t2_.dot(w));
    const Matrix3 C = pair_.curvature_of_pieces(piece.point, n_);
    const Vector3 c1 = C * t1_, c2 = C * t2_;
    piece.turn = pair_.turn_of_pieces(piece.point, n_);
    piece.H << -t1_.dot(c1) - s_, -t2_.dot(c1), -t2_.dot(c1), -t2_.dot(c2) - s_;
  }
}

Matrix2 Climber::curvature() const {
  Matrix2 H = Matrix2::Zero();
  double sum = 0;
  for (int i = 0; i < count_; ++i) H += pieces_[i].lambda * pieces_[i].H, sum += pieces_[i].lambda;
  if (sum > 0) H /= sum;
  return H;
}

// Made negative definite, so that the model has a maximum.
Matrix2 Climber::negative_curvature() const {
  Matrix2 H = curvature();
  const double mean = 0.5 * (H(0, 0) + H(1, 1)), half = 0.5 * (H(0, 0) - H(1, 1));
  const double greatest = mean + std::hypot(half, H(0, 1));
  const double least = k_least_curvature * std::max(pair_.scale(), H.cwiseAbs().maxCoeff());
  if (greatest > -least) H -= (greatest + least) * Matrix2::Identity();
  return H;
}

// True when no piece is lower than t at the end of the step.
bool Climber::lowest(const Step& step, const Matrix2& H) const {
  for (int k = 0; k < count_; ++k) {
    const double height = model(k, H, step.delta);
    // Where the model is nearly flat it reaches its maximum very far away, at heights to match.
    if (height < step.t - k_round_off * (pair_.scale() + std::abs(step.t) + std::abs(height))) return false;
  }
  return true;
}

bool Climber::try_one(int i, const Matrix2& H, Step& best) const {
  Step step;
  const double det = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0);
  const Vector2& q = pieces_[i].q;
  step.delta = Vector2(H(0, 1) * q[1] - H(1, 1) * q[0], H(1, 0) * q[0] - H(0, 0) * q[1]) / det;
  step.t = model(i, H, step.delta);
  step.lambda[i] = 1;
  if (!step.delta.allFinite() || !lowest(step, H)) return false;
  best = step;
  return true;
}

// On the line on which both are equal: δ = δ₀ + τ e.
bool Climber::try_two(int i, int j, const Matrix2& H, Step& best) const {
  const Vector2 dq = pieces_[j].q - pieces_[i].q;
  const double square = dq.squaredNorm();
  if (square <= 0) return false;
  Step step;
  const Vector2 start = (pieces_[i].g - pieces_[j].g) / square * dq;
  const Vector2 e = Vector2(-dq[1], dq[0]) / std::sqrt(square);
  const Vector2 slope = pieces_[i].q + H * start;
  step.delta = start - (e.dot(slope) / e.dot(H * e)) * e;
  step.t = model(i, H, step.delta);
  // q_i + λ_j (q_j − q_i) + H δ = 0.
  const double lambda = -dq.dot(pieces_[i].q + H * step.delta) / square;
  if (!(lambda >= -k_round_off && lambda <= 1 + k_round_off)) return false;
  step.lambda[j] = std::clamp(lambda, 0.0, 1.0);
  step.lambda[i] = 1 - step.lambda[j];
  if (!step.delta.allFinite() || !lowest(step, H)) return false;
  best = step;
  return true;
}

bool Climber::try_three(int i, int j, int k, const Matrix2& H, Step& best) const {
  const Vector2 a = pieces_[j].q - pieces_[i].q, b = pieces_[k].q - pieces_[i].q;
  const double det = a[0] * b[1] - a[1] * b[0];
  if (det == 0) return false;
  const double f = pieces_[i].g - pieces_[j].g, h = pieces_[i].g - pieces_[k].g;
  Step step;
  step.delta = Vector2(f * b[1] - h * a[1], h * a[0] - f * b[0]) / det;
  step.t = model(i, H, step.delta);
  // λ_j a + λ_k b = −q_i − H δ.
  const Vector2 r = -pieces_[i].q - H * step.delta;
  const double lambda_j = (r[0] * b[1] - r[1] * b[0]) / det, lambda_k = (a[0] * r[1] - a[1] * r[0]) / det;
  const double lambda_i = 1 - lambda_j - lambda_k;
  if (!(std::min({lambda_i, lambda_j, lambda_k}) >= -k_round_off)) return false;
  step.lambda[i] = std::max(0.0, lambda_i);
  step.lambda[j] = std::max(0.0, lambda_j);
  step.lambda[k] = std::max(0.0, lambda_k);
  if (!step.delta.allFinite() || !lowest(step, H)) return false;
  best = step;
  return true;
}

// (1) is concave with few pieces: the one set of active pieces with λ ≥ 0 and no other piece lower is the solution.
bool Climber::solve(Step& step) const {
  const Matrix2 H = negative_curvature();
  for (int i = 0; i < count_; ++i)
    if (try_one(i, H, step)) return true;
  for (int i = 0; i < count_; ++i)
    for (int j = i + 1; j < count_; ++j)
      if (try_two(i, j, H, step)) return true;
  for (int i = 0; i < count_; ++i)
    for (int j = i + 1; j < count_; ++j)
      for (int k = j + 1; k < count_; ++k)
        if (try_three(i, j, k, H, step)) return true;
  return false;
}

// False at a saddle: bodies that overlap at a corner of one of them can be taken apart more easily on both sides.
bool Climber::is_maximum(const Step& step) const {
  int active[k_max_pieces], count = 0;
  for (int i = 0; i < count_; ++i)
    if (step.lambda[i] > k_round_off) active[count++] = i;
  const Matrix2 H = curvature();
  if (count == 1) return H(0, 0) < 0 && H(0, 0) * H(1, 1) > H(0, 1) * H(1, 0);
  if (count == 2) {
    const Vector2 dq = pieces_[active[1]].q - pieces_[active[0]].q, e(-dq[1], dq[0]);
    return e.dot(H * e) < 0;
  }
  return true;
}

Vector3 Climber::nearest(const Step& step) const {
  Vector3 v = Vector3::Zero();
  double sum = 0;
  for (int i = 0; i < count_; ++i) v += step.lambda[i] * pieces_[i].point.w, sum += step.lambda[i];
  return v / sum;
}

double Climber::longest_step(const Step& step) const {
  double longest = k_longest_step;
  for (int i = 0; i < count_; ++i)
    if (step.lambda[i] > 0) longest = std::min(longest, k_turn_of_rim * pieces_[i].turn);
  return longest;
}

// At the axis of a disk s(n) has an edge like that of a cone: it is the maximum when the point that supports the other
// body lies over the disk.
bool Climber::try_axes(double tolerance) {
  for (int side = 0; side < 2; ++side) {
    const SupportCore& core = side == 0 ? pair_.a() : pair_.b();
    if (core.is_polytope()) continue;
    for (int i = 0; i < count_; ++i) {
      const PairPoint& pieces = pieces_[i].point;
      const GeometryCircle* disk = core.disk_of_piece(side == 0 ? pieces.piece_a : pieces.piece_b);
      if (disk == nullptr) continue;
      const Vector3 axis = side == 0 ? disk->axis : Vector3(-(pair_.R() * disk->axis));
      if (axis.dot(n_) <= 0 || axis.cross(n_).norm() > k_near_axis) continue;
      axis_tried_ = true;
      if (leave_axis(side, axis, disk->radius, tolerance)) return true;
    }
  }
  return false;
}

// True when the axis n₀ is the maximum, up to the error that is set. Next to it, with n ∝ n₀ + τ e, e ⊥ n₀,
//
//   s ≈ s₀ + min_k (c_k + τ q_kᵀe) − τ radius,   c_k = n₀ᵀw_k − s₀ ≥ 0,   q_k: w_k across n₀, from the centre of the disk    (3)
//
// A vector Σ λ q in the hull of the q_k not longer than the radius proves s ≤ s₀ + Σ λ c. Without one goes on from the
// axis to where s is greatest, at an angle that may be very small.
bool Climber::leave_axis(int side, const Vector3& axis, double radius, double tolerance) {
  const PairPoint point = pair_.support(axis);
  const double s = axis.dot(point.w);
  if (s < best_.s) return false;
  n_ = best_.n = axis;
  s_ = best_.s = s;
  const double negligible = k_round_off * pair_.scale();
  const Vector3 center = pair_.point_from_disk(point, side, axis);
  const Vector3 lowest = center - axis.dot(center) * axis;
  // The shortest vector so far, and its Σ λ c.
  Vector3 q = lowest;
  double c = 0;
  for (int i = 0; i < k_max_ties; ++i) {
    const double length = q.norm();
    if (length <= radius) {
      best_.error = c;
      return c <= negligible;
    }
    const Vector3 e = q / length;
    const Sample beyond =
        search_arc(axis, e, {0, s, lowest.dot(e) - radius, lowest.dot(e) - radius, point}, tolerance);
    const Vector3 w = pair_.point_from_disk(beyond.point, side, (axis + beyond.tau * e).normalized());
    // Unless another supporting point ties, or nearly, this was the way.
    if (s_ - s > negligible && axis.dot(w) - s > k_tie * pair_.scale()) return false;
    const Vector3 turned = w - axis.dot(w) * axis - q;
    const double square = turned.squaredNorm(), towards = -q.dot(turned);
    if (towards <= 0) return false;
    // As far as the radius, which costs least, or to the shortest.
    const double excess = length * length - radius * radius, root = towards * towards - square * excess;
    const double lambda = std::min(1.0, root >= 0 ? excess / (towards + std::sqrt(root)) : towards / square);
    q += (lambda * (1 + k_round_off)) * turned;
    c += lambda * (std::max(0.0, axis.dot(w) - s) - c);
  }
  return false;
}

// From `low` along n ∝ n₀ + τ e to the greatest s, by tangents from both sides (exact between corners) and by the secant of
// the derivatives (exact on a parabola) in turn. Returns the upper end of the last interval.
Climber::Sample Climber::search_arc(const Vector3& axis, const Vector3& e, Sample low, double tolerance) {
  const auto make_sample = [&](double tau) {
    const double stretch = std::sqrt(1 + tau * tau);
    const Vector3 n = (axis + tau * e) / stretch;
    const PairPoint point = pair_.support(n);
    const double s = n.dot(point.w);
    if (s > s_) n_ = best_.n = n, s_ = best_.s = s;
    return Sample{tau, s * stretch, point.w.dot(e), point.w.dot(e - tau * axis), point};
  };
  Sample high = make_sample(k_near_axis);
  for (int i = 0; i < k_max_samples && high.rise < 0; ++i) {
    const double width = high.tau - low.tau;
    // Near enough for Newton's method, or all that can be gained is round-off.
    if (width < k_good_angle * high.tau || low.rise * width <= tolerance) break;
    const double part = i % 2 == 0
                            ? ((high.height - low.height) / width - high.slope) / (low.slope - high.slope)
                            : low.rise / (low.rise - high.rise);
    const double tau = low.tau + width * part;
    if (!(tau > low.tau && tau < high.tau)) continue;
    const Sample middle = make_sample(tau);
    (middle.rise > 0 ? low : high) = middle;
  }
  count_ = 0;
  add(low.point, 0.5);
  add(high.point, 0.5);
  return high;
}

// Towards the maximum of the model, less far where that does not help, or where it is out of reach along Σ λ w, which is
// best when a corner is nearest. False when neither gains height nor meets a new piece.
bool Climber::move(Step step) {
  bool moved = false, learned = false;
  PairPoint lowest_point;
  const auto try_direction = [&](const Vector3& n) {
    const PairPoint point = pair_.support(n);
    const double s = point.w.dot(n);
    if (s > s_) moved = true, n_ = n, s_ = s;
    learned = learned || find(point) < 0;
    if (s == s_ || find(point) < 0) lowest_point = point;
  };
  const Vector3 from = n_;
  const double length = step.delta.norm(), longest = longest_step(step);
  if (length > longest) {
    try_direction(nearest(step).normalized());
    step.delta *= longest / length;
  }
  for (int halving = 0; halving <= k_max_halvings; ++halving) {
    try_direction((from + step.delta[0] * t1_ + step.delta[1] * t2_).normalized());
    if (moved || learned) break;
    step.delta *= 0.5;
  }
  for (int k = 0; k < count_; ++k) pieces_[k].lambda = step.lambda[k];
  if (moved || learned) add(lowest_point, 0);
  if (s_ > best_.s) best_.n = n_, best_.s = s_;
  return moved || learned;
}

// The error at a maximum of the model. Where the bodies are apart it is proved by Σ λ w, which is across n in first order
// of what is left of the step: one more is taken, though s may no longer grow.
void Climber::finish(Step step, double tolerance) {
  if (s_ <= 0) {
    if (!is_maximum(step)) return;
    best_.error = std::max(0.0, step.t - best_.s);
    best_.smooth =
        std::count_if(step.lambda, step.lambda + count_, [](double x) { return x > k_round_off; }) < 3;
    return;
  }
  for (int i = 0; i < k_max_last_steps; ++i) {
    best_.error = std::max(0.0, std::min(best_.error, nearest(step).norm() - best_.s));
    if (best_.error <= tolerance) return;
    n_ = (n_ + step.delta[0] * t1_ + step.delta[1] * t2_).normalized();
    const PairPoint point = pair_.support(n_);
    s_ = point.w.dot(n_);
    if (s_ < best_.s - tolerance) return;
    if (s_ > best_.s) best_.n = n_, best_.s = s_;
    for (int k = 0; k < count_; ++k) pieces_[k].lambda = step.lambda[k];
    add(point, 0);
    update_pieces();
    step = Step{};
    if (!solve(step)) return;
  }
}

BestDirection Climber::run(double tolerance) {
  const PairPoint lowest_point = pair_.support(n_);
  add(lowest_point, count_ == 0 ? 1 : 0);
  s_ = lowest_point.w.dot(n_);
  best_.s = s_;
  for (int i = 0; i < k_max_steps; ++i) {
    if (!axis_tried_ && try_axes(tolerance)) return best_;
    update_pieces();
    Step step;
    if (!solve(step)) break;
    const double gain = step.t - s_;
    if (gain < -tolerance) break;
    if (gain <= tolerance) {
      finish(step, tolerance);
      break;
    }
    if (!move(step)) break;
  }
  best_.count = std::min(count_, 3);
  for (int i = 0; i < best_.count; ++i)
    best_.points[i] = pieces_[i].point, best_.lambda[i] = pieces_[i].lambda;
  return best_;
}

}  // namespace

BestDirection climb(const ConvexPair& pair, const BestDirection& start, double tolerance) {
  return Climber(pair, start).run(tolerance);
}

}  // namespace delassus
