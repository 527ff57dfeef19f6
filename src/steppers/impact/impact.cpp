// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/impact/impact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/steppers/aligned_solve.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// A contact counts as still approaching after an impact above this fraction of the largest impact velocity.
constexpr double k_approach_tolerance = 1e-10;
// Halvings of the restitution of a fallback that gains energy; the last one takes none.
constexpr int k_max_halvings = 6;
// What changes the velocities by less is no impact [-].
constexpr double k_jump = 1e-9;
// A gain below this share of ½ |r|ᵀ |u⁻| is the solver's tolerance [-].
constexpr double k_fallback_gain = 1e-9;

Vector3 triple(const Cone& cone, const Vector& values, int row) {
  const int known = std::min(cone.dim, 3);
  Vector3 x = Vector3::Zero();
  x.head(known) = values.segment(row, known);
  return x;
}

}  // namespace

bool ImpactResolver::solve(ImpactResult& result) {
  SolveStats stats;
  warm_ = {};
  double residual = 0;
  for (int start = 0; start < 2; ++start) {
    solve_aligned(solver_, options_.law.aligned(), problem_, reduction_, warm_, solution_, stats);
    if (usable(stats.status)) least_.apply(reduction_, solution_);
    result.stats.status = stats.status;
    result.stats.iterations += stats.iterations;
    residual = judged_residual(problem_, reduction_, solution_);
    if (usable(stats.status) && is_certified(residual, stats.residual)) {
      result.residual = std::max(result.residual, residual);
      return true;
    }
    // A solver that knows that it failed has tried what it can.
    if (!usable(stats.status)) return false;
    // From what every contact would do on its own.
    const LocalProblem& local = reduction_.local();
    warm_ = {};
    warm_.r.setZero(local.u_free.size());
    for (int c = 0; c < problem_.num_contacts(); ++c) {
      const double mass = reduction_.contact_mass(c);
      if (std::isfinite(mass))
        warm_.r[local.first_row(c)] = mass * std::max(0.0, -local.u_free[local.first_row(c)]);
    }
  }
  result.stats.status = SolveStatus::numerical_failure;
  return false;
}

// Largest speed at which a contact approaches.
double ImpactResolver::fastest_approach() const {
  double fastest = 0;
  for (int c = 0; c < problem_.num_contacts(); ++c)
    fastest = std::max(fastest, -u_before_[problem_.Ht.first_row(c)]);
  return fastest;
}

// A contact takes part in the approach when it is not the round-off of a contact at rest.
bool ImpactResolver::approaches(int contact) const {
  return -u_before_[problem_.Ht.first_row(contact)] > k_approach_tolerance * fastest_approach();
}

// e of a contact whose normal velocity is faster than the threshold and no round-off, 0 otherwise.
double ImpactResolver::effective_restitution(int contact) const {
  const double speed = std::abs(u_before_[problem_.Ht.first_row(contact)]);
  return speed > std::max(options_.impact.threshold, k_approach_tolerance * fastest_approach())
             ? restitution_[contact]
             : 0.0;
}

// Tangential restitution: the contact law holds for u_T⁺ + e_T u_T⁻, as Newton's does in the normal direction.
void ImpactResolver::shift_tangentially() {
  for (int c = 0; c < problem_.num_contacts(); ++c)
    for (int k = 1; k < std::min(problem_.cones[c].dim, 3); ++k)
      shift_[problem_.Ht.first_row(c) + k] =
          options_.impact.tangential_restitution * u_before_[problem_.Ht.first_row(c) + k];
}

bool ImpactResolver::resolve_newton(ImpactResult& result) {
  for (int c = 0; c < problem_.num_contacts(); ++c)
    shift_[problem_.Ht.first_row(c)] = effective_restitution(c) * u_before_[problem_.Ht.first_row(c)];
  shift_tangentially();
  problem_.w = w_ + shift_;
  reduction_.update_free_velocity();
  if (!solve(result) || !reduce_restitution(result)) return false;
  total_ = solution_;
  return true;
}

bool ImpactResolver::reduce_restitution(ImpactResult& result) {
  if (!options_.impact.bound_energy) return true;
  const Vector none = Vector::Zero(shift_.size());
  rebounds_.assign(static_cast<std::size_t>(problem_.num_contacts()), 1);
  bound_.begin(reduction_.local(), shift_, none, u_before_, rebounds_);
  while (bound_.reduce(reduction_.local(), solution_)) {
    problem_.w = w_ + bound_.shift();
    reduction_.update_free_velocity();
    result.residual = 0;
    if (!solve(result)) return false;
  }
  for (int c = 0; c < problem_.num_contacts(); ++c)
    result.share[static_cast<std::size_t>(c)] = bound_.share(c);
  return true;
}

bool ImpactResolver::begin_compression() {
  problem_.w = w_;
  problem_.p.setZero();
  problem_.A.add_product(v_before_, problem_.p);
  for (Cone& cone : problem_.cones) cone.extra_normal = 0;
  return reduction_.compute(problem_);
}

// Compression, then restitution of a share of what it gave.
bool ImpactResolver::resolve_poisson(bool bound_by_total_impulse, double share, ImpactResult& result) {
  result.residual = 0;
  if (!begin_compression() || !solve(result)) return false;
  total_ = solution_;
  if (share == 0) return true;
  Vector restituted = Vector::Zero(total_.r.size());
  for (int c = 0; c < problem_.num_contacts(); ++c) {
    const int row = problem_.Ht.first_row(c);
    // Whatever was compressed is restituted, also where the contact was at rest before (Anitescu and Potra 1997, 3.3).
    const double e = fastest_approach() > options_.impact.threshold ? restitution_[c] : 0.0;
    restituted[row] = share * e * total_.r[row];
    const double e_T = options_.impact.tangential_impulse_restitution;
    for (int k = 1; k < std::min(problem_.cones[c].dim, 3); ++k)
      restituted[row + k] = share * e * e_T * total_.r[row + k];
    // What has come back has used its part of the cone.
    if (bound_by_total_impulse) problem_.cones[c].extra_normal = (1 - e_T) * restituted[row];
  }
  problem_.p.setZero();
  problem_.A.add_product(total_.v, problem_.p);
  problem_.Ht.add_transposed_product(restituted, problem_.p);
  shift_tangentially();
  problem_.w = w_ + share * shift_;
  if (!reduction_.compute(problem_) || !solve(result)) return false;
  total_.r += solution_.r + restituted;
  total_.lambda += solution_.lambda;
  total_.v = solution_.v;
  return true;
}

// The whole change of velocity of the compression, 1 + e times. False also where a contact would go on approaching.
bool ImpactResolver::resolve_simplified(ImpactResult& result) {
  if (!solve(result)) return false;
  double e = std::numeric_limits<double>::infinity();
  for (int c = 0; c < problem_.num_contacts(); ++c)
    if (approaches(c)) e = std::min(e, effective_restitution(c));
  if (e > 1) e = 0;  // nothing approaches
  total_.v = (1.0 + e) * solution_.v - e * v_before_;
  total_.r = (1.0 + e) * solution_.r;
  total_.lambda = (1.0 + e) * solution_.lambda;
  return !leaves_approaching();
}

bool ImpactResolver::leaves_approaching() {
  problem_.Ht.multiply(VectorRef(total_.v), u_after_);
  u_after_ += w_;
  const double tolerance = k_approach_tolerance * max_abs(u_before_);
  for (int c = 0; c < problem_.num_contacts(); ++c)
    if (u_after_[problem_.Ht.first_row(c)] < -tolerance) return true;
  return false;
}

// (1): what the impulses do to the velocities relative to the surfaces [J].
double ImpactResolver::contact_work() {
  problem_.Ht.multiply(VectorRef(total_.v), u_after_);
  u_after_ += w_;
  return 0.5 * total_.r.dot(u_after_ + u_before_);
}

// Where another law has no solution.
bool ImpactResolver::resolve_bounded(ImpactResult& result) {
  result.fell_back = true;
  double share = 1;
  for (int halvings = 0; halvings <= k_max_halvings; ++halvings, share *= 0.5) {
    if (halvings == k_max_halvings) share = 0;
    if (!resolve_poisson(true, share, result)) continue;
    const double scale = 0.5 * total_.r.cwiseAbs().dot(u_before_.cwiseAbs());
    if (share == 0 || contact_work() <= k_fallback_gain * scale) {
      result.share.assign(result.share.size(), share);
      return true;
    }
  }
  return false;
}

void ImpactResolver::begin(const System& system, const PhasePoint& point, const ContactSet& contacts,
                           bool inelastic, ImpactResult& result) {
  throw_if_stop_requested();
  result = {};
  const Phase& phase = point.phase;
  assemble_impact(system, options_, point, contacts, {}, data_, problem_);
  restitution_.clear();
  for (const ContactSurface& surface : contacts.rows.surfaces)
    restitution_.push_back(inelastic ? 0.0 : surface.restitution);
  result.share.assign(restitution_.size(), 1.0);
  v_before_ = phase.v;
  problem_.Ht.multiply(VectorRef(phase.v), u_before_);
  u_before_ += problem_.w;
  w_ = problem_.w;
  shift_.setZero(w_.size());
}

void ImpactResolver::resolve_shock(const System& system, const PhasePoint& point, const ContactSet& contacts,
                                   double h, ImpactResult& result) {
  begin(system, point, contacts, true, result);
  result.without_collision = true;
  system.forces(point.at, point.phase.v, data_.k0);
  problem_.p += h * data_.k0;  // (2)
  if (!reduction_.compute(problem_) || !solve(result)) return;
  total_ = solution_;
  result.residual = 0;
  const auto pushes = [&](const Solution& solution) {
    for (int c = 0; c < problem_.num_contacts(); ++c)
      if (solution.r[problem_.Ht.first_row(c)] < 0) return false;
    return solution.v.allFinite();
  };
  // The modes must be lawful without the forces, too; otherwise the first instant is part of the impact.
  if (begin_compression() && solve_with_modes(reduction_, total_.modes, solution_, modes_) &&
      pushes(solution_) && judged_residual(problem_, reduction_, solution_) <= k_judged)
    total_ = solution_;
  const double speed = max_abs(total_.v - v_before_);
  // Whatever that gains is the work of the forces, which no time has passed for.
  result.ok = speed > k_jump * max_abs(v_before_) &&
              kinetic_energy(*data_.M, total_.v) <= kinetic_energy(*data_.M, v_before_);
  if (result.ok) report(point.phase, contacts, result);
}

void ImpactResolver::resolve(const System& system, const PhasePoint& point, const ContactSet& contacts,
                             bool inelastic, ImpactResult& result) {
  begin(system, point, contacts, inelastic, result);
  if (!reduction_.compute(problem_)) {
    result.stats.status = SolveStatus::numerical_failure;
    return;
  }
  switch (options_.impact.kind) {
    case ImpactKind::newton:
      result.ok = resolve_newton(result);
      break;
    case ImpactKind::simplified:
      result.ok = resolve_simplified(result);
      break;
    case ImpactKind::poisson:
      result.ok = resolve_poisson(options_.impact.bound_by_total_impulse, 1.0, result);
      break;
  }
  result.ok = (result.ok && total_.v.allFinite()) || (resolve_bounded(result) && total_.v.allFinite());
  if (result.ok) report(point.phase, contacts, result);
}

void ImpactResolver::report(const Phase& before, const ContactSet& contacts, ImpactResult& result) {
  result.v = total_.v;
  result.joint_impulses = total_.lambda;
  result.energy_change = kinetic_energy(*data_.M, total_.v) - kinetic_energy(*data_.M, before.v);
  problem_.Ht.multiply(VectorRef(total_.v), u_after_);
  u_after_ += w_;
  for (int c = 0; c < problem_.num_contacts(); ++c) {
    const int row = problem_.Ht.first_row(c);
    const Cone& cone = problem_.cones[c];
    const double ratio = contacts.rows.surfaces[c].tangent_ratio;
    result.velocity_before.push_back(triple(cone, u_before_, row));
    result.velocity_after.push_back(triple(cone, u_after_, row));
    result.velocity_before.back()[2] /= ratio;
    result.velocity_after.back()[2] /= ratio;
    result.impulse.push_back(contact_impulse(cone, ratio, total_.r, row));
    result.couple.push_back(contact_couple(cone, total_.r, row));
  }
}

}  // namespace delassus
