// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/system.hpp"

#include <atomic>

namespace delassus {

std::uint64_t SystemNumber::next() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool System::moves(int /*body*/) const {
  return true;
}
void System::ties(std::vector<std::vector<int>>& out) const {
  out.clear();
}
int System::mover(ContactId /*id*/) const {
  return -1;
}
SystemPart System::part(std::span<const int> /*bodies*/) const {
  return {};
}
void System::extend_reach(const Configuration& /*at*/, const VectorRef& /*v*/, double /*h*/,
                          Reach& /*reach*/) const {}
void System::meetings(const Reach& /*reach*/, std::vector<std::pair<int, int>>& bodies) const {
  bodies.clear();
}

ContactSet System::contacts_within(double h, double t, const VectorRef& q, const VectorRef& v) const {
  ContactSet out;
  find_contacts(configuration(t, q), v, h, nullptr, out);
  return out;
}

ContactSet System::contacts_of(std::span<const ContactId> ids, double t, const VectorRef& q,
                               const VectorRef& v) const {
  ContactSet out;
  evaluate_contacts(ids, configuration(t, q), out);
  out.update_velocities(v);
  return out;
}

}  // namespace delassus
