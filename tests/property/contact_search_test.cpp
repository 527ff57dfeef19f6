// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The search for contacts leaves out most pairs of features before it evaluates them, and evaluates few of them to the
// end: what it finds is bit by bit what an evaluation of every pair finds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "../support/convex_poses.hpp"
#include "../support/shapes.hpp"
#include "delassus/collision/manifold.hpp"

namespace delassus::contact_search_test {
namespace {

using testing::Random;
using testing::Solid;

const std::vector<Solid>& solids() {
  // A chip too, small beside envelopes and reaches: there the widening of the normal cones decides.
  static const std::vector<Solid> out = [] {
    std::vector<Solid> list = testing::make_solids();
    const Shape chip{.kind = ShapeKind::box, .size = {0.03, 0.02, 0.01}};
    list.push_back({"chip", chip, make_geometry(chip)});
    return list;
  }();
  return out;
}

int num_poses() {
  return std::getenv("DELASSUS_LONG_TESTS") != nullptr ? 20'000 : 100;
}

bool same_bits(const Vector3& x, const Vector3& y) {
  return std::memcmp(x.data(), y.data(), 3 * sizeof(double)) == 0;
}
bool same_bits(double x, double y) {
  return std::memcmp(&x, &y, sizeof(double)) == 0;
}
bool same_bits(const SurfacePatch& x, const SurfacePatch& y) {
  return x.dim == y.dim && same_bits(x.tangents[0], y.tangents[0]) &&
         same_bits(x.tangents[1], y.tangents[1]) && std::memcmp(x.second, y.second, sizeof(x.second)) == 0;
}
bool same_bits(const ShapeContact& x, const ShapeContact& y) {
  const FeatureContact &c = x.contact, &d = y.contact;
  return x.feature_a == y.feature_a && x.feature_b == y.feature_b && same_bits(c.gap, d.gap) &&
         same_bits(c.normal, d.normal) && same_bits(c.point_a, d.point_a) &&
         same_bits(c.point_b, d.point_b) && same_bits(c.margin, d.margin) && c.inside == d.inside &&
         same_bits(c.patch_a, d.patch_a) && same_bits(c.patch_b, d.patch_b);
}
bool same_bits(const std::vector<ShapeContact>& x, const std::vector<ShapeContact>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const ShapeContact& c, const ShapeContact& d) { return same_bits(c, d); });
}

std::string features_of(const std::vector<ShapeContact>& contacts) {
  std::string out;
  for (const ShapeContact& c : contacts)
    out += std::to_string(c.feature_a) + "-" + std::to_string(c.feature_b) + " ";
  return out;
}

class Comparison {
 public:
  // Envelopes and reaches of steps: none, a small motion, a long one.
  void compare(const Collider& a, const Pose& pose_a, const Collider& b, const Pose& pose_b, Random& random) {
    constexpr double lengths[] = {0, 1e-9, 1e-3, 0.02, 0.3};
    const double envelope = lengths[random.integer(0, 4)], reach = lengths[random.integer(0, 4)];
    find_contacts(a, pose_a, b, pose_b, envelope, reach, all_, {.exhaustive = true});
    find_contacts(a, pose_a, b, pose_b, envelope, reach, found_);
    ASSERT_TRUE(same_bits(found_, all_)) << features_of(found_) << "instead of " << features_of(all_);
    std::erase_if(all_, [&](const ShapeContact& c) {
      return !can_carry(*a.geometry, a.geometry->feature(c.feature_a), *b.geometry,
                        b.geometry->feature(c.feature_b));
    });
    find_contacts(a, pose_a, b, pose_b, envelope, reach, found_, {.carrying = true});
    ASSERT_TRUE(same_bits(found_, all_)) << features_of(found_) << "instead of " << features_of(all_);
    num_contacts_ += all_.size();
  }
  std::size_t num_contacts() const { return num_contacts_; }

 private:
  std::vector<ShapeContact> found_, all_;
  std::size_t num_contacts_ = 0;
};

// Just apart, just overlapping, or deep.
double random_gap(Random& random) {
  const double size = std::pow(10.0, -random.uniform(0.7, 12));
  return random.integer(0, 1) == 0 ? size : -size;
}

class SearchOf : public ::testing::TestWithParam<int> {
 protected:
  const Solid& a() const { return solids()[static_cast<std::size_t>(GetParam())]; }
  Random random_{static_cast<std::uint64_t>(31 + GetParam())};
  Comparison comparison_;
};

TEST_P(SearchOf, ConvexPairs) {
  for (const Solid& b : solids())
    for (int i = 0; i < num_poses(); ++i) {
      SCOPED_TRACE(b.name + " " + std::to_string(i));
      const testing::KnownPair known = make_known_pair(a(), b, random_gap(random_), random_);
      comparison_.compare({.geometry = a().geometry}, known.pose_a, {.geometry = b.geometry}, known.pose_b,
                          random_);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(comparison_.num_contacts(), static_cast<std::size_t>(num_poses()));
}

TEST_P(SearchOf, HalfSpaces) {
  const Collider plane = make_collider(testing::plane_shape()), shape{.geometry = a().geometry};
  for (int i = 0; i < num_poses(); ++i) {
    SCOPED_TRACE(i);
    // The lowest point of a touch, at a known height.
    const testing::Touch touch = random_touch(a(), random_);
    const Matrix3 R = Eigen::Quaterniond::FromTwoVectors(touch.m, -Vector3::UnitZ()).toRotationMatrix();
    const Pose pose{R, random_gap(random_) * Vector3::UnitZ() - R * touch.x};
    comparison_.compare(shape, pose, plane, Pose{}, random_);
    comparison_.compare(plane, Pose{}, shape, pose, random_);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(comparison_.num_contacts(), static_cast<std::size_t>(num_poses() / 4));
}

// Ground of ridges, hollows and saddles, of waves, gentle, nearly flat, flat.
std::vector<Collider> make_grounds() {
  Random random(7);
  const auto jagged = [&](double, double) { return random.uniform(-0.15, 0.15); };
  const auto waves = [](double x, double y) { return 0.1 * std::sin(3 * x) * std::cos(2 * y); };
  const auto gentle = [&](double, double) { return random.uniform(-0.004, 0.004); };
  const auto nearly_flat = [&](double, double) { return random.uniform(-1e-8, 1e-8); };
  const auto flat = [](double, double) { return 0.0; };
  return {make_collider(testing::ground_mesh(4, 0.37, jagged)),
          make_collider(testing::height_field_shape(4, 0.3, waves)),
          make_collider(testing::ground_mesh(4, 0.37, gentle)),
          make_collider(testing::ground_mesh(3, 0.5, nearly_flat)),
          make_collider(testing::height_field_shape(3, 0.37, flat)),
          make_collider(testing::ground_mesh(6, 0.11, jagged))};
}

TEST_P(SearchOf, OpenMeshes) {
  static const std::vector<Collider> grounds = make_grounds();
  const Collider shape{.geometry = a().geometry};
  for (const Collider& ground : grounds)
    for (int i = 0; i < num_poses(); ++i) {
      SCOPED_TRACE(i);
      // On a point of a face, an edge or a corner, turned like the face up to a small angle, or anyhow.
      const Geometry& g = *ground.geometry;
      const GeometryFace& face = g.faces[random_.integer(0, static_cast<int>(g.faces.size()) - 1)];
      Vector3 x = Vector3::Zero(), n = random_.integer(0, 2) == 0 ? Vector3(Vector3::UnitZ()) : face.normal;
      double sum = 0;
      for (const int k : g.loop(face)) {
        const double weight = random_.integer(0, 2) == 0 ? 0 : random_.uniform(0, 1);
        x += (weight + 1e-300) * g.points[k].x;
        sum += weight + 1e-300;
      }
      if (random_.integer(0, 2) == 0)
        n = (n + testing::small_angle(random_) * random_.vector(3)).normalized();
      const testing::Touch touch = random_touch(a(), random_);
      const Matrix3 spin =
          Eigen::AngleAxisd(0.5 * std::numbers::pi * random_.integer(0, 3), n).toRotationMatrix();
      const Matrix3 R = spin * Eigen::Quaterniond::FromTwoVectors(touch.m, -n).toRotationMatrix();
      const Pose local{R, x / sum + random_gap(random_) * n - R * touch.x};
      const Pose world = random_.integer(0, 1) == 0
                             ? Pose{}
                             : testing::pose_at(10 * random_.vector(3), 3 * random_.vector(3));
      const Pose pose{world.R * local.R, world.point(local.p)};
      if (random_.integer(0, 1) == 0)
        comparison_.compare(shape, pose, ground, world, random_);
      else
        comparison_.compare(ground, world, shape, pose, random_);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(comparison_.num_contacts(), static_cast<std::size_t>(num_poses()));
}

TEST_P(SearchOf, ClosedMeshes) {
  // A box and a plate, thin enough for far sides.
  for (const Vector3& size : {Vector3(1, 0.7, 0.4), Vector3(1, 1, 0.02)}) {
    const Solid box{"box", testing::box_shape(size.x(), size.y(), size.z()),
                    make_geometry(testing::box_shape(size.x(), size.y(), size.z()))};
    const Collider mesh = make_collider(testing::surface_shape(ShapeKind::mesh, testing::box_surface(size)));
    for (int i = 0; i < num_poses(); ++i) {
      SCOPED_TRACE(i);
      const testing::KnownPair known = make_known_pair(a(), box, random_gap(random_), random_);
      comparison_.compare({.geometry = a().geometry}, known.pose_a, mesh, known.pose_b, random_);
      comparison_.compare(mesh, known.pose_b, {.geometry = a().geometry}, known.pose_a, random_);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(comparison_.num_contacts(), static_cast<std::size_t>(num_poses() / 4));
}

INSTANTIATE_TEST_SUITE_P(Solids, SearchOf, ::testing::Range(0, static_cast<int>(solids().size())),
                         [](const auto& index) {
                           return solids()[static_cast<std::size_t>(index.param)].name;
                         });

}  // namespace
}  // namespace delassus::contact_search_test
