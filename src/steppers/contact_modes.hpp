// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The mode of a contact, to and from what is remembered of it; the parts of its friction.
#pragma once
#include "delassus/problems/problem.hpp"
#include "delassus/system/state.hpp"

namespace delassus {

ContactMode mode_of(const ContactMemory& memory);
void set_mode(const ContactMode& mode, ContactMemory& memory);

// The parts of the friction that stick, one bit each.
using HeldParts = std::uint8_t;
constexpr HeldParts held_part(FrictionKind kind) {
  return static_cast<HeldParts>(1U << static_cast<unsigned>(kind));
}
HeldParts held_parts(const ContactMode& mode);
// The parts whose status differs, likewise.
HeldParts changed_parts(const ContactMode& a, const ContactMode& b);

// Components of a vector `u` over the rows of contacts that belong to a part of the friction of contact c; zeros where it
// has none.
Eigen::Vector2d part_velocity(const BlockRows& rows, int c, const Vector& u, FrictionKind kind);
inline Eigen::Vector2d part_velocity(const ContactSet& contacts, std::size_t c, FrictionKind kind) {
  return part_velocity(contacts.rows.rows, static_cast<int>(c), contacts.u, kind);
}

}  // namespace delassus
