// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts whose impulses can cancel, against thresholds that geometry gives: a body is wedged when the line between two
// contacts lies within both friction cones.
#include "delassus/problems/pointedness.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/local_problem.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus::pointedness_test {
namespace {

// κ is known to about 1e-8 near zero, where it is the root of what W holds to round-off.
constexpr double k_kappa_error = 2e-8;

// One rigid body with contacts on it; every normal points into the body.
struct OneBody {
  Problem problem;
  double mass = 2.0;
  Vector3 inertia{0.3, 0.5, 0.7};

  OneBody() {
    problem.A.clear(6);
    problem.A.add_block(0, 0, 6, 6).diagonal() << mass, mass, mass, inertia;
    problem.p = Vector::Zero(6);
    problem.Gt.clear(6);
    problem.Ht.clear(6);
    problem.g.resize(0);
    problem.C.resize(0);
    problem.w.resize(0);
  }

  void add_contact(const Vector3& point, const Vector3& normal, double mu, double approach = 0) {
    const Vector3 n = normal.normalized();
    const Vector3 t = n.unitOrthogonal();
    const Vector3 axes[] = {n, t, n.cross(t)};
    problem.Ht.add_group(3);
    auto block = problem.Ht.add_block(0, 6);
    for (int k = 0; k < 3; ++k) block.row(k) << axes[k].transpose(), point.cross(axes[k]).transpose();
    problem.cones.push_back({.kind = ConeKind::coulomb, .dim = 3, .mu = mu});
    problem.w.conservativeResize(problem.Ht.rows());
    problem.w.tail(3) << -approach, 0, 0;
  }

  void hold(int coordinate) {
    problem.Gt.add_group(1);
    problem.Gt.add_block(0, 6)(0, coordinate) = 1.0;
    problem.g = Vector::Zero(problem.Gt.rows());
    problem.C = Vector::Zero(problem.Gt.rows());
  }

  double norm(const Vector3& point, const Vector3& normal) const {
    const Vector3 moment = point.cross(normal);
    return std::sqrt(1 / mass + moment.cwiseAbs2().cwiseQuotient(inertia).sum());
  }

  Pointedness examine(bool friction = true) const {
    Reduction reduction;
    EXPECT_TRUE(reduction.compute(problem));
    return find_pointedness(reduction.local(), compute_normal_norms(problem), friction);
  }
  Jam examine_jam() const {
    Reduction reduction;
    EXPECT_TRUE(reduction.compute(problem));
    return find_jam(reduction.local(), compute_normal_norms(problem));
  }
};

void expect_pointed(const Pointedness& result, double kappa) {
  EXPECT_EQ(result.answer, Pointed::yes);
  EXPECT_LE(result.lower, result.upper * (1 + 1e-12));
  EXPECT_NEAR(result.lower, kappa, k_kappa_error);
  EXPECT_NEAR(result.upper, kappa, k_kappa_error);
}

TEST(Pointedness, BoxOnPlaneHasTheConstantOfItsCentre) {
  for (const double mu : {0.0, 0.3, 1.0}) {
    OneBody box;
    const Vector3 up = Vector3::UnitZ();
    for (const double x : {-0.4, 0.4})
      for (const double y : {-0.3, 0.3}) box.add_contact({x, y, -0.2}, up, mu);
    const Pointedness result = box.examine();
    // By symmetry all four push the same; tangential impulses would only add.
    expect_pointed(result, 1 / (box.norm({0.4, 0.3, -0.2}, up) * std::sqrt(box.mass)));
    // The certificate: W r opens all contacts faster than friction holds them.
    for (int c = 0; c < 4; ++c) EXPECT_GT(result.u[3 * c], mu * result.u.segment(3 * c + 1, 2).norm());
  }
}

TEST(Pointedness, OneContactHasTheClosedForm) {
  // κ² = min over |f| ≤ μ of (W_NN + 2 f W_NT + f² W_TT)/W_NN.
  const Vector3 point(0.6, 0, -0.5);
  for (const double mu : {0.0, 0.1, 0.4, 2.0}) {
    OneBody rod;
    rod.add_contact(point, Vector3::UnitZ(), mu);
    const double I = rod.inertia.y();  // all in the plane y = 0
    const double W_NN = 1 / rod.mass + point.x() * point.x() / I, W_NT = -point.x() * point.z() / I,
                 W_TT = 1 / rod.mass + point.z() * point.z() / I;
    const double f = std::clamp(-W_NT / W_TT, -mu, mu);
    expect_pointed(rod.examine(), std::sqrt((W_NN + 2 * f * W_NT + f * f * W_TT) / W_NN));
  }
}

TEST(Pointedness, ABallBetweenParallelWallsIsPinched) {
  for (const double mu : {0.0, 0.5}) {
    OneBody ball;
    ball.add_contact({-0.1, 0, 0}, Vector3::UnitX(), mu);
    ball.add_contact({0.1, 0, 0}, -Vector3::UnitX(), mu);
    ball.add_contact({0, 0, -0.1}, Vector3::UnitZ(), mu);
    const Pointedness result = ball.examine();
    EXPECT_EQ(result.answer, Pointed::no);
    EXPECT_LE(result.upper, k_pointed_tolerance);
    // With friction the walls can hold the ball down as well, so the floor takes part; without it cannot.
    if (mu == 0) {
      EXPECT_LT(result.shares[2], 1e-5);
    }
    EXPECT_GT(result.shares[0], 0.3);
    EXPECT_NEAR(result.shares[0], result.shares[1], 1e-3);
    // The certificate: impulses of the cone that do nothing.
    EXPECT_LT(result.u.norm(), 1e-6);
    for (int c = 0; c < 3; ++c)
      EXPECT_LE(result.r.segment(3 * c + 1, 2).norm(), mu * result.r[3 * c] + 1e-12);
  }
}

TEST(Pointedness, AWedgeHoldsWhereFrictionExceedsTheHalfAngle) {
  for (const double half_angle : {0.1, 0.4, 1.0}) {
    const auto wedge = [&](double mu) {
      OneBody ball;
      for (const double side : {-1.0, 1.0}) {
        const Vector3 n(side * std::cos(half_angle), 0, std::sin(half_angle));
        ball.add_contact(-0.2 * n, n, mu);
      }
      return ball.examine();
    };
    const double threshold = std::tan(half_angle);
    // Both cones lean towards each other: what is left of the normals is sin α − μ cos α.
    for (const double mu : {0.0, 0.5 * threshold, threshold - 1e-2})
      expect_pointed(wedge(mu), std::sin(half_angle) - mu * std::cos(half_angle));
    EXPECT_EQ(wedge(threshold - 1e-6).answer, Pointed::yes);
    EXPECT_EQ(wedge(threshold + 1e-6).answer, Pointed::no);
    EXPECT_EQ(wedge(2 * threshold).answer, Pointed::no);
  }
}

TEST(Pointedness, OffsetContactsJamByFrictionOnly) {
  // The line between the contacts leans by offset/width against their normals.
  const double offset = 0.1, width = 0.4;
  const auto box = [&](double mu, double approach = 0) {
    OneBody body;
    body.add_contact({-width / 2, 0, -offset / 2}, Vector3::UnitX(), mu);
    body.add_contact({width / 2, 0, offset / 2}, -Vector3::UnitX(), mu, approach);
    return body;
  };
  const double threshold = offset / width;
  EXPECT_EQ(box(0).examine().answer, Pointed::yes);
  EXPECT_EQ(box(threshold - 1e-6).examine().answer, Pointed::yes);
  EXPECT_EQ(box(threshold + 1e-6).examine().answer, Pointed::no);
  EXPECT_EQ(box(threshold + 1e-6).examine(false).answer, Pointed::yes);  // its normals alone
  EXPECT_FALSE(box(0, 1.0).examine_jam().found);
  EXPECT_FALSE(box(0.9 * threshold, 1.0).examine_jam().found);
  const Jam jam = box(1.1 * threshold, 1.0).examine_jam();
  EXPECT_TRUE(jam.found);
  EXPECT_TRUE(jam.by_friction);
}

TEST(Pointedness, JointsTakePart) {
  // A slider along x, pushed by a contact whose normal leans by β from the guide: what the guide takes is gone, and
  // cos β − μ sin β is left.
  const double beta = 0.9;
  const auto slider = [&](double mu, double angle) {
    OneBody body;
    for (int i = 1; i < 6; ++i) body.hold(i);
    body.hold(2);  // twice: a redundant row changes nothing
    body.add_contact({0, 0, 0}, {std::cos(angle), std::sin(angle), 0}, mu);
    return body.examine();
  };
  const double threshold = 1 / std::tan(beta);
  for (const double mu : {0.0, 0.3}) expect_pointed(slider(mu, beta), std::cos(beta) - mu * std::sin(beta));
  EXPECT_EQ(slider(threshold - 1e-6, beta).answer, Pointed::yes);
  EXPECT_EQ(slider(threshold + 1e-6, beta).answer, Pointed::no);
  // Pressed straight against its guide: nothing is left, even without friction.
  EXPECT_EQ(slider(0, std::numbers::pi / 2).answer, Pointed::no);
}

TEST(Pointedness, BoundsEncloseTheConstantOfHeaps) {
  testing::Random random(7);
  for (int i = 0; i < 20; ++i) {
    const LocalProblem heap = testing::make_heap(
        random, {.bodies = 6, .contacts = 6, .mu_max = 0.3, .rolling = i % 2 == 1, .repeated = i % 3 == 0});
    Vector norms(heap.num_contacts());
    for (int c = 0; c < heap.num_contacts(); ++c) norms[c] = std::sqrt(heap.W.diagonal(c)(0, 0));
    const Pointedness result = find_pointedness(heap, norms);
    ASSERT_EQ(result.answer, Pointed::yes) << i;
    EXPECT_LE(result.lower, result.upper * (1 + 1e-12));
    EXPECT_GE(result.lower, result.upper * (1 - 1e-6)) << i;
    // No other impulse of the cone is smaller.
    for (int k = 0; k < 50; ++k) {
      Vector r(heap.u_free.size());
      double sum = 0;
      for (int c = 0; c < heap.num_contacts(); ++c) {
        const int row = heap.first_row(c), dim = heap.cones[c].dim;
        for (int j = 0; j < dim; ++j) r[row + j] = random.uniform(-1, 1);
        r.segment(row, dim) = project_onto_cone(heap.cones[c], Vector(r.segment(row, dim)));
        sum += norms[c] * r[row];
      }
      EXPECT_GE(std::sqrt(r.dot(heap.W * r)), result.lower * sum * (1 - 1e-12));
    }
  }
}

TEST(Jam, APistonAgainstAPlugAgainstAWall) {
  const auto plug = [](double approach) {
    OneBody body;
    body.add_contact({-0.1, 0, 0}, Vector3::UnitX(), 0.3);
    body.add_contact({0.1, 0, 0}, -Vector3::UnitX(), 0.3, approach);
    body.add_contact({0, 0, -0.1}, Vector3::UnitZ(), 0.3);
    return body.examine_jam();
  };
  const Jam jam = plug(0.5);
  ASSERT_TRUE(jam.found);
  EXPECT_FALSE(jam.by_friction);
  EXPECT_NEAR(jam.shares[0], 0.5, 1e-3);
  EXPECT_NEAR(jam.shares[1], 0.5, 1e-3);
  EXPECT_NEAR(jam.shares[2], 0.0, 1e-3);
  EXPECT_FALSE(plug(-0.5).found);  // it goes away
  EXPECT_FALSE(plug(0).found);     // it rests
}

TEST(Jam, AFreeBodyGivesWay) {
  OneBody body;
  body.add_contact({0.1, 0, 0}, -Vector3::UnitX(), 0.3, 5.0);
  body.add_contact({0, 0, -0.1}, Vector3::UnitZ(), 0.3);
  EXPECT_FALSE(body.examine_jam().found);
}

}  // namespace
}  // namespace delassus::pointedness_test
