// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Two convex geometries as one: the difference of their cores, C = B − A, in the frame of a.
//
//   s(n) = min_{w∈C} nᵀw − r_a − r_b                                                                           (1)
//
// A core is what remains when the rounding r is taken away: of a sphere its centre, of a capsule its axis, of a rounded
// box the box inside. Its support function is the largest of a few smooth pieces,
//
//   σ(n) = max_k σ_k(n),   σ_k:  xᵀn (corner)  ·  cᵀn + r |n − (nᵀe) e| (rim)  ·  |diag(semi-axes) n| (ellipsoid)   (2)
//
// and x_k(n) = ∇σ_k is the point where piece k is highest. Everything that searches for the best n sees only (1), (2).
// All of it in the frame of a, so that round-off grows with the bodies and their distance, not with that from the origin.
#pragma once
#include <cmath>
#include <cstdint>

#include "delassus/collision/geometry.hpp"

namespace delassus {

// One convex core, in the frame of its shape. Refers to the geometry.
class SupportCore {
 public:
  explicit SupportCore(const Geometry& geometry);

  // The piece that is highest in direction n (unit), and its highest point.
  int highest_piece(const Vector3& n, Vector3& x) const;
  Vector3 point_of_piece(int piece, const Vector3& n) const;
  // ∂x_k/∂n = ∇²σ_k.
  Matrix3 curvature_of_piece(int piece, const Vector3& n) const;

  // The disk that the piece bounds; none: null.
  const GeometryCircle* disk_of_piece(int piece) const;

  bool is_polytope() const { return form_ == Form::points || form_ == Form::box; }
  bool is_box() const { return form_ == Form::box; }
  const Geometry& geometry() const { return *geometry_; }
  const Vector3& half_edges() const { return half_; }  // of a box [m]
  double rounding() const { return rounding_; }        // [m]

 private:
  enum class Form : std::uint8_t { points, box, rims, ellipsoid };
  const Geometry* geometry_;
  Form form_ = Form::points;
  Vector3 half_ = Vector3::Zero();  // half edges of a box, semi-axes of an ellipsoid
  double rounding_ = 0;
};

// A point of C, farthest against some direction, and the pieces that it comes from.
struct PairPoint {
  Vector3 w = Vector3::Zero();
  int piece_a = 0, piece_b = 0;
  bool same_pieces(const PairPoint& other) const {
    return piece_a == other.piece_a && piece_b == other.piece_b;
  }
};

class ConvexPair {
 public:
  ConvexPair(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b);

  // The point of C with the least nᵀw; nᵀw is s(n) of the cores.
  PairPoint support(const Vector3& n) const;
  // The same of given pieces, and their curvature −∇²(nᵀw) ≥ 0.
  Vector3 point_of_pieces(const PairPoint& pieces, const Vector3& n) const;
  Matrix3 curvature_of_pieces(const PairPoint& pieces, const Vector3& n) const;

  // The point of given pieces for n with the centre of its disk in place of the point of the rim; side 0: of a, 1: of b.
  Vector3 point_from_disk(const PairPoint& pieces, int side, const Vector3& n) const;
  // Sine of the angle between n and the nearest axis of a rim among the pieces; infinite without one.
  double turn_of_pieces(const PairPoint& pieces, const Vector3& n) const;

  const SupportCore& a() const { return a_; }
  const SupportCore& b() const { return b_; }
  const Matrix3& R() const { return R_; }  // axes of b in those of a
  const Vector3& p() const { return p_; }  // origin of b in the frame of a [m]
  double rounding() const { return a_.rounding() + b_.rounding(); }
  bool is_polytope() const { return a_.is_polytope() && b_.is_polytope(); }
  double scale() const { return scale_; }  // of coordinates: what round-off is relative to [m]
  Vector3 from_a_to_b() const;             // between their centres

 private:
  SupportCore a_, b_;
  Matrix3 R_;
  Vector3 p_;
  double scale_ = 0;
};

// The unit normal of x y z, counter-clockwise, and the longest edge squared over twice the area: how thin it is. Of thin
// triangles the round-off of the normal is a turn about the longest edge, which moves no corner by more than round-off.
// Infinitely thin: no normal.
Vector3 triangle_normal(const Vector3& x, const Vector3& y, const Vector3& z, double& thinness);

// How well a direction is known to be the best.
struct BestDirection {
  Vector3 n = Vector3::UnitZ();  // unit, in the frame of a
  double s = -INFINITY;          // s(n) of the cores [m]
  double error = INFINITY;       // of s as the greatest: a bound, or an estimate [m]
  bool smooth = false;           // a maximum at which some direction is held by curvature, not by corners
  // Points of C whose pieces are supporting near n, and weights with Σ λ w ≈ s n where they are known.
  int count = 0;
  PairPoint points[3];
  double lambda[3] = {0, 0, 0};
};

}  // namespace delassus
