// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/joint/body_row.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "delassus/base/rotation.hpp"

namespace delassus {
namespace {

// The lowest point of the disk in body axes, and its derivative by the rotation.
Vector3 lowest_point(const BodyRow& row, const Vector3& n, Matrix3* derivative) {
  const Vector3& a = row.axis;
  const double c = n.dot(a), size = std::sqrt(std::max(1.0 - c * c, 0.0));
  const Vector3 p = n - c * a;
  if (derivative != nullptr) {
    // δn = n × δφ; δp = (I − a aᵀ) δn; δ|p| = pᵀδp/|p|
    const Matrix3 dp = (Matrix3::Identity() - a * a.transpose()) * skew(n);
    *derivative = (-row.radius / size) * (dp - p * (p.transpose() * dp) / (size * size));
  }
  return row.point - (row.radius / size) * p;
}

}  // namespace

void evaluate(const BodyRow& row, const BodyKinematics& body, BodyRowValue& out) {
  const Matrix3& R = body.R;
  out.curvature.setZero();
  switch (row.kind) {
    case BodyRowKind::rolling: {
      const Vector3 n = R.transpose() * row.normal, d = R.transpose() * row.linear;
      Matrix3 r_by_rotation;
      const Vector3 r = lowest_point(row, n, &r_by_rotation);
      out.gradient << row.linear, r.cross(d);
      out.curvature.block<3, 3>(3, 3) = skew(r) * skew(d) - skew(d) * r_by_rotation;
      return;
    }
    case BodyRowKind::world: {
      const Vector3 c = R.transpose() * row.linear, d = R.transpose() * row.angular;
      out.gradient << row.linear, d + row.point.cross(c);
      out.curvature.block<3, 3>(3, 3) = skew(d) + skew(row.point) * skew(c);
      return;
    }
    case BodyRowKind::body:
      out.gradient << R * row.linear, row.angular + row.point.cross(row.linear);
      out.curvature.block<3, 3>(0, 3) = -R * skew(row.linear);
      return;
  }
}

double rolling_height(const BodyRow& row, const BodyKinematics& body, const Vector3& plane_point) {
  const Vector3 r = lowest_point(row, body.R.transpose() * row.normal, nullptr);
  return row.normal.dot(body.x + body.R * r - plane_point);
}

}  // namespace delassus
