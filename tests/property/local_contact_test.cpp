// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The problem of one contact: against its modes tried one by one, for any friction and badly conditioned matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/local_problem.hpp"
#include "delassus/solvers/friction/local_contact.hpp"
#include "delassus/solvers/friction/local_newton.hpp"

namespace delassus::local_contact_test {
namespace {

using testing::Random;

struct OneContact {
  LocalProblem problem;
  PreparedContacts contacts;
  Vector r;
  Matrix A;
  double size = 0;  // ‖A‖‖r‖ + ‖q‖: what round-off of u is relative to

  OneContact(const Matrix& matrix, const Vector& q, const Cone& cone) : A(matrix) {
    problem.W = ContactMatrix(A, std::vector<int>{cone.dim});
    problem.u_free = q;
    problem.cones = {cone};
    contacts.prepare(problem);
    contacts.prepare_steps(problem);
  }
  void solve() {
    LocalContact local;
    local.prepare(contacts[0], problem.W.diagonal(0).data());
    r.setZero(problem.u_free.size());
    local.solve(problem.u_free.data(), r.data());
    size = A.norm() * r.norm() + problem.u_free.norm();
  }
  Vector u() const { return A * r + problem.u_free; }
};

// Positive definite with a condition up to 10^(2 decades), perhaps a bit unsymmetric.
Matrix make_block(Random& random, int n, double decades, double skew) {
  Matrix L = random.matrix(n, n);
  for (int k = 0; k < n; ++k) L.col(k) *= std::pow(10.0, random.uniform(-decades, 0));
  Matrix A = L * L.transpose();
  A += 1e-6 * A.trace() * std::pow(10.0, -decades) * Matrix::Identity(n, n);
  const Matrix S = random.matrix(n, n);
  return std::pow(10.0, random.uniform(-6, 6)) * (A + skew * A.trace() * 1e-3 * (S - S.transpose()));
}

double random_mu(Random& random) {
  return random.integer(0, 20) == 0 ? 0.0 : std::pow(10.0, random.uniform(-3, 1));
}

// Angles of all slip directions d for which the contact slides: r_N (A_NN − μ A_NT d) = −q_N > 0 and u_T = λ d with λ ≥ 0.
// The cross product of d with u_T is a trigonometric polynomial of degree 2 once multiplied by the bracket.
std::vector<double> find_slips(const Matrix& A, const Vector& q, double mu) {
  const auto cross = [&](double angle) {
    const Eigen::Vector2d d(std::cos(angle), std::sin(angle));
    const double bracket = A(0, 0) - mu * A.row(0).tail<2>().dot(d);
    const Eigen::Vector2d u =
        -q[0] * (A.col(0).tail<2>() - mu * A.bottomRightCorner<2, 2>() * d) + bracket * q.tail<2>();
    return std::pair{d.x() * u.y() - d.y() * u.x(), bracket > 0 && d.dot(u) >= 0};
  };
  constexpr int k_scan = 720;
  std::vector<double> slips;
  const double step = 2 * std::numbers::pi / k_scan;
  for (int i = 0; i < k_scan; ++i) {
    double low = i * step, high = low + step;
    const double start = cross(low).first;
    if (start * cross(high).first > 0) continue;
    for (int k = 0; k < 60; ++k) {
      const double mid = 0.5 * (low + high);
      (start * cross(mid).first > 0 ? low : high) = mid;
    }
    if (cross(low).second) slips.push_back(low);
  }
  return slips;
}

TEST(LocalContact, CoulombAgainstAllModes) {
  Random random(11);
  int open = 0, stick = 0, slip = 0, unseen = 0;
  constexpr int k_cases = 100000;
  for (int i = 0; i < k_cases; ++i) {
    const double decades = i % 4 == 0 ? random.uniform(0, 4) : 0.5;
    const Matrix A = make_block(random, 3, decades, i % 3 == 0 ? 1 : 0);
    const Cone cone{.kind = ConeKind::coulomb, .dim = 3, .mu = random_mu(random)};
    const Vector q = std::pow(10.0, random.uniform(-3, 3)) * random.vector(3);
    OneContact contact(A, q, cone);
    contact.solve();
    ASSERT_TRUE(contact.r.allFinite()) << i;
    const Vector& r = contact.r;
    const double round_off = 1e-11 * contact.size;
    // The law; cross product instead of the work, which is quadratic in the angle.
    const Vector u = contact.u();
    const double r_T = r.tail<2>().norm();
    ASSERT_GE(r[0], 0);
    ASSERT_LE(r_T, cone.mu * r[0] * (1 + 1e-12)) << i;
    ASSERT_GE(u[0], -round_off) << i;
    if (r[0] == 0) {
      ++open;
      ASSERT_GE(q[0], 0) << i;
      continue;
    }
    ASSERT_LE(std::abs(u[0]), round_off) << i;
    const Vector sticking = -A.fullPivLu().solve(q);
    if (r_T < cone.mu * r[0] * (1 - 1e-12)) {
      ++stick;
      ASSERT_LE(u.norm(), round_off) << i;
      ASSERT_LE((A * (r - sticking)).norm(), round_off) << i;
      continue;
    }
    ++slip;
    if (cone.mu == 0) continue;
    ASSERT_LE(std::abs(r[1] * u[2] - r[2] * u[1]), round_off * r_T) << i << " mu " << cone.mu;
    ASSERT_LE(r.tail<2>().dot(u.tail<2>()), round_off * r_T) << i;
    // Our slip is one of those that a search finds, unless its roots are too near to each other for the scan.
    if (i % 4 == 0 || u.tail<2>().norm() < 1e-6 * contact.size) continue;
    const double angle = std::atan2(u[2], u[1]);
    double nearest = 10;
    for (const double found : find_slips(A, q, cone.mu))
      nearest = std::min(nearest, std::abs(std::remainder(found - angle, 2 * std::numbers::pi)));
    unseen += nearest > 1e-5 ? 1 : 0;
  }
  EXPECT_GT(open, k_cases / 10);
  EXPECT_GT(stick, k_cases / 50);
  EXPECT_GT(slip, k_cases / 10);
  EXPECT_LT(unseen, k_cases / 1000);
}

TEST(LocalContact, OtherConesObeyTheirLaws) {
  Random random(12);
  for (int i = 0; i < 20000; ++i) {
    Cone cone{.kind = i % 2 == 0 ? ConeKind::convex : ConeKind::coulomb,
              .dim = random.integer(1, 3),
              .mu = std::min(random_mu(random), 3.0)};
    if (i % 7 == 3) cone = {.kind = ConeKind::box, .bound = random.uniform(0, 1)};
    if (i % 7 == 4) cone = {.kind = ConeKind::equality, .dim = random.integer(1, 6)};
    OneContact contact(make_block(random, cone.dim, 0.5, 0), random.vector(cone.dim), cone);
    contact.solve();
    EXPECT_LT(testing::law_error(contact.problem, contact.r), 1e-11 * contact.size)
        << i << " dim " << cone.dim << " kind " << static_cast<int>(cone.kind) << " mu " << cone.mu;
  }
}

TEST(LocalContact, ConvexLawBadlyConditioned) {
  // The minimum of ½ rᵀ A r + qᵀ r over the cone is unique: no direction of the cone descends from it.
  Random random(13);
  for (int i = 0; i < 20000; ++i) {
    const Cone cone{.kind = ConeKind::convex, .dim = 3, .mu = std::pow(10.0, random.uniform(-3, 1))};
    const Matrix A = make_block(random, 3, random.uniform(0, 3), 0);
    OneContact contact(A, random.vector(3), cone);
    contact.solve();
    ASSERT_TRUE(contact.r.allFinite());
    const Vector u = contact.u();
    const double scale = contact.size * (1 + cone.mu);
    // Dual cone and orthogonality.
    ASSERT_GE(u[0] - cone.mu * u.tail<2>().norm(), -1e-9 * scale) << i << " mu " << cone.mu;
    ASSERT_LE(std::abs(u.dot(contact.r)), 1e-9 * scale * contact.r.norm()) << i << " mu " << cone.mu;
  }
}

TEST(LocalContact, RollingAndSpinning) {
  Random random(14);
  int failures = 0;
  constexpr int k_cases = 5000;
  for (int i = 0; i < k_cases; ++i) {
    const Cone cone{.kind = i % 2 == 0 ? ConeKind::convex : ConeKind::coulomb,
                    .dim = random.integer(4, 6),
                    .mu = random.uniform(0, 1),
                    .mu_rolling = random.uniform(0, 0.5),
                    .mu_spinning = random.uniform(0, 0.5)};
    OneContact contact(make_block(random, cone.dim, 0.2, 0), random.vector(cone.dim), cone);
    contact.solve();
    ASSERT_TRUE(contact.r.allFinite());
    failures += testing::law_error(contact.problem, contact.r) > 1e-9 * contact.size ? 1 : 0;
  }
  EXPECT_LE(failures, k_cases / 200);
}

TEST(LocalContact, DerivativeOfTheProjection) {
  Random random(15);
  for (int i = 0; i < 500; ++i) {
    const Cone cone{.kind = ConeKind::coulomb,
                    .dim = random.integer(2, 6),
                    .mu = random.uniform(0.1, 1),
                    .extra_normal = i % 3 == 0 ? 0.3 : 0.0,
                    .mu_rolling = random.uniform(0.1, 0.5),
                    .mu_spinning = random.uniform(0.1, 0.5)};
    const ContactVector x = random.vector(cone.dim);
    ContactVector projected;
    ContactBlock derivative;
    project_with_derivative(cone, x, projected, derivative);
    constexpr double h = 1e-6;
    for (int k = 0; k < cone.dim; ++k) {
      ContactVector ahead = x, behind = x;
      ahead[k] += h;
      behind[k] -= h;
      const ContactVector slope =
          (project_onto_cone(cone, ahead) - project_onto_cone(cone, behind)) / (2 * h);
      // At a kink of the projection between the two points the slopes may differ; with h this small it does not occur.
      EXPECT_LT((slope - derivative.col(k)).norm(), 1e-4) << i << " " << k;
    }
  }
}

}  // namespace
}  // namespace delassus::local_contact_test
