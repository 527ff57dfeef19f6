// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Bad input, as users give it: status 2, a message that says where, what and what is allowed, and nothing left
// behind.
#include <string>
#include <vector>

#include "tests/support/bad_input.hpp"

namespace delassus::bad_input_test {
namespace {

using testing::BadInputTest;
using testing::BadSceneTest;
using testing::Mistake;
using testing::name_of;
using testing::with;

const std::string k_bodies = R"(delassus: 1
name: base
duration: 0.1
bodies:
  - {name: block, mass: 1, position: [3, 0, 0]}
  - {name: other, mass: 2, position: [5, 0, 0]}
joints:
  - {name: rod, type: distance, between: [block, other]}
forces:
  - {name: push, type: applied, body: block, force: [8*cos(t), 0, 0]}
contacts:
  - {name: table, type: plane, body: block, normal: [0, 1, 0], friction: 0.8, restitution: 0.5}
stepper: {name: trapezoidal-2, step: 0.01}
)";

const std::string k_lagrangian = R"(delassus: 1
duration: 0.1
lagrangian:
  coordinates: [x, y]
  position: [0, 0]
  mass: [[1, 0], [0, 1]]
)";

std::string changed(const std::string& piece, const std::string& other) {
  return with(k_bodies, piece, other);
}
std::string repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST_P(BadSceneTest, IsRefused) {
  expect_scene_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Keys, BadSceneTest,
    ::testing::Values(
        Mistake{"UnknownKey",
                changed("mass: 1", "mas: 1"),
                "5:19",
                {"unknown key 'mas'", "'block'", "did you mean 'mass'?"}},
        Mistake{"UnknownKeyOfScene",
                changed("duration:", "durations:"),
                "3:1",
                {"'durations'", "did you mean 'duration'?"}},
        Mistake{"UnknownKeyFarFromAll",
                k_bodies + "zzzzzz: 1\n",
                "14:1",
                {"'zzzzzz'", "known: delassus", "picture"}},
        Mistake{"MissingKey", changed("mass: 1, ", ""), "5:5", {"'block'", "'mass'", "[kg]", "> 0"}},
        Mistake{"MissingType", changed("type: plane, ", ""), "12:5", {"'type'", "plane, pair"}},
        Mistake{"UnknownType",
                changed("type: plane", "type: plan"),
                "12:25",
                {"'plan'", "did you mean 'plane'?", "allowed: plane, pair"}},
        Mistake{
            "DuplicateKey", changed("mass: 1, ", "mass: 1, mass: 2, "), "5:28", {"'mass'", "second time"}},
        Mistake{"KeyWithoutValue",
                changed("duration: 0.1", "duration:"),
                "3:1",
                {"'duration'", "no value", "> 0"}},
        Mistake{"KeyThatIsAList", k_bodies + "? [a, b]\n: 1\n", "14:3", {"a key must be a word"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Types, BadSceneTest,
    ::testing::Values(
        Mistake{"ListForNumber",
                changed("mass: 1", "mass: [1]"),
                "5:25",
                {"'mass'", "'block'", "a list", "a finite number > 0"}},
        Mistake{"TextForNumber",
                changed("mass: 1", "mass: heavy"),
                "5:25",
                {"'mass'", "'heavy'", "allowed: a finite number > 0"}},
        Mistake{
            "BooleanForNumber", changed("mass: 1", "mass: true"), "5:25", {"true", "a finite number > 0"}},
        Mistake{"NumberForBoolean",
                changed("step: 0.01", "step: 0.01, detect_transitions: 1"),
                "13:64",
                {"'detect_transitions'", "'1'", "true or false"}},
        Mistake{"ListForMap",
                changed("{name: trapezoidal-2, step: 0.01}", "[trapezoidal-2]"),
                "13:10",
                {"'stepper'", "a map", "a list"}},
        Mistake{"MapForList",
                "delassus: 1\nbodies:\n  block: {mass: 1}\n",
                "3:3",
                {"'bodies'", "a list of maps", "a map", "- {name"}},
        Mistake{"TextForElement",
                changed("  - {name: other, mass: 2, position: [5, 0, 0]}", "  - other"),
                "6:5",
                {"must be a map of keys", "'other'"}},
        Mistake{"TwoNumbersForVector",
                changed("[3, 0, 0]", "[3, 0]"),
                "5:38",
                {"'position'", "2 entries", "allowed: 3"}},
        Mistake{"FourNumbersForVector",
                changed("[3, 0, 0]", "[3, 0, 0, 1]"),
                "5:38",
                {"'position'", "4 entries", "allowed: 3"}},
        Mistake{"ThreeEnds", changed("[block, other]", "[block, other, block]"), "8:42", {"3 entries", "2"}},
        Mistake{"TwoForces", changed("[8*cos(t), 0, 0]", "[8*cos(t), 0]"), "10:53", {"2 entries", "3"}},
        Mistake{"NameOverTwoLines",
                changed("name: other", "name: \"ot\\nher\""),
                "6:12",
                {"'ot?her'", "one line of text"}},
        Mistake{"WholeNumber", k_bodies + "output: {every: 1.5}\n", "14:17", {"1.5", "whole numbers"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Ranges, BadSceneTest,
    ::testing::Values(
        Mistake{"ZeroMass", changed("mass: 1", "mass: 0"), "5:25", {"'mass'", "'block'", "is 0;", "> 0"}},
        Mistake{"NegativeMass", changed("mass: 2", "mass: -2.5"), "6:25", {"'other'", "is -2.5;", "> 0"}},
        Mistake{"NegativeFriction",
                changed("friction: 0.8", "friction: -0.1"),
                "12:74",
                {"'friction'", "'table'", "is -0.1;", ">= 0"}},
        Mistake{"RestitutionAboveOne",
                changed("restitution: 0.5", "restitution: 1.5"),
                "12:92",
                {"'restitution'", "is 1.5;", "0 … 1"}},
        Mistake{
            "ZeroNormal", changed("normal: [0, 1, 0]", "normal: [0, 0, 0]"), "12:53", {"'normal'", "zero"}},
        Mistake{"ZeroStep", changed("step: 0.01", "step: 0"), "13:38", {"'step'", "is 0;", "> 0"}},
        Mistake{"NegativeStep", changed("step: 0.01", "step: -1e-3"), "13:38", {"is -0.001;", "> 0"}},
        Mistake{"ZeroDuration", changed("duration: 0.1", "duration: 0"), "3:11", {"'duration'", "> 0"}},
        Mistake{"TooManySteps", changed("duration: 0.1", "duration: 1e20"), "3:11", {"1e+22 steps", "1e+15"}},
        Mistake{
            "OddDirections", k_bodies + "law: {directions: 7}\n", "14:19", {"'directions'", "is 7;", "even"}},
        Mistake{"UnknownChoice",
                k_bodies + "impact: {law: poison}\n",
                "14:15",
                {"'poison'", "did you mean 'poisson'?", "newton, poisson, simplified"}},
        Mistake{"NotANumber", changed("mass: 1", "mass: .nan"), "5:25", {"'mass'", ".nan", "finite number"}},
        Mistake{"NanWord", changed("mass: 1", "mass: NaN"), "5:25", {"'mass'", "NaN", "finite number > 0"}},
        Mistake{"Infinity", changed("[3, 0, 0]", "[3, -.inf, 0]"), "5:42", {"'position'", "-.inf", "finite"}},
        Mistake{"Overflow", changed("mass: 1", "mass: 1e999"), "5:25", {"'mass'", "1e999", "finite number"}},
        Mistake{"TooFarAway",
                "delassus: 1\nbodies: [{name: a, mass: 1}, {name: b, mass: 1, position: [1e200, 0, 0]}]\n"
                "contacts: [{name: ab, type: pair, between: [a, b], distance: 1}]\n",
                "3:19",
                {"gap of contact 'ab'", "inf", "finite"}},
        Mistake{"FormulaWithoutValue",
                changed("mass: 1", "mass: 0/0"),
                "5:25",
                {"'mass'", "'0/0' = nan", "finite number > 0"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Names, BadSceneTest,
    ::testing::Values(
        Mistake{"MissingBody",
                changed("body: block, normal", "body: blok, normal"),
                "12:38",
                {"no body 'blok'", "did you mean 'block'?"}},
        Mistake{"MissingBodyFarFromAll",
                changed("between: [block,", "between: [zzzzzzzzz,"),
                "8:43",
                {"no body 'zzzzzzzzz'", "known: block, other, world"}},
        Mistake{"SameEnds", changed("[block, other]", "[block, block]"), "8:50", {"both ends are 'block'"}},
        Mistake{
            "DuplicateName", changed("name: other", "name: block"), "6:12", {"'block'", "twice", "line 5"}},
        Mistake{
            "DuplicateNameOfAnotherKind", changed("name: rod", "name: block"), "8:12", {"'block'", "line 5"}},
        Mistake{"BodyCalledWorld", changed("name: other", "name: world"), "6:12", {"'world'"}},
        Mistake{"UnknownStepper",
                changed("trapezoidal-2", "trapezoidal-3"),
                "13:17",
                {"stepper 'trapezoidal-3'", "did you mean 'trapezoidal-2'?"}},
        Mistake{"UnknownSolver", k_bodies + "solver: {name: lemk}\n", "14:16", {"solver 'lemk'", "'lemke'?"}},
        Mistake{"UnknownLaw",
                k_bodies + "law: {name: frictionles}\n",
                "14:13",
                {"law 'frictionles'", "did you mean 'frictionless'?"}},
        Mistake{"SettingOutOfRange",
                k_bodies + "solver: {tolerance: 0.5}\n",
                "14:21",
                {"'tolerance' of solver is 0.5", "> 0 … 0.01 or automatic"}},
        Mistake{"SettingThatIsNoWord",
                k_bodies + "solver: {max_iterations: automatc}\n",
                "14:26",
                {"'max_iterations'", "automatc", "or automatic"}},
        Mistake{"FormerWord",
                changed("step: 0.01", "data: default"),
                "13:38",
                {"'data' of stepper is 'default'", "allowed: start, middle, end, automatic"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Formulas, BadSceneTest,
    ::testing::Values(
        Mistake{"MissingBracket", changed("8*cos(t)", "8*cos(t"), "10:61", {"'force'", "'push'", ")", "got"}},
        Mistake{"BracketTooMany", changed("8*cos(t)", "8*cos(t))"), "10:62", {"this ) has no ("}},
        Mistake{"Quoted", changed("8*cos(t)", "\"8*cos(t))\""), "10:63", {"this ) has no ("}},
        Mistake{"UnknownVariable",
                changed("8*cos(t)", "8*cos(tt)"),
                "10:60",
                {"unknown name 'tt'", "did you mean 't'?", "x, y, z, vx, vy, vz"}},
        Mistake{"UnknownFunction", changed("8*cos(t)", "8*coz(t)"), "10:56", {"'coz'", "'cos'"}},
        Mistake{"OnTheSecondLine", changed("8*cos(t)", "8*\n     cos(tt)"), "11:10", {"unknown name 'tt'"}},
        Mistake{"AfterUmlauts",
                with(changed("name: push", "name: Stoß"), "8*cos(t)", "8*cos(tt)"),
                "10:60",
                {"'Stoß'", "unknown name 'tt'"}},
        Mistake{"UnknownConstant", changed("mass: 1", "mass: 2*m"), "5:27", {"unknown name 'm'", "finite"}},
        Mistake{"ConstantBeforeItsTurn",
                changed("duration: 0.1", "duration: 0.1\nconstants: {a: 2*b, b: 1}"),
                "4:18",
                {"constant 'a'", "unknown name 'b'"}},
        Mistake{"ConstantCalledTime",
                changed("duration: 0.1", "duration: 0.1\nconstants: {t: 1}"),
                "4:13",
                {"'t'", "time"}},
        Mistake{"ConstantWithoutAName",
                changed("duration: 0.1", "duration: 0.1\nconstants: {2a: 1}"),
                "4:13",
                {"'2a'", "letters"}},
        Mistake{"ConstantHiddenByAVariable",
                changed("duration: 0.1", "duration: 0.1\nconstants: {x: 1}"),
                "11:53",
                {"'x'", "constant", "rename"}},
        Mistake{"NotFiniteAtTheStart",
                changed("8*cos(t)", "1/t"),
                "10:53",
                {"force 'push'", "inf", "at the start"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Files, BadSceneTest,
    ::testing::Values(
        Mistake{"Empty", "", "1:1", {"empty", "'delassus: 1'"}},
        Mistake{"CommentOnly", "# later\n", "1:1", {"empty", "'delassus: 1'"}},
        Mistake{"NoScene", "name: x\nduration: 1\n", "1:1", {"not a scene", "'delassus: 1'"}},
        Mistake{"Text", "hello world\n", "1:1", {"not a scene", "text", "'delassus: 1'"}},
        Mistake{"List", "- delassus: 1\n- 2\n", "1:1", {"not a scene", "a list", "'delassus: 1'"}},
        Mistake{"NewerFormat", changed("delassus: 1", "delassus: 2"), "1:11", {"'2'", "format 1"}},
        Mistake{"FormatInWords", changed("delassus: 1", "delassus: one"), "1:11", {"'one'", "format 1"}},
        Mistake{"Nothing", "delassus: 1\n", "1:1", {"'bodies'", "'lagrangian'"}},
        Mistake{"OpenBracket", changed("[3, 0, 0]", "[3, 0, 0"), "5:46", {"not valid YAML", "bracket"}},
        Mistake{"OpenQuote", changed("name: base", "name: \"base"), "2:7", {"not valid YAML", "quote"}},
        Mistake{"Tab",
                changed("  - {name: other", "\t- {name: other"),
                "6:2",
                {"not valid YAML", "tab", "spaces"}},
        Mistake{"Indentation", changed("duration", "  duration"), "3:11", {"not valid YAML", "indentation"}},
        Mistake{"TwoDocuments", k_bodies + "---\n" + k_bodies, "14:1", {"document", "allowed: one"}},
        Mistake{"JsonAndMore", R"({"delassus": 1} {"name": "x"})", "1:17", {"outside", "allowed: one"}},
        Mistake{"StrayComma", "# a comment\n, more\n" + k_bodies, "2:1", {"outside", "allowed: one"}},
        Mistake{"NoAnchor", k_bodies + "output: *here\n", "14:9", {"not valid YAML", "alias"}},
        Mistake{"Binary",
                std::string("\x7f"
                            "ELF\x02\x01\x01\0\0\0",
                            10),
                "1:1",
                {"not a text file", "0x7F"}},
        Mistake{"Zeros", std::string(4096, '\0'), "1:1", {"not a text file", "0x00"}},
        Mistake{"Latin1", changed("name: base", "name: b\xE9"), "2:8", {"0xE9", "UTF-8"}},
        Mistake{"Utf16",
                std::string("\xFF\xFE"
                            "d\0e\0",
                            6),
                "1:1",
                {"0xFF", "UTF-8"}},
        Mistake{
            "DeepLists", k_bodies + "x: " + repeat("[", 100) + repeat("]", 100), "14:68", {"nested", "64"}},
        Mistake{"VeryDeepLists", repeat("[", 100'000), "1:1", {"nested", "64"}},
        Mistake{"VeryDeepMaps", repeat("{a: ", 100'000), "1:1", {"nested", "64"}},
        Mistake{"AliasOfItself", "a: &a [*a]\n", "1:4", {"nested", "64"}},
        Mistake{"AliasesOfAliases",
                "a: &a [0,0,0,0,0,0,0,0,0]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
                "[*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e "
                "[*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g "
                "[*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n",
                "1:14",
                {"too many values", "4000000"}},
        Mistake{"TenMegabytesOfName",
                "delassus: 1\nname: " + std::string(10'000'000, 'x') + "\n",
                "2:7",
                {"'name'", "10000000 bytes", "200"}},
        Mistake{"TenMegabytesOfKey",
                "delassus: 1\n\"" + std::string(10'000'000, 'x') + "\": 1\n",
                "2:10000003",
                {"not valid YAML"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Lagrangian, BadSceneTest,
    ::testing::Values(
        Mistake{"WithBodies",
                k_bodies + k_lagrangian.substr(k_lagrangian.find("lagr")),
                "4:1",
                {"'bodies'", "'lagrangian'"}},
        Mistake{"IndefiniteMass",
                with(k_lagrangian, "[[1, 0], [0, 1]]", "[[1, 2], [2, 1]]"),
                "6:9",
                {"mass matrix", "positive definite", "-1"}},
        Mistake{"UnsymmetricMass",
                with(k_lagrangian, "[[1, 0], [0, 1]]", "[[1, 0.5], [0, 1]]"),
                "6:9",
                {"mass matrix", "symmetric", "0.5"}},
        Mistake{"MassNotFinite",
                with(k_lagrangian, "[[1, 0], [0, 1]]", "[[1/x, 0], [0, 1]]"),
                "6:9",
                {"(1, 1)", "mass matrix", "inf"}},
        Mistake{"MassOfAnotherSize",
                with(k_lagrangian, "[[1, 0], [0, 1]]", "[[1], [1]]"),
                "6:9",
                {"a row of 'mass'", "1 entries", "2"}},
        Mistake{
            "ThreeMasses", with(k_lagrangian, "[[1, 0], [0, 1]]", "[1, 1, 1]"), "6:9", {"3 entries", "2"}},
        Mistake{"ThreePositions", with(k_lagrangian, "[0, 0]", "[0, 0, 0]"), "5:13", {"3 entries", "2"}},
        Mistake{"CoordinateCalledTime", with(k_lagrangian, "[x, y]", "[x, t]"), "4:20", {"'t'", "time"}},
        Mistake{"CoordinateTwice", with(k_lagrangian, "[x, y]", "[x, x]"), "4:16", {"'x'", "two things"}},
        Mistake{
            "CoordinateWithoutAName", with(k_lagrangian, "[x, y]", "[x, 2y]"), "4:20", {"'2y'", "letters"}},
        Mistake{"CoordinateThatIsAConstant",
                with(k_lagrangian, "duration: 0.1", "constants: {y: 1}"),
                "4:20",
                {"'y'", "coordinate", "constant"}},
        Mistake{"NoCoordinates", with(k_lagrangian, "[x, y]", "[]"), "4:16", {"'coordinates' is empty"}},
        Mistake{"VelocityInAGap",
                k_lagrangian + "  contacts: [{name: c, gap: x + v_x}]\n",
                "7:33",
                {"'gap'", "'c'", "unknown name 'v_x'"}},
        Mistake{"GapNotFinite",
                k_lagrangian + "  contacts: [{name: c, gap: log(x)}]\n",
                "7:29",
                {"gap of contact 'c'", "-inf", "at the start"}},
        Mistake{"GapThatNothingMoves",
                k_lagrangian + "  contacts: [{name: c, gap: 1 - t}]\n",
                "7:29",
                {"gap of contact 'c'", "no coordinate", "x, y"}},
        Mistake{"ConstraintThatNothingMoves",
                k_lagrangian + "  constraints: [{name: drive, equation: 1 - t}]\n",
                "7:41",
                {"constraint 'drive'", "no coordinate", "x, y"}},
        Mistake{
            "VelocityConstraintThatNothingMoves",
            k_lagrangian + "  velocity_constraints: [{name: drive, coefficients: [0, x - x], target: 1}]\n",
            "7:54",
            {"velocity constraint 'drive'", "zero"}},
        Mistake{"ConstraintNotSmooth",
                k_lagrangian + "  constraints: [{name: drive, equation: sqrt(x)}]\n",
                "7:41",
                {"derivative", "constraint 'drive'", "'x'", "inf"}},
        Mistake{
            "ForceNotFinite", k_lagrangian + "  forces: [0, 1/y]\n", "7:11", {"'y'", "inf", "at the start"}},
        Mistake{"FrictionWithoutTangents",
                k_lagrangian + "  contacts: [{name: c, gap: x, friction: 0.5}]\n",
                "7:42",
                {"'c'", "friction", "'tangents'"}},
        Mistake{"ThreeTangents",
                k_lagrangian + "  contacts: [{name: c, gap: x, tangents: [[0, 1], [0, 1], [0, 1]]}]\n",
                "7:42",
                {"'tangents'", "3 rows", "0, 1 or 2"}}),
    name_of);

// --- the command line

class BadCommandLineTest : public BadInputTest {
 protected:
  void SetUp() override {
    BadInputTest::SetUp();
    write("scene.yaml", k_bodies);
  }
  void expect_run_refused(const std::vector<std::string>& options, const std::string& begin,
                          const std::vector<std::string>& words) {
    std::vector<std::string> arguments{"run", "scene.yaml", "--out", "result"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_refused(arguments, begin, words);
  }
};

TEST_F(BadCommandLineTest, Commands) {
  expect_refused({"rum", "scene.yaml"}, "delassus: ", {"no command 'rum'", "did you mean 'run'?"});
  expect_refused({"zzzzzzzzz"}, "delassus: ", {"no command 'zzzzzzzzz'", "`delassus help`"});
  expect_refused({"help", "chek"}, "there is no command 'chek'", {"did you mean 'check'?"});
  expect_refused({"list", "stepers"}, "cannot list 'stepers'", {"did you mean 'steppers'?", "schema"});
  expect_refused({"verify", "ZZ"}, "there is no case 'ZZ'", {"known: A, B"});
  expect_refused({"bench", "lemk"}, "there is no benchmark 'lemk'", {"did you mean 'lemke'?"});
  expect_refused({"demo", "ball_rows"}, "there is no file and no built-in scene 'ball_rows'",
                 {"'ball_row'?"});
}

TEST_F(BadCommandLineTest, Options) {
  expect_run_refused({"--stpe", "1"}, "delassus: ", {"unknown option '--stpe'", "'--step'?", "help run"});
  expect_run_refused({"--stpe=1"}, "delassus: ", {"unknown option '--stpe'", "did you mean '--step'?"});
  expect_run_refused({"more"}, "delassus: ", {"'more'", "too many", "`delassus help run`"});
  expect_run_refused({"--step"}, "delassus: ", {"--step", "`delassus help run`"});
  expect_refused({"run"}, "delassus: ", {"scene is required", "`delassus help run`"});
  for (const char* threads : {"0", "-1", "1025", "99999999999", "two", "1.5", ""}) {
    expect_run_refused({"--threads", threads}, std::string("--threads ") + threads, {"allowed: 1 to 1024"});
    expect_refused({"bench", "lemke", "--threads", threads}, "--threads", {"allowed: 1 to 1024"});
  }
  expect_refused({"--versoin"}, "delassus: ", {"unknown option '--versoin'", "did you mean '--version'?"});
}

TEST_F(BadCommandLineTest, SceneFiles) {
  expect_refused({"run", "missing.yaml"}, "there is no file and no built-in scene 'missing.yaml'",
                 {"delassus list scenes"});
  expect_refused({"run", "block_on_tabel"}, "there is no file and no built-in scene 'block_on_tabel'",
                 {"did you mean 'block_on_table'?"});
  expect_refused({"run", directory()}, "cannot read " + directory(), {"it is a directory"});
  expect_refused({"check", "missing.yaml"}, "there is no file", {"'missing.yaml'"});
  expect_refused({"convergence", "missing.yaml", "--steps", "0.1,0.05"}, "there is no file",
                 {"'missing.yaml'"});
}

TEST_F(BadCommandLineTest, SettingsByName) {
  expect_run_refused({"--step", "abc"}, "--step abc: ", {"'step'", "unknown name 'abc'"});
  expect_run_refused({"--step=-1"}, "--step -1: ", {"is -1;", "> 0"});
  expect_run_refused({"--step", ""}, "--step : ", {"no value", "allowed: > 0"});
  expect_run_refused({"--tolerance", ""}, "--tolerance : ", {"no value", "allowed: 1e-13 … 0.1"});
  expect_run_refused({"--duration", "0"}, "--duration 0: ", {"'duration'", "> 0"});
  expect_run_refused({"--duration", ".inf"}, "--duration .inf: ", {"'duration'", "finite"});
  expect_run_refused({"--stepper", "trapezoidal-3"}, "--stepper trapezoidal-3: ", {"'trapezoidal-2'?"});
  expect_run_refused({"--stepper", "zzz"}, "--stepper zzz: ", {"known: trapezoidal-2"});
  expect_run_refused({"--solver", "lemkee"}, "--solver lemkee: ", {"did you mean 'lemke'?"});
  expect_run_refused({"--law", "coulom"}, "--law coulom: ", {"unknown law 'coulom'"});
  expect_run_refused({"--checkpoint-every", "0"}, "--checkpoint-every 0: ", {"> 0"});
  expect_run_refused({"--checkpoint-every", "nan"}, "--checkpoint-every nan: ", {"> 0"});
}

TEST_F(BadCommandLineTest, SettingsByPath) {
  expect_run_refused({"--set", "bodies.blok.mass=1"}, "--set bodies.blok.mass=1: ",
                     {"'bodies' has no element 'blok'", "did you mean 'block'?"});
  expect_run_refused({"--set", "bodies[7].mass=1"}, "--set bodies[7].mass=1: ", {"no element 7", "has 2"});
  expect_run_refused({"--set", "bodies.block.mas=1"},
                     "--set bodies.block.mas=1: ", {"unknown key 'mas'", "did you mean 'mass'?"});
  expect_run_refused({"--set", "bodies.block.mass=-1"}, "--set bodies.block.mass=-1: ", {"is -1;", "> 0"});
  expect_run_refused({"--set", "bodies.block.mass=[1"}, "--set bodies.block.mass=[1: ", {"not valid YAML"});
  expect_run_refused({"--set", "bodies.block.mass=2*m"},
                     "--set bodies.block.mass=2*m: ", {"unknown name 'm'"});
  expect_run_refused({"--set", "bodies.block.mass="}, "--set bodies.block.mass=: ", {"no value", "> 0"});
  expect_run_refused({"--set", "bodies.block.mass"}, "--set bodies.block.mass: ", {"path=value"});
  expect_run_refused({"--set", "=1"}, "--set =1: ", {"path=value"});
  expect_run_refused({"--set", "..=1"}, "--set ..=1: ", {"empty", "path=value"});
  expect_run_refused({"--set", "duration.x=1"}, "--set duration.x=1: ", {"'duration' is a number", "'x'"});
  expect_run_refused({"--set", "name=\xE9"}, "--set name=\xE9: ", {"UTF-8"});
}

TEST_F(BadCommandLineTest, Sweeps) {
  expect_run_refused({"--sweep", "stepper.step"}, "--sweep stepper.step: ", {"path=a,b,c"});
  expect_run_refused({"--sweep", "stepper.step="}, "--sweep stepper.step=: ", {"path=a,b,c"});
  expect_run_refused({"--sweep", "stepper.step=0.01,,0.02"}, "--sweep stepper.step=0.01,,0.02: ", {"empty"});
  // The mistake is in the last value: nothing may have been run for the first.
  expect_run_refused({"--quiet", "--sweep", "stepper.step=0.01,-1"},
                     "--sweep stepper.step=0.01,-1: ", {"is -1;", "> 0"});
  expect_run_refused({"--sweep", "stepper.stp=0.01,0.02"},
                     "--sweep stepper.stp=0.01,0.02: ", {"unknown key 'stp'", "did you mean 'step'?"});
  expect_run_refused({"--sweep", "contacts.tabel.friction=0,1"},
                     "--sweep contacts.tabel.friction=0,1: ", {"did you mean 'table'?"});
}

TEST_F(BadCommandLineTest, Convergence) {
  const auto refuse = [&](const std::vector<std::string>& options, const std::string& begin,
                          const std::vector<std::string>& words) {
    std::vector<std::string> arguments{"convergence", "scene.yaml"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_refused(arguments, begin, words);
  };
  refuse({}, "delassus: ", {"--steps", "`delassus help convergence`"});
  refuse({"--steps", "0.01,abc"}, "--steps abc: ", {"'abc'", "> 0"});
  refuse({"--steps", "0.01,-1"}, "--steps -1: ", {"> 0"});
  refuse({"--steps", "0.01,0"}, "--steps 0: ", {"> 0"});
  refuse({"--steps", "0.01"}, "--steps", {"at least two", "2^-5,2^-6"});
  refuse({"--steps", "0.01,0.01"}, "--steps", {"0.01", "twice"});
  refuse({"--steps", "0.01,0.005", "--exact", "[1,2]"}, "--exact", {"2 numbers", "allowed: 6"});
  refuse({"--steps", "0.01,0.005", "--exact", "7"}, "--exact", {"list of numbers"});
  refuse({"--steps", "0.01,0.005", "--exact", "[a]"}, "--exact", {"'a'", "number"});
  refuse({"--steps", "0.01,0.005", "--json", "nowhere/x.json"}, "cannot write nowhere/x.json", {"directory"});
  refuse({"--steps", "0.01,0.005", "--plot", "."}, "cannot write .", {"directory"});
}

TEST_F(BadCommandLineTest, OutputsThatCannotBeWritten) {
  expect_refused({"run", "scene.yaml", "--out", "scene.yaml"}, "cannot create the directory scene.yaml",
                 {"Not a directory"});
  expect_refused({"run", "scene.yaml", "--out", "scene.yaml/x"}, "cannot create the directory scene.yaml/x",
                 {"Not a directory"});
  expect_refused({"run", "scene.yaml", "--out", "/proc/none/x"}, "cannot create the directory /proc/none/x",
                 {});
  expect_refused({"verify", "D", "--json", "nowhere/x.json"}, "cannot write nowhere/x.json", {"nowhere"});
}

class BadStateTest : public BadCommandLineTest {
 protected:
  void SetUp() override {
    BadCommandLineTest::SetUp();
    ASSERT_EQ(run({"run", "scene.yaml", "--out", "before", "--quiet", "--no-report"}).status, 0);
    state_ = read("before/state.txt");
  }
  void expect_state_refused(const std::string& state, const std::string& begin,
                            const std::vector<std::string>& words) {
    write("state.txt", state);
    expect_run_refused({"--duration", "1", "--resume", "state.txt"}, begin, words);
  }
  std::string state_;
};

TEST_F(BadStateTest, IsRefused) {
  expect_state_refused("garbage", "state.txt:1:1: ", {"state file", "'delassus-state'", "'garbage'"});
  expect_state_refused(k_bodies, "state.txt:1:1: ", {"state file", "'delassus:'"});
  expect_state_refused("", "state.txt:1:", {"state file", "ends too early"});
  expect_state_refused(std::string(1000, '\0'), "state.txt:1:1: ", {"state file"});
  expect_state_refused(with(state_, "delassus-state 2", "delassus-state 7"), "state.txt:1:16: ", {"'7'"});
  expect_state_refused(with(state_, "\nq 6", "\nq 600000"), "state.txt:", {"state file"});
  expect_state_refused(with(state_, "\nq 6 0x", "\nq 6 zz0x"), "state.txt:3:5: ", {"not a number"});
  // Every truncation is noticed.
  for (std::size_t size = 0; size + 5 < state_.size(); size += 37)
    expect_state_refused(state_.substr(0, size), "state.txt:", {"state file"});
}

TEST_F(BadStateTest, OfAnotherScene) {
  write("single.yaml", "delassus: 1\nbodies: [{name: a, mass: 1}]\nduration: 0.01\n");
  ASSERT_EQ(run({"run", "single.yaml", "--out", "single", "--quiet", "--no-report"}).status, 0);
  expect_state_refused(read("single/state.txt"), "state.txt: ", {"base", "3 positions", "6"});
}

TEST_F(BadStateTest, NotFinite) {
  const std::size_t at = state_.find("\nq 6 ") + 5;
  const std::size_t end = state_.find(' ', at);
  expect_state_refused(state_.substr(0, at) + "nan" + state_.substr(end),
                       "state.txt:3:5: ", {"number 1 of q is nan", "finite"});
  expect_state_refused(with(state_, "\nv 6 0x", "\nv 6 -0x"),
                       "state.txt:", {"checksum", "damaged or edited"});
}

TEST_F(BadStateTest, AtTheEndAlready) {
  write("state.txt", state_);
  expect_run_refused({"--resume", "state.txt"}, "state.txt: ", {"t = 0.1 s", "--duration"});
}

TEST_F(BadStateTest, Missing) {
  expect_run_refused({"--resume", "nowhere.txt"}, "cannot read nowhere.txt", {"No such file"});
  expect_run_refused({"--resume", "before"}, "cannot read before", {"directory"});
}

}  // namespace
}  // namespace delassus::bad_input_test
