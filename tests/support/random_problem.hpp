// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Random matrices, rows and problems for tests, the same on every machine.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // Written out, because the distributions of the library differ between implementations.
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Matrix matrix(Eigen::Index rows, Eigen::Index columns) {
    Matrix out(rows, columns);
    for (Eigen::Index j = 0; j < columns; ++j)
      for (Eigen::Index i = 0; i < rows; ++i) out(i, j) = uniform(-1, 1);
    return out;
  }
  Vector vector(Eigen::Index size) { return matrix(size, 1); }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

inline BlockMatrix to_block_matrix(const Matrix& values) {
  BlockMatrix out;
  out.clear(static_cast<int>(values.rows()));
  out.add_block(0, 0, static_cast<int>(values.rows()), static_cast<int>(values.cols())) = values;
  return out;
}

// One group of all rows, or groups of the given sizes, each one wide block.
inline BlockRows to_block_rows(const Matrix& values, const std::vector<int>& sizes) {
  BlockRows out;
  out.clear(static_cast<int>(values.cols()));
  int row = 0;
  for (int size : sizes) {
    out.add_group(size);
    out.add_block(0, static_cast<int>(values.cols())) = values.middleRows(row, size);
    row += size;
  }
  return out;
}
inline BlockRows to_block_rows(const Matrix& values) {
  return to_block_rows(
      values, values.rows() > 0 ? std::vector<int>{static_cast<int>(values.rows())} : std::vector<int>{});
}

inline Matrix dense(const BlockMatrix& matrix) {
  Matrix out;
  matrix.to_dense(out);
  return out;
}
inline Matrix dense(const BlockRows& rows) {
  Matrix transposed;
  rows.to_dense_transposed(transposed);
  return transposed.transpose();
}

inline Matrix make_spd(Random& random, int n) {
  const Matrix L = random.matrix(n, n);
  return L * L.transpose() + 0.5 * Matrix::Identity(n, n);
}
// Positive definite, not symmetric.
inline Matrix make_positive(Random& random, int n) {
  const Matrix K = random.matrix(n, n);
  return make_spd(random, n) + (K - K.transpose());
}

enum class Friction { none, polyhedral, coulomb, mixed };

struct RandomProblemOptions {
  Friction friction = Friction::mixed;
  bool symmetric = true;
  bool separate_directions = false;
  int max_contacts = 3;
  bool solvable =
      true;  // g = 0 and w ≥ 0 on the normals: a solution exists [Anitescu and Potra 1997, Thm 2.1]
};

inline Cone make_cone(Random& random, Friction friction) {
  if (friction == Friction::mixed)
    friction = static_cast<Friction>(random.integer(0, 1));  // what an LCP takes
  if (friction == Friction::none) return {};
  Cone cone;
  cone.kind = friction == Friction::polyhedral ? ConeKind::polyhedral : ConeKind::coulomb;
  cone.dim = random.integer(2, 3);
  cone.mu = random.uniform(0.05, 1.2);
  if (cone.kind == ConeKind::polyhedral) {
    cone.num_directions = cone.dim == 2 ? 2 : 2 * random.integer(2, 5);
    if (cone.dim == 3) cone.angle = random.uniform(-3, 3);
  }
  return cone;
}

inline Problem make_problem(Random& random, const RandomProblemOptions& options = {}) {
  Problem problem;
  const int nj = random.integer(0, 3);
  const int nv = nj + random.integer(6, 12);
  problem.symmetric = options.symmetric;
  problem.A = to_block_matrix(options.symmetric ? make_spd(random, nv) : make_positive(random, nv));
  problem.p = random.vector(nv);
  const Matrix G = random.matrix(nj, nv);
  problem.Gt = to_block_rows(G);
  problem.g = options.solvable ? Vector(Vector::Zero(nj)) : random.vector(nj);
  problem.C = random.integer(0, 1) == 0 ? Vector(Vector::Zero(nj)) : Vector(random.vector(nj).cwiseAbs());
  const int nc = random.integer(1, options.max_contacts);
  std::vector<int> sizes;
  int m = 0;
  for (int c = 0; c < nc; ++c) {
    problem.cones.push_back(make_cone(random, options.friction));
    sizes.push_back(problem.cones.back().dim);
    m += sizes.back();
  }
  const Matrix H = random.matrix(m, nv);
  problem.Ht = to_block_rows(H, sizes);
  problem.w = options.solvable ? Vector(Vector::Zero(m)) : random.vector(m);
  if (options.separate_directions) {
    problem.separate_directions = true;
    problem.G_directions =
        to_block_rows(G + 0.1 * random.matrix(nj, nv), nj > 0 ? std::vector<int>{nj} : std::vector<int>{});
    problem.H_directions = to_block_rows(H + 0.1 * random.matrix(m, nv), sizes);
  }
  return problem;
}

// A particle of mass m in the plane over a fixed plane: u = (v_y, v_x), u_free = (normal, tangent).
inline Problem make_particle(double mass, const Cone& cone, const Eigen::Vector2d& u_free) {
  Problem problem;
  problem.A = to_block_matrix(mass * Matrix::Identity(2, 2));
  problem.p = mass * Vector(Eigen::Vector2d(u_free[1], u_free[0]));
  problem.Gt.clear(2);
  Matrix Ht(2, 2);
  Ht << 0, 1, 1, 0;
  problem.Ht = to_block_rows(Ht.topRows(cone.dim));
  problem.w = Vector::Zero(cone.dim);
  problem.cones = {cone};
  return problem;
}
// The same in space: u = v, u_free = (normal, tangent 1, tangent 2).
inline Problem make_particle(double mass, const Cone& cone, const Eigen::Vector3d& u_free) {
  Problem problem;
  problem.A = to_block_matrix(mass * Matrix::Identity(3, 3));
  problem.p = mass * Vector(u_free);
  problem.Gt.clear(3);
  problem.Ht = to_block_rows(Matrix::Identity(3, 3));
  problem.w = Vector::Zero(3);
  problem.cones = {cone};
  return problem;
}

inline Cone planar_cone(double mu) {
  return {.kind = ConeKind::polyhedral, .dim = 2, .mu = mu, .num_directions = 2};
}
inline Cone spatial_cone(double mu, int num_directions, double angle = 0) {
  return {.kind = ConeKind::polyhedral, .dim = 3, .mu = mu, .num_directions = num_directions, .angle = angle};
}

}  // namespace delassus::testing
