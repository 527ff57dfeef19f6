// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/feature_contact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "../support/feature_shapes.hpp"

namespace delassus::feature_contact_test {
namespace {

using namespace testing;

constexpr std::array k_gaps = {1e-1, 1e-2, 1e-3, 1e-4,  1e-5,  1e-6,  1e-7,
                               1e-8, 1e-9, 0.0,  -1e-9, -1e-7, -1e-5, -1e-3};

// Positions of size one in random poses carry a few 1e-15; errors of the feet enter the gap squared.
constexpr double k_gap_error = 2e-14;

std::string name_of(Kind a, Kind b) {
  return std::string(k_kind_names[static_cast<std::size_t>(a)]) + " - " +
         k_kind_names[static_cast<std::size_t>(b)];
}

// The same pair in the other order is the mirror image; unit normals; points, gap and normal fit; patches are frames.
void expect_consistent(const FeatureContact& contact, const std::string& what) {
  EXPECT_TRUE(contact.point_a.allFinite() && contact.point_b.allFinite() && contact.normal.allFinite())
      << what;
  EXPECT_NEAR(contact.normal.norm(), 1, 1e-14) << what;
  EXPECT_EQ(contact.inside, contact.margin > 0) << what;
  for (const SurfacePatch* patch : {&contact.patch_a, &contact.patch_b})
    for (int i = 0; i < patch->dim; ++i) {
      EXPECT_NEAR(patch->tangents[i].norm(), 1, 1e-14) << what;
      EXPECT_NEAR(patch->tangents[i].dot(contact.normal), 0, 1e-14) << what;
      EXPECT_NEAR(patch->tangents[0].dot(patch->tangents[1]), 0, 1e-14) << what;
    }
}

void expect_mirrored(const Subject& a, const Subject& b, const FeatureContact& contact,
                     const std::string& what) {
  const FeatureContact mirrored = contact_of(b, a);
  EXPECT_NEAR(contact.gap, mirrored.gap, k_gap_error) << what;
  EXPECT_EQ(contact.inside, mirrored.inside) << what;
  EXPECT_LT((contact.normal + mirrored.normal).norm(), 1e-5) << what;
}

struct Worst {
  double gap = 0, normal = 0, point = 0, margin = 0;
  int missed = 0;
  void add(const TouchingPair& pair, double gap_wanted, const FeatureContact& contact) {
    missed += !contact.inside;
    gap = std::max(gap, std::abs(contact.gap - gap_wanted));
    normal = std::max(normal, (contact.normal - pair.n).norm());
    point = std::max(point, (contact.point_a - pair.point_a).norm());
    const double wanted = std::min(pair.a.margin, pair.b.margin);
    margin = std::max(margin, contact.margin == wanted ? 0 : std::abs(contact.margin - wanted));
  }
};

// Shows what the tolerances are made from when asked by the environment.
void record(const std::string& name, const Worst& worst) {
  if (std::getenv("DELASSUS_SHOW_ERRORS") != nullptr)
    std::cout << name << ": gap " << worst.gap << ", normal " << worst.normal << ", point " << worst.point
              << ", margin " << worst.margin << ", missed " << worst.missed << "\n";
}

// What the direction of the nearest points is worth when the gap is g: round-off divided by g, unless a radius, a face
// or the crossing of two curves tells it.
bool has_own_normal(Kind a, Kind b) {
  const auto thin = [](Kind kind) { return kind == Kind::corner; };
  return is_signed(a, b) && !(thin(a) && thin(b));
}

TEST(FeatureContact, PairsOnBothSidesOfASlab) {
  RandomPoses random(1);
  for (const Kind kind_a : k_kinds)
    for (const Kind kind_b : k_kinds) {
      if (kind_b < kind_a || !can_touch(feature_kind(kind_a), feature_kind(kind_b))) continue;
      Worst worst;
      const std::string name = name_of(kind_a, kind_b);
      for (int k = 0; k < 2100; ++k) {
        const double gap = k_gaps[static_cast<std::size_t>(k) % k_gaps.size()];
        if (gap <= 0 && !is_signed(kind_a, kind_b)) continue;
        TouchingPair pair = make_touching(random, kind_a, kind_b, gap);
        // Well apart from parallel here: the points are compared, too.
        if (pair.sine() < 0.1 || !crosses(pair, gap)) continue;
        const FeatureContact contact = contact_of_branch(pair, gap);
        expect_consistent(contact, name);
        EXPECT_LT((contact.point_a + contact.gap * contact.normal - contact.point_b).norm(), 1e-13) << name;
        if (kind_a != Kind::rim || kind_b != Kind::rim) expect_mirrored(pair.a, pair.b, contact, name);
        worst.add(pair, gap, contact);
        if (HasFailure()) return;
      }
      record(name, worst);
      EXPECT_EQ(worst.missed, 0) << name;
      EXPECT_LT(worst.gap, k_gap_error) << name;
      EXPECT_LT(worst.point, 1e-11) << name;
      EXPECT_LT(worst.margin, 1e-11) << name;
      EXPECT_LT(worst.normal, has_own_normal(kind_a, kind_b) ? 1e-11 : 1e-5) << name;
    }
}

// Curves that cross at small angles: feet are worth round-off over the sine, the gap stays exact.
TEST(FeatureContact, NearlyParallelEdges) {
  RandomPoses random(2);
  constexpr std::array curves = {Kind::sharp_edge, Kind::capsule_axis, Kind::cylinder_side};
  for (const Kind kind_a : curves)
    for (const Kind kind_b : curves) {
      Worst worst;
      for (int k = 0; k < 2100; ++k) {
        const double gap = k_gaps[static_cast<std::size_t>(k) % k_gaps.size()];
        const double sine = std::pow(10, -random.between(1, 8.5));
        TouchingPair pair;
        pair.n = random.direction();
        pair.point_a = random.vector(0.5);
        const Vector3 along = random.perpendicular(pair.n), across = pair.n.cross(along);
        pair.a = touching(random, kind_a, pair.point_a, pair.n, along);
        pair.b = touching(random, kind_b, pair.point_a + gap * pair.n, -pair.n,
                          (along + sine * across).normalized());
        const FeatureContact contact = contact_of(pair.a, pair.b);
        // Directions are worth ε, the normal ε/sine, the feet ε/sine²: they may have left the edges, and from a sharp
        // border the gap is a distance.
        if (!contact.inside) {
          EXPECT_LT(std::min(pair.a.margin, pair.b.margin), 1e-14 / (sine * sine));
          EXPECT_NEAR(gap < 0 ? -std::abs(contact.gap) : contact.gap, gap, k_gap_error);
          continue;
        }
        worst.add(pair, gap, contact);
      }
      record(name_of(kind_a, kind_b) + " nearly parallel", worst);
      EXPECT_LT(worst.gap, k_gap_error);
    }
}

// A disk that nearly lies flat on a face, and one that an edge crosses nearly in its plane or along its axis.
TEST(FeatureContact, NearlyFlatRims) {
  RandomPoses random(3);
  for (const Kind kind :
       {Kind::polygon, Kind::half_space, Kind::sharp_edge, Kind::capsule_axis, Kind::cone_side}) {
    Worst worst;
    for (int k = 0; k < 2100; ++k) {
      const double gap = k_gaps[static_cast<std::size_t>(k) % k_gaps.size()];
      const double angle = std::pow(10, -random.between(1, 9));
      TouchingPair pair;
      pair.n = random.direction();
      pair.point_a = random.vector(0.5);
      pair.a = touching(random, kind, pair.point_a, pair.n);
      pair.b = touching_rim(random, pair.point_a + gap * pair.n, -pair.n, std::numbers::pi / 2 - angle,
                            random.perpendicular(pair.n));
      move_to_pose(pair.b, random.pose());
      if (pair.sine() < 0.1 || !crosses(pair, gap)) continue;
      worst.add(pair, gap, contact_of_branch(pair, gap));
    }
    record(name_of(kind, Kind::rim) + " nearly flat", worst);
    EXPECT_EQ(worst.missed, 0);
    EXPECT_LT(worst.gap, k_gap_error);
  }
}

// The chord that an edge, a generator of a cone or another rim cuts off is short: its ends are two minima close together.
TEST(FeatureContact, ShallowCrossingsOfRims) {
  RandomPoses random(11);
  for (const Kind kind : {Kind::sharp_edge, Kind::capsule_axis, Kind::cone_side, Kind::rim}) {
    Worst worst;
    constexpr double gap = 1e-3;
    for (int k = 0; k < 2000; ++k) {
      const auto flat = [&] { return std::numbers::pi / 2 - std::pow(10, -random.between(0.3, 4)); };
      const double sine = (k % 2 == 0 ? 1 : -1) * std::pow(10, -random.between(0.5, 2));
      TouchingPair pair;
      pair.n = random.direction();
      pair.point_a = random.vector(0.5);
      pair.b =
          touching_rim(random, pair.point_a + gap * pair.n, -pair.n, flat(), random.perpendicular(pair.n));
      const Vector3 along = (pair.b.tangent + sine * pair.n.cross(pair.b.tangent)).normalized();
      pair.a = kind == Kind::rim ? touching_rim(random, pair.point_a, pair.n, flat(), along)
                                 : touching(random, kind, pair.point_a, pair.n, along);
      worst.add(pair, gap, contact_of_branch(pair, gap));
    }
    record(name_of(kind, Kind::rim) + " shallow", worst);
    EXPECT_EQ(worst.missed, 0) << name_of(kind, Kind::rim);
    EXPECT_LT(worst.gap, k_gap_error) << name_of(kind, Kind::rim);
    EXPECT_LT(worst.point, 1e-7) << name_of(kind, Kind::rim);
  }
}

bool faces_away(const Subject& subject, const Vector3& d) {
  return subject.feature.kind == FeatureKind::face &&
         subject.pose.vector(subject.geometry.faces[0].normal).dot(d) <= 0;
}

// Convex closed features in any position: both points lie in their sets, and the slab between the planes through them
// holds neither. This proves the distance.
TEST(FeatureContact, NearestPointsOfConvexFeaturesAnywhere) {
  RandomPoses random(4);
  constexpr std::array convex = {Kind::corner,          Kind::ball,      Kind::sharp_edge,
                                 Kind::capsule_axis,    Kind::cone_side, Kind::polygon,
                                 Kind::rounded_polygon, Kind::disk,      Kind::ellipsoid};
  for (const Kind kind_a : convex)
    for (const Kind kind_b : convex) {
      if (kind_b < kind_a || !can_touch(feature_kind(kind_a), feature_kind(kind_b))) continue;
      double worst = 0;
      for (int k = 0; k < 2000; ++k) {
        Subject a = touching(random, kind_a, random.vector(1), random.direction());
        Subject b = touching(random, kind_b, random.vector(1), random.direction());
        for (Subject* subject : {&a, &b})
          if (kind_a == Kind::cone_side || kind_b == Kind::cone_side)
            for (GeometryEdge& edge : subject->geometry.edges) edge.point[0] = 0, edge.point[1] = 1;
        const FeatureContact contact = contact_of(a, b);
        expect_mirrored(a, b, contact, name_of(kind_a, kind_b));
        // Behind a face, and on the inner side of a sharp crossing, the gap is not the distance.
        if (contact.gap <= 0 || faces_away(a, contact.normal) || faces_away(b, -contact.normal)) continue;
        const double error = std::max({support(a, contact.normal) - contact.normal.dot(contact.point_a),
                                       support(b, -contact.normal) + contact.normal.dot(contact.point_b),
                                       depth_outside(a, contact.point_a), depth_outside(b, contact.point_b)});
        worst = std::max(worst, error);
      }
      record(name_of(kind_a, kind_b) + " anywhere", {.gap = worst});
      EXPECT_LT(worst, k_gap_error) << name_of(kind_a, kind_b);
    }
}

// Distance of a rim from what `distance` measures, by many samples and golden sections about the lowest of them.
template <class Function>
double distance_of_rim(const Subject& rim, const Function& distance) {
  const GeometryCircle& circle = rim.geometry.circles[0];
  const Vector3 axis = rim.pose.vector(circle.axis), center = rim.pose.point(circle.center);
  const Vector3 u = axis.unitOrthogonal(), v = axis.cross(u);
  const auto at = [&](double angle) {
    return distance(center + circle.radius * (std::cos(angle) * u + std::sin(angle) * v));
  };
  constexpr int samples = 180;
  constexpr double h = 2 * std::numbers::pi / samples;
  std::array<double, samples> values{};
  for (std::size_t i = 0; i < samples; ++i) values[i] = at(h * static_cast<double>(i));
  double best = k_infinity;
  for (std::size_t i = 0; i < samples; ++i)
    if (values[i] <= values[(i + 1) % samples] && values[i] <= values[(i + samples - 1) % samples])
      best = std::min(best,
                      smallest_value([&](double s) { return at(h * (static_cast<double>(i) - 1 + 2 * s)); }));
  return best;
}

double nearest_branch(const Subject& a, Subject b) {
  double out = k_infinity;
  for (b.feature.branch = 0; b.feature.branch < 2; ++b.feature.branch)
    out = std::min(out, std::abs(contact_of(b, a).gap));
  return out;
}

// In any position; two sharp curves may count as negative.
TEST(FeatureContact, DistancesOfRimsAnywhere) {
  RandomPoses random(5);
  for (const Kind kind :
       {Kind::corner, Kind::sharp_edge, Kind::capsule_axis, Kind::cone_side, Kind::rim, Kind::ellipsoid}) {
    double worst = 0;
    for (int k = 0; k < 300; ++k) {
      Subject a = touching(random, kind, random.vector(1), random.direction());
      const Subject rim = touching(random, Kind::rim, random.vector(1), random.direction());
      for (GeometryEdge& edge : a.geometry.edges) edge.point[0] = 0, edge.point[1] = 1;
      const double wanted = distance_of_rim(rim, [&](const Vector3& x) {
        if (a.feature.kind == FeatureKind::edge) return distance_from_edge(a, x);
        return contact_of(make_point(x, 0), a).gap;  // shown above
      });
      if (wanted > 0) worst = std::max(worst, std::abs(wanted - nearest_branch(a, rim)));
    }
    record(name_of(kind, Kind::rim) + " anywhere", {.gap = worst});
    EXPECT_LT(worst, k_gap_error) << name_of(kind, Kind::rim);
  }
}

// Beyond its end the side of a cylinder is as far as the rim there.
TEST(FeatureContact, SidesEndInRims) {
  RandomPoses random(6);
  for (int k = 0; k < 2000; ++k) {
    const double radius = random.between(0.1, 1), length = random.between(0.1, 1);
    Subject side = make_edge(Vector3::Zero(), length * Vector3::UnitZ(), radius, radius, false);
    const Vector3 x = random.vector(2);
    const double h = std::hypot(x.x(), x.y()), beyond = std::max({0.0, -x.z(), x.z() - length});
    move_to_pose(side, random.pose());
    const double wanted = beyond > 0 ? std::hypot(h - radius, beyond) : h - radius;
    const FeatureContact contact = contact_of(make_point(x, 0), side);
    EXPECT_NEAR(contact.gap, wanted, k_gap_error);
    EXPECT_EQ(contact.inside, beyond == 0);
  }
}

TEST(FeatureContact, DepthInsideAnEllipsoid) {
  RandomPoses random(7);
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vector3 x = random.vector(0.5), n = random.direction();
    const Subject b = touching(random, Kind::ellipsoid, x, n);
    const Vector3 a = b.geometry.semi_axes;
    const double radius = a.minCoeff() * a.minCoeff() / a.maxCoeff();  // the smallest of curvature
    const double depth = random.between(0, 0.98) * radius;
    const FeatureContact contact = contact_of(make_point(x - depth * n, 0), b);
    worst = std::max(worst, std::abs(contact.gap + depth));
    EXPECT_LT((contact.point_b - x).norm(), 1e-12);
  }
  record("corner - ellipsoid inside", {.gap = worst});
  EXPECT_LT(worst, k_gap_error);
  // On the axes the foot leaves the axis where the centre of curvature is passed.
  const Vector3 a(1, 0.7, 0.4);
  const Subject b = make_ellipsoid(a, {});
  for (int k = 0; k <= 100; ++k) {
    const double s = 0.01 * k, x = s * a.x(), focus = (a.x() * a.x() - a.z() * a.z()) / a.x();
    EXPECT_NEAR(contact_of(make_point({0, 0, s * a.z()}, 0), b).gap, -(1 - s) * a.z(), k_gap_error);
    const double foot = a.x() * x / focus;
    const double depth =
        x >= focus ? a.x() - x : std::hypot(foot - x, a.z() * std::sqrt(1 - foot * foot / (a.x() * a.x())));
    EXPECT_NEAR(contact_of(make_point({x, 0, 0}, 0), b).gap, -depth, k_gap_error);
    EXPECT_NEAR(contact_of(make_point({x, 1e-17, -1e-300}, 0), b).gap, -depth, k_gap_error);
  }
}

// Needles and plates; and overlaps against the best of many directions, improved by small random turns.
TEST(FeatureContact, ThinAndOverlappingEllipsoids) {
  RandomPoses random(12);
  const auto thin = [&](double aspect, const Vector3& x, const Vector3& d) {
    Vector3 a;
    for (double& axis : a) axis = std::pow(aspect, -random.between(0, 1));
    return touching_ellipsoid(a, random.pose(), x, d);
  };
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const double gap = std::pow(10, -random.between(1, 9)), aspect = std::pow(10, random.between(0, 3));
    const Vector3 x = random.vector(0.5), n = random.direction();
    const Subject a = thin(aspect, x, n), b = thin(aspect, x + gap * n, -n);
    worst = std::max(worst, std::abs(contact_of(a, b).gap - gap));
    worst = std::max(worst, std::abs(contact_of(make_point(x + gap * n, 0), a).gap - gap));
  }
  record("ellipsoid - ellipsoid thin", {.gap = worst});
  EXPECT_LT(worst, k_gap_error);
  for (int k = 0; k < 200; ++k) {
    const Vector3 x = random.vector(0.5), n = random.direction();
    const double depth = std::pow(10, -random.between(0.3, 3));
    const Subject a = thin(5, x, n), b = thin(5, x - depth * n, -n);
    Vector3 best_n = n;
    const auto separation = [&](const Vector3& d) { return -support(a, d) - support(b, -d); };
    const auto try_direction = [&](const Vector3& d) {
      if (separation(d) <= separation(best_n)) return false;
      best_n = d;
      return true;
    };
    for (int i = 0; i < 500; ++i) try_direction(random.direction());
    for (double turn = 0.1; turn > 1e-7;)
      if (!try_direction((best_n + turn * random.vector(1)).normalized())) turn *= 0.95;
    EXPECT_NEAR(contact_of(a, b).gap, separation(best_n), 1e-9);
  }
}

// Along a straight path the gap changes by no more than the distance moved, also where features hand over: gaps that are
// positive are distances of closed sets.
TEST(FeatureContact, GapsAreContinuousAcrossHandOver) {
  RandomPoses random(8);
  for (const Kind kind_a : k_kinds)
    for (const Kind kind_b : k_kinds) {
      if (kind_b < kind_a || !can_touch(feature_kind(kind_a), feature_kind(kind_b))) continue;
      int handed_over = 0;
      for (int path = 0; path < 20; ++path) {
        TouchingPair pair = make_touching(random, kind_a, kind_b, random.between(0.001, 0.1));
        const bool rims = kind_a == Kind::rim || kind_b == Kind::rim;
        // Along the contact plane, so that it stays in front.
        const Vector3 step = 0.01 * random.perpendicular(pair.n), start = pair.b.pose.p - 100 * step;
        double last = -1;
        bool last_inside = false;
        for (int i = 0; i < 200; ++i) {
          pair.b.pose.p = start + i * step;
          FeatureContact contact = contact_of(pair.a, pair.b);
          if (rims) {
            Subject& rim = kind_a == Kind::rim ? pair.a : pair.b;
            rim.feature.branch = 1;
            const FeatureContact other = contact_of(pair.a, pair.b);
            if (other.gap < contact.gap) contact = other;
            rim.feature.branch = 0;
          }
          if (last > 0 && contact.gap > 0) {
            EXPECT_LT(std::abs(contact.gap - last), 1.0000001 * step.norm()) << name_of(kind_a, kind_b);
          }
          handed_over += i > 0 && contact.inside != last_inside;
          last = contact.gap;
          last_inside = contact.inside;
        }
      }
      const auto bounded = [](Kind kind) { return kind >= Kind::sharp_edge && kind <= Kind::disk; };
      EXPECT_TRUE(handed_over > 0 || !(bounded(kind_a) || bounded(kind_b))) << name_of(kind_a, kind_b);
    }
}

// Everything about the origin and the z axis: points that coincide, parallel and coaxial curves, flat disks, spheres, and
// the same a hair beside.
TEST(FeatureContact, DegenerateConfigurationsGiveNumbers) {
  const Vector3 o = Vector3::Zero(), z = Vector3::UnitZ(), x = Vector3::UnitX();
  std::vector<Subject> subjects = {make_point(o, 0),
                                   make_point(o, 0.3),
                                   make_edge(-z, z, 0, 0, true),
                                   make_edge(o, z, 0, 0, true),
                                   make_edge(o, o, 0, 0, true),
                                   make_edge(-z, z, 0.3, 0.3, true),
                                   make_edge(-z, z, 0.3, 0.3, false),
                                   make_edge(o, z, 0, 0.5, false),
                                   make_edge(o, 0.2 * z, 0.1, 0.9, false),
                                   make_polygon({x, Vector3::UnitY(), -x}, z, 0),
                                   make_disk(o, z, 0.5),
                                   make_disk(o, z, k_infinity),
                                   make_circle(o, z, 0.5),
                                   make_circle(0.5 * x, z, 0.5),
                                   make_circle(-z, z, 0.3)};
  for (const Vector3& a : {Vector3(1, 1, 1), Vector3(1, 1, 0.5), Vector3(0.5, 1, 1), Vector3(1, 0.5, 0.25)})
    subjects.push_back(make_ellipsoid(a, {}));
  std::vector<Pose> poses;
  for (const double angle :
       {0.0, 1e-300, 1e-16, 1e-12, 1e-10, 1e-8, 0.5 * std::numbers::pi, std::numbers::pi})
    for (const Vector3& axis : {x, z})
      for (const Vector3& shift : {o, x, z, Vector3(1e-16 * x), Vector3(1e-300 * z), Vector3(1e-9 * (x + z))})
        poses.push_back({Eigen::AngleAxisd(angle, axis).toRotationMatrix(), shift});
  for (const Subject& a : subjects)
    for (Subject b : subjects)
      for (const Pose& pose : poses)
        for (const int branch : {0, 1}) {
          b.pose = pose;
          b.feature.branch = branch;
          const FeatureContact contact = contact_of(a, b);
          if (contact.gap == k_infinity) continue;
          ASSERT_TRUE(std::isfinite(contact.gap));
          ASSERT_TRUE(contact.point_a.allFinite() && contact.point_b.allFinite());
          ASSERT_NEAR(contact.normal.norm(), 1, 1e-12);
          const ContactRates rates = contact_rates(contact, x, z, -z, x);
          ASSERT_TRUE(rates.normal.allFinite() && rates.point_a.allFinite() && rates.point_b.allFinite());
        }
}

// Where cores cross, the arms tell the side; also of rounded edges that go deeper than their radii.
TEST(FeatureContact, ArmsOrientTheNormalOfEdges) {
  RandomPoses random(9);
  for (const double radius : {0.0, 0.01}) {
    TouchingPair pair = make_touching(random, Kind::sharp_edge, Kind::sharp_edge, 0.0);
    const Vector3 start = pair.b.pose.p;
    for (Subject* subject : {&pair.a, &pair.b})
      for (double& at_end : subject->geometry.edges[0].radius) at_end = radius;
    for (const double gap : {0.1, 1e-12, 0.0, -1e-12, -0.1}) {
      pair.b.pose.p = start + gap * pair.n;
      const FeatureContact contact = contact_of(pair.a, pair.b);
      EXPECT_TRUE(contact.inside);
      EXPECT_NEAR(contact.gap, gap - 2 * radius, 1e-14);
      EXPECT_LT((contact.normal - pair.n).norm(), 1e-12);
    }
  }
}

TEST(FeatureContact, ParallelCylindersTouchInTheMiddleOfTheOverlap) {
  const Vector3 z = Vector3::UnitZ();
  const Subject a = make_edge(-z, z, 0.5, 0.5, false);
  Subject b = make_edge(Vector3(0.75, 0, 0), Vector3(0.75, 0, 3), 0.25, 0.25, true);
  const FeatureContact contact = contact_of(a, b);
  EXPECT_TRUE(contact.inside);
  EXPECT_NEAR(contact.gap, 0, 1e-15);
  EXPECT_LT((contact.point_a - Vector3(0.5, 0, 0.5)).norm(), 1e-15);
  EXPECT_NEAR(contact.margin, 0.5, 1e-15);
  b.pose.p.z() = 1.5;  // side by side no more
  EXPECT_FALSE(contact_of(a, b).inside);
}

// A log across a stump touches its rim twice, and keeps the two apart when it is turned a little.
TEST(FeatureContact, BranchesAreWhereAnEdgeEntersAndLeavesADisk) {
  for (const double radius : {0.0, 0.2})
    for (const double tilt : {0.0, 1e-9, -1e-3, 1e-2}) {
      Subject log = make_edge({-1, 0, radius}, {1, 0, radius}, radius, radius, true);
      log.geometry.edges[0].arm[0] = Vector3(0, 1, 1).normalized();
      log.geometry.edges[0].arm[1] = Vector3(0, -1, 1).normalized();
      log.pose.R = Eigen::AngleAxisd(tilt, Vector3(0.2, 1, 0.3).normalized()).toRotationMatrix();
      Subject stump = make_circle(Vector3::Zero(), Vector3::UnitZ(), 0.5);
      for (const int branch : {0, 1}) {
        stump.feature.branch = branch;
        const FeatureContact contact = contact_of(stump, log);
        EXPECT_TRUE(contact.inside);
        EXPECT_LT((contact.point_a - Vector3(branch == 0 ? -0.5 : 0.5, 0, 0)).norm(),
                  3 * std::abs(tilt) + 1e-15);
        EXPECT_GT(contact.normal.z(), 0.99);
        EXPECT_NEAR(contact.gap, 0, std::abs(tilt));
      }
    }
}

// Disks that overlap: both crossings, wherever the second disk goes around the first.
TEST(FeatureContact, RimsCrossTwice) {
  for (int k = 0; k < 64; ++k) {
    const double angle = 0.1 * k, R = 0.5, r = 0.3, d = 0.6, gap = -1e-4;
    const Vector3 toward(std::cos(angle), std::sin(angle), 0);
    Subject a = make_circle(Vector3::Zero(), Vector3::UnitZ(), R);
    const Subject b = make_circle(d * toward + gap * Vector3::UnitZ(), -Vector3::UnitZ(), r);
    const double along = (R * R + d * d - r * r) / (2 * d), across = std::sqrt(R * R - along * along);
    for (const int branch : {0, 1}) {
      a.feature.branch = branch;
      const FeatureContact contact = contact_of(a, b);
      const Vector3 wanted =
          along * toward + (branch == 0 ? -1 : 1) * across * Vector3::UnitZ().cross(toward);
      EXPECT_TRUE(contact.inside);
      EXPECT_NEAR(contact.gap, gap, 1e-15);
      EXPECT_LT((contact.point_a - wanted).norm(), 1e-14);
      EXPECT_LT((contact.normal - Vector3::UnitZ()).norm(), 1e-14);
    }
  }
}

TEST(FeatureContact, NormalCones) {
  RandomPoses random(10);
  for (const Kind kind : {Kind::sharp_edge, Kind::polygon, Kind::rim}) {
    for (int k = 0; k < 100; ++k) {
      const Vector3 x = random.vector(1), d = random.direction();
      const Subject a = touching(random, kind, x, d);
      EXPECT_TRUE(in_normal_cone(a.geometry, a.pose, a.feature, x, d, 1e-9));
      EXPECT_FALSE(in_normal_cone(a.geometry, a.pose, a.feature, x, -d, 0.1));
    }
  }
  Subject corner = make_point(Vector3::Zero(), 0);
  corner.geometry.arms = {-Vector3::UnitX(), -Vector3::UnitY(), -Vector3::UnitZ()};
  corner.geometry.points[0].num_arms = 3;
  const auto inside = [&](const Vector3& d, double tolerance) {
    return in_normal_cone(corner.geometry, corner.pose, corner.feature, Vector3::Zero(), d.normalized(),
                          tolerance);
  };
  EXPECT_TRUE(inside({1, 2, 3}, 0));
  EXPECT_FALSE(inside({1, 2, -0.01}, 0));
  EXPECT_TRUE(inside({1, 2, -0.01}, 0.01));
  // The rim of a cylinder: between its disk and its side.
  const Subject rim = make_circle(Vector3::Zero(), Vector3::UnitZ(), 1);
  const auto at_rim = [&](const Vector3& d) {
    return in_normal_cone(rim.geometry, rim.pose, rim.feature, Vector3::UnitX(), d.normalized(), 1e-9);
  };
  EXPECT_TRUE(at_rim({1, 0, 1}));
  EXPECT_TRUE(at_rim({0, 0, 1}));
  EXPECT_TRUE(at_rim({1, 0, 0}));
  EXPECT_FALSE(at_rim({-0.1, 0, 1}));
  EXPECT_FALSE(at_rim({1, 0, -0.1}));
  Subject flat = make_edge(Vector3::Zero(), Vector3::UnitX(), 0, 0, true);
  flat.geometry.edges[0].ridge = false;
  EXPECT_FALSE(
      in_normal_cone(flat.geometry, flat.pose, flat.feature, Vector3::Zero(), Vector3::UnitZ(), 0.1));
}

TEST(FeatureContact, FacesTouchByTheirBordersOnly) {
  EXPECT_FALSE(can_touch(FeatureKind::face, FeatureKind::face));
  EXPECT_FALSE(can_touch(FeatureKind::face, FeatureKind::edge));
  EXPECT_FALSE(can_touch(FeatureKind::edge, FeatureKind::face));
  EXPECT_TRUE(can_touch(FeatureKind::face, FeatureKind::point));
  EXPECT_TRUE(can_touch(FeatureKind::circle, FeatureKind::face));
  const Subject disk = make_disk(Vector3::Zero(), Vector3::UnitZ(), 1);
  EXPECT_EQ(contact_of(disk, disk).gap, k_infinity);
  EXPECT_FALSE(contact_of(disk, disk).inside);
}

}  // namespace
}  // namespace delassus::feature_contact_test
