// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Mistakes in rigid mechanisms: status 2 with the place where the scene itself is wrong or its joints cannot be put
// together, status 3 with the joints and the last good state where a motion cannot go on.
#include "tests/support/bad_input.hpp"

namespace delassus::bad_mechanism_test {
namespace {

using testing::BadInputTest;
using testing::BadSceneTest;
using testing::Mistake;
using testing::name_of;
using testing::ProgramResult;
using testing::with;

const std::string k_mechanism = R"(delassus: 1
name: base
duration: 0.1
bodies:
  - {name: ground, type: fixed}
  - {name: crank, type: rigid, mass: 1, position: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}
  - {name: rod, type: rigid, mass: 1, position: [1.5, 0, 0], shapes: [{type: box, size: [1, 0.1, 0.1]}]}
  - {name: cart, type: rigid, mass: 1, position: [3, 0, 0], shapes: [{type: sphere, radius: 0.1, collide: false}]}
  - {name: bead, mass: 1, position: [3, 1, 0]}
joints:
  - {name: hinge, type: revolute, between: [world, crank], point: [0, 0, 0]}
  - {name: pin, type: revolute, between: [crank, rod], point: [1, 0, 0], axis: [0, 0, 1]}
  - {name: rail, type: prismatic, between: [world, cart], point: [3, 0, 0], axis: [1, 0, 0]}
)";

std::string changed(const std::string& piece, const std::string& other) {
  return with(k_mechanism, piece, other);
}

class BadMechanismTest : public BadSceneTest {};

TEST_P(BadMechanismTest, IsRefused) {
  expect_scene_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, BadMechanismTest,
    ::testing::Values(
        Mistake{"NothingThatMoves",
                "delassus: 1\nbodies:\n  - {name: ground, type: fixed}\n",
                "3:12",
                {"no body", "moves by forces", "particle or rigid"}},
        Mistake{"UnknownType",
                changed("type: fixed", "type: fixd"),
                "5:26",
                {"'fixd'", "did you mean 'fixed'?", "particle, rigid, fixed, kinematic"}},
        Mistake{"OrientationNotUnit",
                changed("inertia:", "orientation: [1, 1, 0, 0], inertia:"),
                "6:77",
                {"'orientation'", "'crank'", "1.41421", "unit quaternions"}},
        Mistake{"OrientationOfThree",
                changed("inertia:", "orientation: [1, 0, 0], inertia:"),
                "6:77",
                {"'orientation'", "3 entries", "4"}},
        Mistake{"OrientationAndRotation",
                changed("inertia:", "orientation: [1, 0, 0, 0], rotation: [0, 0, 1], inertia:"),
                "6:91",
                {"'orientation'", "'rotation'", "one of them"}},
        Mistake{"InertiaNotPositive",
                changed("[0.1, 0.2, 0.2]", "[0.1, 0.2, -0.2]"),
                "6:73",
                {"'crank'", "not positive definite", "-0.2"}},
        Mistake{"InertiaOfNoBody",
                changed("[0.1, 0.2, 0.2]", "[0.1, 0.2, 0.4]"),
                "6:73",
                {"'crank'", "triangle inequality", "0.4"}},
        Mistake{"InertiaOfTwo",
                changed("[0.1, 0.2, 0.2]", "[0.1, 0.2]"),
                "6:73",
                {"'inertia'", "'crank'", "2 entries", "3 (xx, yy, zz) or 6"}},
        Mistake{"NoInertia",
                changed(", inertia: [0.1, 0.2, 0.2]", ""),
                "6:5",
                {"'crank'", "'inertia'", "'shapes'"}},
        Mistake{"NoMass",
                changed("mass: 1, position: [0.5", "position: [0.5"),
                "6:5",
                {"'crank'", "'mass'", "'density'", "[kg]"}},
        Mistake{"DensityWithoutShapes",
                changed("mass: 1, position: [0.5", "density: 1, position: [0.5"),
                "6:32",
                {"'crank'", "'density'", "no 'shapes'"}},
        Mistake{"MassAndDensity",
                changed("mass: 1, position: [1.5", "mass: 1, density: 2, position: [1.5"),
                "7:39",
                {"'mass'", "'density'", "one of them"}},
        Mistake{"NegativeSize",
                changed("[1, 0.1, 0.1]", "[1, -0.1, 0.1]"),
                "7:89",
                {"'size'", "box shape", "-0.1", "> 0"}},
        Mistake{"NegativeRadius",
                changed("radius: 0.1", "radius: -0.1"),
                "8:93",
                {"'radius'", "sphere shape", "> 0"}},
        Mistake{"NoSize",
                changed("{type: box, size: [1, 0.1, 0.1]}", "{type: box}"),
                "7:71",
                {"box shape", "'size'", "[m]"}},
        Mistake{"UnknownShape", changed("type: box", "type: bx"), "7:78", {"'bx'", "did you mean 'box'?"}},
        Mistake{
            "MotionNotFinite",
            changed("{name: ground, type: fixed}", "{name: ground, type: kinematic, motion: [1/t, 0, 0]}"),
            "5:45",
            {"motion of body 'ground'", "not finite at the start"}},
        Mistake{"MotionNotSmooth",
                changed("{name: ground, type: fixed}",
                        "{name: ground, type: kinematic, motion: [sqrt(t), 0, 0]}"),
                "5:45",
                {"motion of body 'ground'", "not smooth"}},
        Mistake{"TurnNotFinite",
                changed("{name: ground, type: fixed}", "{name: ground, type: kinematic, angle: log(t)}"),
                "5:44",
                {"angle of body 'ground'", "not finite"}},
        Mistake{"MotionOfTwo",
                changed("{name: ground, type: fixed}", "{name: ground, type: kinematic, motion: [0, t]}"),
                "5:45",
                {"'motion'", "2 entries", "3"}},
        Mistake{"MotionByAPlace",
                changed("{name: ground, type: fixed}", "{name: ground, type: kinematic, motion: [x, 0, 0]}"),
                "5:46",
                {"'motion'", "unknown name 'x'", "known: t"}},
        Mistake{"PositionAndMotion",
                changed("{name: ground, type: fixed}",
                        "{name: ground, type: kinematic, position: [1, 0, 0], motion: [t, 0, 0]}"),
                "5:37",
                {"'position'", "'motion'", "one of them"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Joints, BadMechanismTest,
    ::testing::Values(
        Mistake{
            "ZeroAxis", changed("axis: [0, 0, 1]", "axis: [0, 0, 0]"), "12:80", {"'axis'", "'pin'", "zero"}},
        Mistake{"WithItself",
                changed("[crank, rod]", "[crank, crank]"),
                "12:50",
                {"both ends are 'crank'", "two different"}},
        Mistake{"OfTheWorldWithItself",
                changed("[crank, rod]", "[world, world]"),
                "12:50",
                {"both ends are 'world'"}},
        Mistake{"OfWhatCannotMove",
                changed("[crank, rod]", "[world, ground]"),
                "12:12",
                {"joint 'pin'", "neither of its ends can move"}},
        Mistake{"UnknownBody",
                changed("[crank, rod]", "[cranck, rod]"),
                "12:43",
                {"no body 'cranck'", "did you mean 'crank'?"}},
        Mistake{"UnknownKind",
                changed("type: prismatic", "type: prismatc"),
                "13:24",
                {"'prismatc'", "did you mean 'prismatic'?"}},
        Mistake{"OfAParticle",
                changed("[world, cart]", "[world, bead]"),
                "13:52",
                {"'rail'", "orientation", "'bead'", "particle", "rigid bodies"}},
        Mistake{"SkateOfAParticle",
                k_mechanism + "  - {name: s, type: skate, body: bead}\n",
                "14:34",
                {"'s'", "rigid body", "'bead'"}},
        Mistake{"AxesNotPerpendicular",
                k_mechanism + "  - {name: u, type: universal, between: [world, rod], point: [2, 0, 0], "
                              "axis_2: [0, 1, 1]}\n",
                "14:81",
                {"universal joint 'u'", "not perpendicular", "45", "90"}},
        Mistake{
            "NoPoint", changed("point: [1, 0, 0], ", ""), "12:12", {"joint 'pin'", "'point'", "'point_a'"}},
        Mistake{"PointTwice",
                changed("point: [1, 0, 0]", "point: [1, 0, 0], point_a: [0.5, 0, 0]"),
                "12:56",
                {"'pin'", "'point'", "'point_a'", "the one or the others"}},
        Mistake{"AxisTwice",
                changed("axis: [0, 0, 1]", "axis: [0, 0, 1], axis_a: [0, 0, 1], axis_b: [0, 0, 1]"),
                "12:74",
                {"'pin'", "'axis_a'", "the one or the others"}},
        Mistake{"OneAxis",
                changed("axis: [0, 0, 1]", "axis_a: [0, 0, 1]"),
                "12:5",
                {"'axis_a'", "'axis_b'", "both or none"}},
        Mistake{"NoPitch",
                k_mechanism + "  - {name: s, type: screw, between: [world, rod], point: [2, 0, 0]}\n",
                "14:5",
                {"screw joint 's'", "'pitch'"}},
        Mistake{"GearOnASlide",
                k_mechanism + "  - {name: g, type: gear, joints: [hinge, rail], ratio: 1}\n",
                "14:43",
                {"'rail'", "prismatic", "no angle"}},
        Mistake{"GearWithItself",
                k_mechanism + "  - {name: g, type: gear, joints: [hinge, hinge], ratio: 1}\n",
                "14:43",
                {"'g'", "'hinge'", "itself"}},
        Mistake{"GearOfNothing",
                k_mechanism + "  - {name: g, type: gear, joints: [hinge, pin], ratio: 0}\n",
                "14:56",
                {"'ratio'", "'g'", "is 0;"}},
        Mistake{"RackOnAHinge",
                k_mechanism + "  - {name: g, type: rack_and_pinion, rack: pin, pinion: hinge, radius: 1}\n",
                "14:44",
                {"'pin'", "revolute", "no slide"}},
        Mistake{"CouplerOfNothing",
                k_mechanism + "  - {name: c, type: coupler, terms: [{joint: hinge, coefficient: 0}]}\n",
                "14:12",
                {"'c'", "coefficients are zero"}},
        Mistake{"RowOfWhatCannotMove",
                k_mechanism + "  - {name: c, type: pfaffian, terms: [{body: ground, linear: [1, 0, 0]}]}\n",
                "14:12",
                {"'c'", "can move"}},
        Mistake{"RowNotFinite",
                k_mechanism +
                    "  - {name: c, type: pfaffian, terms: [{body: bead, linear: [1, 0, 0]}], target: 1/t}\n",
                "14:81",
                {"target of joint 'c'", "not finite"}},
        Mistake{"DiskOnItsSide",
                k_mechanism + "  - {name: c, type: rolling_disk, body: rod, radius: 0.5, axis: [0, 1, 0]}\n",
                "14:65",
                {"disk of joint 'c'", "flat"}},
        Mistake{"RopeOfLengthZero",
                k_mechanism + "  - {name: p, type: pulley, between: [crank, bead], guide_a: [0, 1, 0], "
                              "guide_b: [3, 1, 0]}\n",
                "14:12",
                {"'p'", "'bead'", "length zero"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Drives, BadMechanismTest,
    ::testing::Values(
        Mistake{"UnknownJoint",
                k_mechanism + "motors: [{name: m, type: position, joint: hing, law: t}]\n",
                "14:43",
                {"no joint or measure 'hing'", "did you mean 'hinge'?"}},
        Mistake{
            "UnknownCoordinate",
            k_mechanism + "motors: [{name: m, type: position, joint: hinge, coordinate: angel, law: t}]\n",
            "14:62",
            {"'hinge'", "no coordinate 'angel'", "did you mean 'angle'?"}},
        Mistake{"NoCoordinate",
                k_mechanism + "  - {name: ball, type: spherical, between: [world, rod], point: [2, 0, "
                              "0]}\nmotors: [{name: m, type: position, joint: ball, law: t}]\n",
                "15:43",
                {"'ball'", "spherical", "no coordinate"}},
        Mistake{"SeveralCoordinates",
                k_mechanism + "  - {name: tube, type: cylindrical, between: [world, rod], point: [2, 0, "
                              "0]}\nmotors: [{name: m, type: position, joint: tube, law: t}]\n",
                "15:43",
                {"'tube'", "several coordinates", "slide, angle"}},
        Mistake{"UnknownVariable",
                k_mechanism + "motors: [{name: m, type: position, joint: hinge, law: 2*x}]\n",
                "14:57",
                {"'law'", "'m'", "unknown name 'x'", "known: t"}},
        Mistake{"LawNotFinite",
                k_mechanism + "motors: [{name: m, type: position, joint: hinge, law: 1/t}]\n",
                "14:55",
                {"law of motor 'm'", "not finite at the start"}},
        Mistake{"LawNotSmooth",
                k_mechanism + "motors: [{name: m, type: position, joint: hinge, law: sqrt(t)}]\n",
                "14:55",
                {"law of motor 'm'", "not smooth"}},
        Mistake{"ForceNotFinite",
                k_mechanism + "motors: [{name: m, type: force, joint: hinge, law: 1/x}]\n",
                "14:52",
                {"law of motor 'm'", "inf", "at the start"}},
        Mistake{"NoLaw",
                k_mechanism + "motors: [{name: m, type: force, joint: hinge}]\n",
                "14:10",
                {"force motor 'm'", "'law'", "[N or N·m]"}},
        Mistake{"LimitsInDisorder",
                k_mechanism + "limits: [{name: l, joint: hinge, lower: 1, upper: 1}]\n",
                "14:41",
                {"'lower'", "'l'", "below 'upper'"}},
        Mistake{"LimitOfNothing",
                k_mechanism + "limits: [{name: l, joint: hinge}]\n",
                "14:10",
                {"'l'", "neither 'lower' nor 'upper'"}},
        Mistake{"FrictionWithoutRadius",
                k_mechanism + "frictions: [{name: f, joint: hinge, coefficient: 0.1}]\n",
                "14:20",
                {"friction 'f'", "'radius'", "[m]"}},
        Mistake{"FrictionOfASlideWithRadius",
                k_mechanism + "frictions: [{name: f, joint: rail, coefficient: 0.1, radius: 1}]\n",
                "14:62",
                {"friction 'f'", "'radius'", "angle"}},
        Mistake{"FrictionOfAMeasure",
                k_mechanism + "measures: [{name: width, type: length, between: [world, rod]}]\nfrictions: "
                              "[{name: f, joint: width, constant: 0.1}]\n",
                "15:30",
                {"friction 'f'", "measure 'width'", "joints"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    ForcesAndContacts, BadMechanismTest,
    ::testing::Values(
        Mistake{"BushingNotSymmetric",
                k_mechanism + "forces: [{name: b, type: bushing, between: [world, crank], point: [0, 0, 0], "
                              "stiffness: [[1, 2, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, "
                              "0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}]\n",
                "14:17",
                {"'b'", "stiffness matrix", "not symmetric"}},
        Mistake{"BushingNegative",
                k_mechanism + "forces: [{name: b, type: bushing, between: [world, crank], point: [0, 0, 0], "
                              "stiffness: [-1, 1, 1, 1, 1, 1]}]\n",
                "14:17",
                {"'b'", "negative eigenvalue -1"}},
        Mistake{"BushingOfThree",
                k_mechanism + "forces: [{name: b, type: bushing, between: [world, crank], point: [0, 0, 0], "
                              "stiffness: [1, 1, 1]}]\n",
                "14:89",
                {"'stiffness'", "3 entries", "6"}},
        Mistake{"BushingOfAParticle",
                k_mechanism + "forces: [{name: b, type: bushing, between: [world, bead], point: [0, 0, 0], "
                              "stiffness: [1, 1, 1, 1, 1, 1]}]\n",
                "14:52",
                {"'b'", "'bead'", "rigid bodies"}},
        Mistake{"TorqueOnAParticle",
                k_mechanism + "forces: [{name: b, type: applied, body: bead, torque: [1, 0, 0]}]\n",
                "14:41",
                {"'bead'", "particle", "'torque'", "rigid"}},
        Mistake{"ForceOnTheFixed",
                k_mechanism + "forces: [{name: b, type: applied, body: ground, force: [1, 0, 0]}]\n",
                "14:41",
                {"'ground'", "does not move by forces"}},
        Mistake{"AttractionFromWithin",
                k_mechanism + "forces: [{name: b, type: point_gravity, center: [3, 1, 0], strength: 1}]\n",
                "14:49",
                {"'bead'", "point gravity 'b'", "infinite"}},
        Mistake{"ContactOfARigidBody",
                k_mechanism + "contacts: [{name: floor, type: plane, body: crank}]\n",
                "14:45",
                {"'crank'", "not a particle", "'shapes'"}},
        Mistake{"PairOfARigidBody",
                k_mechanism + "contacts: [{name: c, type: pair, between: [bead, crank], distance: 0.1}]\n",
                "14:50",
                {"'crank'", "not a particle"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Steppers, BadMechanismTest,
    ::testing::Values(
        Mistake{
            "ForJointsWithContacts",
            k_mechanism +
                "contacts: [{name: floor, type: plane, body: bead}]\nstepper: {name: generalized-alpha}\n",
            "15:17",
            {"'generalized-alpha'", "joints only", "contact 'floor'", "'trapezoidal-2'"}},
        Mistake{"ForJointsWithStops",
                k_mechanism + "limits: [{name: stop, joint: hinge, lower: -1}]\nstepper: {name: hht}\n",
                "15:17",
                {"'hht'", "limit 'stop'", "'trapezoidal-2'"}},
        Mistake{"ForJointsWithFriction",
                k_mechanism + "frictions: [{name: rub, joint: hinge, constant: 1}]\nstepper: {name: "
                              "trapezoidal-linearized}\n",
                "15:17",
                {"friction 'rub'", "'trapezoidal-2'"}},
        Mistake{"RhoAboveOne",
                k_mechanism + "stepper: {name: generalized-alpha, rho: 1.5}\n",
                "14:41",
                {"'rho'", "is 1.5;", "0 … 1"}}),
    name_of);

// --- joints that contradict each other

const std::string k_arm = R"(delassus: 1
name: arm
duration: 1
bodies:
  - {name: arm, type: rigid, mass: 1, position: [0.5, 0, 0], shapes: [{type: box, size: [1, 0.1, 0.1]}]}
joints:
  - {name: hinge, type: revolute, between: [world, arm], point: [0, 0, 0]}
motors:
  - {name: one, type: position, joint: hinge, law: t}
  - {name: other, type: position, joint: hinge, law: t}
)";

// The slider is pushed outwards until crank and rod are in line: at x = 3 m, which it reaches after 1 s.
const std::string k_dead_point = R"(delassus: 1
name: press
duration: 2
constants: {a: 1.2, b: asin(sin(a)/2), x: cos(a) + 2*cos(b)}
bodies:
  - {name: crank, type: rigid, mass: 1, position: [cos(a)/2, sin(a)/2, 0], rotation: [0, 0, a], shapes: [{type: box, size: [1, 0.1, 0.1], collide: false}]}
  - {name: rod, type: rigid, mass: 1, position: [cos(a) + cos(b), sin(a)/2, 0], rotation: [0, 0, -b], shapes: [{type: box, size: [2, 0.1, 0.1], collide: false}]}
  - {name: slider, type: rigid, mass: 1, position: [x, 0, 0], shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}
joints:
  - {name: main, type: revolute, between: [world, crank], point: [0, 0, 0]}
  - {name: pin, type: revolute, between: [crank, rod], point: [cos(a), sin(a), 0]}
  - {name: wrist, type: revolute, between: [rod, slider], point: [x, 0, 0]}
  - {name: rail, type: prismatic, between: [world, slider], point: [x, 0, 0], axis: [1, 0, 0]}
motors:
  - {name: push, type: position, joint: rail, law: (3 - x)*t}
stepper: {step: 2e-3}
)";

class ContradictionTest : public BadInputTest {
 protected:
  void expect_stopped(const std::vector<std::string>& options, double from, double to,
                      const std::vector<std::string>& any_of) {
    std::vector<std::string> arguments{"run", "scene.yaml", "--out", "result", "--quiet", "--no-report"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("result/state.txt"), std::string::npos) << result.err;
    EXPECT_TRUE(std::any_of(any_of.begin(), any_of.end(), [&](const std::string& name) {
      return result.err.find("'" + name + "'") != std::string::npos;
    })) << result.err;
    const std::string state = read("result/state.txt");
    EXPECT_EQ(state.find("nan"), std::string::npos);
    EXPECT_EQ(state.find("inf"), std::string::npos);
    const std::size_t at = state.find("\nt ");
    ASSERT_NE(at, std::string::npos);
    const double t = std::strtod(state.c_str() + at + 3, nullptr);
    EXPECT_GE(t, from);
    EXPECT_LE(t, to);
  }
};

TEST_F(ContradictionTest, RodsThatCannotClose) {
  write("scene.yaml",
        k_mechanism +
            "  - {name: left, type: distance, between: [world, bead], length: 1}\n"
            "  - {name: right, type: distance, between: [world, bead], anchor: [10, 0, 0], length: 1}\n");
  expect_refused({"run", "scene.yaml", "--out", "result"}, "scene.yaml:1",
                 {"cannot be put together", "'left'", "'right'"});
  const ProgramResult check = run({"check", "scene.yaml"});
  EXPECT_EQ(check.status, 1);
  EXPECT_NE(check.out.find("problem: the joints cannot be put together"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("stepper generalized-alpha"), std::string::npos) << check.out;
}

TEST_F(ContradictionTest, TwoMotors) {
  write("scene.yaml", with(k_arm, "law: t}\n  - {name: other", "law: 1 + t}\n  - {name: other"));
  expect_refused({"run", "scene.yaml", "--out", "result"},
                 "scene.yaml:", {"cannot be put together", "'one'", "'other'"});
  write("scene.yaml", with(k_arm, "law: t}\n  - {name: other", "law: 2*t}\n  - {name: other"));
  expect_refused({"run", "scene.yaml", "--out", "result"}, "scene.yaml:", {"velocities", "'one'", "'other'"});
  // They agree at first and part at 0.5 s.
  write("scene.yaml",
        with(k_arm, "law: t}\n  - {name: other", "law: \"t + max(0, t - 0.5)^3\"}\n  - {name: other"));
  for (const std::string stepper : {"generalized-alpha", "trapezoidal-2", "energy-midpoint"})
    expect_stopped({"--stepper", stepper}, 0.49, 0.6, {"one", "other", "hinge"});
}

TEST_F(ContradictionTest, PastADeadPoint) {
  write("scene.yaml", k_dead_point);
  for (const std::string stepper :
       {"generalized-alpha", "newmark", "euler-implicit", "energy-midpoint", "trapezoidal-linearized",
        "trapezoidal-2", "trapezoidal-1", "anitescu-potra", "anitescu-potra-stiff"})
    expect_stopped({"--stepper", stepper}, 0.98, 1.0 + 1e-9, {"main", "pin", "wrist", "rail", "push"});
}

TEST_F(ContradictionTest, ALockedMechanism) {
  const std::string welded = with(
      k_arm, "motors:", "  - {name: weld, type: fixed, between: [world, arm], point: [0, 0, 0]}\nmotors:");
  const std::string alone = with(welded, "  - {name: one, type: position, joint: hinge, law: t}\n", "");
  write("scene.yaml", with(alone, "law: t}", "law: \"max(0, t - 0.5)^3\"}"));
  for (const std::string stepper : {"generalized-alpha", "trapezoidal-2"})
    expect_stopped({"--stepper", stepper}, 0.49, 0.6, {"hinge", "weld", "other"});
}

// Joints that hold a body at rest, with rows to spare: only round-off moves, which must not be taken for a contradiction.
TEST_F(ContradictionTest, NothingMovesAndNothingIsWrong) {
  const std::string still = with(with(k_arm, "law: t}", "law: 0}"), "law: t}", "law: 0}");
  write("scene.yaml",
        with(still,
             "motors:", "  - {name: weld, type: fixed, between: [world, arm], point: [0, 0, 0]}\nmotors:"));
  for (const std::string stepper :
       {"generalized-alpha", "energy-midpoint", "trapezoidal-2", "anitescu-potra"}) {
    const ProgramResult result =
        run({"run", "scene.yaml", "--out", "result", "--quiet", "--no-report", "--stepper", stepper});
    EXPECT_EQ(result.status, 0) << stepper << ": " << result.err;
    EXPECT_EQ(result.err, "");
  }
}

// --- what check says about mechanisms

class MechanismCheckTest : public BadInputTest {
 protected:
  // Runs check and expects the status and every one of the texts.
  void expect_says(const std::vector<std::string>& arguments, int status,
                   const std::vector<std::string>& texts) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, status) << result.out << result.err;
    for (const std::string& text : texts)
      EXPECT_NE(result.out.find(text), std::string::npos) << "wanted: " << text << "\ngot: " << result.out;
  }
};

TEST_F(MechanismCheckTest, RedundantJointsByName) {
  // A planar loop in space: 20 rows for 18 velocities and still one freedom, so three rows are redundant.
  expect_says({"check", "four_bar"}, 0,
              {"20 joint rows (17 independent)", "1 degree of freedom",
               "joint 'D': 3 of its 5 rows are redundant", "not unique: 'A', 'B', 'C'",
               "joint coordinates: A.angle B.angle C.angle D.angle", "no problems found"});
  // Bricard's ring: one redundant row.
  expect_says({"check", "bricard"}, 0,
              {"30 joint rows (29 independent)", "joint 'P5': 1 of its 5 rows is redundant"});
  const ProgramResult open = run({"check", "robot_arm"});
  EXPECT_EQ(open.out.find("redundant"), std::string::npos) << open.out;
}

TEST_F(MechanismCheckTest, MassesAndStepper) {
  expect_says({"check", "light_rod_pendulum", "--set", "bodies.bob.mass=1000"}, 0,
              {"note: mass ratio 1e+06 between 'bob' and 'rod'", "joints hold"});
  expect_says({"check", "pendulum", "--set", "stepper.name=trapezoidal-2"}, 0,
              {"stepper trapezoidal-2, as the scene asks"});
  write("scene.yaml", k_mechanism);
  expect_says({"check", "scene.yaml"}, 0, {"stepper generalized-alpha, chosen because nothing can touch"});
  expect_says({"run", "bouncing_ball", "--stepper", "auto", "--duration", "0.01", "--out", "chosen"}, 0,
              {"stepper trapezoidal-2, chosen because there are contacts"});
  expect_says({"run", "bouncing_ball", "--solver", "auto", "--duration", "0.01", "--out", "chosen"}, 0,
              {"completed"});
  write("scene.yaml", k_mechanism + "limits: [{name: stop, joint: hinge, lower: 0.25}]\n");
  expect_says({"check", "scene.yaml"}, 1,
              {"stepper trapezoidal-2, chosen because there are contacts, stops or dry friction",
               "1 contacts", "problem: stop 'stop.lower' is passed by 0.25"});
}

TEST_F(MechanismCheckTest, FreedomAndDrives) {
  write("scene.yaml", k_arm);
  expect_says(
      {"check", "scene.yaml"}, 0,
      {"0 degrees of freedom", "motors prescribe the whole motion (without them: 1 degree of freedom)",
       "motor 'other' drives what other joints and motors hold already"});
  const std::string welded = with(
      k_arm, "motors:", "  - {name: weld, type: fixed, between: [world, arm], point: [0, 0, 0]}\nmotors:");
  write("scene.yaml", welded.substr(0, welded.find("motors:")));
  expect_says({"check", "scene.yaml"}, 0, {"the mechanism is locked", "0 degrees of freedom"});
}

TEST_F(MechanismCheckTest, Assembly) {
  const std::string bent = with(k_arm, "name: one, type: position, joint: hinge, law: t",
                                "name: one, type: position, joint: hinge, law: 0.5");
  write("scene.yaml", bent.substr(0, bent.find("  - {name: other")));
  // The arm turns by 0.5 rad about its end: its centre moves by √((½(1−cos ½))² + (½ sin ½)²) < 0.5 in each component.
  expect_says({"check", "scene.yaml"}, 0, {"the joints do not hold at the start", "moved by up to 0.5 m"});
  expect_says({"check", "scene.yaml", "--set", "assemble=false"}, 1,
              {"problem: joint 'one' is violated by -0.5 rad"});
}

}  // namespace
}  // namespace delassus::bad_mechanism_test
