// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/page/report_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "delassus/page/report_shapes.hpp"

namespace delassus::report_page_test {
namespace {

using nlohmann::json;
using std::numbers::pi;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const Surface> cube_points() {
  auto surface = std::make_shared<Surface>();
  for (int i = 0; i < 8; ++i)
    surface->vertices.emplace_back(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
  surface->vertices.emplace_back(0.1, 0.2, 0.3);  // inside
  return surface;
}

// Unit sphere of 2 rings · sides − 2 sides triangles.
std::shared_ptr<const Surface> ball(int rings, int sides) {
  auto surface = std::make_shared<Surface>();
  surface->vertices.emplace_back(0, 0, -1);
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < sides; ++j) {
      const double t = pi * i / rings, s = 2 * pi * j / sides;
      surface->vertices.emplace_back(std::sin(t) * std::cos(s), std::sin(t) * std::sin(s), -std::cos(t));
    }
  surface->vertices.emplace_back(0, 0, 1);
  const int top = static_cast<int>(surface->vertices.size()) - 1;
  const auto at = [&](int i, int j) {
    return i == 0 ? 0 : i == rings ? top : 1 + (i - 1) * sides + j % sides;
  };
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < sides; ++j) {
      if (i > 0) surface->triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      if (i + 1 < rings) surface->triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    }
  return surface;
}

double volume_inside(const Surface& surface) {
  double six = 0;
  for (const auto& [i, j, k] : surface.triangles)
    six += surface.vertices[i].dot(surface.vertices[j].cross(surface.vertices[k]));
  return six / 6;
}

TEST(ReportShapes, EveryKindHasWhatItsPictureNeeds) {
  ShapeWriter writer;
  const Vector3 at(1, 2, 3);
  const Quaternion turn(0.5, 0.5, -0.5, 0.5);
  const auto describe = [&](Shape shape) {
    shape.position = at;
    shape.orientation = turn;
    json out = writer.describe(shape);
    EXPECT_EQ(out["position"], json({1, 2, 3}));
    EXPECT_EQ(out["orientation"], json({0.5, 0.5, -0.5, 0.5}));
    out.erase("position");
    out.erase("orientation");
    return out;
  };
  EXPECT_EQ(describe({.kind = ShapeKind::sphere, .radius = 0.25}),
            json({{"type", "sphere"}, {"radius", 0.25}}));
  EXPECT_EQ(describe({.kind = ShapeKind::box, .size = {1, 2, 3}}),
            json({{"type", "box"}, {"size", {1, 2, 3}}}));
  EXPECT_EQ(describe({.kind = ShapeKind::ellipsoid, .size = {1, 2, 3}}),
            json({{"type", "ellipsoid"}, {"size", {1, 2, 3}}}));
  for (const auto& [kind, type] : {std::pair{ShapeKind::cylinder, "cylinder"},
                                   {ShapeKind::capsule, "capsule"},
                                   {ShapeKind::cone, "cone"}})
    EXPECT_EQ(describe({.kind = kind, .radius = 0.5, .length = 2}),
              json({{"type", type}, {"radius", 0.5}, {"length", 2}}));
  EXPECT_EQ(describe({.kind = ShapeKind::plane}), json({{"type", "plane"}}));
  EXPECT_EQ(describe({.kind = ShapeKind::mesh, .surface = ball(4, 8)}),
            json({{"type", "mesh"}, {"surface", 0}}));
  EXPECT_TRUE(writer.notes().empty());
}

TEST(ReportShapes, HullIsItsFaces) {
  ShapeWriter writer;
  const Shape hull{.kind = ShapeKind::hull, .surface = cube_points()};
  EXPECT_EQ(writer.describe(hull)["surface"], 0);
  const json surface = writer.surfaces()[0];
  EXPECT_EQ(surface["points"].size(), 8u * 3);
  ASSERT_EQ(surface["faces"].size(), 6u);
  for (const json& face : surface["faces"]) {
    ASSERT_EQ(face.size(), 4u);
    // Counter-clockwise from outside: the normal by the first three corners points away from the centre.
    const auto corner = [&](int n) {
      const int i = face[n];
      return Vector3(surface["points"][3 * i], surface["points"][3 * i + 1], surface["points"][3 * i + 2]);
    };
    EXPECT_GT((corner(1) - corner(0)).cross(corner(2) - corner(1)).dot(corner(0)), 0);
  }
}

TEST(ReportShapes, SharedSurfacesAreWrittenOnce) {
  ShapeWriter writer;
  const auto points = cube_points();
  const auto mesh = ball(4, 8);
  EXPECT_EQ(writer.describe({.kind = ShapeKind::hull, .surface = points})["surface"], 0);
  EXPECT_EQ(writer.describe({.kind = ShapeKind::mesh, .surface = mesh})["surface"], 1);
  EXPECT_EQ(writer.describe({.kind = ShapeKind::hull, .surface = points})["surface"], 0);
  EXPECT_EQ(writer.describe({.kind = ShapeKind::hull, .surface = mesh})["surface"],
            2);  // its hull is another
  EXPECT_EQ(writer.surfaces().size(), 3u);
}

TEST(ReportShapes, GroundOfAHeightField) {
  auto field = std::make_shared<HeightField>();
  field->nx = 3;
  field->ny = 2;
  field->dx = 0.5;
  field->dy = 2;
  field->heights = {0, 1, 2, 3, 4, 5};
  ShapeWriter writer;
  writer.describe({.kind = ShapeKind::height_field, .field = field});
  const json surface = writer.surfaces()[0];
  EXPECT_EQ(surface["points"], json({-0.5, -1, 0, 0, -1, 1, 0.5, -1, 2, -0.5, 1, 3, 0, 1, 4, 0.5, 1, 5}));
  // Cells cut from (i, j) to (i + 1, j + 1), the upper side counter-clockwise.
  EXPECT_EQ(surface["faces"], json({{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}));

  // Thinned, it keeps its extent and its points.
  field->nx = 401;
  field->ny = 303;
  field->heights.assign(401 * 303, 0);
  for (int j = 0; j < 303; ++j)
    for (int i = 0; i < 401; ++i) field->heights[i + 401 * j] = 0.01 * (i - 200) + 0.02 * (j - 151);
  const Surface thinned = ground_surface(*field, 8000);
  EXPECT_LE(thinned.triangles.size(), 8000u);
  EXPECT_GT(thinned.triangles.size(), 4000u);
  EXPECT_EQ(thinned.vertices.front(), Vector3(-100, -302, field->heights.front()));
  EXPECT_EQ(thinned.vertices.back(), Vector3(100, 302, field->heights.back()));
  for (const Vector3& x : thinned.vertices) EXPECT_NEAR(x.z(), 0.02 * x.x() + 0.01 * x.y(), 1e-12);
}

TEST(ReportShapes, LargeMeshesAreThinned) {
  const auto mesh = ball(150, 160);
  ASSERT_GT(static_cast<int>(mesh->triangles.size()), ShapeWriter::k_max_triangles);
  ShapeWriter writer;
  writer.describe({.kind = ShapeKind::mesh, .name = "moon", .surface = mesh});
  const json surface = writer.surfaces()[0];
  EXPECT_LE(surface["faces"].size(), std::size_t{ShapeWriter::k_thinned_triangles});
  ASSERT_EQ(writer.notes().size(), 1u);
  EXPECT_NE(writer.notes()[0].find("moon"), std::string::npos) << writer.notes()[0];
  EXPECT_NE(writer.notes()[0].find("47680"), std::string::npos) << writer.notes()[0];

  const Surface thinned = thinned_surface(*mesh, ShapeWriter::k_thinned_triangles);
  // Merging moves points by less than a cell, of edge √(2 · 4π / 8000) = 0.056 at first and some times 1.15: the surface
  // stays within one of them, the volume with it.
  for (const Vector3& x : thinned.vertices) EXPECT_NEAR(x.norm(), 1, 0.1);
  EXPECT_NEAR(volume_inside(thinned), 4 * pi / 3, 0.1 * 4 * pi / 3);
  for (const auto& [i, j, k] : thinned.triangles) EXPECT_TRUE(i != j && j != k && k != i);
}

// Two frames: in the second a ball slips on the ground and another contact has no place.
Recording example_recording() {
  Recording r;
  r.status = "completed";
  r.body_names = {"rock", "ground"};
  r.contact_labels = {{3, "rock on ground", {1, 0}}, {9, "stop", {}}};
  r.time = {0, 0.5};
  r.step = {0, 1};
  r.step_length = {k_nan, 0.5};
  r.q.setZero(0, 2);
  r.v.setZero(0, 2);
  r.bodies.assign(2 * 2 * k_body_numbers, 0);
  r.energy.resize(2);
  r.certificate.resize(2);
  r.contacts = {{3, ContactStatus::slip, -1e-9, {5, 3, -4}, {0, 1, 1}, {1, 2, 3}, {0, 0, 1}, {6, -8, 10}},
                {9,
                 ContactStatus::open,
                 0.25,
                 {0, 0, 0},
                 {0, 0, 0},
                 {k_nan, k_nan, k_nan},
                 {k_nan, k_nan, k_nan},
                 {k_nan, k_nan, k_nan}}};
  r.contact_starts = {0, 0, 2};
  return r;
}

json page_data(const Recording& recording, const SceneDesc& scene) {
  RunSummary summary;
  summary.steps = 1;
  summary.iterations = 1;
  summary.seconds = 0.1;
  const std::string page = make_report_page(recording, scene, summary), begin = "const DATA = ";
  const std::size_t start = page.find(begin) + begin.size();
  return json::parse(page.substr(start, page.find(";\n", start) - start));
}

SceneDesc example_scene() {
  SceneDesc scene;
  BodyDesc rock, ground;
  rock.name.name = "rock";
  rock.kind = BodyKind::rigid;
  rock.mass = 2;
  const auto add = [](BodyDesc& body, const Shape& shape) { body.shapes.push_back({.shape = shape}); };
  add(rock, {.kind = ShapeKind::hull, .surface = cube_points()});
  add(rock, {.kind = ShapeKind::cone, .radius = 0.5, .length = 1, .position = {0, 0, 2}});
  ground.name.name = "ground";
  ground.kind = BodyKind::fixed;
  add(ground, {.kind = ShapeKind::box, .size = {9, 9, 1}});
  add(ground, {.kind = ShapeKind::plane, .position = {0, 0, 0.5}});
  scene.bodies = {rock, ground};
  return scene;
}

TEST(ReportPage, ShapesAndContacts) {
  const json data = page_data(example_recording(), example_scene());
  EXPECT_EQ(data["bodies"][0]["shapes"][0]["type"], "hull");
  EXPECT_EQ(data["bodies"][0]["shapes"][1]["type"], "cone");
  EXPECT_EQ(data["bodies"][1]["fixed"], true);
  EXPECT_EQ(data["bodies"][1]["shapes"][0]["size"], json({9, 9, 1}));
  EXPECT_EQ(data["bodies"][1]["shapes"][1]["type"], "plane");
  EXPECT_EQ(data["surfaces"].size(), 1u);
  EXPECT_TRUE(data["notes"].empty());

  const json& contacts = data["contacts"];
  EXPECT_EQ(contacts["start"], json({0, 0, 2}));
  EXPECT_EQ(contacts["labels"], json::array({{{"name", "rock on ground"}, {"bodies", {"ground", "rock"}}},
                                             {{"name", "stop"}, {"bodies", {"", ""}}}}));
  EXPECT_EQ(contacts["label"], json({0, 1}));
  const json& modes = contacts["modes"];
  EXPECT_EQ(modes[contacts["mode"][0].get<int>()], "slip");
  EXPECT_EQ(modes[contacts["mode"][1].get<int>()], "open");
  EXPECT_EQ(contacts["gap"], json({-1e-9, 0.25}));
  EXPECT_EQ(contacts["normal_force"], json({10, 0}));      // 5 N·s in 0.5 s
  EXPECT_EQ(contacts["tangential_force"], json({10, 0}));  // |(3, −4)| N·s in 0.5 s
  EXPECT_EQ(contacts["point"], json({1, 2, 3, nullptr, nullptr, nullptr}));
  EXPECT_EQ(contacts["normal"], json({0, 0, 1, nullptr, nullptr, nullptr}));
  EXPECT_EQ(contacts["force"], json({6, -8, 10, nullptr, nullptr, nullptr}));
}

// A run with warnings does not look like one without.
TEST(ReportPage, WarningsAreShown) {
  RunSummary summary;
  const Recording recording = example_recording();
  const std::string calm = make_report_page(recording, example_scene(), summary);
  EXPECT_NE(calm.find("\"warnings\":0"), std::string::npos);
  for (int i = 0; i < 7; ++i) summary.warn({WarningKind::step_halved, "warning " + std::to_string(i)});
  summary.warn({WarningKind::energy_gain, "3 J from nowhere"});
  EXPECT_EQ(summary.num_warnings(), 8);
  EXPECT_EQ(summary.warning_text(), "7 step halved, 1 energy gained");
  const std::string page = make_report_page(recording, example_scene(), summary);
  for (const char* piece :
       {"\"warnings\":8", "warning 4", "3 J from nowhere", "7 step halved, 1 energy gained"})
    EXPECT_NE(page.find(piece), std::string::npos) << piece;
  EXPECT_EQ(page.find("warning 5"), std::string::npos);  // the first few of a kind
}

TEST(ReportPage, ManyContactsMakeFewerFrames) {
  Recording r = example_recording();
  const int frames = 1500, contacts = 1000;
  r.time.clear();
  r.contacts.clear();
  r.contact_starts = {0};
  for (int f = 0; f < frames; ++f) {
    r.time.push_back(0.01 * f);
    for (int i = 0; i < contacts; ++i) r.contacts.push_back({3, ContactStatus::stick, 0, {1, 0, 0}});
    r.contact_starts.push_back(r.contacts.size());
  }
  r.step.assign(frames, 1);
  r.step_length.assign(frames, 0.01);
  r.q.setZero(0, frames);
  r.v.setZero(0, frames);
  r.bodies.assign(std::size_t{frames} * 2 * k_body_numbers, 0);
  r.energy.resize(frames);
  r.certificate.resize(frames);
  const json data = page_data(r, example_scene());
  const std::size_t shown = data["time"].size();
  EXPECT_LT(shown, 300u);  // 14 numbers a contact, 4 million in all
  EXPECT_GE(shown, 100u);
  EXPECT_EQ(data["time"].front(), 0);
  EXPECT_EQ(data["time"].back(), 14.99);
  EXPECT_EQ(data["contacts"]["start"].size(), shown + 1);
  EXPECT_EQ(data["contacts"]["start"].back(), contacts * shown);
}

}  // namespace
}  // namespace delassus::report_page_test
