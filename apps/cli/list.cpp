// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus list: everything that can be chosen by name, and the scene format.
#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/commands.hpp"
#include "delassus/base/names.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/scene/schema.hpp"
#include "delassus/settings/run_settings.hpp"

namespace delassus::cli {
namespace {

void list_schema() {
  fmt::print(
      "Scene files, format {} (YAML or JSON). SI units, right-handed axes. Numbers may be formulas of the "
      "constants.\n"
      "Unit and allowed range stand in brackets, the default behind '='.\n",
      k_schema_version);
  for (const SchemaTable& table : scene_schema()) {
    fmt::print("\n{}{}\n  {}\n", table.name,
               table.type.empty() ? "" : fmt::format("   (type: {})", table.type), table.meaning);
    for (const SchemaField& field : table.fields) {
      std::string notes;
      const std::string range = range_text(field);
      if (!field.unit.empty() && field.unit != "-") notes += field.unit;
      if (!range.empty()) notes += (notes.empty() ? "" : ", ") + range;
      if (!field.tables.empty()) notes += fmt::format("{}", fmt::join(field.tables, " | "));
      fmt::print("    {:<26}{}{}{}{}\n", field.key, to_string(field.type),
                 notes.empty() ? "" : " [" + notes + "]",
                 field.fallback.empty() ? "" : " = " + field.fallback, field.required ? "  (required)" : "");
      fmt::print("    {:<26}  {}\n", "", field.meaning);
    }
  }
}

void list_schemes(const std::vector<StepperInfo>& schemes) {
  std::size_t width = 0;
  for (const StepperInfo& s : schemes) width = std::max(width, s.name.size());
  for (const StepperInfo& s : schemes)
    fmt::print("{:<{}}  order {:<5}{} [{}]\n", s.name, width, s.order, s.summary, s.source);
}

// As `--set` takes it; settings at the top of a scene have no table.
std::string path_of(const SettingTable& table, const SettingInfo& info) {
  return (table.name == "scene" ? "" : table.name + ".") + info.key;
}

void list_defaults() {
  fmt::print("What is used when a scene does not say otherwise:\n\n");
  for (const DefaultStepper& rule : list_default_steppers())
    fmt::print("  {:<44}{:<20}because {}\n", rule.models, rule.name, rule.reason);
  fmt::print("\n");
  for (const SettingTable& table : setting_tables())
    for (const SettingInfo& info : table.keys)
      fmt::print("  {:<38}{:<20}{}\n", path_of(table, info), info.fallback, info.meaning);
}

// What may stand for a setting; names that have a list of their own are not repeated.
std::string values_of(const SettingInfo& info) {
  if (!info.noun.empty()) return fmt::format("`delassus list {}s`", info.noun);
  if (info.type == SettingInfo::Type::boolean) return "true, false";
  const std::string allowed = allowed_text(info.range, info.words);
  const std::string unit = info.unit.empty() || info.unit == "-" ? "" : " [" + info.unit + "]";
  return (info.type == SettingInfo::Type::integer ? "whole, " : "") + allowed + unit;
}

// As it stands in docs/scenes.md.
void list_settings() {
  fmt::print("| setting | allowed | default | meaning |\n|---|---|---|---|\n");
  for (const SettingTable& table : setting_tables())
    for (const SettingInfo& info : table.keys)
      fmt::print("| `{}` | {} | {} | {} |\n", path_of(table, info), values_of(info), info.fallback,
                 info.meaning);
}

}  // namespace

int list_command(const std::string& kind) {
  if (kind == "steppers") {
    list_schemes(list_steppers());
  } else if (kind == "methods") {
    list_schemes(list_methods());
  } else if (kind == "solvers") {
    for (const SolverInfo& s : list_solvers()) fmt::print("{:<22}{}\n", s.name, s.summary);
  } else if (kind == "laws") {
    for (const LawInfo& s : list_laws()) fmt::print("{:<22}{}\n", s.name, s.summary);
  } else if (kind == "scenes") {
    for (const std::string& name : scene_names())
      fmt::print("{:<24}{}\n", name, load_scene(name, {}).desc.description);
  } else if (kind == "schema") {
    list_schema();
  } else if (kind == "settings") {
    list_settings();
  } else if (kind == "defaults") {
    list_defaults();
  } else {
    const std::vector<std::string> kinds{"steppers", "methods", "solvers",  "laws",
                                         "scenes",   "schema",  "settings", "defaults"};
    const std::string near = nearest_name(kind, kinds);
    throw InputError(fmt::format("cannot list '{}'; {}allowed: {}", kind,
                                 near.empty() ? "" : "did you mean '" + near + "'? ",
                                 fmt::join(kinds, ", ")));
  }
  return k_done;
}

}  // namespace delassus::cli
