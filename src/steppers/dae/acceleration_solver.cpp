// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/acceleration_solver.hpp"

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

bool AccelerationSolver::prepare(const DaeFormula& formula, const System& system, const PhasePoint& point,
                                 double h, AccelerationMemory& memory) {
  const int nv = system.nv();
  const bool known = memory.a.size() == nv && memory.rate.size() == nv &&
                     memory.joint_forces.size() == point.joints.rows.rows() && memory.step > 0;
  if (!known && !start(formula, system, point, h, memory)) return false;
  if (memory.step != h) {
    // a belongs to t + (α_m − α_f) h: its distance to v̇ goes with h.
    memory.a = memory.rate + (h / memory.step) * (memory.a - memory.rate);
    memory.step = h;
  }
  return true;
}

bool AccelerationSolver::start(const DaeFormula& formula, const System& system, const PhasePoint& point,
                               double h, AccelerationMemory& memory) {
  const Phase& phase = point.phase;
  memory.step = h;
  if (!factorize(system, point) || !solve(system, point, memory.rate, memory.joint_forces)) return false;
  memory.a = memory.rate;
  const double shift = (formula.alpha_m - formula.alpha_f) * h;
  if (shift == 0) return true;
  const double probe = k_probe * h;
  probe_.phase.t = phase.t + probe;
  probe_.phase.v = phase.v + probe * memory.rate;
  w_ = probe * phase.v + (0.5 * probe * probe) * memory.rate;
  system.retract(phase.q, w_, probe_.phase.q);
  probe_.place(system);
  if (!factorize(system, probe_) || !solve(system, probe_, probe_rate_, probe_lambda_)) return false;
  w_ = (shift / probe) * (probe_rate_ - memory.rate);
  const BlockMatrix& M = system.mass_at(point.at, M_begin_);
  // A motion that is faster than a step cannot be extrapolated; the scheme damps what its start leaves.
  if (kinetic_energy(M, w_) <= kinetic_energy(M, memory.rate)) memory.a += w_;
  return true;
}

}  // namespace delassus
