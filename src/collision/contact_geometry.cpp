// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/contact_geometry.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace delassus {

namespace {

// The x axis, or y where the normal is nearly x: planar scenes in x-y get their in-plane tangent first.
Vector3 tangent_axis(const Vector3& normal) {
  return std::abs(normal.x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY();
}

}  // namespace

void make_tangents(const Vector3& normal, Vector3& t1, Vector3& t2) {
  make_tangents(normal, tangent_axis(normal), t1, t2);
}

void make_tangents(const Vector3& normal, const Vector3& axis, Vector3& t1, Vector3& t2) {
  t1 = (axis - normal * normal.dot(axis)).normalized();
  t2 = normal.cross(t1);
}

void tangent_rates(const Vector3& normal, const Vector3& normal_rate, Matrix3& rates) {
  tangent_rates(normal, normal_rate, tangent_axis(normal), Vector3::Zero(), rates);
}

void tangent_rates(const Vector3& normal, const Vector3& normal_rate, const Vector3& axis,
                   const Vector3& axis_rate, Matrix3& rates) {
  const Vector3 along = axis - normal * normal.dot(axis);
  const double length = along.norm();
  const Vector3 t1 = along / length,
                along_rate = axis_rate - normal_rate * normal.dot(axis) -
                             normal * (normal_rate.dot(axis) + normal.dot(axis_rate)),
                t1_rate = (along_rate - t1 * t1.dot(along_rate)) / length;
  rates << normal_rate.transpose(), t1_rate.transpose(),
      (normal_rate.cross(t1) + normal.cross(t1_rate)).transpose();
}

ContactGeometry plane_geometry(const PlaneContact& contact, const Vector3& x) {
  ContactGeometry g;
  g.normal = contact.normal.normalized();
  make_tangents(g.normal, g.tangents[0], g.tangents[1]);
  g.gap = g.normal.dot(x - contact.point) - contact.radius;
  g.point = x - contact.radius * g.normal;
  g.tangent_rates[0].setZero();
  g.tangent_rates[1].setZero();
  return g;
}

ContactGeometry pair_geometry(const PairContact& contact, const Vector3& reference_normal, const Vector3& x_a,
                              const Vector3& x_b, const Vector3& v) {
  ContactGeometry g;
  const Vector3 d = x_b - x_a;
  const double length = d.norm();
  g.gap = length - contact.distance;
  g.normal = length > 0 ? Vector3(d / length) : reference_normal;
  g.normal_rate = length > 0 ? Vector3((v - g.normal * g.normal.dot(v)) / length) : Vector3(Vector3::Zero());
  g.point = 0.5 * (x_a + x_b);
  // Far from −n₀ the smallest rotation is well defined; beyond, the opposite reference takes over.
  constexpr double switch_cosine = -0.9;
  Vector3 n0 = reference_normal, t0[2];
  make_tangents(n0, t0[0], t0[1]);
  if (n0.dot(g.normal) < switch_cosine) n0 = -n0, t0[1] = -t0[1];
  const double k = 1.0 / (1.0 + n0.dot(g.normal)), k_rate = -k * k * n0.dot(g.normal_rate);
  for (int i = 0; i < 2; ++i) {
    const double s = t0[i].dot(g.normal), s_rate = t0[i].dot(g.normal_rate);
    g.tangents[i] = t0[i] - s * k * (n0 + g.normal);
    g.tangent_rates[i] = -(s_rate * k + s * k_rate) * (n0 + g.normal) - s * k * g.normal_rate;
  }
  return g;
}

}  // namespace delassus
