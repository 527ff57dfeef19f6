// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The multibody system at random configurations: every joint, drive and force element against differences of its own
// values, and against what mechanics says about it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "delassus/base/error.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "tests/support/derivatives.hpp"

namespace delassus::multibody_test {
namespace {

using std::numbers::pi;
using testing::moved;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double lo = -1, double hi = 1) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }
  Vector3 vector(double size = 1) { return size * Vector3((*this)(), (*this)(), (*this)()); }
  Quaternion rotation() { return quaternion_exponential(vector(2)); }
  Vector values(int n, double size = 1) {
    Vector out(n);
    for (double& x : out) x = size * (*this)();
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

Body random_body(Random& random, const std::string& name) {
  Body body{.name = name, .mass = random(0.5, 2), .position = random.vector(), .velocity = random.vector()};
  body.kind = BodyKind::rigid;
  const std::vector<Shape> shapes{{.kind = ShapeKind::box,
                                   .size = Vector3(random(0.3, 1), random(0.3, 1), random(0.3, 1)),
                                   .orientation = random.rotation()}};
  const MassProperties mass = mass_properties(shapes, 1000);
  body.inertia = mass.inertia * (body.mass / mass.mass);
  body.orientation = random.rotation();
  body.angular_velocity = random.vector();
  body.center_of_mass = random.vector(0.3);
  return body;
}

Body kinematic_body(Random& random, const std::string& name) {
  Body body = random_body(random, name);
  body.kind = BodyKind::kinematic;
  const Vector3 a = random.vector(), b = random.vector();
  for (int i = 0; i < 3; ++i)
    body.motion.position[i] = {[a, b, i](double t) { return a[i] + std::sin(b[i] + 2 * t); },
                               [b, i](double t) { return 2 * std::cos(b[i] + 2 * t); },
                               [b, i](double t) { return -4 * std::sin(b[i] + 2 * t); }};
  body.motion.axis = random.vector();
  body.motion.angle = {[](double t) { return t * t; }, [](double t) { return 2 * t; },
                       [](double) { return 2.0; }};
  return body;
}

Attachment random_end(Random& random, int body) {
  return {body, random.vector(0.5), random.rotation()};
}

constexpr JointKind k_kinds[] = {
    JointKind::fixed,         JointKind::revolute,       JointKind::prismatic,     JointKind::cylindrical,
    JointKind::screw,         JointKind::spherical,      JointKind::universal,     JointKind::planar,
    JointKind::point_on_line, JointKind::point_on_plane, JointKind::parallel_axes, JointKind::distance};

class EveryJoint : public ::testing::TestWithParam<JointKind> {};

// Also far from where the joint holds: Newton's method passes there.
TEST_P(EveryJoint, DerivativesAreThoseOfItsEquations) {
  Random random(static_cast<unsigned>(GetParam()) + 1);
  for (const auto& [a, b] :
       {std::pair{0, 1}, std::pair{k_world, 0}, std::pair{1, k_world}, std::pair{2, 1}}) {
    Model model;
    model.add(random_body(random, "a"));
    model.add(random_body(random, "b"));
    model.add(kinematic_body(random, "driven"));
    Joint joint{.name = "joint", .kind = GetParam(), .a = random_end(random, a), .b = random_end(random, b)};
    joint.pitch = 0.3;
    joint.length = 0.7;
    model.add(joint);
    const MultibodySystem system(model);
    const State state = system.initial_state();
    BilateralRows rows;
    system.bilateral(0.4, state.q, rows);
    EXPECT_EQ(rows.rows.rows(), num_equations(GetParam()));
    testing::expect_joint_derivatives(system, 0.4, state.q, random.values(system.nv()));
    // Rates of the coordinates.
    Vector values, rates, after, before, ignored;
    const Vector v = random.values(system.nv());
    system.joint_coordinates(0.4, state.q, v, values, rates);
    EXPECT_EQ(values.size(), static_cast<Eigen::Index>(joint_coordinates(GetParam()).size()));
    const double h = testing::k_step;
    system.joint_coordinates(0.4 + h, moved(system, state.q, h * v), v, after, ignored);
    system.joint_coordinates(0.4 - h, moved(system, state.q, -h * v), v, before, ignored);
    EXPECT_LT(testing::relative_error(rates, (after - before) / (2 * h)), 2e-8);
  }
}

// A joint made where the bodies lie holds there, has full rank, and leaves 6 − rows degrees of freedom.
TEST_P(EveryJoint, HoldsWhereItIsMade) {
  if (GetParam() == JointKind::distance) GTEST_SKIP() << "made from a length";
  Random random(static_cast<unsigned>(GetParam()) + 50);
  Model model;
  model.add(random_body(random, "a"));
  model.add(random_body(random, "b"));
  model.add(model.joint_at(GetParam(), "joint", 0, 1, random.vector(), random.vector(), random.vector()));
  const MultibodySystem system(model);
  BilateralRows rows;
  system.bilateral(0, system.initial_state().q, rows);
  EXPECT_LT(rows.violation.cwiseAbs().maxCoeff(), 1e-14);
  Matrix G;
  rows.rows.to_dense_transposed(G);
  EXPECT_EQ(Eigen::ColPivHouseholderQR<Matrix>(G).rank(), num_equations(GetParam()));
}

// The reaction that a joint reports is the wrench that balances its generalised force on the second body.
TEST_P(EveryJoint, ReactionIsTheWrenchOnTheSecondBody) {
  Random random(static_cast<unsigned>(GetParam()) + 100);
  Model model;
  model.add(random_body(random, "a"));
  model.add(random_body(random, "b"));
  Joint joint{.name = "joint", .kind = GetParam(), .a = random_end(random, 0), .b = random_end(random, 1)};
  joint.pitch = 0.2;
  model.add(joint);
  const MultibodySystem system(model);
  const State state = system.initial_state();
  BilateralRows rows;
  system.bilateral(0, state.q, rows);
  const Vector lambda = random.values(rows.rows.rows());
  Vector force = Vector::Zero(system.nv());
  rows.rows.add_transposed_product(lambda, force);
  std::vector<JointReaction> reactions;
  system.reactions(0, state.q, state.v, lambda, reactions);
  // Power of the wrench at the frame of B for any motion of B.
  const Vector v = random.values(system.nv());
  const Matrix3 R_A = rotation_matrix(model.bodies[0].orientation),
                R_B = rotation_matrix(model.bodies[1].orientation);
  const Matrix3 frame = R_A * rotation_matrix(joint.a.orientation);
  const Vector3 omega = R_B * v.segment<3>(9), lever = R_B * (joint.b.point - model.bodies[1].center_of_mass);
  const Vector3 at_frame = v.segment<3>(6) + omega.cross(lever);
  const double power = (frame * reactions[0].force).dot(at_frame) + (frame * reactions[0].torque).dot(omega);
  EXPECT_NEAR(power, force.tail(6).dot(v.tail(6)), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint, ::testing::ValuesIn(k_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

// A revolute and a prismatic joint on two bodies, for what acts on coordinates.
Model coordinate_model(Random& random) {
  Model model;
  model.add(random_body(random, "a"));
  model.add(random_body(random, "b"));
  model.add(kinematic_body(random, "driven"));
  model.add(Joint{
      .name = "hinge", .kind = JointKind::revolute, .a = random_end(random, 2), .b = random_end(random, 0)});
  model.add(Joint{.name = "slider",
                  .kind = JointKind::prismatic,
                  .a = random_end(random, 0),
                  .b = random_end(random, 1)});
  model.measures.push_back(
      {"rope", Measure::Kind::length, random_end(random, k_world), random_end(random, 1)});
  model.measures.push_back({"turn", Measure::Kind::angle, random_end(random, 0), random_end(random, 1)});
  return model;
}

constexpr CoordinateRef k_hinge{.joint = 0}, k_slider{.joint = 1}, k_rope{.measure = 0}, k_turn{.measure = 1};
const TimeLaw k_law{[](double t) { return std::sin(3 * t); }, [](double t) { return 3 * std::cos(3 * t); },
                    [](double t) { return -9 * std::sin(3 * t); }};

TEST(Multibody, CouplersMotorsAndVelocityRows) {
  Random random(5);
  Model model = coordinate_model(random);
  model.couplers.push_back(gear("gear", k_hinge, k_turn, 2.5));
  model.couplers.push_back(rack_and_pinion("rack", k_hinge, k_slider, 0.3));
  model.couplers.push_back(pulley("pulley", k_rope, k_slider, 2));
  model.motors.push_back(
      {.name = "position", .kind = Motor::Kind::position, .coordinate = k_hinge, .target = k_law});
  model.motors.push_back(
      {.name = "velocity", .kind = Motor::Kind::velocity, .coordinate = k_slider, .target = k_law});
  model.rolling_disks.push_back({.name = "disk",
                                 .body = 1,
                                 .center = random.vector(),
                                 .axis = random.vector(),
                                 .radius = 0.4,
                                 .plane_normal = random.vector()});
  model.skates.push_back({.name = "skate", .body = 0, .point = random.vector(), .across = random.vector()});
  PfaffianRow row{.name = "row"};
  row.terms = {{0, random.vector(), random.vector(), random.vector(), true},
               {1, random.vector(), random.vector(), random.vector(), false}};
  row.coordinates = {{k_hinge, 0.7}};
  row.target = k_law;
  model.pfaffian_rows.push_back(row);
  const MultibodySystem system(model);
  const State state = system.initial_state();
  testing::expect_joint_derivatives(system, 0.4, state.q, random.values(system.nv()));
  // Couplers hold where they start.
  BilateralRows rows;
  system.bilateral(0, state.q, rows);
  int couplers = 0;
  for (int i = 0; i < rows.num_holonomic; ++i)
    if (const std::string name = system.joint_name(i); name == "gear" || name == "rack" || name == "pulley") {
      EXPECT_NEAR(rows.violation[i], 0, 1e-14) << name;
      ++couplers;
    }
  EXPECT_EQ(couplers, 3);
}

TEST(Multibody, ForcesHaveTheirDerivativesAndTheirPower) {
  Random random(6);
  Model model = coordinate_model(random);
  model.gravity = random.vector(5);
  model.springs.push_back({"spring", random_end(random, 0), random_end(random, 1), 40, 0.3, 2});
  model.springs.push_back({"anchor", random_end(random, k_world), random_end(random, 1), 30, 0.1, 1});
  model.springs.push_back({"pull", random_end(random, 2), random_end(random, 1), 20, 0.1, 1});
  model.coordinate_springs.push_back({"torsion", k_hinge, 7, 0.2, 0.5});
  model.coordinate_springs.push_back({"buffer", k_slider, 9, -0.2, 0.4});
  model.motors.push_back({.name = "servo",
                          .kind = Motor::Kind::servo,
                          .coordinate = k_turn,
                          .target = k_law,
                          .stiffness = 11,
                          .damping = 1.5});
  Motor motor{.name = "motor", .kind = Motor::Kind::force, .coordinate = k_hinge};
  motor.force = [](double t, double x, double v) {
    return CoordinateForce{std::sin(t) + x * x - 0.3 * v * x, 2 * x - 0.3 * v, -0.3 * x};
  };
  model.motors.push_back(motor);
  const auto law = force_from_function([](double t, const Vector3& x, const Vector3& v) {
    return Vector3(std::sin(t) * x.y(), x.z() * v.x(), v.y() - x.x() * x.x());
  });
  model.applied_forces.push_back({"world", 0, law, random.vector(), law, false});
  model.applied_forces.push_back({"follower", 1, law, random.vector(), law, true});
  model.point_gravities.push_back({"sun", Vector3(3, 1, -2), 4});
  Bushing bushing{.name = "bushing", .a = random_end(random, 2), .b = random_end(random, 0)};
  for (Matrix6* K : {&bushing.stiffness, &bushing.damping}) {
    Matrix6 X;
    for (double& x : X.reshaped()) x = random();
    *K = X * X.transpose();
  }
  model.bushings.push_back(bushing);
  bushing.name = "between";
  bushing.a = random_end(random, 1);
  model.bushings.push_back(bushing);
  const MultibodySystem system(model);
  for (int i = 0; i < 3; ++i)
    testing::expect_force_derivatives(
        system, 0.3, moved(system, system.initial_state().q, random.values(system.nv(), 0.3)),
        random.values(system.nv()), 2e-7);
}

// What a motor does is told along its coordinate: the row's force, or the law's.
TEST(Multibody, MotorsTellTheirForces) {
  Random random(13);
  Model model = coordinate_model(random);
  model.motors.push_back(
      {.name = "drive", .kind = Motor::Kind::velocity, .coordinate = k_slider, .target = k_law});
  model.motors.push_back({.name = "servo",
                          .kind = Motor::Kind::servo,
                          .coordinate = k_hinge,
                          .target = k_law,
                          .stiffness = 11,
                          .damping = 1.5});
  const MultibodySystem system(model);
  const State state = system.initial_state();
  BilateralRows rows;
  system.bilateral(0.4, state.q, rows);
  const Vector lambda = random.values(rows.rows.rows());
  std::vector<JointReaction> reactions;
  system.reactions(0.4, state.q, state.v, lambda, reactions);
  ASSERT_EQ(system.num_reactions(), 4);
  EXPECT_EQ(system.reaction_name(2), "drive");
  // The velocity motor is the only row on velocities: the last one.
  EXPECT_EQ(reactions[2].force.z(), lambda[lambda.size() - 1]);
  Vector values, rates;
  system.joint_coordinates(0.4, state.q, state.v, values, rates);
  EXPECT_NEAR(reactions[3].torque.z(),
              -11 * (values[0] - std::sin(1.2)) - 1.5 * (rates[0] - 3 * std::cos(1.2)), 1e-13);
}

// A user's element: a spring between the centres of mass, against the built-in one.
class UserSpring final : public ForceElement {
 public:
  std::string name() const override { return "user"; }
  std::vector<int> bodies() const override { return {0, 1}; }
  void add_wrenches(double, std::span<const BodyKinematics> bodies,
                    std::span<Vector6> wrenches) const override {
    const Vector3 d = bodies[1].x - bodies[0].x, f = -50 * (d.norm() - 0.4) * d.normalized();
    wrenches[1].head<3>() += f;
    wrenches[0].head<3>() -= f;
  }
  bool has_potential() const override { return true; }
  double potential(double, std::span<const BodyKinematics> bodies) const override {
    const double e = (bodies[1].x - bodies[0].x).norm() - 0.4;
    return 25 * e * e;
  }
};

TEST(Multibody, UserElementIsTheSameAsTheBuiltInOne) {
  Random random(7);
  Model model;
  model.add(random_body(random, "a"));
  model.add(random_body(random, "b"));
  Model built_in = model;
  model.elements.push_back(std::make_shared<UserSpring>());
  built_in.springs.push_back(
      {"spring", {0, model.bodies[0].center_of_mass}, {1, model.bodies[1].center_of_mass}, 50, 0.4, 0});
  const MultibodySystem a(model), b(built_in);
  const State state = a.initial_state();
  Vector ka, kb;
  a.forces(0, state.q, state.v, ka);
  b.forces(0, state.q, state.v, kb);
  EXPECT_LT((ka - kb).norm(), 1e-13 * kb.norm());
  EXPECT_NEAR(a.potential_energy(0, state.q), b.potential_energy(0, state.q), 1e-13);
  testing::expect_force_derivatives(a, 0, state.q, state.v, 1e-7);
}

TEST(Multibody, LimitsAreContacts) {
  Random random(8);
  Model model = coordinate_model(random);
  model.limits.push_back({"stop", k_hinge, -0.5, 2.0, 0.3});
  model.limits.push_back({"end", k_slider, -0.2});
  const MultibodySystem system(model);
  const State state = system.initial_state();
  const ContactSet contacts = system.contacts_within(1, 0, state.q, state.v);
  ASSERT_EQ(contacts.size(), 3u);
  EXPECT_EQ(system.contact_name(contacts.ids[1]), "stop.upper");
  const Vector& gaps = contacts.gaps;
  Vector values, rates;
  system.joint_coordinates(0, state.q, state.v, values, rates);
  EXPECT_NEAR(gaps[0], values[0] + 0.5, 1e-14);
  EXPECT_NEAR(gaps[1], 2.0 - values[0], 1e-14);
  EXPECT_NEAR(gaps[2], values[1] + 0.2, 1e-14);
  testing::expect_contact_derivatives(system, 0.3, state.q, random.values(system.nv()));
}

// The manifold: ⊞ and ⊟ undo each other, and the rates along q ⊞ w(t) are those of the motion.
TEST(Multibody, RetractionAndItsRates) {
  Random random(9);
  Model model;
  model.add(random_body(random, "a"));
  model.add({.name = "p", .mass = 1, .position = random.vector()});
  const MultibodySystem system(model);
  EXPECT_EQ(system.nq(), 10);
  EXPECT_EQ(system.nv(), 9);
  const Vector q = system.initial_state().q, w = random.values(9), rate = random.values(9);
  Vector back, v, there;
  system.difference(moved(system, q, w), q, back);
  EXPECT_LT((back - w).norm(), 1e-14);
  system.velocity_from_rate(w, rate, v);
  system.difference(moved(system, q, w + testing::k_step * rate),
                    moved(system, q, w - testing::k_step * rate), there);
  EXPECT_LT((there / (2 * testing::k_step) - v).norm(), 1e-9);
  system.rate_from_velocity(w, v, back);
  EXPECT_LT((back - rate).norm(), 1e-14);
}

// An angle counts its turns, whichever way and however far a step goes.
TEST(Multibody, AnglesCountTurns) {
  Random random(10);
  Model model;
  model.add(random_body(random, "a"));
  model.add(
      model.joint_at(JointKind::revolute, "hinge", k_world, 0, model.bodies[0].position, Vector3::UnitX()));
  const MultibodySystem system(model);
  Vector q = system.initial_state().q, values, rates, next;
  // Turn about the hinge's axis in body axes.
  const Vector3 axis = rotate_back(model.bodies[0].orientation, Vector3::UnitX());
  double angle = 0;
  for (const double step : {0.5, 2.0, 3.1, 5.0, 5.0, -1.0, -6.0, -20.0, 3.0}) {
    Vector w = Vector::Zero(6);
    w.tail<3>() = step * axis;
    system.retract(q, w, next);
    q = next;
    angle += step;
    system.joint_coordinates(0, q, Vector::Zero(6), values, rates);
    EXPECT_NEAR(values[0], angle, 1e-12);
    EXPECT_NEAR(q[7], angle, 1e-12) << "the entry of q";
  }
}

TEST(Multibody, OffsetCentreOfMassIsOnlyADescription) {
  // The same body described in two frames moves the same way: frame origin at the centre of mass or elsewhere.
  Random random(11);
  Body body = random_body(random, "a");
  Body shifted = body;
  const Vector3 offset = rotate(body.orientation, body.center_of_mass);
  shifted.position = body.position + offset;
  shifted.velocity = body.velocity + rotate(body.orientation, body.angular_velocity).cross(offset);
  shifted.center_of_mass.setZero();
  Model a, b;
  a.add(body);
  b.add(shifted);
  const MultibodySystem x(a), y(b);
  EXPECT_LT((x.initial_state().q - y.initial_state().q).norm(), 1e-15);
  EXPECT_LT((x.initial_state().v - y.initial_state().v).norm(), 1e-15);
  std::vector<BodyMotion> motions;
  x.body_motions(0, x.initial_state().q, x.initial_state().v, motions);
  EXPECT_LT((motions[0].position - body.position).norm(), 1e-15);
  EXPECT_LT((motions[0].velocity - body.velocity).norm(), 1e-15);
}

TEST(Multibody, BadModelsAreRefusedByName) {
  Random random(12);
  Model good;
  good.add(random_body(random, "a"));
  good.add(random_body(random, "b"));
  good.add({.name = "dot", .mass = 1});
  good.add(good.joint_at(JointKind::revolute, "hinge", 0, 1, Vector3::Zero()));
  EXPECT_NO_THROW(require_valid(good));
  const auto refused = [&](const std::string& words, const std::function<void(Model&)>& spoil) {
    Model bad = good;
    spoil(bad);
    try {
      require_valid(bad);
      FAIL() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("'a': mass is -1", [](Model& m) { m.bodies[0].mass = -1; });
  refused("positive definite", [](Model& m) { m.bodies[0].inertia.setZero(); });
  refused("triangle inequality", [](Model& m) { m.bodies[0].inertia = Vector3(1, 1, 3).asDiagonal(); });
  refused("not symmetric", [](Model& m) { m.bodies[0].inertia(0, 1) += 1; });
  refused("unit quaternions", [](Model& m) { m.bodies[0].orientation *= 2; });
  refused("joint 'hinge': both ends are on the same body", [](Model& m) { m.joints[0].b.body = 0; });
  refused("joint 'hinge': body 'dot' is a particle", [](Model& m) { m.joints[0].b = {2}; });
  refused("joint 'hinge': the orientation of an attachment",
          [](Model& m) { m.joints[0].a.orientation.setZero(); });
  refused("the name is used twice", [](Model& m) { m.bodies[1].name = "a"; });
  refused("neither of its ends can move", [](Model& m) {
    m.bodies[0].kind = BodyKind::fixed;
    m.joints[0].b = {};
  });
  refused("motor 'm': joint 'hinge' is revolute and has 1 coordinate; asked for number 1", [](Model& m) {
    m.motors.push_back({.name = "m", .coordinate = {.joint = 0, .index = 1}, .target = constant_law(0)});
  });
  refused("motor 'm': it has no law",
          [](Model& m) { m.motors.push_back({.name = "m", .coordinate = {.joint = 0}}); });
  refused("coefficients are zero", [](Model& m) {
    m.couplers.push_back({.name = "c", .terms = {{{.joint = 0}, 0.0}}});
  });
  refused("contacts of rigid bodies need shapes",
          [](Model& m) { m.plane_contacts.push_back({.name = "c", .body = 0}); });
}

TEST(Shapes, MassPropertiesOfSolids) {
  // Against sums over small cubes of the solid.
  const Quaternion turn = quaternion_exponential({0.4, -0.7, 0.2});
  const Vector3 at(0.2, -0.1, 0.3);
  const std::vector<Shape> shapes{
      {.kind = ShapeKind::sphere, .radius = 0.5, .position = at, .orientation = turn},
      {.kind = ShapeKind::box, .size = {0.4, 0.9, 0.6}, .position = at, .orientation = turn},
      {.kind = ShapeKind::cylinder, .radius = 0.3, .length = 0.8, .position = at, .orientation = turn},
      {.kind = ShapeKind::capsule, .radius = 0.3, .length = 0.4, .position = at, .orientation = turn}};
  for (const Shape& shape : shapes) {
    const auto inside = [&](const Vector3& p) {
      const double across = std::hypot(p.x(), p.y()),
                   beyond = std::max(std::abs(p.z()) - 0.5 * shape.length, 0.0);
      switch (shape.kind) {
        case ShapeKind::sphere:
          return p.norm() <= shape.radius;
        case ShapeKind::box:
          return (p.cwiseAbs() - 0.5 * shape.size).maxCoeff() <= 0;
        case ShapeKind::cylinder:
          return across <= shape.radius && beyond == 0;
        case ShapeKind::capsule:
          return std::hypot(across, beyond) <= shape.radius;
        default:
          return false;
      }
    };
    constexpr int n = 120;
    constexpr double d = 1.2 / n;
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const Vector3 p = Vector3(i + 0.5, j + 0.5, k + 0.5) * d - Vector3::Constant(0.6);
          if (!inside(p)) continue;
          mass += d * d * d;
          const Vector3 x = rotate(turn, p);
          inertia += d * d * d * (x.squaredNorm() * Matrix3::Identity() - x * x.transpose());
        }
    const MassProperties exact = mass_properties({shape}, 2.0);
    EXPECT_NEAR(exact.mass, 2 * mass, 1e-2 * exact.mass);
    EXPECT_LT((exact.inertia - 2 * inertia).norm(), 2e-2 * exact.inertia.norm());
    EXPECT_LT((exact.center_of_mass - at).norm(), 1e-15);
    EXPECT_EQ(check_inertia(exact.inertia), "");
  }
  // Two balls on a line: Steiner's theorem.
  const MassProperties pair =
      mass_properties({{.radius = 0.1, .position = {1, 0, 0}}, {.radius = 0.1, .position = {-1, 0, 0}}}, 1.0);
  EXPECT_NEAR(pair.inertia(2, 2), pair.mass * (1 + 0.4 * 0.01), 1e-15);
  EXPECT_NEAR(pair.inertia(0, 0), pair.mass * 0.4 * 0.01, 1e-17);
}

TEST(Shapes, EquivalentBoxHasTheMassProperties) {
  const Quaternion turn = quaternion_exponential({0.4, -0.7, 1.1});
  // A box gives itself back; a capsule and a pair of balls give a box that no mass distribution can tell from them.
  const std::vector<std::vector<Shape>> bodies = {
      {{.kind = ShapeKind::box, .size = {0.3, 0.5, 0.2}, .position = {1, 2, 3}, .orientation = turn}},
      {{.kind = ShapeKind::capsule, .radius = 0.1, .length = 0.7, .orientation = turn}},
      {{.radius = 0.1, .position = {1, 0, 0}}, {.radius = 0.2, .position = {-1, 0.5, 0}}}};
  for (const std::vector<Shape>& shapes : bodies) {
    const MassProperties body = mass_properties(shapes, 700);
    const Shape box = equivalent_box(body);
    const MassProperties again = mass_properties({box}, body.mass / shape_volume(box));
    EXPECT_LT((again.center_of_mass - body.center_of_mass).norm(), 1e-14);
    EXPECT_LT((again.inertia - body.inertia).norm(), 1e-13 * body.inertia.norm());
  }
  EXPECT_NEAR(shape_volume(equivalent_box(mass_properties(bodies[0], 700))), shape_volume(bodies[0][0]),
              1e-15);
  // A rod without thickness.
  const Shape rod = equivalent_box({.mass = 3, .inertia = Vector3(0, 1, 1).asDiagonal()});
  EXPECT_NEAR(rod.size.maxCoeff(), 2, 1e-15);
  EXPECT_EQ(rod.size.minCoeff(), 0);
}

}  // namespace
}  // namespace delassus::multibody_test
