// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The problem of one contact by semismooth Newton steps on its natural map
//
//   F(r) = r − P_K( r − τ (u + shift(u) N) ) = 0,   u = A r + q                                      (1)
//   ∂F = I − DP ( I − τ (I + N gᵀ) A ),   g = ∂shift/∂u                                              (2)
//
// damped so that ‖F‖ decreases, with a few steps r ← P_K(r − τ (u + shift N)) where that fails. Any coulomb or convex
// cone with all its parts. Source: the natural map of cone.hpp; DP by the parts that bind.
#pragma once
#include "delassus/solvers/cone/prepared_contacts.hpp"

namespace delassus {

// A by rows; r is the start and the result. False when the best r found is not a root to round-off.
bool solve_local_newton(const PreparedContact& contact, const double* A, const double* q, double* r);

// P_K(x) and one element DP of its generalised Jacobian.
void project_with_derivative(const Cone& cone, const ContactVector& x, ContactVector& projected,
                             ContactBlock& derivative);

}  // namespace delassus
