// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/nsgs.hpp"

#include <algorithm>

namespace delassus {

void NsgsSweep::begin(const LocalProblem& problem, const PreparedContacts& contacts) {
  local_.resize(contacts.size());
  proximal_.resize(contacts.size());
  prepare_contacts(problem, contacts, 1.0);
}

void NsgsSweep::prepare_contacts(const LocalProblem& problem, const PreparedContacts& contacts,
                                 double omega) {
  omega_ = omega;
  std::size_t size = 0;
  if (omega < 1)
    for (const PreparedContact& contact : contacts)
      size += static_cast<std::size_t>(contact.dim * contact.dim);
  blocks_.resize(size);
  double* block = blocks_.data();
  for (int c = 0; c < contacts.size(); ++c) {
    PreparedContact contact = contacts[c];
    const double* A = problem.W.values(problem.W.diagonal_entry(c));
    proximal_[c] = 0;
    if (omega < 1 && contact.rho > 0) {
      proximal_[c] = (1 / omega - 1) / contact.tau;
      std::copy_n(A, contact.dim * contact.dim, block);
      for (int k = 0; k < contact.dim; ++k) block[k * contact.dim + k] += proximal_[c];
      A = block;
      block += contact.dim * contact.dim;
      contact.tau *= omega;
    }
    local_[c].prepare(contact, A);
  }
}

double NsgsSweep::sweep(const LocalProblem& problem, const PreparedContacts& contacts, bool backward,
                        double omega, Vector& all) {
  if (std::min(omega, 1.0) != omega_) prepare_contacts(problem, contacts, std::min(omega, 1.0));
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
      q[k] += problem.u_free[contact.row + k] - proximal_[c] * last[k];
      r[k] = last[k];
    }
    local_[c].solve(q, r);
    if (omega > 1) {
      for (int k = 0; k < contact.dim; ++k) r[k] = last[k] + omega * (r[k] - last[k]);
      project(contact, r);
    }
    for (int k = 0; k < contact.dim; ++k) {
      const double change = (r[k] - last[k]) / contact.rho;
      sum += change * change;
    }
  }
  return sum;
}

}  // namespace delassus
