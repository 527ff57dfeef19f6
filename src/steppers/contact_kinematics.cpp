// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/contact_kinematics.hpp"

#include <algorithm>
#include <iterator>

namespace delassus {

namespace {

void append_contact(const ContactRows& source, std::size_t contact, ContactRows& out) {
  const auto group = static_cast<int>(contact);
  out.rows.add_group(source.rows, group, source.rows.group_rows(group));
  out.surfaces.push_back(source.surfaces[contact]);
}

void copy_drift(const ContactRows& source, std::size_t contact, std::size_t to, ContactRows& out) {
  const auto group = static_cast<int>(contact);
  const int size = source.rows.group_rows(group);
  out.drift_velocity.segment(out.rows.first_row(static_cast<int>(to)), size) =
      source.drift_velocity.segment(source.rows.first_row(group), size);
}

}  // namespace

void ContactKinematics::update(const System& system, const Phase& phase, std::span<const ContactId> ids) {
  system.gaps_and_rows(ids, phase.t, phase.q, gaps, margins, rows);
  remember_place(system, phase, ids);
  update_velocities(phase);
}

void ContactKinematics::update(const System& system, const Phase& phase, std::span<const ContactId> ids,
                               const ContactKinematics& known) {
  if (!known.is_at(system, phase.t, phase.q)) {
    update(system, phase, ids);
    return;
  }
  missing_.clear();
  std::set_difference(ids.begin(), ids.end(), known.ids_.begin(), known.ids_.end(),
                      std::back_inserter(missing_));
  if (!missing_.empty())
    system.gaps_and_rows(missing_, phase.t, phase.q, missing_gaps_, missing_margins_, missing_rows_);
  const auto count = static_cast<Eigen::Index>(ids.size());
  gaps.resize(count);
  margins.resize(count);
  rows.rows.clear(system.nv());
  rows.surfaces.clear();
  // Calls function(contact, whether it is known, its place there or among the missing ones).
  const auto for_each = [&](const auto& function) {
    for (std::size_t c = 0, k = 0, m = 0; c < ids.size(); ++c) {
      while (k < known.ids_.size() && known.ids_[k] < ids[c]) ++k;
      const bool have = k < known.ids_.size() && known.ids_[k] == ids[c];
      function(c, have, have ? k : m++);
    }
  };
  for_each([&](std::size_t c, bool have, std::size_t from) {
    append_contact(have ? known.rows : missing_rows_, from, rows);
    gaps[static_cast<Eigen::Index>(c)] = (have ? known.gaps : missing_gaps_)[static_cast<Eigen::Index>(from)];
    margins[static_cast<Eigen::Index>(c)] =
        (have ? known.margins : missing_margins_)[static_cast<Eigen::Index>(from)];
  });
  rows.drift_velocity.resize(rows.rows.rows());
  for_each([&](std::size_t c, bool have, std::size_t from) {
    copy_drift(have ? known.rows : missing_rows_, from, c, rows);
  });
  remember_place(system, phase, ids);
  update_velocities(phase);
}

bool ContactKinematics::is_at(const System& system, double t, const VectorRef& q) const {
  return system_ == system.number() && (t_ == t || !system.has_moving_surfaces()) && q_.size() == q.size() &&
         q_ == q;
}

bool ContactKinematics::copy_rows(const System& system, double t, const VectorRef& q,
                                  std::span<const ContactId> ids, ContactRows& out) const {
  if (!is_at(system, t, q) || !std::includes(ids_.begin(), ids_.end(), ids.begin(), ids.end())) return false;
  out.rows.clear(system.nv());
  out.surfaces.clear();
  for (std::size_t c = 0, k = 0; c < ids.size(); ++c, ++k) {
    while (ids_[k] != ids[c]) ++k;
    append_contact(rows, k, out);
  }
  out.drift_velocity.resize(out.rows.rows());
  for (std::size_t c = 0, k = 0; c < ids.size(); ++c, ++k) {
    while (ids_[k] != ids[c]) ++k;
    copy_drift(rows, k, c, out);
  }
  return true;
}

bool ContactKinematics::find_gaps(const System& system, const Phase& phase, std::span<const ContactId> ids,
                                  Vector& gaps_out, Vector& margins_out) const {
  if (!is_at(system, phase.t, phase.q)) return false;
  const auto count = static_cast<Eigen::Index>(ids.size());
  gaps_out.resize(count);
  margins_out.resize(count);
  for (std::size_t c = 0, k = 0; c < ids.size(); ++c, ++k) {
    while (k < ids_.size() && ids_[k] < ids[c]) ++k;
    if (k == ids_.size() || ids_[k] != ids[c]) return false;
    gaps_out[static_cast<Eigen::Index>(c)] = gaps[static_cast<Eigen::Index>(k)];
    margins_out[static_cast<Eigen::Index>(c)] = margins[static_cast<Eigen::Index>(k)];
  }
  return true;
}

void ContactKinematics::remember_place(const System& system, const Phase& phase,
                                       std::span<const ContactId> ids) {
  system_ = system.number();
  t_ = phase.t;
  q_ = phase.q;
  ids_.assign(ids.begin(), ids.end());
}

void ContactKinematics::update_velocities(const Phase& phase) {
  rows.rows.multiply(VectorRef(phase.v), u);
  u += rows.drift_velocity;
}

Vector3 ContactKinematics::velocity(std::size_t c) const {
  const int known = std::min(num_rows(c), 3);
  Vector3 out = Vector3::Zero();
  out.head(known) = u.segment(first_row(c), known);
  out[2] /= rows.surfaces[c].tangent_ratio;
  return out;
}

}  // namespace delassus
