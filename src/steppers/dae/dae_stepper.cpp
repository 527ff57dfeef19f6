// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/dae_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// v̈ of the start is a difference over this fraction of a step: its truncation changes a by 1e-4 of the O(h²) that
// the order allows, its round-off by 1e-12.
constexpr double k_probe = 1e-4;

}  // namespace

bool AccelerationSolver::factorize(const System& system, double t, const VectorRef& q) {
  system.bilateral(t, q, bilateral_);
  system.mass(t, q, M_);
  C_.setZero(bilateral_.rows.rows());
  return kkt_.compute(M_, true, bilateral_.rows, nullptr, C_);
}

bool AccelerationSolver::project_velocity(Vector& v) {
  bilateral_.rows.multiply(VectorRef(v), rhs_);
  rhs_ = bilateral_.target - rhs_;
  if (rhs_.size() == 0 || rhs_.cwiseAbs().maxCoeff() == 0) return true;
  k_.setZero(v.size());
  kkt_.solve(k_, rhs_, delta_, lambda_);
  if (!delta_.allFinite()) return false;
  v += delta_;
  return true;
}

bool AccelerationSolver::solve(const System& system, const Phase& phase, Vector& rate, Vector& lambda) {
  system.forces(phase.t, phase.q, phase.v, k_);
  system.bilateral_bias(phase.t, phase.q, phase.v, rhs_);
  rhs_ = -rhs_;
  kkt_.solve(k_, rhs_, rate, lambda);
  return rate.allFinite() && lambda.allFinite();
}

DaeStepper::DaeStepper(const DaeFormula& formula, const StepperOptions& options)
    : ImplicitStepper(formula.name, options), formula_(formula), equations_(formula_, options_) {}

std::string DaeStepper::prepare(const System& system, double h) {
  AccelerationMemory& memory = history_.acceleration;
  system.bilateral(phase_.t, phase_.q, bilateral_);
  const bool known = memory.a.size() == system.nv() && memory.rate.size() == system.nv() &&
                     memory.joint_forces.size() == bilateral_.rows.rows() && memory.step > 0;
  if (!known && !start_memory(system, h))
    return "the accelerations at the start are not finite, or the mass matrix is not positive definite";
  if (memory.step != h) {
    // a belongs to t + (α_m − α_f) h: its distance to v̇ goes with h.
    memory.a = memory.rate + (h / memory.step) * (memory.a - memory.rate);
    memory.step = h;
  }
  joint_power_ = joint_power(memory.joint_forces);
  return {};
}

bool DaeStepper::start_memory(const System& system, double h) {
  AccelerationMemory& memory = history_.acceleration;
  memory.step = h;
  if (!accelerations_.factorize(system, phase_.t, phase_.q) ||
      !accelerations_.solve(system, phase_, memory.rate, memory.joint_forces))
    return false;
  memory.a = memory.rate;
  const double shift = (formula_.alpha_m - formula_.alpha_f) * h;
  if (shift == 0) return true;
  const double probe = k_probe * h;
  probe_.t = phase_.t + probe;
  probe_.v = phase_.v + probe * memory.rate;
  w_ = probe * phase_.v + (0.5 * probe * probe) * memory.rate;
  system.retract(phase_.q, w_, probe_.q);
  if (!accelerations_.factorize(system, probe_.t, probe_.q) ||
      !accelerations_.solve(system, probe_, next_.rate, next_.joint_forces))
    return false;
  w_ = (shift / probe) * (next_.rate - memory.rate);
  system.mass(phase_.t, phase_.q, M_);
  // A motion that is faster than a step cannot be extrapolated; the scheme damps what its start leaves.
  if (kinetic_energy(M_, w_) <= kinetic_energy(M_, memory.rate)) memory.a += w_;
  return true;
}

KktEquations& DaeStepper::begin(const System& system, double h) {
  equations_.begin(system, phase_, history_.acceleration, h, x_, Lambda_);
  return equations_;
}

void DaeStepper::accept(const System& system, double h) {
  ++report_->substeps;
  AccelerationMemory& memory = history_.acceleration;
  EnergyLedger& energy = history_.energy;
  double power = system.nonconservative_power(phase_.t, phase_.q, phase_.v);
  phase_ = equations_.end();
  next_.a = x_;
  next_.rate = equations_.rate();
  next_.joint_forces = Lambda_ / equations_.force_scale();
  next_.step = h;
  if (options_.projection != Projection::none && Lambda_.size() > 0) make_consistent(system);
  power += system.nonconservative_power(phase_.t, phase_.q, phase_.v);
  system.bilateral(phase_.t, phase_.q, bilateral_);
  energy.nonconservative += 0.5 * h * power;
  energy.joints += 0.5 * h * (joint_power_ + joint_power(next_.joint_forces));

  StepReport& report = *report_;
  if (report.joint_impulses.size() != next_.joint_forces.size())
    report.joint_impulses.setZero(next_.joint_forces.size());
  const double weight = formula_.impulse_weight;
  report.joint_impulses += (h * weight) * next_.joint_forces;
  if (weight < 1) report.joint_impulses += (h * (1 - weight)) * memory.joint_forces;
  std::swap(memory, next_);
}

// (1)-(3) of the header.
void DaeStepper::make_consistent(const System& system) {
  w_ = phase_.v;
  bool done =
      accelerations_.factorize(system, phase_.t, phase_.q) && accelerations_.project_velocity(phase_.v);
  w_ -= phase_.v;
  // T(v⁺ + δ) − T(v⁺) = ηᵀ target − ½ δᵀMδ for M δ = G η; the first part is work of the joints, which λ⁺ of (2) has
  // already.
  history_.energy.projection -= kinetic_energy(accelerations_.mass(), w_);
  done = done && accelerations_.solve(system, phase_, w_, joint_velocity_);
  if (!done) {
    report_->warnings.push_back(fmt::format(
        "t = {:.9g} s: the velocities could not be projected; the joint forces may alternate", phase_.t));
    return;
  }
  next_.rate.swap(w_);
  next_.joint_forces.swap(joint_velocity_);
  const AccelerationMemory& last = history_.acceleration;
  const double alpha_m = formula_.alpha_m, alpha_f = formula_.alpha_f;
  next_.a = ((1 - alpha_f) * next_.rate + alpha_f * last.rate - alpha_m * last.a) / (1 - alpha_m);
}

// Of the rows that were last evaluated, at phase_.
double DaeStepper::joint_power(const Vector& lambda) {
  bilateral_.rows.multiply(VectorRef(phase_.v), joint_velocity_);
  return lambda.dot(joint_velocity_);
}

}  // namespace delassus
