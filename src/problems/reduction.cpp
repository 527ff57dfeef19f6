// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/reduction.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/work_time.hpp"

namespace delassus {
namespace {

// Joints sum up the momenta of a mechanism: in free fall a hinge turns with the round-off of the fall. A contact can see
// what of it √(2T) √W_cc bounds, T the kinetic energy of the mechanism.
void add_joint_terms(const Problem& problem, const Parts& parts, const Vector& v, Vector& momentum,
                     LocalProblem& local) {
  momentum.setZero(v.size());
  problem.A.add_product(v, momentum);
  for (int c = 0; c < problem.num_contacts(); ++c) {
    double energy = 0;
    int last = -1;
    for (int b = 0; b < problem.Ht.num_blocks(c); ++b) {
      const int part = parts.part_of(problem.Ht.block_column(c, b));
      if (part == last) continue;
      last = part;
      for (const int i : parts.velocities(part)) energy += v[i] * momentum[i];
    }
    const double mobility = local.W.diagonal(c).diagonal().maxCoeff();
    if (energy > 0 && mobility > 0)
      local.terms[c] = std::max(local.terms[c], std::sqrt(energy) * std::sqrt(mobility));
  }
}

}  // namespace

bool Reduction::compute(const Problem& problem, bool check_definite) {
  const WorkScope scope(WorkKind::elimination);
  problem_ = &problem;
  update_cones();
  parts_.find(problem);
  const bool definite = factors_.compute(problem, parts_, check_definite);
  local_.symmetric = factors_.symmetric() && !problem.separate_directions;
  if (!definite) return false;
  operator_.assemble(problem, parts_, factors_, local_.W, local_.mobility);
  if (problem.Gt.rows() > 0) drop_locked_rows(problem, diagonal_, local_.W);
  update_free_velocity();
  return v_free_.allFinite() && local_.W.all_finite();
}

void Reduction::update_free_velocity() {
  factors_.solve(problem_->p, problem_->g, v_free_, lambda_free_);
  problem_->Ht.multiply(VectorRef(v_free_), local_.u_free);
  local_.u_free += problem_->w;
  local_.terms.setZero(problem_->num_contacts());
  for (int c = 0; c < problem_->num_contacts(); ++c)
    for (int b = 0; b < problem_->Ht.num_blocks(c); ++b) {
      const auto block = problem_->Ht.block(c, b);
      const int column = problem_->Ht.block_column(c, b);
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        local_.terms[c] =
            std::max(local_.terms[c], block.col(j).cwiseAbs().maxCoeff() * std::abs(v_free_[column + j]));
    }
  if (problem_->Gt.rows() > 0) add_joint_terms(*problem_, parts_, v_free_, p_, local_);
}

void Reduction::recover(const VectorRef& r, Solution& solution) const {
  solution.r = r;
  if (r.size() == 0) {
    solution.v = v_free_;
    solution.lambda = lambda_free_;
  } else {
    p_ = problem_->p;
    problem_->impulse_H().add_transposed_product(r, p_);
    factors_.solve(p_, problem_->g, solution.v, solution.lambda);
  }
  problem_->Ht.multiply(VectorRef(solution.v), solution.u);
  solution.u += problem_->w;
}

}  // namespace delassus
