// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Gap, frame and their rates of a contact pair at given positions: pure functions of the configuration, so
// that event location may ask at any q. Contact ids are the index of the pair, planes first.
//
// The tangents of a pair of particles are those of a reference frame turned by the smallest rotation that
// takes the reference normal n₀ to n:  t = t₀ − (t₀ᵀ n)/(1 + n₀ᵀ n) (n₀ + n), smooth except at n = −n₀, where
// the reference is −n₀.
#pragma once
#include "delassus/model/model.hpp"

namespace delassus {

struct ContactGeometry {
  double gap = 0;                   // Φ [m]
  Vector3 point = Vector3::Zero();  // where it touches, in the world [m]
  Vector3 normal = Vector3::Zero();
  Vector3 tangents[2];
  // With the velocity of b relative to a given: time derivatives of the frame [1/s].
  Vector3 normal_rate = Vector3::Zero();
  Vector3 tangent_rates[2];
};

// Deterministic right-handed frame (n, t1, t2); t1 lies along the world axis most orthogonal to n when n is
// an axis.
void make_tangents(const Vector3& normal, Vector3& t1, Vector3& t2);
// The same with t1 along the part of `axis` that is orthogonal to n; it must have one.
void make_tangents(const Vector3& normal, const Vector3& axis, Vector3& t1, Vector3& t2);
// Rates of the rows (n, t1, t2) of that frame while the normal turns at `normal_rate` [1/s].
void tangent_rates(const Vector3& normal, const Vector3& normal_rate, Matrix3& rates);
void tangent_rates(const Vector3& normal, const Vector3& normal_rate, const Vector3& axis,
                   const Vector3& axis_rate, Matrix3& rates);

ContactGeometry plane_geometry(const PlaneContact& contact, const Vector3& x);
// `reference_normal`: the normal of the initial configuration; v = velocity of b minus that of a.
ContactGeometry pair_geometry(const PairContact& contact, const Vector3& reference_normal, const Vector3& x_a,
                              const Vector3& x_b, const Vector3& v);

}  // namespace delassus
