// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of settings: every key sets its own member, bad values are refused alike in scenes and in C++, and both get
// the same defaults.
#include "delassus/settings/run_settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "delassus/io/yaml.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/scene/decode.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::settings_test {
namespace {

using Type = SettingInfo::Type;

const std::string k_smooth = "delassus: 1\nbodies: [{name: a, mass: 1, position: [0, 1, 0]}]\n";
// Falls, touches after 0.14 s and slides.
const std::string k_contact = R"(delassus: 1
bodies: [{name: a, mass: 1, position: [0, 0.1, 0], velocity: [1, 0, 0]}]
contacts: [{name: floor, type: plane, body: a, normal: [0, 1, 0], friction: 0.4, restitution: 0.3}]
)";

SceneDesc decode(const std::string& yaml) {
  return decode_scene(parse_yaml(yaml, "test"));
}

std::string path_of(const SettingTable& table, const SettingInfo& info) {
  return table.name + "." + info.key;
}

// The scene with one setting, which stands in line 3.
std::string with_setting(const SettingTable& table, const std::string& key, const std::string& value) {
  if (table.name == "scene") return k_smooth + key + ": " + value + "\n";
  return k_smooth + table.name + ": {" + key + ": " + value + "}\n";
}

template <typename F>
void for_each_key(const F& check) {
  for (const SettingTable& table : setting_tables())
    for (const SettingKey<RunSettings>& key : table.keys) {
      SCOPED_TRACE(path_of(table, key));
      check(table, key);
    }
}

// Allowed values other than the default.
std::vector<SettingData> other_values(const SettingInfo& info) {
  std::vector<SettingData> out;
  if (info.type == Type::boolean) out.emplace_back(info.fallback == "false");
  for (const std::string& word : info.words)
    if (word != info.fallback) out.emplace_back(word);
  if (info.type == Type::number || info.type == Type::integer) {
    const double low = std::isfinite(info.range.lowest) ? info.range.lowest : -7;
    const double high = std::isfinite(info.range.highest) ? info.range.highest : low + 12;
    const double middle = low + (high - low) / 2,
                 x = info.type == Type::integer ? std::floor(middle) : middle;
    out.emplace_back(info.range.even ? x - std::fmod(x, 2) : x);
    if (!info.range.open_lowest) out.emplace_back(low);
    out.emplace_back(high);
  }
  return out;
}

std::vector<double> numbers_out_of_range(const SettingInfo& info) {
  std::vector<double> out;
  if (std::isfinite(info.range.lowest)) out.push_back(info.range.lowest - 1);
  if (info.range.open_lowest) out.push_back(info.range.lowest);
  if (std::isfinite(info.range.highest)) out.push_back(info.range.highest + 1);
  if (info.range.even) out.push_back(info.range.lowest + 1);
  return out;
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string decode_message(const std::string& yaml) {
  return message_of([&] { decode(yaml); });
}

// What C++ programs are told.
std::string simulation_message(const SimulationOptions& options) {
  const CompiledScene scene = compile(decode(k_smooth));
  return message_of([&] { Simulation(scene.system, scene.state, options); });
}

void expect_has(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

TEST(Settings, DefaultsAreAllowed) {
  for_each_key([](const SettingTable&, const SettingKey<RunSettings>& key) {
    EXPECT_EQ(check_setting(key, key.get(RunSettings{})), "");
    EXPECT_EQ(to_text(key.get(RunSettings{})), key.fallback);
    EXPECT_NE(key.meaning, "");
  });
}

TEST(Settings, EachKeySetsOneMemberThatNoOtherSets) {
  for_each_key([](const SettingTable& table, const SettingKey<RunSettings>& key) {
    for (const SettingData& value : other_values(key)) {
      RunSettings run;
      key.set(run, value);
      EXPECT_EQ(key.get(run), value);
      for (const SettingTable& other : setting_tables())
        for (const SettingKey<RunSettings>& entry : other.keys) {
          if (path_of(other, entry) == path_of(table, key)) continue;
          EXPECT_EQ(to_text(entry.get(run)), entry.fallback) << path_of(other, entry);
        }
    }
  });
}

TEST(Settings, ASceneSetsWhatTheKeySets) {
  for_each_key([](const SettingTable& table, const SettingKey<RunSettings>& key) {
    for (const SettingData& value : other_values(key)) {
      // Round-off of the text is too small to leave a range of round numbers.
      if (key.key == "hht_alpha" && value == SettingData(-1.0 / 3.0)) continue;
      RunSettings wanted;
      key.set(wanted, value);
      const RunSettings run = decode(with_setting(table, key.key, to_text(value))).run;
      EXPECT_EQ(run.options, wanted.options) << to_text(value);
      EXPECT_EQ(run.output_every, wanted.output_every);
      ASSERT_EQ(run.places.size(), 1u);
      EXPECT_EQ(run.place(path_of(table, key)).line, 3);
    }
  });
}

// Every member by hand, so that no key is bound to a member that only seems right.
TEST(Settings, MembersByName) {
  const RunSettings run = decode(k_contact + R"(assemble: false
start: accept
monitors: true
stepper: {name: alpha-gamma, step: 0.01, tolerance: 1e-4, absolute_tolerance: 1e-3,
  length_tolerance: 2e-3, angle_tolerance: 3e-3, speed_tolerance: 4e-3, angular_speed_tolerance: 5e-3, longest_step: 0.25, order_guess: events, method: rk4, critical_step: 2, alpha: 0.6, gamma: 0.7, data: middle, rows_at_end: true, rho: 0.3, hht_alpha: -0.1,
  newmark_beta: 0.3, newmark_gamma: 0.8, theta: 0.9, prediction: 0.2, recovery_speed: 0.4, joint_recovery_speed: 5,
  second_derivatives: dropped, unknowns: position, newton_iterations: 11, newton_tolerance: 1e-5, derivatives: rank-one,
  rank_one_right_side: true, springs_as_rows: true, projection: joints, on_failure: warn, max_halvings: 3,
  rows_at_start: true, mass: mean, implicit_forces: true, smallest_step: 1e-5, stabilisation: 0.5, linear_solver: minres,
  detect_collisions: false, locate: interpolant, detect_transitions: false, islands: false, capture_slow: false, epsilon_a: 1e-6, epsilon_b: 2,
  keep_active_after_impact: true, snap_to_grid: true, max_events: 17}
law: {name: coulomb-polyhedral, directions: 6, align: false}
impact: {law: poisson, bound_by_total_impulse: true, tangential_restitution: 0.25, threshold: 0.125, bound_energy: false,
  tangential_impulse_restitution: 0.375}
solver: {name: psor, tolerance: 1e-6, captured_tolerance: 1e-5, max_iterations: 99, relaxation: 1.5, symmetric_sweeps: true}
output: {every: 4}
)")
                              .run;
  const SimulationOptions wanted{
      .step = 0.01,
      .stepper = {.name = "alpha-gamma",
                  .alpha = 0.6,
                  .gamma = 0.7,
                  .data = DataPoint::middle,
                  .tolerance = 1e-4,
                  .absolute_tolerance = 1e-3,
                  .length_tolerance = 2e-3,
                  .angle_tolerance = 3e-3,
                  .speed_tolerance = 4e-3,
                  .angular_speed_tolerance = 5e-3,
                  .longest_step = 0.25,
                  .order_guess = OrderGuess::events,
                  .theta = 0.9,
                  .prediction = 0.2,
                  .rows_at_end = true,
                  .rows_at_start = true,
                  .implicit_forces = true,
                  .mass = MassPoint::mean,
                  .rho = 0.3,
                  .hht_alpha = -0.1,
                  .newmark_beta = 0.3,
                  .newmark_gamma = 0.8,
                  .method = "rk4",
                  .critical_step = 2,
                  .options = {.derivatives = ForceDerivatives::rank_one,
                              .rank_one_right_side = true,
                              .springs_as_rows = true,
                              .law = {ContactLawKind::polyhedral, 6, false},
                              .impact = {ImpactKind::poisson, true, 0.25, 0.125, false, 0.375},
                              .projection = Projection::joints,
                              .policy = FailurePolicy::warn,
                              .max_halvings = 3,
                              .smallest_step = 1e-5,
                              .stabilisation = 0.5,
                              .linear_solver = LinearSolver::minres,
                              .dae = {DaeOptions::SecondDerivatives::dropped, DaeOptions::Unknowns::position,
                                      11, 1e-5},
                              .recovery_speed = 0.4,
                              .joint_recovery_speed = 5,
                              .detect_collisions = false,
                              .detect_transitions = false,
                              .islands = false,
                              .capture_slow = false,
                              .location = ImpactLocation::interpolant,
                              .epsilon_a = 1e-6,
                              .epsilon_b = 2,
                              .keep_active_after_impact = true,
                              .snap_to_grid = true,
                              .max_events = 17}},
      .assemble = false,
      .start = StartPolicy::accept,
      .monitors = true,
      .solver = {"psor", 1e-6, 1e-5, 99, 1.5, true}};
  EXPECT_EQ(run.options, wanted);
  EXPECT_EQ(run.output_every, 4);
  std::size_t num_keys = 0;
  for (const SettingTable& table : setting_tables()) num_keys += table.keys.size();
  EXPECT_EQ(run.places.size(), num_keys) << "a key is missing in this test";
}

TEST(Settings, NumbersOutOfRangeInScenes) {
  for_each_key([](const SettingTable& table, const SettingKey<RunSettings>& key) {
    if (key.type != Type::number && key.type != Type::integer) return;
    const std::string place = "test:3:", what = "'" + key.key + "' of " + table.name;
    for (const double bad : numbers_out_of_range(key)) {
      const std::string shown = to_text(bad);
      const std::string message = decode_message(with_setting(table, key.key, shown));
      EXPECT_TRUE(message.starts_with(place)) << message;
      expect_has(message, {what + " is " + shown + "; allowed: ", allowed_text(key.range, key.words)});
    }
    for (const char* bad : {"nan", ".inf", "[1]", "{a: 1}", "true", "many"})
      expect_has(decode_message(with_setting(table, key.key, bad)), {place, what, "allowed: "});
    if (key.type == Type::integer)
      expect_has(decode_message(with_setting(table, key.key, "2.5")),
                 {place, what + " is 2.5", "whole numbers"});
  });
}

TEST(Settings, WordsAndFlagsThatAreNoneInScenes) {
  for_each_key([](const SettingTable& table, const SettingKey<RunSettings>& key) {
    const std::string place = "test:3:", what = "'" + key.key + "' of " + table.name;
    if (key.type == Type::boolean) {
      for (const char* bad : {"maybe", "1", "[true]"})
        expect_has(decode_message(with_setting(table, key.key, bad)),
                   {place, what, "allowed: true or false"});
    } else if (key.type == Type::word) {
      const std::string misspelt = key.words.front() + "x";
      expect_has(decode_message(with_setting(table, key.key, misspelt)),
                 {place, "'" + misspelt + "'", "did you mean '" + key.words.front() + "'?"});
      const std::string far = decode_message(with_setting(table, key.key, "zzzzzzzzzzz"));
      for (const std::string& word : key.words) expect_has(far, {place, "'zzzzzzzzzzz'", word});
      expect_has(decode_message(with_setting(table, key.key, "[a]")), {place, what, "allowed: text"});
    }
  });
}

TEST(Settings, ValuesOutOfRangeInPrograms) {
  for_each_key([](const SettingTable& table, const SettingKey<RunSettings>& key) {
    if (key.type != Type::number && key.type != Type::integer) return;
    if (table.name == "output") return;  // no option of a simulation
    std::vector<double> bad = numbers_out_of_range(key);
    if (key.type == Type::number) bad.push_back(std::nan(""));
    for (const double value : bad) {
      RunSettings run;
      key.set(run, value);
      expect_has(simulation_message(run.options),
                 {"'" + key.key + "' of " + table.name + " is " + to_text(value),
                  "allowed: ", allowed_text(key.range, key.words)});
    }
  });
}

TEST(Settings, EnumsThatAreNoneInPrograms) {
  const auto refused = [](const auto& change, const std::vector<std::string>& parts) {
    SimulationOptions options;
    change(options.stepper.options);
    expect_has(simulation_message(options), parts);
  };
  refused([](StepperOptions& o) { o.law.kind = static_cast<ContactLawKind>(9); },
          {"unknown law 'number 9'", "coulomb, coulomb-convex, coulomb-polyhedral, frictionless"});
  refused([](StepperOptions& o) { o.projection = static_cast<Projection>(7); },
          {"'projection' of stepper is 'number 7'", "allowed: none, joints, all, automatic"});
  refused([](StepperOptions& o) { o.impact.kind = static_cast<ImpactKind>(5); },
          {"'law' of impact", "number 5"});
  refused([](StepperOptions& o) { o.dae.unknowns = static_cast<DaeOptions::Unknowns>(4); },
          {"'unknowns' of stepper"});
  EXPECT_THROW(find_law(static_cast<ContactLawKind>(9)), InputError);
}

TEST(Settings, NamesThatAreNoneInPrograms) {
  SimulationOptions options{.stepper = {.name = "trapezoidal-3"}};
  EXPECT_EQ(simulation_message(options), "unknown stepper 'trapezoidal-3'; did you mean 'trapezoidal-2'?");
  options = {.solver = {.name = "lemkee"}};
  EXPECT_EQ(simulation_message(options), "unknown solver 'lemkee'; did you mean 'lemke'?");
  EXPECT_THROW(make_solver({.name = "lemkee"}), InputError);
  EXPECT_THROW(make_solver({.tolerance = 0.5}), InputError);
  EXPECT_THROW(resolve_settings({}), InputError);
  EXPECT_THROW(is_joints_only("trapezoidal-3"), InputError);
}

// Infinity is a value of its own where it is allowed, and none elsewhere.
TEST(Settings, Unlimited) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decode(k_smooth + "stepper: {joint_recovery_speed: unlimited}\n").run.options,
            SimulationOptions{});
  SimulationOptions options;
  options.stepper.options.recovery_speed = infinity;
  EXPECT_EQ(simulation_message(options), "'recovery_speed' of stepper is unlimited; allowed: >= 0");
}

// The names that steppers and solvers give themselves are those they are chosen by.
TEST(Settings, NamesAgree) {
  for (const StepperInfo& info : list_steppers())
    EXPECT_EQ(make_stepper({.name = info.name}, make_solver({}))->name(), info.name);
  for (const SolverInfo& info : list_solvers())
    EXPECT_EQ(make_solver({.name = info.name})->name(), info.name);
  for (const DefaultStepper& rule : list_default_steppers()) EXPECT_NO_THROW(is_joints_only(rule.name));
}

class StepperDefaultsTest : public ::testing::TestWithParam<std::string> {};

// A scene that only names its stepper and a program that only names it: the same options, and the same bits.
TEST_P(StepperDefaultsTest, ScenesAndProgramsAgree) {
  const SceneDesc desc =
      decode((is_joints_only(GetParam()) ? k_smooth : k_contact) + "stepper: {name: " + GetParam() + "}\n");
  const CompiledScene scene = compile(desc);
  Simulation from_scene(scene.system, scene.state, desc.run.options);
  Simulation from_code(scene.system, scene.state, {.stepper = {.name = GetParam()}});
  EXPECT_EQ(from_scene.options(), from_code.options());
  ASSERT_TRUE(from_scene.run_until(0.3));
  ASSERT_TRUE(from_code.run_until(0.3));
  EXPECT_EQ(from_scene.state().q, from_code.state().q);
  EXPECT_EQ(from_scene.state().v, from_code.state().v);

  // Nothing is left to choose, and choosing again changes nothing.
  const SimulationOptions& options = from_code.options();
  EXPECT_NE(options.stepper.options.projection, Projection::automatic);
  EXPECT_NE(options.stepper.options.location, ImpactLocation::automatic);
  EXPECT_TRUE(options.solver.tolerance.has_value());
  EXPECT_EQ(resolve_options(options, *scene.system, scene.state), options);
}

std::vector<std::string> stepper_names() {
  std::vector<std::string> names;
  for (const StepperInfo& stepper : list_steppers()) names.push_back(stepper.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& stepper) {
  std::string out = stepper.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(AllSteppers, StepperDefaultsTest, ::testing::ValuesIn(stepper_names()), test_name);

TEST(Settings, WhatAutomaticStandsFor) {
  const CompiledScene smooth = compile(decode(k_smooth)), contact = compile(decode(k_contact));
  const auto resolved = [](const CompiledScene& scene, const SimulationOptions& options) {
    return Simulation(scene.system, scene.state, options).options();
  };
  EXPECT_EQ(resolved(smooth, {}).stepper.name, "generalized-alpha");
  EXPECT_EQ(resolved(contact, {}).stepper.name, "trapezoidal-2");
  EXPECT_EQ(resolved(contact, {}).solver.tolerance, 1e-10);
  EXPECT_EQ(resolved(contact, {.solver = {.tolerance = 1e-5}}).solver.tolerance, 1e-5);
  EXPECT_EQ(resolved(contact, {}).solver.captured_tolerance, 1e-9);
  EXPECT_EQ(resolved(contact, {.solver = {.tolerance = 1e-5}}).solver.captured_tolerance, 1e-5);
  const SimulationOptions own = {.solver = {.tolerance = 1e-5, .captured_tolerance = 1e-4}};
  EXPECT_EQ(resolved(contact, own).solver.captured_tolerance, 1e-4);
  // Options that were resolved once stay as they are.
  EXPECT_EQ(resolved(contact, resolved(contact, {})).solver.captured_tolerance, 1e-9);
  const StepperOptions plain = resolved(contact, {}).stepper.options;
  EXPECT_EQ(plain.projection, Projection::all);
  EXPECT_EQ(plain.location, ImpactLocation::step);

  const SimulationOptions dvi = resolved(contact, {.stepper = {.name = "dvi-euler"}});
  EXPECT_EQ(dvi.stepper.options.projection, Projection::none);
  EXPECT_EQ(dvi.solver.tolerance, 1e-9);
  const StepperOptions projected =
      resolved(contact, {.stepper = {.name = "dvi-euler", .options = {.projection = Projection::joints}}})
          .stepper.options;
  EXPECT_EQ(projected.projection, Projection::joints);
  EXPECT_EQ(projected.location, ImpactLocation::step);
  EXPECT_EQ(
      resolved(contact, {.stepper = {.options = {.projection = Projection::none}}}).stepper.options.location,
      ImpactLocation::interpolant);

  const auto data_of = [&](const char* name) { return resolve_settings({.name = name}).data; };
  EXPECT_EQ(data_of("anitescu-potra"), DataPoint::end);
  EXPECT_EQ(data_of("alpha-gamma"), DataPoint::start);
  EXPECT_EQ(data_of("moreau-jean"), DataPoint::middle);
  EXPECT_EQ(data_of("trapezoidal-2"), std::nullopt);
  EXPECT_EQ(resolve_settings({.name = "alpha-gamma", .data = DataPoint::end}).data, DataPoint::end);
}

}  // namespace
}  // namespace delassus::settings_test
