// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Size of the scaled Delassus operator D^½ W D^½, D = diag(d_c) one mass a contact: what bounds the steps of gradient
// methods.
//
//   λ_max ≤ max_c Σ_b ‖W_cb‖ √(d_c d_b)                a bound, several times too large for chains     (1)
//   x ← D^½ W D^½ x / ‖·‖                              power iteration from below                      (2)
#pragma once
#include "delassus/solvers/cone/prepared_contacts.hpp"

namespace delassus {

enum class ContactScale { rho, tau };

// (1), with Frobenius norms of the blocks [-].
double bound_eigenvalue(const LocalProblem& problem, const PreparedContacts& contacts, ContactScale scale);
// (2), started from a fixed vector; below the largest eigenvalue by some per cent as a rule [-].
double estimate_eigenvalue(const LocalProblem& problem, const PreparedContacts& contacts, ContactScale scale,
                           Vector& x, Vector& image);

}  // namespace delassus
