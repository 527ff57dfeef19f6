// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Mistakes in shapes and in how they touch: status 2 with the place, the value and what is allowed.
#include "tests/support/bad_input.hpp"

namespace delassus::bad_shapes_test {
namespace {

using testing::BadInputTest;
using testing::BadSceneTest;
using testing::Mistake;
using testing::name_of;
using testing::with;

const std::string k_scene = R"(delassus: 1
duration: 0.1
contact: {friction: 0.3}
bodies:
  - name: ground
    type: fixed
    shapes:
      - {type: plane}
  - name: ball
    type: rigid
    mass: 1
    position: [0, 1, 0]
    shapes:
      - {type: sphere, radius: 0.1}
  - {name: dot, mass: 1, position: [5, 0, 0]}
)";

std::string changed(const std::string& piece, const std::string& other) {
  return with(k_scene, piece, other);
}
// On the fixed body.
std::string ground(const std::string& shape) {
  return changed("{type: plane}", shape);
}
// On the rigid body.
std::string ball(const std::string& shape) {
  return changed("{type: sphere, radius: 0.1}", shape);
}
std::string contact(const std::string& settings) {
  return changed("{friction: 0.3}", settings);
}

class BadShapeTest : public BadSceneTest {};

TEST_P(BadShapeTest, IsRefused) {
  expect_scene_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Measures, BadShapeTest,
    ::testing::Values(
        Mistake{
            "UnknownKind",
            ground("{type: elipsoid, size: [1, 1, 1]}"),
            "8:16",
            {"'elipsoid'", "did you mean 'ellipsoid'?", "sphere, box, cylinder, capsule, cone", "compound"}},
        Mistake{"NoConeLength",
                ground("{type: cone, radius: 1}"),
                "8:9",
                {"cone shape", "'length'", "[m]", "> 0"}},
        Mistake{"FlatEllipsoid",
                ground("{type: ellipsoid, size: [1, 0, 1]}"),
                "8:33",
                {"'size' of ellipsoid shape", "[1, 0, 1]", "three numbers > 0"}},
        Mistake{"NegativeMargin",
                ground("{type: box, size: [1, 1, 1], margin: -1}"),
                "8:46",
                {"'margin' of box shape is -1", ">= 0"}},
        Mistake{"MarginTooLarge",
                ground("{type: box, size: [1, 2, 3], margin: 0.6}"),
                "8:9",
                {"body 'ground'", "box", "margin is 0.6", "0.5"}},
        Mistake{"MarginOfAHullTooLarge",
                ground("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], margin: 0.3}"),
                "8:9",
                {"body 'ground'", "hull", "margin is 0.3", "0.211"}},  // inner ball: 1/(3 + √3)
        Mistake{"MarginOfASphere",
                ground("{type: sphere, radius: 1, margin: 0.1}"),
                "8:35",
                {"unknown key 'margin' in sphere shape"}},
        Mistake{"ZeroNormal",
                ground("{type: plane, normal: [0, 0, 0]}"),
                "8:31",
                {"'normal' of plane shape is zero", "any other direction"}},
        Mistake{"NormalAndRotation",
                ground("{type: plane, normal: [0, 1, 0], rotation: [1, 0, 0]}"),
                "8:42",
                {"plane shape", "'normal'", "'rotation'", "one of them"}},
        Mistake{"NameTwice",
                ground("{type: plane, name: a}\n      - {type: plane, name: a}"),
                "9:29",
                {"'a' is used twice", "names of shapes"}},
        Mistake{"EmptyCompound", ground("{type: compound}"), "8:9", {"compound shape", "'shapes'"}},
        Mistake{"InACompound",
                ground("{type: compound, shapes: [{type: sphere, radius: 0}]}"),
                "8:58",
                {"'radius' of sphere shape is 0", "> 0"}},
        Mistake{"OfAParticle",
                changed("{name: dot, mass: 1,", "{name: dot, mass: 1, shapes: [{type: sphere, radius: 1}],"),
                "15:26",
                {"unknown key 'shapes' in particle 'dot'"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Surfaces, BadShapeTest,
    ::testing::Values(
        Mistake{"HullOfNothing", ground("{type: hull}"), "8:9", {"hull shape", "'points' or 'file'"}},
        Mistake{"HullOfTwoKinds",
                ground("{type: hull, points: [[0, 0, 0]], file: a.obj}"),
                "8:43",
                {"hull shape", "'points' and 'file'", "one of them"}},
        Mistake{"HullOfThreePoints",
                ground("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}"),
                "8:9",
                {"body 'ground'", "hull", "at least 4"}},
        Mistake{"HullOfAPlane",
                ground("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}"),
                "8:9",
                {"body 'ground'", "hull"}},
        Mistake{"PointOfTwo",
                ground("{type: hull, points: [[0, 0, 0], [1, 0]]}"),
                "8:42",
                {"a row of 'points' of hull shape", "2 entries", "3"}},
        Mistake{"PointNoRow",
                ground("{type: hull, points: [0, 1, 2]}"),
                "8:31",
                {"a row of 'points' of hull shape must be a list", "'0'"}},
        Mistake{"PointNoNumber",
                ground("{type: hull, points: [[0, 0, up]]}"),
                "8:38",
                {"an entry of 'points' of hull shape", "'up'"}},
        Mistake{"MeshWithoutTriangles",
                ground("{type: mesh, vertices: [[0, 0, 0]]}"),
                "8:9",
                {"mesh shape", "'vertices'", "'triangles'"}},
        Mistake{"NoSuchCorner",
                ground("{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 3]]}"),
                "8:79",
                {"'triangles' of mesh shape", "is 3", "0 … 2"}},
        Mistake{"HalfACorner",
                ground("{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 1.5]]}"),
                "8:79",
                {"is 1.5", "whole numbers 0 … 2"}},
        Mistake{"TriangleOfALine",
                ground("{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], triangles: [[0, 1, 2]]}"),
                "8:9",
                {"body 'ground'", "mesh", "no area"}},
        Mistake{"OpenMeshThatMoves",
                ball("{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]]}"),
                "14:9",
                {"body 'ball'", "mesh", "it is open"}},
        Mistake{"NoSuchFile",
                ground("{type: mesh, file: parts/wheel.obj}"),
                "8:28",
                {"'file' of mesh shape", "parts/wheel.obj", "No such file"}},
        Mistake{"UnknownEnding",
                ground("{type: mesh, file: scene.yaml}"),
                "8:28",
                {"scene.yaml", ".obj", ".stl"}},
        Mistake{"PlaneThatMoves",
                ball("{type: plane}"),
                "14:9",
                {"body 'ball'", "plane", "fixed and kinematic bodies"}},
        Mistake{"HillsThatMove",
                ball("{type: height_field, spacing: [1, 1], heights: [[0, 0], [0, 0]]}"),
                "14:9",
                {"body 'ball'", "height_field", "fixed and kinematic bodies"}},
        Mistake{"HillsOfOneRow",
                ground("{type: height_field, spacing: [1, 1], heights: [[0, 0]]}"),
                "8:56",
                {"'heights' of height field shape", "1 rows of 2", "at least 2 of 2"}},
        Mistake{"HillsOfUnequalRows",
                ground("{type: height_field, spacing: [1, 1], heights: [[0, 0], [0, 0, 0]]}"),
                "8:65",
                {"row 2 of 'heights'", "3 numbers", "allowed: 2"}},
        Mistake{"HillsWithoutWidth",
                ground("{type: height_field, spacing: [1, 0], heights: [[0, 0], [0, 0]]}"),
                "8:39",
                {"'spacing' of height field shape", "[1, 0]", "two numbers > 0"}},
        Mistake{"HillsOfNoNumbers",
                ground("{type: height_field, spacing: [1, 1], file: scene.yaml}"),
                "8:53",
                {"'file' of height field shape", "scene.yaml:1:1", "finite numbers"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Contact, BadShapeTest,
    ::testing::Values(
        Mistake{"NegativeFriction",
                contact("{friction: -0.1}"),
                "3:21",
                {"'friction' of contact is -0.1", ">= 0"}},
        Mistake{"RestitutionAboveOne",
                ball("{type: sphere, radius: 0.1, restitution: 1.1}"),
                "14:50",
                {"'restitution' of sphere shape is 1.1", "0 … 1"}},
        Mistake{"FrictionOfABody",
                changed("    mass: 1\n", "    mass: 1\n    friction: -2\n"),
                "12:15",
                {"'friction' of rigid body 'ball' is -2", ">= 0"}},
        Mistake{"KineticAboveStaticFriction",
                ball("{type: sphere, radius: 0.1, friction: 0.4, kinetic_friction: 0.5}"),
                "14:9",
                {"kinetic friction is 0.5", "up to 0.4 (friction)"}},
        Mistake{"FrictionWithoutAnAxis",
                ball("{type: sphere, radius: 0.1, friction_2: 0.4}"),
                "14:9",
                {"friction_2 and friction_axis", "both, or none"}},
        Mistake{"NegativeStribeckSpeed",
                ball("{type: sphere, radius: 0.1, stribeck_speed: -1}"),
                "14:53",
                {"'stribeck_speed' of sphere shape is -1", ">= 0"}},
        Mistake{"PairWithKineticFrictionAlone",
                contact("{pairs: [{bodies: [ball, ground], kinetic_friction: 0.1}]}"),
                "3:19",
                {"kinetic friction of its own", "needs a friction"}},
        Mistake{
            "NegativeEnvelope", contact("{envelope: -1}"), "3:21", {"'envelope' of contact is -1", ">= 0"}},
        Mistake{"UnknownSetting",
                contact("{joint_bodies: true}"),
                "3:11",
                {"unknown key 'joint_bodies' in contact", "did you mean 'joined_bodies'?"}},
        Mistake{"UnknownRule",
                contact("{combine: {friction: min}}"),
                "3:31",
                {"'friction' of combine is 'min'", "geometric, minimum, maximum, average, product"}},
        Mistake{"PairOfAnUnknownBody",
                contact("{pairs: [{bodies: [ball, grund], touch: false}]}"),
                "3:35",
                {"no body 'grund'", "did you mean 'ground'?"}},
        Mistake{"PairWithTheWorld",
                contact("{pairs: [{bodies: [ball, world], touch: false}]}"),
                "3:35",
                {"no body 'world'"}},
        Mistake{"PairWithItself",
                contact("{pairs: [{bodies: [ball, ball], touch: false}]}"),
                "3:35",
                {"both bodies are 'ball'", "two different"}},
        Mistake{"PairOfThree",
                contact("{pairs: [{bodies: [ball, ground, dot]}]}"),
                "3:28",
                {"'bodies' of contact rule", "3 entries", "2"}},
        Mistake{"PairWithoutShapes",
                contact("{pairs: [{bodies: [dot, ball]}]}"),
                "3:29",
                {"body 'dot' has no shapes", "'shapes'"}},
        Mistake{"PairTwice",
                contact("{pairs: [{bodies: [ground, ball]}, {bodies: [ball, ground]}]}"),
                "3:45",
                {"'ball', 'ground'", "a rule already"}},
        Mistake{"PairOfBadRestitution",
                contact("{pairs: [{bodies: [ground, ball], restitution: -1}]}"),
                "3:57",
                {"'restitution' of contact rule is -1", "0 … 1"}},
        Mistake{"UnknownGroup",
                ball("{type: sphere, radius: 0.1, groups: [left], touches: [leftt]}"),
                "14:63",
                {"no shape belongs to a group 'leftt'", "did you mean 'left'?"}},
        Mistake{"NoGroups",
                ball("{type: sphere, radius: 0.1, groups: []}"),
                "14:45",
                {"'groups' of sphere shape is empty", "at least one"}},
        Mistake{
            "OfALagrangianSystem",
            "delassus: 1\ncontact: {friction: 1}\nlagrangian: {coordinates: [x], position: [0], mass: [1]}\n",
            "2:1",
            {"'contact' and 'lagrangian'"}},
        Mistake{"ListedContactOfARigidBody",
                k_scene + "contacts: [{name: c, type: plane, body: ball}]\n",
                "16:41",
                {"'ball' is not a particle", "'shapes'"}}),
    name_of);

TEST_F(BadInputTest, MoreThan32Groups) {
  // `default` is one of them, so that the 32nd of these is one too many.
  std::string shapes;
  for (int i = 1; i <= 32; ++i)
    shapes +=
        (i > 1 ? "\n      - " : "") + ("{type: sphere, radius: 1, groups: [g" + std::to_string(i) + "]}");
  write("scene.yaml", ball(shapes));
  expect_refused({"check", "scene.yaml"}, "scene.yaml:45:44: ", {"group 'g32'", "32 groups", "'default'"});
}

TEST_F(BadInputTest, FilesOfShapesWithMistakes) {
  write("wheel.obj", "v 0 0 0\nv 1 0 zero\n");
  write("hills.txt", "0 1 2\n0 1 x\n");
  write("scene.yaml", ground("{type: mesh, file: wheel.obj}"));
  expect_refused({"check", "scene.yaml"},
                 "scene.yaml:8:28: ", {"'file' of mesh shape", "wheel.obj:2", "zero"});
  write("scene.yaml", ground("{type: height_field, spacing: [1, 1], file: hills.txt}"));
  expect_refused({"check", "scene.yaml"}, "scene.yaml:8:53: ",
                 {"'file' of height field shape", "hills.txt:2:5", "'x'", "finite numbers"});
}

INSTANTIATE_TEST_SUITE_P(
    Repetition, BadShapeTest,
    ::testing::Values(
        Mistake{"NotAMap", changed("mass: 1\n", "mass: 1\n    repeat: 3\n"), "12:13", {"'repeat'", "map"}},
        Mistake{"CounterIsTime",
                changed("mass: 1\n", "mass: 1\n    repeat: {t: 3}\n"),
                "12:14",
                {"a counter is called 't'", "other than t"}},
        Mistake{"HalfACopy",
                changed("mass: 1\n", "mass: 1\n    repeat: {i: 2.5}\n"),
                "12:17",
                {"'i'", "2.5", "whole numbers from 1"}},
        Mistake{"TooMany",
                changed("mass: 1\n", "mass: 1\n    repeat: {i: 1000, j: 1000}\n"),
                "12:26",
                {"'j'", "up to 100000 copies"}},
        Mistake{"NameTaken",
                changed("{name: dot, mass: 1,", "{name: ball_1, repeat: {i: 1}, mass: 1,") +
                    "  - {name: ball_1_0, mass: 1}\n",
                "16:12",
                {"'ball_1_0' is used twice"}}),
    name_of);

}  // namespace
}  // namespace delassus::bad_shapes_test
