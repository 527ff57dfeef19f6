// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/implicit_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

constexpr double k_tiny = std::numeric_limits<double>::min();

}  // namespace

DerivativeLevel derivative_level(const StepperOptions& options) {
  switch (options.derivatives) {
    case ForceDerivatives::none:
      return DerivativeLevel::none;
    case ForceDerivatives::rank_one:
      return DerivativeLevel::rank_one;
    case ForceDerivatives::exact:
    case ForceDerivatives::automatic:
      break;
  }
  return options.dae.second_derivatives == DaeOptions::SecondDerivatives::exact ? DerivativeLevel::curvature
                                                                                : DerivativeLevel::forces;
}

void ImplicitStepper::advance(const System& system, State& state, const StepRequest& request,
                              StepReport& report) {
  StepInProgress& step = step_;
  step.begin(system, state, request, report);
  // Of schemes with contacts.
  step.history.weighted_velocity.resize(0);
  step.history.contacts.clear();
  step.history.held_frictions.clear();
  step.history.modes_known = false;
  const std::string refused = finisher_.check_joints_only(step, name_);
  if (!refused.empty()) step.fail(refused);

  double h_limit = std::numeric_limits<double>::infinity();
  int halvings = 0;
  while (step.goes_on()) {
    const double h = std::min(step.rest(), h_limit);
    const std::string cannot = prepare(step, h);
    if (!cannot.empty())
      step.fail(cannot);
    else if (take_step(step, h, h_limit, halvings))
      accept(step, h, x_, Lambda_);
  }
  step.snap_to_end();
  finisher_.finish(step, state);
}

bool ImplicitStepper::take_step(const StepInProgress& step, double h, double& h_limit, int& halvings) {
  KktEquations& equations = begin(step, h, x_, Lambda_);
  StepReport& report = *step.report;
  const double t = step.now.phase.t;
  NewtonResult result =
      newton_.solve(equations, derivative_level(options_), options_.dae.max_iterations, x_, Lambda_);
  const auto momentum_residual = [&] {
    return equations.F.cwiseAbs().maxCoeff() / std::max(equations.largest_term, k_tiny);
  };
  // Where joints are redundant only on the joints themselves (Bricard's mechanism), corrections may become small although
  // the equations are not met: the step is too large.
  if (result.ok && momentum_residual() > k_residual_tolerance) {
    result.ok = false;
    result.failure = "the equations of motion cannot be met with this step";
  }
  Certificate& certificate = report.certificate;
  certificate.count_solves(1);
  certificate.iterations += result.iterations;
  certificate.linear_iterations += result.linear_iterations;
  certificate.redundant_joint_rows = result.redundant_rows;
  // After a failure the equations may stand at an iterate that was refused.
  const bool finite = result.ok || equations.evaluate(x_, Lambda_);
  const bool go_on = result.ok || (options_.policy == FailurePolicy::warn && finite);
  double violation = 0;
  const int worst = equations.worst_row(violation);
  if (go_on) {
    certificate.status =
        worse(certificate.status, result.ok ? SolveStatus::converged : SolveStatus::iteration_limit);
    certificate.momentum_residual = std::max(certificate.momentum_residual, momentum_residual());
    certificate.joint_residual = std::max(certificate.joint_residual, violation / equations.extent());
  }
  if (result.ok) return true;
  ++report.rejected;
  const std::string why =
      worst < 0 ? std::string(result.failure)
                : fmt::format("{} (worst joint '{}')", result.failure, step.system->joint_name(worst));
  if (go_on) {
    report.warn(WarningKind::went_on,
                fmt::format("t = {:.9g} s: {}; went on as asked (policy warn)", t, why));
    return true;
  }
  if (options_.policy == FailurePolicy::retry && halvings < options_.max_halvings &&
      0.5 * h >= options_.smallest_step) {
    ++halvings;
    h_limit = 0.5 * h;
    report.warn(WarningKind::step_halved,
                fmt::format("t = {:.9g} s: {}; step halved to {:.3g} s", t, why, h_limit));
    return false;
  }
  certificate.status = worse(certificate.status, SolveStatus::numerical_failure);
  step.fail(why + smallest_step_note(options_.smallest_step, h) +
            "; a smaller step, or joints that do not contradict each other, may help");
  return false;
}

}  // namespace delassus
