// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/snapshot.hpp"

#include <fmt/format.h>

#include <cassert>
#include <limits>

#include "delassus/base/error.hpp"

namespace delassus {

constexpr double k_unknown = std::numeric_limits<double>::quiet_NaN();

void Snapshot::clear() {
  has_motions_ = has_joints_ = has_contacts_ = false;
}

const std::vector<BodyMotion>& Snapshot::motions(const System& system, const State& state) {
  if (!has_motions_) system.body_motions(state.t, state.q, state.v, motions_);
  has_motions_ = true;
  return motions_;
}

const std::vector<ContactView>& Snapshot::contacts(const StepReport& report) {
  if (has_contacts_) return contacts_;
  has_contacts_ = true;
  contacts_.clear();
  const double h = report.t_end - report.t_begin;
  for (const ContactReport& contact : report.contacts) {
    ContactView& view = contacts_.emplace_back();
    const ContactPlace& place = contact.place;
    view.id = contact.id;
    view.body_a = BodyHandle(place.bodies.a);
    view.body_b = BodyHandle(place.bodies.b);
    view.point = place.point();
    view.normal = place.frame.col(0);
    view.gap = contact.gap;
    view.force = h > 0 ? Vector3(place.frame * contact.impulse / h) : Vector3::Constant(k_unknown);
    view.velocity = contact.velocity;
    view.status = contact.status;
  }
  return contacts_;
}

void Snapshot::update_joints(const System& system, const State& state, const StepReport& report) {
  if (has_joints_) return;
  has_joints_ = true;
  values_.resize(0);
  rates_.resize(0);
  system.joint_coordinates(state.t, state.q, state.v, values_, rates_);
  reactions_.clear();
  BilateralRows rows;
  system.bilateral(state.t, state.q, rows);
  if (report.joint_forces.size() == rows.rows.rows() && report.t_end > report.t_begin)
    system.reactions(state.t, state.q, state.v, report.joint_forces, reactions_);
  else
    reactions_.assign(static_cast<std::size_t>(system.num_reactions()),
                      {Vector3::Constant(k_unknown), Vector3::Constant(k_unknown)});
}

std::string JointView::name() const {
  if (joint_.reaction() >= 0) return system_.reaction_name(joint_.reaction());
  return system_.joint_coordinate_name(joint_.first_coordinate());
}

double JointView::value(int i) const {
  assert(i >= 0 && i < joint_.num_coordinates());
  return snapshot_.joint_value(joint_.first_coordinate() + i);
}

double JointView::rate(int i) const {
  assert(i >= 0 && i < joint_.num_coordinates());
  return snapshot_.joint_rate(joint_.first_coordinate() + i);
}

int JointView::only_coordinate() const {
  if (num_coordinates() == 1) return 0;
  throw InputError(
      fmt::format("joint '{}' has {} coordinates; ask for one by its number", name(), num_coordinates()));
}

int JointView::only_of_kind(bool angle, const char* word) const {
  int found = -1;
  for (int i = 0; i < num_coordinates(); ++i) {
    if (system_.joint_coordinate_is_angle(joint_.first_coordinate() + i) != angle) continue;
    if (found >= 0)
      throw InputError(fmt::format("joint '{}' has more than one {}; ask for value(i)", name(), word));
    found = i;
  }
  if (found < 0) throw InputError(fmt::format("joint '{}' has no {}", name(), word));
  return found;
}

double JointView::angle() const {
  return value(only_of_kind(true, "angle"));
}

double JointView::slide() const {
  return value(only_of_kind(false, "slide"));
}

const JointReaction& JointView::reaction() const {
  if (joint_.reaction() < 0) throw InputError(fmt::format("'{}' is a measure, which has no force", name()));
  return snapshot_.reaction(joint_.reaction());
}

}  // namespace delassus
