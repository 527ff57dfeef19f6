// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/dae_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/work_counts.hpp"

namespace delassus {
namespace {

// v̈ of the start is a difference over this fraction of a step: its truncation changes a by 1e-4 of the O(h²) that
// the order allows, its round-off by 1e-12.
constexpr double k_probe = 1e-4;

}  // namespace

bool AccelerationSolver::factorize(const System& system, const PhasePoint& point) {
  ++work_counts().factorisations;
  C_.setZero(point.joints.rows.rows());
  return kkt_.compute(system.mass_at(point.at, M_), true, point.joints.rows, nullptr, C_);
}

bool AccelerationSolver::project_velocity(PhasePoint& point) {
  Vector& v = point.phase.v;
  point.joints.rows.multiply(VectorRef(v), rhs_);
  rhs_ = point.joints.target - rhs_;
  if (rhs_.size() == 0 || rhs_.cwiseAbs().maxCoeff() == 0) return true;
  k_.setZero(v.size());
  kkt_.solve(k_, rhs_, delta_, lambda_, KktAccuracy::correction);
  if (!delta_.allFinite()) return false;
  v += delta_;
  return true;
}

bool AccelerationSolver::solve(const System& system, const PhasePoint& point, Vector& rate, Vector& lambda) {
  system.forces(point.at, point.phase.v, k_);
  system.bilateral_bias(point.at, point.phase.v, rhs_);
  rhs_ = -rhs_;
  kkt_.solve(k_, rhs_, rate, lambda);
  return rate.allFinite() && lambda.allFinite();
}

DaeStepper::DaeStepper(const DaeFormula& formula, const StepperOptions& options)
    : ImplicitStepper(formula.name, options), formula_(formula), equations_(formula_, options_) {
  accelerations_.use(options.linear_solver);
}

std::string DaeStepper::prepare(StepInProgress& step, double h) {
  const int nv = step.system->nv();
  AccelerationMemory& memory = step.history.acceleration;
  const bool known = memory.a.size() == nv && memory.rate.size() == nv &&
                     memory.joint_forces.size() == step.now.joints.rows.rows() && memory.step > 0;
  if (!known && !start_memory(step, h))
    return "the accelerations at the start are not finite, or the mass matrix is not positive definite";
  if (memory.step != h) {
    // a belongs to t + (α_m − α_f) h: its distance to v̇ goes with h.
    memory.a = memory.rate + (h / memory.step) * (memory.a - memory.rate);
    memory.step = h;
  }
  joint_power_ = joint_power(step.now, memory.joint_forces);
  driven_power_ = memory.joint_forces.dot(step.now.joints.target);
  return {};
}

bool DaeStepper::start_memory(StepInProgress& step, double h) {
  const System& system = *step.system;
  const Phase& phase = step.now.phase;
  AccelerationMemory& memory = step.history.acceleration;
  memory.step = h;
  if (!accelerations_.factorize(system, step.now) ||
      !accelerations_.solve(system, step.now, memory.rate, memory.joint_forces))
    return false;
  memory.a = memory.rate;
  const double shift = (formula_.alpha_m - formula_.alpha_f) * h;
  if (shift == 0) return true;
  const double probe = k_probe * h;
  probe_.phase.t = phase.t + probe;
  probe_.phase.v = phase.v + probe * memory.rate;
  w_ = probe * phase.v + (0.5 * probe * probe) * memory.rate;
  system.retract(phase.q, w_, probe_.phase.q);
  probe_.place(system);
  if (!accelerations_.factorize(system, probe_) ||
      !accelerations_.solve(system, probe_, next_.rate, next_.joint_forces))
    return false;
  w_ = (shift / probe) * (next_.rate - memory.rate);
  const BlockMatrix& M = system.mass_at(step.now.at, M_);
  // A motion that is faster than a step cannot be extrapolated; the scheme damps what its start leaves.
  if (kinetic_energy(M, w_) <= kinetic_energy(M, memory.rate)) memory.a += w_;
  return true;
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
