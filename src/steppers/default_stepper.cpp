// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which stepper a system has that names none: by what can touch, by the accuracy that is asked for, and by how much there is to solve.
// The limits are where the curves of docs/which_integrator.md cross.
#include <fmt/format.h>

#include "delassus/steppers/island_stepper.hpp"
#include "delassus/steppers/registry.hpp"

namespace delassus {
namespace {

// Tolerances below this are for methods of high order [-].
constexpr double k_tight = 1e-5;
// Velocities for which such a method, which solves every smooth step to round-off, is worth it where there are contacts.
constexpr int k_few_velocities = 60;

// The entries of list_default_steppers().
enum Rule : std::size_t {
  k_rule_smooth,
  k_rule_smooth_tight,
  k_rule_smooth_forces,
  k_rule_contacts,
  k_rule_contacts_tight
};

bool is_tight(const StepperSettings& asked) {
  return asked.tolerance && *asked.tolerance < k_tight;
}

// Forces that change with the motion may be stiff.
bool forces_change(const System& system, const State& state) {
  ForceJacobians k;
  system.force_jacobians(state.t, state.q, state.v, k);
  return k.spring_rows.rows() + k.damper_rows.rows() + k.k_q.num_blocks() + k.k_v.num_blocks() > 0;
}

Rule find_rule(const System& system, const State& state, const StepperSettings& asked) {
  FrictionRows friction;
  system.friction_rows(state.t, state.q, friction);
  if (!system.has_contacts() && friction.constant.empty()) {
    if (!is_tight(asked)) return k_rule_smooth;
    return forces_change(system, state) ? k_rule_smooth_forces : k_rule_smooth_tight;
  }
  const ContactLawKind law = asked.options.law.kind;
  const bool has_law = law == ContactLawKind::coulomb || law == ContactLawKind::frictionless;
  const bool few = system.nv() <= k_few_velocities && friction.constant.empty();
  return is_tight(asked) && has_law && few ? k_rule_contacts_tight : k_rule_contacts;
}

}  // namespace

const std::vector<DefaultStepper>& list_default_steppers() {
  static const std::vector<DefaultStepper> defaults = [] {
    const std::string tight = fmt::format("; tolerance below {:g}", k_tight);
    const std::string captured =
        fmt::format("those of more than {} contacts at once captured", IslandStepper::k_crowded);
    return std::vector<DefaultStepper>{
        {"joints only", "generalized-alpha", "nothing can touch"},
        {"joints only" + tight, "dopri5", "nothing can touch, and order 5 is cheaper for a small error"},
        {"the same, with springs or the like", "radau-5",
         "nothing can touch, and order 5 is cheaper for a small error; it is stable for stiff forces"},
        {"contacts, stops or dry friction", "trapezoidal-2",
         "there are contacts, stops or dry friction; events are located, " + captured},
        {fmt::format("up to {} velocities{}", k_few_velocities, tight), "event-capturing-rk",
         "there are few bodies with contacts or stops, and order 5 is cheaper for a small error; events are "
         "located, " +
             captured}};
  }();
  return defaults;
}

std::string default_stepper(const System& system, const State& state, const StepperSettings& asked) {
  return list_default_steppers()[find_rule(system, state, asked)].name;
}

std::string stepper_reason(const StepperSettings& asked, const System& system, const State& state) {
  if (asked.name) return "as the scene asks";
  return "chosen because " + list_default_steppers()[find_rule(system, state, asked)].reason;
}

}  // namespace delassus
