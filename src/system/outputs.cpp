// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/outputs.hpp"

namespace delassus {

std::string Outputs::body_name(int /*i*/) const {
  return {};
}

void Outputs::body_motions(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/,
                           std::vector<BodyMotion>& out) const {
  out.clear();
}

Vector3 Outputs::body_center(int /*i*/) const {
  return Vector3::Zero();
}

std::string Outputs::joint_coordinate_name(int /*i*/) const {
  return {};
}

bool Outputs::joint_coordinate_is_angle(int /*i*/) const {
  return false;
}

void Outputs::joint_coordinates(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/, Vector& values,
                                Vector& rates) const {
  values.resize(0);
  rates.resize(0);
}

std::string Outputs::reaction_name(int /*i*/) const {
  return {};
}

void Outputs::reactions(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/,
                        const VectorRef& /*lambda*/, std::vector<JointReaction>& out) const {
  out.clear();
}

}  // namespace delassus
