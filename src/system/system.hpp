// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a stepper integrates: dynamics, contacts and, for recordings and pictures, outputs. Three interfaces on one
// object; a function takes the one it needs.
//
// All calls are batched: one a configuration, not one a body or a contact (but gap_at and successor, which follow single
// contacts). A System holds no mutable state; every function is const and may be called for any (t, q, v), which is what
// event location needs.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "delassus/system/contacts.hpp"
#include "delassus/system/dynamics.hpp"
#include "delassus/system/outputs.hpp"
#include "delassus/system/system_part.hpp"

namespace delassus {

// A number that no other object of the process has or had, copies included.
class SystemNumber {
 public:
  SystemNumber() : value_(next()) {}
  SystemNumber(const SystemNumber& /*other*/) : value_(next()) {}
  SystemNumber& operator=(const SystemNumber& /*other*/) {
    value_ = next();
    return *this;
  }
  ~SystemNumber() = default;
  std::uint64_t value() const { return value_; }

 private:
  static std::uint64_t next();
  std::uint64_t value_;
};

class System : public Dynamics, public Contacts, public Outputs {
 public:
  // What a workspace remembers of a system is of the one with this number; addresses are used again.
  std::uint64_t number() const { return number_.value(); }

  // --- taking it apart; the defaults are those of a system that cannot be
  virtual bool divisible() const { return false; }
  // Whether a body has degrees of freedom.
  virtual bool moves(int body) const;
  // Bodies that act on each other wherever they are: by joints, couplers, forces, stops, listed contacts. A list a tie.
  virtual void ties(std::vector<std::vector<int>>& out) const;
  // A body with degrees of freedom that a contact acts on.
  virtual int mover(ContactId id) const;
  // These bodies, which nothing ties to the others; those without degrees of freedom are in every part.
  virtual SystemPart part(std::span<const int> bodies) const;
  // Adds what the bodies may reach within h from (t, q, v).
  virtual void extend_reach(const Configuration& at, const VectorRef& v, double h, Reach& reach) const;
  // Pairs of bodies that may touch where they reach; both have degrees of freedom.
  virtual void meetings(const Reach& reach, std::vector<std::pair<int, int>>& bodies) const;

  // For callers that ask once: find_contacts and evaluate_contacts at (t, q, v).
  ContactSet contacts_within(double h, double t, const VectorRef& q, const VectorRef& v) const;
  ContactSet contacts_of(std::span<const ContactId> ids, double t, const VectorRef& q,
                         const VectorRef& v) const;

 private:
  SystemNumber number_;
};

}  // namespace delassus
