// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The scene format as data: every key with its type, unit, range, default and meaning. The decoder checks
// files against these tables, `delassus list schema` prints them; a new key is one line here and one where it
// is used. Keys of the run (stepper, law, impact, solver, output) come from settings/run_settings.hpp, with the
// members they set.
#pragma once
#include <string>
#include <vector>

#include "delassus/base/setting_key.hpp"

namespace delassus {

enum class FieldType {
  number,  // or a constant formula
  integer,
  boolean,
  text,
  choice,        // one of `choices`
  vector3,       // list of three numbers
  numbers,       // list of numbers
  number_rows,   // list of lists of numbers
  formula,       // number or formula text
  formulas,      // list of formulas
  formula_rows,  // list of lists of formulas
  names,         // list of names
  constants,     // map of names to numbers
  object,        // map described by another table
  objects,       // list of maps described by other tables
};

struct SchemaField {
  std::string key;
  FieldType type = FieldType::number;
  bool required = false;
  std::string fallback;  // default, as shown to the user; empty: none
  std::string unit;      // "-" for dimensionless
  std::string meaning;
  NumberRange range = {};
  // All that are allowed; of a number: the words that may stand instead of one.
  std::vector<std::string> choices = {};
  std::string noun = {};  // of a choice among names: what they name, "stepper"
  // Of object, objects: the tables by name; several: selected by the key `type`.
  std::vector<std::string> tables = {};
};

struct SchemaTable {
  std::string name;  // how error messages and other tables refer to it
  std::string type;  // value of the key `type` that selects it among several; empty: none
  std::string meaning;
  std::vector<SchemaField> fields;
};

// Version of the format: the value of the key `delassus` of a scene.
inline constexpr int k_schema_version = 1;

const std::vector<SchemaTable>& scene_schema();
const SchemaTable& find_table(const std::string& name);

// What is allowed as text: "> 0", "0 … 1 or automatic"; empty when unlimited.
std::string range_text(const SchemaField& field);
const char* to_string(FieldType type);

}  // namespace delassus
