// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/scene_desc.hpp"

namespace delassus {

std::vector<const NameRef*> element_names(const SceneDesc& scene) {
  std::vector<const NameRef*> out;
  const auto add = [&](const auto& elements) {
    for (const auto& element : elements) out.push_back(&element.name);
  };
  add(scene.bodies);
  add(scene.joints);
  add(scene.measures);
  add(scene.motors);
  add(scene.limits);
  add(scene.frictions);
  add(scene.forces);
  add(scene.contacts);
  if (!scene.lagrangian) return out;
  const LagrangianDesc& l = *scene.lagrangian;
  for (const auto* rows : {&l.constraints, &l.velocity_constraints, &l.springs, &l.dampers, &l.contacts})
    add(*rows);
  add(l.bodies);
  return out;
}

Place place_of_message(const SceneDesc& scene, const std::string& message) {
  Place place{scene.file, 0, 0};
  std::size_t first = std::string::npos;
  for (const NameRef* name : element_names(scene))
    if (const std::size_t at = message.find("'" + name->name + "'"); at < first) {
      first = at;
      place = name->place;
    }
  return place;
}

}  // namespace delassus
