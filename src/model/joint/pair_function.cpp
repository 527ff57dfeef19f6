// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/joint/pair_function.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "delassus/base/rotation.hpp"

namespace delassus {
namespace {

// Columns of the four parts of δ.
constexpr int k_xa = 0, k_ra = 3, k_xb = 6, k_rb = 9;

void evaluate_slide(const PairFunction& f, const BodyKinematics& A, const BodyKinematics& B, bool curvature,
                    PairValue& out) {
  const Vector3 e = A.R.transpose() * (B.x + B.R * f.point_b - A.x), a = A.R * f.axis_a,
                a_B = B.R.transpose() * a;
  out.value = f.axis_a.dot(e - f.point_a);
  out.gradient << -a, f.axis_a.cross(e), a, f.point_b.cross(a_B);
  if (!curvature) return;
  const Matrix3 ax = skew(f.axis_a), sx = skew(f.point_b), axRt = ax * A.R.transpose();
  out.curvature.setZero();
  out.curvature.block<3, 3>(k_xa, k_ra) = A.R * ax;
  out.curvature.block<3, 3>(k_xb, k_ra) = -A.R * ax;
  out.curvature.block<3, 3>(k_ra, k_xa) = -axRt;
  out.curvature.block<3, 3>(k_ra, k_ra) = ax * skew(e);
  out.curvature.block<3, 3>(k_ra, k_xb) = axRt;
  out.curvature.block<3, 3>(k_ra, k_rb) = -axRt * B.R * sx;
  out.curvature.block<3, 3>(k_rb, k_ra) = -sx * B.R.transpose() * A.R * ax;
  out.curvature.block<3, 3>(k_rb, k_rb) = sx * skew(a_B);
}

void evaluate_dot(const Vector3& axis_a, const Vector3& axis_b, const BodyKinematics& A,
                  const BodyKinematics& B, bool curvature, PairValue& out) {
  const Matrix3 R_AB = A.R.transpose() * B.R;
  const Vector3 b_A = R_AB * axis_b, a_B = R_AB.transpose() * axis_a;
  out.value = axis_a.dot(b_A);
  out.gradient.setZero();
  out.gradient.segment<3>(k_ra) = axis_a.cross(b_A);
  out.gradient.segment<3>(k_rb) = axis_b.cross(a_B);
  if (!curvature) return;
  const Matrix3 ax = skew(axis_a), bx = skew(axis_b);
  out.curvature.setZero();
  out.curvature.block<3, 3>(k_ra, k_ra) = ax * skew(b_A);
  out.curvature.block<3, 3>(k_ra, k_rb) = -ax * R_AB * bx;
  out.curvature.block<3, 3>(k_rb, k_ra) = -bx * R_AB.transpose() * ax;
  out.curvature.block<3, 3>(k_rb, k_rb) = bx * skew(a_B);
}

// Functions of d = p_B − p_A: δd = P δ; `direction` is the gradient by d, `second` its derivative by d.
void evaluate_line(const PairFunction& f, const BodyKinematics& A, const BodyKinematics& B,
                   const Vector3& direction, const Matrix3& second, bool curvature, PairValue& out) {
  const Vector3 n_A = A.R.transpose() * direction, n_B = B.R.transpose() * direction;
  out.gradient << -direction, -f.point_a.cross(n_A), direction, f.point_b.cross(n_B);
  if (!curvature) return;
  Eigen::Matrix<double, 3, 12> P;
  P << -Matrix3::Identity(), A.R * skew(f.point_a), Matrix3::Identity(), -B.R * skew(f.point_b);
  out.curvature.noalias() = P.transpose() * second * P;
  // The levers turn with their bodies.
  out.curvature.block<3, 3>(k_ra, k_ra) -= skew(f.point_a) * skew(n_A);
  out.curvature.block<3, 3>(k_rb, k_rb) += skew(f.point_b) * skew(n_B);
}

Vector3 separation(const PairFunction& f, const BodyKinematics& A, const BodyKinematics& B) {
  return B.x + B.R * f.point_b - A.x - A.R * f.point_a;
}

void evaluate_angle(const PairFunction& f, const BodyKinematics& A, const BodyKinematics& B, bool curvature,
                    PairValue& out) {
  PairValue s, c;
  evaluate_dot(f.axis_a, f.axis_b, A, B, curvature, s);
  evaluate_dot(f.cosine_axis_a, f.cosine_axis_b, A, B, curvature, c);
  const double r2 = s.value * s.value + c.value * c.value;
  out.value = std::atan2(s.value, c.value);
  out.gradient = (c.value * s.gradient - s.value * c.gradient) / r2;
  if (!curvature) return;
  const Vector12 r2_gradient = 2.0 * (s.value * s.gradient + c.value * c.gradient);
  out.curvature = (c.value * s.curvature - s.value * c.curvature + s.gradient * c.gradient.transpose() -
                   c.gradient * s.gradient.transpose() - out.gradient * r2_gradient.transpose()) /
                  r2;
}

}  // namespace

void evaluate(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b, bool curvature,
              PairValue& out) {
  switch (f.kind) {
    case PairKind::slide:
      evaluate_slide(f, a, b, curvature, out);
      return;
    case PairKind::dot:
      evaluate_dot(f.axis_a, f.axis_b, a, b, curvature, out);
      return;
    case PairKind::angle:
      evaluate_angle(f, a, b, curvature, out);
      return;
    case PairKind::stretch: {
      const Vector3 d = separation(f, a, b);
      const double L = f.reference_length;
      out.value = (d.squaredNorm() - L * L) / (2.0 * L);
      evaluate_line(f, a, b, d / L, Matrix3::Identity() / L, curvature, out);
      return;
    }
    case PairKind::length: {
      const Vector3 d = separation(f, a, b);
      out.value = d.norm();
      // Coinciding points have no direction; the line then pulls along nothing.
      const bool line = out.value > 0;
      const Vector3 n = line ? Vector3(d / out.value) : Vector3(Vector3::Zero());
      const Matrix3 P =
          line ? Matrix3((Matrix3::Identity() - n * n.transpose()) / out.value) : Matrix3(Matrix3::Zero());
      evaluate_line(f, a, b, n, P, curvature, out);
      return;
    }
  }
}

double evaluate_value(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b) {
  PairValue out;
  evaluate(f, a, b, false, out);
  return out.value;
}

}  // namespace delassus
