// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/impact/impact.hpp"

#include <algorithm>
#include <limits>

#include "delassus/base/stop_request.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/steppers/aligned_solve.hpp"

namespace delassus {
namespace {

// A contact counts as still approaching after an impact above this fraction of the largest impact velocity.
constexpr double k_approach_tolerance = 1e-10;

Vector3 triple(const Cone& cone, const Vector& values, int row) {
  const int known = std::min(cone.dim, 3);
  Vector3 x = Vector3::Zero();
  x.head(known) = values.segment(row, known);
  return x;
}

}  // namespace

bool ImpactResolver::solve(ImpactResult& result) {
  SolveStats stats;
  warm_.basis.clear();
  solve_aligned(solver_, options_.law.aligned(), problem_, reduction_, warm_, solution_, stats);
  result.stats.status = stats.status;
  result.stats.iterations += stats.iterations;
  const Residual residual = compute_residual(problem_, reduction_, solution_);
  result.residual = std::max({result.residual, residual.contact, residual.momentum, residual.joints});
  return usable(stats.status);
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

// e of a contact that approaches faster than the threshold, 0 otherwise.
double ImpactResolver::effective_restitution(int contact) const {
  const double approach = -u_before_[problem_.Ht.first_row(contact)];
  return approaches(contact) && approach > options_.impact.threshold ? restitution_[contact] : 0.0;
}

// Tangential restitution: the contact law holds for u_T⁺ + e_T u_T⁻, as Newton's does in the normal direction.
void ImpactResolver::shift_tangentially() {
  for (int c = 0; c < problem_.num_contacts(); ++c)
    for (int k = 1; k < std::min(problem_.cones[c].dim, 3); ++k)
      problem_.w[problem_.Ht.first_row(c) + k] +=
          options_.impact.tangential_restitution * u_before_[problem_.Ht.first_row(c) + k];
}

bool ImpactResolver::resolve_newton(ImpactResult& result) {
  for (int c = 0; c < problem_.num_contacts(); ++c)
    problem_.w[problem_.Ht.first_row(c)] +=
        effective_restitution(c) * std::min(0.0, u_before_[problem_.Ht.first_row(c)]);
  shift_tangentially();
  reduction_.update_free_velocity();
  if (!solve(result)) return false;
  total_ = solution_;
  return true;
}

// Compression, then restitution of what it gave.
bool ImpactResolver::resolve_poisson(ImpactResult& result) {
  problem_.w = w_;
  reduction_.update_free_velocity();
  if (!solve(result)) return false;
  total_ = solution_;
  Vector restituted = Vector::Zero(total_.r.size());
  for (int c = 0; c < problem_.num_contacts(); ++c) {
    const int row = problem_.Ht.first_row(c);
    // Whatever was compressed is restituted, also where the contact was at rest before (Anitescu and Potra 1997, 3.3).
    restituted[row] = fastest_approach() > options_.impact.threshold ? restitution_[c] * total_.r[row] : 0.0;
    if (options_.impact.bound_by_total_impulse) problem_.cones[c].extra_normal = restituted[row];
  }
  problem_.p.setZero();
  problem_.A.add_product(total_.v, problem_.p);
  problem_.Ht.add_transposed_product(restituted, problem_.p);
  shift_tangentially();
  if (!reduction_.compute(problem_) || !solve(result)) return false;
  total_.r += solution_.r + restituted;
  total_.lambda += solution_.lambda;
  total_.v = solution_.v;
  return true;
}

// The whole change of velocity of the compression, 1 + e times; Poisson's where a contact would go on approaching.
bool ImpactResolver::resolve_simplified(const VectorRef& v, ImpactResult& result) {
  if (!solve(result)) return false;
  double e = std::numeric_limits<double>::infinity();
  for (int c = 0; c < problem_.num_contacts(); ++c)
    if (approaches(c)) e = std::min(e, effective_restitution(c));
  if (e > 1) e = 0;  // nothing approaches
  total_.v = (1.0 + e) * solution_.v - e * v;
  total_.r = (1.0 + e) * solution_.r;
  total_.lambda = (1.0 + e) * solution_.lambda;
  Vector u;
  problem_.Ht.multiply(VectorRef(total_.v), u);
  u += w_;
  const double tolerance = k_approach_tolerance * u_before_.cwiseAbs().maxCoeff();
  for (int c = 0; c < problem_.num_contacts(); ++c)
    result.fell_back = result.fell_back || u[problem_.Ht.first_row(c)] < -tolerance;
  return !result.fell_back || resolve_poisson(result);
}

void ImpactResolver::resolve(const System& system, const PhasePoint& point, const ContactSet& contacts,
                             bool inelastic, ImpactResult& result) {
  throw_if_stop_requested();
  result = {};
  const Phase& phase = point.phase;
  assemble_impact(system, options_, point, contacts, {}, data_, problem_);
  restitution_.clear();
  for (const ContactSurface& surface : contacts.rows.surfaces)
    restitution_.push_back(inelastic ? 0.0 : surface.restitution);
  problem_.Ht.multiply(VectorRef(phase.v), u_before_);
  u_before_ += problem_.w;
  w_ = problem_.w;
  if (!reduction_.compute(problem_)) {
    result.stats.status = SolveStatus::numerical_failure;
    return;
  }
  switch (options_.impact.kind) {
    case ImpactKind::newton:
      result.ok = resolve_newton(result);
      break;
    case ImpactKind::simplified:
      result.ok = resolve_simplified(VectorRef(phase.v), result);
      break;
    case ImpactKind::poisson:
      result.ok = resolve_poisson(result);
      break;
  }
  result.ok = result.ok && total_.v.allFinite();
  if (result.ok) report(phase, contacts, result);
}

void ImpactResolver::report(const Phase& before, const ContactSet& contacts, ImpactResult& result) const {
  result.v = total_.v;
  result.joint_impulses = total_.lambda;
  result.energy_change = kinetic_energy(*data_.M, total_.v) - kinetic_energy(*data_.M, before.v);
  Vector u_after;
  problem_.Ht.multiply(VectorRef(total_.v), u_after);
  u_after += w_;
  for (int c = 0; c < problem_.num_contacts(); ++c) {
    const int row = problem_.Ht.first_row(c);
    const Cone& cone = problem_.cones[c];
    const double ratio = contacts.rows.surfaces[c].tangent_ratio;
    result.velocity_before.push_back(triple(cone, u_before_, row));
    result.velocity_after.push_back(triple(cone, u_after, row));
    result.velocity_before.back()[2] /= ratio;
    result.velocity_after.back()[2] /= ratio;
    result.impulse.push_back(contact_impulse(cone, ratio, total_.r, row));
    result.couple.push_back(contact_couple(cone, total_.r, row));
  }
}

}  // namespace delassus
