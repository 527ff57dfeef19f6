// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The dense and sparse types used everywhere: double precision, column-major.
#pragma once
#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace delassus {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using SparseMatrix = Eigen::SparseMatrix<double>;
using VectorRef = Eigen::Ref<const Vector>;
using MatrixRef = Eigen::Ref<const Matrix>;

}  // namespace delassus
