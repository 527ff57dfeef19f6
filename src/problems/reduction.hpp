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
// K falls into parts that only contacts couple: a free body, or a mechanism of bodies that joints and springs connect.
// Each part is factorised for itself, and block (a, b) of W is the sum over the parts on which both contacts act. So the
// cost grows with the number of contacts a body has, not with the number of bodies.
#pragma once
#include <memory>
#include <vector>

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
  const Vector& v_free() const { return v_free_; }  // velocity without contact impulses
  const Vector& lambda_free() const { return lambda_free_; }
  // v, λ and u of given contact impulses r, from the global equations.
  void recover(const VectorRef& r, Solution& solution) const;
  double contact_mass(int contact) const { return local_.contact_mass(contact); }
  int num_parts() const { return static_cast<int>(part_starts_.size()) - 1; }
  // Joint rows that depend on others.
  int num_redundant() const;

 private:
  // A part with joints or with more than a body: its own saddle point, in its own numbering.
  struct Mechanism {
    BlockMatrix A;
    BlockRows Gt, G_directions;
    Vector C;
    KktFactor kkt;
    std::vector<int> joint_rows;  // of the problem
    Matrix H, X;
    Vector p, g, v, lambda;
  };

  void find_parts();
  bool factorize_parts();
  bool factorize_mechanism(int part, Mechanism& mechanism);
  void assemble_delassus();
  void drop_locked_rows();
  void solve_body(int part, double* x) const;  // in place
  void solve_parts(const VectorRef& p, Vector& v, Vector& lambda) const;
  int root(int i);

  const Problem* problem_ = nullptr;
  LocalProblem local_;
  Vector v_free_, lambda_free_, diagonal_;
  mutable Vector p_, x_;

  // The one part of a problem that does not fall apart is the problem itself: nothing is copied.
  bool whole_ = false;
  KktFactor kkt_;
  Matrix H_, X_, W_;

  std::vector<int> parent_;                   // union-find over the velocities
  std::vector<int> part_of_, place_in_part_;  // of a velocity
  std::vector<int> part_starts_, part_velocities_;
  std::vector<int> mechanism_of_;  // of a part; −1: a body, factorised in body_factors_
  std::vector<std::unique_ptr<Mechanism>> mechanisms_;  // reused from call to call
  int num_mechanisms_ = 0;
  std::vector<std::size_t> factor_starts_;  // of a part in body_factors_
  std::vector<double>
      body_factors_;  // Cholesky factors of free bodies (LU where A is not symmetric), by columns

  // Contacts of a part, and the pieces of Hᵀ and K⁻¹H that belong to them.
  struct Piece {
    int contact, part;
    std::size_t rows, response;  // where its dim × size values begin in piece_values_
  };
  std::vector<Piece> pieces_;
  std::vector<int> contact_piece_starts_, part_piece_starts_, part_pieces_;
  std::vector<double> piece_values_;
  std::vector<int> dims_, pattern_starts_, pattern_columns_, marks_;
};

}  // namespace delassus
