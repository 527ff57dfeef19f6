// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/value.hpp"

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

Value& find_element(Value& list, const std::string& part, const std::string& path) {
  std::vector<std::string> names;
  for (Value& element : list.list) {
    names.push_back(element_name(element));
    if (names.back() == part) return element;
  }
  char* end = nullptr;
  const unsigned long index = std::strtoul(part.c_str(), &end, 10);
  if (!part.empty() && *end == '\0' && index < list.list.size()) return list.list[index];
  std::string known;
  for (const std::string& name : names)
    if (!name.empty()) known += (known.empty() ? "" : ", ") + name;
  const std::string near = nearest_name(part, names);
  throw InputError("setting '" + path + "': there is no element '" + part + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
                   (known.empty() ? "" : "; known: " + known));
}

}  // namespace

const Value* Value::find(const std::string& key) const {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

Value* Value::find(const std::string& key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

const char* to_string(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null: return "nothing";
    case Value::Kind::boolean: return "true/false";
    case Value::Kind::number: return "a number";
    case Value::Kind::text: return "text";
    case Value::Kind::list: return "a list";
    case Value::Kind::map: return "a map";
  }
  return "unknown";
}

void set_path(Value& root, const std::string& path, Value value) {
  const std::vector<std::string> parts = split_path(path);
  if (parts.empty()) throw InputError("a setting has an empty path; write --set path=value, e.g. --set stepper.step=1e-3");
  Value* at = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (at->kind == Value::Kind::list) {
      at = &find_element(*at, parts[i], path);
    } else {
      if (at->kind == Value::Kind::null) at->kind = Value::Kind::map;
      if (at->kind != Value::Kind::map)
        throw InputError("setting '" + path + "': '" + parts[i - 1] + "' is " + to_string(at->kind) + ", it has no member '" + parts[i] + "'");
      Value* child = at->find(parts[i]);
      if (child == nullptr) {
        at->map.emplace_back(parts[i], Value{});
        at->key_places.push_back(value.place);
        child = &at->map.back().second;
        child->place = value.place;
      }
      at = child;
    }
    if (last) *at = std::move(value);
  }
}

}  // namespace delassus
