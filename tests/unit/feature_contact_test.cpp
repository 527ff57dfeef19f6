// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/feature_contact.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "../support/feature_shapes.hpp"

namespace delassus {
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
  Random random(1);
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
  Random random(2);
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
  Random random(3);
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
      pair.b = touching_rim(random, pair.point_a + gap * pair.n, -pair.n, std::numbers::pi / 2 - angle);
      move_to_pose(pair.b, random.pose());
      if (pair.sine() < 0.1 || !crosses(pair, gap)) continue;
      worst.add(pair, gap, contact_of_branch(pair, gap));
    }
    record(name_of(kind, Kind::rim) + " nearly flat", worst);
    EXPECT_EQ(worst.missed, 0);
    EXPECT_LT(worst.gap, k_gap_error);
  }
}

bool faces_away(const Subject& subject, const Vector3& d) {
  return subject.feature.kind == FeatureKind::face &&
         subject.pose.vector(subject.geometry.faces[0].normal).dot(d) <= 0;
}

// Convex closed features in any position: both points lie in their sets, and the slab between the planes through them
// holds neither. This proves the distance.
TEST(FeatureContact, NearestPointsOfConvexFeaturesAnywhere) {
  Random random(4);
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

}  // namespace
}  // namespace delassus
