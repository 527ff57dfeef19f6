// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/geometry.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/surfaces.hpp"

namespace delassus::geometry_test {
namespace {

using testing::box_surface;
using testing::expect_refused;
using testing::hull_shape;
using testing::RandomVectors;
using testing::surface_shape;

constexpr double k_round_off = 1e-14;

// A convex shape, how far it reaches in a direction (closed form), and how far a point lies outside (≤ 0: inside).
struct Convex {
  Shape shape;
  std::function<double(const Vector3&)> reach;
  std::function<double(const Vector3&)> outside;
};

double radial(const Vector3& x) {
  return x.head<2>().norm();
}

std::vector<Convex> convex_shapes() {
  const double r = 0.3, l = 0.8, m = 0.05;
  const Vector3 size(0.4, 1.0, 0.6), half = size / 2;
  const std::vector<Vector3> points = RandomVectors(9).directions(50);
  return {
      {{.kind = ShapeKind::sphere, .radius = r},
       [=](const Vector3& d) { return r * d.norm(); },
       [=](const Vector3& x) { return x.norm() - r; }},
      {{.kind = ShapeKind::box, .size = size},
       [=](const Vector3& d) { return half.dot(d.cwiseAbs()); },
       [=](const Vector3& x) { return (x.cwiseAbs() - half).maxCoeff(); }},
      {{.kind = ShapeKind::box, .size = size, .margin = m},
       [=](const Vector3& d) { return (half - Vector3::Constant(m)).dot(d.cwiseAbs()) + m * d.norm(); },
       [=](const Vector3& x) { return (x.cwiseAbs() - half + Vector3::Constant(m)).cwiseMax(0).norm() - m; }},
      {{.kind = ShapeKind::cylinder, .radius = r, .length = l},
       [=](const Vector3& d) { return r * radial(d) + l / 2 * std::abs(d.z()); },
       [=](const Vector3& x) { return std::max(radial(x) - r, std::abs(x.z()) - l / 2); }},
      {{.kind = ShapeKind::capsule, .radius = r, .length = l},
       [=](const Vector3& d) { return r * d.norm() + l / 2 * std::abs(d.z()); },
       [=](const Vector3& x) { return (x - Vector3(0, 0, std::clamp(x.z(), -l / 2, l / 2))).norm() - r; }},
      {{.kind = ShapeKind::cone, .radius = r, .length = l},
       [=](const Vector3& d) { return std::max(l / 2 * d.z(), r * radial(d) - l / 2 * d.z()); },
       [=](const Vector3& x) { return std::max(radial(x) - r * (0.5 - x.z() / l), -l / 2 - x.z()); }},
      {{.kind = ShapeKind::ellipsoid, .size = size},
       [=](const Vector3& d) { return half.cwiseProduct(d).norm(); },
       [=](const Vector3& x) { return x.cwiseQuotient(half).norm() - 1; }},
      {hull_shape(points),
       [=](const Vector3& d) {
         double most = -1;
         for (const Vector3& x : points) most = std::max(most, d.dot(x));
         return most;
       },
       [=](const Vector3& x) {
         double nearest = 1;
         for (const Vector3& y : points) nearest = std::min(nearest, (x - y).norm());
         return nearest;  // one of the points
       }},
  };
}

TEST(Geometry, SupportPoints) {
  RandomVectors random(4);
  const Pose placed{.R = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.4).normalized().toRotationMatrix(),
                    .p = {1, -2, 0.5}};
  for (const Convex& convex : convex_shapes()) {
    SCOPED_TRACE(describe(convex.shape));
    const auto geometry = make_geometry(convex.shape);
    std::vector<Vector3> directions = random.directions(1000);
    for (int i = 0; i < 3; ++i)
      for (double sign : {-1.0, 1.0}) directions.emplace_back(sign * Vector3::Unit(i));
    for (Vector3& d : directions) {
      const Vector3 x = support_point(*geometry, Pose{}, d);
      EXPECT_NEAR(d.dot(x), convex.reach(d), k_round_off);
      EXPECT_LT(convex.outside(x), k_round_off);
      // Any length, any pose.
      const Vector3 y = support_point(*geometry, placed, placed.R * (1e-3 * d));
      EXPECT_NEAR((placed.R * d).dot(y - placed.p), convex.reach(d), k_round_off);
    }
    EXPECT_TRUE(support_point(*geometry, Pose{}, Vector3::Zero()).allFinite());
    EXPECT_TRUE(support_point(*geometry, Pose{}, Vector3(1e-320, 0, 0)).allFinite());
  }
}

TEST(Geometry, BoundsAndWidths) {
  const auto directions = RandomVectors(8).directions(2000);
  for (const Convex& convex : convex_shapes()) {
    SCOPED_TRACE(describe(convex.shape));
    const auto geometry = make_geometry(convex.shape);
    double width = std::numeric_limits<double>::infinity();
    for (const Vector3& d : directions) {
      const double reach = convex.reach(d);
      EXPECT_LE(reach - d.dot(geometry->center), geometry->bound + k_round_off);
      EXPECT_GT(reach, d.dot(geometry->center)) << "the centre is not inside";
      width = std::min(width, reach + convex.reach(-d));
    }
    EXPECT_LE(geometry->size, width + k_round_off);
    // 2000 directions come within 0.05 rad of the narrowest one; hulls and corners grow with the first power.
    EXPECT_GT(geometry->size, 0.85 * width);
    EXPECT_TRUE(geometry->convex);
  }
  // A blunt cone: its centre stays above the base.
  const auto blunt = make_geometry({.kind = ShapeKind::cone, .radius = 2, .length = 0.5});
  EXPECT_GT(blunt->center.z(), -0.25);
  EXPECT_NEAR(blunt->bound, std::hypot(2, blunt->center.z() + 0.25), k_round_off);
}

TEST(Geometry, FeatureNumbers) {
  std::vector<Shape> shapes{{.kind = ShapeKind::plane},
                            surface_shape(ShapeKind::mesh, box_surface({1, 1, 1}))};
  for (const Convex& convex : convex_shapes()) shapes.push_back(convex.shape);
  for (const Shape& shape : shapes) {
    const auto geometry = make_geometry(shape);
    int counts[5] = {};
    for (FeatureIndex i = 0; i < geometry->num_features(); ++i) {
      const Feature feature = geometry->feature(i);
      EXPECT_EQ(geometry->index_of(feature), i);
      ++counts[static_cast<int>(feature.kind)];
    }
    EXPECT_EQ(counts[0], geometry->points.size());
    EXPECT_EQ(counts[1], geometry->edges.size());
    EXPECT_EQ(counts[2], geometry->faces.size());
    EXPECT_EQ(counts[3], 2 * geometry->circles.size());
    EXPECT_EQ(counts[4], shape.kind == ShapeKind::ellipsoid ? 1 : 0);
  }
}

// What holds for every polyhedron of flat faces.
void expect_consistent(const Geometry& g) {
  for (const GeometryFace& face : g.faces)
    for (int i : g.loop(face)) EXPECT_NEAR(face.normal.dot(g.points[i].x - face.x), 0, k_round_off);
  for (const GeometryEdge& e : g.edges) {
    const Vector3 d = (e.x[1] - e.x[0]).normalized();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(e.x[i], g.points[e.point[i]].x);
      if (e.face[i] < 0) {
        EXPECT_EQ(e.arm[i], Vector3(Vector3::Zero()));
        continue;
      }
      const GeometryFace& face = g.faces[e.face[i]];
      EXPECT_NEAR(e.arm[i].norm(), 1, k_round_off);
      EXPECT_NEAR(e.arm[i].dot(d), 0, k_round_off);
      EXPECT_NEAR(e.arm[i].dot(face.normal), 0, k_round_off);
      EXPECT_GT(e.arm[i].dot(face.x - e.x[0]), 0) << "not into the face";
    }
  }
  for (std::size_t i = 0; i < g.points.size(); ++i) {
    const GeometryPoint& p = g.points[i];
    int edges = 0;
    for (const GeometryEdge& e : g.edges)
      for (int k = 0; k < 2; ++k) {
        if (e.point[k] != static_cast<int>(i)) continue;
        ++edges;
        double nearest = 1;
        for (int a = 0; a < p.num_arms; ++a)
          nearest = std::min(nearest, (g.arms[p.first_arm + a] - (e.x[1 - k] - e.x[k]).normalized()).norm());
        EXPECT_LT(nearest, k_round_off) << "no arm along an edge";
      }
    EXPECT_EQ(p.num_arms, edges);
  }
}

TEST(Geometry, PolyhedraAreConsistent) {
  for (const Shape& shape : {Shape{.kind = ShapeKind::box, .size = {1, 2, 3}},
                             Shape{.kind = ShapeKind::box, .size = {1, 2, 3}, .margin = 0.1},
                             hull_shape(RandomVectors(1).directions(30)),
                             surface_shape(ShapeKind::mesh, box_surface({1, 2, 3}))}) {
    const auto g = make_geometry(shape);
    expect_consistent(*g);
    if (!g->convex) continue;
    for (const GeometryEdge& e : g->edges) EXPECT_TRUE(e.ridge);
    // In the normal cone of a point exactly those directions whose support it is.
    for (const Vector3& d : RandomVectors(6).directions(200)) {
      const Vector3 x = support_point(*g, Pose{}, d) - g->points[0].radius * d;
      for (const GeometryPoint& p : g->points) {
        double most = -1;
        for (int a = 0; a < p.num_arms; ++a) most = std::max(most, d.dot(g->arms[p.first_arm + a]));
        EXPECT_EQ(most <= 0, (p.x - x).norm() < k_round_off);
      }
    }
  }
}

TEST(Geometry, RoundedHullKeepsItsFaces) {
  Shape shape = hull_shape(box_surface({1, 2, 3}).vertices);
  shape.margin = 0.2;
  const auto hull = make_geometry(shape);
  const auto box = make_geometry({.kind = ShapeKind::box, .size = {1, 2, 3}, .margin = 0.2});
  for (const Vector3& d : RandomVectors(3).directions(300))
    EXPECT_LT((support_point(*hull, Pose{}, d) - support_point(*box, Pose{}, d)).norm(), k_round_off);
  ASSERT_EQ(hull->faces.size(), 6U);
  for (const GeometryFace& face : hull->faces) {
    EXPECT_EQ(face.rounding, 0.2);
    EXPECT_NEAR(face.normal.dot(face.x) + face.rounding, 0.5 * std::abs(face.normal.dot(Vector3(1, 2, 3))),
                k_round_off);
  }
  for (const GeometryPoint& p : hull->points) EXPECT_EQ(p.radius, 0.2);
  EXPECT_NEAR(hull->size, 1, k_round_off);
  EXPECT_NEAR(hull->bound, Vector3(0.3, 0.8, 1.3).norm() + 0.2, k_round_off);
  shape.name = "brick", shape.margin = 0.5;
  expect_refused([&] { make_geometry(shape); }, {"hull 'brick'", "margin is 0.5", "radius 0.5"});
}

TEST(Geometry, RimsOfCylinderAndCone) {
  const double r = 0.3, l = 0.8;
  for (ShapeKind kind : {ShapeKind::cylinder, ShapeKind::cone}) {
    const auto g = make_geometry({.kind = kind, .radius = r, .length = l});
    const bool cone = kind == ShapeKind::cone;
    ASSERT_EQ(g->circles.size(), cone ? 1U : 2U);
    ASSERT_EQ(g->points.size(), cone ? 9U : 16U);
    for (std::size_t i = 0; i < 8 * g->circles.size(); ++i) {
      const GeometryCircle& rim = g->circles[i / 8];
      const double angle = static_cast<double>(i % 8) * M_PI / 4;
      const Vector3 e(std::cos(angle), std::sin(angle), 0), x = rim.center + r * e;
      EXPECT_LT((g->points[i].x - x).norm(), 1e-15);
      ASSERT_EQ(g->points[i].num_arms, 5);
      const Vector3* arms = &g->arms[g->points[i].first_arm];
      EXPECT_LT((arms[0] + e).norm(), 1e-15);
      // To the apex, or to the other rim.
      const Vector3 end = cone ? Vector3(0, 0, l / 2) : Vector3(x.x(), x.y(), -x.z());
      EXPECT_LT((arms[1] - e).norm(), 1e-15);
      EXPECT_LT((arms[2] - (end - x).normalized()).norm(), 1e-15);
      EXPECT_LT((arms[2] - rim.side_axial * rim.axis - rim.side_radial * e).norm(), 1e-15);
      EXPECT_LT((arms[3] + arms[4]).norm(), 1e-15);
      EXPECT_NEAR(std::abs(arms[3].dot(Vector3::UnitZ().cross(e))), 1, 1e-15);
    }
  }
}

TEST(Geometry, SideOfAConeIsTheEnvelopeOfBalls) {
  const double r = 0.3, l = 0.8;
  const auto g = make_geometry({.kind = ShapeKind::cone, .radius = r, .length = l});
  const GeometryEdge& side = g->edges.at(0);
  EXPECT_EQ(side.point[0], -1);
  EXPECT_EQ(g->points[side.point[1]].x, Vector3(0, 0, l / 2));
  const Vector3 apex(0, 0, l / 2), rim(r, 0, -l / 2), u = (rim - apex).normalized();
  for (double t : {0.0, 0.25, 0.5, 1.0}) {
    const Vector3 c = (1 - t) * side.x[0] + t * side.x[1];
    const Vector3 foot = apex + u * u.dot(c - apex);
    EXPECT_NEAR((foot - c).norm(), (1 - t) * side.radius[0] + t * side.radius[1], 1e-15);
    // The feet run from the rim to the apex.
    EXPECT_LT((foot - ((1 - t) * rim + t * apex)).norm(), 1e-15);
  }
}

// An L of two boxes' height, extruded along y; its triangles by hand.
Surface angle_iron() {
  Surface s;
  const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1},
                                {1, 1}, {1, 2}, {0, 2}};  // (x, z), counter-clockwise from −y
  for (double y : {0.0, 1.0})
    for (const auto& p : outline) s.vertices.emplace_back(p[0], y, p[1]);
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    s.triangles.push_back({i, i + 6, j});
    s.triangles.push_back({j, i + 6, j + 6});
  }
  for (const auto& t : {std::array{0, 1, 3}, std::array{1, 2, 3}, std::array{0, 3, 5}, std::array{3, 4, 5}}) {
    s.triangles.push_back(t);
    s.triangles.push_back({t[0] + 6, t[2] + 6, t[1] + 6});
  }
  return s;
}

TEST(Geometry, RidgesOfAMesh) {
  const Shape mesh = surface_shape(ShapeKind::mesh, angle_iron());
  EXPECT_NEAR(shape_volume(mesh), 3, k_round_off);
  const auto g = make_geometry(mesh);
  expect_consistent(*g);
  EXPECT_FALSE(g->convex);
  EXPECT_NEAR(g->size, 1, k_round_off);
  int ridges = 0, concave = 0;
  for (const GeometryEdge& e : g->edges) {
    ridges += e.ridge;
    const bool inner = e.point[0] % 6 == 3 && e.point[1] % 6 == 3;  // the edge in the corner of the L
    if (inner) {
      ++concave;
      EXPECT_FALSE(e.ridge);
    }
  }
  // 18 edges of the solid, one of them concave; the others cut flat faces.
  EXPECT_EQ(ridges, 17);
  EXPECT_EQ(concave, 1);
}

TEST(Geometry, RidgesStandOutByAnAngle) {
  for (const auto& [slope, ridge] :
       {std::pair(1e-7, true), std::pair(1e-11, false), std::pair(-1e-7, false)}) {
    Surface roof;
    roof.vertices = {{0, 0, 0}, {0, 1, 0}, {-1, 0, -slope}, {1, 0, -slope}, {5, 5, 5}};
    roof.triangles = {{0, 1, 2}, {0, 3, 1}};
    const auto g = make_geometry(surface_shape(ShapeKind::mesh, roof));
    ASSERT_EQ(g->edges.size(), 5U);
    EXPECT_EQ(g->points.size(), 4U) << "a vertex without triangles is none";
    for (const GeometryEdge& e : g->edges) {
      const bool border = e.face[1] < 0;
      EXPECT_EQ(border, !(e.x[0].x() == 0 && e.x[1].x() == 0));
      EXPECT_EQ(e.ridge, border || ridge) << slope;
    }
    EXPECT_EQ(g->size, 1) << "a sheet is as wide as it is, not as thick";
    expect_consistent(*g);
  }
  // Three triangles at an edge: it stays an edge, without a second side.
  Surface book = angle_iron();
  book.vertices.emplace_back(-1, 0, -1);
  book.triangles.push_back({0, 6, 12});
  const auto g = make_geometry(surface_shape(ShapeKind::mesh, book));
  for (const GeometryEdge& e : g->edges)
    if (e.point[0] == 0 && e.point[1] == 6) {
      EXPECT_TRUE(e.ridge);
      EXPECT_EQ(e.face[1], -1);
    }
}

TEST(Geometry, HeightField) {
  for (double height : {0.1, -0.1}) {
    HeightField field{.nx = 4, .ny = 3, .dx = 0.5, .dy = 0.25, .heights = std::vector<double>(12, 0.0)};
    const int peak = 1 + 4 * 1;
    field.heights[peak] = height;
    const auto g =
        make_geometry({.kind = ShapeKind::height_field, .field = std::make_shared<const HeightField>(field)});
    expect_consistent(*g);
    EXPECT_FALSE(g->convex);
    EXPECT_EQ(g->points.size(), 12U);
    EXPECT_EQ(g->faces.size(), 12U);
    // Along x, along y, diagonals.
    EXPECT_EQ(g->edges.size(), 3U * 3 + 4 * 2 + 3 * 2);
    EXPECT_EQ(g->size, 0.25);
    EXPECT_LT((g->points[peak].x - Vector3(-0.25, 0, height)).norm(), 1e-16);
    for (const GeometryFace& face : g->faces) EXPECT_GT(face.normal.z(), 0);
    for (const GeometryPoint& p : g->points) EXPECT_LE((p.x - g->center).norm(), g->bound);
    // Diagonals go from (i, j) to (i+1, j+1): two of them end at the peak.
    EXPECT_EQ(g->points[peak].num_arms, 6);
    int diagonals = 0;
    for (const GeometryEdge& e : g->edges)
      diagonals += (e.x[1] - e.x[0]).head<2>().isApprox(Eigen::Vector2d(0.5, 0.25));
    EXPECT_EQ(diagonals, 6);
    // Everything falls off from a peak, and rises from a pit.
    for (const GeometryEdge& e : g->edges)
      if (e.point[0] == peak || e.point[1] == peak) {
        EXPECT_EQ(e.ridge, height > 0);
      }
  }
}

TEST(Geometry, RefusesDegenerateShapes) {
  Surface flat = box_surface({1, 1, 0});
  flat.file = "flat.stl";
  Shape shape = surface_shape(ShapeKind::hull, flat);
  shape.name = "sheet";
  expect_refused([&] { make_geometry(shape); }, {"hull 'sheet' (flat.stl)", "in a plane"});
  shape.kind = ShapeKind::mesh;
  expect_refused([&] { make_geometry(shape); }, {"mesh 'sheet' (flat.stl)", "no area"});
  expect_refused([] { make_geometry({.kind = ShapeKind::sphere, .radius = -1, .name = "hole"}); },
                 {"sphere 'hole'", "radius is -1"});
}

}  // namespace
}  // namespace delassus::geometry_test
