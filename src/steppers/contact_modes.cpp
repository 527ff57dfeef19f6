// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/contact_modes.hpp"

#include <algorithm>

namespace delassus {

ContactMode mode_of(const ContactMemory& memory) {
  return {.status = memory.status,
          .direction = {memory.slip_direction[0], memory.slip_direction[1]},
          .rolling = {memory.rolling, {memory.rolling_direction[0], memory.rolling_direction[1]}},
          .spinning = {memory.spinning, {memory.spinning_direction, 0.0}}};
}

void set_mode(const ContactMode& mode, ContactMemory& memory) {
  memory.status = mode.status;
  memory.closed = mode.status != ContactStatus::open;
  memory.rolling = mode.rolling.status;
  memory.spinning = mode.spinning.status;
  for (int k = 0; k < 2; ++k) {
    memory.slip_direction[k] = mode.direction[k];
    memory.rolling_direction[k] = mode.rolling.direction[k];
  }
  memory.spinning_direction = mode.spinning.direction.x();
}

HeldParts held_parts(const ContactMode& mode) {
  HeldParts held = 0;
  for (FrictionKind kind : {FrictionKind::sliding, FrictionKind::rolling, FrictionKind::spinning})
    if (mode.part(kind).status == ContactStatus::stick) held |= held_part(kind);
  return held;
}

HeldParts changed_parts(const ContactMode& a, const ContactMode& b) {
  HeldParts changed = 0;
  for (FrictionKind kind : {FrictionKind::sliding, FrictionKind::rolling, FrictionKind::spinning})
    if (a.part(kind).status != b.part(kind).status) changed |= held_part(kind);
  return changed;
}

Eigen::Vector2d part_velocity(const BlockRows& rows, int c, const Vector& u, FrictionKind kind) {
  const int n = rows.group_rows(c), first = rows.first_row(c);
  Eigen::Vector2d out = Eigen::Vector2d::Zero();
  if (kind == FrictionKind::sliding) {
    for (int k = 1; k < std::min(n, 3); ++k) out[k - 1] = u[first + k];
  } else if (n == 6 && kind == FrictionKind::rolling) {
    out = u.segment<2>(first + 3);
  } else if (n == 6) {
    out[0] = u[first + 5];
  }
  return out;
}

}  // namespace delassus
