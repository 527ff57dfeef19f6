// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/surfaces.hpp"

namespace delassus::hull_test {
namespace {

using testing::expect_refused;
using testing::RandomVectors;

const Eigen::Quaterniond k_turn = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.4).normalized();

// How far points stick out of the planes of the faces.
double outside(const Polyhedron& hull, const std::vector<Vector3>& points) {
  double most = -std::numeric_limits<double>::infinity();
  for (const PolygonFace& face : hull.faces)
    for (const Vector3& x : points) most = std::max(most, face.normal.dot(x - hull.center(face)));
  return most;
}

double flatness(const Polyhedron& hull) {
  double most = 0;
  for (const PolygonFace& face : hull.faces)
    for (int i : hull.loop(face))
      most = std::max(most, std::abs(face.normal.dot(hull.vertices[i] - hull.center(face))));
  return most;
}

void expect_counts(const Polyhedron& hull, std::size_t vertices, std::size_t edges, std::size_t faces) {
  EXPECT_EQ(hull.vertices.size(), vertices);
  EXPECT_EQ(hull.edges.size(), edges);
  EXPECT_EQ(hull.faces.size(), faces);
}

std::vector<Vector3> box_points(const Vector3& size) {
  return testing::box_surface(size).vertices;
}

std::vector<Vector3> turned(std::vector<Vector3> points, const Vector3& shift) {
  for (Vector3& x : points) x = k_turn * x + shift;
  return points;
}

TEST(Hull, RandomPoints) {
  RandomVectors random(3);
  for (int n : {4, 5, 10, 50, 300, 2000}) {
    for (bool ball : {false, true}) {
      std::vector<Vector3> points;
      for (int i = 0; i < n; ++i) points.push_back(ball ? random.direction() : random.normal());
      const Polyhedron hull = convex_hull(points);
      EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
      if (ball) {
        EXPECT_EQ(hull.vertices.size(), points.size());
      }
      // Round-off of a few operations at sizes up to 5; no face of these is a thin sliver.
      EXPECT_LT(outside(hull, points), 1e-13) << n;
      for (const PolygonEdge& e : hull.edges) {
        ASSERT_GE(e.face[1], 0);
        // The neighbour falls off: its corners lie below the face.
        const PolygonFace &a = hull.faces[e.face[0]], &b = hull.faces[e.face[1]];
        EXPECT_LT(a.normal.dot(hull.center(b) - hull.center(a)), 0);
      }
      const Polyhedron again = convex_hull(points);
      EXPECT_EQ(again.loops, hull.loops);
      EXPECT_EQ(again.vertices, hull.vertices);
      for (std::size_t k = 0; k < hull.faces.size(); ++k)
        EXPECT_EQ(again.faces[k].normal, hull.faces[k].normal) << "bits differ";
    }
  }
}

TEST(Hull, FacesAreWholePolygons) {
  // A grid in a box: points on its faces and edges are no corners. Also turned and far away.
  std::vector<Vector3> grid;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 6; ++k) grid.emplace_back(0.1 * i, 0.3 * j, 0.2 * k);
  const double volume = 0.4 * 0.9 * 1.0;
  for (const auto& points : {grid, turned(grid, Vector3::Zero()), turned(grid, {7, -30, 50})}) {
    const Polyhedron hull = convex_hull(points);
    expect_counts(hull, 8, 12, 6);
    EXPECT_LT(flatness(hull), 1e-14 * 60);
    EXPECT_NEAR(compute_moments(hull).volume, volume, 1e-14 * 60);
  }
  // A dodecahedron: (±1, ±1, ±1) and the cyclic permutations of (0, ±1/φ, ±φ).
  const double phi = std::numbers::phi;
  std::vector<Vector3> points = box_points(Vector3::Constant(2));
  for (double a : {-1.0, 1.0})
    for (double b : {-1.0, 1.0})
      for (int k = 0; k < 3; ++k) {
        Vector3 x;
        x[k] = 0, x[(k + 1) % 3] = a / phi, x[(k + 2) % 3] = b * phi;
        points.push_back(x);
      }
  const Polyhedron hull = convex_hull(turned(points, Vector3::Zero()));
  expect_counts(hull, 20, 30, 12);
  // Edges 2/φ: V = (15 + 7√5)/4 a³; inner radius a/2 √((25 + 11√5)/10).
  const double a = 2 / phi, root = std::sqrt(5.0);
  EXPECT_NEAR(compute_moments(hull).volume, (15 + 7 * root) / 4 * a * a * a, 1e-13);
  EXPECT_NEAR(inner_ball(hull).radius, a / 2 * std::sqrt((25 + 11 * root) / 10), 1e-14);
}

TEST(Hull, NearlyFlatFacesStayApart) {
  for (const auto& [height, corners] : {std::pair(1e-9, 9), std::pair(1e-11, 9), std::pair(1e-13, 8)}) {
    std::vector<Vector3> points = box_points({1, 1, 1});
    points.emplace_back(0, 0, 0.5 + height);
    const Polyhedron hull = convex_hull(points);
    EXPECT_EQ(hull.vertices.size(), corners) << height;
    EXPECT_EQ(hull.faces.size(), corners == 9 ? 9 : 6);
    EXPECT_LE(outside(hull, points), height > 1e-12 ? 1e-15 : 1e-12);
  }
}

TEST(Hull, SurvivesNoise) {
  // Corners of a box, many times over, moved by next to nothing: whatever faces they make, they close.
  RandomVectors random(5);
  for (int k = 0; k < 300; ++k) {
    const double noise = std::pow(10, -(k % 17));
    std::vector<Vector3> points;
    for (int copy = 0; copy < 1 + k % 7; ++copy)
      for (const Vector3& x : box_points({1, 2, 0.5})) points.push_back(k_turn * x + noise * random.normal());
    const Polyhedron hull = convex_hull(points);
    EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
    if (noise < 1e-5) {
      EXPECT_NEAR(compute_moments(hull).volume, 1, 30 * noise + 1e-14);
    }
  }
}

TEST(Hull, InnerBallTouchesFacesOnAllSides) {
  EXPECT_NEAR(inner_ball(convex_hull(turned(box_points({3, 1, 2}), {4, 5, 6}))).radius, 0.5, 1e-14);
  // Of the corner tetrahedron: r = 3 V / (sum of the areas) = ½ / (3/2 + √3/2).
  const std::vector<Vector3> corner = {Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  const InnerBall ball = inner_ball(convex_hull(corner));
  const double r = 1 / (3 + std::sqrt(3.0));
  EXPECT_NEAR(ball.radius, r, 1e-15);
  EXPECT_LT((ball.center - Vector3::Constant(r)).norm(), 1e-15);
}

TEST(Hull, CoreIsTheHullMovedInward) {
  for (double margin : {1e-6, 0.1, 0.4}) {
    const Polyhedron core = make_core(convex_hull(turned(box_points({3, 1, 2}), {1, 2, 3})), margin);
    expect_counts(core, 8, 12, 6);
    // In the frame of the box its corners are those of the smaller box.
    for (const Vector3& x : core.vertices) {
      const Vector3 local = (k_turn.conjugate() * (x - Vector3(1, 2, 3))).cwiseAbs();
      EXPECT_LT((local - Vector3(1.5 - margin, 0.5 - margin, 1 - margin)).norm(), 1e-13);
    }
  }
  // Random ones: each face of the core has the normal of a face of the hull, the margin below it.
  RandomVectors random(11);
  for (int n : {4, 8, 30, 200}) {
    const Polyhedron hull = convex_hull(random.directions(n));
    const InnerBall ball = inner_ball(hull);
    for (double part : {0.01, 0.3, 0.9}) {
      const double margin = part * ball.radius;
      const Polyhedron core = make_core(hull, margin);
      EXPECT_LT(outside(hull, core.vertices), -margin + 1e-13);
      EXPECT_NEAR(inner_ball(core).radius, ball.radius - margin, 1e-13);
      for (const PolygonFace& face : core.faces) {
        double nearest = 1;
        for (const PolygonFace& other : hull.faces)
          if (face.normal.dot(other.normal) > 1 - 1e-12)
            nearest =
                std::min(nearest, std::abs(face.normal.dot(hull.center(other) - core.center(face)) - margin));
        // Faces that the margin has nearly eaten up have poor normals.
        EXPECT_LT(nearest, 1e-7) << n << " " << part;
      }
    }
  }
}

TEST(Hull, RefusesWhatHasNoInside) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vector3> plane, line;
  for (int i = 0; i < 10; ++i) {
    plane.emplace_back(k_turn * Vector3(std::cos(i), std::sin(i), 0.5));
    line.emplace_back(0.1 * i, 0.2 * i, 0.3 * i);
  }
  expect_refused([] { convex_hull(std::vector<Vector3>(3, Vector3::Zero())); }, {"3 points", "at least 4"});
  expect_refused([] { convex_hull(std::vector<Vector3>(7, Vector3(1, 2, 3))); }, {"the same"});
  expect_refused([&] { convex_hull(line); }, {"in a line"});
  expect_refused([&] { convex_hull(plane); }, {"in a plane", "thickness"});
  plane[4].x() = nan;
  expect_refused([&] { convex_hull(plane); }, {"point 5", "nan", "finite"});
  const Polyhedron box = convex_hull(box_points({3, 1, 2}));
  expect_refused([&] { make_core(box, 0.5); }, {"margin is 0.5", "radius 0.5"});
  expect_refused([&] { make_core(box, -0.1); }, {"margin is -0.1", ">= 0"});
  expect_refused([&] { make_core(box, nan); }, {"margin is nan"});
}

}  // namespace
}  // namespace delassus::hull_test
