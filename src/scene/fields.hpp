// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads one map of a scene file against its schema table: unknown and missing keys, types and ranges are
// checked here, once for all elements, with messages `file:line:column: what is wrong; what is allowed`.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delassus/base/data_tree.hpp"
#include "delassus/base/expression.hpp"
#include "delassus/linalg/types.hpp"
#include "delassus/scene/scene_desc.hpp"
#include "delassus/scene/schema.hpp"

namespace delassus {

using Constants = std::map<std::string, double>;

// A word that a formula can refer to.
bool is_formula_name(const std::string& name);

class FieldReader {
 public:
  // Checks that `value` is a map with known keys and all required ones.
  FieldReader(const DataTree& value, const SchemaTable& table, const Constants& constants);

  const Place& place() const { return value_.place; }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  // Whether the table has the key at all.
  bool knows(const std::string& key) const;
  // Of the value, and of the key itself; of the whole map when the key is absent.
  Place place(const std::string& key) const;
  // Of an element of a list.
  Place place(const std::string& key, std::size_t element) const;
  Place key_place(const std::string& key) const;

  // Each returns the given default when the key is absent.
  double number(const std::string& key, double fallback) const;
  std::optional<double> optional_number(const std::string& key) const;
  int integer(const std::string& key, int fallback) const;
  bool boolean(const std::string& key, bool fallback) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  std::string choice(const std::string& key, const std::string& fallback) const {
    return text(key, fallback);
  }
  // A number, word or flag as the tables of settings take it; the key must be there.
  SettingData setting(const std::string& key) const;
  NameRef name(const std::string& key) const;
  Vector3 vector3(const std::string& key, const Vector3& fallback) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::vector<double>> number_rows(const std::string& key) const;
  std::vector<NameRef> names(const std::string& key) const;
  std::optional<Expression> formula(const std::string& key, const std::vector<std::string>& variables) const;
  std::vector<Expression> formulas(const std::string& key, const std::vector<std::string>& variables) const;
  std::vector<std::vector<Expression>> formula_rows(const std::string& key,
                                                    const std::vector<std::string>& variables) const;
  Constants constants(const std::string& key) const;
  // Elements of a list of maps; each is checked against the table its `type` selects. One with `repeat` stands
  // for several: its counters are constants of each of them, and numbers at the end of its name.
  std::vector<FieldReader> objects(const std::string& key) const;
  std::optional<FieldReader> object(const std::string& key) const;
  const SchemaTable& table() const { return table_; }
  // What messages call the map: "particle 'ball'".
  std::string title() const;

  [[noreturn]] void fail(const Place& place, const std::string& what) const { throw InputError(place, what); }

 private:
  void add_repeated(const DataTree& entry, const SchemaTable& table, std::vector<FieldReader>& out) const;
  const DataTree* find(const std::string& key) const;
  const SchemaField& field(const std::string& key) const;
  void check_type(const SchemaField& field, const DataTree& value) const;
  void check_word(const SchemaField& field, const DataTree& value) const;
  // `allowed` completes the message: "a finite number > 0".
  double to_number(const DataTree& value, const std::string& what, const Constants& constants,
                   const std::string& allowed = "a finite number") const;
  double checked_number(const SchemaField& field, const DataTree& value) const;
  Expression to_formula(const DataTree& value, const std::vector<std::string>& variables,
                        const std::string& what, const Constants& constants) const;
  const std::vector<DataTree>& to_list(const DataTree& value, const std::string& what) const;

  const DataTree& value_;
  const SchemaTable& table_;
  const Constants& constants_;
  std::shared_ptr<const Constants> own_constants_;  // of a repeated element; then constants_ are these
  std::string name_suffix_;
};

}  // namespace delassus
