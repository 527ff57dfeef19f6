// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/nsgs.hpp"

#include <algorithm>

namespace delassus {

void NsgsSolver::begin(const LocalProblem& problem) {
  local_.resize(contacts_.size());
  for (int c = 0; c < contacts_.size(); ++c) local_[c].prepare(contacts_[c], problem.W.diagonal(c));
}

double NsgsSolver::sweep(const LocalProblem& problem, bool backward, double omega) {
  double sum = 0, q[k_max_cone_dim], last[k_max_cone_dim];
  const int n = contacts_.size();
  for (int i = 0; i < n; ++i) {
    const int c = backward ? n - 1 - i : i;
    const PreparedContact& contact = contacts_[c];
    if (contact.rho == 0) continue;
    double* r = r_.data() + contact.row;
    // Without its own impulse the row gives q; subtracting W_cc r_c would cost digits.
    for (int k = 0; k < contact.dim; ++k) {
      last[k] = r[k];
      r[k] = 0;
    }
    problem.W.multiply_row(c, r_.data(), q);
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
