// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// From the global to the local problem, by elimination of velocities and joints:
//
//   u = W r + u_free,   W = Hᵀ K⁻¹ H,   u_free = Hᵀ v_free + w                              (1)
//
// where K⁻¹ is the velocity that an impulse causes with the joints held (linalg/kkt.hpp), and back: (v, λ)
// from r. Shared by the solver, by the solution with prescribed modes and by the certificate of a step.
//
// K falls into parts that only contacts couple (parts.hpp), each is factorised for itself (part_factors.hpp), and block
// (a, b) of W is a sum over the parts on which both contacts act (delassus_operator.hpp).
#pragma once
#include "delassus/problems/delassus_operator.hpp"
#include "delassus/problems/part_factors.hpp"
#include "delassus/problems/parts.hpp"
#include "delassus/problems/problem.hpp"

namespace delassus {

class Reduction {
 public:
  // Factorises; the problem must stay alive and unchanged while this object is used. False: A is not positive
  // definite. `check_definite`: also where A is not symmetric, which takes a factorisation more (part_factors.hpp).
  bool compute(const Problem& problem, bool check_definite = false);
  // How the systems of mechanisms are solved from now on.
  void use(LinearSolver solver) { factors_.use(solver); }
  // Of MINRES in the last compute() and what followed; and why it could not.
  int linear_iterations() const { return factors_.linear_iterations(); }
  const char* trouble() const { return factors_.trouble(); }
  // After a change of p, g and w only: new u_free with the same W.
  void update_free_velocity();
  // After a change of the cones only.
  void update_cones() { local_.cones.assign(problem_->cones.begin(), problem_->cones.end()); }
  // The problem it was computed for, with A, G and H.
  const Problem& problem() const { return *problem_; }
  const LocalProblem& local() const { return local_; }
  const Vector& v_free() const { return v_free_; }  // velocity without contact impulses
  const Vector& lambda_free() const { return lambda_free_; }
  // v, λ and u of given contact impulses r, from the global equations.
  void recover(const VectorRef& r, Solution& solution) const;
  double contact_mass(int contact) const { return local_.contact_mass(contact); }
  int num_parts() const { return parts_.size(); }
  const Parts& parts() const { return parts_; }
  // Joint rows that depend on others.
  int num_redundant() const { return factors_.num_redundant(); }

 private:
  const Problem* problem_ = nullptr;
  Parts parts_;
  PartFactors factors_;
  DelassusOperator operator_;
  LocalProblem local_;
  Vector v_free_, lambda_free_, diagonal_;
  mutable Vector p_;
};

}  // namespace delassus
