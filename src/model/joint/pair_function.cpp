// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/joint/pair_function.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "delassus/base/rotation.hpp"
#include "delassus/model/joint/pair_placement.hpp"

namespace delassus {
namespace {

// Columns of the four parts of δ.
constexpr int k_xa = 0, k_ra = 3, k_xb = 6, k_rb = 9;

// The products [a]× M and M [b]×, without the zeros.
Matrix3 cross_left(const Vector3& a, const Matrix3& M) {
  Matrix3 out;
  for (int j = 0; j < 3; ++j) out.col(j) = a.cross(M.col(j));
  return out;
}

Matrix3 cross_right(const Matrix3& M, const Vector3& b) {
  Matrix3 out;
  out.col(0) = b.z() * M.col(1) - b.y() * M.col(2);
  out.col(1) = b.x() * M.col(2) - b.z() * M.col(0);
  out.col(2) = b.y() * M.col(0) - b.x() * M.col(1);
  return out;
}

// out += scale [a]× [b]×
template <typename Block>
void add_cross_cross(const Vector3& a, const Vector3& b, double scale, Block&& out) {
  out += (scale * b) * a.transpose();
  out.diagonal().array() -= scale * a.dot(b);
}

Vector3 arm_in_a(const PairFunction& f, const PairPlacement& at) {
  return at.x_AB + at.R_AB * f.point_b;
}

void evaluate_slide(const PairFunction& f, const PairPlacement& at, PairValue& out) {
  const Vector3 e = arm_in_a(f, at), a = at.a.R * f.axis_a, a_B = at.R_AB.transpose() * f.axis_a;
  out.value = f.axis_a.dot(e - f.point_a);
  out.gradient.segment<3>(k_xa) = -a;
  out.gradient.segment<3>(k_ra) = f.axis_a.cross(e);
  out.gradient.segment<3>(k_xb) = a;
  out.gradient.segment<3>(k_rb) = f.point_b.cross(a_B);
}

void add_slide_curvature(const PairFunction& f, const PairPlacement& at, double scale, Matrix12& out) {
  const Vector3 a = scale * f.axis_a, a_B = at.R_AB.transpose() * a;
  const Matrix3 Rax = cross_right(at.a.R, a), coupling = cross_right(cross_left(a, at.R_AB), f.point_b);
  out.block<3, 3>(k_xa, k_ra) += Rax;
  out.block<3, 3>(k_xb, k_ra) -= Rax;
  out.block<3, 3>(k_ra, k_xa) += Rax.transpose();
  out.block<3, 3>(k_ra, k_xb) -= Rax.transpose();
  add_cross_cross(f.axis_a, arm_in_a(f, at), scale, out.block<3, 3>(k_ra, k_ra));
  out.block<3, 3>(k_ra, k_rb) -= coupling;
  out.block<3, 3>(k_rb, k_ra) -= coupling.transpose();
  add_cross_cross(f.point_b, a_B, 1.0, out.block<3, 3>(k_rb, k_rb));
}

// With c = â × ω_A, q = s_B × ω_B and u the relative velocity of the centres of mass in axes of A.
double slide_bias(const PairFunction& f, const PairPlacement& at, const Vector12& V) {
  const Vector3 omega_a = V.segment<3>(k_ra), omega_b = V.segment<3>(k_rb);
  const Vector3 c = f.axis_a.cross(omega_a), q = f.point_b.cross(omega_b);
  const Vector3 u = at.a.R.transpose() * (V.segment<3>(k_xb) - V.segment<3>(k_xa)),
                a_B = at.R_AB.transpose() * f.axis_a;
  return 2 * c.dot(at.R_AB * q - u) - c.dot(arm_in_a(f, at).cross(omega_a)) - q.dot(a_B.cross(omega_b));
}

// The two axes of a dot product; an angle has two of them.
void evaluate_dot(const Vector3& axis_a, const Vector3& axis_b, const PairPlacement& at, PairValue& out) {
  const Vector3 b_A = at.R_AB * axis_b, a_B = at.R_AB.transpose() * axis_a;
  out.value = axis_a.dot(b_A);
  out.gradient.setZero();
  out.gradient.segment<3>(k_ra) = axis_a.cross(b_A);
  out.gradient.segment<3>(k_rb) = axis_b.cross(a_B);
}

void add_dot_curvature(const Vector3& axis_a, const Vector3& axis_b, const PairPlacement& at, double scale,
                       Matrix12& out) {
  const Vector3 a = scale * axis_a, a_B = at.R_AB.transpose() * a;
  const Matrix3 coupling = cross_right(cross_left(a, at.R_AB), axis_b);
  add_cross_cross(a, at.R_AB * axis_b, 1.0, out.block<3, 3>(k_ra, k_ra));
  out.block<3, 3>(k_ra, k_rb) -= coupling;
  out.block<3, 3>(k_rb, k_ra) -= coupling.transpose();
  add_cross_cross(axis_b, a_B, 1.0, out.block<3, 3>(k_rb, k_rb));
}

// With c = â × ω_A and d = b̂ × ω_B.
double dot_bias(const PairFunction& f, const PairPlacement& at, const Vector12& V) {
  const Vector3 omega_a = V.segment<3>(k_ra), omega_b = V.segment<3>(k_rb);
  const Vector3 c = f.axis_a.cross(omega_a), d = f.axis_b.cross(omega_b);
  const Vector3 b_A = at.R_AB * f.axis_b, a_B = at.R_AB.transpose() * f.axis_a;
  return 2 * c.dot(at.R_AB * d) - c.dot(b_A.cross(omega_a)) - d.dot(a_B.cross(omega_b));
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

void evaluate_angle(const PairFunction& f, const PairPlacement& at, bool curvature, PairValue& out) {
  PairValue s, c;
  evaluate_dot(f.axis_a, f.axis_b, at, s);
  evaluate_dot(f.cosine_axis_a, f.cosine_axis_b, at, c);
  const double r2 = s.value * s.value + c.value * c.value;
  out.value = std::atan2(s.value, c.value);
  out.gradient = (c.value * s.gradient - s.value * c.gradient) / r2;
  if (!curvature) return;
  out.curvature.setZero();
  add_dot_curvature(f.axis_a, f.axis_b, at, c.value / r2, out.curvature);
  add_dot_curvature(f.cosine_axis_a, f.cosine_axis_b, at, -s.value / r2, out.curvature);
  // Only rotations count.
  const Vector12 r2_gradient = 2.0 * (s.value * s.gradient + c.value * c.gradient);
  for (int j : {k_ra, k_rb}) {
    const Vector3 sj = s.gradient.segment<3>(j) / r2, cj = c.gradient.segment<3>(j) / r2,
                  rj = r2_gradient.segment<3>(j) / r2;
    for (int i : {k_ra, k_rb})
      out.curvature.block<3, 3>(i, j) += s.gradient.segment<3>(i) * cj.transpose() -
                                         c.gradient.segment<3>(i) * sj.transpose() -
                                         out.gradient.segment<3>(i) * rj.transpose();
  }
}

void evaluate_distance(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b,
                       bool curvature, PairValue& out) {
  const Vector3 d = separation(f, a, b);
  if (f.kind == PairKind::stretch) {
    const double L = f.reference_length;
    out.value = (d.squaredNorm() - L * L) / (2.0 * L);
    evaluate_line(f, a, b, d / L, Matrix3::Identity() / L, curvature, out);
    return;
  }
  out.value = d.norm();
  // Coinciding points have no direction; the line then pulls along nothing.
  const bool line = out.value > 0;
  const Vector3 n = line ? Vector3(d / out.value) : Vector3(Vector3::Zero());
  const Matrix3 P =
      line ? Matrix3((Matrix3::Identity() - n * n.transpose()) / out.value) : Matrix3(Matrix3::Zero());
  evaluate_line(f, a, b, n, P, curvature, out);
}

}  // namespace

void evaluate(const PairFunction& f, const PairPlacement& at, bool curvature, PairValue& out) {
  switch (f.kind) {
    case PairKind::slide:
      evaluate_slide(f, at, out);
      break;
    case PairKind::dot:
      evaluate_dot(f.axis_a, f.axis_b, at, out);
      break;
    case PairKind::angle:
      evaluate_angle(f, at, curvature, out);
      return;
    case PairKind::stretch:
    case PairKind::length:
      evaluate_distance(f, at.a, at.b, curvature, out);
      return;
  }
  if (!curvature) return;
  out.curvature.setZero();
  add_curvature(f, at, 1.0, out.curvature);
}

void add_curvature(const PairFunction& f, const PairPlacement& at, double scale, Matrix12& out) {
  if (f.kind == PairKind::slide) {
    add_slide_curvature(f, at, scale, out);
  } else if (f.kind == PairKind::dot) {
    add_dot_curvature(f.axis_a, f.axis_b, at, scale, out);
  } else {
    PairValue x;
    evaluate(f, at, true, x);
    out += scale * x.curvature;
  }
}

double velocity_bias(const PairFunction& f, const PairPlacement& at, const Vector12& V) {
  if (f.kind == PairKind::slide) return slide_bias(f, at, V);
  if (f.kind == PairKind::dot) return dot_bias(f, at, V);
  PairValue x;
  evaluate(f, at, true, x);
  return V.dot(x.curvature * V);
}

void evaluate(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b, bool curvature,
              PairValue& out) {
  evaluate(f, PairPlacement(a, b), curvature, out);
}

double evaluate_value(const PairFunction& f, const BodyKinematics& a, const BodyKinematics& b) {
  if (f.kind == PairKind::angle) {
    const Matrix3 R_AB = a.R.transpose() * b.R;
    return std::atan2(f.axis_a.dot(R_AB * f.axis_b), f.cosine_axis_a.dot(R_AB * f.cosine_axis_b));
  }
  PairValue out;
  evaluate(f, a, b, false, out);
  return out.value;
}

}  // namespace delassus
