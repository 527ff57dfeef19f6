// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The one-step problem of boxes of side 1 m on each other, four contacts between two of them and with the ground.
#pragma once
#include <Eigen/Geometry>

#include "delassus/problems/problem.hpp"

namespace delassus::testing {

// Without contacts all boxes have the velocity `fall`, the highest one also `push`; normal y.
inline Problem make_box_tower(int height, double mu, const Vector3& fall,
                              const Vector3& push = Vector3::Zero(), double mass = 1) {
  Problem problem;
  const int nv = 6 * height;
  problem.A.clear(nv);
  problem.p.setZero(nv);
  problem.Gt.clear(nv);
  problem.Ht.clear(nv);
  for (int b = 0; b < height; ++b) {
    problem.A.add_block(6 * b, 6 * b, 3, 3) = mass * Matrix3::Identity();
    problem.A.add_block(6 * b + 3, 6 * b + 3, 3, 3) = mass / 6 * Matrix3::Identity();
    problem.p.segment<3>(6 * b) = mass * fall;
  }
  problem.p.segment<3>(6 * (height - 1)) += mass * push;
  Matrix3 axes;  // rows N, T, T
  axes << 0, 1, 0, 1, 0, 0, 0, 0, 1;
  for (int b = 0; b < height; ++b)
    for (int corner = 0; corner < 4; ++corner) {
      const double x = corner % 2 == 0 ? -0.5 : 0.5, z = corner < 2 ? -0.5 : 0.5;
      const auto add = [&](int body, const Vector3& arm, double sign) {
        auto block = problem.Ht.add_block(6 * body, 6);
        block.leftCols<3>() = sign * axes;
        for (int k = 0; k < 3; ++k)
          block.block<1, 3>(k, 3) = sign * arm.cross(axes.row(k).transpose()).transpose();
      };
      problem.Ht.add_group(3);
      add(b, {x, -0.5, z}, 1);
      if (b > 0) add(b - 1, {x, 0.5, z}, -1);
      problem.cones.push_back({.kind = ConeKind::coulomb, .dim = 3, .mu = mu});
    }
  problem.g.resize(0);
  problem.C.resize(0);
  problem.w.setZero(problem.Ht.rows());
  require_consistent(problem);
  return problem;
}

}  // namespace delassus::testing
