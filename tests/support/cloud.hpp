// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Clouds of bodies of all kinds of shapes over hills, many of which touch.
#pragma once
#include <string>

#include "shapes.hpp"

namespace delassus::testing {

// Bodies of about unit size; about as much is filled as is empty.
inline Model make_cloud(int n, unsigned seed) {
  std::mt19937 random(seed);
  auto ball = std::make_shared<Surface>();
  while (ball->vertices.size() < 60) {
    const Vector3 x = random_vector(random, 1);
    if (x.norm() > 0.1 && x.norm() < 1) ball->vertices.push_back(0.5 * x.normalized());
  }
  const Shape kinds[] = {sphere_shape(0.4),
                         box_shape(0.8, 0.7, 0.6),
                         cylinder_shape(0.3, 0.7),
                         capsule_shape(0.25, 0.5),
                         cone_shape(0.4, 0.7),
                         ellipsoid_shape(0.8, 0.7, 0.5),
                         hull_shape(),
                         {.kind = ShapeKind::hull, .surface = ball}};
  const double half = 0.5 * std::cbrt(n);  // of the cube that they fill
  Model model;
  model.gravity = {0, 0, -9.81};
  const auto hills = [](double x, double y) { return 0.1 * std::sin(3 * x) * std::cos(2 * y); };
  model.bodies.push_back(
      body_of("ground", height_field_shape(20, half / 20, hills), {0, 0, 0}, {0, 0, 0}, 0));
  for (int i = 0; i < n; ++i) {
    const Vector3 position = random_vector(random, half) + half * Vector3::UnitZ(),
                  rotation = random_vector(random, 2);
    Body body = body_of("b" + std::to_string(i), kinds[i % std::size(kinds)], position, rotation);
    body.velocity = random_vector(random, 1);
    body.angular_velocity = random_vector(random, 1);
    model.bodies.push_back(body);
  }
  return model;
}

}  // namespace delassus::testing
