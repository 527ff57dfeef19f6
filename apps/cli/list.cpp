// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus list: everything that can be chosen by name, and the scene format.
#include <fmt/format.h>

#include "apps/cli/commands.hpp"
#include "delassus/base/names.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/scene/schema.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

void list_schema() {
  fmt::print(
      "Scene files, format {} (YAML or JSON). SI units, right-handed axes. Numbers may be formulas of the "
      "constants.\n"
      "Unit and allowed range stand in brackets, the default behind '='.\n",
      k_schema_version);
  for (const Table& table : scene_schema()) {
    fmt::print("\n{}{}\n  {}\n", table.name,
               table.type.empty() ? "" : fmt::format("   (type: {})", table.type), table.meaning);
    for (const Field& field : table.fields) {
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

void list_defaults() {
  fmt::print("What is used when a scene does not say otherwise:\n\n");
  const auto row = [](const char* model, const char* stepper, const char* meaning) {
    fmt::print("  {:<36}{:<20}{}\n", model, stepper, meaning);
  };
  row("model with joints only", "generalized-alpha", "smooth motion");
  row("contacts, stops or dry friction", "trapezoidal-2", "with located events");
  row("the same, more than 40 bodies", "moreau-jean", "one problem a step, events captured");
  fmt::print("\n");
  for (const char* name : {"stepper", "law", "impact", "solver", "output"})
    for (const Field& field : find_table(name).fields) {
      std::string fallback = field.fallback;
      if (field.key == "name")
        fallback = std::string(name) == "stepper" ? "by the model"
                   : std::string(name) == "law"   ? list_laws().front().name
                                                  : SolverSettings{}.name;
      fmt::print("  {:<36}{:<20}{}\n", fmt::format("{}.{}", name, field.key), fallback, field.meaning);
    }
}

}  // namespace

int list_command(const std::string& kind) {
  if (kind == "steppers") {
    for (const StepperInfo& s : list_steppers())
      fmt::print("{:<26}order {:<5}{:<12}{}\n", s.name, s.order, s.source, s.summary);
  } else if (kind == "solvers") {
    for (const SolverInfo& s : list_solvers()) fmt::print("{:<22}{}\n", s.name, s.summary);
  } else if (kind == "laws") {
    for (const LawInfo& s : list_laws()) fmt::print("{:<22}{}\n", s.name, s.summary);
  } else if (kind == "scenes") {
    for (const std::string& name : scene_names())
      fmt::print("{:<24}{}\n", name, load_scene(name, {}).desc.description);
  } else if (kind == "schema") {
    list_schema();
  } else if (kind == "defaults") {
    list_defaults();
  } else {
    const std::vector<std::string> kinds{"steppers", "solvers", "laws", "scenes", "schema", "defaults"};
    const std::string near = nearest_name(kind, kinds);
    throw InputError(fmt::format("cannot list '{}'; {}allowed: {}", kind,
                                 near.empty() ? "" : "did you mean '" + near + "'? ",
                                 fmt::join(kinds, ", ")));
  }
  return k_done;
}

}  // namespace delassus::cli
