// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "delassus/base/files.hpp"

namespace delassus {
namespace {

// Deeper files are not scenes; the limit keeps hostile input from exhausting the stack.
constexpr int k_max_depth = 64;

Place place_of(const YAML::Mark& mark, const std::string& file) {
  if (mark.is_null()) return {file, 0, 0};
  return {file, mark.line + 1, mark.column + 1};
}

bool parse_number(const std::string& text, double& value) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return value = std::nan(""), true;
  if (text == ".inf" || text == "+.inf" || text == ".Inf" || text == ".INF") return value = HUGE_VAL, true;
  if (text == "-.inf" || text == "-.Inf" || text == "-.INF") return value = -HUGE_VAL, true;
  // Only decimal notation: words such as "nan" or "infinity" and hexadecimal are text.
  if (text.find_first_not_of("0123456789+-.eE") != std::string::npos || text.find_first_of("0123456789") == std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

Value convert(const YAML::Node& node, const std::string& file, int depth) {
  Value out;
  out.place = place_of(node.Mark(), file);
  if (depth > k_max_depth) throw InputError(out.place, "the file is nested too deeply");
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null: return out;
    case YAML::NodeType::Scalar: {
      out.text = node.Scalar();
      out.quoted = node.Tag() == "!";
      out.kind = Value::Kind::text;
      if (out.quoted) return out;
      if (out.text == "true" || out.text == "false") {
        out.kind = Value::Kind::boolean;
        out.boolean = out.text == "true";
      } else if (parse_number(out.text, out.number)) {
        out.kind = Value::Kind::number;
      }
      return out;
    }
    case YAML::NodeType::Sequence:
      out.kind = Value::Kind::list;
      for (const YAML::Node& item : node) out.list.push_back(convert(item, file, depth + 1));
      return out;
    case YAML::NodeType::Map: {
      out.kind = Value::Kind::map;
      std::set<std::string> seen;
      for (const auto& item : node) {
        const Place place = place_of(item.first.Mark(), file);
        if (!item.first.IsScalar()) throw InputError(place, "a key must be a word");
        const std::string key = item.first.Scalar();
        if (!seen.insert(key).second) throw InputError(place, "the key '" + key + "' stands here a second time");
        out.map.emplace_back(key, convert(item.second, file, depth + 1));
        out.key_places.push_back(place);
      }
      return out;
    }
  }
  return out;
}

}  // namespace

Value parse_yaml(const std::string& text, const std::string& name) {
  try {
    return convert(YAML::Load(text), name, 0);
  } catch (const YAML::Exception& error) {
    throw InputError(place_of(error.mark, name), "not valid YAML: " + error.msg);
  }
}

Value read_yaml_file(const std::string& path) {
  return parse_yaml(read_file(path), path);
}

}  // namespace delassus
