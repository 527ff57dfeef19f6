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
        std::pair{"spinning friction", material.spinning_friction}})
    if (!(std::isfinite(value) && value >= 0)) return fmt::format("{} is {}; allowed: >= 0", what, value);
  if (!(material.restitution >= 0 && material.restitution <= 1))
    return fmt::format("restitution is {}; allowed: 0 … 1", material.restitution);
  return "";
}

double combine(CombineRule rule, double a, double b) {
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

Material combine(const MaterialRules& rules, const Material& a, const Material& b) {
  return {.friction = combine(rules.friction, a.friction, b.friction),
          .restitution = combine(rules.restitution, a.restitution, b.restitution),
          .rolling_friction = combine(rules.rolling, a.rolling_friction, b.rolling_friction),
          .spinning_friction = combine(rules.rolling, a.spinning_friction, b.spinning_friction)};
}

}  // namespace delassus
