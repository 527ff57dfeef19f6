// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/broad_phase.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../support/random_problem.hpp"
#include "delassus/collision/triangle_tree.hpp"

namespace delassus::broad_phase_test {
namespace {

using testing::Random;
using Pairs = std::vector<BroadPhase::Pair>;

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
// Coordinates of order 1 are the result of about ten operations.
constexpr double k_round_off = 1e-14;

Pose random_pose(Random& random) {
  return {rotation_matrix(quaternion_exponential(std::numbers::pi * random.vector(3))), random.vector(3)};
}

std::shared_ptr<const Surface> random_points(Random& random, int count) {
  auto surface = std::make_shared<Surface>();
  for (int i = 0; i < count; ++i) surface->vertices.emplace_back(random.vector(3));
  return surface;
}

std::shared_ptr<const HeightField> random_field(Random& random, int nx, int ny) {
  auto field = std::make_shared<HeightField>();
  field->nx = nx;
  field->ny = ny;
  field->dx = 0.3;
  field->dy = 0.2;
  for (int i = 0; i < nx * ny; ++i) field->heights.push_back(random.uniform(0, 0.5));
  return field;
}

std::vector<Shape> convex_shapes() {
  Random random(5);
  return {{.kind = ShapeKind::sphere, .radius = 0.4},
          {.kind = ShapeKind::box, .size = {0.3, 0.5, 0.9}},
          {.kind = ShapeKind::box, .size = {0.3, 0.5, 0.9}, .margin = 0.1},
          {.kind = ShapeKind::cylinder, .radius = 0.3, .length = 0.8},
          {.kind = ShapeKind::capsule, .radius = 0.2, .length = 0.7},
          {.kind = ShapeKind::cone, .radius = 0.5, .length = 0.6},
          {.kind = ShapeKind::ellipsoid, .size = {0.2, 0.5, 1.1}},
          {.kind = ShapeKind::hull, .surface = random_points(random, 20)}};
}

void expect_equal(const Bounds& a, const Bounds& b, double tolerance) {
  EXPECT_LE((a.lower - b.lower).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((a.upper - b.upper).cwiseAbs().maxCoeff(), tolerance);
}

TEST(Bounds, OverlapMergeInflate) {
  const Bounds a{{0, 0, 0}, {1, 2, 3}}, b{{1, 2, 3}, {4, 5, 6}}, empty;
  EXPECT_TRUE(overlap(a, b));  // a corner is shared
  EXPECT_FALSE(overlap(a, inflate(b, -1e-15)));
  for (int axis = 0; axis < 3; ++axis) {
    Bounds c = a;
    c.lower[axis] = a.upper[axis] + 1e-9;
    c.upper[axis] = c.lower[axis] + 1;
    EXPECT_FALSE(overlap(a, c));
    EXPECT_FALSE(overlap(c, a));
  }
  expect_equal(merge(a, b), {{0, 0, 0}, {4, 5, 6}}, 0);
  expect_equal(merge(a, empty), a, 0);
  expect_equal(inflate(a, 0.5), {{-0.5, -0.5, -0.5}, {1.5, 2.5, 3.5}}, 0);
  EXPECT_TRUE(is_empty(empty));
  EXPECT_TRUE(is_empty(Bounds{{0, 0, k_nan}, {1, 1, 1}}));
  EXPECT_FALSE(is_empty(Bounds{{0, 0, 0}, {0, 0, 0}}));
  EXPECT_TRUE(contains(merge(a, b), b));
  EXPECT_FALSE(contains(a, b));
}

// Against the support function: the extreme point of each of the six directions.
TEST(Bounds, AreTheSmallestOfConvexShapes) {
  Random random(1);
  for (const Shape& shape : convex_shapes()) {
    const auto geometry = make_geometry(shape);
    for (int trial = 0; trial < 50; ++trial) {
      const Pose pose = random_pose(random);
      Bounds expected;
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3 e = Vector3::Unit(axis);
        expected.lower[axis] = support_point(*geometry, pose, -e)[axis];
        expected.upper[axis] = support_point(*geometry, pose, e)[axis];
      }
      expect_equal(bounds_of(*geometry, pose), expected, k_round_off);
    }
  }
}

// By hand: axes turned by 45° about x, so that the shape's z points along (0, −1, 1)/√2.
TEST(Bounds, OfTiltedShapesInClosedForm) {
  const double h = std::sqrt(0.5);
  const Pose pose{.R = rotation_matrix(quaternion_exponential(Vector3(std::numbers::pi / 4, 0, 0))),
                  .p = {1, 2, 3}};
  const auto check = [&](const Shape& shape, const Vector3& lower, const Vector3& upper) {
    expect_equal(bounds_of(*make_geometry(shape), pose), {pose.p + lower, pose.p + upper}, k_round_off);
  };
  const auto check_symmetric = [&](const Shape& shape, const Vector3& half) { check(shape, -half, half); };
  check_symmetric({.kind = ShapeKind::sphere, .radius = 0.3}, {0.3, 0.3, 0.3});
  check_symmetric({.kind = ShapeKind::capsule, .radius = 0.3, .length = 1},
                  {0.3, 0.3 + 0.5 * h, 0.3 + 0.5 * h});
  check_symmetric({.kind = ShapeKind::cylinder, .radius = 0.3, .length = 1}, {0.3, 0.8 * h, 0.8 * h});
  check_symmetric({.kind = ShapeKind::box, .size = {1, 2, 4}}, {0.5, 3 * h, 3 * h});
  check_symmetric({.kind = ShapeKind::ellipsoid, .size = {2, 6, 8}}, {1, 5 * h, 5 * h});
  // The base, of radius 0.3, lies towards (0, 1, −1)/√2; the apex is at −0.5 h, 0.5 h.
  check({.kind = ShapeKind::cone, .radius = 0.3, .length = 1}, {-0.3, -0.5 * h, -0.8 * h},
        {0.3, 0.8 * h, 0.5 * h});
}

TEST(Bounds, OfSurfacesByTheirVertices) {
  Random random(2);
  const Shape shape{.kind = ShapeKind::height_field, .field = random_field(random, 5, 4)};
  const auto geometry = make_geometry(shape);
  const Pose pose = random_pose(random);
  Bounds expected;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 5; ++i) {
      const Vector3 x = pose.point({(i - 2) * 0.3, (j - 1.5) * 0.2, shape.field->heights[i + 5 * j]});
      expected = merge(expected, {x, x});
    }
  expect_equal(bounds_of(*geometry, pose), expected, k_round_off);
}

TEST(Bounds, OfAHalfSpaceEndAtItsPlaneWhereThatIsAnAxis) {
  const auto geometry = make_geometry({.kind = ShapeKind::plane});
  const double quarter = std::numbers::pi / 2;
  const auto box = [&](const Vector3& turn) {
    return bounds_of(*geometry, {rotation_matrix(quaternion_exponential(turn)), {1, 2, 3}});
  };
  const auto count_finite = [](const Bounds& b) {
    return static_cast<int>(b.lower.array().isFinite().count() + b.upper.array().isFinite().count());
  };
  EXPECT_EQ(box({0, 0, 0.3}).upper.z(), 3);          // up
  EXPECT_EQ(box({-quarter, 0, 0}).upper.y(), 2);     // z to y
  EXPECT_EQ(box({0, -quarter, 0}).lower.x(), 1);     // z to −x
  EXPECT_EQ(box({2 * quarter, 0, 0}).lower.z(), 3);  // down
  for (const Vector3& turn : {Vector3(0, 0, 0.3), Vector3(-quarter, 0, 0), Vector3(0, -quarter, 0)})
    EXPECT_EQ(count_finite(box(turn)), 1);
  EXPECT_EQ(count_finite(box({1e-12, 0, 0})), 0);
  EXPECT_EQ(count_finite(box({0.3, 0.2, 0})), 0);
}

// The motion is followed in small steps.
TEST(Bounds, SweptOnesHoldTheWholeMotion) {
  Random random(3);
  for (const Shape& shape : convex_shapes()) {
    const auto geometry = make_geometry(shape);
    for (double angle : {0.0, 1e-3, 0.5, 2.0, std::numbers::pi, 4.0, 9.0}) {
      const Pose begin = random_pose(random);
      const Vector3 pivot = random.vector(3), velocity = random.vector(3),
                    axis = Vector3(random.vector(3)).normalized(), center = begin.point(pivot);
      const auto pose_at = [&](double s) {
        Pose pose;
        pose.R = rotation_matrix(quaternion_exponential(s * angle * axis)) * begin.R;
        pose.p = center + s * velocity - pose.R * pivot;
        return pose;
      };
      const Bounds swept = swept_bounds(*geometry, begin, pose_at(1), angle, pivot);
      constexpr int steps = 100;
      for (int k = 0; k <= steps; ++k)
        ASSERT_TRUE(contains(inflate(swept, 10 * k_round_off),
                             bounds_of(*geometry, pose_at(k / static_cast<double>(steps)))))
            << "shape " << static_cast<int>(shape.kind) << ", angle " << angle << ", step " << k;
    }
  }
}

// A small ball on a circle about the pivot: the box is larger than the motion by no more than (1) of the ball's own
// radius.
TEST(Bounds, SweptOnesAreNotMuchLarger) {
  constexpr double radius = 0.01, arm = 2;
  const auto ball = make_geometry({.kind = ShapeKind::sphere, .radius = radius});
  for (double angle : {0.1, 1.0, 3.0}) {
    const auto pose_at = [&](double turn) {
      const Matrix3 R = rotation_matrix(quaternion_exponential(Vector3(0, 0, turn)));
      return Pose{R, R * Vector3(arm, 0, 0)};
    };
    const Bounds box = swept_bounds(*ball, pose_at(-angle / 2), pose_at(angle / 2), angle, {-arm, 0, 0});
    const double sagitta = 1 - std::cos(angle / 2);
    EXPECT_NEAR(box.upper.x(), arm + radius + radius * sagitta, k_round_off);
    EXPECT_NEAR(box.upper.y(), arm * std::sin(angle / 2) + radius + (arm + radius) * sagitta, k_round_off);
  }
}

TEST(Bounds, SweptHalfSpaceHasNoNaN) {
  const auto plane = make_geometry({.kind = ShapeKind::plane});
  for (double angle : {0.0, 0.1, 5.0}) {
    const Bounds box = swept_bounds(*plane, {}, {.p = {0, 0, 1}}, angle);
    EXPECT_FALSE(is_empty(box)) << angle;
    EXPECT_EQ(box.upper.z(), angle == 0 ? 1 : k_infinity);
    EXPECT_EQ(box.lower.x(), -k_infinity);
  }
}

struct Boxes {
  std::vector<Bounds> boxes;
  std::vector<std::uint8_t> moving;

  void add(const Vector3& center, const Vector3& half, bool moves = true) {
    boxes.push_back({center - half, center + half});
    moving.push_back(moves ? 1 : 0);
  }
};

Pairs brute_force(const Boxes& set) {
  Pairs pairs;
  const int n = static_cast<int>(set.boxes.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      if (set.moving[i] == 0 && set.moving[j] == 0) continue;
      const Bounds &a = set.boxes[i], &b = set.boxes[j];
      bool meet = true;
      // Common points of the intervals; none when a number is missing.
      for (int axis = 0; axis < 3; ++axis)
        meet = meet && a.lower[axis] <= a.upper[axis] && b.lower[axis] <= b.upper[axis] &&
               std::max(a.lower[axis], b.lower[axis]) <= std::min(a.upper[axis], b.upper[axis]);
      if (meet) pairs.emplace_back(i, j);
    }
  return pairs;
}

// Spread over a cube of edge `length`; sizes from 1 down to 1/ratio, evenly in their logarithm; a fifth does not move.
Boxes random_boxes(std::uint64_t seed, int n, double length, double ratio) {
  Random random(seed);
  Boxes set;
  for (int i = 0; i < n; ++i) {
    const Vector3 center = 0.5 * length * random.vector(3);
    const double size = std::pow(ratio, -random.uniform(0, 1));
    const Vector3 half = 0.5 * size * (Vector3::Constant(1.1) + random.vector(3));
    set.add(center, half, random.integer(0, 4) > 0);
  }
  return set;
}

class BroadPhaseTest : public ::testing::Test {
 protected:
  // One workspace for all, so that nothing of an earlier set may be left.
  void expect_as_brute_force(const Boxes& set) {
    const Pairs expected = brute_force(set);
    broad_phase_.find_pairs(set.boxes, set.moving, pairs_);
    EXPECT_EQ(pairs_, expected);
    BroadPhase fresh;
    Pairs pairs;
    fresh.find_pairs(set.boxes, set.moving, pairs);
    EXPECT_EQ(pairs, expected);
  }

  BroadPhase broad_phase_;
  Pairs pairs_;
};

TEST_F(BroadPhaseTest, NoneOneAndTwo) {
  expect_as_brute_force({});
  Boxes set;
  set.add({0, 0, 0}, {1, 1, 1});
  expect_as_brute_force(set);
  set.add({1, 1, 1}, {1, 1, 1}, false);
  broad_phase_.find_pairs(set.boxes, set.moving, pairs_);
  EXPECT_EQ(pairs_, (Pairs{{0, 1}}));
}

TEST_F(BroadPhaseTest, RandomBoxes) {
  for (int n : {2, 7, 8, 9, 20, 100, 500, 2000})
    for (double ratio : {1.0, 10.0, 1000.0}) {
      expect_as_brute_force(random_boxes(n, n, std::cbrt(n), ratio));
      EXPECT_TRUE(n < 100 || !pairs_.empty());
    }
}

TEST_F(BroadPhaseTest, AllAtOnePlace) {
  Boxes set;
  for (int i = 0; i < 200; ++i) set.add({1, 2, 3}, {0.1, 0.2, 0.3}, i % 3 != 0);
  expect_as_brute_force(set);
}

// Unit cubes of a lattice share faces, edges and corners, exactly: 13 pairs a cube in the bulk.
TEST_F(BroadPhaseTest, TouchingFacesOverlap) {
  Boxes set;
  constexpr int n = 9;
  for (int i = 0; i < n * n * n; ++i) set.add(Vector3(i % n, i / n % n, i / (n * n)), Vector3::Constant(0.5));
  expect_as_brute_force(set);
  // A lattice of n³ points has (3n − 2)³ ordered pairs of equal or adjacent points.
  constexpr int ordered = (3 * n - 2) * (3 * n - 2) * (3 * n - 2);
  EXPECT_EQ(pairs_.size(), (ordered - n * n * n) / 2);
}

TEST_F(BroadPhaseTest, DegenerateBoxes) {
  Boxes set = random_boxes(11, 300, 3, 10);
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    const Vector3 x = random.vector(3);
    set.add(x, {0, 0, 0});                  // a point
    set.add(x, {0, 0.1, 0});                // a segment through it
    set.add(x, {0.5, 0.1, 0}, i % 2 == 0);  // a rectangle
  }
  expect_as_brute_force(set);
}

TEST_F(BroadPhaseTest, RowsAndSheets) {
  Random random(13);
  Boxes row, sheet;
  for (int i = 0; i < 3000; ++i) {
    row.add({0.8 * i, 0, 0}, Vector3::Constant(0.5));
    sheet.add({60 * random.uniform(-1, 1), 60 * random.uniform(-1, 1), 0}, Vector3::Constant(0.5));
  }
  expect_as_brute_force(row);
  expect_as_brute_force(sheet);
}

TEST_F(BroadPhaseTest, HugeCoordinates) {
  for (double offset : {1e6, 1e15, 1e300}) {
    Boxes set = random_boxes(14, 400, 6, 10);
    for (Bounds& box : set.boxes) {
      box.lower.array() += offset;
      box.upper.array() += offset;
    }
    expect_as_brute_force(set);
  }
  Boxes scaled = random_boxes(15, 400, 6, 10);
  for (double scale : {1e300, 1e-320}) {
    Boxes set = scaled;
    for (Bounds& box : set.boxes) {
      box.lower *= scale;
      box.upper *= scale;
    }
    expect_as_brute_force(set);
  }
  Boxes widest;
  constexpr double largest = std::numeric_limits<double>::max();
  for (int i = 0; i < 50; ++i)
    widest.boxes.push_back({Vector3::Constant(i % 2 == 0 ? -largest : largest / (i + 1)),
                            Vector3::Constant(i % 3 == 0 ? largest : largest / i)});
  widest.moving.assign(50, 1);
  expect_as_brute_force(widest);
}

TEST_F(BroadPhaseTest, ClustersFarApartAndBodiesThatLeft) {
  Boxes set = random_boxes(16, 600, 8, 10);
  for (int i = 0; i < 600; i += 2) {
    set.boxes[i].lower.array() += 1e9;
    set.boxes[i].upper.array() += 1e9;
  }
  expect_as_brute_force(set);
  Boxes left = random_boxes(17, 600, 8, 10);
  for (int i = 0; i < 5; ++i) left.add(Vector3::Constant(1e12 * i), {1, 1, 1});
  expect_as_brute_force(left);
}

TEST_F(BroadPhaseTest, UnboundedBoxes) {
  Boxes set = random_boxes(18, 300, 6, 10);
  const Vector3 everywhere = Vector3::Constant(k_infinity);
  const auto add = [&](const Vector3& lower, const Vector3& upper, bool moves) {
    // In between the others, so that they are first as well as second of pairs.
    set.boxes.insert(set.boxes.begin() + 100, {lower, upper});
    set.moving.insert(set.moving.begin() + 100, moves ? 1 : 0);
  };
  add(-everywhere, {k_infinity, k_infinity, -2}, false);  // the ground
  add({1, -k_infinity, -k_infinity}, everywhere, false);  // a wall
  add(-everywhere, everywhere, false);
  add(-everywhere, {k_infinity, 0, k_infinity}, true);
  add({0, 0, -k_infinity}, {0, 0, k_infinity}, true);  // a vertical line
  expect_as_brute_force(set);
  Boxes planes;  // nothing else
  planes.boxes = {{-everywhere, everywhere}, {-everywhere, everywhere}, {-everywhere, everywhere}};
  planes.moving = {0, 1, 0};
  expect_as_brute_force(planes);
}

TEST_F(BroadPhaseTest, EmptyBoxesAndMissingNumbersOverlapNothing) {
  Boxes set = random_boxes(19, 200, 4, 10);
  for (int i = 0; i < 200; i += 7) set.boxes[i].lower[i % 3] = k_nan;
  for (int i = 3; i < 200; i += 7) set.boxes[i].upper[i % 3] = k_nan;
  for (int i = 5; i < 200; i += 7) set.boxes[i] = {};
  for (int i = 6; i < 200; i += 14) std::swap(set.boxes[i].lower.x(), set.boxes[i].upper.x());
  set.boxes[1] = {Vector3::Constant(-k_infinity), {k_infinity, k_nan, k_infinity}};
  expect_as_brute_force(set);
  EXPECT_FALSE(pairs_.empty());
}

TEST_F(BroadPhaseTest, NothingMoves) {
  Boxes set = random_boxes(20, 200, 2, 10);
  set.moving.assign(200, 0);
  broad_phase_.find_pairs(set.boxes, set.moving, pairs_);
  EXPECT_TRUE(pairs_.empty());
  set.moving[77] = 1;
  expect_as_brute_force(set);
  EXPECT_FALSE(pairs_.empty());
}

TEST_F(BroadPhaseTest, TheFilterSeesEachPairOnce) {
  const Boxes set = random_boxes(21, 300, 5, 10);
  const Pairs all = brute_force(set);
  Pairs asked;
  broad_phase_.find_pairs(
      set.boxes, set.moving,
      [&](int i, int j) {
        asked.emplace_back(i, j);
        return (i + j) % 2 == 0;
      },
      pairs_);
  EXPECT_EQ(asked, all);
  Pairs expected = all;
  std::erase_if(expected, [](const BroadPhase::Pair& pair) { return (pair.first + pair.second) % 2 != 0; });
  EXPECT_EQ(pairs_, expected);
}

// A soup of triangles of mixed size, degenerate ones among them.
Geometry random_soup(std::uint64_t seed, int faces) {
  Random random(seed);
  Geometry geometry;
  geometry.kind = ShapeKind::mesh;
  geometry.convex = false;
  for (int f = 0; f < faces; ++f) {
    const Vector3 center = random.vector(3);
    const double size = f % 50 == 0 ? 0 : std::pow(100, -random.uniform(0, 1));
    geometry.faces.push_back({.first = 3 * f, .count = 3});
    for (int k = 0; k < 3; ++k) {
      geometry.points.push_back({.x = center + size * random.vector(3)});
      geometry.loops.push_back(3 * f + k);
    }
  }
  return geometry;
}

void expect_tree_as_brute_force(const Geometry& geometry, std::uint64_t seed) {
  const TriangleTree tree(geometry);
  Random random(seed);
  std::vector<int> found;
  std::size_t total = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Vector3 center = random.vector(3),
                  half = std::pow(100, -random.uniform(0, 1)) * Vector3(1, 0.5, 0.7);
    const Bounds box{center - half, center + half};
    std::vector<int> expected;
    for (std::size_t f = 0; f < geometry.faces.size(); ++f) {
      bool meet = true;
      for (int axis = 0; axis < 3; ++axis) {
        double low = k_infinity, high = -k_infinity;
        for (int i : geometry.loop(geometry.faces[f])) {
          low = std::min(low, geometry.points[i].x[axis]);
          high = std::max(high, geometry.points[i].x[axis]);
        }
        meet = meet && low <= box.upper[axis] && box.lower[axis] <= high;
      }
      if (meet) expected.push_back(static_cast<int>(f));
    }
    tree.query(box, found);
    EXPECT_EQ(found, expected);
    total += found.size();
  }
  EXPECT_GT(total, 0U);
}

TEST(TriangleTree, FindsTheFacesThatBruteForceFinds) {
  for (int faces : {1, 8, 9, 100, 3000}) expect_tree_as_brute_force(random_soup(faces, faces), 31);
  Random random(32);
  expect_tree_as_brute_force(
      *make_geometry({.kind = ShapeKind::height_field, .field = random_field(random, 15, 12)}), 33);
}

TEST(TriangleTree, AllNoneAndNoFaces) {
  const Geometry soup = random_soup(34, 200);
  const TriangleTree tree(soup);
  std::vector<int> found{1, 2, 3};
  tree.query({}, found);
  EXPECT_TRUE(found.empty());
  tree.query({Vector3::Constant(k_nan), Vector3::Constant(k_nan)}, found);
  EXPECT_TRUE(found.empty());
  tree.query(tree.bounds(), found);
  EXPECT_EQ(found.size(), 200U);
  tree.query({Vector3::Constant(-k_infinity), Vector3::Constant(k_infinity)}, found);
  EXPECT_EQ(found.size(), 200U);
  tree.query(inflate(Bounds{{5, 5, 5}, {5, 5, 5}}, 1), found);
  EXPECT_TRUE(found.empty());
  const TriangleTree none(*make_geometry({.kind = ShapeKind::sphere}));
  none.query({Vector3::Constant(-1), Vector3::Constant(1)}, found);
  EXPECT_TRUE(found.empty());
  EXPECT_TRUE(is_empty(none.bounds()));
}

}  // namespace
}  // namespace delassus::broad_phase_test
