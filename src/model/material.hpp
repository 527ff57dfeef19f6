// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a surface brings into a contact, and how the two sides of a contact make one value.
#pragma once
#include <cstdint>
#include <string>

namespace delassus {

struct Material {
  double friction = 0.5;         // μ [-]
  double restitution = 0;        // e, 0 … 1 [-]
  double rolling_friction = 0;   // lever of the rolling resistance [m]
  double spinning_friction = 0;  // lever of the resistance to spinning about the normal [m]
};

// Reason why no surface is of this material, with value and allowed range; empty when one can be.
std::string check_material(const Material& material);

enum class CombineRule : std::uint8_t { minimum, maximum, average, geometric, product };
double combine(CombineRule rule, double a, double b);

struct MaterialRules {
  CombineRule friction = CombineRule::geometric;
  CombineRule restitution = CombineRule::maximum;
  CombineRule rolling = CombineRule::maximum;  // rolling and spinning friction
};
Material combine(const MaterialRules& rules, const Material& a, const Material& b);

}  // namespace delassus
