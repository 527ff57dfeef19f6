// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Velocities of the contacts while impulses change one contact at a time:
//
//   by rows         u_c = Σ_b W_cb r_b + u_free,c for the contact at hand                              (1)
//   by increments   u_b ← u_b + (W_cb)ᵀ Δr_c for all neighbours b of a contact that changed; W = Wᵀ      (2)
//
// (2) is about twice as fast: contacts that keep their impulse cost nothing, and a contact need not wait for the sums of
// the last one. Its round-off adds up: who uses it computes u afresh now and then.
#pragma once
#include "delassus/solvers/cone/prepared_contacts.hpp"

namespace delassus {

class SweepVelocities {
 public:
  // u: W r + u_free, kept up to date by (2) where W is symmetric; null or other W: (1).
  SweepVelocities(const LocalProblem& problem, Vector& r, Vector* u)
      : problem_(problem), r_(r.data()), u_(problem.symmetric && u != nullptr ? u->data() : nullptr) {}

  void get(const PreparedContact& contact, int c, double* u) const {
    if (u_ != nullptr) {
      for (int k = 0; k < contact.dim; ++k) u[k] = u_[contact.row + k];
      return;
    }
    problem_.W.multiply_row(c, r_, u);
    for (int k = 0; k < contact.dim; ++k) u[k] += problem_.u_free[contact.row + k];
  }
  // r_c ← x; returns ‖Δr_c / ρ_c‖² [m²/s²].
  double set(const PreparedContact& contact, int c, const double* x) {
    double change[k_max_cone_dim], sum = 0;
    bool moves = false;
    for (int k = 0; k < contact.dim; ++k) {
      change[k] = x[k] - r_[contact.row + k];
      moves = moves || change[k] != 0;
      sum += change[k] / contact.rho * (change[k] / contact.rho);
      r_[contact.row + k] = x[k];
    }
    if (moves && u_ != nullptr) problem_.W.add_transposed_row(c, change, u_);
    return sum;
  }

 private:
  const LocalProblem& problem_;
  double* r_;
  double* u_;
};

}  // namespace delassus
