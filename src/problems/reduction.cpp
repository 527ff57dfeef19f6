// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/reduction.hpp"

#include <limits>

namespace delassus {
namespace {

void symmetrize(Matrix& W) {
  for (Eigen::Index j = 0; j < W.cols(); ++j)
    for (Eigen::Index i = j + 1; i < W.rows(); ++i) W(i, j) = W(j, i) = 0.5 * (W(i, j) + W(j, i));
}

}  // namespace

bool Reduction::compute(const Problem& problem) {
  problem_ = &problem;
  const BlockRows* directions = problem.separate_directions ? &problem.G_directions : nullptr;
  if (!kkt_.compute(problem.A, problem.symmetric, problem.Gt, directions, problem.C, 1 + problem.Ht.rows()))
    return false;
  local_.cones.assign(problem.cones.begin(), problem.cones.end());
  local_.symmetric = problem.symmetric && !problem.separate_directions;
  local_.first_rows.resize(problem.cones.size());
  for (int c = 0; c < problem.num_contacts(); ++c) local_.first_rows[c] = problem.Ht.first_row(c);
  if (problem.Ht.rows() > 0) {
    problem.impulse_H().to_dense_transposed(H_);
    kkt_.solve_homogeneous(H_, X_);
    problem.Ht.multiply(MatrixRef(X_), local_.W);
    // Round-off leaves joints and large mass ratios a little unsymmetric; solvers rely on W = Wᵀ.
    if (local_.symmetric) symmetrize(local_.W);
  } else {
    local_.W.resize(0, 0);
  }
  update_free_velocity();
  return v_free_.allFinite() && local_.W.allFinite();
}

void Reduction::update_free_velocity() {
  kkt_.solve(problem_->p, problem_->g, v_free_, lambda_free_);
  problem_->Ht.multiply(VectorRef(v_free_), local_.u_free);
  local_.u_free += problem_->w;
}

void Reduction::recover(const VectorRef& r, Solution& solution) const {
  solution.r = r;
  if (r.size() == 0) {
    solution.v = v_free_;
    solution.lambda = lambda_free_;
  } else {
    p_ = problem_->p;
    problem_->impulse_H().add_transposed_product(r, p_);
    kkt_.solve(p_, problem_->g, solution.v, solution.lambda);
  }
  problem_->Ht.multiply(VectorRef(solution.v), solution.u);
  solution.u += problem_->w;
}

double Reduction::contact_mass(int contact) const {
  const int dim = local_.cones[contact].dim, row = local_.first_row(contact);
  const double trace = local_.W.diagonal().segment(row, dim).sum();
  return trace > 0 ? dim / trace : std::numeric_limits<double>::infinity();
}

}  // namespace delassus
