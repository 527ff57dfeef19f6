// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/implicit_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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
  report.clear();
  report.t_begin = state.t;
  report_ = &report;
  history_ = state.history;
  phase_.t = state.t;
  phase_.q = state.q;
  phase_.v = state.v;
  // Of schemes with contacts.
  history_.weighted_velocity.resize(0);
  history_.contacts.clear();
  history_.modes_known = false;
  if (!history_.energy.started) finisher_.start_ledger(system, phase_, history_.energy);
  const std::string refused = finisher_.check_joints_only(system, phase_, request.t_end - phase_.t, name_);
  if (!refused.empty()) fail_step(phase_.t, refused, report);

  double h_limit = std::numeric_limits<double>::infinity();
  int halvings = 0;
  while (report.ok && !reached(phase_.t, request.t_end)) {
    const double h = std::min(request.t_end - phase_.t, h_limit);
    const std::string cannot = prepare(system, h);
    if (!cannot.empty()) {
      fail_step(phase_.t, cannot, report);
      break;
    }
    if (take_step(system, h, h_limit, halvings)) accept(system, h);
  }
  if (report.ok) phase_.t = request.t_end;
  finisher_.finish(system, phase_, history_, report, state);
}

bool ImplicitStepper::take_step(const System& system, double h, double& h_limit, int& halvings) {
  KktEquations& equations = begin(system, h);
  const NewtonResult result =
      newton_.solve(equations, derivative_level(options_), options_.dae.max_iterations, x_, Lambda_);
  Certificate& certificate = report_->certificate;
  certificate.solves += 1;
  certificate.iterations += result.iterations;
  certificate.redundant_joint_rows = result.redundant_rows;
  // After a failure the equations may stand at an iterate that was refused.
  const bool finite = result.ok || equations.evaluate(x_, Lambda_);
  const bool go_on = result.ok || (options_.policy == FailurePolicy::warn && finite);
  double violation = 0;
  const int worst = equations.worst_row(violation);
  if (go_on) {
    certificate.status =
        worse(certificate.status, result.ok ? SolveStatus::converged : SolveStatus::iteration_limit);
    certificate.momentum_residual =
        std::max(certificate.momentum_residual,
                 equations.F.cwiseAbs().maxCoeff() / std::max(equations.largest_term, k_tiny));
    certificate.joint_residual = std::max(certificate.joint_residual, violation / equations.extent());
  }
  if (result.ok) return true;
  ++report_->rejected;
  const std::string why =
      worst < 0 ? std::string(result.failure)
                : fmt::format("{} (worst joint '{}')", result.failure, system.joint_name(worst));
  if (go_on) {
    report_->warnings.push_back(
        fmt::format("t = {:.9g} s: {}; went on as asked (policy warn)", phase_.t, why));
    return true;
  }
  if (options_.policy == FailurePolicy::retry && halvings < options_.max_halvings) {
    ++halvings;
    h_limit = 0.5 * h;
    report_->warnings.push_back(
        fmt::format("t = {:.9g} s: {}; step halved to {:.3g} s", phase_.t, why, h_limit));
    return false;
  }
  certificate.status = worse(certificate.status, SolveStatus::numerical_failure);
  fail_step(phase_.t, why + "; a smaller step, or joints that do not contradict each other, may help",
            *report_);
  return false;
}

}  // namespace delassus
