// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The contacts of a phase (t, q, v): everything the step needs of them, found and evaluated once. A plain value: what
// the narrow phase fills is what active set, collision finder, assembly, projection, certificate and recorder read.
//
//   Hᵀ rows, normal first [-] · w velocity of the rows at v = 0 [m/s] · Φ gaps [m] · u = Hᵀ v + w [m/s]
//
// Contacts lie in ascending order of their ids; everything else is parallel to them.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "delassus/base/convex_polygon.hpp"
#include "delassus/base/surface_patch.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

// Names a contact for its whole life; stable from step to step.
using ContactId = std::uint64_t;

// How friction depends on the slip speed s: μ(s) = μ_k + (μ − μ_k) exp(−(s/s_0)^n) + c s, with μ = μ(0) the friction
// coefficient of the contact. Stribeck's curve; s_0 = 0 with μ_k < μ is static and kinetic friction.
struct FrictionCurve {
  double kinetic = -1;  // μ_k; negative: as static, a constant coefficient [-]
  double speed = 0;     // s_0 [m/s]
  double exponent = 1;  // n [-]
  double viscous = 0;   // c [s/m]
  bool constant() const { return kinetic < 0 && viscous == 0; }
  // Of a contact that slides, also at the instant it begins to; one that sticks has all of its static friction.
  double at(double static_friction, double slip_speed) const;
  bool operator==(const FrictionCurve&) const = default;
};

// What the surfaces bring into a contact.
struct ContactSurface {
  double friction = 0;     // μ, at rest [-]
  double restitution = 0;  // e [-]
  double rolling = 0;      // levers of the couples that resist rolling and spinning [m]
  double spinning = 0;
  // Elliptic friction: the second tangent row is scaled by this ratio κ = μ₂/μ₁, so that the cone is circular with μ₁;
  // the impulse along the second tangent is κ times that of the row, its velocity 1/κ times. 1: isotropic.
  double tangent_ratio = 1;
  FrictionCurve curve;
  SharedPolygon polygon;  // instead of μ: r_T ∈ r_N P in the frame of the contact
  bool resists_turning() const { return rolling > 0 || spinning > 0; }
};

// Rows and data of given contacts, one group a contact: normal row first, then the tangent rows; where rolling or
// spinning is resisted two rolling rows and a spinning row after them (relative angular velocity along the two tangents
// and the normal), 6 in all.
struct ContactRows {
  BlockRows rows;         // Hᵀ
  Vector drift_velocity;  // w: relative velocity at v = 0 (∂Φ/∂t; moving surfaces), per row [m/s]
  std::vector<ContactSurface> surfaces;
};

// Whom a contact acts on: indices of bodies, its normal points from a to b. −1: the world. Two times −1: not known.
struct ContactBodies {
  int a = -1, b = -1;
  bool operator==(const ContactBodies&) const = default;
};

// Where a contact is, in world axes. NaN where a system in user coordinates has no picture of it.
struct ContactPlace {
  ContactBodies bodies;
  Vector3 point_a = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());  // on the surface of a [m]
  Vector3 point_b = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());
  Matrix3 frame = Matrix3::Constant(std::numeric_limits<double>::quiet_NaN());  // columns: normal, tangents
  SurfacePatch patch_a, patch_b;  // the surfaces there: curvatures
  Vector3 point() const { return 0.5 * (point_a + point_b); }
};

struct ContactSet {
  // Where: the configuration that all but u belong to.
  double t = 0;
  Vector q;

  std::vector<ContactId> ids;
  Vector gaps;  // Φ [m]
  // How far the nearest points are from the borders of the features that touch [m]; negative: the contact has handed
  // over to a neighbour, its gap is a smooth continuation and means nothing any more. Infinite without borders.
  Vector margins;
  ContactRows rows;
  std::vector<ContactPlace> places;
  Vector u;  // per row, of the velocity that was given last

  std::size_t size() const { return ids.size(); }
  bool empty() const { return ids.empty(); }

  int first_row(std::size_t c) const { return rows.rows.first_row(static_cast<int>(c)); }
  int num_rows(std::size_t c) const { return rows.rows.group_rows(static_cast<int>(c)); }
  double gap(std::size_t c) const { return gaps[static_cast<Eigen::Index>(c)]; }
  // False: it has handed over to a neighbour.
  bool valid(std::size_t c) const { return margins[static_cast<Eigen::Index>(c)] >= 0; }
  const ContactSurface& surface(std::size_t c) const { return rows.surfaces[c]; }
  double normal_velocity(std::size_t c) const { return u[first_row(c)]; }
  // Normal first, zeros where the contact has no such row; elliptic friction scales rows, not this.
  Vector3 velocity(std::size_t c) const;

  // u = Hᵀ v + w
  void update_velocities(const VectorRef& v);
  bool is_at(double t_other, const VectorRef& q_other) const;
  // Index of a contact; size() when it is not here.
  std::size_t find(ContactId id) const;

  // This becomes the contacts `some` of `all`, given by their indices in ascending order. No evaluation.
  void select(const ContactSet& all, std::span<const std::size_t> some);
  // Contact `from` of `other` is written to `to`, whose rows have the same layout.
  void copy_from(const ContactSet& other, std::size_t from, std::size_t to);
  // This becomes the union of two sets at the same place that have no contact in common.
  void merge(const ContactSet& a, const ContactSet& b);
};

}  // namespace delassus
