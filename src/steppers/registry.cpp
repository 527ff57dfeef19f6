// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/registry.hpp"

#include <fmt/format.h>

#include <optional>

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/steppers/capturing_stepper.hpp"
#include "delassus/steppers/dae/dae_stepper.hpp"
#include "delassus/steppers/energy_midpoint.hpp"
#include "delassus/steppers/event_stepper.hpp"

namespace delassus {
namespace {

void require_range(const char* name, double value, bool allowed, const char* range) {
  if (!allowed) throw InputError(fmt::format("{} is {}; allowed: {}", name, value, range));
}

std::optional<StepFormula> find_formula(const StepperSettings& s) {
  const auto data = [&](DataPoint own) { return s.default_data ? own : s.data; };
  if (s.name == "anitescu-potra") return anitescu_potra_formula(data(DataPoint::end));
  if (s.name == "anitescu-potra-stiff") return anitescu_potra_stiff_formula();
  if (s.name == "alpha-gamma") return alpha_gamma_formula(s.alpha, s.gamma, data(DataPoint::start));
  if (s.name == "trapezoidal-1") return trapezoidal_1_formula(s.rows_at_end);
  if (s.name == "trapezoidal-2") return trapezoidal_2_formula();
  if (s.name == "euler-implicit-linearized") return euler_implicit_linearized_formula();
  if (s.name == "trapezoidal-linearized") return trapezoidal_linearized_formula();
  return std::nullopt;
}

std::optional<CapturingFormula> find_capturing_formula(const StepperSettings& s) {
  if (s.name == "dvi-euler") return CapturingFormula{.step = dvi_euler_formula(), .gaps_in_rows = true};
  const bool projected = s.name == "moreau-jean-projected";
  if (s.name != "moreau-jean" && !projected) return std::nullopt;
  CapturingFormula out{.step = moreau_jean_formula(s.theta, s.default_data ? DataPoint::middle : s.data),
                       .prediction = s.prediction,
                       .lift_rebounding = projected};
  out.step.name = s.name;
  // Joints on the mean velocity ring unless they are projected (S4 9.1).
  if (s.options.projection == Projection::none && !projected) out.step.joint_sigma = 1;
  return out;
}

std::optional<DaeFormula> find_dae_formula(const StepperSettings& s) {
  if (s.name == "euler-implicit") return euler_implicit_formula();
  if (s.name == "trapezoidal-implicit") return trapezoidal_implicit_formula();
  if (s.name == "newmark") return newmark_formula(s.newmark_beta, s.newmark_gamma);
  if (s.name == "hht") return hht_formula(s.hht_alpha);
  if (s.name == "generalized-alpha") return generalized_alpha_formula(s.rho);
  return std::nullopt;
}

[[noreturn]] void throw_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const StepperInfo& info : list_steppers()) names.push_back(info.name);
  const std::string near = nearest_name(name, names);
  throw InputError(fmt::format(
      "unknown stepper '{}'{}", name,
      near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : "; did you mean '" + near + "'?"));
}

void require_valid(const StepperSettings& s) {
  require_range("alpha", s.alpha, s.alpha > 0 && s.alpha <= 1, "> 0 … 1");
  require_range("gamma", s.gamma, s.gamma >= 0 && s.gamma <= 1, "0 … 1");
  require_range("theta", s.theta, s.theta >= 0.5 && s.theta <= 1, "0.5 … 1");
  require_range("prediction", s.prediction, s.prediction >= 0 && s.prediction <= 1, "0 … 1");
  require_range("recovery_speed", s.options.recovery_speed, s.options.recovery_speed >= 0, ">= 0");
  require_range("joint_recovery_speed", s.options.joint_recovery_speed, s.options.joint_recovery_speed >= 0,
                ">= 0");
  require_range("rho", s.rho, s.rho >= 0 && s.rho <= 1, "0 … 1");
  // −⅓ as it is usually typed.
  require_range("hht_alpha", s.hht_alpha, s.hht_alpha >= -0.3334 && s.hht_alpha <= 0, "-1/3 … 0");
  require_range("newmark_beta", s.newmark_beta, s.newmark_beta > 0 && s.newmark_beta <= 1, "> 0 … 1");
  require_range("newmark_gamma", s.newmark_gamma, s.newmark_gamma >= 0.5 && s.newmark_gamma <= 1, "0.5 … 1");
  const DaeOptions& dae = s.options.dae;
  require_range("the tolerance of Newton's method", dae.tolerance, dae.tolerance > 0 && dae.tolerance < 1,
                "> 0 … < 1");
  require_range("the number of Newton iterations", dae.max_iterations, dae.max_iterations > 0, "1, 2, …");
  const int m = s.options.law.num_directions;
  require_range("the number of friction directions", m, m >= 2 && m % 2 == 0, "2, 4, 6, …");
}

}  // namespace

const std::vector<StepperInfo>& list_steppers() {
  static const std::vector<StepperInfo> steppers{
      {"trapezoidal-2", "S0 6.10", "2",
       "linearly implicit trapezoidal method, constraints on the mean velocity; the default with "
       "contacts, stops or dry friction"},
      {"trapezoidal-1", "S0 6.12", "1-2",
       "the same, constraints on the end velocity: order 2 on straight constraints, 1 on curved (2 with "
       "rows_at_end)"},
      {"alpha-gamma", "S4 4.4", "1-2",
       "two-parameter family: (1/2,1/2) trapezoidal, (1,1) implicit Euler, (1,1/2) Moreau's midpoint rule"},
      {"anitescu-potra", "S1 4", "1", "semi-implicit Euler, explicit forces"},
      {"anitescu-potra-stiff", "S0 [2]", "1", "linearly implicit Euler, damps stiff springs and dampers"},
      {"moreau-jean", "S3 16-18", "1-2",
       "event capturing: Moreau's time stepping, one problem a step whatever happens in it; for many "
       "contacts"},
      {"moreau-jean-projected", "S3 19", "1",
       "the same, no contact that pushed penetrates at the end of a step"},
      {"dvi-euler", "S2 107-123", "1",
       "event capturing: semi-implicit Euler, gaps and joints stabilised in the rows; explicit forces"},
      {"generalized-alpha", "S2 189-201", "2",
       "joints only: generalised-α, damping of fast motions set by rho; the default without contacts"},
      {"hht", "S2 180-188", "2", "joints only: Hilber-Hughes-Taylor, damping set by hht_alpha"},
      {"newmark", "S2 172-179", "1-2", "joints only: Newmark's family (newmark_beta, newmark_gamma)"},
      {"trapezoidal-implicit", "S2 162-169", "2",
       "joints only: trapezoidal rule by Newton's method, undamped"},
      {"euler-implicit", "S2 152-159", "1", "joints only: backward Euler by Newton's method, damps most"},
      {"trapezoidal-linearized", "S2 170-171", "2",
       "joints only: one Newton step of the trapezoidal rule, joints in position"},
      {"euler-implicit-linearized", "S2 160-161", "1",
       "joints only: one Newton step of backward Euler, joints pulled back"},
      {"energy-midpoint", "ours", "2",
       "joints only: midpoint rule that keeps the energy balance to round-off, for long runs"}};
  return steppers;
}

bool is_joints_only(const std::string& name) {
  StepperSettings settings;
  settings.name = name;
  if (find_capturing_formula(settings)) return false;
  if (const std::optional<StepFormula> formula = find_formula(settings)) return formula->joints_only;
  return true;
}

// Above this every event, of whichever body, would cost a step of all: 40 rigid bodies.
constexpr int k_many_velocities = 240;

std::string default_stepper(const System& system, const State& state) {
  FrictionRows friction;
  system.friction_rows(state.t, state.q, friction);
  if (!system.has_contacts() && friction.constant.empty()) return "generalized-alpha";
  return system.nv() > k_many_velocities ? "moreau-jean" : "trapezoidal-2";
}

double default_tolerance(const std::string& stepper) {
  StepperSettings settings;
  settings.name = stepper;
  // The first one with room for the certificate, which measures contacts one by one.
  constexpr double by_steps = 0.1 * k_certified, by_events = 1e-10;
  return find_capturing_formula(settings) ? by_steps : by_events;
}

std::unique_ptr<Stepper> make_stepper(const StepperSettings& settings, std::unique_ptr<Solver> solver) {
  require_valid(settings);
  if (std::optional<StepFormula> formula = find_formula(settings)) {
    if (settings.options.derivatives == ForceDerivatives::none) formula->implicit_forces = false;
    return std::make_unique<EventStepper>(std::move(*formula), settings.options, std::move(solver));
  }
  if (std::optional<CapturingFormula> formula = find_capturing_formula(settings)) {
    if (settings.options.derivatives == ForceDerivatives::none) formula->step.implicit_forces = false;
    return std::make_unique<CapturingStepper>(std::move(*formula), settings.options, std::move(solver));
  }
  if (std::optional<DaeFormula> formula = find_dae_formula(settings))
    return std::make_unique<DaeStepper>(*formula, settings.options);
  if (settings.name == "energy-midpoint") return make_energy_midpoint_stepper(settings.options);
  throw_unknown(settings.name);
}

}  // namespace delassus
