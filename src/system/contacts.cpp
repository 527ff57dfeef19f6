// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/contacts.hpp"

#include <cmath>

namespace delassus {

double FrictionCurve::at(double static_friction, double slip_speed) const {
  if (constant()) return static_friction;
  const double lowest = kinetic < 0 ? static_friction : kinetic;
  const double fading = speed > 0 ? std::exp(-std::pow(slip_speed / speed, exponent)) : 0.0;
  return lowest + (static_friction - lowest) * fading + viscous * slip_speed;
}

std::string Contacts::contact_name(ContactId id) const {
  return std::to_string(id);
}

ContactBodies Contacts::contact_bodies(ContactId /*id*/) const {
  return {};
}

void Contacts::find_contacts(const Configuration& at, const VectorRef& v, double /*h*/,
                             const ContactSet* /*known*/, ContactSet& out) const {
  evaluate_contacts({}, at, out);
  out.rows.rows.clear(static_cast<int>(v.size()));
  out.update_velocities(v);
}

void Contacts::evaluate_contacts(std::span<const ContactId> /*ids*/, const Configuration& at,
                                 ContactSet& out) const {
  out = {};
  out.t = at.t;
  out.q = at.q;
}

void Contacts::contact_bias(const ContactSet& contacts, const Configuration& /*at*/, const VectorRef& /*v*/,
                            Vector& bias) const {
  bias.setZero(contacts.rows.rows.rows());
}

GapAt Contacts::gap_at(ContactId /*id*/, double /*t*/, const VectorRef& /*q*/, const VectorRef& /*w*/) const {
  return {std::numeric_limits<double>::infinity()};
}

ContactId Contacts::successor(ContactId id, const Configuration& /*at*/) const {
  return id;
}

double Contacts::contact_step_limit(const ContactSet& /*contacts*/, std::span<const std::size_t> /*open*/,
                                    const Configuration& /*at*/, const VectorRef& /*v*/, double h) const {
  return h;
}

}  // namespace delassus
