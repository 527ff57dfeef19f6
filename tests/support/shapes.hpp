// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of about unit size, bodies made of them, and small deterministic perturbations.
#pragma once
#include <cmath>
#include <random>

#include "delassus/collision/manifold.hpp"
#include "delassus/model/model.hpp"

namespace delassus::testing {

inline Shape sphere_shape(double radius) {
  return {.kind = ShapeKind::sphere, .radius = radius};
}
inline Shape box_shape(double x, double y, double z) {
  return {.kind = ShapeKind::box, .size = {x, y, z}};
}
inline Shape cylinder_shape(double radius, double length) {
  return {.kind = ShapeKind::cylinder, .radius = radius, .length = length};
}
inline Shape capsule_shape(double radius, double length) {
  return {.kind = ShapeKind::capsule, .radius = radius, .length = length};
}
inline Shape cone_shape(double radius, double length) {
  return {.kind = ShapeKind::cone, .radius = radius, .length = length};
}
inline Shape ellipsoid_shape(double x, double y, double z) {
  return {.kind = ShapeKind::ellipsoid, .size = {x, y, z}};
}
// The half space z ≤ 0.
inline Shape plane_shape() {
  return {.kind = ShapeKind::plane};
}
// An octahedron, its axes cut short on one side so that no two faces are alike.
inline Shape hull_shape() {
  auto surface = std::make_shared<Surface>();
  surface->vertices = {{0.5, 0, 0},  {-0.4, 0.1, 0},   {0, 0.6, 0.05},     {0.05, -0.5, 0},
                       {0, 0, -0.4}, {0.3, 0.3, -0.4}, {-0.3, 0.25, -0.4}, {0.1, 0, 0.45}};
  return {.kind = ShapeKind::hull, .surface = surface};
}
// A square of side 2 n·cell around the origin at z = 0 plus `height(x, y)`, cells cut into triangles, open.
template <class Height>
Shape ground_mesh(int n, double cell, const Height& height) {
  auto surface = std::make_shared<Surface>();
  const int points = 2 * n + 1;
  for (int j = -n; j <= n; ++j)
    for (int i = -n; i <= n; ++i)
      surface->vertices.emplace_back(cell * i, cell * j, height(cell * i, cell * j));
  for (int j = 0; j + 1 < points; ++j)
    for (int i = 0; i + 1 < points; ++i) {
      const int k = i + points * j;
      surface->triangles.push_back({k, k + 1, k + points + 1});
      surface->triangles.push_back({k, k + points + 1, k + points});
    }
  return {.kind = ShapeKind::mesh, .surface = surface};
}
template <class Height>
Shape height_field_shape(int n, double cell, const Height& height) {
  auto field = std::make_shared<HeightField>();
  field->nx = field->ny = 2 * n + 1;
  field->dx = field->dy = cell;
  for (int j = -n; j <= n; ++j)
    for (int i = -n; i <= n; ++i) field->heights.push_back(height(cell * i, cell * j));
  return {.kind = ShapeKind::height_field, .field = field};
}

inline Pose pose_at(const Vector3& p, const Vector3& rotation = Vector3::Zero()) {
  return {rotation_matrix(quaternion_exponential(rotation)), p};
}

inline Vector3 random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return {x, y, z};
}

// A body of one shape, mass and inertia from a density of 1000 kg/m³; fixed when the density is 0.
inline Body body_of(const std::string& name, const Shape& shape, const Vector3& position,
                    const Vector3& rotation = Vector3::Zero(), double density = 1000) {
  Body body;
  body.name = name;
  body.kind = density > 0 ? BodyKind::rigid : BodyKind::fixed;
  body.position = position;
  body.orientation = quaternion_exponential(rotation);
  body.shapes = {shape};
  if (density > 0) {
    const MassProperties m = mass_properties(body.shapes, density);
    body.mass = m.mass;
    body.inertia = m.inertia;
    body.center_of_mass = m.center_of_mass;
  }
  return body;
}

}  // namespace delassus::testing
