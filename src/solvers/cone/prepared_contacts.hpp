// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What the iterative solvers ask of a contact again and again, prepared once a solve: its mass, the longest safe step,
// its projection and its error.
//
//   ρ_c = dim / tr W_cc                    the mass of the contact [kg]                              (1)
//   τ_c = 1 / λ_max(½ (W_cc + W_ccᵀ))      ½ rᵀ W_cc r decreases with every step up to 2 τ_c; τ_c ≤ ρ_c [kg]    (2)
//   E_v = √( Σ_c ‖(r_c − P_K(r_c − ρ_c û_c)) / ρ_c‖² ) / ‖u_free‖,   û = u + shift                   (3)
//
// A contact with W_cc = 0 (fixed against fixed) moves nothing whatever it pushes: its impulse stays zero and it has no
// part in the error.
#pragma once
#include <cmath>
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus {

struct PreparedContact {
  const Cone* cone = nullptr;
  int row = 0, dim = 0;
  double rho = 0;      // (1); 0 where the contact cannot act [kg]
  double tau = 0;      // (2) [kg]
  double mu = 0;       // of the tangents [-]
  bool round = false;  // dim 3, coulomb or convex, no extra normal impulse: the case worth a path of its own
  bool coulomb = false;
};

class PreparedContacts {
 public:
  // The problem must outlive the preparation.
  void prepare(const LocalProblem& problem);
  // The steps τ, after prepare.
  void prepare_steps(const LocalProblem& problem);
  int size() const { return static_cast<int>(contacts_.size()); }
  const PreparedContact& operator[](int c) const { return contacts_[c]; }
  auto begin() const { return contacts_.begin(); }
  auto end() const { return contacts_.end(); }
  bool has_coulomb() const { return has_coulomb_; }
  // False when the impulse of a contact moves it towards the other body (tr W_cc < 0; forces of a sliding contact in
  // Painlevé's paradox): none of these methods can find what there is to find.
  bool pushes_away() const { return pushes_away_; }
  // Numerator of (3): a velocity error [m/s]. NaN where r or u is not a number.
  double error(const double* r, const double* u) const;

 private:
  std::vector<PreparedContact> contacts_;
  bool has_coulomb_ = false, pushes_away_ = true;
};

// Shift of the exact law at the velocities u of the contact [m/s].
inline double shift_of(const PreparedContact& contact, const double* u) {
  if (!contact.coulomb) return 0.0;
  if (contact.dim == 3) return contact.mu * std::sqrt(u[1] * u[1] + u[2] * u[2]);
  return cone_shift(*contact.cone, Eigen::Map<const Vector>(u, contact.dim));
}

// Puts x onto the cone.
inline void project(const PreparedContact& contact, double* x) {
  if (contact.round) {
    const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
    if (tangent <= contact.mu * x[0]) return;
    const double normal = (x[0] + contact.mu * tangent) / (1.0 + contact.mu * contact.mu);
    if (normal <= 0) {
      x[0] = x[1] = x[2] = 0;
      return;
    }
    const double share = contact.mu * normal / tangent;
    x[0] = normal;
    x[1] *= share;
    x[2] *= share;
    return;
  }
  Eigen::Map<Vector> map(x, contact.dim);
  map = project_onto_cone(*contact.cone, map);
}

// x = P_K(r − step (u + shift N)): one projected step of a contact; x may be r.
inline void project_step(const PreparedContact& contact, double step, const double* r, const double* u,
                         double shift, double* x) {
  x[0] = r[0] - step * (u[0] + shift);
  for (int k = 1; k < contact.dim; ++k) x[k] = r[k] - step * u[k];
  project(contact, x);
}

// ‖(r − P_K(r − ρ (u + shift N))) / ρ‖² of a contact.
inline double squared_error(const PreparedContact& contact, const double* r, const double* u, double shift) {
  double x[k_max_cone_dim];
  project_step(contact, contact.rho, r, u, shift, x);
  double sum = 0;
  for (int k = 0; k < contact.dim; ++k) {
    const double error = (r[k] - x[k]) / contact.rho;
    sum += error * error;
  }
  return sum;
}

}  // namespace delassus
