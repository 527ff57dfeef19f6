// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The yardstick: how well (v, λ, r) satisfies a problem, whoever computed it.
//
//   momentum   ‖A v − G λ − H r − p‖_∞ / (largest term)                                               [-]
//   joints     ‖Gᵀ v + C λ − g‖_∞ / (largest velocity, with or without contact and joints)            [-]
//   contact    max over contacts of the natural-map error in velocity units, relative to the free velocity
//              (E_v), or to the terms that it and W r are the sums of, where those are larger by far:
//                all but polyhedral   ‖r − P_K(r − ρ (u + shift))‖/ρ (natural_map of problems/cone.hpp)
//                polyhedral   |min(u_N, r_N/ρ)|; max(0, gauge(r_T) − μ r_N)/ρ (cone left); and the
//                             missing dissipation (μ r_N support(−u_T) + u_Tᵀ r_T) / max(‖r‖, ρ‖u‖)
//              with ρ = dim / tr W_cc, the mass of the contact: a change of units changes nothing     [-]
//
// A solution that is not finite gives NaN, never a small number.
#pragma once
#include <algorithm>

#include "delassus/problems/reduction.hpp"

namespace delassus {

struct Residual {
  double momentum = 0;
  double joints = 0;
  double contact = 0;
  int worst_contact = -1;  // index in the problem; -1 without contacts
};

// Kept by callers that judge every step, so that nothing is allocated.
struct ResidualScratch {
  Vector terms, part, rows;
};

Residual compute_residual(const Problem& problem, const Reduction& reduction, const Solution& solution,
                          ResidualScratch& scratch);
Residual compute_residual(const Problem& problem, const Reduction& reduction, const Solution& solution);

// The contact part for one contact, in velocity units [m/s].
double contact_error(const Cone& cone, double contact_mass, const Eigen::Ref<const Vector>& r,
                     const Eigen::Ref<const Vector>& u);

// The velocity that errors of contacts are measured by [m/s]: `free`, a norm of u_free, but not less than 1e-4 times the
// largest term of the sums u_free = Hᵀ v_free + w and W r. Their round-off, some fifty machine epsilons of that, is no error:
// at rest under a load u_free vanishes, and at a mass ratio of 1e8 the light body would move with 1e7 times the free
// velocity if not for the other forces on it. Impulses that run away are no solution: those terms count up to a bound.
double compute_velocity_scale(const LocalProblem& problem, double free, const VectorRef& r);

// Largest term |W_ij r_j| of u = W r + u_free against the largest free velocity, at least 1. The round-off of
// r alone changes the contact part of the residual by this times 1e-16: at mass ratios of 1e6 by some 1e-10
// [-].
double compute_cancellation(const LocalProblem& problem, const VectorRef& r);

// What decides whether a solution may be used: the largest part of its residual, or the round-off of r in u where that is
// more. Impulses of 1e16 that cancel satisfy every law to round-off, and mean nothing.
double judged_residual(const Problem& problem, const Reduction& reduction, const Solution& solution);
double judged_residual(const Residual& residual, const LocalProblem& local, const Solution& solution);
// Whether it may be used: at most k_judged, or ten times what the solver was content with where its user asked for less.
inline constexpr double k_judged = 1e-6;
inline bool is_certified(double residual, double of_solver) {
  return residual <= std::max(k_judged, 10 * of_solver);
}

}  // namespace delassus
