// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The local problem with nonnegative and polyhedral cones as a linear complementarity problem (Anitescu and Potra 1997, 2.13,
// Potra et al. 2006, 6.10). Per contact the variables are (c_n, β_1 … β_m, λ) and the rows
//
//   ρ = u_N                  ≥ 0 ⟂ c_n ≥ 0                                                      (1)
//   σ_i = d_iᵀ u_T + λ       ≥ 0 ⟂ β_i ≥ 0                                                      (2)
//   ζ = μ (c_n + c₀) − Σ β_i ≥ 0 ⟂ λ   ≥ 0                                                      (3)
//
// and of a box (z, s) with r = z − b:
//
//   u + s ≥ 0 ⟂ z ≥ 0,   2b − z ≥ 0 ⟂ s ≥ 0                                                     (4)
//
// Contacts have r = (c_n, Σ β_i d_i); λ is the slip speed, c₀ the extra normal impulse of the cone (usually 0). A
// contact of dimension 1 has (1) only. Nothing is lost: the LCP's solutions are exactly those of the local
// problem with polyhedral cones.
#pragma once
#include "delassus/problems/lcp.hpp"
#include "delassus/problems/problem.hpp"

namespace delassus {

// Throws std::invalid_argument when a cone is circular.
void local_as_lcp(const LocalProblem& problem, Lcp& lcp);
// Contact impulses r of LCP variables z.
void impulses_from_lcp(const LocalProblem& problem, const VectorRef& z, Vector& r);

}  // namespace delassus
