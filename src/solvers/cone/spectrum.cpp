// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/spectrum.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// Products with W spent on the estimate; more do not pay against the sweeps they may save.
constexpr int k_power_iterations = 15;

double scale_of(const PreparedContact& contact, ContactScale scale) {
  return scale == ContactScale::rho ? contact.rho : contact.tau;
}

}  // namespace

double bound_eigenvalue(const LocalProblem& problem, const PreparedContacts& contacts, ContactScale scale) {
  double bound = 0;
  for (int c = 0; c < contacts.size(); ++c) {
    double sum = 0;
    for (int e = problem.W.row_begin(c); e < problem.W.row_end(c); ++e)
      sum += problem.W.block(c, e).norm() * std::sqrt(scale_of(contacts[problem.W.column(e)], scale));
    bound = std::max(bound, sum * std::sqrt(scale_of(contacts[c], scale)));
  }
  return bound;
}

double estimate_eigenvalue(const LocalProblem& problem, const PreparedContacts& contacts, ContactScale scale,
                           Vector& x, Vector& image) {
  // z = D^½ x is iterated, z ← D W z, and the quotient ⟨D⁻¹ z, D W z⟩ / ⟨D⁻¹ z, z⟩ taken, so that no roots are needed.
  x.resize(problem.u_free.size());
  // No symmetry of a scene has all signs and sizes of this.
  for (Eigen::Index i = 0; i < x.size(); ++i)
    x[i] = 1.0 + 0.5 * std::sin(static_cast<double>(i) * static_cast<double>(i + 1));
  for (const PreparedContact& contact : contacts)
    x.segment(contact.row, contact.dim) *= std::sqrt(scale_of(contact, scale));
  double estimate = 0;
  for (int i = 0; i < k_power_iterations; ++i) {
    problem.W.multiply(x, image);
    double product = 0, norm = 0;
    for (const PreparedContact& contact : contacts) {
      const double d = scale_of(contact, scale);
      if (d == 0) continue;
      auto x_c = x.segment(contact.row, contact.dim);
      const auto image_c = image.segment(contact.row, contact.dim);
      product += x_c.dot(image_c);
      norm += x_c.squaredNorm() / d;
      x_c = d * image_c;
    }
    if (!(norm > 0) || !(product > 0)) break;
    estimate = std::max(estimate, product / norm);
    x *= std::sqrt(1.0 / norm) / estimate;
  }
  return estimate;
}

}  // namespace delassus
