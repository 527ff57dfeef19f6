// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenes by file or built-in name, changed by settings.
//
//   const Scene scene = load_scene("arm.yaml", {"bodies.hand.mass=2", "stepper.step=1e-3"});
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "delassus/scene/scene.hpp"

namespace delassus {

// A change of a scene, for instance "gravity=[0,-1.6,0]" or "bodies.m1.mass=2" (docs/scenes.md).
struct SceneSetting {
  std::string text;    // path=value, the value in YAML
  std::string origin;  // what messages call it

  SceneSetting(const char* path_and_value) : SceneSetting(std::string(path_and_value)) {}
  SceneSetting(std::string path_and_value) : text(std::move(path_and_value)), origin("setting " + text) {}
  SceneSetting(std::string path_and_value, std::string written)
      : text(std::move(path_and_value)), origin(std::move(written)) {}
};

// `scene`: the path of a YAML or JSON file, or the name of a built-in scene. Throws InputError with file, line and column of
// what is wrong and what is allowed.
Scene load_scene(const std::string& scene, const std::vector<SceneSetting>& settings = {});
// The same from text; `name` is what messages call it.
Scene parse_scene(const std::string& text, const std::string& name = "scene",
                  const std::vector<SceneSetting>& settings = {});

// Names of the built-in scenes.
std::vector<std::string> scene_names();

// Version of the library.
std::string version();

}  // namespace delassus
