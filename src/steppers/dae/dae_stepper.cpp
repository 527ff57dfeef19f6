// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/dae_stepper.hpp"

#include <fmt/format.h>

namespace delassus {

DaeStepper::DaeStepper(const DaeFormula& formula, const StepperOptions& options)
    : ImplicitStepper(formula.name, options), formula_(formula), equations_(formula_, options_) {
  accelerations_.use(options.linear_solver);
}

std::string DaeStepper::prepare(StepInProgress& step, double h) {
  AccelerationMemory& memory = step.history.acceleration;
  if (!accelerations_.prepare(formula_, *step.system, step.now, h, memory))
    return "the accelerations at the start are not finite, or the mass matrix is not positive definite";
  joint_power_ = joint_power(step.now, memory.joint_forces);
  driven_power_ = memory.joint_forces.dot(step.now.joints.target);
  return {};
}

KktEquations& DaeStepper::begin(const StepInProgress& step, double h, Vector& x, Vector& Lambda) {
  equations_.begin(*step.system, step.now.phase, step.history.acceleration, h, x, Lambda);
  return equations_;
}

void DaeStepper::accept(StepInProgress& step, double h, const Vector& x, const Vector& Lambda) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  PhasePoint& now = step.now;
  ++report.substeps;
  AccelerationMemory& memory = step.history.acceleration;
  EnergyLedger& energy = step.history.energy;
  double power = system.nonconservative_power(now.at, now.phase.v);
  equations_.take_end(now);
  next_.a = x;
  next_.rate = equations_.rate();
  next_.joint_forces = Lambda / equations_.force_scale();
  next_.step = h;
  if (options_.projection != Projection::none && Lambda.size() > 0) make_consistent(step);
  power += system.nonconservative_power(now.at, now.phase.v);
  energy.nonconservative += 0.5 * h * power;
  energy.joints += 0.5 * h * (joint_power_ + joint_power(now, next_.joint_forces));
  energy.driven += 0.5 * h * (driven_power_ + next_.joint_forces.dot(now.joints.target));

  if (report.joint_impulses.size() != next_.joint_forces.size())
    report.joint_impulses.setZero(next_.joint_forces.size());
  const double weight = formula_.impulse_weight;
  report.joint_impulses += (h * weight) * next_.joint_forces;
  if (weight < 1) report.joint_impulses += (h * (1 - weight)) * memory.joint_forces;
  std::swap(memory, next_);
}

// (1)-(3) of the header.
void DaeStepper::make_consistent(StepInProgress& step) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  w_ = now.phase.v;
  bool done = accelerations_.factorize(system, now) && accelerations_.project_velocity(now);
  w_ -= now.phase.v;
  // T(v⁺ + δ) − T(v⁺) = ηᵀ target − ½ δᵀMδ for M δ = G η; the first part is work of the joints, which λ⁺ of (2) has
  // already.
  step.history.energy.projection -= kinetic_energy(system.mass_at(now.at, M_), w_);
  done = done && accelerations_.solve(system, now, w_, joint_velocity_);
  if (!done) {
    step.report->warn(
        WarningKind::not_projected,
        fmt::format("t = {:.9g} s: the velocities could not be projected; the joint forces may alternate",
                    now.phase.t));
    return;
  }
  next_.rate.swap(w_);
  next_.joint_forces.swap(joint_velocity_);
  const AccelerationMemory& last = step.history.acceleration;
  const double alpha_m = formula_.alpha_m, alpha_f = formula_.alpha_f;
  next_.a = ((1 - alpha_f) * next_.rate + alpha_f * last.rate - alpha_m * last.a) / (1 - alpha_m);
}

double DaeStepper::joint_power(const PhasePoint& point, const Vector& lambda) {
  point.joints.rows.multiply(VectorRef(point.phase.v), joint_velocity_);
  return lambda.dot(joint_velocity_);
}

}  // namespace delassus
