// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Manifolds: complete by moment balance, stable under small motions, smooth, and free of ghosts.
#include "delassus/collision/manifold.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/support/random_problem.hpp"
#include "tests/support/shapes.hpp"

namespace delassus::manifold_test {
namespace {

using namespace testing;

constexpr double k_envelope = 0.01;

std::vector<ShapeContact> contacts_of(const Collider& a, const Pose& pose_a, const Collider& b,
                                      const Pose& pose_b, bool reduce = true, double envelope = k_envelope) {
  std::vector<ShapeContact> out;
  find_contacts(a, pose_a, b, pose_b, envelope, 0, out);
  if (reduce) reduce_contacts(1.0, out);
  return out;
}

using FeaturePairs = std::set<std::pair<int, int>>;
FeaturePairs features_of(const std::vector<ShapeContact>& contacts) {
  FeaturePairs out;
  for (const ShapeContact& c : contacts) out.insert({c.feature_a, c.feature_b});
  return out;
}

// Can unit normal forces ≥ 0 at the contacts hold a load of 1 along z at (x, y)? Smallest residual of
// Σ f_i (1, x_i, y_i) = (1, x, y), f ≥ 0, by the active-set method of nonnegative least squares.
double balance_residual(const std::vector<ShapeContact>& contacts, double x, double y) {
  const int n = static_cast<int>(contacts.size());
  Eigen::MatrixXd A(3, n);
  for (int i = 0; i < n; ++i) {
    const FeatureContact& c = contacts[i].contact;
    A.col(i) << std::abs(c.normal.z()), c.point_a.x(), c.point_a.y();
  }
  const Eigen::Vector3d b(1, x, y);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
  std::vector<char> passive(n, 0);
  for (int round = 0; round < 100; ++round) {
    const Eigen::VectorXd gradient = A.transpose() * (b - A * f);
    int best = -1;
    for (int i = 0; i < n; ++i)
      if (passive[i] == 0 && gradient[i] > 1e-12 && (best < 0 || gradient[i] > gradient[best])) best = i;
    if (best < 0) break;
    passive[best] = 1;
    while (true) {
      std::vector<int> columns;
      for (int i = 0; i < n; ++i)
        if (passive[i] != 0) columns.push_back(i);
      Eigen::MatrixXd P(3, static_cast<int>(columns.size()));
      for (std::size_t k = 0; k < columns.size(); ++k) P.col(static_cast<int>(k)) = A.col(columns[k]);
      const Eigen::VectorXd s = P.completeOrthogonalDecomposition().solve(b);
      double alpha = 1;
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (s[static_cast<int>(k)] <= 0)
          alpha = std::min(alpha, f[columns[k]] / (f[columns[k]] - s[static_cast<int>(k)] + 1e-300));
      for (std::size_t k = 0; k < columns.size(); ++k)
        f[columns[k]] += alpha * (s[static_cast<int>(k)] - f[columns[k]]);
      if (alpha >= 1) break;
      for (int i : columns)
        if (f[i] <= 1e-14) passive[i] = 0, f[i] = 0;
    }
  }
  return (A * f - b).norm();
}

TEST(Manifold, BoxOnPlaneHoldsEveryLoadOverItsFace) {
  const Collider box = make_collider(box_shape(1, 0.6, 0.4)), plane = make_collider(plane_shape());
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const double turn = 0.03 * i;
    const Pose pose = pose_at({0.3, -0.2, 0.2 + 1e-6}, {0, 0, turn});
    const auto contacts = contacts_of(box, pose, plane, Pose{});
    const Vector3 load =
        pose.point({0.5 * random_vector(random, 1).x(), 0.3 * random_vector(random, 1).y(), 0});
    EXPECT_LT(balance_residual(contacts, load.x(), load.y()), 1e-10);
    const Vector3 outside = pose.point({0.51, 0, 0});
    EXPECT_GT(balance_residual(contacts, outside.x(), outside.y()), 1e-3) << "the test can fail";
    for (const ShapeContact& c : contacts) EXPECT_NEAR(c.contact.gap, 1e-6, 1e-14);
  }
}

TEST(Manifold, BoxOnBoxHoldsEveryLoadOverTheCommonArea) {
  const Collider lower = make_collider(box_shape(1, 1, 0.5)), upper = make_collider(box_shape(0.8, 0.7, 0.3));
  std::mt19937 random(2);
  int held = 0;
  for (int i = 0; i < 500; ++i) {
    const Vector3 shift = random_vector(random, 0.6), tilt = random_vector(random, 1e-9);
    const Pose pose = pose_at({shift.x(), shift.y(), 0.4 + 1e-7}, {tilt.x(), tilt.y(), 0.05 * i});
    const auto contacts = contacts_of(lower, Pose{}, upper, pose);
    for (int k = 0; k < 20; ++k) {
      const Vector3 x = random_vector(random, 0.5), local = pose.local_point({x.x(), x.y(), 0.4});
      if (std::abs(local.x()) > 0.4 || std::abs(local.y()) > 0.35) continue;
      ++held;
      EXPECT_LT(balance_residual(contacts, x.x(), x.y()), 1e-6) << i << ": " << x.transpose();
    }
  }
  EXPECT_GT(held, 1000);
}

TEST(Manifold, CylinderOnItsSideAndOnItsEnd) {
  const Collider cylinder = make_collider(cylinder_shape(0.3, 1)), plane = make_collider(plane_shape());
  const double right = std::acos(0.0);
  for (int i = 0; i < 50; ++i) {
    // Lying along x, rolled by any angle: loads over the line of contact.
    const Pose lying{rotation_matrix(quaternion_exponential(Vector3{0, right, 0})) *
                         rotation_matrix(quaternion_exponential(Vector3{0, 0, 0.1 * i})),
                     {0, 0, 0.3}};
    const auto line = contacts_of(cylinder, lying, plane, Pose{});
    for (double x : {-0.5, -0.2, 0.0, 0.49}) EXPECT_LT(balance_residual(line, x, 0), 1e-10);
    // Standing: within the octagon of the points on its rim; tilted by a hair, up to the rim in that direction.
    const Pose standing = pose_at({0, 0, 0.5}, {0, 0, 0.1 * i});
    const auto rim = contacts_of(cylinder, standing, plane, Pose{});
    const double c = std::cos(0.37 * i), s = std::sin(0.37 * i);
    EXPECT_LT(balance_residual(rim, 0.27 * c, 0.27 * s), 1e-10);
    const double tilt = 1e-7;
    const Pose leaning{rotation_matrix(quaternion_exponential(Vector3{-tilt * s, tilt * c, 0})) * standing.R,
                       {0, 0, 0.5}};
    const auto leaning_rim = contacts_of(cylinder, leaning, plane, Pose{});
    EXPECT_LT(balance_residual(leaning_rim, 0.2999 * c, 0.2999 * s), 1e-6);
  }
}

struct Resting {
  const char* name;
  Shape shape;
  Pose pose;  // on the plane z = 0
};

std::vector<Resting> resting_shapes() {
  const double right = std::acos(0.0);
  const Shape cone = cone_shape(0.3, 0.8);
  // A cone on its side touches along the line from rim to apex: its axis is tilted by the half angle.
  const double half_angle = std::atan2(0.3, 0.8);
  const double axis_height = 0.4 * std::sin(half_angle);
  return {{"sphere", sphere_shape(0.3), pose_at({0.02, 0.03, 0.3})},
          {"box", box_shape(0.5, 0.4, 0.3), pose_at({0.02, 0.03, 0.15}, {0, 0, 0.3})},
          {"capsule", capsule_shape(0.2, 0.5), pose_at({0.02, 0.03, 0.2}, {0, right, 0})},
          {"cylinder on its end", cylinder_shape(0.2, 0.5), pose_at({0.02, 0.03, 0.25}, {0, 0, 0.2})},
          {"cylinder on its side", cylinder_shape(0.2, 0.5), pose_at({0.02, 0.03, 0.2}, {0, right, 0})},
          {"cone on its base", cone, pose_at({0.02, 0.03, 0.4}, {0, 0, 0.2})},
          {"cone on its side", cone, pose_at({0.02, 0.03, axis_height}, {0, right + half_angle, 0})},
          {"ellipsoid", ellipsoid_shape(0.6, 0.5, 0.4), pose_at({0.02, 0.03, 0.2}, {0, 0, 0.3})},
          {"hull", hull_shape(), pose_at({0.02, 0.03, 0.4})}};
}

// What a body does while it rests.
Pose trembling(const Pose& pose, std::mt19937& random) {
  constexpr double size = 2e-10;
  return {rotation_matrix(quaternion_exponential(random_vector(random, size))) * pose.R,
          pose.p + random_vector(random, size)};
}

class RestingOn : public ::testing::TestWithParam<const char*> {};

Collider ground_of(const std::string& name) {
  const auto flat = [](double, double) { return 0.0; };
  if (name == "plane") return make_collider(plane_shape());
  if (name == "mesh") return make_collider(ground_mesh(4, 0.37, flat));
  if (name == "height field") return make_collider(height_field_shape(4, 0.37, flat));
  return make_collider(box_shape(4, 4, 1));
}

TEST_P(RestingOn, IdsAndNormalsStay) {
  const Collider ground = ground_of(GetParam());
  const Pose ground_pose = std::string(GetParam()) == "box" ? pose_at({0, 0, -0.5}) : Pose{};
  for (const Resting& resting : resting_shapes()) {
    SCOPED_TRACE(resting.name);
    const Collider shape = make_collider(resting.shape);
    const auto first = contacts_of(shape, resting.pose, ground, ground_pose);
    ASSERT_FALSE(first.empty());
    std::mt19937 random(3);
    std::set<std::pair<int, int>> seen = features_of(first);
    int changes = 0;
    for (int step = 0; step < 1000; ++step) {
      const auto now = contacts_of(shape, trembling(resting.pose, random), ground, ground_pose);
      const auto ids = features_of(now);
      changes += ids == seen ? 0 : 1;
      seen = ids;
      for (const ShapeContact& c : now) {
        EXPECT_GT(-c.contact.normal.z(), 1 - 1e-8);
        EXPECT_LT(std::abs(c.contact.gap), 1e-8);
      }
    }
    EXPECT_EQ(changes, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Grounds, RestingOn, ::testing::Values("plane", "box", "mesh", "height field"),
                         [](const auto& ground) {
                           std::string name = ground.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

// The smallest gap and what it belongs to.
const ShapeContact& lowest(const std::vector<ShapeContact>& contacts) {
  return *std::min_element(
      contacts.begin(), contacts.end(),
      [](const ShapeContact& a, const ShapeContact& b) { return a.contact.gap < b.contact.gap; });
}

TEST(HandOver, BallOverTheEdgeOfABox) {
  const Collider ball = make_collider(sphere_shape(0.2)), box = make_collider(box_shape(1, 1, 1));
  // On a path at constant distance from the box: face, edge, next face. Nothing in the gap or normal jumps.
  const double gap = 1e-3, r = 0.2 + gap, step = 1e-4;
  FeaturePairs seen;
  Vector3 last_normal = -Vector3::UnitZ();
  for (double s = -0.2; s < 0.4 + 0.2; s += step) {
    const double angle = std::clamp(s / r, 0.0, std::acos(0.0));
    const double beyond = std::max(0.0, s - r * std::acos(0.0));
    const Vector3 x =
        Vector3(0.5 + std::min(s, 0.0), 0.1, 0.5 - beyond) + r * Vector3(std::sin(angle), 0, std::cos(angle));
    const auto contacts = contacts_of(ball, pose_at(x), box, Pose{});
    ASSERT_EQ(contacts.size(), 1U) << s;
    EXPECT_NEAR(contacts[0].contact.gap, gap, 1e-14);
    EXPECT_LT((contacts[0].contact.normal - last_normal).norm(), 1.1 * step / r);
    last_normal = contacts[0].contact.normal;
    seen.insert({contacts[0].feature_a, contacts[0].feature_b});
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST(HandOver, RollingCylinderKeepsItsRimsAndItsGap) {
  const Collider cylinder = make_collider(cylinder_shape(0.3, 1)), box = make_collider(box_shape(4, 2, 1));
  const double right = std::acos(0.0);
  FeaturePairs first;
  for (int i = 0; i < 2000; ++i) {
    const double angle = 0.004 * i;
    const Pose pose{rotation_matrix(quaternion_exponential(Vector3{-right, 0, 0})) *
                        rotation_matrix(quaternion_exponential(Vector3{0, 0, angle})),
                    {-1.2 + 0.3 * angle, 0, 0.8}};
    const auto contacts = contacts_of(cylinder, pose, box, Pose{});
    ASSERT_GE(contacts.size(), 2U);
    if (i == 0) first = features_of(contacts);
    EXPECT_EQ(features_of(contacts), first);
    for (const ShapeContact& c : contacts) EXPECT_NEAR(c.contact.gap, 0, 1e-14);
  }
}

TEST(HandOver, RockingBoxHasNoJumpInItsGap) {
  // About its lower edge, to one side and the other, over the face of another box: the lowest gap is continuous.
  const Collider box = make_collider(box_shape(0.4, 0.3, 1)), ground = make_collider(box_shape(2, 2, 1));
  double last = 0;
  for (int i = -1000; i <= 1000; ++i) {
    const double tilt = 1e-5 * i, side = tilt >= 0 ? 0.2 : -0.2;
    const Pose turned = pose_at(Vector3::Zero(), {0, tilt, 0});
    const Vector3 pivot = turned.point({side, 0, -0.5});
    const auto contacts = contacts_of(box, {turned.R, Vector3(side, 0, 0.5 + 1e-4) - pivot}, ground, Pose{});
    ASSERT_FALSE(contacts.empty());
    const double gap = lowest(contacts).contact.gap;
    if (i > -1000) {
      EXPECT_LT(std::abs(gap - last), 1e-12);
    }
    EXPECT_NEAR(gap, 1e-4, 1e-13);
    last = gap;
  }
}

TEST(HandOver, GapsAreSmoothBetweenHandOvers) {
  // Second differences of the gap of one pair of features along a smooth motion, against round-off.
  const Shape shapes[] = {sphere_shape(0.3),
                          box_shape(0.5, 0.4, 0.3),
                          capsule_shape(0.2, 0.4),
                          cylinder_shape(0.25, 0.5),
                          cone_shape(0.3, 0.6),
                          ellipsoid_shape(0.6, 0.5, 0.4),
                          hull_shape()};
  std::mt19937 random(5);
  for (const Shape& shape_a : shapes)
    for (const Shape& shape_b : shapes) {
      const Collider a = make_collider(shape_a), b = make_collider(shape_b);
      for (int trial = 0; trial < 10; ++trial) {
        Pose pose_b = pose_at({0, 0, 0}, random_vector(random, 3));
        const Vector3 turn = random_vector(random, 1), way = random_vector(random, 1);
        const Vector3 direction = random_vector(random, 1).normalized();
        // Just apart along a random direction.
        double apart = 2;
        std::vector<ShapeContact> contacts;
        for (; apart > 0 && contacts.empty(); apart -= 0.01) {
          pose_b.p = apart * direction;
          contacts = contacts_of(a, Pose{}, b, pose_b, true, 0.02);
        }
        ASSERT_FALSE(contacts.empty()) << static_cast<int>(shape_a.kind) << " "
                                       << static_cast<int>(shape_b.kind) << " " << direction.transpose();
        const Feature fa = a.geometry->feature(contacts[0].feature_a),
                      fb = b.geometry->feature(contacts[0].feature_b);
        constexpr double step = 1e-5;
        double gap[3];
        Vector3 rate;
        for (int k = 0; k < 3; ++k) {
          const double tau = step * (k - 1);
          const Pose moved{rotation_matrix(quaternion_exponential(tau * turn)) * pose_b.R,
                           pose_b.p + tau * way};
          const FeatureContact c = feature_contact(*a.geometry, Pose{}, fa, *b.geometry, moved, fb);
          gap[k] = c.gap;
        }
        // |Φ̈| ≤ a few/size: 1e-10 · 100; round-off 1e-15.
        EXPECT_LT(std::abs(gap[0] - 2 * gap[1] + gap[2]), 200 * step * step)
            << static_cast<int>(shape_a.kind) << " " << static_cast<int>(shape_b.kind);
      }
    }
}

TEST(Ghosts, NothingSticksOutOfSeamsOfFlatMeshes) {
  // Shapes that glide over a flat mesh never meet a normal that is not vertical, however the seams lie.
  const auto flat = [](double, double) { return 0.0; };
  const Collider mesh = make_collider(ground_mesh(6, 0.21, flat)),
                 field = make_collider(height_field_shape(6, 0.21, flat));
  for (const Resting& resting : resting_shapes()) {
    SCOPED_TRACE(resting.name);
    const Collider shape = make_collider(resting.shape);
    for (const Collider& ground : {mesh, field})
      for (int i = 0; i < 400; ++i) {
        Pose pose = resting.pose;
        // A little into the ground: the worst case for ghosts.
        pose.p += Vector3(1e-3 * i, 0.7e-3 * i, -1e-5);
        const auto contacts = contacts_of(shape, pose, ground, Pose{});
        ASSERT_FALSE(contacts.empty());
        for (const ShapeContact& c : contacts) {
          EXPECT_GT(-c.contact.normal.z(), 1 - 1e-9);
          EXPECT_GT(c.contact.gap, -1.1e-5);
        }
      }
  }
}

// Rims and corners that are below hilly ground, as points of them show, are seen there: acute rims too, beside whose
// points ridges of the ground are not in the solid.
TEST(Depths, NothingSinksIntoHillyGroundUnseen) {
  constexpr double cell = 0.17, radius = 0.034, length = 0.035;
  constexpr int n = 3, poses = 4000;
  const auto hills = [](double x, double y) { return 0.02 * std::sin(23 * x) * std::cos(19 * y + 1); };
  const Collider ground = make_collider(ground_mesh(n, cell, hills));
  // Of the triangles of ground_mesh.
  const auto height = [&](double x, double y) {
    const double i = std::floor(x / cell), j = std::floor(y / cell), u = x / cell - i, v = y / cell - j;
    const double low = hills(cell * i, cell * j), high = hills(cell * (i + 1), cell * (j + 1));
    const double side = u > v ? hills(cell * (i + 1), cell * j) : hills(cell * i, cell * (j + 1));
    return u > v ? low + (side - low) * u + (high - side) * v : low + (side - low) * v + (high - side) * u;
  };
  Random random(3);
  int unseen = 0;
  for (const ShapeKind kind : {ShapeKind::cone, ShapeKind::cylinder}) {
    const Collider shape = make_collider({.kind = kind, .radius = radius, .length = length});
    for (int i = 0; i < poses; ++i) {
      Pose pose = pose_at({random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0},
                          {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
      double deepest = -1;
      const auto look = [&](const Vector3& local) {
        const Vector3 x = pose.point(local);
        deepest = std::max(deepest, height(x.x(), x.y()) - x.z());
      };
      const auto look_around = [&] {
        deepest = -1;
        for (int k = 0; k < 90; ++k) {
          const double a = 2 * std::numbers::pi * k / 90;
          look({radius * std::cos(a), radius * std::sin(a), -0.5 * length});
          if (kind == ShapeKind::cylinder) look({radius * std::cos(a), radius * std::sin(a), 0.5 * length});
        }
        if (kind == ShapeKind::cone) look({0, 0, 0.5 * length});
      };
      look_around();
      pose.p.z() += deepest - random.uniform(1e-4, 5e-3);
      look_around();
      double depth = 0;
      for (const ShapeContact& c : contacts_of(shape, pose, ground, Pose{}, false))
        depth = std::max(depth, -c.contact.gap);
      // The slopes are below 30 degrees, and other ways out may be shorter.
      unseen += depth < 0.5 * deepest ? 1 : 0;
    }
  }
  // One pose in a thousand is left: rims that tilt over a corner of the ground where no two features look at each other.
  EXPECT_LE(unseen, 2 * poses / 1000);
}

TEST(Ghosts, MeshOfABoxIsTheBox) {
  // The same contacts as the exact box, over faces, edges and corners.
  auto surface = std::make_shared<Surface>();
  for (int i = 0; i < 8; ++i)
    surface->vertices.emplace_back((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5,
                                   (i & 4) != 0 ? 0.5 : -0.5);
  surface->triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  const Collider mesh = make_collider({.kind = ShapeKind::mesh, .surface = surface}),
                 box = make_collider(box_shape(1, 1, 1));
  std::mt19937 random(7);
  const Shape shapes[] = {sphere_shape(0.3), capsule_shape(0.2, 0.4), ellipsoid_shape(0.6, 0.5, 0.4),
                          box_shape(0.5, 0.4, 0.3), cylinder_shape(0.25, 0.5)};
  int compared = 0;
  for (const Shape& shape : shapes) {
    const Collider other = make_collider(shape);
    for (int i = 0; i < 400; ++i) {
      const Vector3 turn = random_vector(random, 3), direction = random_vector(random, 1).normalized();
      Pose pose = pose_at(Vector3::Zero(), turn);
      std::vector<ShapeContact> exact;
      for (double apart = 2; apart > 0 && exact.empty(); apart -= 0.004) {
        pose.p = apart * direction;
        exact = contacts_of(other, pose, box, Pose{}, true, 0.005);
      }
      const auto by_mesh = contacts_of(other, pose, mesh, Pose{}, true, 0.005);
      ASSERT_FALSE(by_mesh.empty()) << static_cast<int>(shape.kind) << " " << i;
      EXPECT_NEAR(lowest(by_mesh).contact.gap, lowest(exact).contact.gap, 1e-12)
          << static_cast<int>(shape.kind) << " " << i;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2000);
}

// A cone that lies on the floor, or nearly, with its tip in a wall that stands on the same floor. The lower edge of the wall lies below the
// side of the cone, so that the best direction belongs to no pair of features. Whatever else is in reach, a contact holds the tip back.
TEST(Manifold, ATipThatHasPassedAnEdgeIsHeldBack) {
  const double radius = 0.3, length = 0.8, half_angle = std::atan2(radius, length);
  const Collider cone = make_collider(cone_shape(radius, length)), wall = make_collider(box_shape(1, 4, 1));
  for (double lift : {0.0, 1e-6, 1e-4, 3e-3})
    for (double depth : {1e-6, 1e-4, 1e-3})
      for (double reach : {0.0, 0.05, 1.0})
        for (bool carrying : {false, true}) {
          const Matrix3 R =
              rotation_matrix(quaternion_exponential({0, std::acos(0.0) + half_angle + lift, 0}));
          const Vector3 apex = 0.5 * length * R.col(2);
          const Pose pose{R, Vector3(-apex.x(), 0.02, -apex.z())}, at_tip = pose_at({0.5 - depth, 0, 0.5});
          std::vector<ShapeContact> contacts;
          find_contacts(cone, pose, wall, at_tip, k_envelope, reach, contacts, {.carrying = carrying});
          const double border = border_tolerance(*cone.geometry, *wall.geometry);
          const auto holds = [&](const ShapeContact& c) {
            return c.contact.margin >= -border && c.contact.gap < 0 && c.contact.gap >= -1.01 * depth &&
                   c.contact.normal.x() > 0.5;
          };
          EXPECT_TRUE(std::any_of(contacts.begin(), contacts.end(), holds))
              << lift << ' ' << depth << ' ' << reach << ' ' << carrying;
        }
}

TEST(Reduction, KeepsTheSupportPolygon) {
  // A hull with 40 corners on its lower face, and points inside of it that touch as well: corners of a mesh below.
  auto surface = std::make_shared<Surface>();
  for (int i = 0; i < 40; ++i)
    for (double z : {0.0, 0.4})
      surface->vertices.emplace_back(0.5 * std::cos(0.157079632679 * i), 0.5 * std::sin(0.157079632679 * i),
                                     z);
  const Collider prism = make_collider({.kind = ShapeKind::hull, .surface = surface}),
                 box = make_collider(box_shape(0.9, 0.9, 1));
  const Pose lower = pose_at({0.1, 0.05, -0.5});
  const auto all = contacts_of(prism, Pose{}, box, lower, false),
             reduced = contacts_of(prism, Pose{}, box, lower, true);
  EXPECT_LE(reduced.size(), all.size());
  std::mt19937 random(9);
  for (int i = 0; i < 500; ++i) {
    const Vector3 x = random_vector(random, 0.6);
    EXPECT_NEAR(balance_residual(all, x.x(), x.y()), balance_residual(reduced, x.x(), x.y()), 1e-7);
  }
}

}  // namespace
}  // namespace delassus::manifold_test
