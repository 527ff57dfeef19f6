// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/material.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace delassus {

std::string check_material(const Material& material) {
  for (const auto& [what, value] :
       {std::pair{"friction", material.friction}, std::pair{"rolling friction", material.rolling_friction},
        std::pair{"spinning friction", material.spinning_friction},
        std::pair{"stribeck speed", material.stribeck_speed},
        std::pair{"viscous friction", material.viscous_friction}})
    if (!(std::isfinite(value) && value >= 0)) return fmt::format("{} is {}; allowed: >= 0", what, value);
  if (!(material.restitution >= 0 && material.restitution <= 1))
    return fmt::format("restitution is {}; allowed: 0 … 1", material.restitution);
  if (material.friction_2 >= 0 && !(std::isfinite(material.friction_2) && material.friction_2 > 0))
    return fmt::format("friction_2 is {}; allowed: > 0", material.friction_2);
  if (material.friction_2 >= 0 && !(material.friction > 0))
    return fmt::format("friction is {} beside a friction_2; allowed: > 0", material.friction);
  const bool polygon = static_cast<bool>(material.friction_polygon);
  if (polygon && (material.friction_axis.isZero(0) || material.friction_2 >= 0 ||
                  material.kinetic_friction >= 0 || material.viscous_friction > 0))
    return "friction_polygon goes with a friction_axis, and without friction_2, kinetic_friction and "
           "viscous_friction";
  if (!material.friction_axis.allFinite() ||
      (material.friction_2 >= 0 || polygon) != !material.friction_axis.isZero(0))
    return fmt::format("friction_2 and friction_axis ([{}, {}, {}]) go together; allowed: both, or none",
                       material.friction_axis.x(), material.friction_axis.y(), material.friction_axis.z());
  if (material.kinetic_friction >= 0 &&
      !(material.kinetic_friction > 0 && material.kinetic_friction <= material.friction))
    return fmt::format("kinetic friction is {}; allowed: above 0, up to {} (friction)",
                       material.kinetic_friction, material.friction);
  if (!(std::isfinite(material.stribeck_exponent) && material.stribeck_exponent > 0))
    return fmt::format("stribeck exponent is {}; allowed: > 0", material.stribeck_exponent);
  if (!material.surface_velocity.allFinite()) return "surface velocity is not finite";
  return "";
}

double Material::friction_ratio() const {
  return friction > 0 && friction_2 > 0 ? friction_2 / friction : 1.0;
}

double combine_coefficients(CombineRule rule, double a, double b) {
  switch (rule) {
    case CombineRule::minimum:
      return std::min(a, b);
    case CombineRule::maximum:
      return std::max(a, b);
    case CombineRule::average:
      return 0.5 * (a + b);
    case CombineRule::geometric:
      return std::sqrt(a * b);
    case CombineRule::product:
      return a * b;
  }
  return a;
}

Material combine_materials(const MaterialRules& rules, const Material& a, const Material& b) {
  // A coefficient that only one of them has: the other's friction stands for it.
  const auto optional = [&](double x, double y) {
    if (x < 0 && y < 0) return -1.0;
    return combine_coefficients(rules.friction, x < 0 ? a.friction : x, y < 0 ? b.friction : y);
  };
  return {
      .friction = combine_coefficients(rules.friction, a.friction, b.friction),
      .restitution = combine_coefficients(rules.restitution, a.restitution, b.restitution),
      .rolling_friction = combine_coefficients(rules.rolling, a.rolling_friction, b.rolling_friction),
      .spinning_friction = combine_coefficients(rules.rolling, a.spinning_friction, b.spinning_friction),
      .friction_2 = optional(a.friction_2, b.friction_2),
      .kinetic_friction = optional(a.kinetic_friction, b.kinetic_friction),
      .stribeck_speed = std::max(a.stribeck_speed, b.stribeck_speed),
      .stribeck_exponent = b.stribeck_speed > a.stribeck_speed ? b.stribeck_exponent : a.stribeck_exponent,
      .viscous_friction = std::max(a.viscous_friction, b.viscous_friction)};
}

}  // namespace delassus
