// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/nsgs.hpp"

#include <algorithm>

namespace delassus {

void NsgsSweep::begin(const LocalProblem& problem, const PreparedContacts& contacts) {
  local_.resize(contacts.size());
  for (int c = 0; c < contacts.size(); ++c) local_[c].prepare(contacts[c], problem.W.diagonal(c));
}

double NsgsSweep::sweep(const LocalProblem& problem, const PreparedContacts& contacts, bool backward,
                        double omega, Vector& all) {
  double sum = 0, q[k_max_cone_dim], last[k_max_cone_dim];
  const int n = contacts.size();
  for (int i = 0; i < n; ++i) {
    const int c = backward ? n - 1 - i : i;
    const PreparedContact& contact = contacts[c];
    if (contact.rho == 0) continue;
    double* r = all.data() + contact.row;
    // Without its own impulse the row gives q; subtracting W_cc r_c would cost digits.
    for (int k = 0; k < contact.dim; ++k) {
      last[k] = r[k];
      r[k] = 0;
    }
    problem.W.multiply_row(c, all.data(), q);
    for (int k = 0; k < contact.dim; ++k) {
      q[k] += problem.u_free[contact.row + k];
      r[k] = last[k];
    }
    local_[c].solve(q, r);
    for (int k = 0; k < contact.dim; ++k) {
      const double change = omega * (r[k] - last[k]);
      r[k] = omega == 1.0 ? r[k] : last[k] + change;
      sum += (change / contact.rho) * (change / contact.rho);
    }
  }
  return sum;
}

}  // namespace delassus
