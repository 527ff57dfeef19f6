// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The scene format as data: every key with its type, unit, range, default and meaning. The decoder checks
// files against these tables, `delassus list schema` prints them; a new key is one line here and one where it
// is used.
#pragma once
#include <limits>
#include <string>
#include <vector>

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

struct Field {
  std::string key;
  FieldType type = FieldType::number;
  bool required = false;
  std::string fallback;  // default, as shown to the user; empty: none
  std::string unit;      // "-" for dimensionless
  std::string meaning;
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool open_lowest = false;  // lowest itself is not allowed
  std::vector<std::string> choices = {};
  // Of object, objects: the tables by name; several: selected by the key `type`.
  std::vector<std::string> tables = {};
};

struct Table {
  std::string name;  // how error messages and other tables refer to it
  std::string type;  // value of the key `type` that selects it among several; empty: none
  std::string meaning;
  std::vector<Field> fields;
};

// Version of the format: the value of the key `delassus` of a scene.
inline constexpr int k_schema_version = 1;

const std::vector<Table>& scene_schema();
const Table& find_table(const std::string& name);

// The allowed range as text: "> 0", "0 … 1"; empty when unlimited.
std::string range_text(const Field& field);
const char* to_string(FieldType type);

}  // namespace delassus
