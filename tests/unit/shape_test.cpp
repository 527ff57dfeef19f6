// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/support/surfaces.hpp"

namespace delassus::shape_test {
namespace {

using testing::box_surface;
using testing::expect_refused;
using testing::hull_shape;
using testing::RandomVectors;
using testing::surface_shape;

constexpr double k_density = 7.0;

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance);
  EXPECT_LT((a.center_of_mass - b.center_of_mass).norm(), tolerance);
  EXPECT_LT((a.inertia - b.inertia).norm(), tolerance) << a.inertia << "\n\n" << b.inertia;
}

// Of a solid with elliptic slices of the half axes a = ρ(z) α, b = ρ(z) β: A = π α β ρ², ∫x² = A a²/4. Simpson's rule,
// between bounds where ρ² is a polynomial.
MassProperties sliced(const std::function<double(double)>& rho_squared, const std::vector<double>& bounds,
                      double alpha = 1, double beta = 1) {
  constexpr int slices = 2000;  // the error of ρ⁴, of degree 4, is below 1e-14
  double mass = 0, first = 0, xx = 0, yy = 0, zz = 0;
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    const double h = (bounds[k + 1] - bounds[k]) / slices;
    for (int i = 0; i <= slices; ++i) {
      const double z = bounds[k] + h * i, w = (i == 0 || i == slices ? 1 : i % 2 ? 4 : 2) * h / 3;
      const double square = rho_squared(z), m = k_density * w * std::numbers::pi * alpha * beta * square;
      mass += m, first += m * z, zz += m * z * z;
      xx += m * alpha * alpha * square / 4, yy += m * beta * beta * square / 4;
    }
  }
  zz -= first * first / mass;
  return {mass, {0, 0, first / mass}, Vector3(yy + zz, xx + zz, xx + yy).asDiagonal()};
}

TEST(Shape, MassOfRoundShapesBySlices) {
  const double r = 0.3, l = 0.8;
  const auto mass_of = [](const Shape& shape) { return mass_properties({shape}, k_density); };
  const double tolerance = 1e-12;
  expect_same(mass_of({.kind = ShapeKind::sphere, .radius = r}),
              sliced([&](double z) { return r * r - z * z; }, {-r, r}), tolerance);
  expect_same(mass_of({.kind = ShapeKind::cylinder, .radius = r, .length = l}),
              sliced([&](double) { return r * r; }, {-l / 2, l / 2}), tolerance);
  expect_same(mass_of({.kind = ShapeKind::capsule, .radius = r, .length = l}),
              sliced(
                  [&](double z) {
                    const double beyond = std::max(0.0, std::abs(z) - l / 2);
                    return r * r - beyond * beyond;
                  },
                  {-l / 2 - r, -l / 2, l / 2, l / 2 + r}),
              tolerance);
  expect_same(mass_of({.kind = ShapeKind::cone, .radius = r, .length = l}),
              sliced([&](double z) { return std::pow(r * (0.5 - z / l), 2); }, {-l / 2, l / 2}), tolerance);
  expect_same(mass_of({.kind = ShapeKind::ellipsoid, .size = {0.4, 1.0, 0.6}}),
              sliced([&](double z) { return 1 - z * z / 0.09; }, {-0.3, 0.3}, 0.2, 0.5), tolerance);
}

TEST(Shape, BoxAsHullAndAsMesh) {
  const Vector3 size(1, 0.5, 2);
  Shape box{.kind = ShapeKind::box, .size = size}, hull = hull_shape(box_surface(size).vertices),
                                                   mesh = surface_shape(ShapeKind::mesh, box_surface(size));
  EXPECT_NEAR(shape_volume(box), 1, 1e-15);
  for (Shape* shape : {&box, &hull, &mesh}) {
    shape->position = {3, -2, 1};
    shape->orientation = quaternion_exponential({0.3, 0.8, -1.1});
  }
  const MassProperties expected = mass_properties({box}, k_density);
  expect_same(mass_properties({hull}, k_density), expected, 1e-13);
  expect_same(mass_properties({mesh}, k_density), expected, 1e-13);
  // Two halves side by side are the whole.
  Shape left = hull, right = mesh;
  const Vector3 half(0.5, 0.5, 2);
  left.surface = std::make_shared<const Surface>(box_surface(half));
  right.surface = left.surface;
  left.position -= rotate(left.orientation, {0.25, 0, 0});
  right.position += rotate(right.orientation, {0.25, 0, 0});
  expect_same(mass_properties({left, right}, k_density), expected, 1e-13);
  // A margin is not weighed.
  hull.margin = 0.1;
  expect_same(mass_properties({hull}, k_density), expected, 1e-13);
}

TEST(Shape, Tetrahedron) {
  Surface corner;
  corner.vertices = {Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  corner.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
  MassProperties expected{1.0 / 6, Vector3::Constant(0.25), Matrix3::Constant(1.0 / 480)};
  expected.inertia.diagonal().setConstant(1.0 / 80);
  expect_same(mass_properties({surface_shape(ShapeKind::mesh, corner)}, 1), expected, 1e-16);
  expect_same(mass_properties({surface_shape(ShapeKind::hull, corner)}, 1), expected, 1e-16);
  // Far away, ten thousand times its size: the inertia about its centre keeps the digits that its corners have.
  for (Vector3& x : corner.vertices) x += Vector3(1e4, -1e4, 1e4);
  expected.center_of_mass += Vector3(1e4, -1e4, 1e4);
  expect_same(mass_properties({surface_shape(ShapeKind::mesh, corner)}, 1), expected, 1e-11);
}

TEST(Shape, PoseOfAHullMovesItsPoints) {
  RandomVectors random(2);
  Shape placed = hull_shape(random.directions(40));
  placed.position = {0.3, -0.4, 2};
  placed.orientation = quaternion_exponential({-0.5, 0.2, 0.9});
  std::vector<Vector3> points;
  for (const Vector3& x : placed.surface->vertices)
    points.emplace_back(placed.position + rotate(placed.orientation, x));
  expect_same(mass_properties({placed}, k_density), mass_properties({hull_shape(points)}, k_density), 1e-13);
}

// A shape that is none, and what must be said about it.
struct Bad {
  const char* title;
  Shape shape;
  std::vector<std::string> words;
  bool solid = false;
};

Shape changed_box(ShapeKind kind, const std::function<void(Surface&)>& change) {
  Surface surface = box_surface({1, 1, 1});
  surface.file = "block.obj";
  change(surface);
  Shape shape = surface_shape(kind, surface);
  shape.name = "block";
  return shape;
}

Shape changed_field(const std::function<void(HeightField&)>& change) {
  HeightField field{.nx = 3, .ny = 2, .heights = std::vector<double>(6, 0.1), .file = "hills.csv"};
  change(field);
  return {.kind = ShapeKind::height_field,
          .name = "hills",
          .field = std::make_shared<const HeightField>(std::move(field))};
}

std::vector<Bad> bad_shapes() {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const auto mesh = [](const auto& change) { return changed_box(ShapeKind::mesh, change); };
  const auto hull = [](const auto& change) { return changed_box(ShapeKind::hull, change); };
  return {
      {"radius 0",
       {.kind = ShapeKind::sphere, .radius = 0, .name = "ball"},
       {"sphere 'ball'", "radius is 0", "> 0"}},
      {"radius nan",
       {.kind = ShapeKind::cylinder, .radius = nan, .length = 1},
       {"cylinder:", "radius is nan"}},
      {"length −1", {.kind = ShapeKind::cone, .radius = 1, .length = -1}, {"cone:", "length is -1", "> 0"}},
      {"length 0", {.kind = ShapeKind::capsule, .radius = 1}, {"capsule:", "length is 0", "> 0"}},
      {"flat box", {.kind = ShapeKind::box, .size = {1, 0, 1}, .name = "b"}, {"box 'b'", "(1, 0, 1)", "> 0"}},
      {"ellipsoid", {.kind = ShapeKind::ellipsoid, .size = {1, infinite, 1}}, {"ellipsoid:", "inf", "> 0"}},
      {"box margin",
       {.kind = ShapeKind::box, .size = {1, 2, 3}, .margin = 0.5},
       {"box:", "margin is 0.5", "half"}},
      {"margin −1",
       {.kind = ShapeKind::box, .size = {1, 2, 3}, .margin = -1},
       {"box:", "margin is -1", ">= 0"}},
      {"ball margin",
       {.kind = ShapeKind::sphere, .margin = 0.1},
       {"sphere:", "margin is 0.1", "boxes and hulls"}},
      {"no points", {.kind = ShapeKind::hull, .name = "h"}, {"hull 'h'", "no points"}},
      {"flat hull",
       hull([](Surface& s) {
         for (Vector3& x : s.vertices) x.y() = 3;
       }),
       {"hull 'block' (block.obj)", "in a plane", "> "}},
      {"hull nan",
       hull([&](Surface& s) { s.vertices[2].x() = nan; }),
       {"hull 'block' (block.obj)", "point 3", "nan"}},
      {"no surface", {.kind = ShapeKind::mesh, .name = "m"}, {"mesh 'm'", "no surface"}},
      {"empty mesh",
       mesh([](Surface& s) { s.triangles.clear(); }),
       {"mesh 'block' (block.obj)", "empty", "at least 1 triangle"}},
      {"mesh nan",
       mesh([&](Surface& s) { s.vertices[7].z() = infinite; }),
       {"mesh 'block' (block.obj)", "vertex 8", "inf", "finite"}},
      {"index",
       mesh([](Surface& s) { s.triangles[4][1] = 8; }),
       {"(block.obj)", "triangle 5", "vertex 9", "1 … 8"}},
      {"index −1",
       mesh([](Surface& s) { s.triangles[0][0] = -1; }),
       {"(block.obj)", "triangle 1", "vertex 0"}},
      {"corner twice",
       mesh([](Surface& s) {
         s.triangles[3] = {1, 1, 2};
       }),
       {"(block.obj)", "triangle 4", "no area"}},
      {"no area",
       mesh([](Surface& s) {
         s.vertices.emplace_back(0, -0.5, -0.5);
         s.triangles.push_back({0, 8, 1});
       }),
       {"(block.obj)", "triangle 13", "vertices 1, 9, 2", "no area"}},
      {"open mesh",
       mesh([](Surface& s) { s.triangles.pop_back(); }),
       {"mesh 'block' (block.obj)", "open", "3 edges", "solid"},
       true},
      {"three at an edge",
       mesh([](Surface& s) {
         s.vertices.emplace_back(0, 0, -2);
         s.triangles.push_back({0, 1, 8});
       }),
       {"mesh 'block' (block.obj)", "3 triangles", "solid: 2"},
       true},
      {"turned triangle",
       mesh([](Surface& s) { std::swap(s.triangles[0][0], s.triangles[0][1]); }),
       {"mesh 'block' (block.obj)", "same direction", "counter-clockwise"},
       true},
      {"inside out",
       mesh([](Surface& s) {
         for (auto& t : s.triangles) std::swap(t[0], t[1]);
       }),
       {"mesh 'block' (block.obj)", "inside out", "-1 m³", "counter-clockwise"},
       true},
      {"no volume",
       mesh([](Surface& s) {
         s.triangles = {{0, 1, 3}, {0, 3, 1}};
       }),
       {"mesh 'block' (block.obj)", "encloses nothing"},
       true},
      {"one row",
       changed_field([](HeightField& f) { f.ny = 1; }),
       {"height_field 'hills' (hills.csv)", "3 by 1", "2 by 2"}},
      {"dx 0", changed_field([](HeightField& f) { f.dx = 0; }), {"(hills.csv)", "dx is 0", "> 0"}},
      {"few heights",
       changed_field([](HeightField& f) { f.heights.pop_back(); }),
       {"(hills.csv)", "5 heights", "= 6"}},
      {"height nan",
       changed_field([&](HeightField& f) { f.heights[4] = nan; }),
       {"(hills.csv)", "point (1, 1)", "nan", "finite"}},
      {"no heights", {.kind = ShapeKind::height_field, .name = "f"}, {"height_field 'f'", "no heights"}},
      {"weighed field",
       changed_field([](HeightField&) {}),
       {"height_field 'hills' (hills.csv)", "no mass"},
       true},
      {"weighed plane", {.kind = ShapeKind::plane, .name = "floor"}, {"plane 'floor'", "no mass"}, true},
  };
}

TEST(Shape, DegenerateOnesAreRefused) {
  for (const Bad& bad : bad_shapes()) {
    SCOPED_TRACE(bad.title);
    expect_refused([&] { require_shape(bad.shape, bad.solid); }, bad.words);
    expect_refused([&] { mass_properties({bad.shape}, 1); }, {bad.words[0]});
    // A hole matters to a solid only; triangles that look both ways never make sense.
    if (bad.solid && std::string(bad.title) != "turned triangle") {
      EXPECT_EQ(check_shape(bad.shape, false), "");
    }
  }
}

TEST(Shape, GoodOnesAreNot) {
  for (const Shape& shape :
       {changed_box(ShapeKind::mesh, [](Surface&) {}), changed_box(ShapeKind::hull, [](Surface&) {}),
        Shape{.kind = ShapeKind::box, .size = {1, 2, 3}, .margin = 0.49},
        Shape{.kind = ShapeKind::cone, .radius = 1, .length = 1}})
    EXPECT_EQ(check_shape(shape, true), "");
  EXPECT_EQ(check_shape(changed_field([](HeightField&) {}), false), "");
}

}  // namespace
}  // namespace delassus::shape_test
