// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/convex_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace delassus {
namespace {

// Pieces of a cone: its rim (of a cylinder: both), then the apex.
constexpr int k_apex = 2;

// Triangles thinner than this lose digits of their normal.
constexpr double k_thin = 8;

const Vector3& apex_of(const Geometry& cone) {
  return cone.points[cone.edges[0].point[1]].x;
}

Vector3 corner(const Vector3& half, int signs) {
  return {(signs & 1) != 0 ? half.x() : -half.x(), (signs & 2) != 0 ? half.y() : -half.y(),
          (signs & 4) != 0 ? half.z() : -half.z()};
}

// Sine of an angle to an axis that is round-off.
constexpr double k_on_axis = 1e-15;

// The point of a rim farthest in direction n; its centre where n is along the axis, which is z for every shape.
Vector3 farthest_of_rim(const GeometryCircle& rim, const Vector3& n) {
  const double length = std::hypot(n.x(), n.y());
  if (length <= k_on_axis) return rim.center;
  const double factor = rim.radius / length;
  return {factor * n.x(), factor * n.y(), rim.center.z()};
}

}  // namespace

SupportCore::SupportCore(const Geometry& geometry) : geometry_(&geometry) {
  assert(geometry.convex && geometry.kind != ShapeKind::plane);
  switch (geometry.kind) {
    case ShapeKind::box:
      form_ = Form::box;
      half_ = geometry.points[0].x.cwiseAbs();
      break;
    case ShapeKind::cylinder:
    case ShapeKind::cone:
      form_ = Form::rims;
      break;
    case ShapeKind::ellipsoid:
      form_ = Form::ellipsoid;
      half_ = geometry.semi_axes;
      break;
    default:
      break;
  }
  if (is_polytope()) rounding_ = geometry.points[0].radius;
}

int SupportCore::highest_piece(const Vector3& n, Vector3& x) const {
  switch (form_) {
    case Form::box: {
      const int signs = (n.x() > 0 ? 1 : 0) | (n.y() > 0 ? 2 : 0) | (n.z() > 0 ? 4 : 0);
      x = corner(half_, signs);
      return signs;
    }
    case Form::ellipsoid:
      x = point_of_piece(0, n);
      return 0;
    case Form::rims: {
      // Two rims of a cylinder are equal, the upper one has the higher index.
      const auto& rims = geometry_->circles;
      const bool cylinder = rims.size() == 2;
      const int piece = cylinder && (rims[1].center.z() > rims[0].center.z()) == (n.z() > 0) ? 1 : 0;
      x = farthest_of_rim(rims[piece], n);
      if (cylinder || x.dot(n) >= apex_of(*geometry_).dot(n)) return piece;
      x = apex_of(*geometry_);
      return k_apex;
    }
    case Form::points:
      break;
  }
  const int best = geometry_->farthest_point(n);
  x = geometry_->points[best].x;
  return best;
}

Vector3 SupportCore::point_of_piece(int piece, const Vector3& n) const {
  switch (form_) {
    case Form::box:
      return corner(half_, piece);
    case Form::ellipsoid: {
      const Vector3 stretched = half_.cwiseProduct(n);
      return half_.cwiseProduct(stretched) / stretched.norm();
    }
    case Form::rims:
      return piece == k_apex ? apex_of(*geometry_) : farthest_of_rim(geometry_->circles[piece], n);
    case Form::points:
      break;
  }
  return geometry_->points[piece].x;
}

Matrix3 SupportCore::curvature_of_piece(int piece, const Vector3& n) const {
  if (form_ == Form::ellipsoid) {
    const Vector3 stretched = half_.cwiseProduct(n);
    const double length = stretched.norm();
    const Vector3 x = half_.cwiseProduct(stretched) / length;
    Matrix3 curvature = -x * x.transpose();
    curvature.diagonal() += half_.cwiseProduct(half_);
    return curvature / length;
  }
  if (form_ != Form::rims || piece == k_apex) return Matrix3::Zero();
  const double length = std::hypot(n.x(), n.y());
  // On the axis the disk is flat: every direction turns to another point at once.
  if (length <= k_on_axis) return Matrix3::Zero();
  const Vector3 t(-n.y() / length, n.x() / length, 0);
  return (geometry_->circles[piece].radius / length) * t * t.transpose();
}

const GeometryCircle* SupportCore::disk_of_piece(int piece) const {
  return form_ != Form::rims || piece == k_apex ? nullptr : &geometry_->circles[piece];
}

ConvexPair::ConvexPair(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b)
    : a_(a),
      b_(b),
      R_(pose_a.R.transpose() * pose_b.R),
      p_(pose_a.R.transpose() * (pose_b.p - pose_a.p)),
      scale_(a.bound + b.bound + p_.cwiseAbs().maxCoeff()) {}

PairPoint ConvexPair::support(const Vector3& n) const {
  PairPoint out;
  Vector3 x, y;
  out.piece_a = a_.highest_piece(n, x);
  out.piece_b = b_.highest_piece(-(R_.transpose() * n), y);
  out.w = R_ * y + (p_ - x);
  return out;
}

Vector3 ConvexPair::point_of_pieces(const PairPoint& pieces, const Vector3& n) const {
  return R_ * b_.point_of_piece(pieces.piece_b, -(R_.transpose() * n)) +
         (p_ - a_.point_of_piece(pieces.piece_a, n));
}

Matrix3 ConvexPair::curvature_of_pieces(const PairPoint& pieces, const Vector3& n) const {
  Matrix3 curvature = a_.curvature_of_piece(pieces.piece_a, n);
  if (!b_.is_polytope())
    curvature += R_ * b_.curvature_of_piece(pieces.piece_b, -(R_.transpose() * n)) * R_.transpose();
  return curvature;
}

Vector3 ConvexPair::point_from_disk(const PairPoint& pieces, int side, const Vector3& n) const {
  const GeometryCircle* disk_a = side == 0 ? a_.disk_of_piece(pieces.piece_a) : nullptr;
  const GeometryCircle* disk_b = side == 1 ? b_.disk_of_piece(pieces.piece_b) : nullptr;
  const Vector3 x = disk_a != nullptr ? disk_a->center : a_.point_of_piece(pieces.piece_a, n);
  const Vector3 y =
      disk_b != nullptr ? disk_b->center : b_.point_of_piece(pieces.piece_b, -(R_.transpose() * n));
  return R_ * y + (p_ - x);
}

double ConvexPair::turn_of_pieces(const PairPoint& pieces, const Vector3& n) const {
  double turn = INFINITY;
  if (const GeometryCircle* disk = a_.disk_of_piece(pieces.piece_a)) turn = disk->axis.cross(n).norm();
  if (const GeometryCircle* disk = b_.disk_of_piece(pieces.piece_b))
    turn = std::min(turn, disk->axis.cross(R_.transpose() * n).norm());
  return turn;
}

Vector3 triangle_normal(const Vector3& x, const Vector3& y, const Vector3& z, double& thinness) {
  const Vector3 e[3] = {y - x, z - y, x - z};
  const double square[3] = {e[0].squaredNorm(), e[1].squaredNorm(), e[2].squaredNorm()};
  const int longest = static_cast<int>(std::max_element(square, square + 3) - square);
  Vector3 m = e[(longest + 1) % 3].cross(e[(longest + 2) % 3]);
  const double length = m.norm();
  thinness = length > 0 ? square[longest] / length : INFINITY;
  if (length <= 0) return m;
  m /= length;
  // Of thin ones m is not even perpendicular to the longest edge.
  if (thinness > k_thin) {
    m -= (m.dot(e[longest]) / square[longest]) * e[longest];
    m.normalize();
  }
  return m;
}

Vector3 ConvexPair::from_a_to_b() const {
  return R_ * b_.geometry().center + p_ - a_.geometry().center;
}

}  // namespace delassus
