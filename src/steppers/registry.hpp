// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Steppers and contact laws by name, and what is taken where nothing is said. A new name is an entry here; outside
// of it, programs and tests name them as users do, and only a scheme's own file repeats its name.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delassus/steppers/stepper.hpp"

namespace delassus {

struct StepperInfo {
  std::string name;
  std::string source;  // authors, year and equation
  std::string order;   // on smooth parts
  std::string summary;
};

const std::vector<StepperInfo>& list_steppers();
// The methods of event-capturing-rk.
const std::vector<StepperInfo>& list_methods();

struct LawInfo {
  ContactLawKind kind = ContactLawKind::coulomb;
  std::string name, summary;
};

const std::vector<LawInfo>& list_laws();
// Throws InputError for a value that is none of the laws.
const LawInfo& find_law(ContactLawKind kind);

// Everything a user may choose about the stepper; an optional member without a value is chosen automatically. Keys,
// ranges and texts stand in steppers/setting_keys.cpp.
struct StepperSettings {
  std::optional<std::string> name;  // automatic: default_stepper() of the system
  double alpha = 0.5, gamma = 0.5;  // alpha-gamma
  std::optional<DataPoint> data;    // anitescu-potra, alpha-gamma, moreau-jean; automatic: the scheme's own
  // Error that steps may make, from which their length follows (error_control.hpp); none: steps are as long as the grid has them [-].
  std::optional<double> tolerance;
  // What is tolerated whatever the size of a coordinate is (error_scales.hpp); none: as the tolerance, and by kind, as the first.
  std::optional<double> absolute_tolerance;
  std::optional<double> length_tolerance, angle_tolerance;         // [m, rad]
  std::optional<double> speed_tolerance, angular_speed_tolerance;  // [m/s, rad/s]
  // With a tolerance, and nothing longer; none: as long as the error allows, where nothing depends on time [s].
  std::optional<double> longest_step;
  // moreau-adaptive: how it guesses the order of a step.
  OrderGuess order_guess = OrderGuess::status;
  double theta = 0.5;                  // moreau-jean: θ
  double prediction = 0.5;             // moreau-jean: γ of the activation
  bool rows_at_end = false;            // trapezoidal-1
  bool rows_at_start = false;          // trapezoidal-linearized
  bool implicit_forces = false;        // dvi-euler
  MassPoint mass = MassPoint::middle;  // schemes that take M in the middle of the step
  double rho = 0.9;                    // generalized-alpha, nonsmooth-generalized-alpha: ρ∞
  double hht_alpha = -0.05;            // hht: α
  double newmark_beta = 0.25;          // newmark: β
  double newmark_gamma = 0.5;          // newmark: γ
  std::optional<std::string> method;   // event-capturing-rk: Runge-Kutta method; automatic: radau-5
  double critical_step = 0;            // event-capturing-rk: C, events are located to C h^(p+1) [s^-p]
  StepperOptions options;
  bool operator==(const StepperSettings&) const = default;
};

// What is taken for which models, in words.
struct DefaultStepper {
  std::string models, name, reason;
};
const std::vector<DefaultStepper>& list_default_steppers();
// The stepper of a system that is not told otherwise: one of list_default_steppers(), by the system and by the tolerance and the law
// that are asked for (default_stepper.cpp).
std::string default_stepper(const System& system, const State& state, const StepperSettings& asked = {});
// Why a run has its stepper, for the user: "as the scene asks", "chosen because …".
std::string stepper_reason(const StepperSettings& asked, const System& system, const State& state);
// Relative residual of the contact problems: steps of fixed size make errors of O(h) beside which less is enough [-].
double default_tolerance(const std::string& stepper);

// Whether the stepper of this name captures all events: errors of impacts go with the step, by a part of it that is another for every step.
bool captures_all_events(const std::string& name);
// Whether the stepper of this name refuses contacts, stops and dry friction.
bool is_joints_only(const std::string& name);

// The settings with data point, projection and impact location chosen where they are automatic, as the named stepper
// needs them. Choosing twice changes nothing. Throws InputError when there is no name or no such stepper.
StepperSettings resolve_settings(StepperSettings settings);

// What a user should know before a run: whether the scheme, as it is set, may gain energy from the forces of this system
// (explicit forces, weights of the end of the step below ½, where springs, dampers and the like are there). Empty: nothing.
// The settings are resolved ones.
std::string stepper_caution(const StepperSettings& settings, const System& system, const State& state);

// What takes the steps of crowds whose events are not located.
inline constexpr const char* k_captured_stepper = "moreau-jean";

// Throws InputError: unknown name (with the nearest known one), values out of range. What is automatic is resolved.
// `captured`: the solver of crowds whose events are captured; none: `solver`.
std::unique_ptr<Stepper> make_stepper(const StepperSettings& settings, std::unique_ptr<Solver> solver,
                                      std::unique_ptr<Solver> captured = {});

}  // namespace delassus
