// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/natural_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/problems/residual.hpp"

namespace delassus {
namespace {

// ‖F_a(ρ)‖ of (1).
double map_norm(const Cone& cone, double rho, const ContactVectorRef& r, const ContactVectorRef& u) {
  if (cone.kind == ConeKind::polyhedral) return rho * contact_error(cone, rho, r, u);
  return natural_map(cone, rho, r, u).norm();
}

double relative(double error, double scale) {
  return scale > std::numeric_limits<double>::epsilon() ? error / scale : error;
}

}  // namespace

double NaturalMapError::largest() const {
  if (std::isnan(e_sic) || std::isnan(e_v)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(e_sic, e_v);
}

NaturalMapError compute_natural_map_error(const LocalProblem& problem, const VectorRef& r,
                                          const VectorRef& u) {
  NaturalMapError error;
  if (!r.allFinite() || !u.allFinite()) {
    error.e_sic = error.e_v = std::numeric_limits<double>::quiet_NaN();
    return error;
  }
  double sum_sic = 0, sum_v = 0;
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    const VectorRef r_c = r.segment(problem.first_row(c), cone.dim),
                    u_c = u.segment(problem.first_row(c), cone.dim);
    // A contact that nothing moves has no mass of its own.
    const double mass = problem.contact_mass(c), rho = std::isfinite(mass) && mass > 0 ? mass : 1.0;
    const double sic = map_norm(cone, 1.0, r_c, u_c), v = map_norm(cone, rho, r_c, u_c) / rho;
    sum_sic += sic * sic;
    sum_v += v * v;
  }
  const double free = problem.u_free.norm();
  error.e_sic = relative(std::sqrt(sum_sic), std::max({free, r.norm(), u.norm()}));
  error.e_v = free > 0 ? std::sqrt(sum_v) / free : std::sqrt(sum_v);
  return error;
}

}  // namespace delassus
