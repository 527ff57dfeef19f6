// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/mesh_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "delassus/base/files.hpp"
#include "delassus/model/weld.hpp"
#include "tests/support/surfaces.hpp"

namespace delassus::mesh_file_test {
namespace {

using testing::box_surface;
using testing::expect_refused;

using Triangles = std::vector<std::array<int, 3>>;

void append(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string binary_stl(const Surface& surface, std::string title = "") {
  title.resize(80, ' ');
  append(title, static_cast<std::uint32_t>(surface.triangles.size()));
  for (const auto& t : surface.triangles) {
    for (int i = 0; i < 3; ++i) append(title, 0);
    for (int i : t)
      for (double x : surface.vertices[i]) append(title, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    title += std::string(2, '\0');
  }
  return title;
}

std::string text_stl(const Surface& surface) {
  std::string out = "solid a name facet of several words\n";
  for (const auto& t : surface.triangles) {
    out += "  facet normal 0 0 0\n    outer loop\n";
    for (int i : t) {
      const Vector3& x = surface.vertices[i];
      out += "      vertex " + std::to_string(x.x()) + " " + std::to_string(x.y()) + " " +
             std::to_string(x.z()) + "\n";
    }
    out += "    endloop\n  endfacet\n";
  }
  return out + "endsolid a name\n";
}

// The same triangles in space, whatever the numbers of their vertices.
void expect_same_triangles(const Surface& a, const Surface& b) {
  ASSERT_EQ(a.triangles.size(), b.triangles.size());
  EXPECT_EQ(a.vertices.size(), b.vertices.size());
  for (std::size_t k = 0; k < a.triangles.size(); ++k)
    for (int i = 0; i < 3; ++i) EXPECT_EQ(a.vertices[a.triangles[k][i]], b.vertices[b.triangles[k][i]]);
}

TEST(MeshFile, ObjInAllItsForms) {
  const Surface s = parse_obj(
      "# a comment\nmtllib any.mtl\no thing\nv 0 0 0\r\nv 1 0 0 1.0\n  v\t+1 1e0 0 0.5 0.5 0.5 # red\nv 0 1 "
      ".0\nvn 0 0 1\nvt "
      "0 0\ns off\nusemtl x\nf 1 2 3\nf 1/1 3/1 4/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf -4 -3 -2 -1\nf "
      "5 1 2\nv 0.1 "
      "0.2 -3\nf -1 -2 -3",
      "forms.obj");
  ASSERT_EQ(s.vertices.size(), 5U);
  EXPECT_EQ(s.vertices[2], Vector3(1, 1, 0));
  EXPECT_EQ(s.vertices[4], Vector3(0.1, 0.2, -3));
  EXPECT_EQ(
      s.triangles,
      (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 2, 3}, {4, 0, 1}, {4, 3, 2}}));
  EXPECT_EQ(s.file, "forms.obj");
}

TEST(MeshFile, ObjKeepsEveryBit) {
  Surface s = box_surface({1.0 / 3, std::numbers::pi, 1e-17});
  const Surface again = parse_obj(format_obj(s), "s.obj");
  EXPECT_EQ(again.vertices, s.vertices);
  EXPECT_EQ(again.triangles, s.triangles);
}

TEST(MeshFile, StlMergesCorners) {
  // Exact in single precision and in six digits; zeros of both signs are one place.
  Surface s = box_surface({1, 0.5, 0.25});
  s.vertices.emplace_back(0, 0, -1);
  s.vertices.emplace_back(-0.0, 0, -1);
  s.triangles.push_back({0, 1, 8});
  s.triangles.push_back({0, 9, 1});
  Surface expected = s;
  expected.vertices.pop_back();
  expected.triangles.back() = {0, 8, 1};
  expect_same_triangles(parse_stl(binary_stl(s), "a.stl"), expected);
  expect_same_triangles(parse_stl(binary_stl(s, "solid that is binary"), "a.stl"), expected);
  const std::string text = text_stl(s);
  expect_same_triangles(parse_stl(text, "a.stl"), expected);
  std::string loud = text;
  for (char& c : loud) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  expect_same_triangles(parse_stl(loud, "a.stl"), expected);
  // Two solids in a file; corners are merged over both.
  const Surface twice = parse_stl(text + text, "a.stl");
  EXPECT_EQ(twice.vertices.size(), expected.vertices.size());
  EXPECT_EQ(twice.triangles.size(), 2 * expected.triangles.size());
  EXPECT_EQ(twice.file, "a.stl");
}

TEST(MeshFile, ReadsByTheEndingOfTheName) {
  const auto folder = std::filesystem::temp_directory_path() / "delassus_mesh_file_test";
  std::filesystem::create_directories(folder);
  const Surface s = box_surface({1, 2, 4});
  const std::string obj = (folder / "box.OBJ").string(), stl = (folder / "box.stl").string();
  write_file(obj, format_obj(s));
  write_file(stl, binary_stl(s));
  expect_same_triangles(read_mesh_file(obj), s);
  expect_same_triangles(read_mesh_file(stl), s);
  EXPECT_EQ(read_mesh_file(obj).file, obj);
  std::filesystem::remove_all(folder);
  expect_refused([&] { read_mesh_file(obj); }, {obj, "No such file"});
  expect_refused([] { read_mesh_file("thing.ply"); }, {"thing.ply", ".obj, .stl"});
}

TEST(MeshFile, BadObj) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"", {"m.obj:", "no vertices"}},
      {"v 1 2\n", {"m.obj:1:", "fewer than 3"}},
      {"v 1 2 # 3\n", {"m.obj:1:", "fewer than 3"}},
      {"\nv 1 2 x\n", {"m.obj:2:7", "'x'", "finite number"}},
      {"v 1 nan 2\n", {"m.obj:1:5", "'nan'", "finite number"}},
      {"v 1 1e999 2\n", {"m.obj:1:5", "'1e999'", "finite number"}},
      {points + "f 1 2\n", {"m.obj:4:", "2 corners", "at least 3"}},
      {points + "f 1 2 4\n", {"m.obj:4:", "vertex 4", "1 … 3"}},
      {points + "f 1 2 0\n", {"m.obj:4:7", "vertex 0", "from 1 on"}},
      {points + "f 1 2 -4\n", {"m.obj:4:7", "vertex -4", "-3 … -1"}},
      {points + "f 1 2 -2147483648\n", {"m.obj:4:7", "vertex -2147483648"}},
      {points + "f 1 2 99999999999\n", {"m.obj:4:7", "'99999999999'"}},
      {points + "f 1 2 a/b\n", {"m.obj:4:7", "'a/b'", "i/t/n"}},
      {points + "f 1 2 /3\n", {"m.obj:4:7", "'/3'"}},
  };
  for (const auto& [text, words] : cases) {
    SCOPED_TRACE(text);
    expect_refused([&] { parse_obj(text, "m.obj"); }, words);
  }
}

TEST(MeshFile, BadStl) {
  const Surface s = box_surface({1, 2, 4});
  const std::string binary = binary_stl(s), text = text_stl(s);
  Surface holed = s;
  holed.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"", {"m.stl:", "0 bytes"}},
      {"hello", {"m.stl:", "5 bytes", "solid"}},
      {binary.substr(0, 200), {"m.stl:", "200 bytes", "12 triangles", "684 bytes"}},
      {binary_stl({}), {"m.stl:", "0 triangles"}},
      {"solid nothing\nendsolid\n", {"m.stl:", "0 triangles"}},
      {binary_stl(holed), {"m.stl:", "corner 3 of triangle 1", "nan", "finite"}},
      {text.substr(0, 300), {"m.stl:", "STL file"}},
      {"solid x\n", {"m.stl:", "facet", "end-of-file"}},
      {text_stl(holed), {"m.stl:6:", "nan", "finite"}},
      {"solid\nfacet normal 0 0 z\n", {"m.stl:2:18", "'z' is not a number"}},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 0 0 1\nendloop\n",
       {"m.stl:6:1", "vertex", "endloop"}},
  };
  for (const auto& [bytes, words] : cases) {
    SCOPED_TRACE(words.back());
    expect_refused([&] { parse_stl(bytes, "m.stl"); }, words);
  }
}

// Every triangle on its own, corners shifted by up to `size`.
Surface shaken(const Surface& surface, double size) {
  Surface out;
  unsigned state = 1;
  for (const auto& t : surface.triangles) {
    for (int i : t) {
      Vector3 x = surface.vertices[i];
      for (double& value : x) {
        state = 1664525U * state + 1013904223U;
        value += size * (static_cast<double>(state) / 4294967296.0 - 0.5);
      }
      out.vertices.push_back(x);
    }
    const int n = static_cast<int>(out.vertices.size());
    out.triangles.push_back({n - 3, n - 2, n - 1});
  }
  return out;
}

TEST(MeshFile, CornersThatDifferByRoundOffAreOneVertex) {
  const Surface box = box_surface({40, 30, 50});
  Surface loose = shaken(box, 1e-6);
  EXPECT_FALSE(check_shape(testing::surface_shape(ShapeKind::mesh, loose), true).empty());
  EXPECT_EQ(weld_borders(loose), 36 - 8);
  EXPECT_EQ(count_welded(loose), 36 - 8);
  EXPECT_EQ(loose.triangles.size(), box.triangles.size());
  const Shape shape = testing::surface_shape(ShapeKind::mesh, loose);
  EXPECT_EQ(check_shape(shape, true), "");
  EXPECT_NEAR(shape_volume(shape), 40 * 30 * 50, 1e-6 * 40 * 30 * 50);
}

// A ring with a square section, closed: four corners for each of n places around the z axis.
Surface ring_surface(int n, double inner, double outer, double height) {
  Surface out;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    const Vector3 across(std::cos(angle), std::sin(angle), 0), up(0, 0, height / 2);
    for (const Vector3& x : {Vector3(inner * across - up), Vector3(outer * across - up),
                             Vector3(outer * across + up), Vector3(inner * across + up)})
      out.vertices.push_back(x);
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * i + k, b = 4 * i + (k + 1) % 4, c = (a + 4) % (4 * n), d = (b + 4) % (4 * n);
      out.triangles.push_back({a, c, d});
      out.triangles.push_back({a, d, b});
    }
  }
  return out;
}

// As programs for design write it: in millimetres and single precision, each triangle with corners of its own.
TEST(MeshFile, RingOfADesignProgramIsReadClosed) {
  constexpr int n = 48;
  constexpr double inner = 30, outer = 40, height = 12;
  const Surface ring = ring_surface(n, inner, outer, height);
  // More than the 4e-6 between two numbers of single precision here, less than k_weld_tolerance · 113.8 = 1.1e-4.
  const std::string bytes = binary_stl(shaken(ring, 2e-5));
  const Surface open = parse_stl(bytes, "ring.stl");
  ASSERT_GT(open.vertices.size(), 2 * ring.vertices.size());
  ASSERT_FALSE(check_shape(testing::surface_shape(ShapeKind::mesh, open), true).empty());

  const auto folder = std::filesystem::temp_directory_path() / "delassus_mesh_file_test_ring";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "cad_ring.stl").string();
  write_file(path, bytes);
  const Surface read = read_mesh_file(path);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(count_welded(read), static_cast<int>(open.vertices.size() - ring.vertices.size()));
  EXPECT_EQ(read.triangles.size(), ring.triangles.size());
  const Shape shape = testing::surface_shape(ShapeKind::mesh, read);
  EXPECT_EQ(check_shape(shape, true), "");
  // Area of the polygons times the height; the walls, 10 mm apart, have moved by up to 1e-5 mm each.
  const double volume =
      0.5 * n * std::sin(2 * std::numbers::pi / n) * (outer * outer - inner * inner) * height;
  EXPECT_NEAR(shape_volume(shape), volume, 1e-5 * volume);
}

TEST(MeshFile, WhatIsClosedOrFarApartIsNotWelded) {
  Surface box = box_surface({1, 1, 1e-7});  // thin, but closed
  EXPECT_EQ(weld_borders(box), 0);
  EXPECT_EQ(count_welded(box), 0);
  Surface loose = shaken(box_surface({1, 1, 1}), 1e-3);
  EXPECT_EQ(weld_borders(loose), 0);
}

}  // namespace
}  // namespace delassus::mesh_file_test
