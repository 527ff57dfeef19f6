// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of scenes: what is read, where it comes from when it is left out, and the rules by which shapes touch.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "delassus/base/files.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/scene/compile_mechanism.hpp"
#include "delassus/scene/decode.hpp"

namespace delassus::scene_shapes_test {
namespace {

namespace fs = std::filesystem;

// Of a point or direction after a few rotations.
constexpr double k_rounding = 1e-15;

Model model_of(const std::string& yaml, const std::string& file = "test") {
  return compile_model(decode_scene(parse_yaml(yaml, file)));
}

// A scene with one rigid ball and a fixed body that has these shapes; `more` comes before.
Model with_shapes(const std::string& shapes, const std::string& more = "", const std::string& file = "test") {
  return model_of("delassus: 1\n" + more +
                      "bodies:\n"
                      "  - {name: ball, type: rigid, mass: 1, shapes: [{type: sphere, radius: 0.1}]}\n"
                      "  - name: ground\n"
                      "    type: fixed\n"
                      "    shapes:\n" +
                      shapes,
                  file);
}

Shape first_shape(const std::string& shape) {
  return with_shapes("      - " + shape + "\n").bodies[1].shapes.at(0);
}

// A directory of files for one test.
class SceneFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() /
                 ("delassus_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(directory_);
    fs::create_directories(directory_ / "parts");
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

TEST(SceneShapes, LibraryScenesCompile) {
  int count = 0, touching = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(DELASSUS_SOURCE_DIR) / "library" / "scenes")) {
    const SceneDesc scene = decode_scene(read_yaml_file(entry.path().string()));
    if (scene.lagrangian) continue;
    const Model model = compile_model(scene);
    EXPECT_NO_THROW(require_valid(model)) << entry.path();
    ++count;
    const bool ground = std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) {
      return body.kind == BodyKind::fixed && !body.shapes.empty();
    });
    if (ground && model.collision.enabled) ++touching;
  }
  EXPECT_GE(count, 24);
  EXPECT_GE(touching,
            6);  // box_on_plane, ball_on_mesh, rolling_cylinder, coin, boxes_on_height_field, shapes_zoo
}

TEST(SceneShapes, RepeatedBodies) {
  const Model model = model_of(
      "delassus: 1\n"
      "constants: {n: 2, R: 0.1}\n"
      "bodies:\n"
      "  - {name: dot, mass: 1, position: [5, 0, 0]}\n"
      "  - name: ball\n"
      "    type: rigid\n"
      "    repeat: {i: n, j: n + 1}\n"
      "    mass: 1 + i\n"
      "    position: [i, 10*j, 0]\n"
      "    shapes: [{type: sphere, radius: R*(1 + j)}]\n");
  ASSERT_EQ(model.bodies.size(), 7u);
  for (int i = 0, k = 1; i < 2; ++i)
    for (int j = 0; j < 3; ++j, ++k) {
      const Body& body = model.bodies[k];
      EXPECT_EQ(body.name, "ball_" + std::to_string(i) + "_" + std::to_string(j));
      EXPECT_EQ(body.mass, 1 + i);
      EXPECT_EQ(body.position, Vector3(i, 10 * j, 0));
      EXPECT_EQ(body.shapes.at(0).radius, 0.1 * (1 + j));
    }
}

TEST(SceneShapes, MeasuresOfEachKind) {
  EXPECT_EQ(first_shape("{type: sphere, radius: 0.3}").radius, 0.3);
  EXPECT_EQ(first_shape("{type: box, size: [1, 2, 3], margin: 0.1}").size, Vector3(1, 2, 3));
  EXPECT_EQ(first_shape("{type: box, size: [1, 2, 3], margin: 0.1}").margin, 0.1);
  const Shape cylinder = first_shape("{type: cylinder, radius: 0.3, length: 2}"),
              capsule = first_shape("{type: capsule, radius: 0.4, length: 3}"),
              cone = first_shape("{type: cone, radius: 0.5, length: 4}");
  EXPECT_EQ(cylinder.kind, ShapeKind::cylinder);
  EXPECT_EQ(cylinder.length, 2);
  EXPECT_EQ(capsule.kind, ShapeKind::capsule);
  EXPECT_EQ(capsule.radius, 0.4);
  EXPECT_EQ(cone.kind, ShapeKind::cone);
  EXPECT_EQ(cone.radius, 0.5);
  EXPECT_EQ(cone.length, 4);
  const Shape ellipsoid = first_shape("{type: ellipsoid, size: [1, 2, 3]}");
  EXPECT_EQ(ellipsoid.kind, ShapeKind::ellipsoid);
  EXPECT_EQ(ellipsoid.size, Vector3(1, 2, 3));
  const Shape hull = first_shape(
      "{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], scale: 2, margin: 0.01}");
  EXPECT_EQ(hull.kind, ShapeKind::hull);
  ASSERT_EQ(hull.surface->vertices.size(), 4u);
  EXPECT_EQ(hull.surface->vertices[2], Vector3(0, 2, 0));
  EXPECT_TRUE(hull.surface->triangles.empty());
  EXPECT_EQ(hull.margin, 0.01);
  const Shape mesh = first_shape(
      "{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]], scale: 3}");
  EXPECT_EQ(mesh.kind, ShapeKind::mesh);
  EXPECT_EQ(mesh.surface->vertices[1], Vector3(3, 0, 0));
  EXPECT_EQ(mesh.surface->triangles[0], (std::array<int, 3>{0, 1, 2}));
}

TEST(SceneShapes, NamesPosesAndWhetherItTouches) {
  const Shape shape = first_shape(
      "{type: sphere, name: eye, radius: 1, position: [1, 2, 3], rotation: [0, 0, pi/2], collide: false}");
  EXPECT_EQ(shape.name, "eye");
  EXPECT_EQ(shape.position, Vector3(1, 2, 3));
  EXPECT_LT((rotate(shape.orientation, Vector3::UnitX()) - Vector3::UnitY()).norm(), k_rounding);
  EXPECT_FALSE(shape.collides);
  EXPECT_TRUE(first_shape("{type: sphere, radius: 1}").collides);
}

TEST(SceneShapes, PlanesLookAlongTheirNormal) {
  const Vector3 z = Vector3::UnitZ();
  const Shape up = first_shape("{type: plane}");
  EXPECT_LT((rotate(up.orientation, z) - Vector3::UnitY()).norm(), k_rounding);
  const Shape slope = first_shape("{type: plane, position: [0, 1, 0], normal: [3, 4, 0]}");
  EXPECT_EQ(slope.position, Vector3(0, 1, 0));
  EXPECT_LT((rotate(slope.orientation, z) - Vector3(0.6, 0.8, 0)).norm(), k_rounding);
  const Shape turned = first_shape("{type: plane, rotation: [pi/2, 0, 0]}");
  EXPECT_LT((rotate(turned.orientation, z) + Vector3::UnitY()).norm(), k_rounding);
}

TEST(SceneShapes, HeightFieldsHaveRowsAlongY) {
  const Shape shape = first_shape("{type: height_field, spacing: [0.5, 2], heights: [[1, 2, 3], [4, 5, 6]]}");
  ASSERT_TRUE(shape.field);
  EXPECT_EQ(shape.field->nx, 3);
  EXPECT_EQ(shape.field->ny, 2);
  EXPECT_EQ(shape.field->dx, 0.5);
  EXPECT_EQ(shape.field->dy, 2);
  EXPECT_EQ(shape.field->heights, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  // Heights go up, the numbers of a row along x.
  EXPECT_LT((rotate(shape.orientation, Vector3::UnitZ()) - Vector3::UnitY()).norm(), k_rounding);
  EXPECT_LT((rotate(shape.orientation, Vector3::UnitX()) - Vector3::UnitX()).norm(), k_rounding);
}

TEST(SceneShapes, CompoundsAreTakenApart) {
  const Model model = with_shapes(R"(      - {type: sphere, radius: 1}
      - type: compound
        name: arm
        position: [1, 0, 0]
        rotation: [0, 0, pi/2]
        friction: 0.9
        shapes:
          - {type: box, name: hand, size: [1, 1, 1], position: [2, 0, 0]}
          - type: compound
            position: [0, 1, 0]
            rotation: [pi/2, 0, 0]
            shapes: [{type: cylinder, radius: 1, length: 1, position: [0, 0, 3], friction: 0.1}]
)");
  const std::vector<Shape>& shapes = model.bodies[1].shapes;
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].name, "");
  EXPECT_EQ(shapes[1].name, "arm.hand");
  EXPECT_EQ(shapes[2].name, "arm.1.0");
  // By hand: x of the arm is y of the body; [2, 0, 0] in the arm lies at [1, 0, 0] + [0, 2, 0].
  EXPECT_LT((shapes[1].position - Vector3(1, 2, 0)).norm(), 4 * k_rounding);
  // [0, 0, 3] of the inner one is [0, −3, 0] + [0, 1, 0] = [0, −2, 0] in the arm, [2, 0, 0] + [1, 0, 0] in the body; its
  // axis is −y of the arm, x of the body.
  EXPECT_LT((shapes[2].position - Vector3(3, 0, 0)).norm(), 4 * k_rounding);
  EXPECT_LT((rotate(shapes[2].orientation, Vector3::UnitZ()) - Vector3::UnitX()).norm(), 4 * k_rounding);
  EXPECT_EQ(shapes[0].material.friction, Material().friction);
  EXPECT_EQ(shapes[1].material.friction, 0.9);
  EXPECT_EQ(shapes[2].material.friction, 0.1);
}

TEST(SceneShapes, MaterialsComeFromTheNearest) {
  const Model model = model_of(R"(delassus: 1
contact: {friction: 0.1, restitution: 0.2, rolling_friction: 0.3, spinning_friction: 0.4, margin: 0.01}
bodies:
  - {name: a, type: rigid, mass: 1, shapes: [{type: box, size: [1, 1, 1]}, {type: sphere, radius: 1}]}
  - name: b
    type: rigid
    mass: 1
    friction: 0.5
    restitution: 0.6
    margin: 0.02
    collide: false
    shapes:
      - {type: box, size: [1, 1, 1], restitution: 0.7}
      - {type: box, size: [1, 1, 1], spinning_friction: 0.8, margin: 0.03, collide: true}
)");
  const auto values = [](const Shape& s) {
    return std::vector<double>{s.material.friction, s.material.restitution, s.material.rolling_friction,
                               s.material.spinning_friction, s.margin};
  };
  EXPECT_EQ(values(model.bodies[0].shapes[0]), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.01}));
  // Balls have no edges.
  EXPECT_EQ(values(model.bodies[0].shapes[1]), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0}));
  EXPECT_EQ(values(model.bodies[1].shapes[0]), (std::vector<double>{0.5, 0.7, 0.3, 0.4, 0.02}));
  EXPECT_EQ(values(model.bodies[1].shapes[1]), (std::vector<double>{0.5, 0.6, 0.3, 0.8, 0.03}));
  EXPECT_FALSE(model.bodies[1].shapes[0].collides);
  EXPECT_TRUE(model.bodies[1].shapes[1].collides);
}

TEST(SceneShapes, GroupsTouchWhatTheyName) {
  const Model model = with_shapes(R"(      - {type: sphere, radius: 1}
      - {type: sphere, radius: 1, groups: [wheels, left]}
      - {type: sphere, radius: 1, touches: [left]}
      - {type: sphere, radius: 1, groups: [body], touches: [default, body]}
      - {type: sphere, radius: 1, touches: []}
)");
  const std::vector<Shape>& s = model.bodies[1].shapes;
  const auto touch = [&](int a, int b) {
    return (s[a].group & s[b].touches) != 0 && (s[b].group & s[a].touches) != 0;
  };
  EXPECT_TRUE(touch(0, 1));
  EXPECT_TRUE(touch(1, 2));
  EXPECT_FALSE(touch(0, 2));  // 2 touches only `left`
  EXPECT_TRUE(touch(0, 3));
  EXPECT_FALSE(touch(1, 3));
  EXPECT_FALSE(touch(2, 3));
  EXPECT_TRUE(touch(0, 0));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(touch(4, i));
}

TEST(SceneShapes, SettingsOfContacts) {
  const std::string bodies = R"(bodies:
  - {name: a, type: rigid, mass: 1, shapes: [{type: sphere, radius: 1}]}
  - {name: b, type: rigid, mass: 1, shapes: [{type: sphere, radius: 1}]}
  - {name: c, type: rigid, mass: 1, shapes: [{type: sphere, radius: 1}]}
)";
  const CollisionSettings plain = model_of("delassus: 1\n" + bodies).collision;
  EXPECT_TRUE(plain.enabled);
  EXPECT_FALSE(plain.joined_bodies);
  EXPECT_TRUE(plain.reduce);
  EXPECT_EQ(plain.envelope, 0);
  EXPECT_EQ(plain.rules.friction, CombineRule::geometric);
  EXPECT_EQ(plain.rules.restitution, CombineRule::maximum);
  EXPECT_EQ(plain.rules.rolling, CombineRule::maximum);
  EXPECT_TRUE(plain.pairs.empty());

  const CollisionSettings set = model_of("delassus: 1\n" + bodies + R"(contact:
  enabled: false
  joined_bodies: true
  reduce: false
  envelope: 0.02
  combine: {friction: minimum, restitution: product, rolling: average}
  pairs:
    - {bodies: [c, a], touch: false}
    - {bodies: [b, c], friction: 0.7, rolling_friction: 0.01}
)")
                                    .collision;
  EXPECT_FALSE(set.enabled);
  EXPECT_TRUE(set.joined_bodies);
  EXPECT_FALSE(set.reduce);
  EXPECT_EQ(set.envelope, 0.02);
  EXPECT_EQ(set.rules.friction, CombineRule::minimum);
  EXPECT_EQ(set.rules.restitution, CombineRule::product);
  EXPECT_EQ(set.rules.rolling, CombineRule::average);
  ASSERT_EQ(set.pairs.size(), 2u);
  EXPECT_EQ(set.pairs[0].body_a, 2);
  EXPECT_EQ(set.pairs[0].body_b, 0);
  EXPECT_EQ(set.pairs[0].touch, std::optional(false));
  EXPECT_FALSE(set.pairs[1].touch.has_value());
  const Material combined{
      .friction = 0.1, .restitution = 0.2, .rolling_friction = 0.3, .spinning_friction = 0.4};
  const Material ruled = set.pairs[1].apply(combined);
  EXPECT_EQ(ruled.friction, 0.7);
  EXPECT_EQ(ruled.restitution, 0.2);
  EXPECT_EQ(ruled.rolling_friction, 0.01);
  EXPECT_EQ(ruled.spinning_friction, 0.4);
}

TEST(SceneShapes, LawsOfSurfaces) {
  const Model model = model_of(R"(delassus: 1
contact: {friction: 0.4, kinetic_friction: 0.3, stribeck_speed: 0.1, stribeck_exponent: 2, viscous_friction: 0.01}
bodies:
  - {name: a, type: rigid, mass: 1, friction_axis: [0, 2, 0], friction_2: 0.1, shapes: [{type: sphere, radius: 1}]}
  - name: b
    type: rigid
    mass: 1
    shapes:
      - {type: sphere, radius: 1, friction: 0.9, kinetic_friction: 0.9, stribeck_speed: 0.3, stribeck_exponent: 1, surface_velocity: [1, 0, 2]}
)");
  const Material &a = model.bodies[0].shapes[0].material, &b = model.bodies[1].shapes[0].material;
  EXPECT_EQ(a.kinetic_friction, 0.3);
  EXPECT_EQ(a.friction_2, 0.1);
  EXPECT_EQ(a.friction_axis, Vector3(0, 2, 0));
  EXPECT_EQ(b.friction_2, -1);
  EXPECT_EQ(b.surface_velocity, Vector3(1, 0, 2));
  // One surface of two: the second has no direction, its friction stands for both.
  const Material both = combine_materials({}, a, b);
  EXPECT_DOUBLE_EQ(both.friction, 0.6);
  EXPECT_DOUBLE_EQ(both.friction_2, 0.3);
  EXPECT_DOUBLE_EQ(both.friction_ratio(), 0.5);
  EXPECT_DOUBLE_EQ(both.kinetic_friction, std::sqrt(0.27));
  EXPECT_EQ(both.stribeck_speed, 0.3);
  EXPECT_EQ(both.stribeck_exponent, 1);
  EXPECT_EQ(both.viscous_friction, 0.01);
  EXPECT_EQ(combine_materials({}, b, b).friction_ratio(), 1);
}

TEST_F(SceneFilesTest, FilesLieBesideTheScene) {
  // A tetrahedron whose corner looks into the first octant.
  write_file(path("parts/tetra.obj"),
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write_file(path("parts/hills.txt"), "# two rows\n1 2 3\n\n4,5, -6e-1  # the second\n");
  const Model model = with_shapes(R"(      - {type: mesh, file: parts/tetra.obj}
      - {type: mesh, file: parts/tetra.obj}
      - {type: mesh, file: parts/tetra.obj, scale: 2}
      - {type: hull, file: parts/tetra.obj, scale: 3}
      - {type: height_field, file: parts/hills.txt, spacing: [1, 1]}
)",
                                  "", path("scene.yaml"));
  const std::vector<Shape>& s = model.bodies[1].shapes;
  ASSERT_EQ(s.size(), 5u);
  EXPECT_EQ(s[0].surface->triangles.size(), 4u);
  EXPECT_EQ(s[0].surface->vertices[1], Vector3(1, 0, 0));
  EXPECT_EQ(s[0].surface, s[1].surface);  // read once
  EXPECT_EQ(s[2].surface->vertices[1], Vector3(2, 0, 0));
  EXPECT_EQ(s[3].surface->vertices[3], Vector3(0, 0, 3));
  EXPECT_EQ(s[4].field->nx, 3);
  EXPECT_EQ(s[4].field->ny, 2);
  EXPECT_EQ(s[4].field->heights, (std::vector<double>{1, 2, 3, 4, 5, -0.6}));
}

TEST(ModelShapes, BadOnesAreRefusedByName) {
  Model good;
  good.add(Body{.name = "a", .kind = BodyKind::rigid, .shapes = {{.kind = ShapeKind::sphere, .radius = 1}}});
  good.add(Body{.name = "b", .kind = BodyKind::fixed, .shapes = {{.kind = ShapeKind::plane}}});
  good.add(Body{.name = "dot"});
  EXPECT_NO_THROW(require_valid(good));
  const auto refused = [&](const std::string& words, const std::function<void(Model&)>& spoil) {
    Model bad = good;
    spoil(bad);
    try {
      require_valid(bad);
      FAIL() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("body 'a': plane: it cannot move by forces; allowed: on fixed",
          [](Model& m) { m.bodies[0].shapes[0].kind = ShapeKind::plane; });
  refused("body 'a': height_field: it cannot move by forces",
          [](Model& m) { m.bodies[0].shapes[0].kind = ShapeKind::height_field; });
  refused("body 'dot': sphere: a particle has no shapes", [](Model& m) { m.bodies[2].shapes = {{}}; });
  refused("radius is -1; allowed: > 0", [](Model& m) { m.bodies[0].shapes[0].radius = -1; });
  refused("friction is -1; allowed: >= 0", [](Model& m) { m.bodies[0].shapes[0].material.friction = -1; });
  refused("restitution is 1.5; allowed: 0 … 1",
          [](Model& m) { m.bodies[0].shapes[0].material.restitution = 1.5; });
  refused("spinning friction is nan; allowed: >= 0",
          [](Model& m) { m.bodies[0].shapes[0].material.spinning_friction = NAN; });
  refused("orientation has norm 2; allowed: unit", [](Model& m) { m.bodies[0].shapes[0].orientation *= 2; });
  refused("position is not finite", [](Model& m) { m.bodies[0].shapes[0].position.x() = NAN; });
  refused("the envelope is -1; allowed: >= 0", [](Model& m) { m.collision.envelope = -1; });
  refused("body index 3 of a pair is not in 0 … 2", [](Model& m) { m.collision.pairs = {{0, 3}}; });
  refused("body index -1 of a pair", [](Model& m) { m.collision.pairs = {{k_world, 0}}; });
  refused("a pair is 'b' with itself", [](Model& m) { m.collision.pairs = {{1, 1}}; });
  refused("the pair 'b', 'a' has two rules", [](Model& m) { m.collision.pairs = {{0, 1}, {1, 0}}; });
  refused("the pair 'a', 'b': restitution is 2; allowed: 0 … 1",
          [](Model& m) { m.collision.pairs = {{.body_a = 0, .body_b = 1, .restitution = 2.0}}; });
  // A sheet has no inside: it may lie, but not move.
  Surface sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}};
  const Shape mesh{.kind = ShapeKind::mesh, .surface = std::make_shared<const Surface>(sheet)};
  refused("body 'a': mesh: it is open", [&](Model& m) { m.bodies[0].shapes = {mesh}; });
  Model lying = good;
  lying.bodies[1].shapes = {mesh};
  EXPECT_NO_THROW(require_valid(lying));
}

}  // namespace
}  // namespace delassus::scene_shapes_test
