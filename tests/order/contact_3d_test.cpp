// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Order 2 of rigid bodies with contacts in space, exact friction law and located events, against motions that are closed forms or
// integrated independently (tests/support/rigid_reference.hpp): balls that slip and then roll, boxes that rock about their edges and
// corners, a box that tumbles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../support/slipping_ball.hpp"

namespace delassus::contact_3d_test {
namespace {

using testing::box_shape;
using testing::distance;
using testing::k_plane;
using testing::k_up;
using testing::motion_of;
using testing::on_ground;
using testing::ReferenceBall;
using testing::ReferenceBox;
using testing::ReferenceRocking;
using testing::RigidMotion;
using testing::slip_on_a_ball;
using testing::slip_on_a_plane;
using testing::SlippingBall;

constexpr double k_lowest_order = 1.9;
// Below that an error is round-off and the tolerances of solvers and events.
constexpr double k_exact = 1e-9;
// Times of events are off by at most this times h², where the motions of these scenes are followed for several impacts [1/s].
constexpr double k_event_error = 10;

struct Outcome {
  RigidMotion end;
  std::vector<Event> events;

  std::vector<double> times(EventKind kind) const {
    std::vector<double> found;
    for (const Event& event : events)
      // Corners that land together are one impact.
      if (event.kind == kind && (found.empty() || event.time > found.back())) found.push_back(event.time);
    return found;
  }
};

Outcome run(const std::string& scene, double t_end, double h, std::vector<std::string> settings = {}) {
  settings.push_back(cli::setting("stepper.step", h));
  Simulation simulation = testing::simulate(scene, settings);
  Outcome result;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    result.events.insert(result.events.end(), report.events.begin(), report.events.end());
    return true;
  });
  EXPECT_TRUE(simulation.run_until(t_end)) << simulation.report().message;
  result.end = motion_of(simulation.state());
  return result;
}

// Fitted orders of position, orientation, velocity and angular velocity over h, h/2, h/4, h/8; those that are exact count as 2.
Eigen::Vector4d orders(const std::function<Eigen::Vector4d(double)>& error, double h) {
  std::vector<double> steps;
  std::vector<Eigen::Vector4d> errors;
  for (int i = 0; i < 4; ++i, h /= 2) {
    steps.push_back(h);
    errors.push_back(error(h));
  }
  Eigen::Vector4d fitted;
  for (int k = 0; k < 4; ++k) {
    std::vector<double> one;
    for (const Eigen::Vector4d& e : errors) one.push_back(e[k]);
    fitted[k] = *std::max_element(one.begin(), one.end()) < k_exact ? 2 : cli::fitted_order(steps, one);
  }
  return fitted;
}

// ---- balls that slip and then roll ----

void expect_order_2(const SlippingBall& slip, double h) {
  const auto error = [&](double step) {
    const Outcome result = run(slip.scene, slip.t_end, step);
    EXPECT_EQ(result.events.size(), 1U) << step;
    const std::vector<double> sticks = result.times(EventKind::stick);
    EXPECT_EQ(sticks.size(), 1U) << step;
    // The transition is located to the order of the scheme.
    if (sticks.size() == 1) {
      EXPECT_NEAR(sticks[0], slip.slip_end, k_event_error * step * step) << step;
    }
    return distance(result.end, slip.end);
  };
  EXPECT_GT(orders(error, h).minCoeff(), k_lowest_order);
}

TEST(Contact3d, BallSlipsAndRollsOnAPlane) {
  expect_order_2(slip_on_a_plane(), 0.01);
}

TEST(Contact3d, BallSlipsAndRollsOnABall) {
  expect_order_2(slip_on_a_ball(), 0.005);
}

// The other schemes have the orders of docs/steppers.md in space too. Those with rows at the start of a step leave the
// centripetal part of the normal force to the projection, whose friction must not be lost.
TEST(Contact3d, OtherSchemes) {
  const SlippingBall slip = slip_on_a_ball();
  struct Scheme {
    const char* name;
    std::vector<std::string> settings;
    double order;
  };
  const Scheme schemes[] = {
      {"trapezoidal-1", {"stepper.name=trapezoidal-1"}, 1},
      {"alpha-gamma", {"stepper.name=alpha-gamma"}, 1},
      {"alpha-gamma, data in the middle", {"stepper.name=alpha-gamma", "stepper.data=middle"}, 2},
      {"anitescu-potra", {"stepper.name=anitescu-potra"}, 1},
      {"anitescu-potra-stiff", {"stepper.name=anitescu-potra-stiff"}, 1}};
  for (const Scheme& scheme : schemes) {
    const auto error = [&](double h) {
      return distance(run(slip.scene, slip.t_end, h, scheme.settings).end, slip.end);
    };
    EXPECT_NEAR(orders(error, 0.005)[0], scheme.order, 0.15) << scheme.name;
  }
}

// ---- boxes ----

// Impacts as many as expected, each located to the order of the scheme.
void expect_impacts(const Outcome& result, const std::vector<double>& expected, double h) {
  const std::vector<double> impacts = result.times(EventKind::impact);
  ASSERT_EQ(impacts.size(), expected.size()) << h;
  for (std::size_t i = 0; i < impacts.size(); ++i)
    EXPECT_NEAR(impacts[i], expected[i], k_event_error * h * h) << h;
}

// It stands askew to the axes, so that every direction takes part.
TEST(Contact3d, BlockRocksOnItsEdges) {
  constexpr double b = 0.1, half_height = 0.4, tilt = 0.1224893316, yaw = 0.7, T = 1.5;
  ReferenceRocking reference(b, half_height, tilt);
  const std::string scene =
      on_ground(k_plane, box_shape({2 * b, 2 * half_height, 0.2}), reference.motion(yaw), "{friction: 1.2}");
  reference.run_until(T, 1e-4);
  ASSERT_EQ(reference.impacts().size(), 3U);
  const auto error = [&](double h) {
    const Outcome result = run(scene, T, h);
    expect_impacts(result, reference.impacts(), h);
    return distance(result.end, reference.motion(yaw));
  };
  EXPECT_GT(orders(error, 0.004).minCoeff(), k_lowest_order);
}

// It turns about one corner, another one lands and takes over, then a third; the corner before leaves each time.
TEST(Contact3d, BoxRocksOnItsCorners) {
  constexpr double mu = 1.5, T = 0.3;
  const Vector3 size(0.2, 0.8, 0.3);
  const Quaternion tilted = quaternion_exponential(Vector3(0.1, 0, 0.06));
  ReferenceBox reference(1, size, mu, 0, {Vector3::Zero(), tilted, Vector3::Zero(), {0.1, 0.3, 0.1}});
  reference.stand_on_lowest_corner(Vector3::Zero());
  const std::string scene = on_ground(k_plane, box_shape(size), reference.now(), "{friction: 1.5}");
  reference.run_until(T, 1e-4);
  ASSERT_EQ(reference.impacts().size(), 2U);
  const auto error = [&](double h) {
    const Outcome result = run(scene, T, h);
    expect_impacts(result, reference.impacts(), h);
    return distance(result.end, reference.now());
  };
  EXPECT_GT(orders(error, 0.004).minCoeff(), k_lowest_order);
}

// Three impacts of different corners, with spin about all axes, stick and slip.
TEST(Contact3d, BoxTumbles) {
  constexpr double mu = 0.3, e = 0.6, T = 0.62;
  const Vector3 size(0.3, 0.2, 0.12);
  const Quaternion rho = quaternion_exponential(Vector3(0.4, 0.3, -0.5));
  const RigidMotion start{{0, 0.6, 0}, rho, {1, 0, 0.5}, rotate_back(rho, Vector3(2, -3, 4))};
  ReferenceBox reference(1, size, mu, e, start);
  reference.run_until(T, 1e-4);
  EXPECT_EQ(reference.impacts().size(), 3U);
  const std::string scene = on_ground(k_plane, box_shape(size), start, "{friction: 0.3, restitution: 0.6}");
  const auto error = [&](double h) {
    const Outcome result = run(scene, T, h);
    expect_impacts(result, reference.impacts(), h);
    return distance(result.end, reference.now());
  };
  EXPECT_GT(orders(error, 0.01).minCoeff(), k_lowest_order);
}

}  // namespace
}  // namespace delassus::contact_3d_test
