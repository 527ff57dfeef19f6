// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A surface near a point on it:  x(u) ≈ x + T u + ½ n (uᵀ second u),  u ∈ R^dim, T orthonormal and ⊥ n.
#pragma once
#include <Eigen/Core>

namespace delassus {

struct SurfacePatch {
  int dim = 0;  // 0: a corner, 1: a sharp curve, 2: a surface
  Eigen::Vector3d tangents[2] = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  double second[3] = {0, 0, 0};  // nᵀ ∂²x/∂u²: 00, 01, 11 [1/m]
};

}  // namespace delassus
