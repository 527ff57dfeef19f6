// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A scene as a program holds it: what was read, and what it says. front/load_scene.hpp reads one.
#pragma once
#include <string>
#include <vector>

#include "delassus/base/data_tree.hpp"
#include "delassus/scene/handles.hpp"
#include "delassus/scene/scene_desc.hpp"

namespace delassus {

struct Scene {
  std::string text;  // as read
  DataTree values;   // with the settings
  SceneDesc desc;
  std::vector<std::string> settings;  // path=value, as applied

  const std::string& name() const { return desc.name; }
  double duration() const { return desc.duration; }  // [s]
  // A body of the scene, before there is a simulation: force elements of a program (desc.elements) act on its index.
  // Throws InputError with the nearest name when there is none.
  BodyHandle body(const std::string& name) const;
};

}  // namespace delassus
