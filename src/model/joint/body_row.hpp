// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows on the velocity of one body, u = gᵀ (v, ω), with K = ∂g/∂(x ⊞ δ) as in pair_function.hpp:
//
//   rolling   d·(v_c + ω × r)   d a fixed world direction, r from the centre of mass to the lowest point of a disk:
//             r = s − ρ_d (n − (n·a) a)/|n − (n·a) a|       s centre, a axis, ρ_d radius, n normal of the plane
//             for d = n it is the gradient of the height n·(x + R r) − n·p₀ of the rim above the plane
//   world     c·v_p + d·ω       c, d fixed in the world, v_p of a point of the body
//   body      c·v_p + d·ω       c, d fixed in the body
#pragma once
#include "delassus/model/joint/pair_function.hpp"

namespace delassus {

enum class BodyRowKind : std::uint8_t { rolling, world, body };

struct BodyRow {
  BodyRowKind kind = BodyRowKind::body;
  int body = 0;
  Vector3 point = Vector3::Zero();    // s: from the centre of mass, in body axes [m]
  Vector3 linear = Vector3::Zero();   // c, or d of a rolling row
  Vector3 angular = Vector3::Zero();  // d
  // rolling
  Vector3 axis = Vector3::UnitZ(), normal = Vector3::UnitY();
  double radius = 0;
};

struct BodyRowValue {
  Vector6 gradient;
  Matrix6 curvature;
};

void evaluate(const BodyRow& row, const BodyKinematics& body, BodyRowValue& out);
// Height of the rim of a rolling disk above the plane through `plane_point`.
double rolling_height(const BodyRow& row, const BodyKinematics& body, const Vector3& plane_point);

}  // namespace delassus
