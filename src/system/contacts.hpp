// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The unilateral part of a mechanical system: gaps Φ_j(t,q) ≥ 0 with normal and tangential rows Hᵀ and a friction law.
// Contacts are found and evaluated in one go (find_contacts), or evaluated by their ids at any configuration, which is
// what the middle of a step and its end need. Root finding asks for one gap at a time (gap_at).
//
//   H (nv×nc·dim) contacts, normal row first
//
// The defaults are those of a system without contacts.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/system/contact_set.hpp"
#include "delassus/system/dynamics.hpp"

namespace delassus {

// A gap and how far the contact is from handing over (ContactSet::margins) [m].
struct GapAt {
  double gap = 0, margin = std::numeric_limits<double>::infinity();
};

class Contacts {
 public:
  virtual ~Contacts() = default;

  // False when there are no contacts, wherever the motion goes.
  virtual bool has_contacts() const { return false; }
  // False: gaps and rows of all contacts are functions of q alone. True is the default.
  virtual bool has_moving_surfaces() const { return true; }
  // True: some contact may have friction by a polygon (ContactSurface::polygon).
  virtual bool has_friction_polygons() const { return false; }
  virtual std::string contact_name(ContactId id) const;
  // Whether there can be such a contact; all functions below take for granted that there is. True is the default.
  virtual bool has_contact(ContactId /*id*/) const { return true; }
  // Whether the gap is an angle [rad], as that of a stop of a hinge, or a length [m], which is the default.
  virtual bool gap_is_angle(ContactId /*id*/) const { return false; }
  // Whether it is a stop of a joint; it is none by default.
  virtual bool is_stop(ContactId /*id*/) const { return false; }
  // Size of the smaller of the two bodies, for judging how deep they overlap: 1 m is the default; 1 rad for angles.
  virtual double contact_size(ContactId /*id*/) const { return 1.0; }
  // Whom a contact acts on; not known is the default.
  virtual ContactBodies contact_bodies(ContactId id) const;

  // Contacts that could touch within a step h from (t, q, v), in ascending order of ids, evaluated at (t, q) with the
  // velocities of v; a superset is allowed. `known`, when not null: a set at the same (t, q); what it has is not
  // evaluated again.
  virtual void find_contacts(const Configuration& at, const VectorRef& v, double h, const ContactSet* known,
                             ContactSet& out) const;
  // Given contacts, in ascending order, at any configuration. The velocities are not filled.
  virtual void evaluate_contacts(std::span<const ContactId> ids, const Configuration& at,
                                 ContactSet& out) const;
  // d/dt (Hᵀ v + w) with v̇ = 0, per row of the set [m/s²]. `at` is where the set is.
  virtual void contact_bias(const ContactSet& contacts, const Configuration& at, const VectorRef& v,
                            Vector& bias) const;
  // One contact at (t, q ⊞ w); of w only the entries are read that stand in its rows.
  virtual GapAt gap_at(ContactId id, double t, const VectorRef& q, const VectorRef& w) const;
  // The contact that takes over from one with a negative margin; itself when there is none.
  virtual ContactId successor(ContactId id, const Configuration& at) const;
  // The longest part of a step h over which the gaps of the contacts `open` (indices) can be followed from their values
  // and rates at both ends; h is the default.
  virtual double contact_step_limit(const ContactSet& contacts, std::span<const std::size_t> open,
                                    const Configuration& at, const VectorRef& v, double h) const;
};

}  // namespace delassus
