// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Saddle points of random mechanisms: rigid bodies with revolute joints in chains, trees, stars and rings.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <utility>
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "random_problem.hpp"

namespace delassus::testing {

inline double max_abs(const Matrix& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

inline Vector3 random_vector3(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
  return {x, y, z};
}

struct MechanismProblem {
  BlockMatrix A;
  BlockRows R, D;
  bool separate = false;
  Vector C, p, g;

  const BlockRows& directions() const { return separate ? D : R; }
  template <typename Kkt>
  bool compute(Kkt& kkt) const {
    return kkt.compute(A, R, directions(), C);
  }
  Matrix whole() const {
    const int nv = A.size(), nj = R.rows();
    Matrix K = Matrix::Zero(nv + nj, nv + nj);
    K.topLeftCorner(nv, nv) = dense(A);
    K.topRightCorner(nv, nj) = -dense(directions()).transpose();
    K.bottomLeftCorner(nj, nv) = dense(R);
    K.bottomRightCorner(nj, nj) = C.asDiagonal();
    return K;
  }
  // Largest residual of a row of (1)-(2) relative to the sum of the sizes of its terms.
  double residual(const Vector& v, const Vector& lambda) const {
    const Matrix K = whole();
    Vector x(K.rows()), b(K.rows());
    x << v, lambda;
    b << p, g;
    const Vector size = K.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
    return ((K * x - b).cwiseAbs().array() / (size.array() + 1e-300)).maxCoeff();
  }
};

struct MechanismKind {
  bool symmetric = true, separate = false, compliant = false;
  double mass_ratio = 1;
};

// A revolute joint: the points coincide, two directions stay perpendicular to the axis. `values` are the 5×6
// blocks of the two bodies.
inline void make_joint(Random& random, Matrix (&values)[2]) {
  const Vector3 axis = random_vector3(random).normalized(), t1 = axis.unitOrthogonal(), t2 = axis.cross(t1);
  for (int side = 0; side < 2; ++side) {
    const Vector3 r = random_vector3(random);
    Matrix& block = values[side];
    block = Matrix::Zero(5, 6);
    block.topLeftCorner(3, 3).setIdentity();
    for (int k = 0; k < 3; ++k) block.block(0, 3 + k, 3, 1) = Vector3::Unit(k).cross(r);
    block.row(3).tail(3) = t1.transpose();
    block.row(4).tail(3) = t2.transpose();
    if (side == 1) block *= -1;
  }
}

// Joints between pairs of bodies; −1 is the ground.
inline MechanismProblem make_mechanism(Random& random, int bodies,
                                       const std::vector<std::pair<int, int>>& joints,
                                       const MechanismKind& kind) {
  MechanismProblem m;
  const int nv = 6 * bodies;
  m.separate = kind.separate;
  m.A.clear(nv);
  for (int b = 0; b < bodies; ++b) {
    const double mass = std::pow(kind.mass_ratio, random.uniform(0, 1));
    m.A.add_block(6 * b, 6 * b, 6, 6) =
        mass * (kind.symmetric ? make_spd(random, 6) : make_positive(random, 6));
  }
  m.R.clear(nv);
  m.D.clear(nv);
  for (const auto& [first, second] : joints) {
    Matrix values[2];
    make_joint(random, values);
    m.R.add_group(5);
    m.D.add_group(5);
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? first : second;
      if (body < 0) continue;
      m.R.add_block(6 * body, 6) = values[side];
      m.D.add_block(6 * body, 6) = values[side] + 0.02 * random.matrix(5, 6);
    }
  }
  const int nj = m.R.rows();
  m.C = Vector::Zero(nj);
  if (kind.compliant)
    for (int i = 0; i < nj; i += 2) m.C[i] = random.uniform(0.01, 2);
  m.p = random.vector(nv);
  m.g = random.vector(nj);
  return m;
}

inline std::vector<std::pair<int, int>> chain(int bodies) {
  std::vector<std::pair<int, int>> out;
  for (int b = 0; b < bodies; ++b) out.emplace_back(b, b - 1);
  return out;
}
inline std::vector<std::pair<int, int>> tree(int bodies) {
  std::vector<std::pair<int, int>> out;
  for (int b = 1; b < bodies; ++b) out.emplace_back(b, (b - 1) / 2);
  return out;
}
inline std::vector<std::pair<int, int>> star(int bodies) {
  std::vector<std::pair<int, int>> out;
  for (int b = 1; b < bodies; ++b) out.emplace_back(0, b);
  return out;
}
// A ring: one joint more than a tree, and still fewer rows than velocities.
inline std::vector<std::pair<int, int>> ring(int bodies) {
  std::vector<std::pair<int, int>> out = chain(bodies);
  out[0] = {0, bodies - 1};
  return out;
}

struct MechanismShape {
  const char* name;
  std::vector<std::pair<int, int>> (*joints)(int bodies);
};
inline constexpr MechanismShape k_mechanism_shapes[] = {
    {"chain", chain}, {"tree", tree}, {"star", star}, {"ring", ring}};

}  // namespace delassus::testing
