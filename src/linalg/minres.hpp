// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The saddle-point system of velocities and joints by iteration: the method of minimal residuals [Paige and Saunders 1975],
//
//   [ A  Rᵀ ] [  v ]   [ p ]
//   [ R  −C ] [ −λ ] = [ g ],   symmetric, not definite                                               (1)
//
//   A, R, C, p, g as in linalg/kkt.hpp, with D = Rᵀ and a symmetric A
//
// preconditioned by what each body and each joint is on its own,
//
//   P = diag(Â, Ŝ),   Â: blocks of A on its diagonal,   Ŝ: blocks of R Â⁻¹ Rᵀ + C, one a joint          (2)
//
// which is positive definite, has no units left, and makes the iteration count independent of masses that differ from body to body
// but not along a chain of joints. The iteration is begun anew from the true residual until that is round-off: so its accuracy
// is that of a factorisation. Of redundant rows that agree, λ is the solution of least norm in the metric of Ŝ.
//
// Cost: one product with (1) and one with P⁻¹ an iteration; (2) has linear cost. compute() allocates.
#pragma once
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"

namespace delassus {

class Minres {
 public:
  // False when a block of (2) is not positive definite or not finite. The data must stay alive and unchanged while solve() is used.
  bool compute(const BlockMatrix& A, const BlockRows& rows, const VectorRef& C);
  // False when the residual does not get small within the iterations; v and λ are then as good as they got.
  bool solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const;
  // Of all calls of solve() since compute().
  int iterations() const { return iterations_; }

 private:
  // A dense factor L of a block of (2), of velocities or rows first … first + size − 1.
  struct Factor {
    int first = 0, size = 0;
    std::size_t offset = 0;
  };
  bool find_body_blocks();
  bool find_joint_blocks();
  bool factorize(const Factor& factor);
  void apply_inverse(const Factor& factor, double* x) const;
  void precondition(const Vector& x, Vector& out) const;
  void multiply(const Vector& x, Vector& out) const;
  // Adds a correction to x_ for the residual r; the number of iterations it took.
  int reduce(double tolerance, int most) const;

  const BlockMatrix* A_ = nullptr;
  const BlockRows* rows_ = nullptr;
  Vector C_;
  std::vector<Factor> factors_;
  int num_bodies_ = 0;        // of them, the first ones
  std::vector<int> body_of_;  // of a velocity
  std::vector<double> values_;
  mutable int iterations_ = 0;
  mutable Vector x_, before_, residual_, b_, head_, tail_, head_out_, tail_out_;
  mutable Vector v_last_, v_, v_next_, z_, z_next_, w_last_, w_, w_next_, product_;
};

}  // namespace delassus
