// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which contacts take part in an impact, and what it leaves behind, whatever the scheme that has located it.
#pragma once
#include <span>
#include <vector>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/impact/impact.hpp"
#include "delassus/steppers/step_in_progress.hpp"

namespace delassus {

class HitContacts {
 public:
  // The contacts that take part in an impact at step.now: closed ones, those `due`, those within `touching`. `located`: the gaps
  // of those due were brought to zero, however round-off has it. step.now.contacts are those near it afterwards.
  const ContactSet& find(StepInProgress& step, double touching, std::span<const ContactId> due, bool located);
  const ContactSet& contacts() const { return hit_; }
  ContactSet& contacts() { return hit_; }

 private:
  ContactSet found_, missing_, merged_, hit_;
  std::vector<ContactId> ids_;
  std::vector<std::size_t> some_;
};

// The jump of the velocities at step.now, its impulses and events, and which of `contacts` persist. What is hit is appended to
// `hit`. Modes are not known afterwards. `memory`: swapped with that of the contacts.
void book_impact(StepInProgress& step, const ImpactResult& impact, const ContactSet& contacts,
                 std::vector<ContactId>& hit, std::vector<ContactMemory>& memory);

}  // namespace delassus
