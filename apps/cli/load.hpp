// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenes by file or built-in name, changed by settings from the command line.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "delassus/base/value.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/scene/scene_desc.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {

struct LoadedScene {
  std::string text;  // as read
  Value values;      // with the settings
  SceneDesc desc;
  std::vector<std::string> settings;  // path=value, as applied
};

// `scene`: a path, or the name of a built-in scene.
LoadedScene load_scene(const std::string& scene, const std::vector<Setting>& settings);

// Throws InputError when the scene asks for a stepper that cannot take what it has.
void require_stepper_fits(const SceneDesc& scene, const System& system, const State& state);
Simulation make_simulation(const LoadedScene& scene);

// Throws InputError when a file cannot be written there; better before the work than after it.
void require_writable(const std::string& path);

// Names of the built-in scenes.
std::vector<std::string> scene_names();

}  // namespace delassus::cli
