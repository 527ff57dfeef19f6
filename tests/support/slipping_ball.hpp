// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenes of one body on the ground whose motion is known: balls that slip and then roll.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "rigid_reference.hpp"

namespace delassus::testing {

inline constexpr double k_radius = 0.1;
// The integration and the closed form agree to this.
inline constexpr double k_agree = 1e-9;

inline std::string numbers(const Vector3& a) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", a.x(), a.y(), a.z());
}

// A body of 1 kg that starts with `start` on the ground; both are given by their shapes.
inline std::string on_ground(const std::string& ground, const std::string& shape, const RigidMotion& start,
                             const std::string& contact) {
  return fmt::format(R"(
delassus: 1
bodies:
  - {{name: ground, type: fixed, shapes: [{}]}}
  - {{name: body, type: rigid, mass: 1, shapes: [{}], position: {}, rotation: {}, velocity: {}, angular_velocity: {}}}
contact: {}
stepper: {{name: trapezoidal-2}}
law: {{name: coulomb}}
)",
                     ground, shape, numbers(start.position), numbers(quaternion_logarithm(start.orientation)),
                     numbers(start.velocity), numbers(rotate(start.orientation, start.angular_velocity)),
                     contact);
}

inline const char* const k_plane = "{type: plane}";

inline std::string box_shape(const Vector3& size) {
  return "{type: box, size: " + numbers(size) + "}";
}

inline const char* const k_ball_shape = "{type: sphere, radius: 0.1}";

struct SlippingBall {
  std::string scene;
  RigidMotion end;
  double t_end, slip_end;
};

// On a plane the slip keeps its direction d and slows down by (7/2) μ g:
//   v = v₀ − μ g t d,  ω = ω₀ + (5/2R) μ g t n × d  until t* = 2|u₀|/(7 μ g), constant from then on.
inline SlippingBall slip_on_a_plane(int steps = 4000) {
  constexpr double mu = 0.25, T = 0.3, g = 9.81;
  const RigidMotion start{{0, k_radius, 0}, identity_quaternion(), {1.2, 0, -0.7}, {3, 7, -5}};
  const Vector3 u = start.velocity - k_radius * start.angular_velocity.cross(k_up), d = u.normalized();
  const double stop = 2 * u.norm() / (7 * mu * g);
  ReferenceBall reference(k_radius, mu, 0, start);
  reference.run_until(T, steps);
  const RigidMotion& end = reference.now();
  const Vector3 velocity = start.velocity - mu * g * stop * d;
  const Vector3 position =
      start.position + start.velocity * stop - 0.5 * mu * g * stop * stop * d + (T - stop) * velocity;
  const Vector3 spin = start.angular_velocity + 2.5 / k_radius * mu * g * stop * k_up.cross(d);
  // The integration, which gives the orientation, against the closed form.
  EXPECT_NEAR(reference.slip_end(), stop, k_agree);
  EXPECT_LT((end.position - position).norm(), k_agree);
  EXPECT_LT((end.velocity - velocity).norm(), k_agree);
  EXPECT_LT((rotate(end.orientation, end.angular_velocity) - spin).norm(), k_agree / k_radius);
  return {on_ground(k_plane, k_ball_shape, start, "{friction: 0.25}"), end, T, stop};
}

// On another ball the normal turns, and gravity turns the slip.
inline SlippingBall slip_on_a_ball(int steps = 4000) {
  constexpr double mu = 0.4, base = 2, T = 0.4;
  const Vector3 n = Vector3(0.06, 1, -0.04).normalized(), v(1, 0, 0.6);
  const RigidMotion start{(base + k_radius) * n, identity_quaternion(), v - v.dot(n) * n, {-5, 7, 12}};
  ReferenceBall reference(k_radius, mu, base, start);
  reference.run_until(T, steps);
  return {on_ground("{type: sphere, radius: 2}", k_ball_shape, start, "{friction: 0.4}"), reference.now(), T,
          reference.slip_end()};
}

}  // namespace delassus::testing
