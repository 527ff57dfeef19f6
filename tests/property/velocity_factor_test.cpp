// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's matrix by the velocities of the bodies, against the matrix itself; and what it is made from against W.
#include "delassus/solvers/friction/velocity_factor.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "../support/box_tower.hpp"
#include "../support/random_problem.hpp"
#include "delassus/problems/islands.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus::velocity_factor_test {
namespace {

using testing::Random;

constexpr int k_contacts_of_body = 4;

// Towers of bodies, each of which has four contacts with the one below; the first of a tower stands on the ground. With
// joints the first two of each tower are one mechanism. Bodies that turn have a skew part in A.
Problem make_towers(Random& random, int towers, int height, bool joints, bool turning = false) {
  Problem problem;
  const int nv = 6 * towers * height;
  problem.A.clear(nv);
  for (int b = 0; b < towers * height; ++b) {
    const Matrix X = random.matrix(6, 6);
    const Matrix A = X * X.transpose() + Matrix::Identity(6, 6);
    auto block = problem.A.add_block(6 * b, 6 * b, 6, 6);
    block = 0.5 * (A + A.transpose());
    if (turning) block += 0.3 * (X - X.transpose());
  }
  problem.symmetric = !turning;
  problem.p = random.vector(nv);
  problem.Gt.clear(nv);
  problem.Ht.clear(nv);
  for (int t = 0; t < towers; ++t) {
    const int first = t * height;
    if (joints) {
      problem.Gt.add_group(3);
      problem.Gt.add_block(6 * first, 6) = random.matrix(3, 6);
      problem.Gt.add_block(6 * (first + 1), 6) = random.matrix(3, 6);
    }
    for (int b = 0; b < height; ++b)
      for (int i = 0; i < k_contacts_of_body; ++i) {
        problem.Ht.add_group(3);
        problem.Ht.add_block(6 * (first + b), 6) = random.matrix(3, 6);
        if (b > 0) problem.Ht.add_block(6 * (first + b - 1), 6) = random.matrix(3, 6);
        problem.cones.push_back({.kind = ConeKind::coulomb, .dim = 3, .mu = 0.3});
      }
  }
  problem.g = Vector::Zero(problem.Gt.rows());
  problem.C = Vector::Zero(problem.Gt.rows());
  problem.w = random.vector(problem.Ht.rows());
  require_consistent(problem);
  return problem;
}

Matrix operator_of(const LocalProblem& problem) {
  const ContactMobility& mobility = problem.mobility;
  Matrix H = Matrix::Zero(mobility.num_velocities(), problem.W.rows()), R = H;
  for (int c = 0; c < problem.num_contacts(); ++c)
    for (const ContactMobility::Piece& piece : mobility.pieces_of(c)) {
      const int first = mobility.part_starts[piece.part], size = mobility.part_size(piece.part),
                dim = problem.W.dim(c);
      H.block(first, problem.first_row(c), size, dim) = mobility.columns(piece, dim);
      R.block(first, problem.first_row(c), size, dim) = mobility.responses(piece, dim);
    }
  return H.transpose() * R;
}

TEST(ContactMobility, IsWhatTheOperatorIsMadeOf) {
  Random random(7);
  for (const auto& [joints, turning] :
       {std::pair(false, false), std::pair(true, false), std::pair(false, true)}) {
    const Problem problem = make_towers(random, 3, 5, joints, turning);
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    const LocalProblem& local = reduction.local();
    ASSERT_FALSE(local.mobility.empty());
    const Matrix W = local.W.dense();
    EXPECT_LE((operator_of(local) - W).cwiseAbs().maxCoeff(), 1e-11 * W.cwiseAbs().maxCoeff());
    // Of one tower.
    std::vector<int> contacts(static_cast<std::size_t>(k_contacts_of_body) * 5);
    std::iota(contacts.begin(), contacts.end(), k_contacts_of_body * 5);
    LocalProblem island;
    WarmStart warm;
    extract_island(local, {}, contacts, island, warm, {});
    EXPECT_EQ(island.mobility.num_velocities(), 30);
    const Matrix own = island.W.dense();
    EXPECT_LE((operator_of(island) - own).cwiseAbs().maxCoeff(), 1e-11 * own.cwiseAbs().maxCoeff());
  }
}

// Translation and rotation are apart in the masses, but every contact moves both.
TEST(ContactMobility, BodiesAreWhole) {
  const Problem problem = testing::make_box_tower(9, 0.5, {0, -0.1, 0});
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  const LocalProblem& local = reduction.local();
  ASSERT_EQ(local.mobility.num_parts(), 9);
  for (int k = 0; k < 9; ++k) EXPECT_EQ(local.mobility.part_size(k), 6);
  const Matrix W = local.W.dense();
  EXPECT_LE((operator_of(local) - W).cwiseAbs().maxCoeff(), 1e-14 * W.cwiseAbs().maxCoeff());
}

TEST(ContactMobility, IsLeftOutWhereItIsNoSmaller) {
  Random random(8);
  Problem problem = make_towers(random, 1, 4, false);
  Reduction reduction;
  ASSERT_TRUE(reduction.compute(problem));
  EXPECT_TRUE(reduction.local().mobility.empty()) << "few bodies are one part";
  problem = make_towers(random, 2, 5, false);
  problem.H_directions = problem.Ht;
  problem.separate_directions = true;
  ASSERT_TRUE(reduction.compute(problem));
  EXPECT_TRUE(reduction.local().mobility.empty()) << "impulses have directions of their own";
}

// 60 velocities: one dense matrix; 240: blocks of bodies, which are symmetric or turn.
TEST(VelocityFactor, InvertsTheMatrixOfAllContacts) {
  Random random(9);
  for (const auto& [height, turning] : {std::pair(10, false), std::pair(40, false), std::pair(40, true)}) {
    const Problem problem = make_towers(random, 1, height, false, turning);
    Reduction reduction;
    ASSERT_TRUE(reduction.compute(problem));
    const LocalProblem& local = reduction.local();
    std::vector<VelocityFactor::Member> members;
    std::vector<ContactBlock> D, Y;
    int rows = 0;
    // Every seventh contact is open and takes no part.
    for (int c = 0; c < local.num_contacts(); ++c) {
      if (c % 7 == 3) continue;
      members.push_back({c, rows, 3, random.uniform(0.5, 2)});
      rows += 3;
      D.push_back(Matrix::Identity(3, 3) + 0.2 * random.matrix(3, 3));
      Y.push_back(Matrix::Identity(3, 3) + 0.2 * random.matrix(3, 3));
    }
    Matrix J = Matrix::Zero(rows, rows);
    const Matrix W = local.W.dense();
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const VelocityFactor::Member& other : members)
        J.block(members[i].first, other.first, 3, 3) =
            members[i].scale * other.scale * Y[i] *
            W.block(local.first_row(members[i].contact), local.first_row(other.contact), 3, 3);
      J.block(members[i].first, members[i].first, 3, 3) += D[i];
    }
    VelocityFactor factor;
    ASSERT_TRUE(factor.compute(local.mobility, members, D, Y));
    const Vector b = random.vector(rows);
    Vector x = b;
    factor.solve_in_place(x);
    EXPECT_LE((J * x - b).norm(), 1e-10 * b.norm()) << height;
  }
}

}  // namespace
}  // namespace delassus::velocity_factor_test
