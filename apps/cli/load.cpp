// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/cli/embedded.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/names.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/decode.hpp"

namespace delassus::cli {

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_scenes())
    names.push_back(file.name.substr(0, file.name.rfind('.')));
  return names;
}

namespace {

// Messages about a setting name the setting; a line and column of its few characters would only confuse.
void forget_lines(Value& value) {
  value.place.line = value.place.column = 0;
  value.lines.clear();
  for (Value& element : value.list) forget_lines(element);
  for (auto& member : value.map) forget_lines(member.second);
  for (Place& place : value.key_places) place.line = place.column = 0;
}

void apply(const Setting& setting, Value& scene) {
  const Place place{setting.origin, 0, 0};
  const std::size_t equals = setting.text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(place, "a setting has the form path=value, e.g. --set stepper.step=1e-3");
  Value value;
  try {
    value = parse_yaml(setting.text.substr(equals + 1), setting.origin);
  } catch (const InputError& error) {
    throw InputError(place, std::string(error.what()).substr(to_string(error.place()).size()));
  }
  forget_lines(value);
  if (value.kind == Value::Kind::null) throw InputError(place, "the setting has no value");
  try {
    set_path(scene, setting.text.substr(0, equals), std::move(value));
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

}  // namespace

LoadedScene load_scene(const std::string& scene, const std::vector<Setting>& settings) {
  LoadedScene out;
  std::string name = scene;
  const EmbeddedFile* built_in = nullptr;
  for (const EmbeddedFile& file : embedded_scenes())
    if (file.name == scene || file.name == scene + ".yaml") built_in = &file;
  // A file comes before a built-in scene; a directory does not, it may be the output of an earlier run.
  const bool exists = std::filesystem::exists(scene);
  if (exists && (built_in == nullptr || !std::filesystem::is_directory(scene))) {
    constexpr std::size_t max_bytes = std::size_t{64} << 20;
    out.text = read_file(scene, max_bytes);
  } else if (built_in != nullptr) {
    out.text = built_in->content;
    name = built_in->name;
  } else {
    const std::string near = nearest_name(scene, scene_names());
    throw InputError("there is no file and no built-in scene " + quote(scene) +
                     (near.empty() ? "; `delassus list scenes` shows the built-in ones"
                                   : "; did you mean '" + near + "'?"));
  }
  out.values = parse_yaml(out.text, name);
  for (const Setting& setting : settings) {
    apply(setting, out.values);
    out.settings.push_back(setting.text);
  }
  out.desc = decode_scene(out.values);
  if (out.desc.name.empty()) out.desc.name = std::filesystem::path(name).stem().string();
  return out;
}

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return;
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(directory, error))
    throw InputError("cannot write " + path + ": there is no directory " + directory);
  if (fs::is_directory(path, error)) throw InputError("cannot write " + path + ": it is a directory");
  if (access(directory.c_str(), W_OK) != 0)
    throw InputError("cannot write " + path + ": " + std::strerror(errno));
}

void require_stepper_fits(const SceneDesc& scene, const System& system, const State& state) {
  const std::optional<std::string>& asked = scene.run.options.stepper.name;
  if (!asked || !is_joints_only(*asked)) return;
  const std::string other = default_stepper(system, state);
  if (is_joints_only(other)) return;
  std::vector<std::string> names;
  for (const ContactDesc& x : scene.contacts) names.push_back("contact " + quote(x.name.name));
  for (const LimitDesc& x : scene.limits) names.push_back("limit " + quote(x.name.name));
  for (const FrictionDesc& x : scene.frictions) names.push_back("friction " + quote(x.name.name));
  if (scene.lagrangian)
    for (const LagrangianDesc::Row& x : scene.lagrangian->contacts)
      names.push_back("contact " + quote(x.name.name));
  // Shapes that might touch are watched as the run goes: they may never come near each other.
  if (names.empty()) return;
  throw InputError(
      scene.run.place("stepper.name"),
      fmt::format(
          "the stepper '{}' is for joints only, but the scene has {}; take one that handles contacts, stops "
          "and dry friction, e.g. '{}'",
          *asked, names[0], other));
}

Simulation make_simulation(const LoadedScene& scene) {
  CompiledScene compiled = compile(scene.desc);
  require_stepper_fits(scene.desc, *compiled.system, compiled.state);
  try {
    return Simulation(compiled.system, std::move(compiled.state), scene.desc.run.options);
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    // Assembly names joints and motors, the worst of them first.
    throw InputError(place_of_message(scene.desc, error.what()), error.what());
  }
}

}  // namespace delassus::cli
