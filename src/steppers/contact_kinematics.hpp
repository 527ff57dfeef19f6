// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Gaps and relative velocities of a set of contacts at a phase. One object a use, so that its memory fits and
// is kept.
#pragma once
#include <span>
#include <vector>

#include "delassus/steppers/assemble.hpp"

namespace delassus {

struct ContactKinematics {
  ContactRows rows;
  Vector gaps;     // Φ, per contact [m]
  Vector margins;  // of the features that touch, see System::gaps [m]
  Vector u;        // Hᵀ v + w, per row [m/s]

  void update(const System& system, const Phase& phase, std::span<const ContactId> ids);
  // The same in ascending order of contacts; rows and gaps of those that `known` has in the same configuration are copied.
  void update(const System& system, const Phase& phase, std::span<const ContactId> ids,
              const ContactKinematics& known);
  int first_row(std::size_t c) const { return rows.rows.first_row(static_cast<int>(c)); }
  int num_rows(std::size_t c) const { return rows.rows.group_rows(static_cast<int>(c)); }
  double gap(std::size_t c) const { return gaps[static_cast<Eigen::Index>(c)]; }
  // False: it has handed over to a neighbour.
  bool valid(std::size_t c) const { return margins[static_cast<Eigen::Index>(c)] >= 0; }
  double normal_velocity(std::size_t c) const { return u[first_row(c)]; }
  // Normal first, zeros where the contact has no such row; elliptic friction scales rows, not this.
  Vector3 velocity(std::size_t c) const;
  Eigen::Vector2d part(std::size_t c, FrictionKind kind) const {
    return part_velocity(rows.rows, static_cast<int>(c), u, kind);
  }

  // Gaps and margins of some of the contacts, in ascending order. False: this is not of that configuration, or not of all.
  bool find_gaps(const System& system, const Phase& phase, std::span<const ContactId> ids, Vector& gaps_out,
                 Vector& margins_out) const;
  // Rows of some of the contacts, in ascending order; false as above.
  bool copy_rows(const System& system, double t, const VectorRef& q, std::span<const ContactId> ids,
                 ContactRows& out) const;

 private:
  bool is_at(const System& system, double t, const VectorRef& q) const;
  void remember_place(const System& system, const Phase& phase, std::span<const ContactId> ids);
  void update_velocities(const Phase& phase);
  std::uint64_t system_ = 0;  // its number
  double t_ = 0;
  Vector q_;
  std::vector<ContactId> ids_, missing_;
  ContactRows missing_rows_;
  Vector missing_gaps_, missing_margins_;
};

}  // namespace delassus
