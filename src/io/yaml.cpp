// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "delassus/base/files.hpp"

namespace delassus {
namespace {

// Deeper or larger files are not scenes; the limits keep hostile input (aliases of aliases of …) from
// exhausting stack and memory.
constexpr int k_max_depth = 64;
constexpr std::size_t k_max_values = 4'000'000;
constexpr std::size_t k_max_bytes = std::size_t{64} << 20;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

int count_characters(const std::string& text, std::size_t begin, std::size_t end) {
  return static_cast<int>(std::count_if(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                        text.begin() + static_cast<std::ptrdiff_t>(end),
                                        [](char c) { return !continues_character(c); }));
}

// Length of the UTF-8 character that begins at `at`; 0 when there is none.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : '\0';
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  const unsigned second = length > 2 ? byte(at + 1) : 0x80;
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool no_character = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || no_character ? 0 : length;
}

// Throws at the first byte that is no text.
void require_text(const std::string& text, const std::string& name) {
  int line = 1;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = character_length(text, i);
    const bool control = (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
    if (length == 0 || control) {
      const Place place{name, line, count_characters(text, line_begin, i) + 1};
      throw InputError(
          place, control ? fmt::format("this is not a text file: it has the control character 0x{:02X}", byte)
                         : fmt::format("the byte 0x{:02X} is not UTF-8; save the file as UTF-8 text", byte));
    }
    if (byte == '\n') {
      ++line;
      line_begin = i + 1;
    }
    i += length;
  }
}

bool parse_number(const std::string& text, double& value) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return value = std::nan(""), true;
  if (text == ".inf" || text == "+.inf" || text == ".Inf" || text == ".INF") return value = HUGE_VAL, true;
  if (text == "-.inf" || text == "-.Inf" || text == "-.INF") return value = -HUGE_VAL, true;
  // Only decimal notation: words such as "nan" or "infinity" and hexadecimal are text.
  if (text.find_first_not_of("0123456789+-.eE") != std::string::npos ||
      text.find_first_of("0123456789") == std::string::npos)
    return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

class Converter {
 public:
  Converter(const std::string& source, const std::string& file)
      : source_(source), file_(file), ascii_(std::all_of(source.begin(), source.end(), [](char c) {
          return static_cast<unsigned char>(c) < 0x80;
        })) {}

  // Lines and columns from 1; columns count characters.
  Place place_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_, 0, 0};
    Place place{file_, mark.line + 1, mark.column + 1};
    constexpr int k_longest_line = 10'000;  // beyond, the column counts bytes: nobody looks there
    if (!ascii_ && mark.column <= std::min(mark.pos, k_longest_line) &&
        static_cast<std::size_t>(mark.pos) <= source_.size())
      place.column = count_characters(source_, static_cast<std::size_t>(mark.pos - mark.column),
                                      static_cast<std::size_t>(mark.pos)) +
                     1;
    return place;
  }

  DataTree convert(const YAML::Node& node, int depth) {
    DataTree out;
    out.place = place_of(node.Mark());
    if (depth > k_max_depth) fail_depth(out.place);
    if (++num_values_ > k_max_values)
      throw InputError(out.place, fmt::format("the file has too many values (aliases counted each time); "
                                              "allowed: up to {}",
                                              k_max_values));
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return out;
      case YAML::NodeType::Scalar:
        read_scalar(node, out);
        return out;
      case YAML::NodeType::Sequence:
        out.kind = DataTree::Kind::list;
        for (const YAML::Node& item : node) out.list.push_back(convert(item, depth + 1));
        return out;
      case YAML::NodeType::Map: {
        out.kind = DataTree::Kind::map;
        std::set<std::string> seen;
        for (const auto& item : node) {
          const Place place = place_of(item.first.Mark());
          if (!item.first.IsScalar()) throw InputError(place, "a key must be a word");
          const std::string key = item.first.Scalar();
          if (!seen.insert(key).second)
            throw InputError(place, "the key " + quote(key) + " stands here a second time");
          out.map.emplace_back(key, convert(item.second, depth + 1));
          out.key_places.push_back(place);
        }
        return out;
      }
    }
    return out;
  }

  [[noreturn]] static void fail_depth(const Place& place) {
    throw InputError(place,
                     fmt::format("the file is nested too deeply; allowed: up to {} levels", k_max_depth));
  }

 private:
  void read_scalar(const YAML::Node& node, DataTree& out) const {
    out.text = node.Scalar();
    out.quoted = node.Tag() == "!";
    out.kind = DataTree::Kind::text;
    require_closed_quote(node.Mark(), out.place);
    find_lines(node.Mark(), out);
    if (out.quoted) return;
    if (out.text == "true" || out.text == "false") {
      out.kind = DataTree::Kind::boolean;
      out.boolean = out.text == "true";
    } else if (parse_number(out.text, out.number)) {
      out.kind = DataTree::Kind::number;
    }
  }

  // The YAML library takes the end of the file for a closing quote.
  void require_closed_quote(const YAML::Mark& mark, const Place& place) const {
    if (mark.is_null() || static_cast<std::size_t>(mark.pos) >= source_.size()) return;
    auto at = static_cast<std::size_t>(mark.pos);
    const char quote = source_[at];
    if (quote != '"' && quote != '\'') return;
    for (++at; at < source_.size(); ++at) {
      const bool backslash = quote == '"' && source_[at] == '\\';
      const bool doubled =
          quote == '\'' && source_[at] == quote && at + 1 < source_.size() && source_[at + 1] == quote;
      if (backslash || doubled)
        ++at;
      else if (source_[at] == quote)
        return;
    }
    throw InputError(place, "not valid YAML: the quote that begins here is not closed");
  }

  // A scalar over several lines was folded by the YAML library: follows its text through the source and notes
  // where each line begins. Gives up, without lines, on escapes and whatever else it does not know.
  void find_lines(const YAML::Mark& mark, DataTree& out) const {
    if (mark.is_null() || static_cast<std::size_t>(mark.pos) >= source_.size()) return;
    auto at = static_cast<std::size_t>(mark.pos);
    if (source_[at] == '"' || source_[at] == '\'') ++at;
    if (source_.compare(at, out.text.size(), out.text) == 0 && out.text.find('\n') == std::string::npos)
      return;
    int line = mark.line + 1, last_line = line;
    std::size_t line_begin = at - std::min(at, static_cast<std::size_t>(mark.column));
    const auto step = [&] {
      if (source_[at] == '\n') {
        ++line;
        line_begin = at + 1;
      }
      ++at;
    };
    if (source_[at] == '|' || source_[at] == '>')
      while (at < source_.size() && source_[at] != '\n') ++at;
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    int character = 0;
    std::vector<DataTree::Line> lines;
    for (char c : out.text) {
      if (!blank(c)) {
        while (at < source_.size() && blank(source_[at])) step();
        if (at >= source_.size() || source_[at] != c) return;
        if (line != last_line)
          lines.push_back({character, line, count_characters(source_, line_begin, at) + 1});
        last_line = line;
        step();
      }
      character += continues_character(c) ? 0 : 1;
    }
    out.lines = std::move(lines);
  }

  const std::string& source_;
  const std::string& file_;
  bool ascii_;
  std::size_t num_values_ = 0;
};

// Notes where a document begins. (YAML::LoadAll never ends on a stray comma, YAML::Load ignores whatever
// follows.)
struct StartOfDocument : YAML::EventHandler {
  YAML::Mark mark = YAML::Mark::null_mark();
  void OnDocumentStart(const YAML::Mark& at) override { mark = at; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// What the YAML library says, in words for someone who does not know its inside.
std::string explain(const YAML::Exception& error, const std::string& source) {
  // A tab that indents is the usual cause of whatever else is said.
  if (!error.mark.is_null() && error.mark.pos >= error.mark.column) {
    const auto begin = static_cast<std::size_t>(error.mark.pos - error.mark.column);
    if (begin < source.size() && source.find_first_not_of(' ', begin) == source.find('\t', begin) &&
        source.find('\t', begin) != std::string::npos)
      return "a tab indents this line; YAML allows spaces only";
  }
  static const std::pair<const char*, const char*> words[] = {
      {YAML::ErrorMsg::FLOW_END, "this bracket does not close the one opened last"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "the list that begins here with [ has no ] or lacks a comma"},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "the map that begins here with { has no } or lacks a comma"},
      {YAML::ErrorMsg::END_OF_MAP, "this line does not fit the keys above it; check indentation and colons"},
      {YAML::ErrorMsg::END_OF_SEQ, "this line does not fit the list above it; check its indentation"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list entry '- ' cannot stand here; check its indentation"},
      {YAML::ErrorMsg::MAP_VALUE, "a ':' cannot stand here; check the indentation, quote text with ': '"},
      {YAML::ErrorMsg::MAP_KEY, "a key cannot stand here; check the indentation"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends within a quoted text; a closing quote is missing"},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias (*) refers to an anchor (&) that is not there"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "this character cannot begin a value; put the text in quotes"}};
  for (const auto& [theirs, ours] : words)
    if (error.msg == theirs) return ours;
  if (error.msg.starts_with(YAML::ErrorMsg::INVALID_ESCAPE))
    return "unknown escape in a double-quoted text; write \\\\ for a backslash, or use single quotes";
  return error.msg;
}

}  // namespace

DataTree parse_yaml(const std::string& text, const std::string& name) {
  if (text.size() > k_max_bytes)
    throw InputError(Place{name, 0, 0}, fmt::format("the text has {} MB; allowed: up to {} MB",
                                                    text.size() >> 20, k_max_bytes >> 20));
  const bool has_mark = text.starts_with("\xEF\xBB\xBF");  // byte order mark
  const std::string stripped = has_mark ? text.substr(3) : std::string();
  const std::string& source = has_mark ? stripped : text;
  require_text(source, name);
  Converter converter(source, name);
  try {
    std::istringstream stream(source);
    YAML::Parser parser(stream);
    StartOfDocument start;
    if (!parser.HandleNextDocument(start)) {
      DataTree nothing;
      nothing.place = {name, 1, 1};
      return nothing;
    }
    if (parser.HandleNextDocument(start))
      throw InputError(converter.place_of(start.mark),
                       "this stands outside of the first value or document of the file; allowed: one");
    return converter.convert(YAML::Load(source), 0);
  } catch (const YAML::DeepRecursion& error) {
    Converter::fail_depth(converter.place_of(error.mark));
  } catch (const YAML::Exception& error) {
    throw InputError(converter.place_of(error.mark), "not valid YAML: " + explain(error, source));
  }
}

namespace {

void emit(const DataTree& value, YAML::Emitter& out) {
  switch (value.kind) {
    case DataTree::Kind::null:
      out << YAML::Null;
      return;
    case DataTree::Kind::boolean:
      out << value.boolean;
      return;
    case DataTree::Kind::number:
    case DataTree::Kind::text:
      if (value.quoted)
        out << YAML::DoubleQuoted << value.text;
      else
        out << value.text;
      return;
    case DataTree::Kind::list: {
      const bool scalars = std::none_of(value.list.begin(), value.list.end(), [](const DataTree& element) {
        return element.kind == DataTree::Kind::map;
      });
      if (scalars) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const DataTree& element : value.list) emit(element, out);
      out << YAML::EndSeq;
      return;
    }
    case DataTree::Kind::map:
      out << YAML::BeginMap;
      for (const auto& [key, member] : value.map) {
        out << YAML::Key << key << YAML::Value;
        emit(member, out);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

std::string write_yaml(const DataTree& value) {
  YAML::Emitter out;
  emit(value, out);
  return std::string(out.c_str()) + "\n";
}

DataTree read_yaml_file(const std::string& path) {
  return parse_yaml(read_file(path, k_max_bytes), path);
}

}  // namespace delassus
