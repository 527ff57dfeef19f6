// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees written as YAML and read again.
#include <gtest/gtest.h>

#include "delassus/front/load_scene.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::yaml_writer_test {
namespace {

// The same tree, wherever it was read.
void expect_same(const DataTree& a, const DataTree& b) {
  ASSERT_EQ(a.kind, b.kind) << to_string(a.kind) << " " << to_string(b.kind) << " " << a.text << " "
                            << b.text;
  EXPECT_EQ(a.boolean, b.boolean);
  EXPECT_EQ(a.text, b.text);
  if (a.kind == DataTree::Kind::number) {
    EXPECT_EQ(a.number, b.number);
  }
  ASSERT_EQ(a.list.size(), b.list.size());
  for (std::size_t i = 0; i < a.list.size(); ++i) expect_same(a.list[i], b.list[i]);
  ASSERT_EQ(a.map.size(), b.map.size());
  for (std::size_t i = 0; i < a.map.size(); ++i) {
    EXPECT_EQ(a.map[i].first, b.map[i].first);
    expect_same(a.map[i].second, b.map[i].second);
  }
}

TEST(YamlWriter, LibraryScenesComeBack) {
  int scenes = 0;
  for (const std::string& name : scene_names()) {
    SCOPED_TRACE(name);
    const Scene scene = load_scene(name, {});
    expect_same(parse_yaml(write_yaml(scene.values), name), scene.values);
    ++scenes;
  }
  EXPECT_GT(scenes, 20);
}

TEST(YamlWriter, AwkwardScalars) {
  const DataTree tree = parse_yaml(
      "{a: '1', b: \"true\", c: ~, d: '', e: \"x: y # z\", f: [\"-\", '[', 1e-300, -.5], g: {}, h: [], i: "
      "\"\\u00e9\\n\"}",
      "test");
  const DataTree again = parse_yaml(write_yaml(tree), "written");
  expect_same(tree, again);
}

}  // namespace
}  // namespace delassus::yaml_writer_test
