// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// How well (r, u) solves a local problem, as solvers of friction problems are compared:
//
//   F_a(ρ) = r_a − P_K(r_a − ρ (u_a + shift))         natural map of contact a                            (1)
//   E_sic  = ‖F(1)‖ / max(‖u_free‖, ‖r‖, ‖u‖)         as Siconos reports it; depends on the units         (2)
//   E_v    = ‖(F_a(ρ_a) / ρ_a)_a‖ / ‖u_free‖          ρ_a = dim / tr W_aa; does not                       (3)
//
//   2-norms over all contacts. (2) compares impulses with velocities: where masses are far from 1 it is met by nonsense,
//   and (3) alone would not be comparable with others; a solution satisfies both. No division in (2)
//   where the denominator is at most the machine's epsilon, as in Siconos, nor in (3) where u_free is 0.
//   Polyhedral cones have no projection here: their part is the error of problems/residual.hpp, times ρ in (2).
#pragma once
#include "delassus/problems/problem.hpp"

namespace delassus {

struct NaturalMapError {
  double e_sic = 0, e_v = 0;
  // Not a number when one of them is not.
  double largest() const;
};

// u = W r + u_free must hold: it is not checked here.
NaturalMapError compute_natural_map_error(const LocalProblem& problem, const VectorRef& r,
                                          const VectorRef& u);

}  // namespace delassus
