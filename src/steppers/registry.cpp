// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/registry.hpp"

#include <fmt/format.h>

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/steppers/event_stepper.hpp"

namespace delassus {
namespace {

StepFormula find_formula(const StepperSettings& s) {
  const auto data = [&](DataPoint own) { return s.default_data ? own : s.data; };
  if (s.name == "anitescu-potra") return anitescu_potra_formula(data(DataPoint::end));
  if (s.name == "anitescu-potra-stiff") return anitescu_potra_stiff_formula();
  if (s.name == "alpha-gamma") return alpha_gamma_formula(s.alpha, s.gamma, data(DataPoint::start));
  if (s.name == "trapezoidal-1") return trapezoidal_1_formula(s.rows_at_end);
  if (s.name == "trapezoidal-2") return trapezoidal_2_formula();
  std::vector<std::string> names;
  for (const StepperInfo& info : list_steppers()) names.push_back(info.name);
  const std::string near = nearest_name(s.name, names);
  throw InputError(fmt::format(
      "unknown stepper '{}'{}", s.name,
      near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : "; did you mean '" + near + "'?"));
}

}  // namespace

const std::vector<StepperInfo>& list_steppers() {
  static const std::vector<StepperInfo> steppers{
      {"trapezoidal-2", "S0 6.10", "2",
       "linearly implicit trapezoidal method, constraints on the mean velocity; the default"},
      {"trapezoidal-1", "S0 6.12", "1-2",
       "the same, constraints on the end velocity: order 2 on straight constraints, 1 on curved (2 with "
       "rows_at_end)"},
      {"alpha-gamma", "S4 4.4", "1-2",
       "two-parameter family: (1/2,1/2) trapezoidal, (1,1) implicit Euler, (1,1/2) Moreau's midpoint rule"},
      {"anitescu-potra", "S1 4", "1", "semi-implicit Euler, explicit forces"},
      {"anitescu-potra-stiff", "S0 [2]", "1", "linearly implicit Euler, damps stiff springs and dampers"}};
  return steppers;
}

std::unique_ptr<Stepper> make_stepper(const StepperSettings& settings, std::unique_ptr<Solver> solver) {
  StepFormula formula = find_formula(settings);
  if (!(settings.alpha > 0 && settings.alpha <= 1))
    throw InputError(fmt::format("alpha is {}; allowed: > 0 … 1", settings.alpha));
  if (!(settings.gamma >= 0 && settings.gamma <= 1))
    throw InputError(fmt::format("gamma is {}; allowed: 0 … 1", settings.gamma));
  const int m = settings.options.law.num_directions;
  if (m < 2 || m % 2 != 0)
    throw InputError(fmt::format("the number of friction directions is {}; allowed: 2, 4, 6, …", m));
  if (settings.options.derivatives == ForceDerivatives::none) formula.implicit_forces = false;
  return std::make_unique<EventStepper>(std::move(formula), settings.options, std::move(solver));
}

}  // namespace delassus
