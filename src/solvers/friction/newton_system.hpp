// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The contact law as a system of equations (Alart and Curnier), and its semismooth Newton steps. With impulses and
// velocities scaled by the mass of each contact, r̂ = r/√ρ, û = √ρ u, x = r̂ − û, and for every contact
//
//   F_N = r̂_N − max(x_N, 0)                                                                          (1)
//   F_i = r̂_i − P(x_i; μ_i max(x_N, 0)),   P the projection onto the disk of that radius, i = T, R, S    (2)
//
// F = 0 exactly where the exact law holds: open contacts (x_N ≤ 0) have F = r̂, sticking ones F = û, sliding ones
// F_N = û_N and F_T = r̂_T + μ r̂_N (slip direction). So a step solves open contacts, closed ones as equalities, and what
// sticks has u = 0 to round-off at the end. The convex law is the exact law for u_N − Σ μ_i ‖u_i‖ in place of u_N; boxes
// and equalities are disks of given and of infinite radius. Derivatives of (1)-(2) give X δr̂ + Y δû = −F with small
// blocks X, Y a contact, and δû = Ŵ δr̂:
//
//   (X + Y (Ŵ + ε)) δr̂ = −F                                                                          (3)
//
// for the contacts that are not open; the others go to zero at once. Contacts beyond the rank of Ŵ (four corners of a
// box) make (3) singular: a small ε chooses the nearest solution, and refinement takes it out of u again.
// Where all of these stick or have no friction the matrix is Ŵ + ε, and half of the work is enough.
// Dense factors for up to a few hundred unknowns, sparse ones by blocks above (linalg/block_lu.hpp); where those lose too many
// digits, sparse ones with pivots (linalg/sparse_lu.hpp). Where contacts are many more than the velocities of their bodies, as
// between boxes, factors of the size of these (velocity_factor.hpp).
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <memory>
#include <vector>

#include "delassus/linalg/block_lu.hpp"
#include "delassus/linalg/sparse_lu.hpp"
#include "delassus/solvers/cone/prepared_contacts.hpp"
#include "delassus/solvers/friction/velocity_factor.hpp"

namespace delassus {

class NewtonSystem {
 public:
  // The problem and its preparation must outlive the steps.
  void prepare(const LocalProblem& problem, const PreparedContacts& contacts);
  // Proximal term: the law for u + weight (r − centre)/ρ instead of u. It makes Ŵ + weight of Ŵ, so that the problem is
  // well conditioned; its solutions, each the centre of the next, go to one of the problem itself. Weight 0: none.
  void set_proximal(double weight, const Vector& centre);
  // ‖F‖, in units of √kg m/s; u = W r + u_free. Keeps F.
  double evaluate(const Vector& r, const Vector& u);
  // The step δr from the point of the last evaluate. False: the matrix is singular or not finite.
  bool step(const Vector& r, const Vector& u, double epsilon, Vector& delta);
  int num_unknowns() const { return unknowns_; }

 private:
  struct Unknowns {
    int contact, first;  // place in the system
  };
  // X and Y of a contact that is not open, for its scaled r and u.
  void differentiate(int contact, const ContactVector& r, const ContactVector& u, ContactBlock& X,
                     ContactBlock& Y) const;
  void evaluate_contact(int contact, const ContactVector& r, const ContactVector& u, ContactVector& F) const;
  bool is_open(int contact, const ContactVector& r, const ContactVector& u) const;
  double normal_velocity(int contact, const ContactVector& u) const;
  double num_entries() const;
  void assemble_dense(double epsilon);
  bool factorize_dense(double epsilon);
  void assemble_blocks(double epsilon);
  bool solve_sparse(double epsilon);
  // With pivots sought between contacts.
  bool factorize_pivoted();
  // By the velocities of the bodies, where these are fewer; false: not, or that loses too many digits.
  bool solve_by_velocities(double epsilon);
  bool try_velocities(double epsilon);
  bool solve_once();
  void refine();
  void multiply(const Vector& x, Vector& out) const;
  void multiply_by_velocities(const Vector& x, Vector& out) const;
  void apply_factor(Vector& x) const;

  ContactVector scaled_velocity(int contact, const Vector& r, const Vector& u) const;

  const LocalProblem* problem_ = nullptr;
  double weight_ = 0;
  Vector centre_;
  const PreparedContacts* contacts_ = nullptr;
  std::vector<double> scale_;  // √ρ
  std::vector<FrictionParts> parts_;
  Vector F_;
  std::vector<Unknowns> active_;
  std::vector<int> place_;  // of a contact in active_; −1: open
  std::vector<ContactBlock> X_, Y_;
  int unknowns_ = 0;
  Vector rhs_, x_, residual_, correction_;
  mutable Vector impulses_, velocities_;
  enum class Factors { cholesky, dense, blocks, pivoted, velocities };
  // Of (3): all contacts that are not open stick or have no friction.
  bool symmetric_ = false;
  Factors factors_ = Factors::dense;
  Matrix J_;  // or its Cholesky factor
  Eigen::PartialPivLU<Matrix> lu_;
  SparseLu sparse_lu_;
  BlockLu block_lu_;
  ContactMatrix blocks_;
  std::vector<int> block_dims_, block_starts_, block_columns_;
  std::vector<int> starts_, row_of_, last_starts_, last_row_of_;
  std::vector<double> values_;
  VelocityFactor velocity_factor_;
  std::vector<VelocityFactor::Member> members_;
  std::vector<ContactBlock> D_;
};

}  // namespace delassus
