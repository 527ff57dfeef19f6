// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/base/names.hpp"

namespace delassus {
namespace {

std::string shown(const DataTree& value) {
  if (value.kind == DataTree::Kind::list || value.kind == DataTree::Kind::map ||
      value.kind == DataTree::Kind::null)
    return to_string(value.kind);
  return quote(value.text);
}

constexpr std::size_t k_longest_name = 200;
constexpr std::size_t k_longest_path = 4096;  // of most systems

bool is_scalar(const DataTree& value) {
  return value.kind != DataTree::Kind::list && value.kind != DataTree::Kind::map &&
         value.kind != DataTree::Kind::null;
}

// A word that stands instead of a number.
bool is_word(const SchemaField& f, const DataTree& value) {
  return value.kind == DataTree::Kind::text &&
         std::find(f.choices.begin(), f.choices.end(), value.text) != f.choices.end();
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
}

}  // namespace

bool is_formula_name(const std::string& name) {
  const std::string names[] = {name};
  try {
    const Expression formula = Expression::parse(name, names);
    return formula.depends_on(0);
  } catch (const ExpressionError&) {
    return false;
  }
}

namespace {

// The words for numbers that are none, which a formula does not know.
bool names_no_number(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const char* sign : {"", "+", "-"})
    for (const char* word : {"nan", "inf", "infinity", ".nan", ".inf"})
      if (text == std::string(sign) + word) return true;
  return false;
}

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

FieldReader::FieldReader(const DataTree& value, const SchemaTable& table, const Constants& constants)
    : value_(value), table_(table), constants_(constants) {
  if (value.kind != DataTree::Kind::map)
    fail(value.place, fmt::format("{} must be a map of keys, but is {}", table.name, shown(value)));
  std::vector<std::string> known;
  for (const SchemaField& f : table.fields) known.push_back(f.key);
  for (std::size_t i = 0; i < value.map.size(); ++i) {
    const std::string& key = value.map[i].first;
    const auto at = std::find(known.begin(), known.end(), key);
    if (at == known.end())
      fail(value.key_places[i],
           fmt::format("unknown key {} in {}{}", quote(key), title(), name_advice(key, known)));
    const DataTree& member = value.map[i].second;
    const SchemaField& field = table.fields[at - known.begin()];
    if (member.kind == DataTree::Kind::null)
      // Settings by path have a place of their own.
      fail(member.place.line == 0 ? member.place : value.key_places[i],
           fmt::format("'{}' of {} has no value; allowed: {}", key, title(),
                       range_text(field).empty() ? to_string(field.type) : range_text(field)));
    check_type(field, member);
  }
  for (const SchemaField& f : table.fields)
    if (f.required && value.find(f.key) == nullptr) {
      std::vector<std::string> notes;
      if (f.meaning != f.key) notes.push_back(f.meaning);
      if (!f.unit.empty() && f.unit != "-") notes.push_back("[" + f.unit + "]");
      if (!range_text(f).empty()) notes.push_back(range_text(f));
      fail(value.place, fmt::format("{} lacks the key '{}' ({})", title(), f.key, join(notes)));
    }
}

std::string FieldReader::title() const {
  // Elements have a name that must be there, shapes may have one; the name of a stepper is another matter.
  const bool element = table_.name.ends_with(" shape") ||
                       std::any_of(table_.fields.begin(), table_.fields.end(),
                                   [](const SchemaField& f) { return f.key == "name" && f.required; });
  const DataTree* name = value_.find("name");
  if (!element || name == nullptr || !is_scalar(*name) || name->text.empty()) return table_.name;
  return table_.name + " " + quote(name->text);
}

const DataTree* FieldReader::find(const std::string& key) const {
  return value_.find(key);
}

Place FieldReader::place(const std::string& key) const {
  const DataTree* value = find(key);
  return value != nullptr ? value->place : value_.place;
}

Place FieldReader::place(const std::string& key, std::size_t element) const {
  const DataTree* value = find(key);
  return value != nullptr && element < value->list.size() ? value->list[element].place : place(key);
}

Place FieldReader::key_place(const std::string& key) const {
  for (std::size_t i = 0; i < value_.map.size(); ++i)
    if (value_.map[i].first == key) return value_.key_places[i];
  return value_.place;
}

bool FieldReader::knows(const std::string& key) const {
  return std::any_of(table_.fields.begin(), table_.fields.end(),
                     [&](const SchemaField& f) { return f.key == key; });
}

const SchemaField& FieldReader::field(const std::string& key) const {
  for (const SchemaField& f : table_.fields)
    if (f.key == key) return f;
  throw std::logic_error("schema table '" + table_.name + "' has no key '" + key + "'");
}

// One line of text, or one of the words of a choice.
void FieldReader::check_word(const SchemaField& f, const DataTree& value) const {
  const std::string what = fmt::format("'{}' of {}", f.key, title());
  if (value.kind == DataTree::Kind::list || value.kind == DataTree::Kind::map)
    fail(value.place, fmt::format("{} is {}; allowed: text", what, shown(value)));
  const bool known = f.type != FieldType::choice ||
                     std::find(f.choices.begin(), f.choices.end(), value.text) != f.choices.end();
  if (!known && !f.noun.empty()) fail(value.place, unknown_name(f.noun, value.text, f.choices));
  if (!known)
    fail(value.place, fmt::format("{} is {}{}", what, shown(value), allowed_words(value.text, f.choices)));
  if (value.text.empty()) fail(value.place, what + " is empty");
  if (f.key != "description" && has_control_character(value.text))
    fail(value.place, what + " has a line end or another control character; allowed: one line of text");
  if (const std::size_t longest = f.key == "file" ? k_longest_path : k_longest_name;
      f.key != "description" && value.text.size() > longest)
    fail(value.place, fmt::format("{} has {} bytes; allowed: up to {}", what, value.text.size(), longest));
}

// Types and ranges that need no context. Formulas and references are checked where they are read.
void FieldReader::check_type(const SchemaField& f, const DataTree& value) const {
  const std::string what = fmt::format("'{}' of {}", f.key, title());
  switch (f.type) {
    case FieldType::number:
    case FieldType::integer:
      if (!is_word(f, value)) checked_number(f, value);
      break;
    case FieldType::boolean:
      if (value.kind != DataTree::Kind::boolean)
        fail(value.place, fmt::format("{} is {}; allowed: true or false", what, shown(value)));
      break;
    case FieldType::text:
    case FieldType::choice:
      check_word(f, value);
      break;
    case FieldType::vector3:
      if (to_list(value, what).size() != 3)
        fail(value.place, fmt::format("{} has {} entries; allowed: 3", what, value.list.size()));
      [[fallthrough]];
    case FieldType::numbers:
      for (const DataTree& entry : to_list(value, what)) to_number(entry, "an entry of " + what, constants_);
      break;
    case FieldType::names:
      for (const DataTree& entry : to_list(value, what))
        if (!is_scalar(entry) || entry.text.empty() || entry.text.size() > k_longest_name ||
            has_control_character(entry.text))
          fail(entry.place, fmt::format("an entry of {} is {}; allowed: a name", what, shown(entry)));
      break;
    case FieldType::number_rows:
      for (const DataTree& row : to_list(value, what)) {
        if (row.kind != DataTree::Kind::list)
          fail(row.place, fmt::format("a row of {} must be a list, but is {}", what, shown(row)));
        for (const DataTree& entry : row.list) to_number(entry, "an entry of " + what, constants_);
      }
      break;
    case FieldType::formulas:
    case FieldType::formula_rows:
      to_list(value, what);
      break;
    case FieldType::objects:
      if (value.kind != DataTree::Kind::list)
        fail(value.place,
             fmt::format("{} must be a list of maps, but is {}; write each element as '- {{name: …}}'", what,
                         shown(value)));
      break;
    case FieldType::constants:
    case FieldType::object:
      if (value.kind != DataTree::Kind::map)
        fail(value.place, fmt::format("{} must be a map of keys, but is {}", what, shown(value)));
      break;
    case FieldType::formula:
      if (value.kind == DataTree::Kind::list || value.kind == DataTree::Kind::map)
        fail(value.place, fmt::format("{} is {}; allowed: a formula", what, shown(value)));
      break;
  }
}

const std::vector<DataTree>& FieldReader::to_list(const DataTree& value, const std::string& what) const {
  if (value.kind != DataTree::Kind::list)
    fail(value.place, fmt::format("{} must be a list, but is {}", what, shown(value)));
  return value.list;
}

// A number, or a formula of the constants.
double FieldReader::to_number(const DataTree& value, const std::string& what, const Constants& constants,
                              const std::string& allowed) const {
  double number = value.number;
  if (value.kind == DataTree::Kind::text &&
      !(names_no_number(value.text) && !constants.contains(value.text))) {
    try {
      number = to_formula(value, {}, what, constants).evaluate({});
    } catch (const InputError& error) {
      throw InputError(error.place(), std::string(error.what()).substr(to_string(error.place()).size()) +
                                          "; allowed: " + allowed + " or a formula of the constants");
    }
    if (!std::isfinite(number))
      fail(value.place, fmt::format("{} is {} = {}; allowed: {}", what, quote(value.text),
                                    std::isnan(number) ? NAN : number, allowed));
  } else if (value.kind != DataTree::Kind::number || !std::isfinite(number)) {
    fail(value.place,
         fmt::format("{} is {}; allowed: {}", what,
                     is_scalar(value) ? value.text.substr(0, k_longest_name) : shown(value), allowed));
  }
  return number;
}

double FieldReader::checked_number(const SchemaField& f, const DataTree& value) const {
  const std::string what = fmt::format("'{}' of {}", f.key, title());
  const std::string range = range_text(f);
  const double number =
      to_number(value, what, constants_, "a finite number" + (range.empty() ? "" : " " + range));
  if (f.type == FieldType::integer && number != std::floor(number))
    fail(value.place,
         fmt::format("{} is {}; allowed: whole numbers{}", what, number, range.empty() ? "" : " " + range));
  if (!f.range.allows(number)) fail(value.place, fmt::format("{} is {}; allowed: {}", what, number, range));
  return number;
}

Expression FieldReader::to_formula(const DataTree& value, const std::vector<std::string>& variables,
                                   const std::string& what, const Constants& constants) const {
  if (!is_scalar(value))
    fail(value.place, fmt::format("{} must be a formula, but is {}", what, shown(value)));
  if (value.kind == DataTree::Kind::number) {
    if (!std::isfinite(value.number))
      fail(value.place, fmt::format("{} is {}; allowed: a formula or a finite number", what, value.text));
    return Expression::constant(value.number);
  }
  try {
    return Expression::parse(value.text, variables, constants);
  } catch (const ExpressionError& error) {
    const Place place = error.column() > 0 ? value.place_of_character(error.column() - 1) : value.place;
    fail(place, fmt::format("{}: {}", what, error.message()));
  }
}

double FieldReader::number(const std::string& key, double fallback) const {
  const DataTree* value = find(key);
  return value != nullptr ? checked_number(field(key), *value) : fallback;
}

std::optional<double> FieldReader::optional_number(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  return number(key, 0);
}

int FieldReader::integer(const std::string& key, int fallback) const {
  return static_cast<int>(number(key, fallback));
}

bool FieldReader::boolean(const std::string& key, bool fallback) const {
  const DataTree* value = find(key);
  return value != nullptr ? value->boolean : fallback;
}

std::string FieldReader::text(const std::string& key, const std::string& fallback) const {
  const DataTree* value = find(key);
  return value != nullptr ? value->text : fallback;
}

SettingData FieldReader::setting(const std::string& key) const {
  const SchemaField& f = field(key);
  const DataTree& value = *find(key);
  if (f.type == FieldType::boolean) return value.boolean;
  if (f.type == FieldType::choice || is_word(f, value)) return value.text;
  return checked_number(f, value);
}

NameRef FieldReader::name(const std::string& key) const {
  return {text(key, "") + (key == "name" ? name_suffix_ : ""), place(key)};
}

Vector3 FieldReader::vector3(const std::string& key, const Vector3& fallback) const {
  if (!has(key)) return fallback;
  const std::vector<double> entries = numbers(key);
  return {entries[0], entries[1], entries[2]};
}

std::vector<double> FieldReader::numbers(const std::string& key) const {
  std::vector<double> out;
  if (const DataTree* value = find(key))
    for (const DataTree& entry : value->list)
      out.push_back(to_number(entry, fmt::format("an entry of '{}' of {}", key, title()), constants_));
  return out;
}

std::vector<std::vector<double>> FieldReader::number_rows(const std::string& key) const {
  std::vector<std::vector<double>> out;
  const DataTree* value = find(key);
  if (value == nullptr) return out;
  const std::string what = fmt::format("an entry of '{}' of {}", key, title());
  for (const DataTree& row : value->list) {
    out.emplace_back();
    for (const DataTree& entry : row.list) out.back().push_back(to_number(entry, what, constants_));
  }
  return out;
}

std::vector<NameRef> FieldReader::names(const std::string& key) const {
  std::vector<NameRef> out;
  if (const DataTree* value = find(key))
    for (const DataTree& entry : value->list) out.push_back({entry.text, entry.place});
  return out;
}

std::optional<Expression> FieldReader::formula(const std::string& key,
                                               const std::vector<std::string>& variables) const {
  const DataTree* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_formula(*value, variables, fmt::format("'{}' of {}", key, title()), constants_);
}

std::vector<Expression> FieldReader::formulas(const std::string& key,
                                              const std::vector<std::string>& variables) const {
  std::vector<Expression> out;
  if (const DataTree* value = find(key))
    for (const DataTree& entry : value->list)
      out.push_back(
          to_formula(entry, variables, fmt::format("an entry of '{}' of {}", key, title()), constants_));
  return out;
}

std::vector<std::vector<Expression>> FieldReader::formula_rows(
    const std::string& key, const std::vector<std::string>& variables) const {
  std::vector<std::vector<Expression>> out;
  const DataTree* value = find(key);
  if (value == nullptr) return out;
  const std::string what = fmt::format("an entry of '{}' of {}", key, title());
  // A flat list is one row.
  const bool flat = !value->list.empty() && value->list.front().kind != DataTree::Kind::list;
  const auto read_row = [&](const DataTree& row) {
    std::vector<Expression> formulas;
    for (const DataTree& entry : to_list(row, what))
      formulas.push_back(to_formula(entry, variables, what, constants_));
    out.push_back(std::move(formulas));
  };
  if (flat) {
    read_row(*value);
  } else {
    for (const DataTree& row : value->list) read_row(row);
  }
  return out;
}

Constants FieldReader::constants(const std::string& key) const {
  Constants out;
  const DataTree* value = find(key);
  if (value == nullptr) return out;
  for (std::size_t i = 0; i < value->map.size(); ++i) {
    const auto& [name, entry] = value->map[i];
    if (name == "t") fail(value->key_places[i], "a constant may not be called 't', which is the time");
    if (!is_formula_name(name))
      fail(
          value->key_places[i],
          fmt::format("a constant is called {}; allowed: names that formulas can use (letters, digits and _)",
                      quote(name)));
    // Later constants may use earlier ones.
    out[name] = to_number(entry, "constant '" + name + "'", out);
  }
  return out;
}

std::vector<FieldReader> FieldReader::objects(const std::string& key) const {
  std::vector<FieldReader> out;
  const DataTree* value = find(key);
  if (value == nullptr) return out;
  const std::vector<std::string>& tables = field(key).tables;
  for (const DataTree& entry : value->list) {
    const SchemaTable* table = &find_table(tables.front());
    const DataTree* type = entry.find("type");
    if (tables.size() > 1 || (type != nullptr && !table->type.empty())) {
      std::vector<std::string> known;
      table = nullptr;
      for (const std::string& name : tables) {
        known.push_back(find_table(name).type);
        if (type != nullptr && type->text == known.back()) table = &find_table(name);
      }
      if (entry.kind != DataTree::Kind::map)
        fail(entry.place,
             fmt::format("an entry of '{}' must be a map of keys, but is {}", key, shown(entry)));
      // Where `type` may be left out, the first table is meant.
      const SchemaTable& first = find_table(tables.front());
      const bool optional = std::any_of(first.fields.begin(), first.fields.end(),
                                        [](const SchemaField& f) { return f.key == "type" && !f.required; });
      if (type == nullptr && optional) table = &first;
      if (type == nullptr && !optional)
        fail(entry.place,
             fmt::format("an entry of '{}' lacks the key 'type'; allowed: {}", key, join(known)));
      if (table == nullptr)
        fail(type->place, fmt::format("'type' of an entry of '{}' is {}{}", key, shown(*type),
                                      allowed_words(type->text, known)));
    }
    const bool repeated = entry.find("repeat") != nullptr &&
                          std::any_of(table->fields.begin(), table->fields.end(),
                                      [](const SchemaField& f) { return f.key == "repeat"; });
    if (repeated)
      add_repeated(entry, *table, out);
    else
      out.emplace_back(entry, *table, constants_);
  }
  return out;
}

// The last counter runs fastest.
void FieldReader::add_repeated(const DataTree& entry, const SchemaTable& table,
                               std::vector<FieldReader>& out) const {
  constexpr double most_copies = 1e5;  // more are a slip of the pen
  const DataTree& repeat = *entry.find("repeat");
  if (repeat.kind != DataTree::Kind::map || repeat.map.empty())
    fail(repeat.place,
         fmt::format("'repeat' must be a map of counters, but is {}; write {{i: 10}}", shown(repeat)));
  std::vector<int> counts;
  double copies = 1;
  for (std::size_t i = 0; i < repeat.map.size(); ++i) {
    const auto& [name, value] = repeat.map[i];
    if (!is_formula_name(name) || name == "t" || constants_.contains(name))
      fail(repeat.key_places[i],
           fmt::format(
               "a counter is called {}; allowed: names that formulas can use, other than t and those of "
               "constants",
               quote(name)));
    const std::string what = fmt::format("the number of '{}'", name);
    const double count = to_number(value, what, constants_);
    copies *= count;
    if (!(count >= 1) || count != std::floor(count) || copies > most_copies)
      fail(value.place, fmt::format("{} is {}; allowed: whole numbers from 1, all together up to {:g} copies",
                                    what, count, most_copies));
    counts.push_back(static_cast<int>(count));
  }
  std::vector<int> index(counts.size(), 0);
  for (bool more = true; more;) {
    auto own = std::make_shared<Constants>(constants_);
    std::string suffix;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      (*own)[repeat.map[i].first] = index[i];
      suffix += fmt::format("_{}", index[i]);
    }
    FieldReader copy(entry, table, *own);
    copy.own_constants_ = std::move(own);
    copy.name_suffix_ = std::move(suffix);
    out.push_back(std::move(copy));
    more = false;
    for (std::size_t i = counts.size(); i-- > 0 && !more;) {
      more = ++index[i] < counts[i];
      if (!more) index[i] = 0;
    }
  }
}

std::optional<FieldReader> FieldReader::object(const std::string& key) const {
  const DataTree* value = find(key);
  if (value == nullptr) return std::nullopt;
  return FieldReader(*value, find_table(field(key).tables.front()), constants_);
}

}  // namespace delassus
