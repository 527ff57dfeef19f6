// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Steppers by name: the only place where their names stand.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "delassus/steppers/stepper.hpp"

namespace delassus {

struct StepperInfo {
  std::string name;
  std::string source;  // paper and equation
  std::string order;   // on smooth parts
  std::string summary;
};

const std::vector<StepperInfo>& list_steppers();

struct StepperSettings {
  std::string name;                   // empty: default_stepper() of the system
  double alpha = 0.5, gamma = 0.5;    // alpha-gamma
  bool default_data = true;           // take the scheme's own data point
  DataPoint data = DataPoint::start;  // anitescu-potra, alpha-gamma, moreau-jean
  double theta = 0.5;                 // moreau-jean: θ, ½ … 1
  double prediction = 0.5;            // moreau-jean: γ of the activation, 0 … 1
  bool rows_at_end = false;           // trapezoidal-1
  double rho = 0.9;                   // generalized-alpha: ρ∞, 0 … 1
  double hht_alpha = -0.05;           // hht: α, −⅓ … 0
  double newmark_beta = 0.25;         // newmark: β, > 0 … 1
  double newmark_gamma = 0.5;         // newmark: γ, ½ … 1
  StepperOptions options;
};

// The stepper of a system that is not told otherwise: generalized-alpha where the motion is smooth (joints only), which
// damps what a step cannot resolve; trapezoidal-2 with located events where there are contacts, stops or dry friction.
std::string default_stepper(const System& system, const State& state);
// Relative residual of the contact problems: steps of fixed size make errors of O(h) beside which less is enough [-].
double default_tolerance(const std::string& stepper);

// Whether the stepper of this name refuses contacts, stops and dry friction.
bool is_joints_only(const std::string& name);

// Throws InputError: unknown name (with the nearest known one), values out of range.
std::unique_ptr<Stepper> make_stepper(const StepperSettings& settings, std::unique_ptr<Solver> solver);

}  // namespace delassus
