// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The errors by which friction problems are judged, against a computation of their own.
#include "delassus/problems/natural_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace delassus::natural_map_test {
namespace {

// Projection onto ‖x_T‖ ≤ μ x_N by the eigenvalues of the second-order cone: in components scaled by (1, 1/μ) for the
// normal this is no circular cone, so project along its two extreme rays.
Vector3 project(const Vector3& x, double mu) {
  const double t = std::hypot(x[1], x[2]);
  const Vector3 d = t > 0 ? Vector3(0, x[1] / t, x[2] / t) : Vector3(0, 1, 0);
  // The nearest point lies in the plane of the normal and d: on the ray, at the apex or x itself.
  const Vector3 ray = (Vector3(1, 0, 0) + mu * d).normalized(),
                outward = (mu * Vector3(1, 0, 0) - d).normalized();
  if (x.dot(outward) >= 0 && x[0] >= 0) return x;
  return std::max(0.0, x.dot(ray)) * ray;
}

LocalProblem make_problem(const Matrix& W, const Vector& u_free, const std::vector<double>& mu) {
  LocalProblem problem;
  std::vector<int> dims(mu.size(), 3);
  problem.W = ContactMatrix(W, dims);
  problem.u_free = u_free;
  for (double m : mu) problem.cones.push_back({.kind = ConeKind::coulomb, .dim = 3, .mu = m});
  return problem;
}

TEST(NaturalMap, ErrorsFollowTheirFormulas) {
  Matrix W(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) W(i, j) = (i == j ? 3.0 + i : 0.3) + 0.1 * std::sin(3 * i + 5 * j);
  const Vector q = (Vector(6) << -1, 0.5, 0.2, 2, -0.3, 0.1).finished();
  const Vector r = (Vector(6) << 0.4, -0.3, 0.2, -0.1, 0.05, 0.6).finished();
  const std::vector<double> mu{0.5, 0.8};
  const LocalProblem problem = make_problem(W, q, mu);
  const Vector u = W * r + q;
  double sic = 0, v = 0;
  for (int c = 0; c < 2; ++c) {
    const Vector3 r_c = r.segment<3>(3 * c), u_c = u.segment<3>(3 * c);
    const Vector3 shifted = u_c + Vector3(mu[c] * std::hypot(u_c[1], u_c[2]), 0, 0);
    const double rho = 3.0 / (W(3 * c, 3 * c) + W(3 * c + 1, 3 * c + 1) + W(3 * c + 2, 3 * c + 2));
    sic += (r_c - project(r_c - shifted, mu[c])).squaredNorm();
    v += ((r_c - project(r_c - rho * shifted, mu[c])) / rho).squaredNorm();
  }
  const NaturalMapError error = compute_natural_map_error(problem, r, u);
  EXPECT_NEAR(error.e_sic, std::sqrt(sic) / std::max({q.norm(), r.norm(), u.norm()}), 1e-14);
  EXPECT_NEAR(error.e_v, std::sqrt(v) / q.norm(), 1e-14);
  EXPECT_EQ(error.largest(), std::max(error.e_sic, error.e_v));
}

TEST(NaturalMap, SlidingBlockHasNone) {
  // Mass 2 falls with 1 m/s and slides with 3: r_N = 2, r_T = −μ r_N.
  const LocalProblem problem = make_problem(Matrix::Identity(3, 3) / 2, Vector3(-1, 3, 0), {0.5});
  const Vector r = Vector3(2, -1, 0);
  const NaturalMapError error = compute_natural_map_error(problem, r, problem.W * r + problem.u_free);
  EXPECT_LT(error.largest(), 1e-15);
  // The wrong way: it shows in both.
  const Vector wrong = Vector3(2, 1, 0);
  const NaturalMapError large = compute_natural_map_error(problem, wrong, problem.W * wrong + problem.u_free);
  EXPECT_GT(large.e_sic, 0.1);
  EXPECT_GT(large.e_v, 0.1);
}

TEST(NaturalMap, UnitsChangeOnlyTheOne) {
  // W → s W, r → r / s
  Matrix W = Matrix::Identity(3, 3);
  W(0, 1) = W(1, 0) = 0.3;
  const Vector q = Vector3(-1, 0.4, 0.1), r = Vector3(0.7, -0.2, 0.1);
  const double s = 1e-4;
  const LocalProblem a = make_problem(W, q, {0.3}), b = make_problem(s * W, q, {0.3});
  const NaturalMapError in_a = compute_natural_map_error(a, r, W * r + q);
  const NaturalMapError in_b = compute_natural_map_error(b, r / s, W * r + q);
  EXPECT_NEAR(in_a.e_v, in_b.e_v, 1e-14);
  EXPECT_LT(in_b.e_sic, 0.1 * in_a.e_sic);
}

TEST(NaturalMap, BrokenSolutionsAreNotSmall) {
  const LocalProblem problem = make_problem(Matrix::Identity(3, 3), Vector3(-1, 0, 0), {0.3});
  const Vector r = Vector3(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  EXPECT_TRUE(std::isnan(compute_natural_map_error(problem, r, r).largest()));
}

}  // namespace
}  // namespace delassus::natural_map_test
