// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Factors of the parts of a problem: K⁻¹, the velocities that impulses cause with the joints held, part by part.
//
//   a free body     its block of A, by Cholesky's method or L U in place (linalg/small_factor.hpp)
//   a mechanism     its saddle point A v − G λ = p, Gᵀ v + C λ = g, in its own numbering (linalg/kkt.hpp)
//
// Each part is factorised by what it is: symmetric where its own block of A is, whatever the others are. Problem::symmetric
// says that all are; where it does not, the entries decide, bit for bit.
//
// Cost: parts are factorised on threads (base/parallel.hpp). Nothing is allocated after warm-up but by KktFactor, whose
// header says when.
#pragma once
#include <memory>
#include <vector>

#include "delassus/linalg/kkt.hpp"
#include "delassus/problems/parts.hpp"

namespace delassus {

class PartFactors {
 public:
  // Both must stay alive and unchanged while this object is used. False: A is not positive definite; of parts that are not
  // symmetric this is known only where `check_definite` asks for it, by Cholesky's method on their symmetric part.
  bool compute(const Problem& problem, const Parts& parts, bool check_definite = false);
  // Of mechanisms, from now on.
  void use(LinearSolver solver) { linear_solver_ = solver; }
  int linear_iterations() const;
  const char* trouble() const;
  // Of all parts.
  bool symmetric() const { return symmetric_; }
  // The only part of a problem that does not fall apart is the problem itself: nothing is copied.
  bool whole() const { return whole_; }
  // (v, λ) of the impulses p, and of g.
  void solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const;
  // X = K⁻¹ P, g = 0, of a problem that is whole.
  void respond(const MatrixRef& P, Matrix& X) const { kkt_.solve_homogeneous(P, X); }
  // The same for one part, in its own numbering: `count` columns of P, and of X, one after the other. Different parts may
  // be asked for on different threads.
  void respond(int part, const double* P, int count, double* X) const;
  // Joint rows that depend on others.
  int num_redundant() const;

 private:
  struct Mechanism {
    BlockMatrix A;
    BlockRows Gt, G_directions;
    Vector C;
    KktFactor kkt;
    StepMatrixFactor definiteness;
    BlockMatrix symmetric_part;
    std::vector<int> joint_rows;  // of the problem
    Matrix X;
    Vector p, g, v, lambda;
  };

  // Factorisations that would show whether A is positive definite are not made.
  bool iterates() const { return linear_solver_ != LinearSolver::direct; }
  bool is_body(int part) const { return mechanism_of_[part] < 0; }
  void need_mechanism(int part);
  void sort_parts();
  void copy_blocks();
  void copy_joints();
  bool factorize(int part);
  bool factorize_mechanism(int part, Mechanism& mechanism);
  void solve_mechanism(int part, const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const;
  void solve_body(int part, double* x, int count) const;

  const Problem* problem_ = nullptr;
  const Parts* parts_ = nullptr;
  LinearSolver linear_solver_ = LinearSolver::direct;
  bool whole_ = false, symmetric_ = true, check_definite_ = false;
  KktFactor kkt_;  // of the whole problem
  StepMatrixFactor definiteness_;
  BlockMatrix symmetric_part_;
  std::vector<int> mechanism_of_;  // of a part; −1: a body, factorised in body_factors_
  std::vector<std::unique_ptr<Mechanism>> mechanisms_;  // reused from call to call
  int num_mechanisms_ = 0;
  std::vector<std::size_t> factor_starts_;  // of a part in body_factors_
  std::vector<double> body_factors_;        // by columns
  std::vector<char> part_symmetric_, part_factorized_;
};

}  // namespace delassus
