// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a state shows of bodies, joints and contacts. Simulation::body, joint and contacts give it.
#pragma once
#include <string>
#include <vector>

#include "delassus/base/contact_status.hpp"
#include "delassus/scene/handles.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// A body's frame, in world axes.
class BodyView {
 public:
  explicit BodyView(const BodyMotion& motion) : motion_(motion) {}
  const Vector3& position() const { return motion_.position; }                  // [m]
  const Eigen::Vector4d& orientation() const { return motion_.orientation; }    // quaternion (w, x, y, z)
  const Vector3& velocity() const { return motion_.velocity; }                  // [m/s]
  const Vector3& angular_velocity() const { return motion_.angular_velocity; }  // [rad/s]

 private:
  const BodyMotion& motion_;
};

class Snapshot;

// A joint, with the coordinates that it leaves free.
class JointView {
 public:
  JointView(const System& system, JointHandle joint, const Snapshot& snapshot)
      : system_(system), joint_(joint), snapshot_(snapshot) {}
  int num_coordinates() const { return joint_.num_coordinates(); }
  // Coordinate number i (docs/joints.md has their order): angles with their turns [rad], slides and lengths [m].
  double value(int i) const;
  double rate(int i) const;  // [rad/s] or [m/s]
  // Of joints with one such coordinate; otherwise InputError.
  double angle() const;
  double slide() const;
  double value() const { return value(only_coordinate()); }
  double rate() const { return rate(only_coordinate()); }
  // What the joint does to its second body at its frame there, in axes of its frame on the first: of the last step, at its
  // end where the scheme knows it, the mean otherwise. NaN before the first step. Measures do nothing: InputError.
  const Vector3& force() const { return reaction().force; }    // [N]
  const Vector3& torque() const { return reaction().torque; }  // [N·m]

 private:
  int only_coordinate() const;
  int only_of_kind(bool angle, const char* word) const;
  const JointReaction& reaction() const;
  std::string name() const;

  const System& system_;
  JointHandle joint_;
  const Snapshot& snapshot_;
};

// A contact that was closed or hit in the last step. World axes.
struct ContactView {
  ContactId id = 0;                  // System::contact_name has its name
  BodyHandle body_a = k_world_body;  // the normal points from a to b
  BodyHandle body_b =
      k_world_body;  // both the world: not known (stops of joints, contacts in user coordinates)
  Vector3 point = Vector3::Zero();  // NaN where the contact has no place, as normal and force [m]
  Vector3 normal = Vector3::Zero();
  double gap = 0;  // negative: they overlap [m]
  Vector3 force =
      Vector3::Zero();  // on b, mean over the step: impulse, that of impacts included, by its length [N]
  Vector3 velocity = Vector3::Zero();  // relative, in the contact's frame: normal first [m/s]
  ContactStatus status = ContactStatus::open;
};

// Computed at the first question after clear(), kept until the next.
class Snapshot {
 public:
  void clear();
  const std::vector<BodyMotion>& motions(const System& system, const State& state);
  const std::vector<ContactView>& contacts(const StepReport& report);
  // Coordinates and reactions; the reactions are NaN where the report has no joint forces.
  void update_joints(const System& system, const State& state, const StepReport& report);
  double joint_value(int i) const { return values_[i]; }
  double joint_rate(int i) const { return rates_[i]; }
  const JointReaction& reaction(int i) const { return reactions_[static_cast<std::size_t>(i)]; }

 private:
  bool has_motions_ = false, has_joints_ = false, has_contacts_ = false;
  std::vector<BodyMotion> motions_;
  std::vector<ContactView> contacts_;
  Vector values_, rates_;
  std::vector<JointReaction> reactions_;
};

}  // namespace delassus
