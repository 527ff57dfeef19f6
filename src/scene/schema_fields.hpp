// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shorthands in which the tables of the schema are written.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "delassus/scene/schema.hpp"

namespace delassus::schema {

// Shorthands for the fields below.
inline SchemaField positive(std::string key, std::string fallback, std::string unit, std::string meaning,
                            bool required = false) {
  return {std::move(key),  FieldType::number,  required,       std::move(fallback),
          std::move(unit), std::move(meaning), number_above(0)};
}
inline SchemaField not_negative(std::string key, std::string fallback, std::string unit, std::string meaning,
                                bool required = false) {
  return {std::move(key),  FieldType::number,  required,          std::move(fallback),
          std::move(unit), std::move(meaning), number_at_least(0)};
}
inline SchemaField number(std::string key, std::string fallback, std::string unit, std::string meaning,
                          double lowest, double highest) {
  return {std::move(key),
          FieldType::number,
          false,
          std::move(fallback),
          std::move(unit),
          std::move(meaning),
          number_between(lowest, highest)};
}
inline SchemaField flag(std::string key, std::string fallback, std::string meaning) {
  return {std::move(key), FieldType::boolean, false, std::move(fallback), "", std::move(meaning)};
}
inline SchemaField text(std::string key, bool required, std::string meaning) {
  return {std::move(key), FieldType::text, required, "", "", std::move(meaning)};
}
inline SchemaField choice(std::string key, std::string fallback, std::vector<std::string> choices,
                          std::string meaning) {
  return {.key = std::move(key),
          .type = FieldType::choice,
          .fallback = std::move(fallback),
          .meaning = std::move(meaning),
          .choices = std::move(choices)};
}
inline SchemaField of_type(std::string key, FieldType type, bool required, std::string unit,
                           std::string meaning, std::string fallback = "") {
  return {std::move(key), type, required, std::move(fallback), std::move(unit), std::move(meaning)};
}
inline SchemaField tables(std::string key, FieldType type, std::vector<std::string> names,
                          std::string meaning) {
  return {.key = std::move(key), .type = type, .meaning = std::move(meaning), .tables = std::move(names)};
}
inline SchemaField vector3(std::string key, bool required, std::string unit, std::string meaning,
                           std::string fallback = "") {
  return of_type(std::move(key), FieldType::vector3, required, std::move(unit), std::move(meaning),
                 std::move(fallback));
}
inline SchemaField name_field() {
  return text("name", true, "unique name");
}
inline SchemaField type_field() {
  return text("type", true, "which kind of element this is");
}
inline SchemaField ends() {
  return of_type("between", FieldType::names, true, "",
                 "two ends: names of bodies, or 'world' for a fixed point");
}
inline SchemaField anchor() {
  return vector3("anchor", false, "m", "the fixed point, when one end is 'world'", "[0, 0, 0]");
}

using FieldList = std::vector<SchemaField>;
FieldList operator+(FieldList a, const FieldList& b);

// What a surface is like; `from`: where it comes from when it is left out, empty: defaults of the program.
FieldList materials(const std::string& from);
FieldList pair_materials(const std::string& from);      // those that a pair of bodies may have of its own
FieldList surface_directions(const std::string& from);  // what depends on how a shape lies
// With what it touches.
FieldList contact_groups(const std::string& from);
SchemaField margin(const std::string& from);
// The list of shapes of a body.
SchemaField shapes();

// Tables of bodies, joints, drives, forces and contacts.
std::vector<SchemaTable> mechanism_tables();
// Tables of shapes and how they touch.
std::vector<SchemaTable> shape_tables();

}  // namespace delassus::schema
