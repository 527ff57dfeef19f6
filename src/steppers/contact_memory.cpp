// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/contact_memory.hpp"

#include <algorithm>

namespace delassus {

const ContactMemory* find_memory(const History& history, ContactId id) {
  const auto it = std::lower_bound(history.contacts.begin(), history.contacts.end(), id,
                                   [](const ContactMemory& memory, ContactId x) { return memory.id < x; });
  return it != history.contacts.end() && it->id == id ? &*it : nullptr;
}

void ContactMemories::remember(const Trial& trial, std::span<const ContactId> ids, History& history) {
  next_.resize(ids.size());
  int row = 0;
  std::size_t offset = 0;
  for (std::size_t c = 0; c < ids.size(); ++c) {
    const Cone& cone = trial.cones[c];
    ContactMemory& memory = next_[c];
    memory.id = ids[c];
    set_mode(trial.solution.modes[c], memory);
    // By the convex law a sliding contact separates.
    if (cone.kind == ConeKind::convex && memory.status == ContactStatus::slip) memory.closed = false;
    for (int k = 0; k < k_max_cone_dim; ++k)
      memory.force[k] = k < cone.dim ? trial.solution.r[row + k] / trial.h : 0.0;
    const std::size_t n = static_cast<std::size_t>(lcp_size(cone));
    if (trial.solution.basis.size() >= offset + n)
      memory.basis.assign(trial.solution.basis.begin() + offset, trial.solution.basis.begin() + offset + n);
    else
      memory.basis.clear();
    offset += n;
    row += cone.dim;
  }
  std::swap(history.contacts, next_);
  history.modes_known = true;
}

void ContactMemories::store_modes(std::span<const ContactId> ids, std::span<const ContactMode> modes,
                                  History& history) {
  next_.resize(ids.size());
  for (std::size_t c = 0; c < ids.size(); ++c) {
    ContactMemory& memory = next_[c];
    const ContactMemory* known = find_memory(history, ids[c]);
    if (known != nullptr)
      memory = *known;
    else
      memory = {};
    memory.id = ids[c];
    set_mode(modes[c], memory);
  }
  std::swap(history.contacts, next_);
  history.modes_known = true;
}

void ContactMemories::hand_over(const System& system, const PhasePoint& point, double touching,
                                History& history) {
  handed_over_.clear();
  for (const ContactMemory& memory : history.contacts) {
    if (!memory.closed) continue;
    const std::size_t at = point.contacts.find(memory.id);
    if (at < point.contacts.size() && point.contacts.valid(at)) continue;
    const ContactId next = system.successor(memory.id, point.at);
    const ContactMemory* other = next != memory.id ? find_memory(history, next) : &memory;
    if (other != nullptr && other->closed) continue;
    // A neighbour that is farther away does not hold what this contact held.
    const ContactId ids[] = {std::min(memory.id, next), std::max(memory.id, next)};
    system.evaluate_contacts(ids, point.at, both_);
    const double gap = both_.gap(both_.find(memory.id)), next_gap = both_.gap(both_.find(next));
    if (next_gap > std::max(gap, 0.0) + touching) continue;
    handed_over_.push_back(memory);
    handed_over_.back().id = next;
  }
  if (handed_over_.empty()) return;
  const auto by_id = [](const ContactMemory& a, const ContactMemory& b) { return a.id < b.id; };
  const auto same_id = [](const ContactMemory& a, const ContactMemory& b) { return a.id == b.id; };
  // What is handed over stands before what was known of the successor, which did not hold.
  auto& contacts = history.contacts;
  contacts.insert(contacts.begin(), handed_over_.begin(), handed_over_.end());
  std::stable_sort(contacts.begin(), contacts.end(), by_id);
  contacts.erase(std::unique(contacts.begin(), contacts.end(), same_id), contacts.end());
}

}  // namespace delassus
