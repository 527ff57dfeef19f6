// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/contact_kinematics.hpp"

#include <algorithm>

namespace delassus {

void ContactKinematics::update(const System& system, const Phase& phase, std::span<const ContactId> ids) {
  system.gaps_and_rows(ids, phase.t, phase.q, gaps, margins, rows);
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
