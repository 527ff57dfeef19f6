// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/text_reader.hpp"
#include "delassus/model/weld.hpp"

namespace delassus {
namespace {

// Corners are counted by an int, and one takes at least two bytes: "f 1 1 1 …" makes three corners of each.
constexpr std::size_t k_max_bytes = std::size_t{1} << 30;
// Binary STL: a title, the number of triangles, and for each its normal, three corners and two bytes of nothing.
constexpr std::size_t k_stl_title = 80, k_stl_header = 84, k_stl_triangle = 50, k_stl_normal = 12;

// Stands after the last line of a text, where messages may quote it.
const std::string k_end = "end-of-file";

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The words of one line, and its place in the file.
class ObjLine {
 public:
  ObjLine(std::string_view text, const std::string& file, int line) : text_(text), file_(file), line_(line) {}

  // Empty at the end of the line or at a comment.
  std::string_view word() {
    constexpr std::string_view space = " \t\r\v\f";
    begin_ = std::min(text_.find_first_not_of(space, end_), text_.size());
    end_ = std::min(text_.find_first_of(space, begin_), text_.size());
    if (begin_ < text_.size() && text_[begin_] == '#') end_ = begin_;
    return text_.substr(begin_, end_ - begin_);
  }

  double coordinate() {
    std::string_view text = word();
    if (text.empty()) fail("a vertex has fewer than 3 coordinates; allowed: v x y z");
    const std::string_view whole = text;
    if (text.front() == '+') text.remove_prefix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
      fail(fmt::format("the coordinate '{}' is not a finite number", whole));
    return value;
  }

  // Of the corner `text`; counts from 0.
  int vertex(std::string_view text, int num_vertices) const {
    const std::string_view number = text.substr(0, text.find('/'));
    int value = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || stop != number.data() + number.size())
      fail(fmt::format("the corner '{}' has no vertex number; allowed: i, i/t, i//n, i/t/n", text));
    if (value > 0) return value - 1;
    if (value == 0 || value < -num_vertices)
      fail(fmt::format("the corner '{}' names the vertex {}; allowed: -{} … -1 or from 1 on", text, value,
                       num_vertices));
    return num_vertices + value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(Place{file_, line_, static_cast<int>(begin_) + 1}, what);
  }

 private:
  std::string_view text_;
  const std::string& file_;
  int line_;
  std::size_t begin_ = 0, end_ = 0;  // of the last word
};

// Gives the same number to the same corner.
class VertexMerger {
 public:
  explicit VertexMerger(Surface& surface) : surface_(surface) {}
  int number(const Vector3& x) {
    // + 0: a negative zero is the same place.
    const auto [entry, fresh] = numbers_.try_emplace({x.x() + 0.0, x.y() + 0.0, x.z() + 0.0},
                                                     static_cast<int>(surface_.vertices.size()));
    if (fresh) surface_.vertices.emplace_back(entry->first[0], entry->first[1], entry->first[2]);
    return entry->second;
  }

 private:
  Surface& surface_;
  std::map<std::array<double, 3>, int> numbers_;
};

std::uint32_t little_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

Surface parse_binary_stl(const std::string& bytes, std::size_t num_triangles, const std::string& file) {
  Surface out{.file = file};
  VertexMerger vertices(out);
  out.triangles.resize(num_triangles);
  for (std::size_t k = 0; k < num_triangles; ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t at = k_stl_header + k * k_stl_triangle + k_stl_normal * (1 + i);
      const Vector3 x(std::bit_cast<float>(little_endian(bytes, at)),
                      std::bit_cast<float>(little_endian(bytes, at + 4)),
                      std::bit_cast<float>(little_endian(bytes, at + 8)));
      if (!x.allFinite())
        throw InputError(Place{file},
                         fmt::format("corner {} of triangle {} is ({}, {}, {}); allowed: finite numbers",
                                     i + 1, k + 1, x.x(), x.y(), x.z()));
      out.triangles[k][i] = vertices.number(x);
    }
  return out;
}

// Leaves "solid" and "endsolid" without the names after them, which may be anything.
std::string without_names(const std::string& bytes) {
  std::istringstream in(lower_case(bytes));
  std::string out, line;
  while (std::getline(in, line)) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    for (const std::string_view keyword : {"solid", "endsolid"})
      if (begin != std::string::npos && line.compare(begin, keyword.size(), keyword) == 0)
        line.resize(begin + keyword.size());
    out += line + '\n';
  }
  return out;
}

Surface parse_text_stl(const std::string& bytes, const std::string& file) {
  Surface out{.file = file};
  VertexMerger vertices(out);
  std::istringstream in(without_names(bytes) + k_end);
  TextReader reader(in, file, "STL file");
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  reader.expect("solid");
  do {
    while (reader.one_of({"facet", "endsolid"}) == 0) {
      reader.expect("normal");
      for (int i = 0; i < 3; ++i) reader.number();
      reader.expect("outer");
      reader.expect("loop");
      std::array<int, 3> triangle{};
      for (int& corner : triangle) {
        reader.expect("vertex");
        Vector3 x;
        for (double& value : x) value = reader.finite_number("a coordinate", lowest);
        corner = vertices.number(x);
      }
      out.triangles.push_back(triangle);
      reader.expect("endloop");
      reader.expect("endfacet");
    }
  } while (reader.one_of({"solid", k_end}) == 0);
  return out;
}

}  // namespace

Surface parse_obj(const std::string& text, const std::string& file) {
  Surface out{.file = file};
  std::vector<std::pair<int, int>> checks;  // triangles and their lines: a face may come before its vertices
  std::vector<int> corners;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ObjLine line(std::string_view(text).substr(begin, end - begin), file, number + 1);
    begin = end + 1;
    const std::string_view keyword = line.word();
    if (keyword == "v") {
      Vector3 x;
      for (double& value : x) value = line.coordinate();
      out.vertices.push_back(x);
    } else if (keyword == "f") {
      corners.clear();
      for (std::string_view word = line.word(); !word.empty(); word = line.word())
        corners.push_back(line.vertex(word, static_cast<int>(out.vertices.size())));
      if (corners.size() < 3)
        line.fail(fmt::format("a face has {} corners; allowed: at least 3", corners.size()));
      for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        out.triangles.push_back({corners[0], corners[i], corners[i + 1]});
      checks.emplace_back(*std::max_element(corners.begin(), corners.end()), number + 1);
    }
  }
  const int n = static_cast<int>(out.vertices.size());
  for (const auto& [vertex, line] : checks)
    if (vertex >= n)
      throw InputError(Place{file, line, 1},
                       fmt::format("a face has the vertex {}; allowed: 1 … {}", vertex + 1, n));
  if (out.vertices.empty())
    throw InputError(Place{file}, "it has no vertices; allowed: at least one line 'v x y z'");
  return out;
}

Surface parse_stl(const std::string& bytes, const std::string& file) {
  // A binary file may begin with "solid", too; only its length tells.
  std::size_t num_triangles = 0, binary_size = 0;
  if (bytes.size() >= k_stl_header) {
    num_triangles = little_endian(bytes, k_stl_title);
    binary_size = k_stl_header + num_triangles * k_stl_triangle;
  }
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  const bool text = begin != std::string::npos && lower_case(bytes.substr(begin, 5)) == "solid";
  Surface out;
  if (binary_size > 0 && bytes.size() == binary_size)
    out = parse_binary_stl(bytes, num_triangles, file);
  else if (text)
    out = parse_text_stl(bytes, file);
  else if (binary_size == 0)
    throw InputError(Place{file},
                     fmt::format("it is no STL file: it has {} bytes and does not begin with 'solid'; "
                                 "allowed: text, or binary from {} bytes on",
                                 bytes.size(), k_stl_header));
  else
    throw InputError(Place{file},
                     fmt::format("it is no STL file: it has {} bytes, but announces {} triangles, that "
                                 "is {} bytes",
                                 bytes.size(), num_triangles, binary_size));
  if (out.triangles.empty()) throw InputError(Place{file}, "it has 0 triangles; allowed: at least 1");
  return out;
}

Surface read_mesh_file(const std::string& path) {
  const std::string name = lower_case(path);
  const bool obj = name.ends_with(".obj");
  if (obj || name.ends_with(".stl")) {
    const std::string bytes = read_file(path, k_max_bytes);
    Surface out = obj ? parse_obj(bytes, path) : parse_stl(bytes, path);
    weld_borders(out);
    return out;
  }
  throw InputError(fmt::format("the surface file '{}' has an unknown ending; allowed: .obj, .stl", path));
}

std::string format_obj(const Surface& surface) {
  std::string out;
  // {} writes the shortest number that is read back to the same bits.
  for (const Vector3& x : surface.vertices) out += fmt::format("v {} {} {}\n", x.x(), x.y(), x.z());
  for (const std::array<int, 3>& t : surface.triangles)
    out += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return out;
}

}  // namespace delassus
