// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The yardstick: how well (v, λ, r) satisfies a problem, whoever computed it.
//
//   momentum   ‖A v − G λ − H r − p‖_∞ / (largest term)                                            [-]
//   joints     ‖Gᵀ v + C λ − g‖_∞ / (largest velocity)                                             [-]
//   contact    max over contacts of the natural-map error in velocity units, relative to the free velocity
//   (E_v):
//                nonnegative  |min(u_N, r_N/ρ)|
//                coulomb      ‖r/ρ − P_K(r/ρ − u − (μ‖u_T‖, 0))‖                         (De Saxcé)
//                polyhedral   the normal part as above; max(0, gauge(r_T) − μ r_N)/ρ (cone left); and the
//                missing
//                             dissipation (μ r_N support(−u_T) + u_Tᵀ r_T) / max(‖r‖, ρ‖u‖)
//              with ρ = dim / tr W_cc, the mass of the contact: a change of units changes nothing [-]
#pragma once
#include "delassus/problems/reduction.hpp"

namespace delassus {

struct Residual {
  double momentum = 0;
  double joints = 0;
  double contact = 0;
  int worst_contact = -1;  // index in the problem; -1 without contacts
};

Residual compute_residual(const Problem& problem, const Reduction& reduction, const Solution& solution);

// The contact part for one contact, in velocity units [m/s].
double contact_error(const Cone& cone, double contact_mass, const Eigen::Ref<const Vector>& r,
                     const Eigen::Ref<const Vector>& u);

}  // namespace delassus
