// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts of a multibody system: particles against planes and each other, and the limits of joints.
#include <cmath>
#include <limits>

#include "delassus/formulation/multibody_system.hpp"

namespace delassus {

void MultibodySystem::make_contacts() {
  for (const PairContact& contact : model_.pair_contacts) {
    const Vector3 d = model_.bodies[contact.body_b].position - model_.bodies[contact.body_a].position;
    reference_normals_.push_back(d.norm() > 0 ? Vector3(d.normalized()) : Vector3(Vector3::UnitX()));
  }
  for (std::size_t i = 0; i < model_.limits.size(); ++i) {
    const CoordinateLimit& limit = model_.limits[i];
    if (std::isfinite(limit.lower)) limits_.push_back({static_cast<int>(i), 1.0, limit.lower});
    if (std::isfinite(limit.upper)) limits_.push_back({static_cast<int>(i), -1.0, limit.upper});
  }
}

std::string MultibodySystem::contact_name(ContactId id) const {
  if (is_limit(id)) return model_.limits[limit(id).limit].name + (limit(id).sign > 0 ? ".lower" : ".upper");
  return is_plane(id) ? model_.plane_contacts[id].name : pair(id).name;
}

void MultibodySystem::candidates(double /*t*/, const VectorRef& /*q*/, const VectorRef& /*v*/, double /*h*/,
                                 std::vector<ContactId>& ids) const {
  // The pairs are given one by one by the user, so all of them are candidates: none can be missed.
  ids.resize(model_.plane_contacts.size() + model_.pair_contacts.size() + limits_.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
}

ContactGeometry MultibodySystem::geometry(ContactId id, const VectorRef& q, const VectorRef* v) const {
  const auto part = [&](const VectorRef& x, int at) { return Vector3(x.segment<3>(at)); };
  if (is_plane(id)) {
    const PlaneContact& c = model_.plane_contacts[id];
    return plane_geometry(c, part(q, places_[c.body].q));
  }
  const PairContact& c = pair(id);
  const Place &a = places_[c.body_a], &b = places_[c.body_b];
  const Vector3 rate = v != nullptr ? Vector3(part(*v, b.v) - part(*v, a.v)) : Vector3(Vector3::Zero());
  return pair_geometry(c, reference_normals_[id - model_.plane_contacts.size()], part(q, a.q), part(q, b.q),
                       rate);
}

void MultibodySystem::gaps(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps) const {
  gaps.resize(static_cast<Eigen::Index>(ids.size()));
  Evaluation x;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!is_limit(ids[i])) {
      gaps[i] = geometry(ids[i], q, nullptr).gap;
      continue;
    }
    const LimitContact& c = limit(ids[i]);
    evaluate_coordinate(coordinate_index(model_.limits[c.limit].coordinate), t, q, nullptr, false, x);
    gaps[i] = c.sign * (x.pair.value - c.bound);
  }
}

void MultibodySystem::contact_rows(std::span<const ContactId> ids, double t, const VectorRef& q,
                                   ContactRows& out) const {
  out.rows.clear(nv());
  out.friction.clear();
  out.restitution.clear();
  Eigen::Index num_rows = 0;
  for (ContactId id : ids) num_rows += is_limit(id) ? 1 : 3;
  out.drift_velocity.setZero(num_rows);
  Evaluation x;
  for (ContactId id : ids) {
    if (is_limit(id)) {
      const LimitContact& c = limit(id);
      const int coordinate = coordinate_index(model_.limits[c.limit].coordinate);
      evaluate_coordinate(coordinate, t, q, nullptr, false, x);
      const int group = out.rows.add_group(1);
      add_pair_row(coordinates_[coordinate].function, x.pair.gradient, c.sign, out.rows);
      out.drift_velocity[out.rows.first_row(group)] = c.sign * x.pair.gradient.dot(x.V);
      out.friction.push_back(0);
      out.restitution.push_back(model_.limits[c.limit].restitution);
      continue;
    }
    const ContactGeometry g = geometry(id, q, nullptr);
    Matrix3 frame;
    frame << g.normal.transpose(), g.tangents[0].transpose(), g.tangents[1].transpose();
    const int group = out.rows.add_group(3);
    if (is_plane(id)) {
      const PlaneContact& c = model_.plane_contacts[id];
      out.rows.add_block(places_[c.body].v, 3) = frame;
      const Vector3 drift = -(frame * c.surface_velocity);
      out.drift_velocity.segment<2>(out.rows.first_row(group) + 1) = drift.tail<2>();
      out.friction.push_back(c.friction);
      out.restitution.push_back(c.restitution);
    } else {
      const PairContact& c = pair(id);
      out.rows.add_block(places_[c.body_a].v, 3) = -frame;
      out.rows.add_block(places_[c.body_b].v, 3) = frame;
      out.friction.push_back(c.friction);
      out.restitution.push_back(c.restitution);
    }
  }
}

void MultibodySystem::contact_bias(std::span<const ContactId> ids, double t, const VectorRef& q,
                                   const VectorRef& v, Vector& bias) const {
  Eigen::Index num_rows = 0;
  for (ContactId id : ids) num_rows += is_limit(id) ? 1 : 3;
  bias.setZero(num_rows);
  Evaluation x;
  Eigen::Index row = 0;
  for (ContactId id : ids) {
    if (is_limit(id)) {
      const LimitContact& c = limit(id);
      const int coordinate = coordinate_index(model_.limits[c.limit].coordinate);
      evaluate_coordinate(coordinate, t, q, v.data(), true, x);
      bias[row++] =
          c.sign * (x.V.dot(x.pair.curvature * x.V) +
                    prescribed_acceleration(coordinates_[coordinate].function, t, q, x.pair.gradient));
      continue;
    }
    if (!is_plane(id)) {
      const PairContact& c = pair(id);
      const Vector3 rate = v.segment<3>(places_[c.body_b].v) - v.segment<3>(places_[c.body_a].v);
      const ContactGeometry g = geometry(id, q, &v);
      bias.segment<3>(row) << g.normal_rate.dot(rate), g.tangent_rates[0].dot(rate),
          g.tangent_rates[1].dot(rate);
    }
    row += 3;
  }
}

void MultibodySystem::contact_frame(ContactId id, double /*t*/, const VectorRef& q, Vector3& point,
                                    Matrix3& frame) const {
  if (is_limit(id)) {
    // A stop has no place of its own.
    point.setConstant(std::numeric_limits<double>::quiet_NaN());
    frame.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const ContactGeometry g = geometry(id, q, nullptr);
  point = g.point;
  frame << g.normal, g.tangents[0], g.tangents[1];
}

ContactBodies MultibodySystem::contact_bodies(ContactId id) const {
  if (is_limit(id)) return {};
  if (is_plane(id)) return {k_world, model_.plane_contacts[id].body};
  return {pair(id).body_a, pair(id).body_b};
}

}  // namespace delassus
