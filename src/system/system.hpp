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

#include "delassus/system/contacts.hpp"
#include "delassus/system/dynamics.hpp"
#include "delassus/system/outputs.hpp"

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

  // For callers that ask once: find_contacts and evaluate_contacts at (t, q, v).
  ContactSet contacts_within(double h, double t, const VectorRef& q, const VectorRef& v) const;
  ContactSet contacts_of(std::span<const ContactId> ids, double t, const VectorRef& q,
                         const VectorRef& v) const;

 private:
  SystemNumber number_;
};

}  // namespace delassus
