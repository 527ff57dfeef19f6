// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/linearization.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "delassus/steppers/static_problem.hpp"

namespace delassus {
namespace {

// Derivatives by differences are symmetric to this only.
constexpr double k_symmetric = 1e-7;
// Eigenvalues of K̃ below this share of the largest are zero; of s, whose square they are, below its root.
constexpr double k_zero = 1e-10;
constexpr double k_zero_rate = 1e-5;

double largest(const Matrix& matrix) {
  return matrix.size() > 0 ? matrix.cwiseAbs().maxCoeff() : 0.0;
}

VibrationMode make_mode(std::complex<double> s, const Matrix& Z, const Eigen::VectorXcd& y) {
  VibrationMode mode;
  mode.eigenvalue = s;
  mode.frequency = std::abs(s.imag()) / (2 * std::numbers::pi);
  if (std::abs(s) > 0) mode.damping_ratio = -s.real() / std::abs(s);
  mode.shape = Z * y;
  Eigen::Index at = 0;
  if (mode.shape.size() > 0) {
    mode.shape.cwiseAbs().maxCoeff(&at);
    if (std::abs(mode.shape[at]) > 0) mode.shape /= mode.shape[at];
  }
  return mode;
}

void add_undamped(const Matrix& K, const Matrix& Z, std::vector<VibrationMode>& modes) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(0.5 * (K + K.transpose()));
  const double scale = solver.eigenvalues().cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    const double stiffness = solver.eigenvalues()[i];
    const Eigen::VectorXcd y = solver.eigenvectors().col(i).cast<std::complex<double>>();
    if (std::abs(stiffness) <= k_zero * scale) {
      modes.push_back(make_mode(0, Z, y));
    } else if (stiffness > 0) {
      modes.push_back(make_mode({0, std::sqrt(stiffness)}, Z, y));
    } else {
      modes.push_back(make_mode(-std::sqrt(-stiffness), Z, y));
      modes.push_back(make_mode(std::sqrt(-stiffness), Z, y));
    }
  }
}

void add_damped(const Matrix& K, const Matrix& C, const Matrix& Z, std::vector<VibrationMode>& modes) {
  const Eigen::Index n = K.rows();
  Matrix companion = Matrix::Zero(2 * n, 2 * n);
  companion.topRightCorner(n, n).setIdentity();
  companion.bottomLeftCorner(n, n) = -K;
  companion.bottomRightCorner(n, n) = -C;
  const Eigen::EigenSolver<Matrix> solver(companion);
  const double scale = solver.eigenvalues().cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < 2 * n; ++i) {
    std::complex<double> s = solver.eigenvalues()[i];
    if (s.imag() < 0) continue;
    if (std::abs(s) <= k_zero_rate * scale) s = 0;
    modes.push_back(make_mode(s, Z, solver.eigenvectors().col(i).head(n)));
  }
}

}  // namespace

Linearization compute_linearization(const System& system, const State& state) {
  Linearization out;
  StaticProblem problem;
  if (!update_static_problem(system, state.t, state.q, problem)) {
    out.message = "the forces or the mass matrix are not finite, or the mass matrix is not positive definite";
    return out;
  }
  out.num_freedoms = problem.num_freedoms();
  out.residual = problem.residual;
  out.joint_forces = problem.lambda;
  out.ok = true;
  if (out.num_freedoms == 0) return out;
  const Matrix &K = problem.K, &C = problem.C;
  const Eigen::JacobiSVD<Matrix> singular(K);
  for (double value : singular.singularValues())
    if (value <= k_zero * singular.singularValues()[0]) ++out.rigid_modes;
  // Damping counts against the rates that stiffness alone makes.
  const bool undamped = largest(C) <= k_zero * std::sqrt(largest(K));
  if (undamped && largest(K - K.transpose()) <= k_symmetric * largest(K))
    add_undamped(K, problem.Z, out.modes);
  else
    add_damped(K, C, problem.Z, out.modes);
  std::stable_sort(out.modes.begin(), out.modes.end(), [](const VibrationMode& a, const VibrationMode& b) {
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
  const double fastest = std::abs(out.modes.back().eigenvalue);
  for (const VibrationMode& mode : out.modes)
    out.unstable = out.unstable || mode.eigenvalue.real() > k_zero_rate * fastest;
  return out;
}

}  // namespace delassus
