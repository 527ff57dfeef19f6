// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/value.hpp"

#include <algorithm>
#include <cstdlib>

#include "delassus/base/names.hpp"

namespace delassus {
namespace {

// Splits `a.b[2].c` into a, b, 2, c.
std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  for (char c : path) {
    if (c == '.' || c == '[' || c == ']') {
      if (!part.empty()) parts.push_back(part);
      part.clear();
    } else {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

std::string element_name(const Value& element) {
  const Value* name = element.find("name");
  return name != nullptr ? name->text : std::string();
}

// `list_name` is for messages.
Value& find_element(Value& list, const std::string& part, const std::string& list_name) {
  std::vector<std::string> names;
  for (Value& element : list.list) {
    names.push_back(element_name(element));
    if (names.back() == part) return element;
  }
  char* end = nullptr;
  const unsigned long index = std::strtoul(part.c_str(), &end, 10);
  const bool is_index = !part.empty() && *end == '\0';
  if (is_index && index < list.list.size()) return list.list[index];
  if (is_index)
    throw InputError(quote(list_name) + " has no element " + part + "; it has " +
                     std::to_string(list.list.size()) + ", counted from 0");
  std::string known;
  for (const std::string& name : names)
    if (!name.empty()) known += (known.empty() ? "" : ", ") + name;
  const std::string near = nearest_name(part, names);
  throw InputError(quote(list_name) + " has no element " + quote(part) +
                   (!near.empty()    ? "; did you mean '" + near + "'?"
                    : !known.empty() ? "; known: " + known
                                     : ""));
}

}  // namespace

Value::Value() = default;

const Value* Value::find(const std::string& key) const {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

Value* Value::find(const std::string& key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

Place Value::place_of_character(int character) const {
  Place out = place;
  if (place.line == 0) return out;
  out.column += character + (quoted ? 1 : 0);
  for (const Line& l : lines)
    if (l.first <= character) {
      out.line = l.line;
      out.column = l.column + character - l.first;
    }
  return out;
}

std::string quote(const std::string& text) {
  constexpr std::size_t max_length = 60;
  std::string out = "'";
  std::size_t end = std::min(text.size(), max_length);
  // Not within a character of several bytes.
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  for (char c : text.substr(0, end)) out += static_cast<unsigned char>(c) < ' ' || c == 0x7F ? '?' : c;
  return out + (end < text.size() ? "…'" : "'");
}

const char* to_string(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::boolean:
      return "true/false";
    case Value::Kind::number:
      return "a number";
    case Value::Kind::text:
      return "text";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      return "a map";
  }
  return "unknown";
}

void set_path(Value& root, const std::string& path, Value value) {
  const std::vector<std::string> parts = split_path(path);
  if (parts.empty()) throw InputError("the path is empty; write path=value, e.g. stepper.step=1e-3");
  Value* at = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (at->kind == Value::Kind::list) {
      at = &find_element(*at, parts[i], i > 0 ? parts[i - 1] : "scene");
    } else {
      if (at->kind == Value::Kind::null) at->kind = Value::Kind::map;
      if (at->kind != Value::Kind::map)
        throw InputError((i > 0 ? quote(parts[i - 1]) : std::string("the scene")) + " is " +
                         to_string(at->kind) + ", it has no member " + quote(parts[i]));
      const auto found =
          std::find_if(at->map.begin(), at->map.end(), [&](const auto& x) { return x.first == parts[i]; });
      const auto index = static_cast<std::size_t>(found - at->map.begin());
      if (found == at->map.end()) {
        at->map.emplace_back(parts[i], Value{});
        at->map.back().second.place = value.place;
        at->key_places.push_back(value.place);
      } else if (last) {
        at->key_places[index] = value.place;
      }
      at = &at->map[index].second;
    }
  }
  *at = std::move(value);
}

}  // namespace delassus
