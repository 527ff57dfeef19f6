// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Polyhedral friction whose polygon follows the slip: the problem is solved, the generators of contacts that slide are turned
// onto the slip that came out, and it is solved again while they turn noticeably. A steady slide needs no second solve, since its
// slip is predicted to O(h²); a slip that begins, ends, turns sharply or comes out of an impact needs a few.
#pragma once
#include "delassus/problems/solver.hpp"

namespace delassus {

// `warm` is overwritten. With align false: one plain solve.
void solve_aligned(Solver& solver, bool align, Problem& problem, Reduction& reduction, WarmStart& warm,
                   Solution& solution, SolveStats& stats);

}  // namespace delassus
