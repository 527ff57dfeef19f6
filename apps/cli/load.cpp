// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/load.hpp"

#include <filesystem>

#include "apps/cli/embedded.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/names.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/decode.hpp"

namespace delassus::cli {

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_scenes()) names.push_back(file.name.substr(0, file.name.rfind('.')));
  return names;
}

LoadedScene load_scene(const std::string& scene, const std::vector<std::string>& settings) {
  LoadedScene out;
  std::string name = scene;
  if (std::filesystem::exists(scene)) {
    out.text = read_file(scene);
  } else {
    const EmbeddedFile* found = nullptr;
    for (const EmbeddedFile& file : embedded_scenes())
      if (file.name == scene || file.name == scene + ".yaml") found = &file;
    if (found == nullptr) {
      const std::string near = nearest_name(scene, scene_names());
      throw InputError("there is no file and no built-in scene '" + scene + "'" +
                       (near.empty() ? "; `delassus list scenes` shows the built-in ones" : "; did you mean '" + near + "'?"));
    }
    out.text = found->content;
    name = found->name;
  }
  out.values = parse_yaml(out.text, name);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("the setting '" + setting + "' is not of the form path=value, e.g. --set stepper.step=1e-3");
    const std::string place = "--set " + setting;
    Value value = parse_yaml(setting.substr(equals + 1), place);
    set_path(out.values, setting.substr(0, equals), std::move(value));
    out.settings.push_back(setting);
  }
  out.desc = decode_scene(out.values);
  if (out.desc.name.empty()) out.desc.name = std::filesystem::path(name).stem().string();
  return out;
}

Simulation make_simulation(const LoadedScene& scene) {
  CompiledScene compiled = compile(scene.desc);
  return Simulation(compiled.system, std::move(compiled.state), simulation_options(scene.desc.run));
}

}  // namespace delassus::cli
