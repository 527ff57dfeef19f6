// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Random problems of rigid bodies that joints and contacts couple.
#pragma once
#include "delassus/problems/problem.hpp"
#include "random_problem.hpp"

namespace delassus::testing {

enum class BodyMatrices { symmetric, skew, mixed };

// `bodies` bodies of six velocities; body 3k and 3k+1 joined by two rows where `joints`; contacts between neighbours and with
// the ground. Mixed: every third body from the first on is not symmetric, the others are.
inline Problem make_bodies(Random& random, int bodies, bool joints, BodyMatrices matrices) {
  Problem problem;
  const int nv = 6 * bodies;
  problem.A.clear(nv);
  for (int b = 0; b < bodies; ++b) {
    Matrix X = Matrix::Zero(6, 6);
    for (int i = 0; i < 6; ++i) X.col(i) = random.vector(6);
    Matrix A = X * X.transpose() + Matrix::Identity(6, 6);
    A = (0.5 * (A + A.transpose())).eval();
    const bool skew = matrices == BodyMatrices::skew || (matrices == BodyMatrices::mixed && b % 3 == 0);
    if (skew) A += X - X.transpose();
    problem.A.add_block(6 * b, 6 * b, 6, 6) = A;
  }
  problem.symmetric = matrices == BodyMatrices::symmetric;
  problem.p = random.vector(nv);
  problem.Gt.clear(nv);
  const auto fill = [&](BlockRows& rows, int body, int dim) {
    auto block = rows.add_block(6 * body, 6);
    for (int i = 0; i < dim; ++i) block.row(i) = random.vector(6).transpose();
  };
  for (int b = 0; joints && b + 1 < bodies; b += 3) {
    problem.Gt.add_group(2);
    fill(problem.Gt, b, 2);
    fill(problem.Gt, b + 1, 2);
  }
  problem.g = random.vector(problem.Gt.rows());
  problem.C.setZero(problem.Gt.rows());
  problem.Ht.clear(nv);
  for (int b = 0; b < bodies; ++b) {
    const int dim = 1 + b % 3;
    problem.Ht.add_group(dim);
    fill(problem.Ht, b, dim);
    if (b % 2 == 1) fill(problem.Ht, b - 1, dim);
    problem.cones.push_back(dim == 1 ? Cone{} : Cone{.kind = ConeKind::coulomb, .dim = dim, .mu = 0.3});
  }
  problem.w = random.vector(problem.Ht.rows());
  require_consistent(problem);
  return problem;
}

}  // namespace delassus::testing
