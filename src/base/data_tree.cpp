// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/data_tree.hpp"

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

std::string element_name(const DataTree& element) {
  const DataTree* name = element.find("name");
  return name != nullptr ? name->text : std::string();
}

// `list_name` is for messages.
DataTree& find_element(DataTree& list, const std::string& part, const std::string& list_name) {
  std::vector<std::string> names;
  for (DataTree& element : list.list) {
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

DataTree::DataTree() = default;

const DataTree* DataTree::find(const std::string& key) const {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

DataTree* DataTree::find(const std::string& key) {
  return const_cast<DataTree*>(static_cast<const DataTree*>(this)->find(key));
}

Place DataTree::place_of_character(int character) const {
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

const char* to_string(DataTree::Kind kind) {
  switch (kind) {
    case DataTree::Kind::null:
      return "nothing";
    case DataTree::Kind::boolean:
      return "true/false";
    case DataTree::Kind::number:
      return "a number";
    case DataTree::Kind::text:
      return "text";
    case DataTree::Kind::list:
      return "a list";
    case DataTree::Kind::map:
      return "a map";
  }
  return "unknown";
}

void set_path(DataTree& root, const std::string& path, DataTree value) {
  const std::vector<std::string> parts = split_path(path);
  if (parts.empty()) throw InputError("the path is empty; write path=value, e.g. stepper.step=1e-3");
  DataTree* at = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (at->kind == DataTree::Kind::list) {
      at = &find_element(*at, parts[i], i > 0 ? parts[i - 1] : "scene");
    } else {
      if (at->kind == DataTree::Kind::null) at->kind = DataTree::Kind::map;
      if (at->kind != DataTree::Kind::map)
        throw InputError((i > 0 ? quote(parts[i - 1]) : std::string("the scene")) + " is " +
                         to_string(at->kind) + ", it has no member " + quote(parts[i]));
      const auto found =
          std::find_if(at->map.begin(), at->map.end(), [&](const auto& x) { return x.first == parts[i]; });
      const auto index = static_cast<std::size_t>(found - at->map.begin());
      if (found == at->map.end()) {
        at->map.emplace_back(parts[i], DataTree{});
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
