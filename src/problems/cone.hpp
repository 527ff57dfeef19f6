// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The admissible sets of contact impulses, one a contact, normal component first:
//
//   nonnegative   r_N ≥ 0                        (dim 1, frictionless)
//   coulomb       ‖r_T‖ ≤ μ r_N                  (dim 2: planar; dim 3)
//   polyhedral    r_T ∈ μ r_N conv{d_1 … d_m}    (S1 2.6-2.7, S0 §5)
//   box           |r| ≤ bound                    (dim 1: dry friction of a joint)
//
// The generators of a polyhedral cone are balanced (with d also −d): for dim 2 they are +1 and −1, for dim 3
// d_i = (cos, sin)(angle + 2π i / m) with m even. Turning `angle` onto the predicted slip makes the friction
// of a sliding contact exactly opposed to the slip, whatever m is.
#pragma once
#include <cstdint>

#include "delassus/linalg/types.hpp"

namespace delassus {

enum class ConeKind : std::uint8_t { nonnegative, coulomb, polyhedral, box };

struct Cone {
  ConeKind kind = ConeKind::nonnegative;
  int dim = 1;             // components of the contact: 1, 2 or 3
  double mu = 0;           // friction coefficient [-]
  int num_directions = 0;  // m, polyhedral only
  // Impulse that bounds friction beside r_N: ‖r_T‖ ≤ μ (r_N + extra_normal); polyhedral only [N·s]
  double extra_normal = 0;
  double angle = 0;  // of the first generator, polyhedral dim 3 only [rad]
  double bound = 0;  // box only [N·s]
  bool operator==(const Cone&) const = default;
};

// Unit generator i of a polyhedral cone in the tangent frame; the second component is 0 for dim 2.
Eigen::Vector2d cone_direction(const Cone& cone, int i);
// max_i d_iᵀ x: the support function of the generators' hull.
double cone_support(const Cone& cone, const Eigen::Vector2d& x);
// Smallest s with x ∈ s conv{d_i}: the gauge of the hull; ‖x‖ for a coulomb cone.
double cone_gauge(const Cone& cone, const Eigen::Vector2d& x);
// Tangential part of a contact triple, second component 0 for planar contacts.
Eigen::Vector2d tangential(const Cone& cone, const Eigen::Ref<const Vector>& triple);

// Number of LCP variables of a contact: 1; c_n, β_1 … β_m, λ; or two of a box.
int lcp_size(const Cone& cone);

}  // namespace delassus
