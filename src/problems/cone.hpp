// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The admissible sets of contact impulses, one a contact, normal component first:
//
//   nonnegative   r_N ≥ 0                        (dim 1, frictionless)
//   coulomb       ‖r_T‖ ≤ μ r_N                  (dim 2: planar; dim 3; exact law: u + shift ∈ K*)
//   convex        the same cone, u ∈ K*          (CCP: Tasora 2017, 121-122)
//   polyhedral    r_T ∈ μ r_N conv{d_1 … d_m}    (Anitescu and Potra 1997, 2.6-2.7, Potra et al. 2006, §5)
//   box           |r| ≤ bound                    (dim 1: dry friction of a joint)
//   equality      r free, u = 0                  (any dim up to 6: joints kept in a local problem)
//
// Coulomb and convex cones may carry couples that resist rolling and spinning, each bounded by the normal impulse,
// ‖r_R‖ ≤ μ_R r_N and |r_S| ≤ μ_S r_N. The components are then
//
//   dim 4: N T T S      dim 5: N T T R R      dim 6: N T T R R S                                       (1)
//
// with u_R, u_S relative angular velocities along the tangents and the normal. The shift of the exact law (De Saxcé) is
// (μ‖u_T‖ + μ_R‖u_R‖ + μ_S|u_S|) along the normal: with it maximal dissipation of each part and u_N ⟂ r_N are one
// complementarity on the cone. Elliptic friction is a circular cone in scaled tangential components.
//
// The generators of a polyhedral cone are the corners of a given polygon P with the origin inside, r_T ∈ μ r_N P
// (Potra et al. 2006, §5: any convex set), or unit vectors that are balanced (with d also −d): for dim 2 they are +1 and −1, for dim 3
// d_i = (cos, sin)(angle + 2π i / m) with m even. Turning `angle` onto the predicted slip makes the friction
// of a sliding contact exactly opposed to the slip, whatever m is.
#pragma once
#include <cstdint>

#include "delassus/base/convex_polygon.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

enum class ConeKind : std::uint8_t { nonnegative, coulomb, polyhedral, box, convex, equality };

constexpr int k_max_cone_dim = 6;
// Components of one contact, without allocation.
using ContactVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, k_max_cone_dim, 1>;
using ContactBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, k_max_cone_dim, k_max_cone_dim>;
using ContactVectorRef = Eigen::Ref<const Vector>;

struct Cone {
  ConeKind kind = ConeKind::nonnegative;
  int dim = 1;             // components of the contact
  double mu = 0;           // friction coefficient [-]
  int num_directions = 0;  // m, polyhedral only
  // Impulse that bounds friction beside r_N: ‖r_T‖ ≤ μ (r_N + extra_normal) [N·s]
  double extra_normal = 0;
  double angle = 0;        // of the first generator, polyhedral dim 3 only [rad]
  double bound = 0;        // box only [N·s]
  double mu_rolling = 0;   // dim 5 and 6 [m]
  double mu_spinning = 0;  // dim 4 and 6 [m]
  SharedPolygon polygon;   // polyhedral dim 3: of num_directions corners; none: regular [-]
  bool operator==(const Cone&) const = default;
};

// Generator i of a polyhedral cone in the tangent frame, a unit vector or the corner of its polygon; the second component is 0 for dim 2.
Eigen::Vector2d cone_direction(const Cone& cone, int i);
// max_i d_iᵀ x: the support function of the generators' hull.
double cone_support(const Cone& cone, const Eigen::Vector2d& x);
// Smallest s with x ∈ s conv{d_i}: the gauge of the hull; ‖x‖ for a coulomb cone.
double cone_gauge(const Cone& cone, const Eigen::Vector2d& x);
// Coefficients of the largest disk within the hull of a polyhedral cone, and of the smallest around it.
double inner_friction(const Cone& cone);
double outer_friction(const Cone& cone);
// Tangential part of a contact triple, second component 0 for planar contacts.
Eigen::Vector2d tangential(const Cone& cone, const Eigen::Ref<const Vector>& triple);

// A part of the friction of a coulomb or convex cone: components first … first + size − 1 bounded by `coefficient`
// times the normal impulse.
enum class FrictionKind : std::uint8_t { sliding, rolling, spinning };
constexpr int k_num_friction_kinds = 3;
struct FrictionPart {
  FrictionKind kind = FrictionKind::sliding;
  int first = 0, size = 0;
  double coefficient = 0;
};
struct FrictionParts {
  FrictionPart part[k_num_friction_kinds];
  int count = 0;
  const FrictionPart* begin() const { return part; }
  const FrictionPart* end() const { return part + count; }
};
// Tangential, rolling, spinning, as far as the cone has them; none for the other kinds.
FrictionParts friction_parts(const Cone& cone);
// What may stick or slip: these parts, and the tangential one of a polyhedral cone.
FrictionParts mode_parts(const Cone& cone);
// Shift of the exact law, Σ μ_i ‖u_i‖; 0 for all kinds but coulomb [m/s].
double cone_shift(const Cone& cone, const ContactVectorRef& u);
// Nearest point of K; polyhedral cones are not covered.
ContactVector project_onto_cone(const Cone& cone, const ContactVectorRef& x);
// Natural map r − P_K(r − ρ (u + shift)): zero exactly where r and u obey the law. Not for polyhedral cones [N·s].
ContactVector natural_map(const Cone& cone, double rho, const ContactVectorRef& r, const ContactVectorRef& u);

// Number of LCP variables of a contact: 1; c_n, β_1 … β_m, λ; or two of a box.
int lcp_size(const Cone& cone);

// Rolling and spinning are resisted: rows of angular velocities after the tangents.
inline bool has_couples(const Cone& cone) {
  return (cone.kind == ConeKind::coulomb || cone.kind == ConeKind::convex) && cone.dim > 3;
}

}  // namespace delassus
