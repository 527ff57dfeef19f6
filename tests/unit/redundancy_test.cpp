// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/redundancy.hpp"

#include <gtest/gtest.h>

#include "delassus/formulation/multibody_system.hpp"

namespace delassus::redundancy_test {
namespace {

Body rod(const std::string& name, const Vector3& position) {
  Body body{.name = name, .mass = 1, .position = position};
  body.kind = BodyKind::rigid;
  body.inertia = 0.1 * Matrix3::Identity();
  return body;
}

Redundancy of(const Model& model) {
  const MultibodySystem system(model);
  return find_redundancy(system, system.initial_state());
}

TEST(Redundancy, OpenChainHasNone) {
  Model model;
  model.add(rod("a", {0.5, 0, 0}));
  model.add(rod("b", {1.5, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "j1", k_world, 0, {0, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "j2", 0, 1, {1, 0, 0}, Vector3::UnitY()));
  const Redundancy result = of(model);
  EXPECT_EQ(result.num_rows, 10);
  EXPECT_EQ(result.num_redundant, 0);
  EXPECT_TRUE(result.not_unique().empty());
}

// A planar loop of hinges in space: three rows too many, and every hinge shares the load; a door beside it does not.
TEST(Redundancy, PlanarLoopSharesItsLoad) {
  Model model;
  model.add(rod("a", {0, 0.5, 0}));
  model.add(rod("b", {0.5, 1, 0}));
  model.add(rod("c", {1, 0.5, 0}));
  model.add(rod("door", {5, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "j1", k_world, 0, {0, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "j2", 0, 1, {0, 1, 0}));
  model.add(model.joint_at(JointKind::revolute, "j3", 1, 2, {1, 1, 0}));
  model.add(model.joint_at(JointKind::revolute, "j4", 2, k_world, {1, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "hinge", k_world, 3, {4, 0, 0}));
  const Redundancy result = of(model);
  EXPECT_EQ(result.num_redundant, 3);
  EXPECT_EQ(result.not_unique(), (std::vector<std::string>{"j1", "j2", "j3", "j4"}));
  int sum = 0;
  for (const Redundancy::Joint& joint : result.joints) sum += joint.redundant;
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(result.joints.back().redundant, 0);
}

// The same hinge twice: five rows too many.
TEST(Redundancy, TwoHingesOfADoor) {
  Model model;
  model.add(rod("door", {0.5, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "low", k_world, 0, {0, 0, 0}, Vector3::UnitY()));
  model.add(model.joint_at(JointKind::revolute, "high", k_world, 0, {0, 1, 0}, Vector3::UnitY()));
  const Redundancy result = of(model);
  EXPECT_EQ(result.num_redundant, 5);
  EXPECT_EQ(result.not_unique(), (std::vector<std::string>{"low", "high"}));
}

}  // namespace
}  // namespace delassus::redundancy_test
