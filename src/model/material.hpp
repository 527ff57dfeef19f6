// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a surface brings into a contact, and how the two sides of a contact make one value. The friction coefficient
// along the axis at slip speed s is Stribeck's curve
//
//   μ(s) = μ_k + (μ − μ_k) exp(−(s/s_0)^n) + c s                                                       (1)
//
// (s_0 = 0: static and kinetic friction), and μ₂/μ times it across the axis. The laws: docs/laws.md.
#pragma once
#include <cstdint>
#include <string>

#include "delassus/base/convex_polygon.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

struct Material {
  double friction = 0.5;         // μ, at rest [-]
  double restitution = 0;        // e, 0 … 1 [-]
  double rolling_friction = 0;   // lever of the rolling resistance [m]
  double spinning_friction = 0;  // lever of the resistance to spinning about the normal [m]
  // Friction that depends on the direction: μ₂ across the axis; negative: as along it.
  double friction_2 = -1;
  Vector3 friction_axis = Vector3::Zero();  // in the shape's frame; zero: none
  // Any convex set of friction instead: corners of what the friction force on the shape may be, of a unit normal force; the first
  // coordinate along the axis, the second along outward normal × axis. Then `friction` does not count.
  SharedPolygon friction_polygon;
  // (1)
  double kinetic_friction = -1;  // μ_k; negative: as at rest [-]
  double stribeck_speed = 0;     // s_0 [m/s]
  double stribeck_exponent = 1;  // n [-]
  double viscous_friction = 0;   // c [s/m]
  // Of a belt: the surface moves at this velocity relative to the shape, in its frame; only what is tangential to the
  // contact counts [m/s].
  Vector3 surface_velocity = Vector3::Zero();

  // μ₂/μ, 1 where one of them is zero.
  double friction_ratio() const;
  bool operator==(const Material&) const = default;
  bool resists_turning() const { return rolling_friction > 0 || spinning_friction > 0; }
};

// Reason why no surface is of this material, with value and allowed range; empty when one can be.
std::string check_material(const Material& material);

enum class CombineRule : std::uint8_t { minimum, maximum, average, geometric, product };
double combine_coefficients(CombineRule rule, double a, double b);

struct MaterialRules {
  CombineRule friction = CombineRule::geometric;
  CombineRule restitution = CombineRule::maximum;
  CombineRule rolling = CombineRule::maximum;  // rolling and spinning friction
};
// The curve (1) has the larger speed of the two with its exponent, and the larger viscous part. What has a direction
// stays with its surface: axis and velocity are zero.
Material combine_materials(const MaterialRules& rules, const Material& a, const Material& b);

}  // namespace delassus
