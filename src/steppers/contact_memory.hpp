// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of contacts from one step to the next: modes, impulses and bases (ContactMemory of a History), kept in
// ascending order of ids. A contact that has left its features gives what is known of it to its successor.
#pragma once
#include <span>
#include <vector>

#include "delassus/steppers/step_kernel.hpp"

namespace delassus {

// Null when nothing is known.
const ContactMemory* find_memory(const History& history, ContactId id);

class ContactMemories {
 public:
  // The contacts `ids` of a trial and nothing else.
  void remember(const Trial& trial, std::span<const ContactId> ids, History& history);
  // Writes modes into the memory of `ids`; what else was known of them stays, other contacts are forgotten.
  void store_modes(std::span<const ContactId> ids, std::span<const ContactMode> modes, History& history);
  // Closed contacts that are no longer among those of `point`: their successors are closed now, unless they are farther
  // away than the contact was and than `touching`.
  void hand_over(const System& system, const PhasePoint& point, double touching, History& history);

 private:
  // Swapped with the contacts of the history, so that their memory is reused.
  std::vector<ContactMemory> next_, handed_over_;
  ContactSet both_;
};

}  // namespace delassus
