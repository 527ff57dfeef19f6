// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts of a whole model: ids, filters, sweeping, rows and their derivatives.
#include "delassus/collision/collision_world.hpp"

#include <gtest/gtest.h>

#include "delassus/collision/separation.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/solvers/registry.hpp"
#include "delassus/steppers/separate_start.hpp"
#include "tests/support/derivatives.hpp"
#include "tests/support/shapes.hpp"

namespace delassus::collision_world_test {
namespace {

using namespace testing;

Model model_of(std::vector<Body> bodies) {
  Model model;
  model.gravity = {0, 0, -9.81};
  for (Body& body : bodies) model.add(std::move(body));
  return model;
}

TimeLaw law_of(const char* formula) {
  const std::string variables[] = {"t"};
  return time_law_from_expression(Expression::parse(formula, variables));
}

std::vector<ContactId> candidates_of(const MultibodySystem& system, const State& state, double h) {
  return system.contacts_within(h, state.t, state.q, state.v).ids;
}

std::vector<Shape> convex_shapes() {
  Shape rounded = box_shape(0.5, 0.4, 0.3);
  rounded.margin = 0.05;
  return {sphere_shape(0.3),
          box_shape(0.5, 0.4, 0.3),
          capsule_shape(0.2, 0.4),
          cylinder_shape(0.25, 0.5),
          cone_shape(0.3, 0.6),
          ellipsoid_shape(0.6, 0.5, 0.4),
          hull_shape(),
          rounded};
}

// Two bodies of these shapes, b turned at random and as near to a as `gap` says.
Model touching_pair(const Shape& shape_a, const Shape& shape_b, double gap, std::mt19937& random) {
  Body a = body_of("a", shape_a, {0, 0, 0}, random_vector(random, 3)),
       b = body_of("b", shape_b, {0, 0, 0}, random_vector(random, 3));
  const auto geometry_a = make_geometry(shape_a), geometry_b = make_geometry(shape_b);
  const Pose pose_a{rotation_matrix(a.orientation), a.position};
  const Vector3 direction = random_vector(random, 1).normalized();
  double far = 3, near = 0;
  const auto gap_at = [&](double x) {
    return separation(*geometry_a, pose_a, *geometry_b, {rotation_matrix(b.orientation), x * direction}, 10)
        .gap;
  };
  for (int i = 0; i < 60; ++i) (gap_at(0.5 * (far + near)) > gap ? far : near) = 0.5 * (far + near);
  b.position = far * direction;
  return model_of({a, b});
}

TEST(ShapeContacts, RowsAndBiasAreDerivativesOfTheGap) {
  std::mt19937 random(11);
  int tested = 0;
  for (const Shape& shape_a : convex_shapes())
    for (const Shape& shape_b : convex_shapes())
      for (double gap : {1e-3, -1e-4}) {
        const MultibodySystem system(touching_pair(shape_a, shape_b, gap, random));
        State state = system.initial_state();
        for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = random_vector(random, 1).x();
        SCOPED_TRACE(::testing::Message()
                     << to_string(shape_a.kind) << " " << to_string(shape_b.kind) << " " << gap);
        ASSERT_FALSE(candidates_of(system, state, 0).empty());
        // Sharp pairs of points and edges bend on the scale of their gap: differences of 1e-6 see 1e-6/1e-3 of it.
        expect_contact_derivatives(system, 0, state.q, state.v, 3e-5);
        ++tested;
      }
  EXPECT_EQ(tested, 128);
}

TEST(ShapeContacts, RowsKnowPrescribedMotions) {
  Body plate = body_of("plate", box_shape(2, 2, 0.2), {0, 0, -0.1}, {0, 0, 0}, 0);
  plate.kind = BodyKind::kinematic;
  const char* const motion[] = {"0.1*sin(2*t)", "0.2*t", "0.05*cos(t)-0.1-0.05"};
  for (int i = 0; i < 3; ++i) plate.motion.position[i] = law_of(motion[i]);
  plate.motion.axis = Vector3(0.3, 1, 0.2);
  plate.motion.angle = law_of("0.02*sin(3*t)");
  for (const Shape& shape : convex_shapes()) {
    SCOPED_TRACE(to_string(shape.kind));
    const MultibodySystem system(model_of({plate, body_of("body", shape, {0.1, 0.2, 0.2}, {0.1, 0.2, 0.3})}));
    State state = system.initial_state();
    // Down to the plate.
    std::vector<ContactId> ids;
    for (int i = 0; i < 400 && ids.empty(); ++i, state.q[2] -= 1e-3) ids = candidates_of(system, state, 0);
    ASSERT_FALSE(ids.empty());
    for (Eigen::Index i = 0; i < state.v.size(); ++i)
      state.v[i] = 0.3 * std::sin(3.0 * static_cast<double>(i) + 1);
    expect_contact_derivatives(system, 0, state.q, state.v, 1e-5);
  }
}

TEST(Candidates, FastBodiesDoNotTunnel) {
  // A ball at 100 m/s towards a plate of 1 cm, over a step of 10 ms: the contact of the face is there before it touches.
  const Shape plates[] = {box_shape(1, 1, 0.01), [] {
                            Shape mesh = ground_mesh(3, 0.17, [](double, double) { return 0.005; });
                            return mesh;
                          }()};
  for (const Shape& plate : plates)
    for (const Shape& shape : convex_shapes())
      for (double start : {0.4, 0.6, 0.95}) {
        SCOPED_TRACE(::testing::Message()
                     << to_string(plate.kind) << " " << to_string(shape.kind) << " " << start);
        Body flying = body_of("flying", shape, {0.1, 0.05, start}, {0.3, 0.2, 0.1});
        flying.velocity = {0, 0, -100};
        const MultibodySystem system(model_of({body_of("plate", plate, {0, 0, 0}, {0, 0, 0}, 0), flying}));
        const State state = system.initial_state();
        const auto ids = candidates_of(system, state, 0.01);
        ASSERT_FALSE(ids.empty());
        // One of them says when: its gap falls from the height to below zero, with the velocity of the body.
        const ContactSet here = system.contacts_of(ids, 0, state.q, state.v);
        Vector w = 0.01 * state.v, q;
        system.retract(VectorRef(state.q), VectorRef(w), q);
        const Vector now = here.gaps, margins = here.margins,
                     then = system.contacts_of(ids, 0.01, q, state.v).gaps;
        bool found = false;
        for (Eigen::Index c = 0; c < now.size(); ++c)
          found = found || (margins[c] >= 0 && now[c] > 0 && std::abs(now[c] - then[c] - 1.0) < 1e-9);
        EXPECT_TRUE(found);
      }
}

TEST(Candidates, SweepNeedsTheFacesThatAreMetOnTheWay) {
  // From beside the plate, over its edge, onto its face: nearest at the start is an edge, what is met is the face.
  Body ball = body_of("ball", sphere_shape(0.05), {-0.9, 0, 0.5}, {0, 0, 0});
  ball.velocity = {80, 0, -45};
  const MultibodySystem system(
      model_of({body_of("plate", box_shape(1, 1, 0.01), {0, 0, 0}, {0, 0, 0}, 0), ball}));
  const State state = system.initial_state();
  const auto ids = candidates_of(system, state, 0.01);
  const bool face = std::any_of(ids.begin(), ids.end(), [&](ContactId id) {
    return system.contact_name(id).find("plate face") != std::string::npos;
  });
  EXPECT_TRUE(face);
}

TEST(Filters, GroupsPairsJointsAndFixedBodies) {
  const auto count = [](const Model& model) {
    const MultibodySystem system(model);
    return std::pair(candidates_of(system, system.initial_state(), 0).size(), system.has_contacts());
  };
  const Body a = body_of("a", sphere_shape(0.5), {0, 0, 0}), b = body_of("b", sphere_shape(0.5), {0.9, 0, 0});
  const Model plain = model_of({a, b});
  EXPECT_EQ(count(plain), std::pair(std::size_t{1}, true));
  Model off = plain;
  off.collision.enabled = false;
  EXPECT_EQ(count(off), std::pair(std::size_t{0}, false));
  Model grouped = plain;
  grouped.bodies[0].shapes[0].touches = 2;
  EXPECT_EQ(count(grouped), std::pair(std::size_t{0}, false));
  grouped.bodies[1].shapes[0].group = 2;
  EXPECT_EQ(count(grouped), std::pair(std::size_t{1}, true));
  Model ignored = plain;
  ignored.collision.pairs = {{.body_a = 1, .body_b = 0, .touch = false}};
  EXPECT_EQ(count(ignored), std::pair(std::size_t{0}, false));
  Model joined = plain;
  joined.add(joined.joint_at(JointKind::spherical, "ball", 0, 1, {0.45, 0, 0}));
  EXPECT_EQ(count(joined), std::pair(std::size_t{0}, false));
  joined.collision.joined_bodies = true;
  EXPECT_EQ(count(joined), std::pair(std::size_t{1}, true));
  joined.collision.joined_bodies = false;
  joined.collision.pairs = {{.body_a = 0, .body_b = 1, .touch = true}};
  EXPECT_EQ(count(joined), std::pair(std::size_t{1}, true));
  const Model fixed = model_of({body_of("a", sphere_shape(0.5), {0, 0, 0}, {0, 0, 0}, 0),
                                body_of("b", sphere_shape(0.5), {0.9, 0, 0}, {0, 0, 0}, 0),
                                body_of("far", sphere_shape(0.5), {90, 0, 0})});
  EXPECT_EQ(count(fixed), std::pair(std::size_t{0}, true));
}

TEST(Filters, MaterialsCombineAndPairsOverrule) {
  Body a = body_of("a", sphere_shape(0.5), {0, 0, 0}), b = body_of("b", sphere_shape(0.5), {1, 0, 0});
  a.shapes[0].material = {.friction = 0.9, .restitution = 0.1};
  b.shapes[0].material = {.friction = 0.4, .restitution = 0.7};
  Model model = model_of({a, b});
  const auto rows_of = [](const Model& m) {
    const MultibodySystem system(m);
    const State state = system.initial_state();
    const ContactRows rows = system.contacts_within(0, 0, state.q, state.v).rows;
    return std::pair(rows.surfaces.at(0).friction, rows.surfaces.at(0).restitution);
  };
  EXPECT_NEAR(rows_of(model).first, 0.6, 1e-15);
  EXPECT_EQ(rows_of(model).second, 0.7);
  model.collision.rules = {.friction = CombineRule::minimum, .restitution = CombineRule::product};
  EXPECT_EQ(rows_of(model).first, 0.4);
  EXPECT_NEAR(rows_of(model).second, 0.07, 1e-16);
  model.collision.pairs = {{.body_a = 1, .body_b = 0, .friction = 0.05}};
  EXPECT_EQ(rows_of(model).first, 0.05);
  EXPECT_NEAR(rows_of(model).second, 0.07, 1e-16);
}

TEST(Successor, FollowsABallOverSeamsAndEdges) {
  const MultibodySystem system(model_of(
      {body_of("ground", ground_mesh(3, 0.3, [](double x, double) { return x > 0 ? -0.2 * x : 0.0; }),
               {0, 0, 0}, {0, 0, 0}, 0),
       body_of("ball", sphere_shape(0.1), {-0.5, 0.13, 0.1})}));
  State state = system.initial_state();
  auto ids = candidates_of(system, state, 0);
  ASSERT_EQ(ids.size(), 1U);
  ContactId id = ids[0];
  int hand_overs = 0;
  for (int i = 0; i < 1000; ++i) {
    state.q[0] += 1e-3;
    // On the surface: flat, round the bend, downhill.
    const double angle = std::atan(0.2), x = state.q[0];
    const double bend = 0.1 * std::sin(angle);
    state.q[2] = x < 0 ? 0.1 : x < bend ? std::sqrt(0.01 - x * x) : 0.1 / std::cos(angle) - 0.2 * x;
    const ContactId one[] = {id};
    const ContactSet here = system.contacts_of(one, 0, state.q, state.v);
    if (!here.valid(0)) {
      const ContactId next = system.successor(id, system.configuration(0, state.q));
      ASSERT_NE(next, id) << x;
      const ContactId two[] = {next};
      const ContactSet there = system.contacts_of(two, 0, state.q, state.v);
      EXPECT_TRUE(there.valid(0));
      EXPECT_NEAR(there.gap(0), 0, 1e-13) << x;
      id = next;
      ++hand_overs;
    } else {
      // On a seam both sides are right.
      if (here.margins[0] > 1e-9) {
        EXPECT_EQ(system.successor(id, system.configuration(0, state.q)), id);
      }
      EXPECT_NEAR(here.gap(0), 0, 1e-13) << x;
    }
  }
  EXPECT_GE(hand_overs, 4);
}

// A plate that starts from rest and is accelerated towards a ball, or swings towards it: its velocity tells nothing. At
// the end of the step both meet, and the candidates of the step have their contact.
TEST(Candidates, PrescribedMotionsMayStartFromRest) {
  constexpr double h = 0.1;
  for (bool turning : {false, true})
    for (const Shape& shape : convex_shapes()) {
      SCOPED_TRACE(::testing::Message() << to_string(shape.kind) << (turning ? " turning" : ""));
      Body plate = body_of("plate", box_shape(4, 1, 0.1), {0, 0, -1}, {0, 0, 0}, 0);
      plate.kind = BodyKind::kinematic;
      plate.motion.position[0] = plate.motion.position[1] = constant_law(0);
      // By 0.6 m within the step: 120 t²/2; or about y by 0.4 rad, 0.6 m at the arm of 1.5 m.
      plate.motion.position[2] = law_of(turning ? "-1" : "-1+60*t^2");
      plate.motion.axis = Vector3::UnitY();
      plate.motion.angle = law_of(turning ? "-40*t^2" : "0");
      Model model = model_of({plate, body_of("body", shape, {1.5, 0, -0.95 + 0.55})});
      model.gravity.setZero();
      const MultibodySystem system(model);
      const State state = system.initial_state();
      EXPECT_FALSE(candidates_of(system, state, h).empty());
      const ContactSet end = system.contacts_within(0, h, state.q, state.v);
      ASSERT_FALSE(end.empty());  // they do meet
      EXPECT_LT(end.gaps.minCoeff(), 0.01);
    }
}

// The answer that a look at all pairs gives.
bool any_pair_by_all(const Model& model) {
  const auto ignored = [&](int a, int b) {
    return std::any_of(model.collision.pairs.begin(), model.collision.pairs.end(), [&](const PairRule& rule) {
      return rule.touch == false && std::minmax(rule.body_a, rule.body_b) == std::minmax(a, b);
    });
  };
  for (int a = 0; a < static_cast<int>(model.bodies.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(model.bodies.size()); ++b) {
      if ((!model.bodies[a].dynamic() && !model.bodies[b].dynamic()) || ignored(a, b)) continue;
      for (const Shape& x : model.bodies[a].shapes)
        for (const Shape& y : model.bodies[b].shapes)
          if ((x.group & y.touches) != 0 && (y.group & x.touches) != 0) return true;
    }
  return false;
}

TEST(Filters, AnyPairIsFoundAsByALookAtAllPairs) {
  std::mt19937 random(21);
  int none = 0;
  constexpr int models = 400;
  for (int k = 0; k < models; ++k) {
    const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Body> bodies;
    const int n = 2 + one_of(4);
    for (int i = 0; i < n; ++i) {
      Body body = body_of("b" + std::to_string(i), sphere_shape(0.1), {1.0 * i, 0, 0}, {0, 0, 0},
                          one_of(3) == 0 ? 0 : 1000);
      body.shapes.resize(1 + static_cast<std::size_t>(one_of(2)), body.shapes[0]);
      for (Shape& shape : body.shapes) {
        shape.group = 1U << (one_of(4) == 0 ? 31 : one_of(3)) | 1U << one_of(3);
        shape.touches = 1U << one_of(3) | (one_of(3) == 0 ? 1U << 31 : 0U);
      }
      bodies.push_back(body);
    }
    Model model = model_of(bodies);
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        if (one_of(2) == 0) model.collision.pairs.push_back({.body_a = b, .body_b = a, .touch = false});
    const bool expected = any_pair_by_all(model);
    none += expected ? 0 : 1;
    EXPECT_EQ(CollisionWorld(model).any_pair(), expected) << k;
  }
  EXPECT_GT(none, models / 10);
  EXPECT_LT(none, models * 9 / 10);
}

// 20,000 shapes that nothing may touch: 2·10⁸ pairs, which nobody looks at one by one. Slow would be a time-out.
TEST(Filters, ManyShapesOfWhichNoneTouch) {
  Model apart = model_of({});
  for (int i = 0; i < 20'000; ++i) {
    Body body{.name = std::to_string(i), .kind = BodyKind::rigid};
    body.shapes = {sphere_shape(0.1)};
    body.shapes[0].group = 1;
    body.shapes[0].touches = 2;
    apart.bodies.push_back(body);
  }
  EXPECT_FALSE(CollisionWorld(apart).any_pair());
  apart.bodies[12'345].shapes[0].group = 2;
  EXPECT_FALSE(CollisionWorld(apart).any_pair());
  apart.bodies[12'345].shapes[0].touches = 1;
  EXPECT_TRUE(CollisionWorld(apart).any_pair());
}

TEST(Separate, OverlapsAreFoundAndTakenBack) {
  // A heap that overlaps: two boxes in each other and in the ground, a ball in one of them.
  const MultibodySystem system(model_of({body_of("ground", plane_shape(), {0, 0, 0}, {0, 0, 0}, 0),
                                         body_of("low", box_shape(1, 1, 1), {0, 0, 0.48}),
                                         body_of("high", box_shape(1, 1, 1), {0.1, 0, 1.45}, {0, 0, 0.2}),
                                         body_of("ball", sphere_shape(0.3), {0.75, 0, 0.5})}));
  State state = system.initial_state();
  const auto overlaps = system.overlaps(0, state.q, 1e-9);
  ASSERT_EQ(overlaps.size(), 3U);
  EXPECT_NEAR(overlaps[0].depth, 0.02, 1e-12);  // low, ground
  EXPECT_NEAR(overlaps[1].depth, 0.03, 1e-12);  // low, high
  const auto solver = make_solver({});
  const SeparateResult result = separate_start(system, *solver, state);
  ASSERT_TRUE(result.ok) << result.message;
  for (const CollisionWorld::Overlap& left : system.overlaps(0, state.q, 1e-9))
    ADD_FAILURE() << system.shape_name(left.shape_a) << " " << system.shape_name(left.shape_b) << " "
                  << left.depth << " n " << left.normal.transpose() << " q " << state.q.transpose();
  EXPECT_LT(result.moved, 0.2);
}

TEST(Separate, TellsWhatCannotBeResolved) {
  // A ball between two fixed plates that are nearer than its diameter.
  const MultibodySystem system(model_of({body_of("floor", box_shape(9, 9, 1), {0, 0, -0.5}, {0, 0, 0}, 0),
                                         body_of("ceiling", box_shape(9, 9, 1), {0, 0, 0.7}, {0, 0, 0}, 0),
                                         body_of("ball", sphere_shape(0.15), {0, 0, 0.1})}));
  State state = system.initial_state();
  const Vector before = state.q;
  const auto solver = make_solver({});
  const SeparateResult result = separate_start(system, *solver, state, {.max_iterations = 20});
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("ball"), std::string::npos);
  EXPECT_EQ(state.q, before);
}

}  // namespace
}  // namespace delassus::collision_world_test
