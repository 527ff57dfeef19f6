// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Nonsmooth Gauss-Seidel: contact after contact is solved exactly while the others keep their impulses,
//
//   q_c = u_free,c + Σ_{b≠c} W_cb r_b,   r_c ← solution of contact c alone with A = W_cc               (1)
//
// by local_contact.hpp. A relaxation ω < 1, asked for or when the sweeps cycle (sweep_solver.hpp), holds every contact
// to its last impulse by a proximal term,
//
//   A = W_cc + κ_c I,   q_c − κ_c r_c,   κ_c = (1/ω − 1) / τ_c                                        (2)
//
// which has the same fixed points, and for large κ_c one solution a contact where high friction gives several.
// Robust, exact law and convex, W symmetric or not; slow where many contacts share few bodies (stacks, mass ratios).
// Cost: one product with W a sweep and a few dozen operations a contact.
#pragma once
#include <vector>

#include "delassus/solvers/cone/sor.hpp"
#include "delassus/solvers/friction/local_contact.hpp"

namespace delassus {

// The sweep by itself, for solvers that use it among other things.
class NsgsSweep {
 public:
  void begin(const LocalProblem& problem, const PreparedContacts& contacts);
  // Updates r and returns Σ ‖Δr_c / ρ_c‖² [m²/s²].
  double sweep(const LocalProblem& problem, const PreparedContacts& contacts, bool backward, double omega,
               Vector& r);

 private:
  void prepare_contacts(const LocalProblem& problem, const PreparedContacts& contacts, double omega);
  std::vector<LocalContact> local_;
  double omega_ = 1;              // for which local_ is prepared
  std::vector<double> blocks_;    // A of (2) by rows, one after the other; only for ω < 1
  std::vector<double> proximal_;  // κ of (2) [1/kg]
};

class NsgsSolver final : public SweepSolver {
 public:
  NsgsSolver(SweepOrder order, const IterativeOptions& options) : SweepSolver(options), order_(order) {}
  std::string name() const override { return "nsgs"; }

 protected:
  void begin(const LocalProblem& problem) override { sweep_.begin(problem, contacts_); }
  double sweep(const LocalProblem& problem, bool backward, double omega) override {
    return sweep_.sweep(problem, contacts_, backward, omega, r_);
  }
  bool alternates() const override { return order_ == SweepOrder::symmetric; }

 private:
  SweepOrder order_;
  NsgsSweep sweep_;
};

}  // namespace delassus
