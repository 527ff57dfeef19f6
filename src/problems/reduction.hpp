// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// From the global to the local problem, by elimination of velocities and joints:
//
//   u = W r + u_free,   W = Hᵀ K⁻¹ H,   u_free = Hᵀ v_free + w                              (1)
//
// where K⁻¹ is the velocity that an impulse causes with the joints held (linalg/kkt.hpp), and back: (v, λ)
// from r. Shared by the solver, by the solution with prescribed modes and by the certificate of a step.
#pragma once
#include "delassus/linalg/kkt.hpp"
#include "delassus/problems/problem.hpp"

namespace delassus {

class Reduction {
 public:
  // Factorises; the problem must stay alive and unchanged while this object is used. False: A is not positive
  // definite.
  bool compute(const Problem& problem);
  // After a change of p, g and w only: new u_free with the same W.
  void update_free_velocity();
  // After a change of the cones only.
  void update_cones() { local_.cones.assign(problem_->cones.begin(), problem_->cones.end()); }
  const LocalProblem& local() const { return local_; }
  const KktFactor& kkt() const { return kkt_; }
  const Vector& v_free() const { return v_free_; }  // velocity without contact impulses
  const Vector& lambda_free() const { return lambda_free_; }
  // v, λ and u of given contact impulses r, from the global equations.
  void recover(const VectorRef& r, Solution& solution) const;
  // ρ_c = dim / tr W_cc: impulse that a velocity of 1 m/s corresponds to at contact c [kg].
  double contact_mass(int contact) const;

 private:
  const Problem* problem_ = nullptr;
  KktFactor kkt_;
  LocalProblem local_;
  Matrix H_, X_;
  Vector v_free_, lambda_free_;
  mutable Vector p_;
};

}  // namespace delassus
