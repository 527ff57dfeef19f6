// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A system as seen from outside: what recordings and pictures show. Nothing here takes part in a step.
#pragma once
#include <string>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

// What a joint transmits, on its second body at its frame there, in axes of its frame on the first body.
struct JointReaction {
  Vector3 force = Vector3::Zero();   // [N]
  Vector3 torque = Vector3::Zero();  // [N·m]
};

struct BodyMotion {
  Vector3 position = Vector3::Zero();
  Eigen::Vector4d orientation{1, 0, 0, 0};  // quaternion (w, x, y, z)
  Vector3 velocity = Vector3::Zero();
  Vector3 angular_velocity = Vector3::Zero();  // in world axes
};

class Outputs {
 public:
  virtual ~Outputs() = default;

  virtual int num_bodies() const { return 0; }
  virtual std::string body_name(int i) const;
  virtual void body_motions(double t, const VectorRef& q, const VectorRef& v,
                            std::vector<BodyMotion>& out) const;
  // Centre of mass in the body's frame, about which moments are taken; its origin is the default [m].
  virtual Vector3 body_center(int i) const;
  // Coordinates that joints leave free, with their rates; none is the default.
  virtual int num_joint_coordinates() const { return 0; }
  virtual std::string joint_coordinate_name(int i) const;
  virtual bool joint_coordinate_is_angle(int i) const;
  virtual void joint_coordinates(double t, const VectorRef& q, const VectorRef& v, Vector& values,
                                 Vector& rates) const;
  // Reactions of joints to forces λ of the bilateral rows, then what motors do: a force or torque along z. None is the
  // default.
  virtual int num_reactions() const { return 0; }
  virtual std::string reaction_name(int i) const;
  virtual void reactions(double t, const VectorRef& q, const VectorRef& v, const VectorRef& lambda,
                         std::vector<JointReaction>& out) const;
};

}  // namespace delassus
