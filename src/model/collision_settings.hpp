// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which shapes of a model touch, and how.
#pragma once
#include <optional>
#include <vector>

#include "delassus/model/material.hpp"

namespace delassus {

// What holds for one pair of bodies instead of the rules; what is empty stays as the rules say. Body k_world is not
// allowed: it has no shapes.
struct PairRule {
  int body_a = 0, body_b = 0;
  std::optional<bool> touch =
      {};  // false: the pair is ignored; true: it touches even when a joint connects it
  std::optional<double> friction = {}, restitution = {};                // [-]
  std::optional<double> rolling_friction = {}, spinning_friction = {};  // [m]
  std::optional<double> kinetic_friction = {};                          // [-]

  // Of the pair, given what the rules make of its two sides.
  Material apply(Material combined) const {
    // A coefficient of the pair stands for all of those of the surfaces.
    if (friction) combined.friction_2 = combined.kinetic_friction = -1;
    combined.friction = friction.value_or(combined.friction);
    combined.kinetic_friction = kinetic_friction.value_or(combined.kinetic_friction);
    combined.restitution = restitution.value_or(combined.restitution);
    combined.rolling_friction = rolling_friction.value_or(combined.rolling_friction);
    combined.spinning_friction = spinning_friction.value_or(combined.spinning_friction);
    return combined;
  }
};

// Reason why no pair has these values; empty when one can.
std::string check_pair_material(const PairRule& rule);

struct CollisionSettings {
  bool enabled = true;         // shapes touch
  bool joined_bodies = false;  // bodies that a joint connects touch, too
  double envelope = 0;         // contacts enter at this distance; 0: a hundredth of the smaller shape [m]
  bool reduce = true;          // drop contacts of a flat patch that lie inside of the polygon of the others
  MaterialRules rules = {};
  std::vector<PairRule> pairs = {};
};

}  // namespace delassus
