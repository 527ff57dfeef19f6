// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Factors of the Delassus operator with a weight on its diagonal,
//
//   S = W + σ D⁻¹,   D = diag ρ_c the masses of the contacts                                             (1)
//
// which is regular for every σ > 0 however many contacts are redundant. Dense factors for small or full problems, sparse
// ones by blocks (linalg/block_lu.hpp) above, and by the velocities of the bodies (velocity_factor.hpp) where these are fewer;
// W may be unsymmetric. A contact that moves nothing (ρ_c = 0) has the identity.
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <vector>

#include "delassus/linalg/block_lu.hpp"
#include "delassus/solvers/cone/prepared_contacts.hpp"
#include "delassus/solvers/friction/velocity_factor.hpp"

namespace delassus {

class ShiftedFactor {
 public:
  // Pattern and ordering; the problem and its preparation must outlive the factors.
  void prepare(const LocalProblem& problem, const PreparedContacts& contacts);
  // False when S is singular to working precision.
  bool factorize(double sigma);
  // x ← S⁻¹ x
  void solve_in_place(Vector& x) const;

 private:
  bool factorize_by_velocities(double sigma);

  const LocalProblem* problem_ = nullptr;
  const PreparedContacts* contacts_ = nullptr;
  enum class Factors { dense, blocks, velocities };
  bool by_velocities_ = false, dense_ = true;
  Factors factors_ = Factors::dense;
  Matrix W_, S_;
  Eigen::LLT<Matrix> llt_;
  Eigen::PartialPivLU<Matrix> lu_;
  ContactMatrix blocks_;
  BlockLu block_lu_;
  VelocityFactor velocity_factor_;
  std::vector<VelocityFactor::Member> members_;
  std::vector<ContactBlock> D_, Y_;
};

}  // namespace delassus
