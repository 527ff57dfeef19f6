// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/impact/impact.hpp"

#include <algorithm>
#include <limits>

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

void ImpactResolver::resolve(const System& system, const PhasePoint& point, const ContactSet& contacts,
                             bool inelastic, ImpactResult& result) {
  result = {};
  const Phase& phase = point.phase;
  assemble_impact(system, options_, point, contacts, {}, data_, problem_);
  restitution_.clear();
  for (const ContactSurface& surface : contacts.rows.surfaces)
    restitution_.push_back(inelastic ? 0.0 : surface.restitution);
  problem_.Ht.multiply(VectorRef(phase.v), u_before_);
  u_before_ += problem_.w;
  if (!reduction_.compute(problem_)) {
    result.stats.status = SolveStatus::numerical_failure;
    return;
  }
  const int nc = problem_.num_contacts();
  const Vector w = problem_.w;
  Vector r_total = Vector::Zero(problem_.Ht.rows());
  Vector lambda_total = Vector::Zero(problem_.Gt.rows());
  Vector v_plus;

  // Tangential restitution: the contact law holds for u_T⁺ + e_T u_T⁻, as Newton's does in the normal
  // direction.
  const auto shift_tangentially = [&] {
    for (int c = 0; c < nc; ++c)
      for (int k = 1; k < std::min(problem_.cones[c].dim, 3); ++k)
        problem_.w[problem_.Ht.first_row(c) + k] +=
            options_.impact.tangential_restitution * u_before_[problem_.Ht.first_row(c) + k];
  };
  const auto poisson = [&]() -> bool {
    problem_.w = w;
    reduction_.update_free_velocity();
    if (!solve(result)) return false;
    r_total = solution_.r;
    lambda_total = solution_.lambda;
    v_c_ = solution_.v;
    Vector restituted = Vector::Zero(r_total.size());
    for (int c = 0; c < nc; ++c) {
      const int row = problem_.Ht.first_row(c);
      // Whatever was compressed is restituted, also where the contact was at rest before (Anitescu and Potra 1997, 3.3).
      restituted[row] = fastest_approach() > options_.impact.threshold ? restitution_[c] * r_total[row] : 0.0;
      if (options_.impact.bound_by_total_impulse) problem_.cones[c].extra_normal = restituted[row];
    }
    problem_.p.setZero();
    problem_.A.add_product(v_c_, problem_.p);
    problem_.Ht.add_transposed_product(restituted, problem_.p);
    shift_tangentially();
    if (!reduction_.compute(problem_) || !solve(result)) return false;
    r_total += solution_.r + restituted;
    lambda_total += solution_.lambda;
    v_plus = solution_.v;
    return true;
  };

  bool ok = false;
  if (options_.impact.kind == ImpactKind::newton) {
    for (int c = 0; c < nc; ++c)
      problem_.w[problem_.Ht.first_row(c)] +=
          effective_restitution(c) * std::min(0.0, u_before_[problem_.Ht.first_row(c)]);
    shift_tangentially();
    reduction_.update_free_velocity();
    ok = solve(result);
    if (ok) {
      r_total = solution_.r;
      lambda_total = solution_.lambda;
      v_plus = solution_.v;
    }
  } else if (options_.impact.kind == ImpactKind::simplified) {
    ok = solve(result);
    if (ok) {
      double e = std::numeric_limits<double>::infinity();
      for (int c = 0; c < nc; ++c)
        if (approaches(c)) e = std::min(e, effective_restitution(c));
      if (e > 1) e = 0;  // nothing approaches
      v_plus = (1.0 + e) * solution_.v - e * phase.v;
      r_total = (1.0 + e) * solution_.r;
      lambda_total = (1.0 + e) * solution_.lambda;
      Vector u;
      problem_.Ht.multiply(VectorRef(v_plus), u);
      u += w;
      const double tolerance = k_approach_tolerance * u_before_.cwiseAbs().maxCoeff();
      for (int c = 0; c < nc; ++c)
        result.fell_back = result.fell_back || u[problem_.Ht.first_row(c)] < -tolerance;
      if (result.fell_back) ok = poisson();
    }
  } else {
    ok = poisson();
  }
  result.ok = ok && v_plus.allFinite();
  if (!result.ok) return;

  result.v = v_plus;
  result.joint_impulses = lambda_total;
  result.energy_change = kinetic_energy(*data_.M, v_plus) - kinetic_energy(*data_.M, phase.v);
  Vector u_after;
  problem_.Ht.multiply(VectorRef(v_plus), u_after);
  u_after += w;
  for (int c = 0; c < nc; ++c) {
    const int row = problem_.Ht.first_row(c);
    const Cone& cone = problem_.cones[c];
    const double ratio = contacts.rows.surfaces[c].tangent_ratio;
    result.velocity_before.push_back(triple(cone, u_before_, row));
    result.velocity_after.push_back(triple(cone, u_after, row));
    result.velocity_before.back()[2] /= ratio;
    result.velocity_after.back()[2] /= ratio;
    result.impulse.push_back(contact_impulse(cone, ratio, r_total, row));
    result.couple.push_back(contact_couple(cone, r_total, row));
  }
}

}  // namespace delassus
