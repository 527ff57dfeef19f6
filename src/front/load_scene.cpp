// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/front/load_scene.hpp"

#include <filesystem>

#include "delassus/base/embedded_file.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/names.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/decode.hpp"

namespace delassus {

// The files of library/scenes (cmake/embed.cmake).
const std::vector<EmbeddedFile>& embedded_scenes();

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_scenes())
    names.push_back(file.name.substr(0, file.name.rfind('.')));
  return names;
}

namespace {

// Messages about a setting name the setting; a line and column of its few characters would only confuse.
void forget_lines(DataTree& value) {
  value.place.line = value.place.column = 0;
  value.lines.clear();
  for (DataTree& element : value.list) forget_lines(element);
  for (auto& member : value.map) forget_lines(member.second);
  for (Place& place : value.key_places) place.line = place.column = 0;
}

void apply(const SceneSetting& setting, DataTree& scene) {
  const Place place{setting.origin, 0, 0};
  const std::size_t equals = setting.text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(place, "a setting has the form path=value, e.g. stepper.step=1e-3");
  DataTree value;
  try {
    value = parse_yaml(setting.text.substr(equals + 1), setting.origin);
  } catch (const InputError& error) {
    throw InputError(place, std::string(error.what()).substr(to_string(error.place()).size()));
  }
  forget_lines(value);
  try {
    set_path(scene, setting.text.substr(0, equals), std::move(value));
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& name,
                  const std::vector<SceneSetting>& settings) {
  Scene out;
  out.text = text;
  out.values = parse_yaml(text, name);
  for (const SceneSetting& setting : settings) {
    apply(setting, out.values);
    out.settings.push_back(setting.text);
  }
  out.desc = decode_scene(out.values);
  if (out.desc.name.empty()) out.desc.name = std::filesystem::path(name).stem().string();
  return out;
}

Scene load_scene(const std::string& scene, const std::vector<SceneSetting>& settings) {
  const EmbeddedFile* built_in = nullptr;
  for (const EmbeddedFile& file : embedded_scenes())
    if (file.name == scene || file.name == scene + ".yaml") built_in = &file;
  // A file comes before a built-in scene; a directory does not, it may be the output of an earlier run.
  const bool exists = std::filesystem::exists(scene);
  if (exists && (built_in == nullptr || !std::filesystem::is_directory(scene))) {
    constexpr std::size_t max_bytes = std::size_t{64} << 20;
    return parse_scene(read_file(scene, max_bytes), scene, settings);
  }
  if (built_in != nullptr) return parse_scene(built_in->content, built_in->name, settings);
  const std::string near = nearest_name(scene, scene_names());
  throw InputError(
      "there is no file and no built-in scene " + quote(scene) +
      (near.empty() ? "; `delassus list scenes` shows the built-in ones" : "; did you mean '" + near + "'?"));
}

}  // namespace delassus
