// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contact modes: read off any solution, and the linear problem in which every contact keeps a prescribed mode
//
//   open:  r = 0      stick:  u = 0      slip along d:  u_N = 0,  r_T = −μ r_N d                 (1)
//
// (closed contacts with couples: u_N = 0, and for each part of the friction on its own u_i = 0 or r_i = −μ_i r_N d_i).
// The second is the smooth motion between two events; its continuation past the end of a mode is what the
// event functions are evaluated on (Potra et al. 2006, §7.5).
#pragma once
#include <Eigen/LU>
#include <span>
#include <vector>

#include "delassus/problems/islands.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {

// Modes of a solution (r, u). A contact without impulse is open; one whose slip speed is round-off of the largest free
// velocity of the problem sticks. Coulomb and convex cones are judged by the point r − ρ (u + shift N) of their natural
// map: outside of K's polar and of K it slips (a convex one then separates at μ‖u_T‖), inside K it sticks, so that the
// mode is right where r and u carry errors of an iterative solver. Each part of the
// friction is judged on its own. Equalities stick.
void derive_modes(const LocalProblem& problem, Solution& solution);

// Kept by callers that solve again and again, so that nothing is allocated while the contacts are
// independent.
struct ModeScratch {
  bool redundant = false;  // the last solve chose among many impulses
  Islands islands;
  std::vector<int> equations, rows;
  Matrix W, pattern, reach, S;
  Vector rhs, x, r, check;
  Eigen::PartialPivLU<Matrix> lu;
};

// Solves (1) with minimum-norm r where contacts are redundant; couples count there by the normal impulse that they need,
// |r_i|/μ_i, so that they do not take moments that normal impulses can take. False when the equations contradict each
// other.
bool solve_with_modes(const Reduction& reduction, std::span<const ContactMode> modes, Solution& solution,
                      ModeScratch& scratch);
bool solve_with_modes(const Reduction& reduction, std::span<const ContactMode> modes, Solution& solution);

}  // namespace delassus
