// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "delassus/base/names.hpp"
#include "delassus/model/model.hpp"
#include "delassus/scene/decode_mechanism.hpp"
#include "delassus/scene/fields.hpp"
#include "delassus/system/functions.hpp"

namespace delassus {
namespace {

void require_formula_name(const NameRef& name, const char* what) {
  if (!is_formula_name(name.name))
    throw InputError(
        name.place,
        fmt::format("{} is called {}; allowed: names that formulas can use (letters, digits and _)", what,
                    quote(name.name)));
}

FormulaVariables read_variables(const FieldReader& f, const Constants& constants) {
  FormulaVariables variables;
  for (const NameRef& name : f.names("coordinates")) {
    if (name.name == "t")
      throw InputError(name.place, "a coordinate may not be called 't', which is the time");
    require_formula_name(name, "a coordinate");
    require_not_constant(name.place, name.name, "a coordinate", constants);
    variables.coordinates.push_back(name.name);
  }
  if (f.has("velocities")) {
    for (const NameRef& name : f.names("velocities")) {
      require_formula_name(name, "a velocity");
      require_not_constant(name.place, name.name, "a velocity", constants);
      variables.velocities.push_back(name.name);
    }
  } else {
    for (const std::string& name : variables.coordinates) {
      variables.velocities.push_back("v_" + name);
      require_not_constant(f.place("coordinates"), variables.velocities.back(), "a velocity", constants);
    }
  }
  const std::size_t n = variables.coordinates.size();
  if (n == 0) throw InputError(f.place("coordinates"), "'coordinates' is empty");
  require_count(f.place("velocities"), "'velocities'", variables.velocities.size(), n);
  std::set<std::string> seen;
  for (const std::string& name : variables.all())
    if (!seen.insert(name).second)
      throw InputError(f.place("coordinates"), fmt::format("the name '{}' stands for two things", name));
  return variables;
}

// `configuration`: t and q, which formulas of positions know.
void read_lagrangian_dynamics(const FieldReader& f, const FormulaVariables& variables,
                              const std::vector<std::string>& configuration, LagrangianDesc& out) {
  const std::size_t n = variables.coordinates.size();
  out.mass_place = f.place("mass");
  out.forces_place = f.place("forces");
  out.potential_place = f.place("potential");
  out.mass = f.formula_rows("mass", configuration);
  if (out.mass.size() == 1 && n > 1) {
    // One row is the diagonal.
    require_count(f.place("mass"), "the diagonal 'mass'", out.mass[0].size(), n);
    std::vector<std::vector<Expression>> full(n, std::vector<Expression>(n));
    for (std::size_t i = 0; i < n; ++i) full[i][i] = out.mass[0][i];
    out.mass = std::move(full);
  }
  require_count(f.place("mass"), "'mass'", out.mass.size(), n);
  for (const auto& row : out.mass) require_count(f.place("mass"), "a row of 'mass'", row.size(), n);
  out.forces = f.formulas("forces", variables.all());
  if (f.has("forces")) require_count(f.place("forces"), "'forces'", out.forces.size(), n);
  out.potential = f.formula("potential", configuration);
  out.coriolis = f.boolean("coriolis", true);
}

void read_lagrangian_rows(const FieldReader& f, const std::vector<std::string>& configuration,
                          LagrangianDesc& out) {
  const std::size_t n = out.coordinates.size();
  const std::vector<std::string> time{"t"};
  for (const FieldReader& c : f.objects("constraints"))
    out.constraints.push_back({.name = c.name("name"),
                               .place = c.place("equation"),
                               .formula = *c.formula("equation", configuration)});
  for (const FieldReader& c : f.objects("velocity_constraints")) {
    LagrangianDesc::Row row{.name = c.name("name"),
                            .place = c.place("coefficients"),
                            .formula = c.formula("target", time).value_or(Expression())};
    row.coefficients = c.formulas("coefficients", configuration);
    require_count(c.place("coefficients"), "'coefficients'", row.coefficients.size(), n);
    out.velocity_constraints.push_back(std::move(row));
  }
  for (const FieldReader& c : f.objects("springs"))
    out.springs.push_back({.name = c.name("name"),
                           .place = c.place("elongation"),
                           .formula = *c.formula("elongation", configuration),
                           .coefficient = c.number("stiffness", 0)});
  for (const FieldReader& c : f.objects("dampers"))
    out.dampers.push_back({.name = c.name("name"),
                           .place = c.place("elongation"),
                           .formula = *c.formula("elongation", configuration),
                           .coefficient = c.number("damping", 0)});
}

LagrangianDesc::Row read_lagrangian_contact(const FieldReader& c,
                                            const std::vector<std::string>& configuration) {
  const std::size_t n = configuration.size() - 1;
  const std::vector<std::string> time{"t"};
  LagrangianDesc::Row row{
      .name = c.name("name"), .place = c.place("gap"), .formula = *c.formula("gap", configuration)};
  row.tangents = c.formula_rows("tangents", configuration);
  if (row.tangents.size() > 2)
    throw InputError(c.place("tangents"),
                     fmt::format("'tangents' has {} rows; allowed: 0, 1 or 2", row.tangents.size()));
  for (const auto& tangent : row.tangents)
    require_count(c.place("tangents"), "a row of 'tangents'", tangent.size(), n);
  row.surface_velocity = c.formulas("surface_velocity", time);
  if (c.has("surface_velocity"))
    require_count(c.place("surface_velocity"), "'surface_velocity'", row.surface_velocity.size(),
                  row.tangents.size());
  row.friction = c.number("friction", 0);
  row.restitution = c.number("restitution", 0);
  if (row.friction > 0 && row.tangents.empty())
    throw InputError(c.place("friction"),
                     fmt::format("contact '{}' has friction but no 'tangents'", row.name.name));
  return row;
}

LagrangianDesc::Body read_lagrangian_body(const FieldReader& b,
                                          const std::vector<std::string>& configuration) {
  LagrangianDesc::Body body{.name = b.name("name"), .position = b.formulas("position", configuration)};
  require_count(b.place("position"), "'position'", body.position.size(), 3);
  body.angle = b.formula("angle", configuration);
  body.radius = b.number("radius", 0.05);
  body.size = b.numbers("size");
  if (b.has("size")) require_count(b.place("size"), "'size'", body.size.size(), 3);
  return body;
}

// Marks the coordinates that are angles.
std::vector<char> read_angles(const FieldReader& f, const std::vector<std::string>& coordinates) {
  std::vector<char> out(coordinates.size(), 0);
  for (const NameRef& name : f.names("angles")) {
    const auto found = std::find(coordinates.begin(), coordinates.end(), name.name);
    if (found == coordinates.end())
      throw InputError(name.place, unknown_name("coordinate", name.name, coordinates));
    out[static_cast<std::size_t>(found - coordinates.begin())] = 1;
  }
  return out;
}

LagrangianDesc read_lagrangian(const FieldReader& f, const Constants& constants) {
  const FormulaVariables variables = read_variables(f, constants);
  const std::size_t n = variables.coordinates.size();
  LagrangianDesc out;
  out.place = f.place();
  out.coordinates = variables.coordinates;
  out.velocities = variables.velocities;
  if (f.has("angles")) out.angles = read_angles(f, variables.coordinates);
  out.position = f.numbers("position");
  require_count(f.place("position"), "'position'", out.position.size(), n);
  out.velocity = f.has("velocity") ? f.numbers("velocity") : std::vector<double>(n, 0.0);
  require_count(f.place("velocity"), "'velocity'", out.velocity.size(), n);

  std::vector<std::string> configuration{"t"};
  configuration.insert(configuration.end(), variables.coordinates.begin(), variables.coordinates.end());
  read_lagrangian_dynamics(f, variables, configuration, out);
  read_lagrangian_rows(f, configuration, out);
  for (const FieldReader& c : f.objects("contacts"))
    out.contacts.push_back(read_lagrangian_contact(c, configuration));
  for (const FieldReader& body : f.objects("bodies"))
    out.bodies.push_back(read_lagrangian_body(body, configuration));
  return out;
}

RunSettings read_settings(const FieldReader& scene) {
  RunSettings run;
  for (const SettingTable& table : setting_tables()) {
    const bool top = table.name == scene.table().name;
    const std::optional<FieldReader> map = top ? scene : scene.object(table.name);
    if (!map) continue;
    for (const SettingKey<RunSettings>& key : table.keys)
      if (map->has(key.key)) {
        key.set(run, map->setting(key.key));
        run.places[table.name + "." + key.key] = map->place(key.key);
      }
  }
  return run;
}

// Names are unique over the whole scene, so that every message and table is unambiguous.
void require_unique_names(const SceneDesc& scene) {
  std::map<std::string, Place> seen;
  const auto check = [&](const NameRef& name) {
    const auto [at, fresh] = seen.emplace(name.name, name.place);
    if (!fresh)
      throw InputError(
          name.place,
          fmt::format("the name '{}' is used twice{}; names are unique in a scene", name.name,
                      at->second.line > 0 ? fmt::format(", first in line {}", at->second.line) : ""));
    if (name.name == "world")
      throw InputError(name.place, "'world' is the name of the fixed world; choose another");
  };
  for (const NameRef* name : element_names(scene)) check(*name);
}

}  // namespace

SceneDesc decode_scene(const DataTree& root) {
  SceneDesc out;
  out.file = root.place.file;
  if (root.kind == DataTree::Kind::null)
    throw InputError(root.place,
                     fmt::format("the file is empty; a scene begins with 'delassus: {}'", k_schema_version));
  if (root.kind != DataTree::Kind::map)
    throw InputError(
        root.place,
        fmt::format("this is not a scene: it is {}; a scene is a map of keys that begins with 'delassus: {}'",
                    to_string(root.kind), k_schema_version));
  const DataTree* version = root.find("delassus");
  if (version == nullptr)
    throw InputError(
        root.place,
        fmt::format("this is not a scene: the key 'delassus' is missing; a scene begins with 'delassus: {}'",
                    k_schema_version));
  if (version->kind != DataTree::Kind::number || version->number != k_schema_version)
    throw InputError(version->place,
                     fmt::format("the scene format is {}; this program reads format {}",
                                 version->text.empty() ? to_string(version->kind) : quote(version->text),
                                 k_schema_version));
  // The constants come first: every number of the file may use them.
  const Constants none;
  DataTree constants_only;
  constants_only.kind = DataTree::Kind::map;
  constants_only.place = root.place;
  for (std::size_t i = 0; i < root.map.size(); ++i)
    if (root.map[i].first == "constants" || root.map[i].first == "delassus") {
      constants_only.map.push_back(root.map[i]);
      constants_only.key_places.push_back(root.key_places[i]);
    }
  out.constants = FieldReader(constants_only, find_table("scene"), none).constants("constants");

  const FieldReader scene(root, find_table("scene"), out.constants);
  out.name = scene.text("name", "");
  out.description = scene.text("description", "");
  out.gravity = scene.vector3("gravity", out.gravity);
  out.duration = scene.number("duration", out.duration);
  if (scene.has("lagrangian"))
    for (const char* key : {"bodies", "joints", "measures", "motors", "limits", "frictions", "forces",
                            "contacts", "contact", "gravity"})
      if (scene.has(key))
        throw InputError(scene.key_place(key),
                         fmt::format("'{}' and 'lagrangian' cannot stand in one scene", key));
  decode_mechanism(scene, out);
  if (const auto lagrangian = scene.object("lagrangian")) {
    out.lagrangian = read_lagrangian(*lagrangian, out.constants);
  } else if (out.bodies.empty()) {
    throw InputError(root.place,
                     "the scene has no 'bodies' and no 'lagrangian' system; allowed: one of them");
  }
  out.run = read_settings(scene);
  // Beyond, the times of the grid are no longer different numbers.
  constexpr double max_steps = 1e15;
  const double step = out.run.options.step;
  if (out.duration / step > max_steps)
    throw InputError(scene.place("duration"),
                     fmt::format("the duration {} s takes {:.0e} steps of {} s; allowed: up to {:.0e}",
                                 out.duration, out.duration / step, step, max_steps));
  for (const FieldReader& f : scene.objects("picture")) {
    const bool plane = f.table().type == "plane";
    out.picture.push_back({plane, f.text("name", ""), f.vector3(plane ? "point" : "from", Vector3::Zero()),
                           f.vector3(plane ? "normal" : "to", Vector3::Zero())});
  }
  require_unique_names(out);
  return out;
}

}  // namespace delassus
