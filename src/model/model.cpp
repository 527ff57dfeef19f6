// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/model.hpp"

#include <Eigen/Geometry>

namespace delassus {

int Model::add(Body body) {
  bodies.push_back(std::move(body));
  return static_cast<int>(bodies.size()) - 1;
}

int Model::add(Joint joint) {
  joints.push_back(std::move(joint));
  return static_cast<int>(joints.size()) - 1;
}

int Model::find_body(const std::string& name) const {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

Attachment Model::attach(int body, const Vector3& world_point, const Quaternion& world_orientation) const {
  if (body == k_world) return {body, world_point, world_orientation};
  const Quaternion back = quaternion_conjugate(bodies[body].orientation);
  return {body, rotate(back, world_point - bodies[body].position),
          quaternion_product(back, world_orientation).normalized()};
}

Joint Model::joint_at(JointKind kind, std::string name, int body_a, int body_b, const Vector3& point,
                      const Vector3& axis, const Vector3& second) const {
  const Quaternion frame = quaternion_from_matrix(frame_with_axis(axis.normalized(), second));
  Joint joint{.name = std::move(name), .kind = kind};
  joint.a = attach(body_a, point, frame);
  joint.b = attach(body_b, point, frame);
  return joint;
}

Coupler gear(std::string name, CoordinateRef a, CoordinateRef b, double ratio) {
  return {.name = std::move(name), .terms = {{a, ratio}, {b, 1.0}}};
}

Coupler rack_and_pinion(std::string name, CoordinateRef pinion, CoordinateRef rack, double radius) {
  return {.name = std::move(name), .terms = {{rack, 1.0}, {pinion, -radius}}};
}

Coupler pulley(std::string name, CoordinateRef length_a, CoordinateRef length_b, double ratio) {
  return {.name = std::move(name), .terms = {{length_a, 1.0}, {length_b, ratio}}};
}

}  // namespace delassus
